"""Cold War's table and its words: who aims how much at whom, which pairs lead, the last plays."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from referee.games.cold_war.forms import GAIN, NAMES, RIVALS, SEATS, forces
from referee.rules.game import Move, Observation
from referee.rules.scene import Area, Facts, Group, Mark, Row, Text, Token, Track


def told(seat: int, play: Move) -> str:
    """Return `play` as a sentence without its full stop."""
    return f"{NAMES[seat]} {deed(seat, play)}"


def deed(seat: int, play: Move) -> str:
    """Return what `seat` does by `play`, as the predicate of a sentence."""
    match play["play"]:
        case "arm":
            return f"arms: {_changes(seat, play['add'], GAIN - sum(play['add']))}"
        case "shift":
            changes = _changes(seat, play["move"], 0)
            return f"shifts: {changes}" if changes else "passes"
        case "attack":
            return f"attacks with {NAMES[play['with']]}"
        case _:
            return f"loses the play{_laid(seat, play)}"


def _laid(seat: int, play: Move) -> str:
    """Return after a colon what was laid in a null play, if it is shown."""
    if "laid" not in play:
        return ""
    cards = play["laid"]
    return f": {cards['play']} {_changes(seat, cards.get('add') or cards['move'], 0)}"


def _changes(seat: int, entries: Sequence[int], reserve: int) -> str:
    named = [(NAMES[other], entries[other]) for other in RIVALS[seat]]
    return ", ".join(f"{name} {n:+d}" for name, n in (*named, ("reserve", reserve)) if n)


_EXCHANGES = 2  # so many of the last ones are shown where every step can be looked at
_FAR = 24  # a lead that nobody makes up for in a round


def areas(view: Observation, plays: Sequence[str]) -> Iterator[Area]:
    """Yield each seat's missiles, the balance of the pairs, the last `plays` and their attacks."""
    stage = {"talk": "they talk", "play": "all choose a play", None: "the end"}[view["decision"]]
    yield Text(f"Round {view['round']} of {view['max_rounds']}", [stage])
    yield from _arms(view)
    yield _balance(view["markers"])
    if plays:
        yield Text("Last plays", plays, [*SEATS])
    if view["attacks"]:
        head = ("Pair", "Aimed", "Outcome")
        yield Facts("Attacks", head, [*map(_outcome, view["attacks"])])
    yield from _messages(view["messages"])


def _balance(markers: Sequence[Sequence[int]]) -> Group:
    """Return how each division into two pairs stands; the mark is near the pair that leads."""
    areas = []
    for ally in RIVALS[0]:
        pair = (0, ally)
        others = [seat for seat in SEATS if seat not in pair]
        force, against = forces(markers, pair)
        lead = force - against
        ends = (_both(pair), _both(others))
        words = f"{ends[lead < 0]} by {abs(lead)}" if lead else "neither leads"
        mark = Mark(max(-_FAR, min(_FAR, -lead)), _lead(lead, pair, others), name=words)
        label = f"{ends[0]} : {ends[1]}"
        areas.append(Track(label, -_FAR, _FAR, [mark], ends, f"{force} : {against}"))
    return Group("Aimed by each pair at the other", areas)


def _lead(lead: int, pair: Sequence[int], others: Sequence[int]) -> str:
    """Return a lead with the first letters of the pair that has it, such as +4 S&W."""
    if not lead:
        return "0"
    return f"+{abs(lead)} {'&'.join(NAMES[seat][0] for seat in (others if lead < 0 else pair))}"


def _arms(view: Observation) -> Iterator[Group]:
    """Yield each seat's missiles, as many as it aims at each other seat and has in reserve."""
    for seat in SEATS:
        aimed = view["markers"][seat]
        at = [
            Token(NAMES[rival], "missile", aimed[rival], f"missiles at {NAMES[rival]}")
            for rival in RIVALS[seat]
            if aimed[rival]
        ]
        kept = view["reserve"][seat]
        spare = [Token("reserve", "reserve", kept, "missiles that threaten nobody")] if kept else []
        rows = [Row("Aims at", at, note=f"{sum(aimed)} in all"), Row("Keeps", spare)]
        yield Group("", rows, seat)


def _outcome(attack: Mapping[str, Any]) -> list[str]:
    end = "won" if attack["won"] else "repelled"
    return [_both(attack["pair"]), f"{attack['force']} : {attack['against']}", end]


def _messages(messages: Sequence[Sequence[str]]) -> Iterator[Text]:
    """Yield the exchanges of this round."""
    first = len(messages) - _EXCHANGES
    for number, exchange in enumerate(messages):
        words = [said or "(silent)" for said in exchange]
        most = None if number >= first else 0
        yield Text(f"Messages, exchange {number + 1}", words, [*SEATS], most)


def _both(pair: Sequence[int]) -> str:
    return " & ".join(NAMES[seat] for seat in pair)

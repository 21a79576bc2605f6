"""Cold War's board: who aims how much at whom, which pairs lead, the last plays, the words."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from arena.report.scene import Area, Facts, Fixed, Group, Mark, Row, Token, Track, Views, public
from referee.game import Move, Observation
from referee.games.cold_war.seats import GAIN, NAMES, RIVALS, SEATS
from referee.games.cold_war.text import laid

_EXCHANGES = 2  # so many of the last ones are shown
_LONGEST = 200  # characters of a message
_FAR = 24  # a lead that nobody makes up for in a round


def board(views: Views, names: Sequence[str], _fixed: Fixed) -> Sequence[Area]:
    """Return each seat's missiles, the balance of the pairs, the last round and its attacks."""
    view = public(views)
    names = [f"{place} {name}" for place, name in zip(NAMES, names, strict=True)]
    stage = "they talk" if view["decision"] == "talk" else "all choose a play"
    stage = stage if view["decision"] else "the end"
    areas: list[Area] = [Facts(f"Round {view['round']} of {view['max_rounds']}", (), [[stage]])]
    areas += [*_arms(view, names), _balance(view["markers"]), *_last(view, names)]
    return [*areas, *_messages(view["messages"], names)]


def _balance(markers: Sequence[Sequence[int]]) -> Group:
    """Return how each division into two pairs stands; the mark is near the pair that leads."""
    areas = []
    for ally in RIVALS[0]:
        pair = (0, ally)
        others = [seat for seat in SEATS if seat not in pair]
        force = sum(markers[own][rival] for own in pair for rival in others)
        against = sum(markers[rival][own] for own in pair for rival in others)
        lead = force - against
        ends = (_both(pair, NAMES), _both(others, NAMES))
        words = f"{ends[lead < 0]} by {abs(lead)}" if lead else "neither"
        mark = Mark(max(-_FAR, min(_FAR, -lead)), _lead(lead, pair, others), name=words)
        label = f"{ends[0]} : {ends[1]}"
        areas.append(Track(label, -_FAR, _FAR, [mark], ends, f"{force} : {against}"))
    return Group("Aimed by each pair at the other", areas)


def _lead(lead: int, pair: Sequence[int], others: Sequence[int]) -> str:
    """Return a lead with the first letters of the pair that has it, such as +4 S&W."""
    if not lead:
        return "0"
    return f"+{abs(lead)} {'&'.join(NAMES[seat][0] for seat in (others if lead < 0 else pair))}"


def _arms(view: Observation, names: Sequence[str]) -> Iterator[Group]:
    """Yield each seat's missiles, as many as it aims at each other seat and has in reserve."""
    for seat, name in enumerate(names):
        aimed = view["markers"][seat]
        at = [
            Token(NAMES[rival], "missile", aimed[rival], f"missiles at {names[rival]}")
            for rival in RIVALS[seat]
            if aimed[rival]
        ]
        kept = view["reserve"][seat]
        spare = [Token("reserve", "reserve", kept, "missiles that threaten nobody")] if kept else []
        yield Group(
            name, [Row("Aims at", at, note=f"{sum(aimed)} in all"), Row("Keeps", spare)], seat
        )


def _last(view: Observation, names: Sequence[str]) -> Iterator[Facts]:
    """Yield the plays revealed last, and what became of the attacks among them."""
    if view["last"] is not None:
        rows = [[name, _told(seat, view["last"][seat])] for seat, name in enumerate(names)]
        yield Facts("Last plays", ("Who", "What"), rows, [*SEATS])
    if view["attacks"]:
        head = ("Pair", "Aimed", "Outcome")
        yield Facts("Attacks", head, [_outcome(attack, names) for attack in view["attacks"]])


def _outcome(attack: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    end = "won" if attack["won"] else "repelled"
    return [_both(attack["pair"], names), f"{attack['force']} : {attack['against']}", end]


def _told(seat: int, play: Move) -> str:
    match play["play"]:
        case "arm":
            return f"arms: {_changes(seat, play['add'], GAIN - sum(play['add']))}"
        case "shift":
            changes = _changes(seat, play["move"], 0)
            return f"shifts: {changes}" if changes else "passes"
        case "attack":
            return f"attacks with {NAMES[play['with']]}"
    return f"loses the play{laid(seat, play)}"


def _changes(seat: int, entries: Sequence[int], reserve: int) -> str:
    named = [(NAMES[other], entries[other]) for other in RIVALS[seat]]
    return ", ".join(f"{name} {n:+d}" for name, n in (*named, ("reserve", reserve)) if n)


def _messages(messages: Sequence[Sequence[str]], names: Sequence[str]) -> Iterator[Facts]:
    """Yield the last exchanges of this round; long messages are cut."""
    first = max(0, len(messages) - _EXCHANGES)
    for number, exchange in enumerate(messages[first:], start=first + 1):
        rows = [
            [name, _cut(words) or "(silent)"] for name, words in zip(names, exchange, strict=True)
        ]
        yield Facts(f"Messages, exchange {number}", ("Who", "Words"), rows, [*SEATS])


def _cut(words: str) -> str:
    return words if len(words) <= _LONGEST else f"{words[:_LONGEST]}…"


def _both(pair: Sequence[int], names: Sequence[str]) -> str:
    return " & ".join(names[seat] for seat in pair)

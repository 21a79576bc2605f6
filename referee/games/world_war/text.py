"""World War in words: the board in two columns, the fronts, what has happened, a move told."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby, zip_longest
from typing import Any

from referee.game import Move
from referee.games.world_war.board import (
    BONUS,
    BORDERS,
    CARDS,
    CONTINENTS,
    JOKER,
    MEMBERS,
    NUMBER,
    TERRITORIES,
    WEAPON,
)
from referee.games.world_war.course import War
from referee.games.world_war.forces import Forces
from referee.games.world_war.goals import told
from referee.games.world_war.log import FIELDS, Event

NAMES = "ABCDEF"
WIDTH = 80
_COLUMN = 39
_LEFT = 3  # so many continents stand in the left column
_MOST_CLAUSES = 14
_MOST_ROLLS = 4
_MOST_PLACED = 5
_NEXT = 4  # so many cards of the draw pile are shown where all is open


def war_text(war: War, seat: int | None) -> str:
    """Return the board, the seats and the last round, and what `seat` alone may know."""
    events = war.log.latest()
    lines = [_headline(war, seat), "", *_board(war.forces, seat), "", *_seats(war)]
    lines += _wrapped(
        f"Exchanges so far: {war.exchanges}. Draw pile: {len(war.draw_pile)}."
        f" Used pile: {_cards(war.used_pile)}."
    )
    lines += ["", *_secrets(war, seat)]
    if seat is not None and war.asked and war.forces.count[seat]:
        lines += ["", "Your fronts:", *_fronts(war.forces, seat)]
    if events:
        lines += ["", "Lately:", *_turns(events, len(war.living())), *_last_dice(events)]
    return "\n".join([*lines, *_battle(war)])


def _headline(war: War, seat: int | None) -> str:
    if war.asked is None:
        told_places = ", ".join(f"{NAMES[s]} {place}" for s, place in enumerate(war.places))
        return f"World War, over in round {war.round}: {war.reason}; places: {told_places}"
    if war.is_sealed():
        return "World War, set-up: all place their armies, unseen"
    stage = f"round {war.round} of {war.options.max_rounds}" if war.round else "set-up"
    decided = f" ({war.asked})" if seat is None or seat in war.deciders() else ""
    return f"World War, {stage}: {NAMES[war.in_turn]} in turn{decided}"


def _seats(war: War) -> list[str]:
    fallen = {fall.seat: f"out in round {fall.round}, by {NAMES[fall.by]}" for fall in war.fallen}
    lines = ["   territories  armies  cards  a turn"]
    for seat, held in enumerate(war.forces.count):
        brings = f"+{war.forces.reinforcements(seat, war.options.min_reinforcement)}"
        numbers = f"{held:>11}{war.forces.total(seat):>8}{len(war.hands[seat]):>7}{brings:>8}"
        lines.append(f"{NAMES[seat]}  {numbers if held else fallen[seat]}")
    return lines


def _secrets(war: War, viewer: int | None) -> list[str]:
    """Return objectives and hands, those of `viewer` alone until the end, or all."""
    lines = []
    for seat in range(war.seats):
        if viewer in (None, seat) or war.asked is None:
            goal = told(war.goal(seat), NAMES)
            if war.goal(seat) != war.missions[seat]:
                goal += f" (dealt: {told(war.missions[seat], NAMES)})"
            lines += _wrapped(f"{NAMES[seat]}'s objective: {goal}.")
        if viewer in (None, seat):
            lines += _wrapped(f"{NAMES[seat]}'s cards: {_cards(war.hands[seat])}.")
    if viewer is None:
        lines += _wrapped(f"Next to be drawn: {_cards(war.draw_pile[: -_NEXT - 1 : -1])}.")
    return lines


def _battle(war: War) -> list[str]:
    """Return the attack that awaits an answer or has just conquered."""
    attack = war.attack
    source, target = (_placed(war.forces, each) for each in attack[:2])
    if war.asked == "defend":
        return ["", *_wrapped(f"{source} attacks {target} with {_dice(attack.dice)}.")]
    if war.asked == "occupy":
        return ["", *_wrapped(f"{target} was taken from {source}.")]
    return []


def _wrapped(text: str, indent: str = "", hang: str = "  ") -> list[str]:
    """Return `text` as lines that fit; `textwrap` would take ten times as long."""
    lines, lead = [], indent
    while len(lead) + len(text) > WIDTH:
        at = text.rindex(" ", 0, WIDTH - len(lead) + 1)
        lines.append(lead + text[:at])
        text, lead = text[at + 1 :], indent + hang
    return [*lines, lead + text]


def _board(forces: Forces, seat: int | None) -> list[str]:
    """Return the board, the territories of `seat` marked."""
    columns: list[list[str]] = [[], []]
    for continent in range(len(CONTINENTS)):
        columns[continent >= _LEFT] += _continent_lines(forces, seat, continent)
    left, right = columns
    pairs = zip_longest(left, right, fillvalue="")
    return [f"{one:<{_COLUMN}}  {other}".rstrip() for one, other in pairs]


def _continent_lines(forces: Forces, seat: int | None, continent: int) -> list[str]:
    holder = forces.holder[continent]
    held = "" if holder is None else f", all {NAMES[holder]}'s"
    lines = [f"{CONTINENTS[continent]} +{BONUS[continent]}{held}"]
    for territory in MEMBERS[continent]:
        owner, name = forces.owner[territory], TERRITORIES[territory]
        mark = "*" if owner == seat else " "
        lines.append(f" {mark} {name:<22} {NAMES[owner]} {forces.armies[territory]:>4}")
    return lines


def _fronts(forces: Forces, seat: int) -> list[str]:
    """Return each own territory that has neighbours of other seats, with them."""
    lines = []
    for territory in forces.own(seat):
        foes = [_placed(forces, to) for to in BORDERS[territory] if forces.owner[to] != seat]
        if foes:
            own = f"{TERRITORIES[territory]} {forces.armies[territory]}"
            lines += _wrapped(f"{own} | {', '.join(foes)}", "  ", "    ")
    return lines


def _placed(forces: Forces, territory: int) -> str:
    holder, armies = NAMES[forces.owner[territory]], forces.armies[territory]
    return f"{TERRITORIES[territory]} {holder} {armies}"


def _cards(cards: Sequence[int]) -> str:
    names = (
        CARDS[card] if WEAPON[card] == JOKER else f"{CARDS[card]} ({WEAPON[card]})"
        for card in cards
    )
    return ", ".join(names) or "none"


def _turns(events: Iterable[Event], turns: int) -> list[str]:
    """Return a paragraph for each of the last `turns` turns that `events` tell of."""
    paragraphs: list[list[Event]] = [[]]
    for event in events:
        if event[0] == "turn":
            paragraphs.append([])
        paragraphs[-1].append(event)
    lines = []
    for paragraph in paragraphs[-turns:]:
        lines += _paragraph(paragraph)
    return lines


def _paragraph(events: Sequence[Event]) -> list[str]:
    if not events or events[0][0] != "turn":
        clauses = [f"{NAMES[event[1]]} {_clause(event)}" for event in events]
        return [line for clause in clauses for line in _wrapped(clause, "  ", "  ")]
    _, seat, number = events[0]
    clauses = _clauses(events[1:]) or ["nothing"]
    if len(clauses) > _MOST_CLAUSES:
        clauses = ["...", *clauses[-_MOST_CLAUSES:]]
    return _wrapped(f"{NAMES[seat]} in round {number}: {'; '.join(clauses)}", "  ", "  ")


def _clauses(events: Sequence[Event]) -> list[str]:
    """Return events in words, attacks along the same border taken together."""
    clauses = []
    for _, same in groupby(events, key=lambda event: event[:4] if event[0] == "attack" else event):
        several = list(same)
        first = several[0]
        clauses.append(_fought(several) if first[0] == "attack" else _clause(first))
    return clauses


def _fought(attacks: Sequence[Event]) -> str:
    facts = [dict(zip(FIELDS["attack"], attack[1:], strict=True)) for attack in attacks]
    first = facts[0]
    rolls, lost, killed = (sum(each) for each in zip(*map(_cost, facts), strict=True))
    count = "1 roll" if rolls == 1 else f"{rolls} rolls"
    ends = f"{first['from']} > {first['to']} ({NAMES[first['defender']]})"
    return f"attacks {ends}, {count}, lost {lost}, killed {killed}"


def _cost(fact: Mapping[str, Any]) -> tuple[int, int, int]:
    return len(fact["rolls"]), fact["attacker_lost"], fact["defender_lost"]


def _clause(event: Event) -> str:
    fact: Mapping[str, Any] = dict(zip(FIELDS[event[0]], event[1:], strict=True))
    match event[0]:
        case "setup":
            return f"sets up {_told_armies(fact['armies'])}"
        case "trade":
            extra = f" and {_told_armies(fact['extra'])}" if fact["extra"] else ""
            return f"trades {', '.join(fact['cards'])} for {fact['armies']}{extra}"
        case "deploy":
            return f"deploys {_told_armies(fact['armies'])}"
        case "conquest":
            return f"takes {fact['to']} with {fact['armies']}"
        case "eliminated":
            return f"{NAMES[fact['seat']]} IS OUT"
        case "occupy":
            return f"{fact['armies']} more follow"
        case "card":
            return "draws a card" + (" (the used cards reshuffled)" if fact["reshuffled"] else "")
        case _:
            return f"moves {fact['armies']} {fact['from']} > {fact['to']}"


def _last_dice(events: Sequence[Event]) -> list[str]:
    """Return the dice of the attack that came last, if it was in the turn that goes on."""
    for event in reversed(events):
        if event[0] == "turn":
            return []
        if event[0] == "attack":
            fact = dict(zip(FIELDS["attack"], event[1:], strict=True))
            shown = [f"{_faces(one)} v {_faces(other)}" for one, other in fact["rolls"]]
            more = "... " if len(shown) > _MOST_ROLLS else ""
            rolled = ", ".join(shown[-_MOST_ROLLS:])
            return _wrapped(f"Last dice, {fact['from']} > {fact['to']}: {more}{rolled}")
    return []


def _faces(dice: Iterable[int]) -> str:
    return " ".join(map(str, dice))


def _told_armies(armies: Mapping[str, int], most: int | None = None) -> str:
    """Return armies by territory in words; the `most` greatest, where there are many."""
    placed = {name: count for name, count in armies.items() if count}
    names = sorted(placed, key=lambda name: (-placed[name], NUMBER[name]))
    told = [f"{name} +{placed[name]}" for name in names[:most]]
    if most is not None and len(names) > most:
        told.append(f"and {len(names) - most} others")
    return ", ".join(told) or "nothing"


def told_move(asked: str, seat: int, move: Move, target: str) -> str:
    """Return a move in a few words; `target` is the territory attacked, in defend and occupy."""
    who = NAMES[seat]
    if asked in ("setup", "deploy"):
        verb = "sets up" if asked == "setup" else "deploys"
        return f"{who} {verb} {_told_armies(move['armies'], _MOST_PLACED)}"
    if asked == "trade":
        cards = ", ".join(move["cards"])
        return f"{who} trades {cards}" if cards else f"{who} keeps the cards"
    if asked == "defend":
        return f"{who} defends {target} with {_dice(move['dice'])}"
    if asked == "occupy":
        return f"{who} sends {move['armies']} more to {target}"
    if asked == "fortify":
        if move["action"] == "stay":
            return f"{who} moves nothing"
        return f"{who} moves {move['armies']} {move['from']} > {move['to']}"
    if move["action"] == "stop":
        return f"{who} stops attacking"
    order = ""
    if "rolls" in move:
        times = "1 roll" if move["rolls"] == 1 else f"{move['rolls']} rolls"
        order = f", up to {times}, until {move['stop_at']} left"
    return f"{who} attacks {move['from']} > {move['to']} with {_dice(move['dice'])}{order}"


def _dice(count: int) -> str:
    return "1 die" if count == 1 else f"{count} dice"

"""World War in words: the board in two columns, the fronts, what has happened, a move told."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import zip_longest

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
from referee.games.world_war.course import Course
from referee.games.world_war.forces import Forces
from referee.games.world_war.goals import told
from referee.games.world_war.log import (
    Attacked,
    CardDrawn,
    Conquered,
    Deployed,
    Eliminated,
    Event,
    Followed,
    Fortified,
    SetUp,
    Traded,
    TurnBegun,
)

NAMES = "ABCDEF"
WIDTH = 80
_COLUMN = 41
_LEFT = 3  # so many continents stand in the left column
_MOST_CLAUSES = 20
_MOST_ROLLS = 4
_MOST_PLACED = 5
_NEXT = 4  # so many cards of the draw pile are shown where all is open
_PADDED = tuple(f"{name:<22}" for name in TERRITORIES)
_TOLD_CARDS = tuple(
    card if weapon == JOKER else f"{card} ({weapon})"
    for card, weapon in zip(CARDS, WEAPON, strict=True)
)


def war_text(war: Course, seat: int | None) -> str:
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
    if lately := [*_turns(events, len(war.living())), *_last_dice(events)]:
        lines += ["", "Lately:", *lately]
    return "\n".join([*lines, *_battle(war)])


def _headline(war: Course, seat: int | None) -> str:
    if war.asked is None:
        told_places = ", ".join(f"{NAMES[s]} {place}" for s, place in enumerate(war.places))
        return f"World War, over in round {war.round}: {war.reason}; places: {told_places}"
    if war.is_sealed():
        return "World War, set-up: all place their armies, unseen"
    stage = f"round {war.round} of {war.options.max_rounds}" if war.round else "set-up"
    decided = f" ({war.asked})" if seat is None or seat in war.deciders() else ""
    return f"World War, {stage}: {NAMES[war.in_turn]} in turn{decided}"


def _seats(war: Course) -> list[str]:
    totals = war.forces.totals()
    fallen = {fall.seat: f"out in round {fall.round}, by {NAMES[fall.by]}" for fall in war.fallen}
    lines = ["   territories  armies  cards  a turn"]
    for seat, held in enumerate(war.forces.count):
        brings = f"+{war.forces.reinforcements(seat, war.options.min_reinforcement)}"
        numbers = f"{held:>11}{totals[seat]:>8}{len(war.hands[seat]):>7}{brings:>8}"
        lines.append(f"{NAMES[seat]}  {numbers if held else fallen[seat]}")
    return lines


def _secrets(war: Course, viewer: int | None) -> list[str]:
    """Return objectives and hands, those of `viewer` alone until the end, or all."""
    lines = []
    for seat in range(war.seats):
        if viewer in (None, seat) or war.asked is None:
            goal, mission = war.goal(seat), war.missions[seat]
            dealt = "" if goal == mission else f" (dealt: {told(mission, NAMES)})"
            lines += _wrapped(f"{NAMES[seat]}'s objective: {told(goal, NAMES)}{dealt}.")
        if viewer in (None, seat):
            lines += _wrapped(f"{NAMES[seat]}'s cards: {_cards(war.hands[seat])}.")
    if viewer is None:
        lines += _wrapped(f"Next to be drawn: {_cards(war.draw_pile[: -_NEXT - 1 : -1])}.")
    return lines


def _battle(war: Course) -> list[str]:
    """Return the attack that awaits an answer or has just conquered."""
    if war.asked not in ("defend", "occupy"):
        return []
    attack = war.attack
    source, target = (_placed(war.forces, each) for each in attack[:2])
    if war.asked == "defend":
        return ["", *_wrapped(f"{source} attacks {target} with {_dice(attack.dice)}.")]
    return ["", *_wrapped(f"{target} was taken from {source}.")]


def _wrapped(text: str, indent: str = "", hang: str = "  ") -> list[str]:
    """Return `text` as lines that fit; `textwrap` would take ten times as long."""
    if len(indent) + len(text) <= WIDTH:
        return [indent + text]
    lines, lead = [], indent
    while len(lead) + len(text) > WIDTH:
        at = text.rindex(" ", 0, WIDTH - len(lead) + 1)
        lines.append(lead + text[:at])
        text, lead = text[at + 1 :], indent + hang
    return [*lines, lead + text]


def _board(forces: Forces, seat: int | None) -> list[str]:
    """Return the board, the territories of `seat` marked."""
    rows = [
        f" {'*' if owner == seat else ' '} {name} {NAMES[owner]} {armies:>4}"
        for name, owner, armies in zip(_PADDED, forces.owner, forces.armies, strict=True)
    ]
    columns: list[list[str]] = [[], []]
    for continent, (name, bonus) in enumerate(zip(CONTINENTS, BONUS, strict=True)):
        holder = forces.holder[continent]
        held = "" if holder is None else f", all {NAMES[holder]}'s"
        first, *_, last = MEMBERS[continent]
        columns[continent >= _LEFT] += [f"{name} +{bonus}{held}", *rows[first : last + 1]]
    left, right = columns
    return [one.ljust(_COLUMN) + other for one, other in zip_longest(left, right, fillvalue="")]


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


def _cards(cards: Iterable[int]) -> str:
    return ", ".join([_TOLD_CARDS[card] for card in cards]) or "none"


def _turns(events: Iterable[Event], turns: int) -> list[str]:
    """Return a paragraph for each of the last `turns` turns that `events` tell of."""
    paragraphs: list[list[Event]] = [[]]
    for event in events:
        if isinstance(event, TurnBegun):
            paragraphs.append([])
        paragraphs[-1].append(event)
    if len(paragraphs[-1]) == 1 and isinstance(paragraphs[-1][0], TurnBegun):
        paragraphs.pop()  # the turn that has just begun
    lines = []
    for paragraph in paragraphs[-turns:]:
        lines += _paragraph(paragraph)
    return lines


def _paragraph(events: Sequence[Event]) -> list[str]:
    if not (events and isinstance(events[0], TurnBegun)):
        last = events[-_MOST_CLAUSES:]
        lines = ["  ..."] if len(last) < len(events) else []
        for event in last:
            lines += _wrapped(f"{NAMES[event.seat]} {_clause(event)}", "  ", "  ")
        return lines
    begun = events[0]
    told = "; ".join(_clauses(events[1:])) or "nothing"
    return _wrapped(f"{NAMES[begun.seat]} in round {begun.round}: {told}", "  ", "  ")


def _clauses(events: Sequence[Event]) -> list[str]:
    """Return the last events in words, attacks along the same border taken together."""
    together: list[Event | list[Attacked]] = []
    for event in events:
        if not isinstance(event, Attacked):
            together.append(event)
        elif together and isinstance(same := together[-1], list) and _along(same[0], event):
            same.append(event)
        else:
            together.append([event])
    last = together[-_MOST_CLAUSES:]
    clauses = [_fought(told) if isinstance(told, list) else _clause(told) for told in last]
    return clauses if len(last) == len(together) else ["...", *clauses]


def _along(one: Attacked, other: Attacked) -> bool:
    """Return whether two attacks of a turn went along the same border."""
    return (one.source, one.target) == (other.source, other.target)


def _fought(attacks: Sequence[Attacked]) -> str:
    first = attacks[0]
    rolls = sum(len(attack.rolls) for attack in attacks)
    lost = sum(attack.attacker_lost for attack in attacks)
    killed = sum(attack.defender_lost for attack in attacks)
    count = "1 roll" if rolls == 1 else f"{rolls} rolls"
    ends = f"{first.source} > {first.target} ({NAMES[first.defender]})"
    return f"attacks {ends}, {count}, lost {lost}, killed {killed}"


@lru_cache(maxsize=500)
def _clause(event: Event) -> str:
    match event:
        case SetUp():
            return f"sets up {_told_armies(event.armies)}"
        case Traded():
            more = f" and {_told_armies(event.extra)}" if event.extra else ""
            return f"trades {', '.join(event.cards)} for {event.armies}{more}"
        case Deployed():
            return f"deploys {_told_armies(event.armies)}"
        case Conquered():
            return f"takes {event.target} with {event.armies}"
        case Eliminated():
            return f"{NAMES[event.seat]} IS OUT"
        case Followed():
            return f"{event.armies} more follow"
        case CardDrawn():
            return "draws a card" + (" (the used cards reshuffled)" if event.reshuffled else "")
        case Fortified():
            return f"moves {event.armies} {event.source} > {event.target}"
    raise AssertionError(f"no words for {event}")


def _last_dice(events: Sequence[Event]) -> list[str]:
    """Return the dice of the attack that came last, if it was in the turn that goes on."""
    for event in reversed(events):
        if isinstance(event, TurnBegun):
            return []
        if isinstance(event, Attacked):
            shown = [f"{_faces(one)} v {_faces(other)}" for one, other in event.rolls]
            more = "... " if len(shown) > _MOST_ROLLS else ""
            rolled = ", ".join(shown[-_MOST_ROLLS:])
            return _wrapped(f"Last dice, {event.source} > {event.target}: {more}{rolled}")
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

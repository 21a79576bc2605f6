"""World War's table and words: the map, what each seat holds and wants, the last dice and deeds."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby

from referee.games.world_war.board import (
    BONUS,
    BORDERS,
    CARDS,
    CONTINENT,
    CONTINENTS,
    JOKER,
    MEMBERS,
    NUMBER,
    TERRITORIES,
    WEAPON,
    Attacked,
    CardDrawn,
    Conquered,
    Deployed,
    Eliminated,
    Event,
    Followed,
    Forces,
    Fortified,
    SetUp,
    Traded,
    TurnBegun,
    most_dice,
)
from referee.games.world_war.course import Course, told
from referee.rules.cards import back
from referee.rules.game import Move
from referee.rules.scene import Area, Facts, Ground, Group, Map, Place, Row, Text, Token
from referee.rules.words import counted

NAMES = "ABCDEF"
_MOST_CLAUSES = 20
_MOST_PLACED = 5


def told_latest(events: Iterable[Event], turns: int) -> list[tuple[int, str]]:
    """Return who did what in the last `turns` turns that `events` tell of, in a few words each."""
    told: list[list[Event]] = [[]]
    for event in events:
        if isinstance(event, TurnBegun):
            told.append([])
        told[-1].append(event)
    if len(told[-1]) == 1 and isinstance(told[-1][0], TurnBegun):
        told.pop()  # the turn that has just begun
    return [deed for turn in told[-turns:] if turn for deed in _turn(turn)]


def _turn(events: Sequence[Event]) -> list[tuple[int, str]]:
    """Return the last events of a turn in words, attacks along the same border taken together."""
    first, *rest = events
    begun = first if isinstance(first, TurnBegun) else None
    together = [[*run] for _, run in groupby(rest if begun else events, _border)]
    last = together[-_MOST_CLAUSES:]
    deeds = [
        (
            begun.seat if begun else each[0].seat,
            (_fought(each) or _clause(each[0])).replace("_", " "),
        )
        for each in last
    ]
    if len(last) < len(together):
        deeds.insert(0, (deeds[0][0], "..."))
    if begun:
        deeds.insert(0, (begun.seat, f"in round {begun.round}"))
    return deeds


def _border(event: Event) -> object:
    """Return the border of an attack; of anything else the event, which no other equals."""
    return (event.source, event.target) if isinstance(event, Attacked) else event


def _fought(events: Sequence[Event]) -> str:
    """Return attacks along one border in words; nothing for other events."""
    attacks = [event for event in events if isinstance(event, Attacked)]
    if not attacks:
        return ""
    first = attacks[0]
    rolls = sum(len(attack.rolls) for attack in attacks)
    lost = sum(attack.attacker_lost for attack in attacks)
    killed = sum(attack.defender_lost for attack in attacks)
    ends = f"{first.source} > {first.target} ({NAMES[first.defender]})"
    return f"attacks {ends}, {counted(rolls, 'roll')}, lost {lost}, killed {killed}"


@lru_cache(maxsize=500)
def _clause(event: Event) -> str:
    match event:
        case SetUp():
            return f"sets up {_told_armies(event.armies, _MOST_PLACED)}"
        case Traded():
            more = f" and {_told_armies(event.extra)}" if event.extra else ""
            return f"trades {', '.join(event.cards)} for {event.armies}{more}"
        case Deployed():
            return f"deploys {_told_armies(event.armies, _MOST_PLACED)}"
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
        return f"{who} defends {target} with {counted(move['dice'], 'die', 'dice')}"
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
        order = f", up to {counted(move['rolls'], 'roll')}, until {move['stop_at']} left"
    dice = counted(move["dice"], "die", "dice")
    return f"{who} attacks {move['from']} > {move['to']} with {dice}{order}"


_SITES = """
alaska 60 95, northwest_territory 150 80, greenland 330 60, alberta 125 150, ontario 210 150,
quebec 290 165, western_united_states 135 225, eastern_united_states 225 235,
central_america 150 310,
venezuela 235 350, peru 220 430, brazil 315 405, argentina 255 515,
iceland 410 100, great_britain 395 185, scandinavia 495 90, northern_europe 480 180,
western_europe 400 270, southern_europe 490 255, eastern_europe 575 150,
north_africa 430 355, egypt 520 330, east_africa 575 405, congo 505 435, south_africa 525 530,
madagascar 620 500,
ural 660 110, siberia 725 65, yakutsk 815 50, kamchatka 920 80, irkutsk 815 130,
mongolia 810 205, japan 930 215, afghanistan 660 210, china 755 275, middle_east 600 290,
india 690 330, southeast_asia 780 360,
indonesia 800 440, new_guinea 895 425, western_australia 830 530, eastern_australia 920 515
"""
"""Where each territory is drawn, as on the usual map of the world."""

_LATELY = 8  # so many deeds are shown where every step can be looked at
_USED = 3  # so many of the used cards are shown: as many as are traded at once
_NEXT = 4  # so many cards of the draw pile are shown where all is open


def _plain(name: str) -> str:
    return name.replace("_", " ")


def _ground() -> Ground:
    sites = {name: (int(x), int(y)) for name, x, y in map(str.split, _SITES.split(","))}
    places = [
        Place(name, *sites[name], CONTINENTS[CONTINENT[at]]) for at, name in enumerate(TERRITORIES)
    ]
    roads = [(at, to) for at, borders in enumerate(BORDERS) for to in borders if at < to]
    return Ground(places, roads)


GROUND = _ground()
"""The board's territories, in its order, and their borders."""


def areas(war: Course, seat: int | None) -> Iterator[Area]:
    """Yield the map first, then what is fought, the seats' numbers, their secrets, the piles."""
    yield _headline(war, seat)
    yield _map(war)
    yield from _fight(war)
    yield _numbers(war)
    yield _continents(war.forces)
    yield from (_secrets(war, each, seat) for each in range(war.seats))
    yield from _piles(war, seat)
    if deeds := told_latest(war.log.latest(), len(war.living())):
        seats, lines = zip(*deeds, strict=True)
        yield Text("Lately", lines, seats, _LATELY)


def _headline(war: Course, viewer: int | None) -> Facts:
    label = f"Round {war.round} of {war.options.max_rounds}" if war.round else "Set-up"
    if war.is_sealed():
        return Facts(label, (), [["all place their armies, unseen"]])
    if war.asked is None:
        return Facts(label, (), [["the end"]])
    deciders = war.deciders()
    is_shown = viewer is None or viewer in deciders
    asked = war.asked if war.in_turn in deciders else f"{NAMES[deciders[0]]}: {war.asked}"
    return Facts(label, (), [[f"in turn ({asked})" if is_shown else "in turn"]], [war.in_turn])


def _map(war: Course) -> Map:
    arrows = []
    if war.asked in ("defend", "occupy"):
        arrows.append((war.attack.source, war.attack.target))
    marked = [at for arrow in arrows for at in arrow]
    forces = war.forces
    return Map("The world", [*forces.owner], [*map(str, forces.armies)], marked, arrows)


def _fight(war: Course) -> Iterator[Area]:
    """Yield the attack that awaits an answer, or the dice of the last in the turn that goes on."""
    if war.asked == "defend":
        attack, forces = war.attack, war.forces
        ends = (attack.source, attack.target)
        dice = (attack.dice, most_dice(forces.armies[attack.target]))
        rows = [[f"up to {counted(most, 'die', 'dice')}"] for most in dice]
        label = _way(*(TERRITORIES[end] for end in ends))
        yield Facts(label, (), rows, [forces.owner[end] for end in ends])
        return
    for event in reversed(war.log.latest()):
        if isinstance(event, TurnBegun):
            return
        if isinstance(event, Attacked):
            ours, theirs = event.rolls[-1]
            yield Group(
                f"{_way(event.source, event.target)}, {counted(len(event.rolls), 'roll')}",
                [
                    _thrown(event.seat, ours, event.attacker_lost),
                    _thrown(event.defender, theirs, event.defender_lost),
                ],
            )
            return


def _thrown(seat: int, dice: Sequence[int], lost: int) -> Row:
    tokens = [Token(str(face), "die") for face in dice]
    return Row("", tokens, seat, f"lost {counted(lost, 'army', 'armies')}")


def _numbers(war: Course) -> Area:
    forces, least = war.forces, war.options.min_reinforcement
    totals = forces.totals()
    fallen = {fall.seat: fall for fall in war.fallen}
    rows = []
    for seat in range(war.seats):
        if seat in fallen:
            fall = fallen[seat]
            brings, out = "none", f"round {fall.round}, by {NAMES[fall.by]}"
        else:
            brings, out = f"+{forces.reinforcements(seat, least)} a turn", ""
        numbers = (forces.count[seat], totals[seat], len(war.hands[seat]))
        rows.append([*map(str, numbers), brings, *([out] if fallen else [])])
    head = ["Territories", "Armies", "Cards", "Reinforcements", *(["Out"] if fallen else [])]
    return Facts("Forces", head, rows, [*range(war.seats)])


def _continents(forces: Forces) -> Area:
    """Return who holds how much of each continent, who most first."""
    rows = []
    for continent, name in enumerate(CONTINENTS):
        owners = [forces.owner[member] for member in MEMBERS[continent]]
        counts = sorted((-owners.count(seat), seat) for seat in {*owners})
        shares = ", ".join(f"{NAMES[seat]} {-count}" for count, seat in counts)
        held = shares if len(counts) > 1 else f"all {NAMES[owners[0]]}'s"
        rows.append([_plain(name), f"+{BONUS[continent]}", held])
    return Facts("Continents", ("Continent", "Bonus", "Held by"), rows)


def _secrets(war: Course, seat: int, viewer: int | None) -> Group:
    """Return a seat's cards, backs where they are not seen, and its objective, if it is."""
    is_open = viewer in (None, seat)
    hand = war.hands[seat]
    cards = [_card(card) for card in hand] if is_open else [back(len(hand))] if hand else []
    areas: list[Area] = [Row("Cards", cards)]
    if is_open or war.asked is None:
        goal, mission = war.goal(seat), war.missions[seat]
        areas.append(Facts("Objective", (), [[_plain(told(goal, NAMES))]]))
        if mission != goal:
            areas.append(Facts("Objective as it was dealt", (), [[_plain(told(mission, NAMES))]]))
    return Group("", areas, seat)


def _piles(war: Course, viewer: int | None) -> Iterator[Area]:
    traded = "once" if war.exchanges == 1 else f"{war.exchanges} times"
    yield Row("Draw pile", [back(len(war.draw_pile))], note=f"traded {traded} so far")
    if viewer is None and war.draw_pile:  # nobody at the table knows them
        coming = [_card(card).code for card in war.draw_pile[: -_NEXT - 1 : -1]]
        yield Text("Next to be drawn", [", ".join(coming)], most=0)
    if used := war.used_pile:
        label = "Used cards, latest first"
        yield Row(label, [*map(_card, reversed(used))], note=f"{len(used)}", most=_USED)


def _card(card: int) -> Token:
    name, weapon = CARDS[card], WEAPON[card]
    if weapon == JOKER:
        return Token("joker", weapon, name=_plain(name), code=name)
    text = _plain(name)
    return Token(text, weapon, name=f"{text}, {weapon}", code=f"{name} ({weapon})")


def _way(source: str, target: str) -> str:
    return f"{_plain(source)} → {_plain(target)}"

"""World War's board: the map, what each seat holds and wants, the last dice and deeds."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from arena.report.boards.cards import back, called
from arena.report.scene import (
    Area,
    Card,
    Facts,
    Fixed,
    Ground,
    Group,
    Map,
    Place,
    Row,
    Token,
    Views,
    public,
)
from arena.text import counted
from referee.game import Observation
from referee.games.world_war.board import (
    BORDERS,
    CONTINENT,
    CONTINENTS,
    NUMBER,
    TERRITORIES,
)
from referee.games.world_war.forces import Forces

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

_LATELY = 8  # so many deeds are shown
_USED = 3  # so many of the used cards are shown: as many as are traded at once
_PLACED = 3  # so many territories of a placement are named


def _plain(name: str) -> str:
    return name.replace("_", " ")


def _ground() -> Ground:
    sites = {name: (int(x), int(y)) for name, x, y in map(str.split, _SITES.split(","))}
    places = [
        Place(_plain(name), *sites[name], _plain(CONTINENTS[CONTINENT[at]]))
        for at, name in enumerate(TERRITORIES)
    ]
    roads = [(at, to) for at, borders in enumerate(BORDERS) for to in borders if at < to]
    return Ground(places, roads)


GROUND = _ground()
"""The board's territories, in its order, and their borders."""


def board(views: Views, names: Sequence[str], fixed: Fixed) -> Sequence[Area]:
    """Return the map first, then what is fought, the seats' numbers, their secrets, the piles."""
    view, table, options = public(views), *fixed
    names = [called(seat, names) for seat in range(len(names))]
    forces = Forces(view["owner"], len(names), view["armies"])
    events = max((each["events"] for each in views if each), key=len)
    areas: list[Area] = [_headline(view, options["max_rounds"], names), _map(views, events)]
    areas += _fight(view, events, names)
    areas += [
        _numbers(view, forces, options["min_reinforcement"], names),
        _continents(forces, table, names),
    ]
    areas += [_secrets(seat, views, names, table) for seat in range(len(names))]
    return [*areas, *_piles(view, table), *_lately(events, names)]


def _headline(view: Observation, most: int, names: Sequence[str]) -> Facts:
    number, seat = view["round"], view["in_turn"]
    label = f"Round {number} of {most}" if number else "Set-up"
    if seat is None:
        return Facts(label, (), [["all place their armies, unseen"]])
    return Facts(label, (), [[f"{names[seat]} in turn"]], [seat])


def _map(views: Views, events: Sequence[Mapping[str, Any]]) -> Map:
    view = public(views)
    arrows = [(NUMBER[way["from"]], NUMBER[way["to"]]) for way in _awaited(views, events)]
    marked = [at for arrow in arrows for at in arrow]
    return Map("The world", view["owner"], [*map(str, view["armies"])], marked, arrows)


def _awaited(views: Views, events: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Yield the attack that awaits its defence, or the conquest that more armies may follow."""
    if battle := public(views)["battle"]:
        yield battle
    elif any(view and view["decision"] == "occupy" for view in views):
        yield next(event for event in reversed(events) if event["event"] == "conquest")


def _fight(
    view: Observation, events: Sequence[Mapping[str, Any]], names: Sequence[str]
) -> Iterator[Area]:
    """Yield the attack that awaits an answer, or the dice of the last in the turn that goes on."""
    if battle := view["battle"]:
        sides = [view["owner"][NUMBER[battle[end]]] for end in ("from", "to")]
        dice = [battle["attacker_dice"], battle["max_dice"]]
        rows = [
            [names[seat], f"up to {counted(most, 'die', 'dice')}"]
            for seat, most in zip(sides, dice, strict=True)
        ]
        yield Facts(_way(battle), (), rows, sides)
        return
    for event in reversed(events):
        if event["event"] == "turn":
            return
        if event["event"] == "attack":
            ours, theirs = event["rolls"][-1]
            yield Group(
                f"{_way(event)}, {counted(len(event['rolls']), 'roll')}",
                [
                    _thrown(event["seat"], ours, event["attacker_lost"], names),
                    _thrown(event["defender"], theirs, event["defender_lost"], names),
                ],
            )
            return


def _thrown(seat: int, dice: Sequence[int], lost: int, names: Sequence[str]) -> Row:
    tokens = [Token(str(face), "die") for face in dice]
    return Row(names[seat], tokens, seat, f"lost {counted(lost, 'army', 'armies')}")


def _numbers(view: Observation, forces: Forces, least: int, names: Sequence[str]) -> Area:
    totals = forces.totals()
    fallen = {fall["seat"]: fall for fall in view["fallen"]}
    rows = []
    for seat, name in enumerate(names):
        if seat in fallen:
            fall = fallen[seat]
            brings, out = "none", f"round {fall['round']}, by {names[fall['by']]}"
        else:
            brings, out = f"+{forces.reinforcements(seat, least)} a turn", ""
        numbers = (forces.count[seat], totals[seat], view["cards_held"][seat])
        rows.append([name, *map(str, numbers), brings, *([out] if fallen else [])])
    head = ["Bot", "Territories", "Armies", "Cards", "Reinforcements", *(["Out"] if fallen else [])]
    return Facts("Forces", head, rows, [*range(len(names))])


def _continents(forces: Forces, table: Mapping[str, Any], names: Sequence[str]) -> Area:
    """Return who holds how much of each continent, who most first."""
    rows = []
    for name, continent in table["continents"].items():
        owners = [forces.owner[NUMBER[member]] for member in continent["territories"]]
        counts = sorted((-owners.count(seat), seat) for seat in {*owners})
        shares = ", ".join(f"{names[seat]} {-count}" for count, seat in counts)
        held = shares if len(counts) > 1 else f"all {names[owners[0]]}'s"
        rows.append([_plain(name), f"+{continent['bonus']}", held])
    return Facts("Continents", ("Continent", "Bonus", "Held by"), rows)


def _secrets(seat: int, views: Views, names: Sequence[str], table: Mapping[str, Any]) -> Group:
    """Return a seat's cards, backs where they are not seen, and its objective, if it is."""
    view, own = public(views), views[seat]
    if own:
        cards: list[Card | Token] = [_card(card, table) for card in own["cards"]]
        goals = [own["goal"], own["mission"]]
    else:
        held = view["cards_held"][seat]
        cards = [back(held)] if held else []
        goals = [view["objectives"][seat]] if view["objectives"] else []
    areas: list[Area] = [Row("Cards", cards)]
    if goals:
        rows = [[_goal(goal, names)] for goal in goals]
        areas.append(Facts("Objective", (), rows[:1]))
        if rows[1:] and rows[1] != rows[0]:
            areas.append(Facts("Objective as it was dealt", (), rows[1:]))
    return Group(names[seat], areas, seat)


def _piles(view: Observation, table: Mapping[str, Any]) -> Iterator[Area]:
    exchanges = view["exchanges"]
    traded = "once" if exchanges == 1 else f"{exchanges} times"
    yield Row("Draw pile", [back(view["draw_pile"])], note=f"traded {traded} so far")
    if used := view["used_pile"]:
        shown = [_card(card, table) for card in used[-_USED:]]
        yield Row("Used cards", shown, note=f"{len(used)}, the last shown")


def _lately(events: Sequence[Mapping[str, Any]], names: Sequence[str]) -> Iterator[Area]:
    told = ((event["seat"], _deed(event, names)) for event in reversed(events))
    last = [*islice(((seat, deed) for seat, deed in told if deed), _LATELY)][::-1]
    if last:
        rows = [[names[seat], deed] for seat, deed in last]
        yield Facts("Lately", ("Who", "What"), rows, [seat for seat, _ in last])


def _card(card: str, table: Mapping[str, Any]) -> Token:
    weapon = table["cards"][card]
    if weapon == "joker":
        return Token("joker", weapon, name=_plain(card))
    return Token(_plain(card), weapon, name=f"{_plain(card)}, {weapon}")


def _goal(goal: Mapping[str, Any], names: Sequence[str]) -> str:
    match goal["kind"]:
        case "continents":
            wanted = " and ".join(map(_plain, goal["continents"]))
            return f"hold {wanted}" + (" and one more" if goal["extra"] else "")
        case "territories":
            least = goal["min_armies"]
            each = f", {counted(least, 'army', 'armies')} on each" if least > 1 else ""
            return f"hold {goal['count']} territories{each}"
        case "destroy":
            return f"destroy {names[goal['seat']]}"
    return "hold the world"


def _deed(event: Mapping[str, Any], names: Sequence[str]) -> str:
    """Return an event in a few words; none for one that another event covers."""
    match event["event"]:
        case "setup" | "deploy":
            return f"places {_placed(event['armies'])}"
        case "trade":
            return f"trades {', '.join(map(_plain, event['cards']))} for {event['armies']}"
        case "attack":
            lost, killed = event["attacker_lost"], event["defender_lost"]
            rolls = counted(len(event["rolls"]), "roll")
            return f"attacks {_way(event)}, {rolls}: lost {lost}, killed {killed}"
        case "conquest":
            return f"takes {_plain(event['to'])} with {event['armies']}"
        case "occupy" if not event["armies"]:
            return ""
        case "occupy":
            return f"sends {event['armies']} more to {_plain(event['to'])}"
        case "fortify":
            return f"moves {event['armies']}: {_way(event)}"
        case "eliminated":
            return f"is out, by {names[event['by']]}"
        case "card":
            return "draws a card"
    return f"begins round {event['round']}"


def _placed(armies: Mapping[str, int]) -> str:
    """Return armies by territory in words, the greatest heaps first, and those alone if many."""
    heaps = sorted((-count, NUMBER[name]) for name, count in armies.items() if count)
    told = [f"{_plain(TERRITORIES[at])} +{-count}" for count, at in heaps[:_PLACED]]
    rest = -sum(count for count, _ in heaps[_PLACED:])
    return ", ".join([*told, f"elsewhere +{rest}"] if rest else told) or "nothing"


def _way(event: Mapping[str, Any]) -> str:
    return f"{_plain(event['from'])} → {_plain(event['to'])}"

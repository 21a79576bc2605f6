"""World War in words: what has happened lately, a move told."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from referee.games.world_war.board import NUMBER
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
from referee.rules.game import Move

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
    together: list[list[Event]] = []
    for event in events:
        if isinstance(event, Attacked) and together and _along(together[-1][0], event):
            together[-1].append(event)
        elif not isinstance(event, TurnBegun):
            together.append([event])
    first = events[0]
    begun = first if isinstance(first, TurnBegun) else None
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


def _along(one: Event, other: Attacked) -> bool:
    """Return whether an event is an attack along the same border."""
    if not isinstance(one, Attacked):
        return False
    return (one.source, one.target) == (other.source, other.target)


def _fought(events: Sequence[Event]) -> str:
    """Return attacks along one border in words; nothing for other events."""
    attacks = [event for event in events if isinstance(event, Attacked)]
    if not attacks:
        return ""
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

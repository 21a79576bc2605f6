"""World War's objectives: the classic fourteen, and the whole world."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from referee.games.world_war.board import CONTINENTS, TERRITORIES
from referee.games.world_war.forces import Forces


class Continents(NamedTuple):
    """Hold continents, and so many others besides."""

    continents: tuple[int, ...]
    extra: int


class Territories(NamedTuple):
    """Hold territories, each with so many armies at least."""

    number: int
    min_armies: int


class Destroy(NamedTuple):
    """Eliminate a seat oneself."""

    seat: int


class World(NamedTuple):
    """Hold everything."""


Goal = Continents | Territories | Destroy | World

SUBSTITUTE = Territories(24, 1)
"""What counts for one who was to destroy himself, or a seat that another has destroyed."""


def objectives(seats: int) -> list[Goal]:
    """Return the objectives of the secret form, in the rules page's order."""
    wanted = (
        (("europe", "oceania"), 1),
        (("europe", "south_america"), 1),
        (("north_america", "africa"), 0),
        (("north_america", "oceania"), 0),
        (("asia", "south_america"), 0),
        (("asia", "africa"), 0),
    )
    return [
        *(Continents(tuple(map(CONTINENTS.index, names)), extra) for names, extra in wanted),
        Territories(24, 1),
        Territories(18, 2),
        *map(Destroy, range(seats)),
    ]


def counting(mission: Goal, seat: int, slayers: Mapping[int, int]) -> Goal:
    """Return what the objective dealt to `seat` means now; `slayers` tells who killed whom."""
    if isinstance(mission, Destroy):
        target = mission.seat
        if target == seat or slayers.get(target, seat) != seat:
            return SUBSTITUTE
    return mission


def is_met(goal: Goal, seat: int, forces: Forces, slayers: Mapping[int, int]) -> bool:
    """Return whether `seat` has achieved a goal that counts."""
    match goal:
        case Continents(continents, extra):
            held = forces.continents(seat)
            return len(held) >= len(continents) + extra and set(continents) <= set(held)
        case Territories(number, min_armies):
            return forces.count[seat] >= number and (
                min_armies == 1 or forces.strong(seat, min_armies) >= number
            )
        case Destroy(target):
            return slayers.get(target) == seat
        case World():
            return forces.count[seat] == len(TERRITORIES)


def shown(goal: Goal) -> dict[str, Any]:
    """Return a goal as JSON."""
    match goal:
        case Continents(continents, extra):
            names = [CONTINENTS[continent] for continent in continents]
            return {"kind": "continents", "continents": names, "extra": extra}
        case Territories(number, min_armies):
            return {"kind": "territories", "count": number, "min_armies": min_armies}
        case Destroy(target):
            return {"kind": "destroy", "seat": target}
        case World():
            return {"kind": "world"}


def told(goal: Goal, names: str) -> str:
    """Return a goal in words; `names` holds a letter for each seat."""
    match goal:
        case Continents(continents, extra):
            wanted = " and ".join(CONTINENTS[continent] for continent in continents)
            return f"hold {wanted}" + (" and one more continent" if extra else "")
        case Territories(number, 1):
            return f"hold {number} territories"
        case Territories(number, min_armies):
            return f"hold {number} territories with {min_armies} armies or more on each"
        case Destroy(target):
            return f"destroy {names[target]} yourself"
        case World():
            return "conquer the world"

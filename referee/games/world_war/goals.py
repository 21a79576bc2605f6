"""World War's objectives: the classic fourteen, and the whole world."""

from collections.abc import Mapping

from msgspec import Struct

from referee.games.world_war.board import TERRITORIES
from referee.games.world_war.forces import Forces


class Objective(Struct, frozen=True, tag_field="kind", tag=str.lower):
    """What a seat has to achieve, as it is shown."""


class Continents(Objective, frozen=True):
    """Hold continents, and so many others besides."""

    continents: list[str]
    extra: int


class Territories(Objective, frozen=True):
    """Hold territories, each with so many armies at least."""

    count: int
    min_armies: int


class Destroy(Objective, frozen=True):
    """Eliminate a seat oneself."""

    seat: int


class World(Objective, frozen=True):
    """Hold everything."""


Goal = Continents | Territories | Destroy | World

SUBSTITUTE = Territories(24, 1)
"""What counts for one who was to destroy himself, or a seat that another has destroyed."""


def objectives(seats: int) -> list[Goal]:
    """Return the objectives of the secret form, in the rules page's order."""
    return [
        Continents(["europe", "oceania"], 1),
        Continents(["europe", "south_america"], 1),
        Continents(["north_america", "africa"], 0),
        Continents(["north_america", "oceania"], 0),
        Continents(["asia", "south_america"], 0),
        Continents(["asia", "africa"], 0),
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


def told(goal: Goal, names: str) -> str:
    """Return a goal in words; `names` holds a letter for each seat."""
    match goal:
        case Continents(continents, extra):
            wanted = " and ".join(continents)
            return f"hold {wanted}" + (" and one more continent" if extra else "")
        case Territories(number, 1):
            return f"hold {number} territories"
        case Territories(number, min_armies):
            return f"hold {number} territories with {min_armies} armies or more on each"
        case Destroy(target):
            return f"destroy {names[target]} yourself"
        case World():
            return "conquer the world"

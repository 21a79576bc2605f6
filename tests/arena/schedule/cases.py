"""Small leagues, as far as they say what is to be played."""

from dataclasses import dataclass
from functools import cached_property

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from arena.schedule.deal import Entrant, Rotations, Schedule, rotation_count
from arena.schedule.plain_formats import Lineups, RoundRobin

calm = settings(
    derandomize=True, database=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow]
)
"""No run of the tests differs from another, however busy the machine is."""

names = st.text(st.characters(codec="utf-8", categories=["L", "N", "P"]), min_size=1, max_size=5)


@dataclass(frozen=True)
class Case:
    """A league, of which any field can be replaced."""

    entrants: tuple[Entrant, ...]
    seats: int = 2
    deals: int = 3
    key: str = "1"
    rotations: Rotations = "cyclic"
    share: float = 1.0
    game: str = "guerra"
    goes_by_results = False

    @property
    def rotation_count(self) -> int:
        return rotation_count(self.rotations, self.seats)

    @cached_property
    def schedule(self) -> Schedule:
        return Schedule(self.game, self.key, self.seats, self.rotations, self.entrants)

    @cached_property
    def asked(self) -> RoundRobin:
        lineups = Lineups(len(self.entrants), self.seats, self.rotation_count)
        return RoundRobin(lineups, self.deals, self.share, self.schedule.is_in_share)


def case(*keys: str, **fields: object) -> Case:
    entrants = tuple(Entrant(key, f"version of {key}") for key in sorted(keys))
    return Case(entrants, **fields)  # type: ignore[arg-type] # fields of any kind


@st.composite
def cases(draw: st.DrawFn, *, most_seats: int = 4) -> Case:
    seats = draw(st.integers(2, most_seats))
    keys = draw(st.sets(names, min_size=seats, max_size=seats + 3))
    return case(
        *keys,
        seats=seats,
        deals=draw(st.integers(1, 13)),
        key=draw(st.text(max_size=5)),
        rotations=draw(st.sampled_from(["cyclic", "all", "one"])),
        share=draw(st.sampled_from([1.0, 0.7, 0.2])),
    )

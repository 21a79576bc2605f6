"""What the format `settled` says: its last sentence, and its standings; pure."""

from collections.abc import Sequence

from arena.schedule.deal import Entrant
from arena.schedule.goal import Known, Measure
from arena.schedule.rounds import Standings


def answer(
    found: Known, measure: Measure, field: Sequence[Entrant], confidence: float, deals: int
) -> str:
    return f"settled {found.order[0]} {found.doubt}"


def unanswered(found: Known, measure: Measure, field: Sequence[Entrant], limit: int) -> str:
    return "limit"


def standings_of(
    found: Known, measure: Measure, names: Sequence[str], confidence: float
) -> Standings:
    return Standings(())

"""What the options of a comparison ask of its test."""

from arena.stats.elo import score_of
from arena.stats.sequential import HALF, Bounds, Rates
from protocol.errors import ArenaError

_MOST_ELO = 1000


def rates_of(
    alpha: float, beta: float, margin: float | None, low: float | None, high: float | None
) -> Rates | Bounds:
    """Return what is asked for: a test of two sides, or of one if there are bounds.

    Raises ArenaError where the options do not go together, or a number is out of its range.
    """
    lead = Rates.margin if margin is None else margin
    for name, value in (("alpha", alpha), ("beta", beta), ("margin", lead)):
        if not 0 < value < HALF:
            raise ArenaError(f"--{name} must be more than 0 and less than {HALF}, not {value:g}.")
    if low is None and high is None:
        return Rates(alpha, beta, lead)
    if low is None or high is None:
        raise ArenaError("a test of one side has two bounds: --elo0 and --elo1, or as scores.")
    if margin is not None:
        raise ArenaError("--margin is for tests of two sides: leave it out, or the bounds.")
    if not low < high:
        raise ArenaError(
            "--elo0 (or --score0), at which A fails, must be less than --elo1 (or --score1), at "
            "which it passes."
        )
    return Bounds(low, high, alpha, beta)


def bound_of(score: float | None, elo: float | None, number: int) -> float | None:
    """Return bound 0 or 1 as a share of the points, given as one or as a lead of Elo; None if none.

    Raises ArenaError if it is given twice, or out of its range.
    """
    if score is not None and elo is not None:
        raise ArenaError(f"--score{number} and --elo{number} say the same: give one of them.")
    if elo is not None:
        if not abs(elo) <= _MOST_ELO:
            raise ArenaError(f"--elo{number} lies between -{_MOST_ELO} and {_MOST_ELO}.")
        return score_of(elo)
    if score is not None and not 0 < score < 1:
        raise ArenaError(f"--score{number} must be more than 0 and less than 1, not {score:g}.")
    return score

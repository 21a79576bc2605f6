"""The options that say how sure a comparison is to be, and the test that they ask for."""

import click

from arena.cli.options import added
from arena.stats.elo import score_of
from arena.stats.sequential import HALF, Bounds, Rates
from protocol.errors import ArenaError

_MOST_ELO = 1000


rates_options = added(
    click.option(
        "--alpha",
        type=float,
        default=0.05,
        show_default=True,
        help="Probability of calling equal bots different.",
    ),
    click.option(
        "--beta",
        type=float,
        default=0.05,
        show_default=True,
        help="Probability of missing a bot that is better by --margin.",
    ),
    click.option(
        "--margin",
        type=float,
        help="Smallest lead that matters: the share of points above one half.  [default: 0.05]",
    ),
    click.option(
        "--score0",
        type=float,
        metavar="S",
        help="One side: A passes if it takes more than this share.",
    ),
    click.option(
        "--score1",
        type=float,
        metavar="S",
        help="One side: A fails if it takes less than this share.",
    ),
    click.option("--elo0", type=float, metavar="E", help="--score0 as a lead of Elo."),
    click.option("--elo1", type=float, metavar="E", help="--score1 as a lead of Elo."),
)
"""Those that `rates_of` reads."""


def rates_of(
    alpha: float,
    beta: float,
    margin: float | None,
    score0: float | None,
    score1: float | None,
    elo0: float | None,
    elo1: float | None,
) -> Rates | Bounds:
    """Return what is asked for: a test of two sides, or of one if there are bounds.

    Raises ArenaError where the options do not go together, or a number is out of its range.
    """
    low, high = _bound(score0, elo0, 0), _bound(score1, elo1, 1)
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


def _bound(score: float | None, elo: float | None, number: int) -> float | None:
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

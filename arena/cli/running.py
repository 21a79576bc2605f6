"""What commands share that run bots: on which terms, and that these are built before."""

import gc
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import click

from arena.cli.options import Decorator, seconds_of
from arena.cli.progress import StatusLine
from arena.cli.saying import say
from arena.league.bot import Bot
from arena.league.plan import LeaguePlan
from arena.play.building import Builder, BuildError, building
from arena.play.missing import WHOLE, Part
from arena.play.run import Run, open_run
from arena.play.staffing import RunTerms
from arena.text import safe, safe_lines
from protocol.errors import ArenaError
from referee.limits import WorkLimits

workers_option = click.option(
    "--workers", type=int, help="Processes that play.  [default: as cores allow]"
)
cluster_option = click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Play on a Dask cluster: address or file of its scheduler.",
)


def for_option(more: str = "") -> Decorator:
    """Return what adds the option that bounds the time of a run; its help has `more` to say."""
    return click.option(
        "--for",
        "seconds",
        type=seconds_of,
        metavar="TIME",
        help=f"Stop after 90s, 30m, 2h or 1h30m{more}.",
    )


def run_terms(
    workers: int | None = None,
    sandbox_uid: int | None = None,
    part: Part = WHOLE,
    cluster: str | None = None,
    seconds: float | None = None,
) -> RunTerms:
    """Return what the options of a run mean.

    Raises ArenaError if workers of this machine are asked for beside a cluster's.
    """
    if cluster is not None and workers is not None:
        raise ArenaError("--workers does not go with --cluster: there, Dask's workers play.")
    return RunTerms(workers, sandbox_uid, part, cluster, seconds)


def check_pace(league: LeaguePlan, terms: RunTerms) -> None:
    """Raise ArenaError if workers of any kind are asked for, and the league is a slow one."""
    if league.limits.pace != "slow":
        return
    if terms.workers is not None:
        raise ArenaError(
            "--workers does not go with a slow league, which has slots: [limits] slots says how "
            "many matches are played at once."
        )
    if terms.cluster is not None:
        raise ArenaError(
            "--cluster does not go with a slow league: one process waits for all of its bots."
        )


def built(bot: Bot, sandbox_uid: int | None) -> Bot:
    """Return a bot as it is run; raise ArenaError with the build's output if it cannot be built."""
    if not bot.is_to_be_made:
        return bot
    limits = WorkLimits()
    with Builder(limits, sandbox_uid).open() as builder, StatusLine() as line:
        line.show(building(bot, limits))
        try:
            made = builder.built(bot)
        except BuildError as error:
            printed = f"\nThe build printed:\n{safe_lines(error.output, '  ')}" * bool(error.output)
            raise ArenaError(f"{safe(str(error))}{printed}") from None
    if made.remark:
        say(f"{bot.name}: {made.remark}")
    return made.bot


@contextmanager
def opened_run(league: LeaguePlan, terms: RunTerms) -> Iterator[Run]:
    """Open a run as `open_run` does, and show what is built for it."""
    with ExitStack() as stack:
        with StatusLine() as line:
            run = stack.enter_context(open_run(league, terms, line.show))
        yield run


@contextmanager
def collected_rarely() -> Iterator[None]:
    """Make Python look for reference cycles more rarely: results are many and have none.

    It saves a run a seventh of its own time: see `tests.benchmarks.dispatch`.
    """
    thresholds = gc.get_threshold()
    gc.set_threshold(100_000)
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)

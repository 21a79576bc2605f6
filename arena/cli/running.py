"""What commands share that run bots: on which terms, that these are built, and what ends a run."""

import gc
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from time import monotonic
from types import FrameType
from typing import Protocol

import click

from arena.cli.options import Decorator, seconds_of
from arena.cli.progress import StatusLine
from arena.cli.saying import say
from arena.league.bot import Bot
from arena.league.plan import LeaguePlan
from arena.play.building import Builder, building
from arena.play.missing import WHOLE, Part
from arena.play.run import Run, open_run
from arena.play.staffing import RunTerms
from arena.streams import say_at_once
from arena.text import safe, safe_lines
from protocol.errors import ArenaError, Refusal, RunError
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
        except Refusal as error:
            said = safe_lines("\n".join(error.said), "  ")
            printed = f"\nThe build printed:\n{said}" * bool(error.said)
            raise ArenaError(f"bot {bot.name!r} {safe(str(error))}{printed}") from None
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


GO_ON = "what was stored is safe. Run again to go on."
_ECHO_SECONDS = 0.5  # in which a second signal is no second wish: quicker than fingers are


@contextmanager
def stopped_by_time(run: Run, seconds: float | None) -> Iterator[Callable[[], bool]]:
    """Stop a run softly after so many seconds, if any are given; yield whether that was done."""
    is_over = threading.Event()

    def stop() -> None:
        is_over.set()
        run.stop()

    if seconds is None:
        yield is_over.is_set
        return
    timer = threading.Timer(seconds, stop)
    timer.daemon = True
    timer.start()
    try:
        yield is_over.is_set
    finally:
        timer.cancel()


class Stoppable(Protocol):
    """What plays until it is told to stop."""

    @property
    def on_stop(self) -> str:
        """What it does when it is told, in words without a full stop."""

    def stop(self) -> None:
        """Begin nothing new."""


@contextmanager
def stopped_by_signals(run: Stoppable, rest: str = GO_ON) -> Iterator[list[int]]:
    """Stop a run softly at the first SIGINT or SIGTERM, and hard at the second.

    One that comes at once after the first is the same one: `timeout` sends it to the process and
    then to its group. Yields the signals heard so far. After the second, `rest` is printed.
    """
    heard: list[int] = []
    last = -_ECHO_SECONDS

    def hear(number: int, _: FrameType | None) -> None:
        nonlocal last
        if monotonic() - last < _ECHO_SECONDS:
            return
        last = monotonic()
        heard.append(number)
        if len(heard) > 1:
            raise RunError(f"stopped at once; {rest}")
        say_at_once(f"\n{run.on_stop}; Ctrl-C once more stops at once.")
        run.stop()

    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, hear) for number in numbers]
    try:
        yield heard
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)

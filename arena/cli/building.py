"""Builds the bots that a command is about to run, and shows that it does."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from arena.cli.progress import StatusLine
from arena.cli.saying import say
from arena.league.bot import Bot
from arena.league.plan import LeaguePlan
from arena.play.building import Builder, BuildError, building
from arena.play.run import Run, open_run
from arena.play.staffing import RunTerms
from arena.text import safe, safe_lines
from protocol.errors import ArenaError
from referee.limits import WorkLimits


def built(bot: Bot, sandbox_uid: int | None) -> Bot:
    """Return a bot as it is run; raise ArenaError with the build's output if it cannot be built."""
    if not bot.is_to_be_made:
        return bot
    limits = WorkLimits()
    with Builder(limits, sandbox_uid).open() as builder, StatusLine() as line:
        line.show(lambda: building(bot, limits))
        try:
            made = builder.built(bot)
        except BuildError as error:
            printed = f"\nThe build printed:\n{safe_lines(error.output, '  ')}" * bool(error.output)
            raise ArenaError(f"{safe(str(error))}{printed}") from None
    if made.remark:
        say(safe(f"{bot.name}: {made.remark}"))
    return made.bot


@contextmanager
def opened_run(league: LeaguePlan, terms: RunTerms) -> Iterator[Run]:
    """Open a run as `open_run` does, and show what is built for it."""
    with ExitStack() as stack:
        with StatusLine() as line:
            opening = open_run(league, terms, lambda words: line.show(lambda: words))
            run = stack.enter_context(opening)
        yield run

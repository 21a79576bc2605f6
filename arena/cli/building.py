"""Builds the bots that a command is about to run, and shows that it does."""

from arena.cli.progress import StatusLine
from arena.league.bot import Bot
from arena.play.building import Builder, BuildError, building
from arena.text import safe, safe_lines
from protocol.errors import ArenaError
from referee.limits import WorkLimits


def built(bot: Bot, sandbox_uid: int | None) -> Bot:
    """Return a bot as it is run; raise ArenaError with the build's output if it cannot be built."""
    if not bot.build:
        return bot
    limits = WorkLimits()
    with Builder(limits, sandbox_uid).open() as builder, StatusLine() as line:
        line.show(lambda: building(bot, limits))
        try:
            return builder.built(bot).bot
        except BuildError as error:
            printed = f"\nThe build printed:\n{safe_lines(error.output, '  ')}" * bool(error.output)
            raise ArenaError(f"{safe(str(error))}{printed}") from None

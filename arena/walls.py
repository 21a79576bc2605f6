"""Whether bots can be run behind the walls that a league asks for."""

from collections.abc import Iterable

from arena.roster import Bot
from protocol.errors import RunError
from referee.limits import Limits
from referee.sandbox import Launcher, SandboxError, prove


def check_walls(limits: Limits, bots: Iterable[Bot], uid: int | None) -> None:
    """Prove the walls and check every bot; raise SandboxError if one cannot be run behind them.

    Raises RunError if the fork server is killed meanwhile.
    """
    try:
        with Launcher(limits.sandbox, uid=uid) as launcher:
            for bot in bots:
                check_bot(launcher, bot)
            prove(launcher, limits)
    except ConnectionError:
        raise RunError(
            "the process that starts the bots was killed before a match was played. Run again."
        ) from None


def check_bot(launcher: Launcher, bot: Bot) -> None:
    """Raise SandboxError, naming the bot, if it could not be run behind these walls."""
    try:
        launcher.check(bot.program)
    except SandboxError as error:
        raise SandboxError(f"bot {bot.name!r}: {error.what}") from None

"""Whether bots can be run in the sandbox that a league asks for."""

from collections.abc import Iterable

from arena.league.bot import Bot
from protocol.errors import RunError
from referee.limits import Limits
from referee.sandbox import Launcher, SandboxError, prove


def check_sandbox(limits: Limits, bots: Iterable[Bot], uid: int | None) -> None:
    """Prove the sandbox; raise SandboxError if it does not hold, or no bot can be run in it.

    What a single bot lacks shows at its first start. Raises RunError if the fork server is killed
    meanwhile.
    """
    try:
        with Launcher(limits.sandbox, uid=uid) as launcher:
            _check_one(launcher, bots, limits)
            prove(launcher, limits)
    except ConnectionError:
        raise RunError(
            "the process that starts the bots was killed before a match was played. Run again."
        ) from None


def _check_one(launcher: Launcher, bots: Iterable[Bot], limits: Limits) -> None:
    """Raise the first bot's SandboxError if none could be run."""
    errors = []
    for bot in bots:
        try:
            check_bot(launcher, bot, limits)
        except SandboxError as error:
            errors.append(error)
        else:
            return
    if errors:
        raise errors[0]


def check_bot(launcher: Launcher, bot: Bot, limits: Limits) -> None:
    """Raise SandboxError, naming the bot, if it could not be run in this sandbox."""
    try:
        launcher.check(bot.program, limits)
    except SandboxError as error:
        raise type(error)(f"bot {bot.name!r}: {error.what}") from None

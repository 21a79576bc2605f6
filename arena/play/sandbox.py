"""Whether bots can be run in the sandbox that a league asks for."""

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager

from arena.league.bot import Bot
from protocol.errors import RunError
from referee.limits import Limits
from referee.sandbox import Launcher, SandboxError, prove


def check_sandbox(limits: Sequence[Limits], bots: Iterable[Bot], uid: int | None) -> None:
    """Prove sandboxes; raise SandboxError if one does not hold, or no bot can be run in it.

    `limits` are a league's, and those of bots that have sandboxes of their own. What a single bot
    lacks shows at its first start. Raises RunError if the fork server is killed meanwhile.
    """
    usual = limits[0].enclosure
    try:
        for each in limits:
            own = [bot for bot in bots if bot.grant.of(limits[0]).enclosure == each.enclosure]
            special = own if each.enclosure != usual else []
            with ExitStack() as stack:
                with _named(special):
                    launcher = stack.enter_context(Launcher(each.sandbox, uid=uid))
                _check_one(launcher, own, limits[0])
                with _named(special):
                    prove(launcher, each)
    except ConnectionError:
        raise RunError(
            "the process that starts the bots was killed before a match was played. Run again."
        ) from None


@contextmanager
def _named(bots: Sequence[Bot]) -> Iterator[None]:
    """Say of what goes wrong with a sandbox which bots have it of their own."""
    try:
        yield
    except SandboxError as error:
        if not bots:
            raise
        names = ", ".join(repr(bot.name) for bot in bots)
        grant = bots[0].grant
        own = next((key for key in ("devices", "sandbox") if getattr(grant, key)), "door")
        value = json.dumps(bots[0].grant.given[own])
        has = f"{names} {'has' if len(bots) == 1 else 'have'} {own} = {value}"
        raise SandboxError(f"{has}: {error.what}", error.lacks) from None


def _check_one(launcher: Launcher, bots: Iterable[Bot], league: Limits) -> None:
    """Raise the first bot's SandboxError if none could be run."""
    errors = []
    for bot in bots:
        try:
            check_bot(launcher, bot, bot.grant.of(league))
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
        raise SandboxError(f"bot {bot.name!r}: {error.what}", error.lacks) from None

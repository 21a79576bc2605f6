"""How a Dask worker gets ready to play for a run: asked who it is, sent bots, and proven."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from distributed.comm.core import CommClosedError

from arena.league.bot import Bot
from arena.play.cluster import host
from arena.play.cluster.bundle import check_size, manifest_of, pack_bot
from arena.play.cluster.events import Machine
from arena.play.messages import Setup, encode
from arena.schedule.deal import first_bots
from protocol.errors import ArenaError

_ANSWER_SECONDS = 30.0  # for anything but what follows
_OPEN_SECONDS = 180.0  # to unpack a bot, or to prove the sandbox, and for bots to get ready

_opened = msgspec.msgpack.Decoder(host.Opened).decode


class JoinRefusedError(Exception):
    """A Dask worker does not play; the text says why, as what follows a colon."""

    def __init__(self, why: str, *, again: bool) -> None:
        super().__init__(why)
        self.again = again
        """Whether it is worth asking again."""
        self.label = ""
        """What the Dask worker is called."""


class Greeter:
    """What a run sends to every Dask worker; it does not depend on who is there."""

    def __init__(self, run: str, setup: Setup, bots: Sequence[Bot]) -> None:
        for bot in bots:
            check_size(bot)
        self._run = run
        self._setup = encode(setup)
        self._manifests = encode([manifest_of(bot) for bot in bots])
        self._bots = {bot.digest: bot for bot in bots}
        self._patience = _OPEN_SECONDS + sum(
            setup.limits_of(bot).startup_cap for bot in first_bots(len(bots))
        )

    async def opened(self, client: Any, address: str, name: str) -> Machine:
        """Let a Dask worker, which has a name in Dask, get ready; raise JoinRefusedError.

        `client` is Dask's.
        """
        label = address if name == address else f"{name} ({address})"
        call = _Call(client, address)
        try:
            described = await call(host.describe)
            node = described["machine"]
            label = f"{node} ({address})" if name == address else f"{name} on {node} ({address})"
            opened = await self._proven(call, described["code"])
        except JoinRefusedError as error:
            error.label = label
            raise
        return Machine(address, label, opened.slots, opened.unfit, opened.notes, opened.runtimes)

    async def _proven(self, call: "_Call", code: str) -> host.Opened:
        if code != host.fingerprint():
            raise JoinRefusedError(
                "its Bot Arena is not the one that runs here; install the same version there",
                again=False,
            )
        await self._send_bots(call)
        words = self._run, self._setup, self._manifests
        opened = _opened(await call(host.open_pool, *words, seconds=self._patience))
        if opened.refused:
            raise JoinRefusedError(opened.refused, again=opened.is_busy)
        return opened

    async def _send_bots(self, call: "_Call") -> None:
        """Send the bots that a Dask worker has not, or not as they are."""
        for version in await call(host.lacking, self._manifests):
            bot = self._bots[version]
            data = await asyncio.to_thread(_packed, bot)
            taken = _opened(await call(host.take, data, seconds=_OPEN_SECONDS))
            if taken.refused:
                raise JoinRefusedError(taken.refused, again=taken.is_busy)


def _packed(bot: Bot) -> bytes:
    try:
        if bot.has_changed():
            why = f"bot {bot.name!r} was changed after this run began; run again"
            raise JoinRefusedError(why, again=False)
        return pack_bot(bot)
    except ArenaError as error:
        why = f"bot {bot.name!r} cannot be sent: {str(error).rstrip('.')}"
        raise JoinRefusedError(why, again=False) from None


class _Call:
    """Calls functions of `host` in one Dask worker."""

    def __init__(self, client: Any, address: str) -> None:
        self._client = client
        self._address = address

    async def __call__(
        self, function: Callable[..., Any], *words: object, seconds: float = _ANSWER_SECONDS
    ) -> Any:
        """Return what a function returns; raise JoinRefusedError if nothing sensible comes."""
        call = self._client.run(function, *words, workers=[self._address], on_error="return")
        try:
            answer = (await asyncio.wait_for(call, seconds))[self._address]
        except TimeoutError:
            raise JoinRefusedError(f"no answer within {seconds:.0f} s", again=True) from None
        except Exception as error:  # noqa: BLE001 - a broken connection, in whatever guise
            raise JoinRefusedError(f"it cannot be asked: {error!r}", again=True) from None
        if isinstance(answer, ImportError) or (
            isinstance(answer, Exception) and "ModuleNotFoundError" in str(answer)
        ):
            raise JoinRefusedError(
                "it has no Bot Arena: install bot-arena[cluster] there, in the version that is "
                "here",
                again=False,
            )
        if isinstance(answer, CommClosedError):
            raise JoinRefusedError("it ended, or lost its connection, as it got ready", again=True)
        if isinstance(answer, Exception):
            raise JoinRefusedError(f"it failed: {answer!r}", again=True)
        return answer

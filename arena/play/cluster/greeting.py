"""How a Dask worker gets ready to play for a run: asked who it is, sent bots, and proven."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any, TypeVar

import msgspec
from distributed.comm.core import CommClosedError

from arena.league.bot import Bot
from arena.league.files import readable
from arena.play.cluster import host, receiving
from arena.play.cluster.bundle import Bundle, files_of, manifest_of, wheels_of
from arena.play.cluster.events import Machine, Refused
from arena.play.cluster.sending import SentFiles
from arena.play.messages import Setup, encode
from arena.schedule.deal import first_bots
from protocol.errors import ArenaError, Refusal

_ANSWER_SECONDS = 30.0  # for anything but what follows
_OPEN_SECONDS = 180.0  # to unpack a bot, or to prove the sandbox, and for bots to get ready
_LOADS = 4  # that are on their way at a time, to whomever: so much memory they take

_T = TypeVar("_T")
_Call = Callable[..., Awaitable[Any]]
"""Calls a function in one Dask worker, as `_asked` does."""

_opened = msgspec.msgpack.Decoder(host.Opened).decode
_receipt = msgspec.msgpack.Decoder(receiving.Receipt).decode


def _refusal(why: str, *, again: bool) -> Refusal:
    """Return why a Dask worker does not play, as what follows a colon."""
    return Refusal(503 if again else 409, why, can_retry=again)


class Greeter:
    """What a run sends to every Dask worker; it does not depend on who is there."""

    def __init__(self, run: str, setup: Setup, bots: Sequence[Bot]) -> None:
        self._run = run
        self._setup = encode(setup)
        manifests = [manifest_of(bot) for bot in bots]
        self._manifests = encode(manifests)
        played = [bot for bot in first_bots(len(bots)) if bot not in setup.unbuilt]
        self._played = encode([manifests[bot] for bot in played])
        self._bots = {manifests[bot].version: (bots[bot], manifests[bot]) for bot in played}
        environments = {bots[bot].environment for bot in played} - {""}
        self._patience = (
            _OPEN_SECONDS
            + sum(setup.limits_of(bot).startup_cap for bot in played)
            + len(environments) * setup.environments.seconds
        )
        self._room = asyncio.Semaphore(_LOADS)
        self._doors: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def opened(self, client: Any, address: str, name: str) -> Machine | Refused:
        """Let a Dask worker, which has a name in Dask, get ready; return why not if it does not.

        `client` is Dask's.
        """
        label = address if name == address else f"{name} ({address})"
        call = partial(_asked, client, address)
        try:
            described = await call(host.describe)
            node = described["machine"]
            label = f"{node} ({address})" if name == address else f"{name} on {node} ({address})"
            opened = await self._proven(call, node, described["code"])
        except Refusal as error:
            return Refused(label, error.what, again=error.can_retry)
        return Machine(address, label, opened)

    async def _proven(self, call: _Call, node: str, code: str) -> host.Opened:
        if code != host.fingerprint():
            raise _refusal(
                "its Bot Arena is not the one that runs here; install the same version there",
                again=False,
            )
        await self._send_bots(call, node)
        words = self._run, self._setup, self._manifests
        opened = _opened(await call(host.open_pool, *words, seconds=self._patience))
        if opened.refused:
            raise _refusal(opened.refused, again=opened.is_busy)
        return opened

    async def _send_bots(self, call: _Call, node: str) -> None:
        """Send what a Dask worker has not, or not as it is, of the bots and their environments."""
        for version in await call(receiving.lacking, self._played):
            bot, manifest = self._bots[version]
            sent = await _in_thread(bot, _unchanged, bot)
            await self._send(call, node, bot, sent)
            await _checked(call, receiving.take, encode(Bundle(manifest, sent.files)))
        for version in await call(receiving.unequipped, self._setup, self._played):
            bot, _ = self._bots[version]
            await self._send(call, node, bot, await _in_thread(bot, wheels_of, bot))

    async def _send(self, call: _Call, node: str, bot: Bot, sent: SentFiles) -> None:
        """Send files; the big ones to one Dask worker of a machine after another.

        The next one finds that its machine has them.
        """
        for part, door in (
            (sent.part(big=False), nullcontext()),
            (sent.part(big=True), self._doors[node]),
        ):
            async with door:
                await self._send_part(call, bot, part)

    async def _send_part(self, call: _Call, bot: Bot, part: SentFiles) -> None:
        if not part.files:
            return
        asked = await _checked(call, receiving.ask, encode([file.content for file in part.files]))
        loads = part.loads(asked.lacking)
        while True:
            async with self._room:
                load = await _in_thread(bot, next, loads, None)
                if load is None:
                    return
                await _checked(call, receiving.add, encode(load))


def _unchanged(bot: Bot) -> SentFiles:
    """Return the files of a bot that are those with which the run began."""
    if bot.has_changed():
        why = f"bot {bot.name!r} was changed after this run began; run again"
        raise _refusal(why, again=False)
    return files_of(bot)


async def _in_thread(bot: Bot, act: Callable[..., _T], *words: Any) -> _T:
    """Do something with the files of a bot; raise Refusal if they cannot be read."""

    def acted() -> _T:
        with readable(bot.name):
            return act(*words)

    try:
        return await asyncio.to_thread(acted)
    except ArenaError as error:
        why = f"bot {bot.name!r} cannot be sent: {str(error).rstrip('.')}"
        raise _refusal(why, again=False) from None


async def _checked(call: _Call, function: Callable[..., Any], data: bytes) -> receiving.Receipt:
    """Return the answer of a Dask worker; raise Refusal if it refuses."""
    answer = _receipt(await call(function, data, seconds=_OPEN_SECONDS))
    if answer.refused:
        raise _refusal(answer.refused, again=answer.is_busy)
    return answer


async def _asked(
    client: Any,
    address: str,
    function: Callable[..., Any],
    *words: object,
    seconds: float = _ANSWER_SECONDS,
) -> Any:
    """Return what a function of `host` or `receiving` returns in one Dask worker.

    Raises Refusal if nothing sensible comes.
    """
    call = client.run(function, *words, workers=[address], on_error="return")
    try:
        answer = (await asyncio.wait_for(call, seconds))[address]
    except TimeoutError:
        raise _refusal(f"no answer within {seconds:.0f} s", again=True) from None
    except Exception as error:  # noqa: BLE001 - a broken connection, in whatever guise
        raise _refusal(f"it cannot be asked: {error!r}", again=True) from None
    if isinstance(answer, ImportError) or (
        isinstance(answer, Exception) and "ModuleNotFoundError" in str(answer)
    ):
        raise _refusal(
            "it has no Bot Arena: install bot-arena[cluster] there, in the version that is here",
            again=False,
        )
    if isinstance(answer, CommClosedError):
        raise _refusal("it ended, or lost its connection, as it got ready", again=True)
    if isinstance(answer, Exception):
        raise _refusal(f"it failed: {answer!r}", again=True)
    return answer

"""What a Dask worker does with files that it is sent: bots and environments are made of them.

All of it is called from `client`, through Dask, and speaks in texts and bytes.
"""

import asyncio
import atexit
import fcntl
import os
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from functools import cache, wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

import msgspec

from arena.play.cluster.arrivals import Arrivals
from arena.play.cluster.bundle import Manifest, discard, unpack_bot, unpacked
from arena.play.cluster.equipping import equipping
from arena.play.cluster.sending import Lacking, Piece
from arena.play.messages import Setup
from protocol.errors import ArenaError, RunError
from referee.sandbox import SandboxError, room_for, temporary_folder
from referee.sandbox.by_hash import Content
from referee.sandbox.stage import sweep

_PREFIX = "arena-bots-"

_P = ParamSpec("_P")
_T = TypeVar("_T")


class Receipt(msgspec.Struct, frozen=True):
    """What a Dask worker says when it is asked about files, or sent some."""

    lacking: list[Lacking] = []
    """Which it has not."""
    refused: str = ""
    """Why it takes none, as what follows a colon."""
    is_busy: bool = False
    """Whether it might later."""


@cache
def base() -> Path:
    """Return a private folder for bots' files, which goes with this process, or is swept later.

    Raises MachineError if there can be none.
    """
    folder = temporary_folder(_PREFIX)
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    fcntl.flock(lock, fcntl.LOCK_EX)  # until we end, however we do
    sweep(folder.parent, _PREFIX)
    atexit.register(_remove, folder, os.getpid())
    return folder


@cache
def arrivals() -> Arrivals:
    """Return where files arrive; raise MachineError if there is no place for them."""
    with _room():
        return Arrivals(base() / "arriving")


def _room() -> AbstractContextManager[None]:
    return room_for("the bots' files cannot be copied to", str(base()))


def _remove(folder: Path, owner: int) -> None:
    if os.getpid() == owner:
        discard(folder)


def in_thread(act: Callable[_P, _T]) -> Callable[_P, Awaitable[_T]]:
    """Let a function that Dask calls work in a thread, so that others are answered meanwhile."""

    @wraps(act)
    async def called(*words: _P.args, **named: _P.kwargs) -> _T:
        return await asyncio.to_thread(act, *words, **named)

    return called


def _with_receipt(act: Callable[[bytes], Receipt]) -> Callable[[bytes], bytes]:
    """Encode what a function answers, and what it refuses."""

    @wraps(act)
    def answered(data: bytes) -> bytes:
        try:
            receipt = act(data)
        except ArenaError as error:
            receipt = Receipt(refused=one_line(error))
        return msgspec.msgpack.encode(receipt)

    return answered


@in_thread
def lacking(manifests: bytes) -> list[str]:
    """Return which bots, by their versions, are not here, or not as they were sent."""
    lacking = {}  # each version once, whatever other bots are called so
    for manifest in msgspec.msgpack.decode(manifests, type=list[Manifest]):
        try:
            unpacked(manifest, base())
        except ArenaError:
            lacking[manifest.version] = manifest
    return list(lacking)


@in_thread
def unequipped(setup: bytes, manifests: bytes) -> list[str]:
    """Return which bots, by their versions, have packages and no environment here."""
    known = msgspec.msgpack.decode(setup, type=Setup)
    try:
        with equipping(known, arrivals(), base()) as equipper:
            return equipper.lacking(msgspec.msgpack.decode(manifests, type=list[Manifest]))
    except ArenaError:
        return []  # which is said when they are to be made


@in_thread
@_with_receipt
def ask(contents: bytes) -> Receipt:
    """Return an encoded `Receipt`: which files, by what is in them, are to be sent here."""
    return Receipt(arrivals().lacking(msgspec.msgpack.decode(contents, type=list[Content])))


@in_thread
@_with_receipt
def add(pieces: bytes) -> Receipt:
    """Take pieces of files; return an encoded `Receipt` that says what is wrong, if anything is."""
    try:
        came = msgspec.msgpack.decode(pieces, type=list[Piece])
    except msgspec.DecodeError as error:
        return Receipt(refused=f"what was sent of a file is not whole: {error}", is_busy=True)
    if not arrivals().add(came):
        return Receipt(refused="a file did not arrive as it was sent", is_busy=True)
    return Receipt()


@in_thread
@_with_receipt
def take(data: bytes) -> Receipt:
    """Put together a bot; return an encoded `Receipt` that says what is wrong, if anything is."""
    try:
        with _room():
            unpack_bot(data, base(), arrivals())
    except RunError as error:
        return Receipt(refused=one_line(error), is_busy=True)
    return Receipt()


def one_line(error: Exception) -> str:
    """Return what an error says, as what follows a colon."""
    text = error.what if isinstance(error, SandboxError) else str(error)
    return " ".join(text.split()).rstrip(".")

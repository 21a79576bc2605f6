"""What a Dask worker does with files that it is sent: bots and environments are made of them.

All of it is called from `client`, through Dask, and speaks in texts and bytes.
"""

import asyncio
import atexit
import fcntl
import os
from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path

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


async def lacking(manifests: bytes) -> list[str]:
    """Return which bots, by their versions, are not here, or not as they were sent."""
    bots = msgspec.msgpack.decode(manifests, type=list[Manifest])
    return await asyncio.to_thread(_lacking, bots)


def _lacking(manifests: list[Manifest]) -> list[str]:
    lacking = {}  # each version once, whatever other bots are called so
    for manifest in manifests:
        try:
            unpacked(manifest, base())
        except ArenaError:
            lacking[manifest.version] = manifest
    return list(lacking)


async def unequipped(setup: bytes, manifests: bytes) -> list[str]:
    """Return which bots, by their versions, have packages and no environment here."""
    known = msgspec.msgpack.decode(setup, type=Setup)
    bots = msgspec.msgpack.decode(manifests, type=list[Manifest])
    return await asyncio.to_thread(_unequipped, known, bots)


def _unequipped(setup: Setup, manifests: list[Manifest]) -> list[str]:
    try:
        with equipping(setup, arrivals(), base()) as equipper:
            return equipper.lacking(manifests)
    except ArenaError:
        return []  # which is said when they are to be made


async def ask(contents: bytes) -> bytes:
    """Return an encoded `Receipt`: which files, by what is in them, are to be sent here."""
    files = msgspec.msgpack.decode(contents, type=list[Content])
    return msgspec.msgpack.encode(await asyncio.to_thread(_asked, files))


def _asked(contents: list[Content]) -> Receipt:
    try:
        return Receipt(arrivals().lacking(contents))
    except ArenaError as error:
        return Receipt(refused=one_line(error))


async def add(pieces: bytes) -> bytes:
    """Take pieces of files; return an encoded `Receipt` that says what is wrong, if anything is."""
    return msgspec.msgpack.encode(await asyncio.to_thread(_added, pieces))


def _added(data: bytes) -> Receipt:
    try:
        pieces = msgspec.msgpack.decode(data, type=list[Piece])
        if not arrivals().add(pieces):
            return Receipt(refused="a file did not arrive as it was sent", is_busy=True)
    except msgspec.DecodeError as error:
        return Receipt(refused=f"what was sent of a file is not whole: {error}", is_busy=True)
    except ArenaError as error:
        return Receipt(refused=one_line(error))
    return Receipt()


async def take(data: bytes) -> bytes:
    """Put together a bot; return an encoded `Receipt` that says what is wrong, if anything is."""
    return msgspec.msgpack.encode(await asyncio.to_thread(_taken, data))


def _taken(data: bytes) -> Receipt:
    try:
        with _room():
            unpack_bot(data, base(), arrivals())
    except ArenaError as error:
        return Receipt(refused=one_line(error), is_busy=isinstance(error, RunError))
    return Receipt()


def one_line(error: Exception) -> str:
    """Return what an error says, as what follows a colon."""
    text = error.what if isinstance(error, SandboxError) else str(error)
    return " ".join(text.split()).rstrip(".")

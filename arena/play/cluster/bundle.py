"""Bots on their way to other machines: exactly their files, called by the bot's version."""

import os
import re
import shutil
import tempfile
from pathlib import Path

import msgspec

from arena.league.bot import Bot
from arena.league.files import readable
from arena.play.messages import Setup
from protocol.errors import ArenaError
from referee.finding import Source, find_source
from referee.game import Game
from referee.identity import code_files, code_of
from referee.limits import NO_GRANT, Grant
from referee.loading import load
from referee.program.file import Confinement
from referee.sandbox.sources import Sources, sizes_of

_SENT = 256 << 20
"""The most bytes of a bot's files that are sent: they are one message."""
_FILE = {True: 0o555, False: 0o444}  # by whether it can be executed: nobody is to write
_FOLDER = 0o555


class BundledFile(msgspec.Struct, frozen=True):
    """A file of a bot: its path relative to the bot's folder, and what is in it."""

    path: bytes
    is_executable: bool
    content: bytes


class Manifest(msgspec.Struct, frozen=True):
    """A bot as another machine must know it to run it; the command is not looked up yet."""

    name: str
    command: list[bytes]
    version: str
    """The hash of the command, the files and the grant, see `Bot.digest`."""
    grant: Grant = NO_GRANT


class Bundle(msgspec.Struct, frozen=True):
    """A bot and its files."""

    manifest: Manifest
    files: list[BundledFile]


class BrokenBundleError(ArenaError):
    """What was unpacked is not what was packed."""


def check_size(bot: Bot) -> None:
    """Raise ArenaError for a bot whose files are too many bytes to be sent."""
    elsewhere = dict(bot.borrowed)
    paths = [f"{bot.folder}/{elsewhere.get(file, file)}" for file in bot.files]
    size = sum(sizes_of(paths).values())
    if size > _SENT:
        raise ArenaError(
            f"bot {bot.name!r}: its files have {-(-size >> 20):,} MiB, and a cluster is sent at "
            f"most {_SENT >> 20} MiB of a bot. Play on this machine, without --cluster, or take "
            f"it out of the league."
        )


def manifest_of(bot: Bot) -> Manifest:
    """Return what is sent of a bot first, and always."""
    words = [os.fsencode(word) for word in bot.command]
    return Manifest(bot.name, words, bot.digest, bot.grant)


def pack_bot(bot: Bot) -> bytes:
    """Return a bot's bundle, encoded; raise ArenaError if its files cannot be read."""
    with readable(bot.name), Sources(bot.folder, bot.borrowed, most=_SENT) as sources:
        files = [_packed(bot, sources, name) for name in bot.files]
    return msgspec.msgpack.encode(Bundle(manifest_of(bot), files))


def _packed(bot: Bot, sources: Sources, name: str) -> BundledFile:
    try:
        with sources.open(name) as file:
            is_executable = bool(os.fstat(file.fileno()).st_mode & 0o111)
            content = b"".join(sources.pieces(file, name))
    except OSError as error:
        error.filename = str(bot.folder / name)
        raise
    return BundledFile(os.fsencode(name), is_executable, content)


def unpack_bot(data: bytes, base: Path) -> None:
    """Write a bundle's files into a folder below `base`, where nobody may change them.

    The folder is called by the bot's version; it is there with all its files, or not at all. One
    that is there already is kept if it is as it should be: bots may be running in it. Raises
    BrokenBundleError, and leaves nothing, if the files are not those of that version; OSError if
    they cannot be written.
    """
    try:
        bundle = msgspec.msgpack.decode(data, type=Bundle)
    except msgspec.DecodeError as error:
        raise BrokenBundleError(f"what was sent of a bot is not whole: {error}.") from None
    manifest = bundle.manifest
    folder = _folder(manifest, base)
    new = Path(tempfile.mkdtemp(prefix=".new-", dir=base))
    try:
        for file in bundle.files:
            path = _inside(new, os.fsdecode(file.path))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(file.content)
            path.chmod(_FILE[file.is_executable])
        for here, _, _ in os.walk(new, topdown=False):
            Path(here).chmod(_FOLDER)
        if _found(manifest, new).digest != manifest.version:
            raise BrokenBundleError(f"bot {manifest.name!r}: what arrived is not what was sent.")
        if not folder.is_dir() or _found(manifest, folder).digest != manifest.version:
            discard(folder)
            new.rename(folder)
    finally:
        discard(new)


def with_code(setup: Setup, game: type[Game]) -> Setup:
    """Return a run's set-up with all that another machine needs to know of its game."""
    files = {}
    programs = []
    if setup.game.kind in ("file", "program"):
        home, found = code_files(game)
        files = {path.relative_to(home).as_posix(): path.read_bytes() for path in found}
        programs = [
            path.relative_to(home).as_posix() for path in found if path.stat().st_mode & 0o111
        ]
    return msgspec.structs.replace(
        setup, code=code_of(game), game_files=files, game_programs=sorted(programs)
    )


def game_here(setup: Setup, base: Path) -> Source:
    """Return where the game of a run is found on this machine, written below `base` if need be.

    Raises ArenaError if it is not here, or its code is not that of the run.
    """
    source = setup.game
    if source.kind == "bundled":
        return source
    if source.kind in ("file", "program"):
        source = msgspec.structs.replace(source, path=str(_written(setup, base)))
    else:
        source = find_source(source.word)
        if source.version != setup.game.version:
            raise ArenaError(
                f"it has {source.distribution} {source.version}, and the run "
                f"{setup.game.distribution} {setup.game.version}; install the same version there."
            )
    confinement = Confinement(setup.limits.sandbox, setup.sandbox_uid)
    if code_of(load(source, confinement)) != setup.code:
        raise ArenaError(f"the code of the game {source.word!r} is another one there.")
    return source


def _written(setup: Setup, base: Path) -> Path:
    """Write the files of a game below `base`, anew; return the file or folder that it is."""
    folder = base / "game"
    discard(folder)
    for name, content in setup.game_files.items():
        path = _inside(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        if name in setup.game_programs:
            path.chmod(0o755)
    file = folder / Path(setup.game.path).name
    return file if setup.game.kind == "file" and file.is_file() else folder


def _folder(manifest: Manifest, base: Path) -> Path:
    if not re.fullmatch("[0-9a-f]{16}", manifest.version):
        raise BrokenBundleError(f"bot {manifest.name!r}: {manifest.version!r} is no bot's version.")
    return base / manifest.version


def _inside(folder: Path, name: str) -> Path:
    path = folder / name
    if ".." in path.parts or path == folder or not path.is_relative_to(folder):
        raise BrokenBundleError(f"a bot's file {name!r} would lie outside of its folder.")
    return path


def unpacked(manifest: Manifest, base: Path) -> Bot:
    """Return the bot whose files were unpacked below `base`.

    Raises BrokenBundleError if they are not, or no longer, those of its version.
    """
    folder = _folder(manifest, base)
    bot = _found(manifest, folder)
    if not folder.is_dir() or bot.digest != manifest.version:
        raise BrokenBundleError(
            f"bot {manifest.name!r}: what lies in {folder} is not what was sent; something "
            f"changed it."
        )
    return bot


def _found(manifest: Manifest, folder: Path) -> Bot:
    """Return the bot that a folder's files make, whatever they are."""
    files = sorted(
        os.path.relpath(os.path.join(here, name), folder)  # noqa: PTH118 - of `walk`'s texts
        for here, _, names in os.walk(folder)
        for name in names
    )
    command = tuple(os.fsdecode(word) for word in manifest.command)
    return Bot(manifest.name, folder, command, tuple(files), grant=manifest.grant)


def discard(folder: Path) -> None:
    """Remove what was unpacked, which is read-only."""
    for here, _, _ in os.walk(folder):
        Path(here).chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)

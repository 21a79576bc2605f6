"""Bots on their way to other machines: exactly their files, called by the bot's version."""

import os
import re
import shutil
import tempfile
from pathlib import Path

import msgspec

from arena.environment.names import LOCK, WHEELS
from arena.league.bot import Bot
from arena.league.files import readable
from arena.play.cluster.arrivals import Arrivals
from arena.play.cluster.sending import SentFile, SentFiles, packed
from arena.play.messages import Setup
from protocol.errors import ArenaError, RunError
from referee.catalog.finding import Source, find_source
from referee.catalog.identity import code_files, code_of
from referee.catalog.loading import load
from referee.limits import NO_GRANT, Grant
from referee.program.file import Confinement
from referee.rules.game import Game
from referee.sandbox.big_files import is_big

_FILE = {True: 0o555, False: 0o444}  # by whether it can be executed: nobody is to write
_FOLDER = 0o555


class Packages(msgspec.Struct, frozen=True):
    """What an environment is made of."""

    lock: bytes
    """Its exact packages, as text; what else its bot's lock may say is for other Pythons."""
    wheels: list[SentFile]


class Manifest(msgspec.Struct, frozen=True):
    """A bot as another machine must know it to run it; the command is not looked up yet."""

    name: str
    command: list[bytes]
    version: str
    """The hash of the command, the files and the grant, see `Bot.digest`."""
    grant: Grant = NO_GRANT
    packages: Packages | None = None
    """What its environment is made of; None if it has none."""


class Bundle(msgspec.Struct, frozen=True):
    """A bot and its files; what is in them is sent before."""

    manifest: Manifest
    files: list[SentFile]


def manifest_of(bot: Bot) -> Manifest:
    """Return what is sent of a bot first, and always; raise ArenaError if that cannot be read."""
    words = [os.fsencode(word) for word in bot.command]
    packages = None
    if bot.environment:
        with readable(bot.name):
            lock = Path(bot.environment, LOCK).read_bytes()
        packages = Packages(lock, wheels_of(bot).files)
    return Manifest(bot.name, words, bot.digest, bot.grant, packages)


def wheels_of(bot: Bot) -> SentFiles:
    """Return the wheels of a bot's environment; raise ArenaError if they cannot be read."""
    folder = Path(bot.environment, WHEELS)
    with readable(bot.name):
        return packed(folder, (), sorted(path.name for path in folder.iterdir()))


def files_of(bot: Bot) -> SentFiles:
    """Return the files of a bot; raise ArenaError if they cannot be read."""
    with readable(bot.name):
        return packed(bot.folder, bot.borrowed, bot.files)


def unpack_bot(data: bytes, base: Path, arrivals: Arrivals) -> None:
    """Put together a bot of files that have arrived, in a folder where nobody may change them.

    The folder is below `base` and called by the bot's version; it is there with all its files, or
    not at all. One that is there already is kept if it is as it should be: bots may be running in
    it. Big files stay where all bots share them, and are links here. Raises RunError, and
    leaves nothing, if the files are not those of that version; OSError if they cannot be written.
    """
    try:
        bundle = msgspec.msgpack.decode(data, type=Bundle)
    except msgspec.DecodeError as error:
        raise RunError(f"what was sent of a bot is not whole: {error}.") from None
    manifest = bundle.manifest
    folder = _folder(manifest, base)
    new = Path(tempfile.mkdtemp(prefix=".new-", dir=base))
    try:
        for file in bundle.files:
            _put(arrivals, file, new)
        for here, _, _ in os.walk(new, topdown=False):
            Path(here).chmod(_FOLDER)
        if not _is_whole(manifest, new):
            raise RunError(f"bot {manifest.name!r}: what arrived is not what was sent.")
        if not _is_whole(manifest, folder):
            discard(folder)
            new.rename(folder)
        arrivals.forget([file.content for file in bundle.files])
    finally:
        discard(new)


def _put(arrivals: Arrivals, file: SentFile, folder: Path) -> None:
    """Put what has arrived where it belongs in a new folder."""
    path = _inside(folder, os.fsdecode(file.path))
    came = arrivals.path(file.content)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if is_big(file.content):
            path.symlink_to(came)
        else:
            with path.open("xb") as copy, came.open("rb") as source:
                shutil.copyfileobj(source, copy)
            path.chmod(_FILE[file.content.is_executable])
    except (FileExistsError, NotADirectoryError, IsADirectoryError):
        raise RunError(f"two files of a bot are both called {path.name!r}.") from None
    except FileNotFoundError:
        raise RunError(f"a bot's file {path.name!r} has not arrived.") from None


def _is_whole(manifest: Manifest, folder: Path) -> bool:
    """Return whether a folder has exactly the files of a bot."""
    try:
        return folder.is_dir() and _found(manifest, folder).digest == manifest.version
    except ArenaError:  # some cannot be read
        return False


def with_code(setup: Setup, game: type[Game]) -> Setup:
    """Return a run's set-up with all that another machine needs to know of its game."""
    files = {}
    if setup.game.kind in ("file", "program"):
        home, found = code_files(game)
        for path in found:
            mode = 0o755 if path.stat().st_mode & 0o111 else 0o644
            files[path.relative_to(home).as_posix()] = path.read_bytes(), mode
    return msgspec.structs.replace(setup, code=code_of(game), game_files=files)


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
    for name, (content, mode) in setup.game_files.items():
        path = _inside(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        path.chmod(mode)
    file = folder / Path(setup.game.path).name
    return file if setup.game.kind == "file" and file.is_file() else folder


def _folder(manifest: Manifest, base: Path) -> Path:
    if not re.fullmatch("[0-9a-f]{16}", manifest.version):
        raise RunError(f"bot {manifest.name!r}: {manifest.version!r} is no bot's version.")
    return base / manifest.version


def _inside(folder: Path, name: str) -> Path:
    path = folder / name
    if ".." in path.parts or path == folder or not path.is_relative_to(folder):
        raise RunError(f"a bot's file {name!r} would lie outside of its folder.")
    return path


def unpacked(manifest: Manifest, base: Path) -> Bot:
    """Return the bot whose files were unpacked below `base`.

    Raises RunError if they are not, or no longer, those of its version.
    """
    folder = _folder(manifest, base)
    if not _is_whole(manifest, folder):
        raise RunError(
            f"bot {manifest.name!r}: what lies in {folder} is not what was sent; something "
            f"changed it."
        )
    return _found(manifest, folder)


def _found(manifest: Manifest, folder: Path) -> Bot:
    """Return the bot that a folder's files make, whatever they are."""
    files = sorted(
        os.path.relpath(os.path.join(here, name), folder)  # noqa: PTH118 - of `walk`'s texts
        for here, _, names in os.walk(folder)
        for name in names
    )
    return Bot(
        manifest.name,
        folder,
        tuple(os.fsdecode(word) for word in manifest.command),
        tuple(files),
        borrowed=tuple(
            (file, os.readlink(folder / file))  # noqa: PTH115 - as text
            for file in files
            if (folder / file).is_symlink()
        ),
        grant=manifest.grant,
        has_packages=manifest.packages is not None,
    )


def discard(folder: Path) -> None:
    """Remove what was unpacked, which is read-only."""
    for here, _, _ in os.walk(folder):
        Path(here).chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)

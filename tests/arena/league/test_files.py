"""The files of bots, whatever their authors make of them: taken, or refused in words."""

import json
import os
import resource
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.cli import check, compare, doctor, main, play, run  # noqa: F401 - for all forks
from arena.league import files as bot_files
from arena.league.bot import make_bot
from arena.league.files import Look, look, signature
from arena.store.opening import read_played
from referee.games.guerra import game as guerra  # noqa: F401 - for all forks
from referee.sandbox import Program, StartError
from referee.sandbox.sources import Sources, read_at_most
from referee.sandbox.stage import Stage
from tests.arena.conftest import ROOT, Arena, League

SOURCE = "#!/usr/bin/env python3\nimport kit, guerra_random\nkit.run(guerra_random.choose)\n"
SOMEBODY, SOMEBODY_ELSE = 60_321, 60_322
LEAGUE = (
    'game = "guerra"\nseed = 1\ndeals = 1\noptions.max_turns = 10\n\n[limits]\nsandbox = "none"\n'
)
RANDOM = '\n[[bot]]\nname = "random"\nshipped = "random"\n'
as_root = pytest.mark.skipif(
    os.getuid() != 0, reason="WHAT ROOT READS IS NOT TESTED HERE: run the tests as root, too"
)


@pytest.fixture
def mine(public: Path) -> Path:
    """The folder of a bot that would be fine, but has no bot.toml yet."""
    folder = public / "mine"
    folder.mkdir()
    for helper in ("templates/python/kit.py", "guerra/guerra_random.py"):
        shutil.copy(ROOT / "bots" / helper, folder)
    (folder / "bot").write_text(SOURCE)
    (folder / "bot").chmod(0o755)
    return folder


def settings(folder: Path, text: str = "", command: str = '["./bot"]') -> None:
    (folder / "bot.toml").write_text(f"command = {command}\n{text}\n")


def told(*words: object, code: int = 2) -> str:
    """Call a command in a fork of this process, which must end soon and take little memory.

    It must end with a code, and without a traceback.
    """
    reading, writing = os.pipe()
    if not (child := os.fork()):
        try:
            os.close(reading)
            signal.alarm(20)
            pages = int(Path("/proc/self/statm").read_text().split()[0])
            most = pages * resource.getpagesize() + (1 << 30)
            resource.setrlimit(resource.RLIMIT_AS, (most, most))
            runner = CliRunner(env={"COLUMNS": "1000"})
            done = runner.invoke(main, [*map(os.fspath, words)])  # type: ignore[call-overload]
            fault = None if isinstance(done.exception, SystemExit) else done.exception
            with os.fdopen(writing, "w", errors="surrogateescape") as file:
                file.write(f"{done.exit_code} {done.output} {fault or ''!r}")
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, errors="surrogateescape") as file:
        ended, _, said = file.read().partition(" ")
    assert os.waitpid(child, 0)[1] == 0, "it took too long, or too much memory"
    assert (ended, said.endswith(" ''")) == (str(code), True), said
    return " ".join(said.removesuffix("''").split())


def told_by_all(folder: Path, word: object, *more: str) -> list[str]:
    """Return what every command that plays says of a bot."""
    cup = folder / "cup"
    shutil.rmtree(cup, ignore_errors=True)
    cup.mkdir()
    where = os.path.relpath(os.path.realpath(os.fspath(word)), cup)  # type: ignore[call-overload]
    entry = "\n".join(more) or f"folder = {json.dumps(where)}"
    (cup / "league.toml").write_text(f'{LEAGUE}\n[[bot]]\nname = "mine"\n{entry}\n{RANDOM}')
    game = ("--game", "guerra", "--sandbox", "none")
    return [
        told("play", "guerra", word, "random", "--sandbox", "none"),
        told("check", word, *game, code=1),
        told("init", folder / "new", word, "random", *game),
        told("compare", word, "random", *game),
        told("doctor", word),
        told("run", cup),
    ]


PROGRAM = ('command = ["./bot"]', 'folder = "../mine"')
"""What a league says of a bot that is one program."""


def staged(mine: Path, file: str, most: int | None = None) -> list[str]:
    """Copy a bot and another file as for its start; return what lies there then."""
    stage = Stage(os.getuid())
    stage.make()
    try:
        stage.place(Program(("./bot",), str(mine), ("bot", file)), *([most] if most else []))
    finally:
        left = [path.name for path in Path(stage.folder).iterdir()]
        stage.remove()
    return left


# --- what is no regular file


def fifo(path: Path) -> str:
    os.mkfifo(path)
    return "a FIFO"


def link_to_fifo(path: Path) -> str:
    path.symlink_to("pipe")
    return fifo(path.parent / "pipe")


def listening(path: Path) -> str:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))
    return "a socket"


def zeros(path: Path) -> str:
    path.symlink_to("/dev/zero")
    return "a device"


def node(path: Path) -> str:
    if os.getuid() == 0:
        os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 5))
        return "a device"
    return fifo(path)


@pytest.mark.parametrize("make", [fifo, link_to_fifo, listening, zeros, node])
def test_what_is_no_file_is_no_bots_nor_its_program_nor_bot_toml(
    mine: Path, make: Callable[[Path], str]
) -> None:
    kind = make(mine / "bot.toml")
    match = ("play", "guerra", mine, "random")
    for words in told_by_all(mine.parent, mine) if make is fifo else [told(*match)]:
        assert f"bot.toml cannot be read: it is {kind}" in words
    (mine / "bot.toml").unlink()
    (mine / "pipe").unlink(missing_ok=True)
    make(mine / "odd")
    for files in ('files = ["bot", "odd"]', 'files = ["."]', ""):
        settings(mine, files)
        said = told(*match)
        if make is zeros:
            assert "out of its folder" in said
        else:
            assert f"is {kind}, and only regular files can be a bot's" in said
    if make in (fifo, listening):
        entry = ('command = ["./odd"]', 'folder = "../mine"')
        for words in told_by_all(mine.parent, mine / "odd", *entry):
            assert f"odd is {kind}" in words
        (mine / "odd").chmod(0o644)
        assert f"odd is {kind}" in told("play", "guerra", mine / "odd", "random")


def test_what_leads_nowhere_is_no_bot(mine: Path) -> None:
    (mine / "loop").symlink_to("loop")
    assert "there is no bot" in told("check", mine / "loop", "--game", "guerra", code=1)
    assert "the path is too long" in told("play", "guerra", f"./{'a' * 300}", "random")
    make = "import os\nfor _ in range(25): os.mkdir('deep' * 50); os.chdir('deep' * 50)"
    (mine / "loop").unlink()
    subprocess.run([sys.executable, "-c", make], cwd=mine, check=True)
    try:
        with pytest.raises(Exception, match="cannot be read: File name too long"):
            make_bot("mine", mine, ["./bot"], ["."])
    finally:
        subprocess.run(["rm", "-rf", mine / ("deep" * 50)], check=True)


def test_what_takes_a_files_place_later_is_not_opened_either(mine: Path) -> None:
    """By those who read: the hash, and the copy that the bot is run from."""
    bot = make_bot("mine", mine, ["./bot"])
    (mine / "bot").unlink()
    os.mkfifo(mine / "bot")
    with pytest.raises(Exception, match="bot cannot be read: it is a FIFO"):
        bot.look()
    with pytest.raises(OSError, match="it is a FIFO"):
        staged(mine, "kit.py")


# --- how much they may be


SPARSE = 200 << 30
MOST = 32 << 20


def test_too_large_a_file_is_refused_before_it_is_read(mine: Path) -> None:
    (mine / "big").touch()
    os.truncate(mine / "big", SPARSE)
    says = "bot 'mine': it has more than 20000 files or 65536 MiB in /"
    for files in ('files = ["bot", "big"]', ""):
        settings(mine, files)
        assert says in told("play", "guerra", mine, "random")
    settings(mine, 'files = ["."]')
    for words in told_by_all(mine.parent, mine):
        assert says in words
    (mine / "big").rename(mine / "bot")
    (mine / "bot").chmod(0o755)
    for words in told_by_all(mine.parent, mine / "bot", *PROGRAM):
        assert "it has more than 20000 files or 65536 MiB" in words
    match = ("bot.toml", "play", "guerra", mine, "random")
    for name, *command in (match, ("league.toml", "run", mine)):
        (mine / name).touch()
        os.truncate(mine / name, SPARSE)
        assert f"{name} cannot be read: it is larger than" in told(*command)


def test_as_many_files_or_folders_as_are_allowed_and_one_more(
    mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = 100
    monkeypatch.setattr(bot_files, "FILES_LIMIT", few)
    (mine / "data").mkdir()
    words = [f"data/{number}" for number in range(few - 1)]
    for word in words:
        (mine / word).touch()
    for files in (["bot", "data"], ["bot", *words], ["bot", *words, "./data/.", "data"] * 20):
        assert len(make_bot("mine", mine, ["./bot"], files).files) == few
    for files in (["."], ["bot", "kit.py", *words]):
        with pytest.raises(Exception, match="more than 100 files"):
            make_bot("mine", mine, ["./bot"], files)
    shutil.rmtree(mine / "data")
    for number in range(few + 1):
        (mine / f"folder{number}").mkdir()
    with pytest.raises(Exception, match="more than 100 files"):
        make_bot("mine", mine, ["./bot"], ["."])


def test_a_file_that_grows_is_not_read_beyond_the_limit_nor_more_of_several(mine: Path) -> None:
    for name in ("big", "part"):
        (mine / name).touch()
    sizes = []
    with Sources(mine, most=MOST) as sources, sources.open("big") as file:
        os.truncate(mine / "big", SPARSE)
        with pytest.raises(OSError, match="the bot's files are larger than 32 MiB"):
            sizes.extend(map(len, sources.pieces(file, "big")))
    assert sum(sizes) == MOST
    with pytest.raises((OSError, StartError), match="larger than 32 MiB"):
        staged(mine, "big", MOST)
    for name in ("big", "part"):
        os.truncate(mine / name, MOST // 2 + 1)
    with Sources(mine, most=MOST) as sources:
        with sources.open("big") as file:
            assert sum(map(len, sources.pieces(file, "big"))) == MOST // 2 + 1
        with pytest.raises(OSError, match="larger than 32 MiB"):
            sources.open("part")
    (mine / "file").write_bytes(b"12345")
    assert read_at_most(mine / "file", 5) == b"12345"
    with pytest.raises(OSError, match="larger"):
        read_at_most(mine / "file", 4)


# --- hard links


def private(folder: Path, owner: int) -> Path:
    """Make a file that only its owner may read."""
    path = folder / "secret"
    path.write_text("the key of the house")
    path.chmod(0o600)
    os.chown(path, owner, owner)
    return path


def own(folder: Path, owner: int) -> None:
    for path in (folder, *folder.rglob("*")):
        os.chown(path, owner, owner)


@as_root
@pytest.mark.parametrize("owner", [0, SOMEBODY_ELSE])
def test_a_hard_link_to_somebodys_private_file_is_refused(mine: Path, owner: int) -> None:
    """Also when the other name has gone, as of a file that is saved by putting a new one there."""
    settings(mine)
    own(mine, SOMEBODY)
    secret = private(mine.parent, owner)
    (mine / "table").hardlink_to(secret)
    why = "table cannot be read: it may be a hard link to what its folder's owner may not read."
    cup = mine.parent / "cup"
    cup.mkdir()
    entry = '\n[[bot]]\nname = "mine"\nfolder = "../mine"\n'
    (cup / "league.toml").write_text(LEAGUE + entry + RANDOM)
    init = ("init", mine.parent / "new", "--game", "guerra", mine)
    for command in ((*init, "random"), ("play", "guerra", mine, "random")):
        assert why in told(*command, "--sandbox", "none")
    assert why in told("run", cup)
    with pytest.raises(OSError, match="may be a hard link"):  # whatever was there when entered
        staged(mine, "table")
    secret.unlink()
    assert why in told(*init)
    own(mine, 0)
    mine.chmod(0o1777)  # where others may write
    os.chown(mine / "table", 0, 0)
    (mine / "table").rename(secret)
    (mine / "table").hardlink_to(secret)
    assert why in told(*init)


@as_root
@pytest.mark.parametrize("case", ["own", "open to all", "root's folder", "one name, shared"])
def test_other_files_and_links_are_fine(mine: Path, case: str) -> None:
    own(mine, 0 if case == "root's folder" else SOMEBODY)
    secret = private(mine.parent, SOMEBODY if case == "own" else SOMEBODY_ELSE)
    (mine / "table").hardlink_to(secret)
    if case == "open to all":
        secret.chmod(0o644)
    if case == "one name, shared":
        secret.unlink()
        mine.chmod(0o1777)
    assert make_bot("mine", mine, ["./bot"], ["."]).version


# --- names and words


def test_any_text_may_be_named_and_no_name_draws_on_the_terminal(mine: Path) -> None:
    for word in ("a\\u0000b", "x" * 300, "x/" * 3000):
        settings(mine, f'files = ["{word}"]')
        assert "there is no file" in told("play", "guerra", mine, "random")
    settings(mine, command='["./bot", "a\\u0000b"]')
    assert "in its command holds" in told("play", "guerra", mine, "random")
    os.mkfifo(mine / "a\nb\x1b[31m")
    settings(mine)
    assert "/a\\nb\\x1b[31m is a FIFO" in told("play", "guerra", mine, "random")


def test_a_name_that_is_not_utf8_is_refused(mine: Path) -> None:
    """Of a program, of another file; and of its folder, where it is run."""
    odd = os.fsdecode(b"odd\xff")
    (mine / odd).touch()
    settings(mine, 'name = "mine"')
    match = ("play", "guerra", mine, "random", "--sandbox", "none")
    assert "the name of its file 'odd\\udcff' is not UTF-8; rename it." in told(*match)
    (mine / "bot").rename(mine / odd)
    for words in told_by_all(mine.parent, mine / odd)[:-1]:
        assert "odd\\udcff' in its command is not UTF-8; rename it." in words
    (mine / odd).rename(mine / "bot")
    folder = mine.rename(mine.parent / odd)
    words = told("play", "guerra", folder, *match[3:])
    assert "its command, or its folder, has a name that is not UTF-8" in words


@pytest.mark.slow
def test_too_long_a_command_is_refused_and_one_as_long_as_it_may_be_is_run(mine: Path) -> None:
    settings(mine, command=json.dumps(["./bot", *["a"] * 15_000], separators=(",", ":")))
    for words in told_by_all(mine.parent, mine):
        assert "bot 'mine': its command is too long (15001 words; 64 KiB at the most)." in words
    for command in (["./bot", *["a"] * 50_000], ["./bot", "a" * 200_000]):
        entry = f'\n[[bot]]\nname = "mine"\nfolder = "../mine"\ncommand = {json.dumps(command)}\n'
        (mine.parent / "cup" / "league.toml").write_text(LEAGUE + entry + RANDOM)
        assert "bot 'mine': its command is too long (" in told("run", mine.parent / "cup")
        assert [bot.name for bot in read_played(mine.parent / "cup").lost] == ["mine"]
    (mine / "bot.py").write_text(SOURCE)
    settings(mine, command=json.dumps(["{python}", "bot.py", *["word"] * 7000]))
    match = ("play", "guerra", mine, "random", "--quiet")
    told(*match, code=0)
    for number in range(1900):  # more files side by side than can be passed on
        (mine / f"{number}_{'x' * 60}").touch()
    settings(mine)
    assert "could not be started: its command is too long, or too many" in told(*match)


# --- read in pieces, and not again


def test_hashing_a_large_file_takes_no_memory_and_the_hash_is_that_of_earlier_releases(
    mine: Path,
) -> None:
    """Or all bots of all leagues would be new versions."""
    (mine / "bot").write_bytes(b"one\n")
    (mine / "data").write_bytes(bytes(3 << 20))
    assert look("mine", mine, ("./bot", "é"), ("bot", "data")).digest == "f85814852dfd77ff"
    os.truncate(mine / "data", 100 << 20)
    tracemalloc.start()
    look("x", mine, ("./bot",), ("data", "bot"))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 8 << 20


@pytest.fixture
def played(arena: Arena, league: League, monkeypatch: pytest.MonkeyPatch, inline: None) -> League:
    """A league that was played when its bot's files were old."""
    monkeypatch.setattr(bot_files, "FRESH", 0)
    league.write(LEAGUE + league.bot("mine", SOURCE) + RANDOM)
    assert arena("run", league.folder).exit_code == 0
    return league


def test_readers_read_no_files_that_are_as_they_were(
    arena: Arena, played: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bot_files, "_digest", lambda *_: pytest.fail("a bot's file was read"))
    assert json.loads(played.rank())["standings"][0]["matches"] == 2
    for words in (("table",), ("matches",), ("verify",), ("rank", "--versions")):
        assert arena(words[0], played.folder, *words[1:]).exit_code == 0
    with pytest.raises(pytest.fail.Exception, match="was read"):
        arena("run", played.folder)


@pytest.mark.parametrize("way", ["written", "replaced", "touched"])
def test_readers_see_every_edit(played: League, way: str) -> None:
    """Of the same size and with the same time of change, which anybody can set, too."""
    path = played.home / "mine" / "bot.py"
    before = path.stat()
    new = SOURCE if way == "touched" else SOURCE.replace("import kit, g", "import kit,g ")
    if way == "replaced":
        (played.home / "new").write_text(new)
        (played.home / "new").replace(path)
    else:
        path.write_text(new)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size
    found = {row["matches"] for row in json.loads(played.rank())["standings"]}
    assert found == ({2} if way == "touched" else {0})


def test_files_have_a_signature_unless_they_have_only_just_changed(
    mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One might be written to once more before the clock of the file system ticks."""
    assert look("mine", mine, ("./bot",), ("bot",)).signature == ""
    monkeypatch.setattr(bot_files, "FRESH", 0)
    files = (("./bot",), ("bot", "kit.py"))
    found = look("mine", mine, *files)
    assert found == Look(found.digest, signature(mine, *files)[0])
    assert found.signature != signature(mine, ("bot",), files[1])[0]
    assert signature(mine, ("./bot",), ("gone",))[0] == ""

"""Bots with big files: their version, how large they may be, and what is said of more."""

import os
from pathlib import Path

import pytest

from arena.league import files
from arena.league.bot import Bot, make_bot
from referee.limits import Limits
from referee.sandbox import Launcher, SandboxError, big_files
from tests.arena.conftest import Arena
from tests.golden import Golden

MIB = 1 << 20
KIT = 'command = ["{python}", "bot.py"]\nfiles = ["bot.py", "kit.py", "model.bin"]\n'


pytestmark = pytest.mark.usefixtures("inline")


@pytest.fixture(autouse=True)
def _cache(public: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let what is kept lie elsewhere, and call 8 MiB a large bot and 2 MiB a big file."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(public / "cache"))
    monkeypatch.setattr(big_files, "FRESH", 0)
    monkeypatch.setattr(files, "WHOLE", 8 * MIB)
    for module in (big_files, files):
        monkeypatch.setattr(module, "BIG", 2 * MIB)


def a_bot(folder: Path, *sizes: int) -> Bot:
    """Return a bot with files of zeros, which take no room on the disk."""
    folder.mkdir(exist_ok=True)
    for number, size in enumerate(sizes):
        with (folder / f"model{number}").open("wb") as file:
            file.truncate(size)
    return make_bot("mine", folder, ["cat"], ["."])


def test_the_big_files_of_a_large_bot_are_hashed_once_and_each_makes_its_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = a_bot(tmp_path, 9 * MIB, 5).version
    read = []
    hash_ = big_files.hash_of
    monkeypatch.setattr(big_files, "hash_of", lambda file: read.append(1) or hash_(file))

    def now() -> tuple[bool, bool]:
        """Return whether the bot is what it was, and whether its big file was read for that."""
        read.clear()
        return a_bot(tmp_path).version == version, bool(read)

    assert now() == (True, False)
    for file, byte, is_what in (
        *(("model0", b"x", (False, True)), ("model0", b"\0", (True, True))),
        ("model1", b"x", (False, False)),
    ):
        with (tmp_path / file).open("r+b") as changed:
            changed.seek(4)
            changed.write(byte)
        assert now() == is_what


@pytest.mark.parametrize("sandbox", ["landlock", "none"])
def test_a_bot_that_is_too_large_is_told_what_to_write(
    tmp_path: Path, sandbox: str, golden: Golden
) -> None:
    program = a_bot(tmp_path, 2 * MIB, 3).program
    with Launcher(sandbox) as launcher:
        with pytest.raises(SandboxError) as caught:
            launcher.check(program, Limits(files_mb=2))
        launcher.check(program, Limits(files_mb=3))
    golden(str(caught.value))


@pytest.fixture
def mine(arena: Arena, public: Path) -> Path:
    """A new bot that has a model."""
    arena("new", public / "mine", "--lang", "python", "--game", "war")
    (public / "mine" / "bot.toml").write_text(KIT)
    (public / "mine" / "model.bin").touch()
    return public / "mine"


@pytest.mark.slow
def test_a_league_says_how_large_its_bots_may_be_and_that_may_change(
    arena: Arena, mine: Path, tmp_path: Path
) -> None:
    os.truncate(mine / "model.bin", 2 * MIB)
    with (mine / "kit.py").open("a") as kit:
        kit.write("# of a process, which a launcher starts\n")
    words = ("init", tmp_path / "cup", "--game", "war", "random", mine, "--deals", "1")
    arena(*words, "--limit", "files_mb=2")
    told = " ".join(arena("run", tmp_path / "cup").output.split())
    assert "files_mb allows 2. Let it have files_mb = 3: under its [[bot]] in league.toml" in told
    toml = tmp_path / "cup" / "league.toml"
    toml.write_text(toml.read_text().replace("files_mb = 2", "files_mb = 3"))
    assert arena("run", tmp_path / "cup").exit_code == 0
    toml.write_text(toml.read_text().replace("files_mb = 3", "files_mb = 4"))
    for command in ("rank", "verify"):  # it is stored with no match
        assert arena(command, tmp_path / "cup").exit_code == 0


def test_what_is_too_large_is_refused_before_it_is_read(
    arena: Arena, mine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (mine / "bot.toml").write_text(f"{KIT}needs = {{ memory_mb = 600 }}\n")
    os.truncate(mine / "model.bin", 60 << 30)
    arena("init", tmp_path / "cup", "--game", "war", "random", "highest", "--deals", "1")
    monkeypatch.setattr(big_files, "hash_of", lambda _: pytest.fail("it was read"))
    checked = arena("check", mine, "--game", "war")
    added = arena("add", tmp_path / "cup", mine, "--copy", "--grant")
    for result in (checked, added):
        assert result.exit_code == 1, result.output
        assert "61,441 MiB together (model.bin has 61,440)" in " ".join(result.output.split())

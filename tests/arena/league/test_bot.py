"""Bots: what makes a version of one, and every way in which one cannot be found."""

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.league import files as bot_files
from arena.league.bot import NAME_LIMIT, PYTHON, Bot, lost_bot, make_bot
from arena.league.finding import bot_folder
from protocol.errors import ArenaError
from tests.arena.conftest import ordinary_user
from tests.arena.league.conftest import refused
from tests.golden import Golden


def version(folder: Path, *command: str, name: str = "clever") -> str:
    return make_bot(name, folder, command or ("./run.sh",), ["."]).version


# --- what makes a version


@pytest.mark.parametrize(
    ("words", "files"),
    [
        (["."], ("data/book.txt", "run.sh")),  # all but hidden ones
        ([""], ("data/book.txt", "run.sh")),
        (["run.sh"], ("run.sh",)),
        *((["run.sh", word], ("data/book.txt", "run.sh")) for word in ("data", "data/", "./data")),
        (["./run.sh", "run.sh", "data", "data/./book.txt"], ("data/book.txt", "run.sh")),
    ],
)
def test_files_that_are_named_are_a_bots_each_once_and_a_folder_stands_for_its_own(
    folder: Path, words: list[str], files: tuple[str, ...]
) -> None:
    bot = make_bot("clever", folder, ["./run.sh"], words)
    assert tuple(str(Path(file)) for file in bot.files) == files
    assert bot.version


@settings(
    derandomize=True,
    database=None,
    max_examples=40,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(at=st.integers(0, 1999), byte=st.integers(0, 255))
def test_any_byte_of_a_file_makes_another_version(tmp_path: Path, at: int, byte: int) -> None:
    content = bytearray(bytes(range(200)) * 10)
    (tmp_path / "weights").write_bytes(content)
    before = version(tmp_path, "{python}")
    same = content[at] == byte
    content[at] = byte
    (tmp_path / "weights").write_bytes(content)
    assert (version(tmp_path, "{python}") == before) == same


def test_names_of_files_more_files_and_words_of_the_command_make_another_version(
    folder: Path,
) -> None:
    before = version(folder)
    for other in (("./run.sh", "-v"), ("sh", "./run.sh"), ("./run.sh", "")):
        assert version(folder, *other) != before
    assert version(folder, "./run.sh", "a", "b") != version(folder, "./run.sh", "ab")
    (folder / "data" / "book.txt").rename(folder / "data" / "books.txt")
    renamed = version(folder)
    assert renamed != before
    (folder / "empty").touch()
    assert version(folder) not in (before, renamed)


def test_a_file_is_not_taken_for_two_words_of_the_command(tmp_path: Path) -> None:
    (tmp_path / "book").write_text("e4")
    with_file = make_bot("one", tmp_path, ["{python}"], ["book"])
    with_words = make_bot("one", tmp_path, ["{python}", "book", "e4"], [])
    assert with_file.version != with_words.version


def test_nothing_else_makes_another_version(folder: Path, tmp_path: Path) -> None:
    """A league in its folder neither: `arena init cup ... ./my_bot` would change that bot."""
    before = version(folder)
    (folder / "run.sh").chmod(0o700)
    os.utime(folder / "run.sh", (0, 0))
    (folder / "data" / ".notes").write_text("done")
    (folder / "__pycache__" / "more").touch()
    for name in ("nothing", "cup"):
        (folder / name).mkdir()
    for file in ("league.toml", "league.db", "league.db-journal"):
        (folder / file).touch()
        (folder / "cup" / file).touch()
        assert version(folder) == before
    assert version(folder, name="renamed") == before
    moved = tmp_path / "elsewhere"
    shutil.copytree(folder, moved)
    assert version(moved) == before
    one = make_bot("clever", folder, ["./run.sh"], ["run.sh"]).version
    (folder / "data" / "book.txt").write_text("d4")
    assert make_bot("clever", folder, ["./run.sh"], ["run.sh"]).version == one


# --- files that are named


@pytest.mark.parametrize("word", ["../other", "/etc/passwd", "data/../../other"])
def test_a_named_file_outside_the_folder_is_refused(folder: Path, word: str) -> None:
    (folder.parent / "other").touch()
    message = refused(lambda: make_bot("clever", folder, ["./run.sh"], [word]))
    assert f"must be named inside its folder, not as {word!r}." in message


# --- what cannot be a bot


def test_a_name_that_could_not_stand_in_a_table_is_refused_and_others_are_not(folder: Path) -> None:
    for name in ("", " ", "a ", " a", "a\nb", "\x1b[31m", "x" * (NAME_LIMIT + 1)):
        message = refused(lambda name=name: make_bot(name, folder, ["./run.sh"]))
        assert "a bot's name is 1 to 40 printable" in message
    for name in ("x" * NAME_LIMIT, "Ελένη", "a b", '"quoted"', "日本", "-"):
        assert make_bot(name, folder, ["./run.sh"]).name == name


def test_a_command_that_cannot_be_run_is_refused(folder: Path, golden: Golden) -> None:
    for command in ("./gone", "./data", "./data/book.txt", "no-such-program", "run.sh", ""):
        golden(refused(lambda command=command: make_bot("clever", folder, [command]).program))
    golden(refused(lambda: make_bot("clever", folder, [])))
    golden(refused(lambda: make_bot("clever", folder / "gone", ["{python}"])))
    golden(refused(lambda: make_bot("clever", folder, ["./run.sh"], ["gone"])))


def test_a_program_is_looked_up_in_the_folder_or_on_the_path(folder: Path) -> None:
    inside = make_bot("clever", folder, ["./run.sh", "./run.sh"]).program
    assert inside.argv == (str(folder / "run.sh"), "./run.sh")
    assert inside.folder == str(folder)
    assert make_bot("clever", folder, ["sh"]).program.argv == (shutil.which("sh"),)
    (folder / "x.py").touch()
    assert make_bot("clever", folder, [PYTHON, "x.py"]).program.argv == (PYTHON, "x.py")


@pytest.mark.parametrize("limit", ["FILES_LIMIT", "BYTES_LIMIT"])
def test_too_much_is_refused_whether_named_or_found(
    folder: Path, limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bot_files, limit, 1)
    for files in (["."], ["run.sh", "data"], ["run.sh", "data/book.txt"]):
        message = refused(lambda files=files: make_bot("clever", folder, ["./run.sh"], files))
        assert "bot 'clever': it has more than" in message
        assert "files = [...]" in message


@pytest.mark.parametrize("inner", ["", "data", "data/book.txt"])
def test_a_file_or_folder_that_may_not_be_read_is_refused_and_not_taken_for_empty(
    public: Path, inner: str
) -> None:
    (public / "mine" / "data").mkdir(parents=True)
    (public / "mine" / "data" / "book.txt").write_text("e4")
    (public / "mine" / inner).chmod(0o300)
    with ordinary_user():
        message = refused(lambda: make_bot("clever", public / "mine", ["{python}"], ["."]).version)
    assert f"{public / 'mine' / inner} cannot be read: Permission denied" in message


@pytest.mark.parametrize("make", [bot_folder, lambda path: make_bot("mine", path, ["./run"])])
def test_a_folder_in_one_that_may_not_be_entered_is_refused(
    public: Path, make: Callable[[Path], Bot]
) -> None:
    (public / "bots" / "mine").mkdir(parents=True)
    (public / "bots").chmod(0o600)
    with ordinary_user():
        assert "cannot be read: Permission denied" in refused(lambda: make(public / "bots/mine"))
    (public / "bots").chmod(0o700)


def test_a_lost_bot_has_its_results_but_cannot_be_run(golden: Golden) -> None:
    error = ArenaError("bot 'clever': there is no folder x.")
    lost = replace(lost_bot("clever", "smart", error), version="0123456789abcdef")
    assert (lost.name, lost.key, lost.version) == ("clever", "smart", "0123456789abcdef")
    assert refused(lambda: lost.program) == str(error)
    golden(lost.remark)
    never = lost_bot("clever", None, ArenaError("x is a folder without a bot.toml."))
    assert (never.key, never.version) == ("clever", "")
    golden(never.remark)

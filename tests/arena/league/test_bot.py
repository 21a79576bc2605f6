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


def version(folder: Path, *command: str, name: str = "clever") -> str:
    return make_bot(name, folder, command or ("./run.sh",), ["."]).version


# --- what makes a version


def test_a_folders_files_are_all_but_hidden_ones(folder: Path) -> None:
    assert make_bot("clever", folder, ["./run.sh"], ["."]).files == ("data/book.txt", "run.sh")


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


def test_a_files_name_makes_another_version(folder: Path) -> None:
    before = version(folder)
    (folder / "data" / "book.txt").rename(folder / "data" / "books.txt")
    assert version(folder) != before


def test_a_file_more_makes_another_version(folder: Path) -> None:
    before = version(folder)
    (folder / "empty").touch()
    assert version(folder) != before


@pytest.mark.parametrize("other", [("./run.sh", "-v"), ("sh", "./run.sh"), ("./run.sh", "")])
def test_the_command_makes_another_version(folder: Path, other: tuple[str, ...]) -> None:
    assert version(folder, *other) != version(folder)


def test_where_a_word_ends_makes_another_version(folder: Path) -> None:
    assert version(folder, "./run.sh", "a", "b") != version(folder, "./run.sh", "ab")


def test_a_file_is_not_taken_for_two_words_of_the_command(tmp_path: Path) -> None:
    (tmp_path / "book").write_text("e4")
    with_file = make_bot("one", tmp_path, ["{python}"], ["book"])
    with_words = make_bot("one", tmp_path, ["{python}", "book", "e4"], [])
    assert with_file.version != with_words.version


def test_nothing_else_makes_another_version(folder: Path, tmp_path: Path) -> None:
    before = version(folder)
    (folder / "run.sh").chmod(0o700)
    os.utime(folder / "run.sh", (0, 0))
    (folder / "data" / ".notes").write_text("done")
    (folder / "__pycache__" / "more").touch()
    (folder / "nothing").mkdir()
    assert version(folder) == before
    assert version(folder, name="renamed") == before
    moved = tmp_path / "elsewhere"
    shutil.copytree(folder, moved)
    assert version(moved) == before


# --- files that are named


def test_named_files_are_all_that_counts(folder: Path) -> None:
    bot = make_bot("clever", folder, ["./run.sh"], ["run.sh"])
    assert bot.files == ("run.sh",)
    (folder / "data" / "book.txt").write_text("d4")
    assert make_bot("clever", folder, ["./run.sh"], ["run.sh"]).version == bot.version


@pytest.mark.parametrize("word", ["data", "data/", "./data"])
def test_a_named_folder_stands_for_its_files(folder: Path, word: str) -> None:
    bot = make_bot("clever", folder, ["./run.sh"], [word])
    assert [Path(file) for file in bot.files] == [Path("data/book.txt")]
    assert bot.version


@pytest.mark.parametrize("word", ["", "."])
def test_the_folder_itself_may_be_named(folder: Path, word: str) -> None:
    bot = make_bot("clever", folder, ["./run.sh"], [word])
    assert [Path(file) for file in bot.files] == [Path("data/book.txt"), Path("run.sh")]
    assert bot.version


@pytest.mark.parametrize("one", ["run.sh", "./run.sh", "data/./book.txt"])
def test_a_file_counts_once_however_it_is_named(folder: Path, one: str) -> None:
    bot = make_bot("clever", folder, ["./run.sh"], [one, "run.sh", "data"])
    assert bot.files == ("data/book.txt", "run.sh")


@pytest.mark.parametrize("word", ["../other", "/etc/passwd", "data/../../other"])
def test_a_named_file_outside_the_folder_is_refused(folder: Path, word: str) -> None:
    (folder.parent / "other").touch()
    message = refused(lambda: make_bot("clever", folder, ["./run.sh"], [word]))
    assert message == f"bot 'clever': its files must be named inside its folder, not as {word!r}."


def test_a_named_file_that_is_missing_is_refused(folder: Path) -> None:
    message = refused(lambda: make_bot("clever", folder, ["./run.sh"], ["gone"]))
    assert message == f"bot 'clever': there is no file {folder / 'gone'}."


# --- what cannot be a bot


@pytest.mark.parametrize("name", ["", " ", "a ", " a", "a\nb", "\x1b[31m", "x" * (NAME_LIMIT + 1)])
def test_a_name_that_could_not_stand_in_a_table_is_refused(folder: Path, name: str) -> None:
    assert "a bot's name is 1 to 40 printable" in refused(
        lambda: make_bot(name, folder, ["./run.sh"])
    )


@pytest.mark.parametrize("name", ["x" * NAME_LIMIT, "Ελένη", "a b", '"quoted"', "日本", "-"])
def test_other_names_are_not(folder: Path, name: str) -> None:
    assert make_bot(name, folder, ["./run.sh"]).name == name


def test_an_empty_command_is_refused(folder: Path) -> None:
    assert "its command is empty" in refused(lambda: make_bot("clever", folder, []))


def test_a_folder_that_is_missing_is_refused(tmp_path: Path) -> None:
    message = refused(lambda: make_bot("clever", tmp_path / "gone", ["{python}"]))
    assert message == f"bot 'clever': there is no folder {tmp_path / 'gone'}."


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("./gone", "there is no file"),
        ("./data", "is a folder; name the program in it"),
        ("./data/book.txt", "is not executable; try chmod +x"),
        ("no-such-program", "there is no program 'no-such-program' on the PATH"),
        ("run.sh", "no program 'run.sh' on the PATH; write ./run.sh for the file in its folder."),
        ("", "bot 'clever'"),
    ],
)
def test_a_command_that_cannot_be_run_is_refused(folder: Path, command: str, says: str) -> None:
    assert says in refused(lambda: make_bot("clever", folder, [command]).program)


def test_a_program_is_looked_up_in_the_folder_or_on_the_path(folder: Path) -> None:
    inside = make_bot("clever", folder, ["./run.sh", "./run.sh"]).program
    assert inside.argv == (str(folder / "run.sh"), "./run.sh")
    assert inside.folder == str(folder)
    assert make_bot("clever", folder, ["sh"]).program.argv == (shutil.which("sh"),)
    (folder / "x.py").touch()
    assert make_bot("clever", folder, [PYTHON, "x.py"]).program.argv == (PYTHON, "x.py")


@pytest.mark.parametrize("file", ["league.toml", "league.db", "league.db-journal"])
def test_a_league_in_its_folder_is_no_part_of_a_bot(folder: Path, file: str) -> None:
    """Else `arena init cup ... ./my_bot` would change that bot, or make it unplayable."""
    before = version(folder)
    (folder / file).touch()
    assert version(folder) == before
    (folder / "cup").mkdir()
    (folder / "cup" / "league.toml").touch()
    (folder / "cup" / "league.db").touch()
    assert version(folder) == before


@pytest.mark.parametrize("limit", ["FILES_LIMIT", "BYTES_LIMIT"])
@pytest.mark.parametrize("files", [["."], ["run.sh", "data"], ["run.sh", "data/book.txt"]])
def test_too_much_is_refused_whether_named_or_found(
    folder: Path, limit: str, files: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bot_files, limit, 1)
    message = refused(lambda: make_bot("clever", folder, ["./run.sh"], files))
    assert "bot 'clever': it has more than" in message
    assert "files = [...]" in message


def test_a_file_that_may_not_be_read_is_refused(public: Path) -> None:
    (public / "secret").touch(0o600)
    (public / "secret").chmod(0)
    with ordinary_user():
        message = refused(lambda: make_bot("clever", public, ["{python}"], ["."]).version)
    assert str(public / "secret") in message


@pytest.mark.parametrize("inner", ["", "data"])
def test_a_folder_that_may_not_be_read_is_refused_and_not_taken_for_empty(
    public: Path, inner: str
) -> None:
    (public / "mine" / "data").mkdir(parents=True)
    (public / "mine" / "data" / "book.txt").write_text("e4")
    (public / "mine" / inner).chmod(0o300)
    with ordinary_user():
        message = refused(lambda: make_bot("clever", public / "mine", ["{python}"], ["."]))
    assert message == (
        f"bot 'clever': {public / 'mine' / inner} cannot be read: Permission denied."
    )


@pytest.mark.parametrize("make", [bot_folder, lambda path: make_bot("mine", path, ["./run"])])
def test_a_folder_in_one_that_may_not_be_entered_is_refused(
    public: Path, make: Callable[[Path], Bot]
) -> None:
    (public / "bots" / "mine").mkdir(parents=True)
    (public / "bots").chmod(0o600)
    with ordinary_user():
        assert "cannot be read: Permission denied" in refused(lambda: make(public / "bots/mine"))
    (public / "bots").chmod(0o700)


def test_a_lost_bot_has_its_results_but_cannot_be_run() -> None:
    error = ArenaError("bot 'clever': there is no folder x.")
    lost = replace(lost_bot("clever", "smart", error), version="0123456789abcdef")
    assert (lost.name, lost.key, lost.version) == ("clever", "smart", "0123456789abcdef")
    assert refused(lambda: lost.program) == str(error)
    assert lost.remark == (
        "Bot 'clever': there is no folder x. Its results are those of the version that played "
        "last (012345)."
    )


def test_a_lost_bot_that_never_played_has_no_version() -> None:
    lost = lost_bot("clever", None, ArenaError("x is a folder without a bot.toml."))
    assert (lost.key, lost.version) == ("clever", "")
    assert lost.remark == "Bot 'clever': x is a folder without a bot.toml. It has not played."

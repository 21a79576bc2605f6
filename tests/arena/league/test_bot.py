"""Bots: what makes a version of one, and every way in which one cannot be found."""

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.league.bot import NAME_LIMIT, PYTHON, check_strangers_name, make_bot
from arena.league.finding import bot_folder
from protocol.errors import ArenaError
from tests.arena.conftest import ordinary_user
from tests.arena.league.conftest import refused
from tests.golden import Golden


def version(folder: Path, *command: str, name: str = "clever") -> str:
    return make_bot(name, folder, command or ("./run.sh",), ["."]).version


# --- what makes a version


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
    (folder / "book").write_text("e4")
    with_file = make_bot("one", folder, ["{python}"], ["book"])
    assert with_file.version != make_bot("one", folder, ["{python}", "book", "e4"], []).version


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


def test_a_named_file_outside_the_folder_is_refused(folder: Path) -> None:
    (folder.parent / "other").touch()
    for word in ("../other", "/etc/passwd", "data/../../other"):
        message = refused(lambda word=word: make_bot("clever", folder, ["./run.sh"], [word]))
        assert f"must be named inside its folder, not as {word!r}." in message


def test_files_that_are_named_are_a_bots_each_once_and_a_folder_stands_for_its_own(
    folder: Path,
) -> None:
    both = ("data/book.txt", "run.sh")  # all but hidden ones
    for words in (
        *(["."], [""], ["run.sh", "data"], ["run.sh", "data/"], ["run.sh", "./data"]),
        ["./run.sh", "run.sh", "data", "data/./book.txt"],
    ):
        bot = make_bot("clever", folder, ["./run.sh"], words)
        assert tuple(str(Path(file)) for file in bot.files) == both
    assert make_bot("clever", folder, ["./run.sh"], ["run.sh"]).files == ("run.sh",)


@pytest.mark.parametrize("inner", ["", "data", "data/book.txt"])
def test_a_file_or_folder_that_may_not_be_read_is_refused_and_not_taken_for_empty(
    public: Path, inner: str
) -> None:
    mine = public / "mine"
    (mine / "data").mkdir(parents=True)
    (mine / "data" / "book.txt").write_text("e4")
    (mine / inner).chmod(0o300)
    with ordinary_user():
        message = refused(lambda: make_bot("clever", mine, ["{python}"], ["."]).version)
    assert f"{mine / inner} cannot be read: Permission denied" in message
    public.chmod(0o600)
    with ordinary_user():
        for make in (lambda: bot_folder(mine), lambda: make_bot("mine", mine, ["./run"])):
            assert "cannot be read: Permission denied" in refused(make)
    public.chmod(0o755)


# --- what cannot be a bot


def test_a_name_that_could_not_stand_in_a_table_is_refused_and_others_are_not(folder: Path) -> None:
    for name in ("", " ", "a ", " a", "a\nb", "\x1b[31m", "x" * (NAME_LIMIT + 1)):
        message = refused(lambda name=name: make_bot(name, folder, ["./run.sh"]))
        assert "a bot's name is 1 to 40 printable" in message
    for name in ("-", "-rf", "--replace"):
        with pytest.raises(ArenaError, match="begins with no -"):
            check_strangers_name(name)
        assert make_bot(name, folder, ["./run.sh"]).name == name
    for name in ("x" * NAME_LIMIT, "Ελένη", "a b", '"quoted"', "日本", "a-"):
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

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
from arena.league.bot import (
    NAME_LIMIT,
    PYTHON,
    SHIPPED,
    Bot,
    bot_folder,
    find_bot,
    lost_bot,
    make_bot,
    shipped,
    shipped_bot,
)
from protocol.errors import ArenaError
from referee.games import GAMES
from tests.arena.conftest import ordinary_user


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A bot's folder: a program, a table it reads, and what does not belong to it."""
    made = tmp_path / "clever"
    (made / "data").mkdir(parents=True)
    (made / "data" / "book.txt").write_text("e4")
    (made / "data" / ".notes").write_text("to do")
    (made / "run.sh").write_text("#!/bin/sh\n")
    (made / "run.sh").chmod(0o755)
    for hidden in (".git", "__pycache__"):
        (made / hidden).mkdir()
        (made / hidden / "junk").write_text("junk")
    return made


def version(folder: Path, *command: str, name: str = "clever") -> str:
    return make_bot(name, folder, command or ("./run.sh",), ["."]).version


def refused(make: Callable[[], object]) -> str:
    """Return the message of the error, which is one line."""
    with pytest.raises(ArenaError) as caught:
        make()
    assert caught.value.exit_code == 2
    assert "\n" not in str(caught.value)
    return str(caught.value)


# --- what makes a version


def test_a_folders_files_are_all_but_hidden_ones(folder: Path) -> None:
    assert make_bot("clever", folder, ["./run.sh"], ["."]).files == ("data/book.txt", "run.sh")


@settings(
    deadline=None,
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


# --- bundled bots


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_bots_that_come_along(game: str) -> None:
    assert {"random", "sensible"} <= set(shipped(game))
    for name in shipped(game):
        bot = shipped_bot(game, name)
        assert bot
        assert bot.name == name
        assert set(bot.files) == {f"{game}_{name}.py", "kit.py"}
        assert bot.program.argv == (PYTHON, f"{game}_{name}.py")


VERSIONS = {
    "cold_war_diplomat": "380dec4a6467e350",
    "cold_war_echo": "54326991cb279877",
    "cold_war_loyal": "3c54cf7f55f63922",
    "cold_war_random": "0ece383e83251f39",
    "cold_war_sensible": "6527dab54238ea1f",
    "guerra_general": "145c66f94fadd1bf",
    "guerra_random": "b4ee2e200baba475",
    "guerra_rusher": "ce06d4e5bc953bac",
    "guerra_sensible": "808eee38dd7556e2",
    "guerra_turtle": "84bc632290d157d0",
    "world_war_cautious": "2be1561266ddcc36",
    "world_war_marshal": "ed9678139a15b903",
    "world_war_random": "f4078e9fec300e93",
    "world_war_sensible": "8cdfe822055fb443",
    "war_highest": "dfb0db131da39aa6",
    "war_random": "0b1ca41c7e5c8e9e",
    "war_sensible": "0a4554315dd9694c",
    "steal_war_random": "8a9374b059e311d6",
    "steal_war_sensible": "040132c7309dc4ea",
    "pyanitsa_lowest": "47c1bda5c058ec5d",
    "pyanitsa_random": "e44a05a1fbb7f313",
    "pyanitsa_sensible": "2fba9e9e0e9dff35",
    "tod_und_leben_random": "689894b3aec9c5ed",
    "tod_und_leben_sensible": "bc077dbc2e6c6def",
    "casino_war_cautious": "92bfc648986fdac9",
    "casino_war_random": "0bcf8db6f9b76bb5",
    "casino_war_sensible": "4f3ede2f86fe33c3",
    "khan_quiet": "5509fe2c77bd9896",
    "khan_random": "6ca2f1acddfa5d7e",
    "khan_sensible": "fe5b169ffdeed187",
    "khan_warlord": "eab48d899502835c",
    "duel_maestro": "2e7b4deb833698f0",
    "duel_random": "4f8386d4054c9fad",
    "duel_sensible": "8a4b3699c127104e",
    "duel_turtle": "ccdf26ffe506109d",
}
"""What results are stored under. A version changes with a bot's text, or with the kit's, and its
results begin anew: say so in the CHANGELOG."""


def test_the_versions_of_bundled_bots_are_what_they_were() -> None:
    found = {
        f"{game}_{name}": bot.digest
        for game in GAMES
        for name in shipped(game)
        if (bot := shipped_bot(game, name))
    }
    assert found == VERSIONS


def test_a_shipped_bot_has_a_long_name_and_may_get_another() -> None:
    assert shipped_bot("guerra", "guerra_random") == Bot(
        "guerra_random",
        SHIPPED / "guerra",
        (PYTHON, "guerra_random.py"),
        ("guerra_random.py", "kit.py"),
        borrowed=(("kit.py", str(SHIPPED / "kit.py")),),
    )
    called = shipped_bot("guerra", "random", "mine")
    assert called
    assert called.name == "mine"


def test_a_bot_of_another_game_is_not_bundled() -> None:
    assert shipped_bot("guerra", "loyal") is None
    message = refused(lambda: find_bot("loyal", "guerra"))
    assert "bundled bots of guerra are general, random" in message


# --- words of the command line, and bot.toml


def test_a_word_of_the_command_line_may_be_an_executable(folder: Path) -> None:
    bot = find_bot(str(folder / "run.sh"), "guerra")
    assert (bot.name, bot.command, bot.folder) == ("run", ("./run.sh",), folder)


def test_a_file_that_is_not_executable_is_refused_on_the_command_line(folder: Path) -> None:
    book = folder / "data" / "book.txt"
    message = refused(lambda: find_bot(str(book), "guerra"))
    assert message.endswith(
        f"{book} is not executable; try chmod +x, and a first line such as #!/bin/sh."
    )
    book.write_text("#!/bin/sh\n")
    message = refused(lambda: find_bot(str(book), "guerra"))
    assert message.endswith(f"{book} is not executable; try chmod +x.")


def test_a_source_file_is_no_program(folder: Path) -> None:
    source = folder / "bot.c"
    source.write_text("int main(void) { return 0; }\n")
    says = f"bot 'bot': {source} is a source file; name the program that is built from it"
    assert refused(lambda: find_bot(str(source), "guerra")) == f"{says}."
    (folder / "Makefile").touch()
    assert refused(lambda: find_bot(str(source), "guerra")) == f"{says} (make -C {folder})."


def test_a_word_of_the_command_line_may_be_a_folder_with_a_bot_toml(folder: Path) -> None:
    (folder / "bot.toml").write_text('command = ["./run.sh", "-v"]\n')
    bot = find_bot(str(folder), "guerra")
    assert (bot.name, bot.command) == ("clever", ("./run.sh", "-v"))
    assert bot.files == ("bot.toml", "data/book.txt", "run.sh")


@pytest.mark.parametrize(("word", "other"), [("random", "duel_random"), ("duel_random", "random")])
def test_a_word_that_means_a_bundled_bot_and_one_here_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch, word: str, other: str
) -> None:
    monkeypatch.chdir(folder)
    choice = f"here: write ./{word} for yours, or {other} for the bundled one."
    shutil.copy("run.sh", word)
    says = f"{word!r} is a bundled bot and a file {choice}"
    assert refused(lambda: find_bot(word, "duel", "called")) == says
    assert find_bot(f"./{word}", "duel").folder == folder
    assert find_bot(other, "duel").folder == SHIPPED / "duel"
    assert find_bot(word, "chess").folder == folder  # where no such bot is bundled
    Path(word).unlink()
    Path(word).mkdir()
    assert find_bot(word, "duel").folder == SHIPPED / "duel"  # a folder that is no bot's
    Path(word, "bot.toml").write_text("command = ['true']")
    says = f"{word!r} is a bundled bot and a folder {choice}"
    assert refused(lambda: find_bot(word, "duel")) == says


def test_a_bot_toml_may_give_name_and_files(folder: Path) -> None:
    (folder / "bot.toml").write_text('name = "Ada"\ncommand = ["./run.sh"]\nfiles = ["run.sh"]\n')
    assert bot_folder(folder).name == "Ada"
    assert bot_folder(folder).files == ("run.sh",)
    assert bot_folder(folder, "Bea").name == "Bea"


def test_a_folder_without_a_bot_toml_is_refused(folder: Path) -> None:
    says = f"{folder} is a folder without a bot.toml; name the program"
    assert refused(lambda: find_bot(str(folder), "guerra")) == f"{says}, as {folder / 'run.sh'}."
    (folder / "run.sh").chmod(0o644)
    assert refused(lambda: find_bot(str(folder), "guerra")) == f"{says}."


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"", 'bot.toml: command is missing: command = ["./bot"].'),
        (b"command = 'true'", 'bot.toml: command must be a list of text: command = ["./bot"].'),
        (b"command = [1]", "command must be a list of text"),
        (
            b"command = ['true']\nfiles = 'run.sh'",
            'files must be a list of text: files = ["bot.py"].',
        ),
        (b"command = ['true']\ncomand = 1", "there is no key 'comand'"),
        (b"command = ['true']\nname = 5", "name"),
        (b"command = ['true']\nname = ''", "a bot's name is 1 to 40"),
        (b"command = []", "its command is empty"),
        (b"command = [", "bot.toml"),
        (b"name = '\xff'", "bot.toml"),
    ],
)
def test_every_mistake_in_a_bot_toml_is_told(folder: Path, text: bytes, says: str) -> None:
    (folder / "bot.toml").write_bytes(text)
    assert says in refused(lambda: bot_folder(folder))


def test_a_bot_toml_that_may_not_be_read_is_told(public: Path) -> None:
    (public / "bot.toml").write_text("command = ['true']")
    (public / "bot.toml").chmod(0)
    with ordinary_user():
        message = refused(lambda: bot_folder(public))
    assert str(public / "bot.toml") in message

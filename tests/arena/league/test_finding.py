"""Words that mean a bot: bundled ones, executables, folders with a `bot.toml`."""

import shutil
from pathlib import Path

import pytest

from arena.league.bot import PYTHON, Bot
from arena.league.finding import AUTHORS_KIT, BUNDLED, bot_folder, bundled, bundled_bot, find_bot
from referee.games import GAMES
from tests.arena.conftest import ordinary_user
from tests.arena.league.conftest import refused

# --- bundled bots


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_bots_that_are_bundled(game: str) -> None:
    assert {"random", "sensible"} <= set(bundled(game))
    for name in bundled(game):
        bot = bundled_bot(game, name)
        assert bot
        assert bot.name == name
        assert set(bot.files) == {f"{game}_{name}.py", "kit.py"}
        assert bot.program.argv == (PYTHON, f"{game}_{name}.py")


VERSIONS = {
    "cold_war_diplomat": "2e3cbd4516b78c9d",
    "cold_war_echo": "54326991cb279877",
    "cold_war_loyal": "3c54cf7f55f63922",
    "cold_war_random": "0ece383e83251f39",
    "cold_war_sensible": "6527dab54238ea1f",
    "guerra_general": "145c66f94fadd1bf",
    "guerra_random": "b4ee2e200baba475",
    "guerra_rusher": "ce06d4e5bc953bac",
    "guerra_sensible": "f80c8b7a6d3facb6",
    "guerra_turtle": "84bc632290d157d0",
    "world_war_cautious": "2be1561266ddcc36",
    "world_war_marshal": "e5298f9fdf62a988",
    "world_war_random": "f4078e9fec300e93",
    "world_war_sensible": "8cdfe822055fb443",
    "war_highest": "dfb0db131da39aa6",
    "war_random": "0b1ca41c7e5c8e9e",
    "war_sensible": "0a4554315dd9694c",
    "steal_war_random": "8a9374b059e311d6",
    "steal_war_sensible": "6bb220c4ab592719",
    "pyanitsa_lowest": "47c1bda5c058ec5d",
    "pyanitsa_random": "e44a05a1fbb7f313",
    "pyanitsa_sensible": "2fba9e9e0e9dff35",
    "tod_und_leben_random": "689894b3aec9c5ed",
    "tod_und_leben_sensible": "bc077dbc2e6c6def",
    "casino_war_cautious": "92bfc648986fdac9",
    "casino_war_random": "0bcf8db6f9b76bb5",
    "casino_war_sensible": "621f86b1c5ae20f3",
    "khan_quiet": "5509fe2c77bd9896",
    "khan_random": "6ca2f1acddfa5d7e",
    "khan_sensible": "9fd9d670bd396b49",
    "khan_warlord": "afa7fd0413987804",
    "duel_maestro": "5bf596ac570b6371",
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
        for name in bundled(game)
        if (bot := bundled_bot(game, name))
    }
    assert found == VERSIONS


def test_a_bundled_bot_has_a_long_name_and_may_get_another() -> None:
    assert bundled_bot("guerra", "guerra_random") == Bot(
        "guerra_random",
        BUNDLED / "guerra",
        (PYTHON, "guerra_random.py"),
        ("guerra_random.py", "kit.py"),
        borrowed=(("kit.py", str(BUNDLED / "kit.py")),),
    )
    called = bundled_bot("guerra", "random", "mine")
    assert called
    assert called.name == "mine"


def test_a_game_without_a_random_bot_of_its_own_has_the_one_for_any_game() -> None:
    assert set(bundled("whist")) == {"random"}
    assert bundled_bot("whist", "random") == Bot(
        "random",
        BUNDLED / "any",
        (PYTHON, "any_random.py"),
        ("any_random.py", "kit.py"),
        borrowed=(("kit.py", str(AUTHORS_KIT)),),
    )
    for game in ("whist", "guerra"):
        bot = bundled_bot(game, "any_random")
        assert bot
        assert bot.command == (PYTHON, "any_random.py")
    assert bundled("guerra")["random"] == BUNDLED / "guerra" / "guerra_random.py"
    assert [*bundled("guerra")] == sorted(bundled("guerra"))


def test_without_a_game_no_word_means_a_bundled_bot() -> None:
    assert bundled("") == {}
    assert "bundled bots need --game" in refused(lambda: find_bot("random", ""))


def test_a_bot_of_another_game_is_not_bundled() -> None:
    assert bundled_bot("guerra", "loyal") is None
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


def test_a_lone_program_in_python_needs_a_folder_or_a_first_line(folder: Path) -> None:
    lone = folder / "nik.py"
    lone.write_text("import kit\n")
    assert refused(lambda: find_bot(str(lone), "guerra")) == (
        f"bot 'nik': {lone} is not executable: put it, with kit.py if it imports that, into a "
        f'folder with a bot.toml that says command = ["{{python}}", "nik.py"], and name the '
        f"folder; `arena new` makes such a one."
    )
    lone.write_text("#!/usr/bin/env python3\n")
    assert refused(lambda: find_bot(str(lone), "guerra")).endswith("try chmod +x.")


@pytest.mark.parametrize("name", ["oli.zip", "oli.tar", "oli.TGZ", "oli.tar.gz", "oli.7z"])
@pytest.mark.parametrize("mode", [0o644, 0o755])
def test_an_archive_is_to_be_unpacked(folder: Path, name: str, mode: int) -> None:
    archive = folder / name
    archive.write_bytes(b"PK\3\4")
    archive.chmod(mode)
    assert refused(lambda: find_bot(str(archive), "guerra")).endswith(
        f"{archive} is an archive; unpack it, and name the folder."
    )
    archive.write_bytes(b"#!/bin/sh\n")  # a program that unpacks itself, say
    archive.chmod(0o755)
    assert find_bot(str(archive), "guerra").command == (f"./{name}",)


def test_a_file_that_is_missing_is_told_with_the_key_that_names_it(folder: Path) -> None:
    text = 'command = ["./run.sh"]\nfiles = ["run.sh", "kit.py"]\n'
    (folder / "bot.toml").write_text(text)
    assert refused(lambda: find_bot(str(folder), "guerra")).endswith(
        f"there is no file {folder / 'kit.py'}, which `files` in bot.toml names."
    )
    (folder / "bot.toml").write_text(
        'command = ["./bot"]\nbuild = ["make"]\nsources = ["bot.rs"]\nfiles = ["bot"]\n'
    )
    assert refused(lambda: find_bot(str(folder), "guerra")).endswith(
        f"there is no file {folder / 'bot.rs'}, which `sources` in bot.toml names."
    )


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
    assert find_bot(other, "duel").folder == BUNDLED / "duel"
    assert find_bot(word, "").folder == folder  # where no such bot is bundled
    Path(word).unlink()
    Path(word).mkdir()
    assert find_bot(word, "duel").folder == BUNDLED / "duel"  # a folder that is no bot's
    Path(word, "bot.toml").write_text("command = ['true']")
    says = f"{word!r} is a bundled bot and a folder {choice}"
    assert refused(lambda: find_bot(word, "duel")) == says


@pytest.mark.parametrize(
    ("word", "near"),
    [
        ("mien", "./mine.sh"),
        ("./mien.sh", "./mine.sh"),
        ("mine", "./mine.sh"),
        ("cleverer", "./clever"),
        ("randm", "random"),
        ("sub/inne", "sub/inner.sh"),
        ("nodes", None),
        ("zzz", None),
        ("gone/mine", None),
    ],
)
def test_a_word_that_means_nothing_brings_a_near_one(
    folder: Path, word: str, near: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.parent)
    (folder / "bot.toml").write_text('command = ["./run.sh"]')
    Path("sub").mkdir()
    for name in ("mine.sh", "sub/inner.sh"):
        shutil.copy(folder / "run.sh", name)
    Path("notes").write_text("neither a program nor a bot's folder")
    message = refused(lambda: find_bot(word, "khan"))
    assert message.partition("Did you mean ")[2] == (f"{near!r}?" if near else "")


def test_a_bot_toml_may_give_name_and_files(folder: Path) -> None:
    (folder / "bot.toml").write_text('name = "Ada"\ncommand = ["./run.sh"]\nfiles = ["run.sh"]\n')
    assert bot_folder(folder).name == "Ada"
    assert bot_folder(folder).files == ("run.sh",)
    assert bot_folder(folder, "Bea").name == "Bea"


def test_a_folder_without_a_bot_toml_is_refused(folder: Path) -> None:
    says = f"{folder} has no bot.toml: put one right into it that says how the bot is run, such as "

    def told() -> str:
        return refused(lambda: find_bot(str(folder), "guerra"))

    named = f"; or name the program, {folder / 'run.sh'}."
    assert told() == f'{says}command = ["./run.sh"]{named}'
    (folder / "run.sh").chmod(0o644)
    assert told() == f'{says}command = ["./bot"].'
    for name in ("kit.py", "mine.py"):
        (folder / name).touch()
    assert told() == f'{says}command = ["{{python}}", "mine.py"].'
    (folder / "mine.zip").touch()
    assert told() == f"{folder} has no bot.toml, but an archive: unpack mine.zip."


def test_an_empty_folder_is_told(tmp_path: Path) -> None:
    assert refused(lambda: find_bot(str(tmp_path), "guerra")) == (
        f"{tmp_path} is empty: put the bot's program there, and a bot.toml that says how it is "
        f'run, such as command = ["{{python}}", "bot.py"].'
    )


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

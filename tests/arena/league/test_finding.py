"""Words that mean a bot: bundled ones, executables, folders with a `bot.toml`."""

import shutil
from pathlib import Path

import pytest

from arena.league.bot import PYTHON, Bot
from arena.league.finding import AUTHORS_KIT, BUNDLED, bot_folder, bundled, bundled_bot, find_bot
from referee.games import GAMES
from tests.arena.conftest import ordinary_user
from tests.arena.league.conftest import refused
from tests.golden import Golden


def test_every_game_has_bots_that_are_bundled() -> None:
    for game in GAMES:
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


def test_no_word_means_a_bot_of_another_game_and_without_a_game_none(golden: Golden) -> None:
    assert bundled("") == {}
    assert bundled_bot("guerra", "loyal") is None
    golden(refused(lambda: find_bot("random", "")))
    golden(refused(lambda: find_bot("loyal", "guerra")))


# --- words of the command line, and bot.toml


def test_a_word_of_the_command_line_may_be_an_executable_or_a_folder_with_a_bot_toml(
    folder: Path,
) -> None:
    bot = find_bot(str(folder / "run.sh"), "guerra")
    assert (bot.name, bot.command, bot.folder) == ("run", ("./run.sh",), folder)
    (folder / "bot.toml").write_text('command = ["./run.sh", "-v"]\n')
    bot = find_bot(str(folder), "guerra")
    assert (bot.name, bot.command) == ("clever", ("./run.sh", "-v"))
    assert bot.files == ("bot.toml", "data/book.txt", "run.sh")
    (folder / "bot.toml").write_text('name = "Ada"\ncommand = ["./run.sh"]\nfiles = ["run.sh"]\n')
    assert (bot_folder(folder).name, bot_folder(folder).files) == ("Ada", ("run.sh",))
    assert bot_folder(folder, "Bea").name == "Bea"


def test_a_file_that_is_no_program_is_refused_with_what_to_do(folder: Path, golden: Golden) -> None:
    book, lone, source = folder / "data" / "book.txt", folder / "nik.py", folder / "bot.c"
    for file, text in (
        (book, "e4"),
        (book, "#!/bin/sh\n"),
        (lone, "import kit\n"),
        (lone, "#!/usr/bin/env python3\n"),
        (source, "int main(void) { return 0; }\n"),
    ):
        file.write_text(text)
        golden(refused(lambda file=file: find_bot(str(file), "guerra")))
    (folder / "Makefile").touch()
    golden(refused(lambda: find_bot(str(source), "guerra")))
    for key, text in (
        ("files", 'command = ["./run.sh"]\nfiles = ["run.sh", "gone"]\n'),
        ("sources", 'command = ["./bot"]\nbuild = ["make"]\nsources = ["gone"]\nfiles = ["bot"]\n'),
    ):
        (folder / "bot.toml").write_text(text)
        assert f"there is no file {folder / 'gone'}, which `{key}` in bot.toml names" in (
            refused(lambda: find_bot(str(folder), "guerra"))
        )


@pytest.mark.parametrize("name", ["oli.zip", "oli.tar", "oli.TGZ", "oli.tar.gz", "oli.7z"])
def test_an_archive_is_to_be_unpacked(folder: Path, name: str) -> None:
    archive = folder / name
    archive.write_bytes(b"PK\3\4")
    for mode in (0o644, 0o755):
        archive.chmod(mode)
        assert refused(lambda: find_bot(str(archive), "guerra")).endswith(
            f"{archive} is an archive; unpack it, and name the folder."
        )
    archive.write_bytes(b"#!/bin/sh\n")  # a program that unpacks itself, say
    assert find_bot(str(archive), "guerra").command == (f"./{name}",)


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


def test_a_folder_without_a_bot_toml_is_refused_with_what_it_holds(
    folder: Path, golden: Golden
) -> None:
    def tell() -> None:
        golden(refused(lambda: find_bot(str(folder), "guerra")))

    tell()
    (folder / "run.sh").chmod(0o644)
    tell()
    for name in ("kit.py", "mine.py"):
        (folder / name).touch()
    tell()
    (folder / "mine.zip").touch()
    tell()
    shutil.rmtree(folder)
    folder.mkdir()
    tell()


def test_every_mistake_in_a_bot_toml_is_told(folder: Path, public: Path) -> None:
    for text, says in (
        (b"", 'bot.toml: command is missing: command = ["./bot"].'),
        (b"command = 'true'", 'bot.toml: command must be a list of text: command = ["./bot"].'),
        (b"command = [1]", "command must be a list of text"),
        (b"command = ['true']\nfiles = 'x'", 'files must be a list of text: files = ["bot.py"].'),
        (b"command = ['true']\ncomand = 1", "there is no key 'comand'"),
        (b"command = ['true']\nname = 5", "name"),
        (b"command = ['true']\nname = ''", "a bot's name is 1 to 40"),
        (b"command = []", "its command is empty"),
        (b"command = [", "bot.toml"),
        (b"name = '\xff'", "bot.toml"),
    ):
        (folder / "bot.toml").write_bytes(text)
        assert says in refused(lambda: bot_folder(folder))
    (public / "bot.toml").touch(0)
    with ordinary_user():
        assert str(public / "bot.toml") in refused(lambda: bot_folder(public))

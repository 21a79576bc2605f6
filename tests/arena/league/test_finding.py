"""Words that mean a bot: bundled ones, executables, folders with a `bot.toml`."""

import shutil
from pathlib import Path

import pytest

from arena.league.bot import PYTHON, Bot
from arena.league.finding import BUNDLED, KIT, bot_folder, bundled, bundled_bot, find_bot
from referee.games import GAMES
from tests.arena.conftest import ordinary_user
from tests.arena.league.conftest import refused
from tests.golden import Golden


def test_every_game_has_bots_that_are_bundled_and_have_the_versions_they_had(
    golden: Golden,
) -> None:
    """Results are stored under a version. One changes with a bot's text, or with the kit's, and its
    results begin anew: say so in the CHANGELOG.
    """
    versions = []
    for game in GAMES:
        assert {"random", "sensible"} <= set(bundled(game))
        for name in bundled(game):
            bot = bundled_bot(game, name)
            assert bot
            assert (bot.name, bot.program.argv) == (name, (PYTHON, f"{game}_{name}.py"))
            assert set(bot.files) == {f"{game}_{name}.py", "kit.py"}
            versions.append(f"{game}_{name} {bot.digest}")
    golden("\n".join(sorted(versions)))


def test_a_bundled_bot_has_a_long_name_and_a_game_without_a_random_one_has_that_for_any() -> None:
    for game, word, folder in (
        *(("guerra", "guerra_random", "guerra"), ("whist", "random", "any")),
        ("guerra", "any_random", "any"),
    ):
        bot, file = bundled_bot(game, word), f"{folder}_random.py"
        kit = (("kit.py", str(KIT)),)
        folder_of = BUNDLED / folder
        assert bot == Bot(word, folder_of, (PYTHON, file), (file, "kit.py"), borrowed=kit)
    called = bundled_bot("guerra", "random", "mine")
    assert called
    assert (called.name, called.folder) == ("mine", BUNDLED / "guerra")
    assert (set(bundled("whist")), [*bundled("guerra")]) == ({"random"}, sorted(bundled("guerra")))


def test_no_word_means_a_bot_of_another_game_and_without_a_game_none(golden: Golden) -> None:
    assert (bundled(""), bundled_bot("guerra", "loyal")) == ({}, None)
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
    for text in (
        'command = ["./run.sh"]\nfiles = ["run.sh", "gone"]\n',
        'command = ["./bot"]\nbuild = ["make"]\nsources = ["gone"]\nfiles = ["bot"]\n',
    ):
        (folder / "bot.toml").write_text(text)
        golden(refused(lambda: find_bot(str(folder), "guerra")))


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


def test_a_folder_without_a_bot_toml_is_refused_with_what_it_holds(
    folder: Path, golden: Golden
) -> None:
    for step in (
        lambda: None,
        lambda: (folder / "run.sh").chmod(0o644),
        lambda: [(folder / name).touch() for name in ("kit.py", "mine.py")],
        (folder / "mine.zip").touch,
        lambda: (shutil.rmtree(folder), folder.mkdir()),
    ):
        step()
        golden(refused(lambda: find_bot(str(folder), "guerra")))


def test_an_archive_is_to_be_unpacked(folder: Path) -> None:
    for name in ("oli.zip", "oli.tar", "oli.TGZ", "oli.tar.gz", "oli.7z"):
        archive = folder / name
        archive.write_bytes(b"PK\3\4")
        for mode in (0o644, 0o755):
            archive.chmod(mode)
            said = refused(lambda archive=archive: find_bot(str(archive), "guerra"))
            assert said.endswith(f"{archive} is an archive; unpack it, and name the folder.")
        archive.write_bytes(b"#!/bin/sh\n")  # a program that unpacks itself, say
        assert find_bot(str(archive), "guerra").command == (f"./{name}",)


def test_every_mistake_in_a_bot_toml_is_told(folder: Path, public: Path, golden: Golden) -> None:
    for text in (
        *(b"", b"command = 'true'", b"command = [1]", b"command = ['true']\nfiles = 'x'"),
        *(b"command = ['true']\ncomand = 1", b"command = ['true']\nname = 5", b"command = []"),
        *(b"command = ['true']\nname = ''", b"command = [", b"name = '\xff'"),
        *(b"command = ['true']\nsandbox = 'bwrap'", b"command = ['true']\nproc = 1979-05-27"),
        b"command = ['true']\nproc = true\nproc = true\n",
    ):
        (folder / "bot.toml").write_bytes(text)
        golden(refused(lambda: bot_folder(folder)))
    (public / "bot.toml").touch(0)
    with ordinary_user():
        assert str(public / "bot.toml") in refused(lambda: bot_folder(public))


def test_a_word_that_means_nothing_brings_a_near_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.parent)
    (folder / "bot.toml").write_text('command = ["./run.sh"]')
    Path("sub").mkdir()
    for name in ("mine.sh", "sub/inner.sh"):
        shutil.copy(folder / "run.sh", name)
    Path("notes").write_text("neither a program nor a bot's folder")
    for word, near in (
        *(("mien", "./mine.sh"), ("./mien.sh", "./mine.sh"), ("mine", "./mine.sh")),
        *(("cleverer", "./clever"), ("randm", "random"), ("sub/inne", "sub/inner.sh")),
        *(("nodes", None), ("zzz", None), ("gone/mine", None)),
    ):
        message = refused(lambda word=word: find_bot(word, "khan"))
        assert message.partition("Did you mean ")[2] == (f"{near!r}?" if near else "")

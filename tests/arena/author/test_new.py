"""`arena new`: a folder with a bot that is fit to play at once."""

import json
import re
import shlex
import shutil
import tomllib
from pathlib import Path

import pytest

from tests.arena.conftest import Arena
from tests.bots.template_cases import LANGUAGES, NEAR, OTHERS
from tests.faults.workshop import small_disk
from tests.golden import Golden


def made(arena: Arena, folder: Path, language: str, game: str) -> Path:
    """Begin a bot; skip, loudly, where its language is not there."""
    if lacking := LANGUAGES[language].lacking:
        title = LANGUAGES[language].title.upper()
        pytest.skip(f"NO {' AND NO '.join(lacking)} HERE: NO BOT IN {title} IS CHECKED")
    result = arena("new", folder, "--lang", language, "--game", game)
    assert result.exit_code == 0, result.stderr
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(("language", "game"), [*NEAR, *OTHERS])
def test_a_new_bot_is_fit_to_play(arena: Arena, tmp_path: Path, language: str, game: str) -> None:
    """In the default sandbox: tests of the templates play every game in every language."""
    result = arena("check", made(arena, tmp_path / "mine", language, game), "--game", game)
    assert result.exit_code == 0, result.stdout + result.stderr
    assert f"mine is fit to play {game}.\n" in result.stdout


def test_its_readme_names_the_game_and_what_to_try(arena: Arena, tmp_path: Path) -> None:
    text = (made(arena, tmp_path / "rex", "python", "khan") / "README.md").read_text()
    assert text.startswith("# rex\n\nA bot for khan in Python: ")
    assert "arena play khan . random --step" in text
    assert "(`front`, `face_up`, `hand_size`, `hand`)" in text
    assert "A worked example, in Python, is `arena bots khan --show sensible`." in text
    assert "$" not in text


@pytest.mark.slow
def test_the_commands_for_programs_work_as_its_page_shows_them(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = made(arena, tmp_path / "rex", "python", "guerra")
    text = (folder / "AGENTS.md").read_text()
    assert text.startswith("# For programs that write this bot\n\nThis folder holds rex, a bot for")
    assert "$" not in text
    shutil.copytree(folder, tmp_path / "before")
    with (folder / "bot.py").open("a") as program:
        program.write("# changed\n")
    monkeypatch.chdir(folder)
    told = {}
    loop = text.partition("## Work")[2].partition("## What is forbidden")[0]
    for command in re.findall("`arena ([^`]+)`", loop):
        command = command.replace("NAME", "rex")
        if "MATCH" in command:
            [*_, met] = json.loads(told["why"])["rivals"]
            command = command.replace("MATCH", met["closest"] or met["clearest"])
        quick = ["--deals", "2"] if command.startswith("init") else []
        result = arena(*shlex.split(command.replace("10m", "2s")), *quick)
        assert result.exit_code == 0, (command, result)
        told[command.split()[0]] = result.stdout
    assert "failed" not in {step["state"] for step in json.loads(told["check"])["steps"]}
    verdict = json.loads(told["compare"])["comparison"][0]["verdict"]
    assert f"`{verdict}`" in loop, "the page names it"
    assert json.loads(told["show"])["decisions"]


def test_any_name_stands_in_what_it_prints_and_in_its_readme(arena: Arena, tmp_path: Path) -> None:
    for name in ("mi bot", "o'neill", 'the "best"', "back\\slash", "$HOME", "ø"):
        folder = tmp_path / name
        result = arena("new", folder, "--lang", "c", "--game", "duel")
        (following,) = [line for line in result.stdout.splitlines() if line.startswith("Next: ")]
        words = ["arena", "check", str(folder), "--game", "duel"]
        assert shlex.split(following.removeprefix("Next: ")) == words
        readme = (folder / "README.md").read_text()
        toml = readme.partition("```toml\n")[2].partition("```")[0]
        assert tomllib.loads(toml)["bot"] == [{"name": name, "folder": f"../{name}"}]
        assert str(tmp_path) not in readme
        for commands in readme.split("```sh\n")[1:]:
            assert name not in commands.partition("```")[0]


def test_on_a_full_disk_nothing_is_left(arena: Arena, tmp_path: Path) -> None:
    with small_disk(tmp_path, 8):
        result = arena("new", tmp_path / "sub" / "mine", "--lang", "python", "--game", "guerra")
        assert list(tmp_path.iterdir()) == []
    assert result.exit_code == 1
    assert result.stderr == (
        f"arena: {tmp_path}/sub/mine cannot be written: No space left on device. Free some space "
        f"there, then run again.\n"
    )


def test_a_mistake_is_refused_and_nothing_written(
    arena: Arena, tmp_path: Path, golden: Golden
) -> None:
    (tmp_path / "bot.py").write_text("mine")
    for name, language, game in (
        *(("turtle", "python", "duel"), ("duel_turtle", "python", "duel")),
        *(("human", "python", "duel"), (".", "python", "war"), ("bot.py/mine", "python", "war")),
        *(("mine", "phyton", "war"), ("mine", "cobol", "war"), ("mine", "c", "whist")),
    ):
        result = arena("new", tmp_path / name, "--lang", language, "--game", game)
        assert (result.exit_code, result.stdout) == (2, "")
        golden(result.stderr)
        assert [path.name for path in tmp_path.iterdir()] == ["bot.py"]
    words = ("new", tmp_path / "turtle", "--lang", "JS", "--game", "khan")
    assert arena(*words).exit_code == 0, "a bot of another game lends its name"
    assert (tmp_path / "turtle" / "bot.js").is_file()

"""`arena add` and `arena replace`: who is entered, who is refused and why, and what is written."""

import json
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from arena.store.opening import read_played
from tests.arena.conftest import ARENA, ROOT, Arena
from tests.arena.organize.conftest import FILE, FINE, MakeBot
from tests.golden import Golden
from tests.referee.process_watch import until

QUICK = ("--seconds", "0.1")


def verdicts(arena: Arena, *words: object, code: int = 0) -> dict[str, dict[str, Any]]:
    """Return the rows of `arena add`, by bot."""
    result = arena("add", *words, *QUICK, "--format", "json")
    assert result.exit_code == code, result.output
    return {row["bot"]: row for row in json.loads(result.stdout)["bots"]}


def states(arena: Arena, *words: object, code: int = 0) -> dict[str, str]:
    return {bot: row["verdict"] for bot, row in verdicts(arena, *words, code=code).items()}


def names(cup: Path) -> list[str]:
    return [bot.name for bot in read_played(cup).bots]


def text(cup: Path) -> str:
    return (cup / "league.toml").read_text()


@pytest.mark.slow  # it checks eight bots
def test_those_that_are_fit_are_entered_and_the_others_are_not(
    arena: Arena, cup: Path, make_bot: MakeBot
) -> None:
    make_bot("in/ada")
    make_bot("in/bob", "def (")
    make_bot("in/cyd", 'import kit\nkit.run(lambda ask: {"action": "fly"})\n')
    make_bot("in/dan", toml="")
    make_bot("in/eve", toml='command = "bot.py"')
    make_bot("in/fay/fay-main")
    make_bot("in/gil", toml='name = "Gil the Great"\ncommand = ["{python}", "bot.py"]')
    (Path("in") / "notes.txt").write_text("to be read\n")
    result = arena("add", cup, "in", "sensible", *QUICK)
    assert result.exit_code == 1
    said = " ".join(result.stdout.split())
    assert "8 bots: 4 entered, 4 refused. Next: arena run cup" in said
    assert (
        "No folders, so no bots were looked for in: in/notes.txt. Unpack archives; a lone program "
        "needs a folder with a bot.toml beside it."
    ) in said
    assert names(cup) == ["Gil the Great", "ada", "fay", "sensible"]
    assert text(cup) == FILE + "".join(
        f'\n[[bot]]\nname = "{name}"\n{key} = "{value}"\n'
        for name, key, value in [
            ("ada", "folder", "../in/ada"),
            ("fay", "folder", "../in/fay/fay-main"),
            ("Gil the Great", "folder", "../in/gil"),
            ("sensible", "shipped", "guerra_sensible"),
        ]
    )
    rows = verdicts(arena, cup, "in", code=1)
    assert {name: row["step"] for name, row in rows.items() if row["verdict"] == "refused"} == {
        "bob": "says ready",
        "cyd": "answers with legal moves",
        "dan": "can be run",
        "eve": "can be run",
    }
    assert "SyntaxError" in rows["bob"]["why"]
    assert 'command must be a list of text: command = ["./bot"]' in rows["eve"]["why"]


@pytest.mark.slow
def test_what_is_entered_can_be_played_and_is_not_checked_again(
    arena: Arena, cup: Path, make_bot: MakeBot
) -> None:
    ada = make_bot("ada")
    assert states(arena, cup, "ada", "two of=ada", "rusher") == {
        "ada": "entered",
        "two of": "entered",
        "rusher": "entered",
    }
    assert arena("run", cup, "--workers", "1").exit_code == 0
    before = text(cup)
    assert states(arena, cup, "ada", "two of=ada", "rusher") == dict.fromkeys(
        ["ada", "two of", "rusher"], "unchanged"
    )
    (ada / "bot.py").write_text(FINE + "# better\n")
    assert states(arena, cup, "ada") == {"ada": "replaced"}
    (ada / "bot.py").write_text("def (")
    row = verdicts(arena, cup, "ada", code=1)["ada"]
    assert row["verdict"] == "refused"
    assert "it is in the league with these files: mend them, or `arena remove` it" in row["why"]
    assert text(cup) == before


def test_bots_that_are_one_program_are_told(arena: Arena, cup: Path, make_bot: MakeBot) -> None:
    make_bot("ada")
    told = arena("add", cup, "ada", "bea=ada", *QUICK)
    assert "ada and bea are the same program, file by file." in told.stderr
    assert "same program" not in arena("add", cup, "rusher", *QUICK).stderr
    words = ("init", "new", "a=random", "b=random", "rusher", "--game", "guerra")
    assert "a and b are the same program, file by file." in arena(*words).stderr


def test_names_that_are_taken(arena: Arena, cup: Path, make_bot: MakeBot) -> None:
    make_bot("one/ada")
    make_bot("two/ada", FINE + "# another\n")
    rows = verdicts(arena, cup, "one/ada", "two/ada", code=1)  # and two rows of one name
    assert rows["ada"]["verdict"] == "refused"
    assert (
        "another bot of this command is called 'ada' too; name one otherwise" in rows["ada"]["why"]
    )
    assert names(cup) == ["ada"]
    row = verdicts(arena, cup, "two/ada", code=1)["ada"]
    assert "there is another bot of this name; `arena replace`, or --replace, puts" in row["why"]
    assert "OTHER=two/ada enters it under another name" in row["why"]
    assert states(arena, cup, "ada 2=two/ada") == {"ada 2": "entered"}
    assert states(arena, cup, "two/ada", "--replace") == {"ada": "replaced"}
    assert 'name = "ada"\nfolder = "../two/ada"' in text(cup)
    arena("disqualify", cup, "ada", "--reason", "it cheats")
    row = verdicts(arena, cup, "one/ada", code=1)["ada"]
    assert row["why"] == (
        "ada was disqualified: it cheats. `arena disqualify --undo` lets it play again."
    )


@pytest.mark.slow
def test_no_two_names_look_alike(arena: Arena, cup: Path) -> None:
    assert states(arena, cup, "Same=random") == {"Same": "entered"}
    rows = verdicts(arena, cup, "SAME=rusher", "s\u0430me=rusher", code=1)
    assert {row["verdict"] for row in rows.values()} == {"refused"}
    assert rows["SAME"]["why"] == (
        "the name 'SAME' looks like 'Same', which is in the league already; choose another name."
    )
    told = arena("init", "new", "--game", "guerra", "Same=random", "sAME=rusher")
    assert (told.exit_code, "'sAME' looks like 'Same'" in told.stderr) == (2, True)
    assert not Path("new").exists()
    with (cup / "league.toml").open("a") as file:  # as older leagues may have it
        file.write('\n[[bot]]\nname = "SAME"\nshipped = "rusher"\n')
    assert names(cup) == ["SAME", "Same"]
    assert states(arena, cup, "third=rusher") == {"third": "entered"}


def test_a_word_that_means_no_bot_is_refused_and_the_others_are_entered(
    arena: Arena, cup: Path, make_bot: MakeBot
) -> None:
    make_bot("ada")
    Path("empty").mkdir()
    words = {
        "=ada": "has no name before the =",
        "./adda": "Did you mean './ada'?",
        f"{'x' * 41}=ada": "a bot's name is 1 to 40 printable characters",
        "human": "a human cannot play in a league",
        "empty": "empty is empty: put the bot's program there, and a bot.toml",
    }
    rows = [*verdicts(arena, cup, *words, "ada", code=1).values()]
    for says, row in zip(words.values(), rows, strict=False):
        assert says in row["why"]
    assert len(rows) == len(words) + 1
    assert names(cup) == ["ada"]


@pytest.mark.slow
def test_a_copy_is_entered_that_no_change_reaches(
    arena: Arena, cup: Path, make_bot: MakeBot
) -> None:
    files = '["bot", "bot.py", "kit.py", "guerra_random.py"]'
    make_bot("odd", toml='name = "b/c"\ncommand = ["{python}", "bot.py"]\n')
    ada = make_bot("in/ada", toml=f'command = ["./bot"]\nfiles = {files}\n')
    (ada / "bot").write_text("#!/bin/sh\nexec python3 bot.py\n")
    (ada / "bot").chmod(0o755)
    (ada / "diary.txt").write_text("not the bot's\n")
    assert states(arena, cup, "in/ada", "odd", "random", "--copy") == {
        "ada": "entered",
        "b/c": "entered",
        "random": "entered",
    }
    [place, other] = sorted((cup / "bots").iterdir())
    assert place.name.startswith("ada-")
    assert other.name.startswith("b%2Fc-")
    assert sorted(file.name for file in place.iterdir()) == [
        *("bot", "bot.py", "bot.toml", "guerra_random.py", "kit.py")
    ]
    assert f'folder = "bots/{place.name}"' in text(cup)
    version = {bot.name: bot.version for bot in read_played(cup).bots}["ada"]
    (ada / "bot.py").write_text("def (")
    assert {bot.name: bot.version for bot in read_played(cup).bots}["ada"] == version
    assert arena("run", cup, "--workers", "1").exit_code == 0
    row = verdicts(arena, cup, "in/ada", "--copy", "--replace", code=1)["ada"]
    assert row["step"] == "says ready"
    assert f'folder = "bots/{place.name}"' in text(cup)
    (ada / "bot.py").write_text(FINE + "# better\n")
    assert states(arena, cup, "in/ada", "--copy", "--replace") == {"ada": "replaced"}
    assert len(list((cup / "bots").iterdir())) == 3


def test_verdicts_are_written_for_the_authors(arena: Arena, cup: Path, make_bot: MakeBot) -> None:
    make_bot("in/ada")
    make_bot("in/bob", "import sys\nsys.exit('no ' + __file__)\n")
    make_bot("in/cyd", toml='command = ["./cyd"]')
    make_bot("in/dan", toml="")
    (Path("in") / "eve").mkdir()
    fay = make_bot("in/fay", toml='command = ["{python}", "bot.py"]\nfiles = ["bot.py", "kit.py"]')
    (fay / "kit.py").unlink()
    make_bot("odd", toml='name = "a/b"\ncommand = ["{python}", "bot.py"]\n')
    make_bot("two/ada")
    words = (cup, "in", "odd", "two/ada", "--feedback", "back")
    assert states(arena, *words, code=1)["bob"] == "refused"
    told = {
        path.parent.name: " ".join(path.read_text().split())
        for path in Path("back").glob("*/verdict.txt")
    }
    for name, says in {
        "a%2Fb": "a/b is fit to play guerra",
        "ada": "ada is fit to play guerra",
        "ada 2": "another bot of this command is called 'ada' too",
        "bob": "bob is not fit to play guerra. Step 2 failed: says ready.",
        "cyd": "there is no file",
        "dan": "the folder has no bot.toml: put one right into it",
        "eve": "the folder is empty: put the bot's program there",
        "fay": "there is no file kit.py, which `files` in bot.toml names",
    }.items():
        assert says in told.pop(name)
    assert not told
    for path in Path("back").glob("*/verdict.txt"):
        assert str(Path.cwd()) not in path.read_text()
    assert "Standard error:" in Path("back/bob/verdict.txt").read_text()
    assert "two" not in Path("back/ada 2/verdict.txt").read_text()


def test_a_file_that_cannot_be_changed_is_told_before_any_check(arena: Arena, cup: Path) -> None:
    (cup / "league.toml").write_text(FILE + 'bots = "x"\n')
    for league, says in ((cup, "league.toml:"), ("nowhere", "there is no league 'nowhere'")):
        result = arena("add", league, "no such bot", *QUICK)
        assert result.exit_code == 2
        assert says in result.stderr


@pytest.mark.slow
def test_a_bot_is_replaced_if_the_new_one_is_fit_and_stays_disqualified(
    arena: Arena, cup: Path, make_bot: MakeBot, golden: Golden
) -> None:
    make_bot("ada")
    make_bot("better", FINE + "# better\n")
    make_bot("worse", "def (")
    arena("add", cup, "ada", "rusher", *QUICK)
    before = text(cup)
    told = arena("replace", cup, "ada", "worse", *QUICK)
    assert told.exit_code == 1
    assert "ada is not fit to play guerra. Step 2 failed: says ready." in told.stdout
    assert told.stderr.endswith("ada stays as it was.\n")
    assert text(cup) == before
    told = arena("replace", cup, "ada", "better", *QUICK)
    assert told.exit_code == 0, told.output
    golden(told.stdout)
    assert text(cup) == before.replace("../ada", "../better")
    told = arena("replace", cup, "adda", "better", *QUICK)
    assert (told.exit_code, "Did you mean 'ada'?" in told.stderr) == (2, True)
    arena("disqualify", cup, "ada", "--reason", "it cheats")
    told = arena("replace", cup, "ada", "rusher", *QUICK)
    assert told.exit_code == 0
    golden(told.stderr)
    assert names(cup) == ["rusher"]


@pytest.mark.slow
def test_ctrl_c_keeps_what_was_entered_and_leaves_no_process(
    cup: Path, make_bot: MakeBot, tmp_path: Path
) -> None:
    make_bot("ada")
    make_bot("bob", "import time\ntime.sleep(1000)\n")
    words = [*ARENA, "add", tmp_path / cup, tmp_path / "ada", tmp_path / "bob", *QUICK]
    with subprocess.Popen(words, cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:
        until(lambda: 'name = "ada"' in text(cup), 20)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=10)
    assert process.returncode == 1
    assert "interrupted" in told
    assert names(cup) == ["ada"]
    until(lambda: not running_in(tmp_path / "bob"), 5)


def running_in(folder: Path) -> list[str]:
    """Return the processes whose folder this is."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "cwd").readlink() == folder:
                found.append(process.name)
        except OSError:
            continue
    return found


def test_bots_are_built_within_the_limits_of_the_league(
    arena: Arena, cup: Path, make_bot: MakeBot
) -> None:
    made = make_bot("mine", toml='command = ["./bot"]\nbuild = ["sleep", "5"]\nfiles = ["bot"]\n')
    with (cup / "league.toml").open("a") as file:
        file.write("\n[build]\nseconds = 0.2\n")
    result = arena("add", cup, made, *QUICK)
    assert result.exit_code == 1
    assert "ran longer than 0.2 s" in " ".join(result.stdout.split())

"""`arena add`: who is entered, who is refused and why, and what is written."""

import json
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.arena.conftest import ARENA, ROOT, Arena
from tests.arena.organize.conftest import FILE, FINE, MakeBot, names, text
from tests.golden import Golden
from tests.referee.process_watch import until, working_in

QUICK = ("--seconds", "0.1")


def verdicts(arena: Arena, *words: object, code: int = 0) -> dict[str, dict[str, Any]]:
    """Return the rows of `arena add`, by bot."""
    result = arena("add", *words, *QUICK, "--format", "json")
    assert result.exit_code == code, result.output
    return {row["bot"]: row for row in json.loads(result.stdout)["bots"]}


def states(arena: Arena, *words: object, code: int = 0) -> list[str]:
    """Return the verdicts in the order of the words."""
    return [row["verdict"] for row in verdicts(arena, *words, code=code).values()]


@pytest.mark.slow  # it checks eleven bots
def test_those_that_are_fit_are_entered_and_the_others_are_told_why_not(
    arena: Arena, cup: Path, make_bot: MakeBot, golden: Golden
) -> None:
    make_bot("in/ada")
    make_bot("in/bob", "import sys\nsys.exit('no ' + __file__)\n")
    make_bot("in/cyd", 'import kit\nkit.run(lambda ask: {"action": "fly"})\n')
    make_bot("in/dan", toml="")
    make_bot("in/eve", toml='command = "bot.py"')
    make_bot("in/fay/fay-main")
    make_bot("in/gil", toml='name = "a/b"\ncommand = ["{python}", "bot.py"]')
    make_bot("in/hal", toml='command = ["./hal"]')
    (Path("in") / "ivy").mkdir()
    files = 'files = ["bot.py", "kit.py"]'
    jim = make_bot("in/jim", toml=f'command = ["{{python}}", "bot.py"]\n{files}')
    (jim / "kit.py").unlink()
    make_bot("two/ada")
    (Path("in") / "notes.txt").write_text("to be read\n")
    words = ("add", cup, "in", "two/ada", "sensible", *QUICK, "--feedback", "back")
    result = arena(*words)
    assert result.exit_code == 1
    said = " ".join(result.stdout.split())
    golden(said[said.index("13 bots:") :])
    assert names(cup) == ["ada", "dan", "fay", "gil", "sensible"]
    golden(text(cup).removeprefix(FILE))
    told = {path.parent.name: path.read_text() for path in Path("back").glob("*/verdict.txt")}
    for name in ("ada", "dan", "fay", "gil"):
        assert "is fit to play guerra" in told.pop(name)
    assert 'sent: {"action":"fly"}' in told.pop("cyd")  # with times, which differ
    for name in sorted(told):
        golden(told[name])
        assert str(Path.cwd()) not in told[name]
        assert "two/ada" not in told[name]
    rows = verdicts(arena, cup, "in", code=1)
    assert all(row["for_author"] for row in rows.values())
    assert {name: row["step"] for name, row in rows.items() if row["verdict"] == "refused"} == {
        "bob": "says ready",
        "cyd": "answers with legal moves",
        **dict.fromkeys(("eve", "hal", "ivy", "jim", "notes"), "can be run"),
    }


@pytest.mark.slow
def test_what_is_entered_can_be_played_and_is_not_checked_again(
    arena: Arena, cup: Path, make_bot: MakeBot
) -> None:
    ada = make_bot("ada")
    bots = ("ada", "two of=ada", "rusher")
    assert states(arena, cup, *bots) == ["entered"] * 3
    assert arena("run", cup, "--workers", "1").exit_code == 0
    before = text(cup)
    assert states(arena, cup, *bots) == ["unchanged"] * 3
    (ada / "bot.py").write_text(FINE + "# better\n")
    assert states(arena, cup, "ada") == ["replaced"]
    (ada / "bot.py").write_text("def (")
    row = verdicts(arena, cup, "ada", code=1)["ada"]
    assert row["verdict"] == "refused"
    assert "it is in the league with these files: mend them, or `arena remove` it" in row["why"]
    assert text(cup) == before


@pytest.mark.slow  # it checks programs
def test_a_folder_of_programs_is_entered_and_next_week_only_what_changed(
    arena: Arena, cup: Path, make_bot: MakeBot, golden: Golden
) -> None:
    make_bot("in/ada", FINE, toml="")
    (Path("in") / "ada" / "guerra_random.py").rename(Path("in") / "ada" / "other.py")
    program = "import kit\nkit.run(lambda ask: ask.legal[0] if ask.legal else ask.samples[0])\n"
    for name in ("bob", "cyd", "dan"):
        (Path("in") / f"{name}.py").write_text(program + f"# {name}\n")
    (Path("in") / "cyd.py").write_text("def (\n")
    (Path("in") / "kit.py").write_bytes((Path("in") / "ada" / "kit.py").read_bytes())
    result = arena("add", cup, "in", *QUICK)
    assert result.exit_code == 1
    golden(result.stdout)
    assert names(cup) == ["bob", "dan"]
    assert sorted(path.name[:4] for path in (cup / "bots").iterdir()) == ["bob-", "dan-"]
    shutil.rmtree("in/ada")
    (Path("in") / "bob.py").write_text(program + "# better\n")
    (Path("in") / "cyd.py").write_text(program + "# mended\n")
    rows = verdicts(arena, cup, "in", code=1)
    said = {name: row["verdict"] for name, row in rows.items()}
    assert said == {"bob": "changed", "cyd": "entered", "dan": "unchanged"}
    assert "--replace puts this one in its place" in rows["bob"]["why"]
    assert "league plays on" in rows["bob"]["for_author"]
    assert "--replace" not in rows["bob"]["for_author"]
    feedback = cup.parent / "feedback"
    golden(arena("add", cup, "in/bob.py", "--feedback", feedback, *QUICK).stdout)
    golden((feedback / "bob" / "verdict.txt").read_text())
    rows = verdicts(arena, cup, "in", "--replace")
    said = {name: row["verdict"] for name, row in rows.items()}
    assert said == {"bob": "replaced", "cyd": "unchanged", "dan": "unchanged"}
    (Path("in") / "bob.py").write_text("def (\n")
    row = verdicts(arena, cup, "in/bob.py", "--replace", code=1)["bob"]
    assert row["verdict"] == "refused"
    assert row["for_author"].endswith("plays on.")


@pytest.mark.slow  # it checks programs
def test_who_has_several_bots_is_told(arena: Arena, cup: Path, golden: Golden) -> None:
    program = "import kit\nkit.run(lambda ask: ask.legal[0] if ask.legal else ask.samples[0])\n"
    for week, number in (1, 11), (1, 12), (2, 13):
        file = Path(f"week {week}") / f"Ann Lee_{number}_assignsubmission_file_bot.py"
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"{program}# {number}\n")
    for week in "week 1", "week 2":
        golden(arena("add", cup, week, *QUICK).stdout)
    assert names(cup) == ["Ann_Lee", "Ann_Lee_11", "Ann_Lee_12"]


def test_names_that_are_taken(arena: Arena, cup: Path, make_bot: MakeBot) -> None:
    make_bot("one/ada")
    make_bot("two/ada", FINE + "# another\n")
    rows = verdicts(arena, cup, "one/ada", "two/ada", code=1)  # and two rows of one name
    assert "another bot of this command is called 'ada' too. To enter" in rows["ada"]["why"]
    assert names(cup) == ["ada"]
    row = verdicts(arena, cup, "two/ada", code=1)["ada"]
    assert "it differs from the ada that is in the league. --replace puts this" in row["why"]
    assert "OTHER=two/ada enters it under another name" in row["why"]
    assert states(arena, cup, "two/ada", "--replace") == ["replaced"]
    assert 'name = "ada"\nfolder = "../two/ada"' in text(cup)


def test_names_that_look_alike(arena: Arena, cup: Path, make_bot: MakeBot) -> None:
    make_bot("one/ada")
    assert states(arena, cup, "one/ada") == ["entered"]
    rows = verdicts(arena, cup, "ADA=rusher", "\u0430da=rusher", code=1)
    assert {row["verdict"] for row in rows.values()} == {"refused"}
    assert "the name 'ADA' looks like 'ada', which is in the league" in rows["ADA"]["why"]
    told = arena("init", "new", "--game", "guerra", "Same=random", "sAME=rusher")
    assert (told.exit_code, "'sAME' looks like 'Same'" in told.stderr) == (2, True)
    assert not Path("new").exists()
    with (cup / "league.toml").open("a") as file:  # as older leagues may have it
        file.write('\n[[bot]]\nname = "ADA"\nshipped = "rusher"\n')
    assert states(arena, cup, "third=rusher") == ["entered"]
    arena("remove", cup, "ada", "--because", "it cheats")
    assert verdicts(arena, cup, "one/ada", code=1)["ada"]["why"] == (
        "ada was disqualified: it cheats. `arena remove cup ada --undo` lets it play again."
    )
    (cup / "league.toml").write_text(FILE + 'bots = "x"\n')
    told = arena("add", cup, "no such bot")  # told before any check
    assert (told.exit_code, "league.toml:" in told.stderr) == (2, True)


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
    assert states(arena, cup, "in/ada", "odd", "random", "--copy") == ["entered"] * 3
    [place, other] = sorted((cup / "bots").iterdir())
    assert (place.name[:4], other.name[:6]) == ("ada-", "b%2Fc-")
    assert sorted(file.name for file in place.iterdir()) == [
        *("bot", "bot.py", "bot.toml", "guerra_random.py", "kit.py")
    ]
    before = text(cup)
    assert f'folder = "bots/{place.name}"' in before
    (ada / "bot.py").write_text("def (")
    assert arena("run", cup, "--workers", "1").exit_code == 0
    again = ("in/ada", "--copy", "--replace")
    assert verdicts(arena, cup, *again, code=1)["ada"]["step"] == "says ready"
    assert text(cup) == before
    (ada / "bot.py").write_text(FINE + "# better\n")
    assert states(arena, cup, *again) == ["replaced"]
    assert len(list((cup / "bots").iterdir())) == 3


@pytest.mark.slow
def test_a_bot_is_replaced_if_the_new_one_is_fit_and_stays_disqualified(
    arena: Arena, cup: Path, make_bot: MakeBot, golden: Golden
) -> None:
    make_bot("ada")
    make_bot("better", FINE + "# better\n")
    make_bot("worse", "def (")
    arena("add", cup, "ada", "rusher", *QUICK)
    before = text(cup)
    told = arena("add", cup, "ada=worse", "--replace", *QUICK)
    assert told.exit_code == 1
    assert "REFUSED" in told.stdout
    assert text(cup) == before
    arena("run", cup)
    golden(arena("add", cup, "ada=better", "--replace", *QUICK).stdout)
    assert text(cup) == before.replace("../ada", "../better")
    told = arena("add", cup, "ada", "--replace", *QUICK)
    assert "ada: played before, so that its results are back" in told.stdout
    arena("add", cup, "ada=better", "--replace", *QUICK)
    arena("remove", cup, "ada", "--because", "it cheats")
    golden(arena("add", cup, "ada=rusher", "--replace", *QUICK).stdout)
    assert names(cup) == ["rusher"]


def test_bots_that_are_one_program_are_told(arena: Arena, cup: Path, make_bot: MakeBot) -> None:
    make_bot("ada")
    told = arena("add", cup, "ada", "bea=ada", *QUICK)
    assert "ada and bea are the same program, file by file." in told.stderr
    assert "same program" not in arena("add", cup, "rusher", *QUICK).stderr
    words = ("init", "new", "a=random", "b=random", "rusher", "--game", "guerra")
    assert "a and b are the same program, file by file." in arena(*words).stderr


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
    until(lambda: not working_in(tmp_path / "bob"), 5)


def test_bots_are_built_within_the_limits_of_the_league(
    arena: Arena, cup: Path, make_bot: MakeBot
) -> None:
    made = make_bot("mine", toml='command = ["./bot"]\nbuild = ["sleep", "5"]\nfiles = ["bot"]\n')
    with (cup / "league.toml").open("a") as file:
        file.write("\n[build]\nseconds = 0.2\n")
    result = arena("add", cup, made, *QUICK)
    assert result.exit_code == 1
    assert "ran longer than 0.2 s" in " ".join(result.stdout.split())

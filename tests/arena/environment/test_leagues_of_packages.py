"""Bots with packages in leagues: what is lost while they play, is refused, or is handed in."""

import json
import shutil
from pathlib import Path

import pytest

from arena.handin.database import HandIns
from arena.handin.taking_in import Intake
from arena.league.file import read_asked
from referee.limits import Limits
from referee.sandbox import Launcher, MachineError
from referee.sandbox.kept import discard
from tests.arena.conftest import Arena
from tests.arena.environment.conftest import good
from tests.arena.environment.test_environments import Choice, lock, made
from tests.arena.handin.archives import tarred
from tests.arena.handin.conftest import person
from tests.arena.handin.intaking import hand_in
from tests.referee.sandbox.sandboxed import need


def test_an_environment_that_is_gone_is_the_machines_fault(public: Path) -> None:
    need("landlock")
    folder = good(public / "mine")
    lock(folder)
    bot = made(folder).bot
    with Launcher("landlock") as launcher:
        launcher.check(bot.program, Limits())
        discard(Path(bot.environment))
        with pytest.raises(MachineError, match="is gone: something removed it during the run"):
            launcher.start(bot.program, Limits())


@pytest.mark.slow
@pytest.mark.parametrize("brings", ["wheels", "lock", "neither"])
def test_a_bot_is_handed_in_with_its_wheels_or_refused_in_a_line(
    brings: str, public: Path, arena: Arena
) -> None:
    folder = good(public / "mine")
    lock(folder)
    if brings in ("lock", "neither"):
        shutil.rmtree(folder / "wheels")
    if brings in ("wheels", "neither"):
        (folder / "requirements.lock").unlink()
    league = public / "cup"
    arena("init", league, "--game", "war", "random", "highest", "--deals", 1)
    with HandIns(league, create=True) as db:
        paths = [path for path in folder.rglob("*") if path.is_file()]
        files = [(str(path.relative_to(folder)), path.read_bytes()) for path in paths]
        one = hand_in(db, person(db, "ada"), tarred(*files), filename="mine.tar")
        with Intake(league, lambda _: None) as intake:
            found = intake.take_in(one.number)
    assert str(public) not in f"{found.reason} {found.remedy} {found.output} {found.steps}"
    match brings:
        case "wheels":
            assert found.state == "playing", found
            assert found.steps[0]["title"] == "can be built"
            assert "requirements.lock is written: chooser==1.0." in found.output
        case "lock":
            assert found.reason == (
                "it cannot be run: its package chooser==1.0 is not here: put its wheel into wheels."
            )
        case "neither":
            assert (
                "its requirements.lock is not there, and cannot be made: there is no wheel"
                in found.reason
            )
            assert "Put the wheels into the folder wheels beside" in found.remedy


@pytest.mark.slow
def test_a_copy_of_a_bot_has_its_wheels(public: Path, cache: Path, arena: Arena) -> None:
    folder = good(public / "mine")
    lock(folder)
    league = public / "cup"
    arena("init", league, "--game", "war", "random", "highest", "--deals", 1)
    result = arena("add", league, folder, "--copy", "--seconds", 1)
    assert result.exit_code == 0, result.output
    shutil.rmtree(folder)
    shutil.rmtree(cache)
    result = arena("run", league)
    assert result.exit_code == 0
    assert "suspended" not in result.output
    site = next(cache.glob("*/lib/python3*/site-packages"))
    site.chmod(0o755)
    (site / "chooser.py").unlink()
    file = league / "league.toml"
    file.write_text(file.read_text().replace("deals = 1", "deals = 2"))
    said = " ".join(arena("run", league).stderr.split())
    assert "chooser.py is gone. It was made anew." in said


@pytest.mark.slow  # two environments are made, and played in
def test_matches_with_other_wheels_are_named_where_a_lock_leaves_a_choice(
    public: Path, arena: Arena
) -> None:
    choice = Choice(public)
    folder, fixed = choice.bot("mine", own=0), choice.bot("fixed", own=0, allows=[0])
    league = public / "cup"
    arena("init", league, "--game", "war", folder, fixed, "--deals", 1)
    assert arena("run", league).exit_code == 0
    file = league / "league.toml"
    file.write_text(file.read_text().replace("deals = 1", "deals = 3"))
    assert "the same wheels" not in arena("rank", league).stdout
    choice.put(-1, folder / "wheels")  # as if the league went on elsewhere
    assert arena("run", league).exit_code == 0
    for words in (["rank", league], ["table", league]):
        said = " ".join(arena(*words).stdout.split())
        assert "mine was not run with the same wheels everywhere, as its lock allows" in said
        assert " in 2 matches on " in said
        assert " in 4 matches on " in said
        assert "fixed was not run" not in said
    [facts] = json.loads(arena("rank", league, "--format", "json").stdout)["wheels"].values()
    assert sorted(each["matches"] for each in facts) == [2, 4]
    assert arena("verify", league).exit_code == 0


def test_an_environment_is_made_as_a_league_has_them(public: Path, arena: Arena) -> None:
    folder = good(public / "mine")
    league = public / "cup"
    arena("init", league, "--game", "war", "random", "highest", "--deals", 1)
    file = league / "league.toml"
    before = file.read_text()
    file.write_text(before + "\n[environments]\nfetch = true\ndisk_mb = 10\n")
    found = read_asked(league).environments
    assert (found.fetch, found.disk_mb, found.files) == (True, 10, 60_000)
    file.write_text(before + "\n[environments]\nfetsh = true\n")
    refused = arena("rank", league)
    assert (refused.exit_code, "fetsh" in refused.output) == (2, True)
    file.write_text(before + "\n[environments]\nfiles = 1\n")
    refused = arena("env", "build", folder, "--league", league)
    assert refused.exit_code == 2
    said = " ".join(refused.output.split())
    assert "more than 1 files and folders" in said
    assert "Allow more in [environments] of league.toml." in said

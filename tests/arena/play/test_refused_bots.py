"""Bots that cannot be run in the sandbox: refused or suspended, and how to help."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from referee.sandbox.executable import WINDOWS
from referee.sandbox.kinds import LandlockSandbox
from tests.arena.conftest import Arena, League
from tests.arena.play.sandboxed_leagues import LEAGUE, RANDOM, TWO, WITHOUT, as_process, refused
from tests.golden import Golden
from tests.referee.sandbox.sandboxed import ROOT, need

inline = pytest.mark.usefixtures("inline")
PLAY = ("play", "guerra", "random")
PLAYS = "import kit, guerra_random\n{}\nkit.run(guerra_random.choose)\n"
as_root = pytest.mark.skipif(
    not ROOT, reason="WHAT ROOT DOES IS NOT TESTED HERE: run the tests as root, too"
)


@pytest.fixture
def mine(league: League, public: Path) -> Path:
    """The folder of a bot that would be fine, with a league of it."""
    need("landlock")
    folder = public / "mine"
    folder.mkdir()
    script(folder, "exit")
    enter(league, folder, "./bot")
    return folder


def script(folder: Path, text: str, first: str = "#!/bin/sh\n", name: str = "bot") -> Path:
    (folder / name).write_text(first + text, newline="")
    (folder / name).chmod(0o755)
    return folder / name


def enter(league: League, folder: Path, *command: str, files: str = "") -> None:
    words = ", ".join(f'"{word}"' for word in command)
    own = f'\n[[bot]]\nname = "mine"\nfolder = "{folder}"\ncommand = [{words}]\n{files}\n'
    league.write(LEAGUE + RANDOM + own)


def closed(league: League, mine: Path) -> None:
    (folder := mine.parent / "closed").mkdir()
    (mine / "bot").rename(folder / "bot")
    folder.chmod(0o700)
    enter(league, mine, str(folder / "bot"))


def wrapped(league: League, mine: Path, *command: str) -> None:
    shim = script(mine.parent, '"$(dirname "$0")/python"\n', name="shim")
    script(mine, "", first=f"#!{shim}\n")
    enter(league, mine, *(command or (str(shim), "bot")))


SUSPENDED: dict[str, Callable[[League, Path], object]] = {
    "not there": lambda _, mine: script(mine, "", "#!/usr/bin/env no_such_python\n"),
    "of Windows": lambda _, mine: script(mine, "exit\r\n", "#!/usr/bin/env sh\r\n"),
    "child processes": lambda _, mine: script(mine, 'cd "$(echo .)"\nexit\n'),
    "closed": closed,
    "wrapper": wrapped,
    "script of a wrapper": lambda league, mine: wrapped(league, mine, "./bot"),
}


@inline
@pytest.mark.parametrize(
    "case",
    [
        *[*SUSPENDED][:3],
        pytest.param("closed", marks=as_root),
        *(pytest.param(case, marks=pytest.mark.slow) for case in [*SUSPENDED][4:]),
    ],
)
def test_a_bot_that_is_not_executed_here_is_suspended_and_others_play(
    arena: Arena, league: League, mine: Path, golden: Golden, case: str
) -> None:
    SUSPENDED[case](league, mine)
    other = RANDOM.replace('"random"', '"other"', 1)
    league.write((league.folder / "league.toml").read_text() + other)
    result = arena("run", league.folder, "--workers", "1")
    assert result.exit_code == 0, result.output
    said = next(line for line in result.stderr.splitlines() if line.startswith("mine "))
    said = said.partition(" (bot: ")[0].replace(str(mine.parent), "PUBLIC")  # not the shell's words
    golden(re.sub(r"by uid \d+", "by uid N", said))
    assert WITHOUT not in result.stderr
    assert league.count() == 2
    if case == "of Windows":  # it enters no league, either
        (mine / "bot.toml").write_text('command = ["./bot"]\n')
        for word in (mine, mine / "bot"):
            for words in (("init", league.home / "new", "--game", "guerra"), PLAY):
                refused(arena(*words, word), "bot '", f"{mine / 'bot'}: {WINDOWS}")


def test_bots_none_of_which_can_be_run_are_refused(
    arena: Arena, league: League, mine: Path
) -> None:
    script(mine, "", first="#!/opt/no_such/python\n")
    entry = f'\n[[bot]]\nname = "mine"\nfolder = "{mine}"\ncommand = ["./bot"]\n'
    league.write(LEAGUE + entry + entry.replace("mine", "other", 1))
    why = "its interpreter /opt/no_such/python is not there."
    refused(arena("run", league.folder), "bot 'mine': ", why, WITHOUT)
    refused(arena(*PLAY, mine / "bot"), f"sandbox: bot 'bot': {why}", WITHOUT)


@inline
@as_root
def test_a_bots_folder_that_its_user_cannot_reach_is_copied(
    arena: Arena, league: League, mine: Path
) -> None:
    """So that it need not be refused: in root's home, say."""
    league.write(LEAGUE + RANDOM + league.bot("mine", PLAYS.format("")))
    as_process(league.home / "mine")
    league.home.chmod(0o700)
    assert arena("run", league.folder, "--workers", "1").exit_code == 0
    assert league.count() == 2


@as_root
def test_no_python_that_the_bots_user_can_execute(
    arena: Arena, league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    need("landlock")
    monkeypatch.setattr(LandlockSandbox, "interpreter", lambda *_: "")
    league.write(LEAGUE + TWO)
    remedy = "Install python3 in /usr, run the arena as an ordinary user, or pass --sandbox-uid 0."
    refused(arena("run", league.folder), "bot 'other': uid 60", "can execute neither", remedy)


@inline
def test_a_bot_in_the_leagues_own_folder_does_not_see_the_results(
    arena: Arena, league: League
) -> None:
    need("landlock")
    looks = (
        "for name in ('league.db', 'league.toml'):\n    try:\n"
        "        open(name)\n    except OSError: continue\n    raise SystemExit(name)"
    )
    league.bot("mine", PLAYS.format(looks))
    as_process(league.home / "mine")
    for path in (league.home / "mine").iterdir():
        path.rename(league.folder / path.name)
    enter(league, league.folder, "{python}", "bot.py", files='files = ["."]')
    result = arena("run", league.folder, "--workers", "1")
    assert (result.exit_code, league.count()) == (0, 2), result.output


def test_what_is_no_file_of_a_bot_is_refused(arena: Arena, league: League, mine: Path) -> None:
    """Its author may have planted a link; the referee's user can read what it leads to."""
    (league.home / "keys").mkdir()
    (key := league.home / "keys" / "key").write_text("the key of the house")
    (mine / "inner").mkdir()
    (mine / "inner" / "fine").symlink_to("../bot")
    (mine / "league.db").touch()
    out = "{} is a link to {}, out of its folder"
    for name, to, files, why in (
        ("table", key, '"."', out),
        ("table", key, '"bot", "table"', out),
        ("inner/table", key, '"bot", "inner"', out),
        ("tables", key.parent, '"bot", "tables"', "out of its folder"),
        ("loop", "loop", '"loop"', "there is no file {}, which"),
        ("inner/same", "fine", '"bot", "league.db"', "league.db belongs to a league"),
    ):
        link = mine / name
        link.symlink_to(to)
        enter(league, mine, "./bot", files=f"files = [{files}]")
        refused(arena("run", league.folder), "bot 'mine': ", why.format(link, key.resolve()))
        if why == out:
            link.unlink()
    for folder, command, why in (
        (mine, "./loop", f"{mine / 'loop'} is a link that leads nowhere"),
        (mine / "loop", "./bot", f"{mine / 'loop'}"),
    ):
        enter(league, folder, command)
        refused(arena("run", league.folder), "bot 'mine': ", why)
    assert league.count() == 0
    enter(league, mine, "./bot", files='files = ["bot", "inner"]')
    assert "out of its folder" not in arena("run", league.folder).output

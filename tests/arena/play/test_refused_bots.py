"""Bots that cannot be run in the sandbox: refused or suspended, and how to help."""

from pathlib import Path

import pytest

from referee.sandbox.executable import WINDOWS
from referee.sandbox.kinds import LandlockSandbox
from tests.arena.conftest import Arena, League
from tests.arena.play.sandboxed_leagues import LEAGUE, RANDOM, TWO, WITHOUT, as_process, refused
from tests.referee.sandbox.sandboxed import ROOT, need

inline = pytest.mark.usefixtures("inline")
PLAY = ("play", "guerra", "random")
as_root = pytest.mark.skipif(
    not ROOT, reason="WHAT ROOT DOES IS NOT TESTED HERE: run the tests as root, too"
)


@pytest.fixture
def mine(league: League, public: Path) -> Path:
    """The folder of a bot that would be fine, with a league of it."""
    folder = public / "mine"
    folder.mkdir()
    script = folder / "bot"
    script.write_text("#!/bin/sh\nexit\n")
    script.chmod(0o755)
    enter(league, folder, "./bot")
    return folder


def enter(league: League, folder: Path, *command: str, files: str = "") -> None:
    words = ", ".join(f'"{word}"' for word in command)
    own = f'\n[[bot]]\nname = "mine"\nfolder = "{folder}"\ncommand = [{words}]\n{files}\n'
    league.write(LEAGUE + RANDOM + own)


def assert_refused(arena: Arena, league: League, *parts: str) -> None:
    """Check that a run is refused for the bot `mine`, with nothing played."""
    need("landlock")
    refused(arena("run", league.folder), "bot 'mine': ", *parts)
    assert league.count() == 0


def assert_suspended(arena: Arena, league: League, *parts: str) -> None:
    """Check that a run goes on without the bot `mine`, and says why; others play."""
    need("landlock")
    other = RANDOM.replace('"random"', '"other"', 1)
    league.write((league.folder / "league.toml").read_text() + other)
    result = arena("run", league.folder, "--workers", "1")
    assert result.exit_code == 0, result.output
    said = next(line for line in result.stderr.splitlines() if line.startswith("mine "))
    for part in ("mine is suspended for this run: it failed its start-up check: ", *parts):
        assert part in said
    assert WITHOUT not in result.stderr
    assert ".." not in said
    assert league.count() == 2


@inline
@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("#!/usr/bin/env no_such_python\n", "no_such_python is not there. Name the real one."),
        ("#!/usr/bin/env sh\r\nexit\r\n", f"./bot: {WINDOWS}"),
        ('#!/bin/sh\ncd "$(echo .)"\nexit\n', "--sandbox landlock allows threads alone"),
    ],
)
def test_a_script_that_is_not_executed_here_is_suspended_and_enters_no_league(
    arena: Arena, league: League, mine: Path, line: str, why: str
) -> None:
    (mine / "bot").write_text(line, newline="")
    assert_suspended(arena, league, why)
    if WINDOWS in why:
        (mine / "bot.toml").write_text('command = ["./bot"]\n')
        for word in (mine, mine / "bot"):
            for words in (("init", league.home / "new", "--game", "guerra"), PLAY):
                refused(arena(*words, word), "bot '", f"{mine / 'bot'}: {WINDOWS}")


def test_bots_none_of_which_can_be_run_are_refused(
    arena: Arena, league: League, mine: Path
) -> None:
    (mine / "bot").write_text("#!/opt/no_such/python\n")
    entry = f'\n[[bot]]\nname = "mine"\nfolder = "{mine}"\ncommand = ["./bot"]\n'
    league.write(LEAGUE + entry + entry.replace("mine", "other", 1))
    why = "its interpreter /opt/no_such/python is not there."
    assert_refused(arena, league, why, WITHOUT)
    refused(arena(*PLAY, mine / "bot"), f"sandbox: bot 'bot': {why}", WITHOUT)


@inline
@pytest.mark.slow
def test_an_interpreter_that_is_a_wrapper(arena: Arena, league: League, mine: Path) -> None:
    wrapper = mine.parent / "shim"
    wrapper.write_text('#!/bin/sh\n"$(dirname "$0")/python"\n')
    wrapper.chmod(0o755)
    for command in ((str(wrapper), "bot"), ("./bot",)):
        (mine / "bot").write_text(f"#!{wrapper}\n")
        enter(league, mine, *command)
        assert_suspended(
            arena,
            league,
            f"its interpreter {wrapper} is a wrapper script that needs child processes.",
            "Name the real one.",
        )


@inline
@as_root
def test_a_program_that_the_bots_user_cannot_reach(
    arena: Arena, league: League, mine: Path
) -> None:
    closed = mine.parent / "closed"
    closed.mkdir()
    (mine / "bot").rename(closed / "bot")
    closed.chmod(0o700)
    enter(league, mine, str(closed / "bot"))
    assert_suspended(
        arena,
        league,
        f"{closed / 'bot'} cannot be executed by uid 60",
        f"(stopped at {closed}). Move it, open that folder, or pass --sandbox-uid 0.",
    )


@inline
@as_root
def test_a_bots_folder_that_its_user_cannot_reach_is_copied(
    arena: Arena, league: League, mine: Path
) -> None:
    """So that it need not be refused: in root's home, say."""
    need("landlock")
    entry = league.bot("mine", "import kit, guerra_random\nkit.run(guerra_random.choose)\n")
    league.write(LEAGUE + RANDOM + entry)
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
    refused(
        arena("run", league.folder),
        "bot 'other': uid 60",
        "can execute neither",
        "Install python3 in /usr, run the arena as an ordinary user, or pass --sandbox-uid 0.",
    )


@inline
def test_a_bot_in_the_leagues_own_folder_does_not_see_the_results(
    arena: Arena, league: League
) -> None:
    need("landlock")
    source = "import kit, guerra_random\n{}\nkit.run(guerra_random.choose)\n"
    league.bot(
        "mine",
        source.format(
            "for name in ('league.db', 'league.toml'):\n    try:\n"
            "        open(name)\n    except OSError: continue\n    raise SystemExit(name)"
        ),
    )
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
        assert_refused(arena, league, why.format(link, key.resolve()))
        if why == out:
            link.unlink()
    enter(league, mine, "./loop")
    assert_refused(arena, league, f"{mine / 'loop'} is a link that leads nowhere")
    enter(league, mine / "loop", "./bot")
    assert_refused(arena, league, f"{mine / 'loop'}")
    enter(league, mine, "./bot", files='files = ["bot", "inner"]')
    assert "out of its folder" not in arena("run", league.folder).output

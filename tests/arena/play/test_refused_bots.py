"""Bots that cannot be run in the sandbox: refused or suspended, and how to help."""

from pathlib import Path

import pytest

from referee.sandbox.executable import WINDOWS
from referee.sandbox.kinds import LandlockSandbox
from tests.arena.conftest import Arena, League
from tests.arena.play.sandboxed_leagues import LEAGUE, RANDOM, TWO, WITHOUT, refused
from tests.referee.sandbox.sandboxed import ROOT, need

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
    """Write a league with a bot of this command."""
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


def test_a_missing_interpreter(arena: Arena, league: League, mine: Path) -> None:
    (mine / "bot").write_text("#!/opt/no_such/python\n")
    assert_suspended(
        arena, league, "its interpreter /opt/no_such/python is not there. Name the real one."
    )


def test_a_missing_interpreter_by_env(arena: Arena, league: League, mine: Path) -> None:
    (mine / "bot").write_text("#!/usr/bin/env no_such_python\n")
    assert_suspended(arena, league, "no_such_python is not there. Name the real one.")


@pytest.mark.quick(1)
@pytest.mark.parametrize("line", ["#!/bin/sh", "#!/usr/bin/env sh", "#!/bin/sh -e"])
def test_a_script_with_windows_line_ends(
    arena: Arena, league: League, mine: Path, line: str
) -> None:
    (mine / "bot").write_text(f"{line}\r\nexit\r\n", newline="")
    assert_suspended(arena, league, f"./bot: {WINDOWS}")


def test_a_script_with_windows_line_ends_enters_no_league(
    arena: Arena, league: League, mine: Path
) -> None:
    (mine / "bot").write_text("#!/bin/sh\r\nexit\r\n", newline="")
    (mine / "bot.toml").write_text('command = ["./bot"]\n')
    for word in (mine, mine / "bot"):
        for words in (("init", league.home / "new"), ("play", "guerra", "random")):
            game = ["--game", "guerra"] if words[0] == "init" else []
            refused(arena(*words, word, *game), "bot '", f"{mine / 'bot'}: {WINDOWS}")


def test_bots_none_of_which_can_be_run_are_refused(
    arena: Arena, league: League, mine: Path
) -> None:
    (mine / "bot").write_text("#!/opt/no_such/python\n")
    entry = f'\n[[bot]]\nname = "mine"\nfolder = "{mine}"\ncommand = ["./bot"]\n'
    league.write(LEAGUE + entry + entry.replace("mine", "other", 1))
    assert_refused(arena, league, "its interpreter /opt/no_such/python is not there.", WITHOUT)


def test_a_missing_program(arena: Arena, league: League, mine: Path) -> None:
    enter(league, mine, "no_such_program")
    assert_refused(arena, league, "there is no program 'no_such_program' on the PATH.")


def test_a_command_that_is_a_folder(arena: Arena, league: League, mine: Path) -> None:
    (mine / "inner").mkdir()
    enter(league, mine, "./inner")
    assert_refused(arena, league, f"{mine / 'inner'} is a folder; name the program in it.")


def test_a_loop_of_links(arena: Arena, league: League, mine: Path) -> None:
    (mine / "one").symlink_to("other")
    (mine / "other").symlink_to("one")
    enter(league, mine, "./one")
    assert_refused(arena, league, f"{mine / 'one'} is a link that leads nowhere")


def test_a_folder_that_is_a_loop_of_links(arena: Arena, league: League, mine: Path) -> None:
    (mine / "one").symlink_to("one")
    enter(league, mine / "one", "./bot")
    assert_refused(arena, league, f"{mine / 'one'}")


def test_a_loop_of_links_among_the_files_is_no_file(
    arena: Arena, league: League, mine: Path
) -> None:
    (mine / "loop").symlink_to("loop")
    enter(league, mine, "./bot", files='files = ["bot", "loop"]')
    assert_refused(arena, league, f"there is no file {mine / 'loop'}, which")


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


def test_a_start_script_that_forks_plays_nothing(arena: Arena, league: League, mine: Path) -> None:
    need("landlock")
    (mine / "bot").write_text('#!/bin/sh\ncd "$(echo .)"\nexit\n')
    result = arena("run", league.folder, "--workers", "1")
    assert "mine is suspended for this run: it failed its start-up check" in result.stderr
    assert "--sandbox landlock allows threads alone" in result.stderr
    assert league.count() == 0


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


@as_root
def test_a_bots_folder_that_its_user_cannot_reach_is_copied(
    arena: Arena, league: League, mine: Path
) -> None:
    """So that it need not be refused: in root's home, say."""
    need("landlock")
    entry = league.bot("mine", "import kit, guerra_random\nkit.run(guerra_random.choose)\n")
    league.write(LEAGUE + RANDOM + entry)
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


def test_the_leagues_results_among_a_bots_files(arena: Arena, league: League) -> None:
    (league.folder / "league.db").touch()
    (league.folder / "bot").touch(0o755)
    enter(league, league.folder, "./bot", files='files = ["bot", "league.db"]')
    need("landlock")
    refused(
        arena("run", league.folder), "bot 'mine': ", "league.db belongs to a league", "take it off"
    )


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
    for path in (league.home / "mine").iterdir():
        path.rename(league.folder / path.name)
    enter(league, league.folder, "{python}", "bot.py", files='files = ["."]')
    result = arena("run", league.folder, "--workers", "1")
    assert (result.exit_code, league.count()) == (0, 2), result.output


@pytest.mark.parametrize(
    "files", ['files = ["."]', 'files = ["bot", "table"]', 'files = ["bot", "inner"]']
)
def test_a_link_out_of_a_bots_folder(arena: Arena, league: League, mine: Path, files: str) -> None:
    """Its author may have planted it; the referee's user can read what it leads to."""
    key = league.home / "key"
    key.write_text("the key of the house")
    link = mine / ("inner/table" if "inner" in files else "table")
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(key)
    enter(league, mine, "./bot", files=files)
    assert_refused(arena, league, f"{link} is a link to {key.resolve()}, out of its folder")


def test_a_link_to_a_folder_out_of_a_bots_folder(arena: Arena, league: League, mine: Path) -> None:
    (league.home / "keys").mkdir()
    (league.home / "keys" / "key").write_text("the key of the house")
    (mine / "tables").symlink_to(league.home / "keys")
    enter(league, mine, "./bot", files='files = ["bot", "tables"]')
    assert_refused(arena, league, "out of its folder")


def test_a_link_inside_a_bots_folder_is_fine(arena: Arena, league: League, mine: Path) -> None:
    (mine / "inner").mkdir()
    (mine / "inner" / "table").symlink_to("../bot")
    for files in ('files = ["."]', 'files = ["bot", "inner"]'):
        enter(league, mine, "./bot", files=files)
        assert "out of its folder" not in arena("run", league.folder).output


def test_a_single_match_is_refused_alike(arena: Arena, mine: Path) -> None:
    need("landlock")
    (mine / "bot").write_text("#!/opt/no_such/python\n")
    refused(
        arena("play", "guerra", "random", mine / "bot"),
        "sandbox: bot 'bot': its interpreter /opt/no_such/python is not there.",
        WITHOUT,
    )

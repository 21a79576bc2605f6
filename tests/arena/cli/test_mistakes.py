"""Mistakes on the command line and in leagues: one line that says what to do, and exit code 2."""

import json
import sys
from pathlib import Path

import pytest
from click.testing import Result

from tests.arena.conftest import Arena
from tests.golden import Golden

UNSANDBOXED = ("--sandbox", "none")
GUERRA = ("--game", "guerra", *UNSANDBOXED)
MATCH = ("guerra", "random", "random")


def assert_refused(result: Result, *words: str, code: int = 2) -> None:
    """Fail unless a command ended with one line that holds these words."""
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("arena: ")
    assert result.stderr.endswith("\n")
    assert result.stderr.count("\n") == 1, result.stderr
    for word in words:
        assert word in result.stderr


# --- mistakes on the command line


def test_a_mistake_is_told_on_one_line(arena: Arena, golden: Golden) -> None:
    for line in (
        *("games guerre", "bots snapdragon", "games chess --schema", "play hex a b"),
        *("play guerra random", "play guerra random loyal", "play MATCH --option x=1"),
        *("play MATCH --option x", "play MATCH --limit move_time=x"),
    ):
        result = arena(*line.replace("MATCH", "guerra random random").split())
        assert_refused(result)
        golden(f"{line}\n{result.stderr}")


def test_init_tells_mistakes_and_leaves_nothing(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("plain", "two/bot.toml"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text("commands = []")
    for line in (
        *("--seats 3", "--deals 0", "--share nan", "--option max_turn=9", "--option max_turns"),
        *("--option =9", "--limit memory_mb=1", "--limit sandbox=none", "random", "=", "=random"),
        *("sensibel", "\x1b[31m=random", ".", "./plain", "./three ./two ./plain"),
    ):
        result = arena("init", "a/cup", "random", "sensible", *GUERRA, *line.split())
        assert (result.exit_code, result.stdout) == (2, "")
        golden(f"{line!r}\n{result.stderr}")
        assert sorted(path.name for path in tmp_path.iterdir()) == ["plain", "two"]


def test_words_that_click_refuses_are_told_with_what_was_perhaps_meant(
    arena: Arena, golden: Golden
) -> None:
    for line in (
        *("init cup random --move-time 3", "run cup --move-time 3", "run cup --movetime 3"),
        *("env build mine --sandbox bwrap", "env build mine --bank 3"),
        *("play MATCH --sandbox-uid x", "play MATCH --sandbox-uid uid", "play MATCH --pause x"),
        *("run cup --sandbox-uid uid", "check random --game guerra --seconds inf"),
    ):
        result = arena(*line.replace("MATCH", "guerra random random").split())
        assert (result.exit_code, result.stdout, result.stderr[:7]) == (2, "", "Usage: ")
        golden(result.stderr.partition("Error: ")[2])


# --- leagues that cannot be read


def test_every_command_tells_of_a_league_that_is_none(arena: Arena, tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    for command, *words in (["run"], ["rank"], ["matches"], ["show", "0"]):
        assert_refused(arena(command, tmp_path, *words), "has no league.toml", "arena init")
        assert_refused(arena(command, tmp_path / "gone", *words), "there is no league", "no such")
    result = arena("import", tmp_path / "loop" / "cup", tmp_path / "loop")
    assert_refused(result, "Too many levels of symbolic links", code=result.exit_code)


def test_a_file_of_a_league_is_answered_with_its_folder(arena: Arena, played: Path) -> None:
    for file in (played / "league.toml", played / "league.db"):
        assert_refused(arena("run", file), "is a file", "a folder: name the folder that it is in")
        said = f"{file} belongs to a league: name its folder, {played}."
        for command in ("rank", "table"):
            assert_refused(arena(command, file), said)


def test_what_is_only_written_otherwise_has_not_changed_and_less_may_be_asked_for(
    arena: Arena, copy: Path
) -> None:
    file = copy / "league.toml"
    for old, new in (
        ("seed = 1", 'seed = "1"\nseats = 2\nrotations = "cyclic"'),
        ('sandbox = "none"', 'move_time = 1\nsandbox = "none"'),
        ("deals = 2", "deals = 1\nshare = 0.9"),
    ):
        file.write_text(file.read_text().replace(old, new))
        assert arena("run", copy).stderr == "Nothing is missing.\n"
    assert len(json.loads(arena("matches", copy, "--format", "json").stdout)["matches"]) == 12


def test_a_server_without_its_packages_says_what_to_install_from_where(
    arena: Arena, played: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "arena.serve.server", raising=False)
    monkeypatch.setitem(sys.modules, "uvicorn", None)  # as if it were not installed
    result = arena("serve", played)
    remedy = f"{sys.executable} -m pip install 'bot-arena[serve]'"
    assert_refused(result, "needs a web server (uvicorn is missing)", remedy)


# --- paths

LONG = "x" * 300


def test_a_name_that_is_too_long_for_the_system_is_told(
    arena: Arena, played: Path, tmp_path: Path
) -> None:
    for line in (
        *("run LONG", "rank LONG", "table LONG", "rank LONG --live", "matches LONG", "show LONG"),
        *("show LONG 1", "verify LONG", "export LONG", "report LONG -o page.html"),
        *("import PLAYED LONG", "doctor ./LONG", "demo --keep LONG"),
        *("init LONG --game guerra random sensible", "init new --game guerra random ./LONG"),
        *("check ./LONG --game guerra", "new LONG/mine --game guerra --lang python"),
        *("play guerra ./LONG random", "play guerra random random --sandbox none --save LONG"),
        "compare ./LONG random --game guerra",
        "compare random sensible --game guerra --keep LONG",
    ):
        words = line.replace("LONG", str(tmp_path / LONG)).replace("./", "")
        result = arena(*words.replace("PLAYED", str(played)).split())
        assert_refused(result, "too long", "xxx")

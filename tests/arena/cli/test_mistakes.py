"""Mistakes on the command line and in leagues: one line that says what to do, and exit code 2."""

import json
import sys
from pathlib import Path

import pytest
from click.testing import Result

from tests.arena.conftest import PLAYED, Arena, League
from tests.golden import Golden

UNSANDBOXED = ("--sandbox", "none")
GUERRA = ("--game", "guerra", *UNSANDBOXED)
MATCH = ("guerra", "random", "random")


def edit(folder: Path, old: str, new: str) -> None:
    file = folder / "league.toml"
    text = file.read_text()
    assert text.count(old) == 1
    file.write_text(text.replace(old, new))


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


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("games guerre", ["there is no game 'guerre'", "Did you mean 'guerra'?"]),
        ("bots snapdragon", ["no game 'snapdragon'", "Known: casino_war, cold_war, duel"]),
        ("schema chess", ["there is no game 'chess'"]),
        ("play chess a b", ["there is no game 'chess'"]),
        ("play hex a b", ["there is no game 'hex'. Did you mean 'openspiel:hex'?"]),
        ("play guerra random", ["guerra is played by 2 seats, not by 1"]),
        ("play guerra random loyal", ["there is no bot 'loyal'", "sensible"]),
        ("play MATCH --option x=1", ["there is no option 'x' of guerra. Known: "]),
        ("play MATCH --option x", ["'x' is not of the form key=value"]),
        (
            "play MATCH --limit move_time=x",
            ["limit 'move_time' cannot be \"x\": it takes a number more than 0"],
        ),
    ],
)
def test_a_mistake_is_told_on_one_line(arena: Arena, line: str, says: list[str]) -> None:
    assert_refused(arena(*line.replace("MATCH", "guerra random random").split()), *says)


def test_wrong_usage_is_told_and_how_to_get_help(arena: Arena) -> None:
    for line in (
        *("games --format word", "rank", "play guerra random random --sandbox jail", "swim"),
        *("init cup random sensible --sandbox none", "run cup --workers two"),
    ):
        result = arena(*line.split())
        assert (result.exit_code, result.stdout) == (2, ""), line
        assert result.stderr.startswith("Usage: ")
        assert "\nError: " in result.stderr


def test_init_tells_of_all_bots_what_is_wrong_with_them(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("one", "two"):
        Path(name).mkdir()
    Path("two/bot.toml").write_text("commands = []")
    result = arena("init", "cup", "random", "./one", "./two", "./three", *GUERRA)
    assert (result.exit_code, result.stdout) == (2, "")
    golden(result.stderr)
    assert not Path("cup").exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--game", "chess", "a", "b"], ["there is no game 'chess'"]),
        (["--seats", "3"], ["guerra is played by 2 seats, not by 3"]),
        (["--seats", "0"], ["seats"]),
        (["--deals", "0"], ["'deals' cannot be 0: it takes a whole number at least 1"]),
        (["--deals", "99999999"], ["ask for fewer deals or bots"]),
        (["--share", "0"], ["'share' cannot be 0.0"]),
        (["--share", "nan"], ["'share' cannot be"]),
        (["--option", "max_turns=1"], ["'max_turns' of guerra cannot be 1", "at least 2"]),
        (["--option", "max_turn=9"], ["'max_turn' of guerra", "Did you mean 'max_turns'?"]),
        (["--option", "max turns=9"], ["'max turns' of guerra", "Did you mean 'max_turns'?"]),
        (["--option", "max_turns=null"], ["'max_turns' of guerra cannot be null"]),
        (["--option", "max_turns"], ["'max_turns' is not of the form key=value"]),
        (["--option", "=9"], ["'=9' is not of the form key=value"]),
        (["--limit", "memory_mb=1"], ["'memory_mb' cannot be 1", "at least 16"]),
        (["--limit", "sandbox=none"], ["limit sandbox = none: say it by --sandbox."]),
        (["random"], ["two bots are called 'random'", "or NAME=BOT on the command line"]),
        (["nobody"], ["there is no bot 'nobody'", "random, rusher, sensible"]),
        (["./nobody"], ["there is no bot './nobody'"]),
        (["="], ["'=' has no name before the =", "NAME=BOT"]),
        (["=1+1=./plain"], ["'=1+1=./plain' has no name before the ="]),
        (["sensibel"], ["Did you mean 'sensible'?"]),
        (["=random"], ["'=random' has no name before the ="]),
        (["\x1b[31m=random"], ["a bot's name is 1 to 40 printable", r"\x1b[31m"]),
        (["."], [". has no bot.toml: put one right into it"]),
        (["./plain"], ["plain is not executable; try chmod +x"]),
    ],
    ids=lambda value: " ".join(value)[:30],
)
def test_init_tells_a_mistake_and_leaves_nothing(
    arena: Arena,
    words: list[str],
    says: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("plain").touch()
    assert_refused(arena("init", "a/cup", "random", "sensible", *GUERRA, *words), *says)
    assert [path.name for path in tmp_path.iterdir()] == ["plain"]


def test_a_limit_that_is_taken_for_an_option_is_told_how_to_give(arena: Arena) -> None:
    init = ("init", "cup", "random", "sensible", *GUERRA)
    for words, says in (
        ((*init, "--move-time", "3"), "'--move-time'. It is a limit: --limit move_time=..."),
        (("run", "cup", "--move-time", "3"), "move_time in the [limits] of its league.toml"),
        (("env", "build", "mine", "--sandbox", "bwrap"), "sandbox in the [build] of the league.to"),
    ):
        result = arena(*words)
        assert result.exit_code == 2
        assert says in result.stderr
    assert "limit" not in arena("run", "cup", "--movetime", "3").stderr
    assert "league" not in arena("env", "build", "mine", "--bank", "3").stderr


def test_what_is_no_number_is_said_so(arena: Arena) -> None:
    for words, says in (
        (["play", *MATCH, "--sandbox-uid", "x"], "'x' is not a whole number."),
        (["play", *MATCH, "--sandbox-uid", "uid"], "The sandbox is chosen by --sandbox uid."),
        (["run", "cup", "--sandbox-uid", "uid"], "The league's file says which sandbox there is."),
        (["play", *MATCH, "--pause", "x"], "'x' is not a number of seconds."),
        (["check", "random", *GUERRA, "--seconds", "inf"], "'inf' is not a number of seconds."),
    ):
        result = arena(*words)
        assert result.exit_code == 2
        assert says in result.stderr


def test_a_sandbox_that_is_none_for_builds_is_refused_with_the_reason(
    arena: Arena, copy: Path
) -> None:
    with (copy / "league.toml").open("a") as file:
        file.write('[build]\nsandbox = "uid"\n')
    reason = "as no other confines what starts processes and writes files."
    assert_refused(arena("run", copy), 'cannot be "uid": it takes "auto" or', reason)


def test_init_leaves_an_existing_league_alone(arena: Arena, copy: Path) -> None:
    before = (copy / "league.toml").read_bytes()
    result = arena("init", copy, "random", "sensible", *GUERRA)
    assert_refused(result, f"{copy / 'league.toml'} exists; choose another folder, or edit")
    assert (copy / "league.toml").read_bytes() == before


# --- leagues that cannot be read


LEAGUE_COMMANDS = [["run"], ["rank"], ["matches"], ["show", "0"]]


def assert_all_refuse(arena: Arena, folder: Path, *says: str) -> None:
    """Fail unless every command on leagues refuses this one with these words."""
    for command, *words in LEAGUE_COMMANDS:
        assert_refused(arena(command, folder, *words), *says)


def test_a_file_of_a_league_is_answered_with_its_folder(arena: Arena, played: Path) -> None:
    for file in (played / "league.toml", played / "league.db"):
        assert_refused(arena("run", file), "is a file", "a folder: name the folder that it is in")
        said = f"{file} belongs to a league: name its folder, {played}."
        for command in ("rank", "table"):
            assert_refused(arena(command, file), said)


def test_a_folder_that_is_no_league_is_refused(arena: Arena, tmp_path: Path) -> None:
    assert_all_refuse(arena, tmp_path, str(tmp_path), "has no league.toml", "arena init")
    assert_all_refuse(arena, tmp_path / "gone", "there is no league", "no such folder")
    assert list(tmp_path.iterdir()) == []


def test_a_mistake_in_the_file_is_told_with_its_line(arena: Arena, copy: Path) -> None:
    edit(copy, "deals = 2", "deals = 0")
    assert_all_refuse(arena, copy, f"{copy / 'league.toml'}:3: key 'deals' cannot be 0")


def test_a_database_that_is_none_is_refused(arena: Arena, copy: Path) -> None:
    (copy / "league.db").write_text("my notes, " * 100)
    assert_all_refuse(arena, copy, str(copy / "league.db"))
    assert (copy / "league.db").read_text().startswith("my notes")


def test_a_league_without_results_says_how_to_get_them(arena: Arena, league: League) -> None:
    league.write(PLAYED)
    for command, *words in LEAGUE_COMMANDS[1:]:
        said = "has no results yet; `arena run` plays them"
        assert_refused(arena(command, league.folder, *words), said)
    assert league.files() == ["league.toml"]


def test_a_run_without_workers_is_refused(arena: Arena, played: Path, tmp_path: Path) -> None:
    for number in ("0", "-2"):
        assert_refused(arena("run", played, "--workers", number), "at least one worker")
    demo = arena("demo", "--workers", "0", "--keep", tmp_path)
    assert demo.exit_code == 2
    assert "at least one worker" in demo.stderr.splitlines()[-1]


def test_a_match_that_is_not_there_is_refused(arena: Arena, played: Path) -> None:
    assert_refused(arena("show", played, "zz"), "there is no match 'zz'; `arena matches` lists")
    assert_refused(arena("show", played, ""), "there is no match ''")


# --- what may change once a match was played


def test_what_the_matches_were_played_by_may_not_change(arena: Arena, copy: Path) -> None:
    file = copy / "league.toml"
    text = file.read_text()
    none = 'sandbox = "none"'
    for old, new, says in (
        ("seed = 1", "seed = 2", 'seed was "1", not "2",'),
        ("max_turns = 20", "max_turns = 21", "[options] had max_turns = 20, not 21,"),
        (none, f"{none}\nfresh = true", "[limits] had fresh = false, not true,"),
        ("deals = 2", 'deals = 2\nrotations = "one"', 'rotations was "cyclic", not "one",'),
    ):
        edit(copy, old, new)
        assert_refused(arena("run", copy), f"{file}: {says}", "Put it back, or make a new league")
        file.write_text(text)


def test_what_is_only_written_otherwise_has_not_changed_and_less_may_be_asked_for(
    arena: Arena, copy: Path
) -> None:
    edit(copy, "seed = 1", 'seed = "1"\nseats = 2\nrotations = "cyclic"')
    edit(copy, 'sandbox = "none"', 'move_time = 1\nsandbox = "none"')
    assert arena("run", copy).stderr == "Nothing is missing.\n"
    edit(copy, "deals = 2", "deals = 1\nshare = 0.9")
    assert arena("run", copy).stderr == "Nothing is missing.\n"
    assert len(json.loads(arena("matches", copy, "--format", "json").stdout)["matches"]) == 12


def test_a_server_without_its_packages_says_what_to_install_from_where(
    arena: Arena, played: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "arena.serve.server", raising=False)
    monkeypatch.setitem(sys.modules, "uvicorn", None)  # as if it were not installed
    result = arena("serve", played)
    assert_refused(result, "needs a web server (uvicorn is missing)", "'.[serve]' in a clone.")


# --- paths

LONG = "x" * 300


def test_a_name_that_is_too_long_for_the_system_is_told(
    arena: Arena, played: Path, tmp_path: Path
) -> None:
    for line in (
        *("run LONG", "rank LONG", "table LONG", "watch LONG", "matches LONG", "show LONG"),
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


def test_a_path_that_nobody_has_explained_is_told_with_what_the_system_says(
    arena: Arena, tmp_path: Path
) -> None:
    (tmp_path / "loop").symlink_to("loop")
    result = arena("import", tmp_path / "loop" / "cup", tmp_path / "loop")
    assert result.exit_code in (1, 2)
    assert result.stderr.startswith("arena: ")
    assert "Too many levels of symbolic links" in result.stderr

"""A league that is not named is that of the working folder; a word that names one is not it."""

import shutil
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete

from arena.cli import main
from arena.cli.left_out import LeagueArgument
from tests.arena.conftest import Arena
from tests.arena.organize.conftest import names
from tests.golden import Golden


@pytest.fixture
def here(copy: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a league that was played, in which commands are typed."""
    monkeypatch.chdir(copy)
    return copy


def test_words_are_read_as_if_the_league_stood_before_them(arena: Arena, here: Path) -> None:
    match = arena("matches", ".", "--format", "csv").stdout.splitlines()[1].split(",")[0]
    for words in (
        *("matches --most 2", "table --between one two", "table", f"show {match}"),
        *(f"show {match[:6]}-0 --format csv", "matches --bot one", "grant", "export"),
    ):
        command, *more = words.split()
        named = arena(command, ".", *more)
        assert named.exit_code == 0, named.output
        assert arena(command, *more).output == named.output
    assert arena("remove", "two").exit_code == 0
    assert "two" not in names(here)
    assert arena("export", "half.jsonl").exit_code == 0
    assert arena("import", "half.jsonl").exit_code == 0


def test_a_word_that_names_a_league_or_a_file_is_not_another_one(
    arena: Arena, here: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    shutil.copytree(here, other)
    assert arena("remove", other, "two").exit_code == 0
    assert ("two" in names(here), "two" in names(other)) == (True, False)
    shutil.copytree(here, here / "final")  # a league within the league
    assert arena("remove", "final", "two").exit_code == 0
    assert "two" in names(here)
    Path("match.json").write_text("{")
    assert "match.json" in arena("show", "match.json").stderr
    assert arena("export", "half.jsonl").exit_code == 0
    assert "new" in arena("import", "new", "half.jsonl").output  # a league that is to be made


def test_a_word_that_names_a_bot_here_and_a_league_below_is_refused(
    arena: Arena, here: Path, golden: Golden
) -> None:
    shutil.copytree(here, here / "two")
    for words in ("remove two one", "why two"):
        result = arena(*words.split())
        assert result.exit_code == 2
        golden(result.stderr)
    assert "one" in names(here / "two")
    assert arena("remove", "./two", "one").exit_code == 0
    assert ("one" in names(here), "one" in names(here / "two")) == (True, False)
    assert arena("matches", "two").exit_code == 0  # which takes no bot there
    assert arena("remove", ".", "two").exit_code == 0
    assert "two" not in names(here)


def test_where_a_league_must_be_named_the_error_says_so(
    arena: Arena, here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    for words in ("rank", "serve", "run typo", "matches typo", "remove typo two"):
        result = arena(*words.split())
        assert result.exit_code == 2
        golden(result.stderr)
    assert "two" in names(here)
    monkeypatch.chdir(tmp_path)
    golden(arena("matches").stderr)


def test_every_command_of_one_league_takes_it_in_the_same_way() -> None:
    found = {
        name: command.params[0]
        for name in main.commands
        if not isinstance(command := main.commands[name], click.Group)
        for argument in command.params
        if isinstance(argument, click.Argument)
        and "LEAGUE" in argument.make_metavar(click.Context(command))
    }
    several = {"init", "rank", "serve"}  # and one that is to be made
    assert found.keys() >= several
    for name in found.keys() - several:
        arguments = [
            each for each in main.commands[name].params if isinstance(each, click.Argument)
        ]
        assert isinstance(arguments[0], LeagueArgument), name


def test_bots_are_completed_where_the_league_is_left_out(here: Path) -> None:
    complete = ShellComplete(main, {}, "arena", "_ARENA_COMPLETE")
    found = [each.value for each in complete.get_completions(["remove"], "t")]
    assert "two" in found


def test_a_league_that_is_left_out_is_called_this_league(arena: Arena, here: Path) -> None:
    for words in ("author list", "author add ada", "author revoke 9", "author remove ada"):
        told = arena(*words.split()).output
        assert "this league" in told
        assert not any(each in told for each in ("to . ", "to .. ", "in .."))

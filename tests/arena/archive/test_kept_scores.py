"""Scores and numbers in databases and exports: kept, compared, and those from before without."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from arena.store.store import Store
from tests.arena.archive.test_export import bytes_of, lines_of, merge, refused, unplayed, write
from tests.arena.archive.test_verify import change, found
from tests.arena.conftest import ROOT, Arena, League, Once, naughty
from tests.arena.inline import inline_runs

pytestmark = pytest.mark.usefixtures("inline")

VECTORS = ROOT / "tests" / "vectors"
OLD_DATABASE = VECTORS / "version_5.sql"
"""The database of a league that commit 650cb3f played, before anything was counted."""
OLD_EXPORT = VECTORS / "version_5.jsonl"
"""What the same commit exported of it."""
CASINO = """\
game = "casino_war"
seed = 12345678901234567
deals = {deals}
options.rounds = 2
limits.sandbox = "none"

[[bot]]
name = "cautious"
shipped = "cautious"

[[bot]]
name = "random"
shipped = "random"
"""
WAR = """\
game = "war"
seed = 5
deals = 2
limits = { sandbox = "none", startup = 30.0 }

[[bot]]
name = "random"
shipped = "random"

[[bot]]
name = "other"
shipped = "random"
"""


@pytest.fixture
def old(league: League) -> League:
    """The league of which the old code had played two deals."""
    league.write(CASINO.format(deals=2))
    with closing(sqlite3.connect(league.folder / "league.db")) as db:
        db.executescript(OLD_DATABASE.read_text())
    return league


def fill(folder: Path) -> None:
    """Play a league of war with scores, numbers and forfeits."""
    league = League(folder)
    league.is_inline = True
    league.write(WAR + naughty("crash_mid_match"))
    with inline_runs():
        league.call("run")


@pytest.fixture(scope="module")
def played(once: Once) -> Path:
    """A played league of war; not to be changed."""
    return once("war", fill) / "league"


@pytest.fixture
def copy(played: Path, tmp_path: Path) -> Path:
    return shutil.copytree(played, tmp_path / "copy")


# --- what is from before


def test_an_old_database_opens_as_it_was_verifies_and_goes_on_with_scores(old: League) -> None:
    assert bytes_of(old.folder) == OLD_EXPORT.read_bytes()
    assert old.call("verify").stdout == "4 matches verified; none differs.\n"
    old.write(CASINO.format(deals=4))
    old.call("run")
    _, lines = lines_of(old.folder)
    assert {line["deal"]: "scores" in line for line in lines} == {
        **dict.fromkeys((0, 1), False),
        **dict.fromkeys((2, 3), True),
    }
    assert old.call("verify").stdout == "8 matches verified; none differs.\n"
    told = old.call("rank", "--by", "score").stdout.replace("\n", " ")
    assert "Left out of the scores: 4 matches have none (a seat forfeited, or they are" in told


def test_a_match_with_scores_is_the_same_one_without(league: League, tmp_path: Path) -> None:
    """What the bots did is the same, and the first one stays."""
    league.write(CASINO.format(deals=2))
    league.call("run")
    new = tmp_path / "new.jsonl"
    new.write_bytes(bytes_of(league.folder))
    for first, second in ((OLD_EXPORT, new), (new, OLD_EXPORT)):
        (league.folder / "league.db").unlink()
        assert merge(league.folder, first) == (4, 0)
        assert merge(league.folder, second) == (0, 4)
        assert bytes_of(league.folder) == first.read_bytes()


# --- what is kept


@pytest.mark.slow
def test_matches_keep_what_was_counted_and_forfeits_nothing(played: Path) -> None:
    with Store(played / "league.db") as store:
        matches = list(store.matches())
    assert len(matches) == 12
    for match in matches:
        if match.forfeits:
            assert (match.scores, match.numbers) == (None, None)
        else:
            assert sum(match.scores or ()) == 52
            assert list(match.numbers or ()) == ["battles"]
    assert {bool(match.forfeits) for match in matches} == {True, False}


def test_they_go_through_an_export_to_the_byte(played: Path, tmp_path: Path) -> None:
    file, other = tmp_path / "war.jsonl", tmp_path / "other"
    file.write_bytes(bytes_of(played))
    assert merge(unplayed(played, other), file) == (12, 0)
    assert bytes_of(other) == file.read_bytes()
    with Store(played / "league.db") as here, Store(other / "league.db") as there:
        assert list(here.matches()) == list(there.matches())
    assert found(other) == []


def first_scored(lines: list[dict[str, Any]]) -> dict[str, Any]:
    return next(line for line in lines if "scores" in line)


FORGERIES: dict[str, Callable[[dict[str, Any]], object]] = {
    "scores": lambda line: line["scores"].reverse(),
    "numbers": lambda line: line["numbers"].update(battles=1),
}


def test_a_line_that_lacks_what_its_replay_says_is_refused(copy: Path, tmp_path: Path) -> None:
    header, lines = lines_of(copy)
    (copy / "league.db").unlink()
    file = tmp_path / "forged.jsonl"
    for name in FORGERIES:
        forged = deepcopy(lines)
        del first_scored(forged)[name]
        write(file, header, *forged)
        assert f"{name!r} is not what its replay says" in refused(lambda: merge(copy, file))


@pytest.mark.parametrize("name", FORGERIES)
def test_what_line_and_replay_say_alike_is_refused_beside_the_true_match_and_found_alone(
    name: str, copy: Path, tmp_path: Path
) -> None:
    header, lines = lines_of(copy)
    line = first_scored(lines)
    for each in (line, line["replay"]):
        FORGERIES[name](each)
    file = write(tmp_path / "forged.jsonl", header, *lines)
    told = refused(lambda: merge(copy, file))
    assert f"match {line['match']} is in the league already, and {name!r} differs" in told
    (copy / "league.db").unlink()
    merge(copy, file)
    ((match, problem),) = found(copy)
    assert match == line["match"]
    assert problem.startswith(f"its replay's {name}: ")


def test_scores_of_a_match_that_went_on_after_a_forfeit_are_found(
    league: League, tmp_path: Path
) -> None:
    league.write(f'seats = 3\nrotations = "one"\n{WAR}{naughty("crash_mid_match")}')
    league.call("run")
    header, (line, other) = lines_of(league.folder)
    assert line["reason"] == other["reason"] == "all_cards"
    assert line["forfeits"]
    assert line.keys().isdisjoint({"scores", "numbers"})
    for each in (line, line["replay"]):
        each["scores"] = [52, 0, 0]
    file = write(tmp_path / "forged.jsonl", header, line, other)
    (league.folder / "league.db").unlink()
    merge(league.folder, file)
    told = "its replay's scores: [52, 0, 0] is stored, and it should be nothing."
    assert found(league.folder) == [(line["match"], told)]


@pytest.mark.slow
def test_a_column_that_was_changed_is_found(played: Path, copy: Path) -> None:
    scored = {line["match"] for line in lines_of(copy)[1] if "scores" in line}
    for column, value in (
        ("scores", None),
        ("scores", "[0, 52.0]"),
        ("numbers", None),
        ("numbers", '{"battles": 1}'),
    ):
        shutil.copy(played / "league.db", copy)
        change(
            copy,
            f"UPDATE match SET {column} = ? WHERE (deal, rotation) = "
            "(SELECT deal, rotation FROM match WHERE scores IS NOT NULL LIMIT 1)",
            value,
        )
        ((match, problem),) = found(copy)
        assert match in scored
        assert problem.startswith(f"its {column}: {value or 'nothing'} is stored")


def test_a_saved_match_is_shown_with_them(tmp_path: Path, arena: Arena) -> None:
    file = tmp_path / "match.json"
    play = ("play", "war", "random", "random", "--seed", "1", "--sandbox", "none", "--save", file)
    assert "(seat 1), score 52\n" in arena(*play).stdout
    replay = json.loads(file.read_text())["replay"]
    assert replay["scores"] == [0, 52]
    told = arena("show", file).stdout
    assert f"Ended: all_cards, battles {replay['numbers']['battles']}\n" in told
    facts = json.loads(arena("show", file, "--format", "json").stdout)
    assert facts["numbers"] == replay["numbers"]
    assert [seat["score"] for seat in facts["seats"]] == [0, 52]

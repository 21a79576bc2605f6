"""Scores and numbers in databases and exports: kept, compared, and those from before without."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from arena.store.store import Store
from tests.arena.archive.test_export import bytes_of, lines_of, merge, refused, write
from tests.arena.archive.test_verify import change, found
from tests.arena.conftest import ROOT, Arena, League, naughty

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


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A league of war with scores, numbers and forfeits; not to be changed."""
    league = League(tmp_path_factory.mktemp("war"))
    try:
        league.write(WAR + naughty("crash_mid_match"))
        league.call("run", "--workers", "2")
        return league.folder
    finally:
        league.close()


@pytest.fixture
def copy(played: Path, tmp_path: Path) -> Path:
    return shutil.copytree(played, tmp_path / "copy")


def scored(lines: list[dict[str, Any]]) -> list[Any]:
    return [line.get("scores") for line in lines]


# --- what is from before


@pytest.mark.slow
def test_an_old_database_opens_as_it_was_verifies_and_goes_on_with_scores(old: League) -> None:
    assert bytes_of(old.folder) == OLD_EXPORT.read_bytes()
    assert old.call("verify").stdout == "4 matches verified; none differs.\n"
    old.write(CASINO.format(deals=4))
    old.call("run", "--workers", "2")
    _, lines = lines_of(old.folder)
    assert {line["deal"]: line.get("scores") is None for line in lines} == {
        **dict.fromkeys((0, 1), True),
        **dict.fromkeys((2, 3), False),
    }
    assert old.call("verify").stdout == "8 matches verified; none differs.\n"
    told = old.call("rank", "--by", "score").stdout.replace("\n", " ")
    assert "Left out of the scores: 4 matches have none (a seat forfeited, or they are" in told


def test_an_old_export_is_imported_and_exported_as_it_was(league: League, arena: Arena) -> None:
    league.write(CASINO.format(deals=2))
    assert arena("import", league.folder, OLD_EXPORT).exit_code == 0
    assert bytes_of(league.folder) == OLD_EXPORT.read_bytes()


@pytest.mark.parametrize("is_old_first", [True, False])
def test_a_match_with_scores_is_the_same_one_without(
    is_old_first: bool, league: League, tmp_path: Path
) -> None:
    """What the bots did is the same, and the first one stays."""
    league.write(CASINO.format(deals=2))
    league.call("run", "--workers", "1")
    new = tmp_path / "new.jsonl"
    new.write_bytes(bytes_of(league.folder))
    (league.folder / "league.db").unlink()
    first, second = (OLD_EXPORT, new) if is_old_first else (new, OLD_EXPORT)
    assert merge(league.folder, first) == (4, 0)
    assert merge(league.folder, second) == (0, 4)
    assert bytes_of(league.folder) == first.read_bytes()


# --- what is kept


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
    file = tmp_path / "war.jsonl"
    file.write_bytes(bytes_of(played))
    other = tmp_path / "other"
    other.mkdir()
    shutil.copy(played / "league.toml", other)
    assert merge(other, file) == (12, 0)
    assert bytes_of(other) == file.read_bytes()
    with Store(played / "league.db") as here, Store(other / "league.db") as there:
        assert list(here.matches()) == list(there.matches())
    assert found(other) == []


def test_parts_keep_them(played: Path, tmp_path: Path) -> None:
    header, lines = lines_of(played)
    half = [line for line in lines if line["deal"] == 0]
    rest = [line for line in lines if line["deal"] == 1]
    parts = [
        write(tmp_path / f"{number}.jsonl", header | {"matches": len(part)}, *part)
        for number, part in enumerate((rest, half))
    ]
    other = tmp_path / "other"
    other.mkdir()
    shutil.copy(played / "league.toml", other)
    merge(other, *parts)
    assert bytes_of(other) == bytes_of(played)


def first_scored(lines: list[dict[str, Any]]) -> dict[str, Any]:
    return next(line for line in lines if "scores" in line)


FORGERIES: dict[str, Callable[[dict[str, Any]], object]] = {
    "scores": lambda line: line["scores"].reverse(),
    "numbers": lambda line: line["numbers"].update(battles=1),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_what_a_line_says_otherwise_than_its_replay_is_refused(
    name: str, copy: Path, tmp_path: Path
) -> None:
    header, lines = lines_of(copy)
    FORGERIES[name](first_scored(lines))
    file = write(tmp_path / "forged.jsonl", header, *lines)
    (copy / "league.db").unlink()
    assert f"{name!r} is not what its replay says" in refused(lambda: merge(copy, file))


@pytest.mark.parametrize("name", FORGERIES)
def test_a_line_that_lacks_what_its_replay_says_is_refused(
    name: str, copy: Path, tmp_path: Path
) -> None:
    header, lines = lines_of(copy)
    del first_scored(lines)[name]
    file = write(tmp_path / "forged.jsonl", header, *lines)
    (copy / "league.db").unlink()
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
    league.call("run", "--workers", "1")
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


@pytest.mark.parametrize(
    ("column", "value"),
    [("scores", None), ("scores", "[0, 52.0]"), ("numbers", None), ("numbers", '{"battles": 1}')],
)
def test_a_column_that_was_changed_is_found(column: str, value: str | None, copy: Path) -> None:
    _, lines = lines_of(copy)
    change(
        copy,
        f"UPDATE match SET {column} = ? WHERE (deal, rotation) = "
        "(SELECT deal, rotation FROM match WHERE scores IS NOT NULL LIMIT 1)",
        value,
    )
    ((match, problem),) = found(copy)
    assert match in {line["match"] for line in lines if "scores" in line}
    assert problem.startswith(f"its {column}: {'nothing' if value is None else value} is stored")


@pytest.mark.parametrize("text", ["[1, 2, 3]", "[null, 1]", "[1", '"52"', "[1e300, 0]"])
def test_scores_that_cannot_be_read_are_damage(text: str, copy: Path, arena: Arena) -> None:
    change(copy, "UPDATE match SET scores = ?", text)
    for words in (("matches", copy), ("rank", copy, "--by", "score"), ("export", copy)):
        result = arena(*words)
        assert result.exit_code == 1
        assert "league.db is damaged: the scores of a match" in result.stderr
        assert result.stderr.count("\n") == 1


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

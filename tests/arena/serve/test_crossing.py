"""The cross-table, and tables as files: whole, as they were at a freeze, and safe to open."""

import csv
import io
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena.serve.crossing import CrossView, cross_csv, cross_page, cross_view, table_csv
from arena.serve.pages import WebVisit
from arena.serve.replays import matches_view
from arena.serve.views import table_view
from tests.arena.report.test_summary import league_of
from tests.arena.serve.test_views import replaced

NAMES = ("ann", "bob", "cat")
STRANGER = WebVisit(league="cup")


@pytest.fixture
def cup(tmp_path: Path) -> Path:
    return league_of(tmp_path / "cup", NAMES)


def lines(text: str) -> list[dict[str, str]]:
    assert text.endswith("\n")
    return list(csv.DictReader(io.StringIO(text)))


def test_every_pair_has_a_cell_that_leads_to_its_matches_for_who_may_see_them(cup: Path) -> None:
    view = cross_view(cup)
    assert {(row["bot"], row["other"]) for row in view.rows} == {
        (one, other) for one in NAMES for other in NAMES if one != other
    }
    assert {bot for bot, _ in view.bots} == set(NAMES)
    link = "matches?bot=ann&amp;against=bob"
    assert link not in cross_page(STRANGER, view, [])
    assert link in cross_page(STRANGER, view, ["ann"])
    assert link not in cross_page(STRANGER, view, ["bob"])
    assert link in cross_page(WebVisit(league="cup", replays=True), view, [])
    assert 'href="/cup/bots/ann"' in cross_page(STRANGER, view, [])


def test_matches_of_two_are_those_in_which_both_sat(cup: Path) -> None:
    both = {"ann", "cat"}
    found = matches_view(cup, bot="ann", against="cat").rows
    everything = matches_view(cup).rows
    wanted = [row.id for row in everything if both <= {seat.bot for seat in row.seats}]
    assert [row.id for row in found] == wanted != []
    assert matches_view(cup, bot="ann", against="nobody").rows == []
    own = [(seat.bot, seat.version) for row in everything for seat in row.seats]
    of_bob = [each for each in own if each[0] == "bob"]
    assert matches_view(cup, bot="ann", against="cat", own=of_bob).rows == []


def test_a_frozen_cross_table_is_as_it_was(tmp_path: Path) -> None:
    folder = league_of(tmp_path / "duo", ("ann", "bob"))
    before = cross_view(folder)
    replaced(folder)
    assert cross_view(folder).rows != before.rows
    assert cross_view(folder, "2026-02-01T00:00:00+00:00").rows == before.rows


def test_no_cell_of_a_file_holds_json(cup: Path) -> None:
    view = table_view(cup)
    rows = lines(table_csv(view.rows))
    assert [row["bot"] for row in rows] == [row["bot"] for row in view.rows]
    assert {"rank_from", "rank_to", "faults_late", "faults_crash", "rating"} <= rows[0].keys()
    pairs = lines(cross_csv(cross_view(cup)))
    assert len(pairs) == 6
    for row in (*rows, *pairs):
        assert not any(mark in cell for cell in row.values() for mark in "[]{}")


def test_a_league_without_matches_has_tables_all_the_same(cup: Path) -> None:
    (cup / "league.db").unlink()
    assert [row["bot"] for row in lines(table_csv(table_view(cup).rows))] == list(NAMES)
    view = cross_view(cup)
    assert lines(cross_csv(view)) == []
    assert cross_csv(view).startswith("bot,other,matches,")
    assert "No two bots have met yet." in cross_page(STRANGER, view, [])


def test_names_that_a_spreadsheet_would_run_are_guarded() -> None:
    row: dict[str, Any] = {"bot": "=cmd()", "rank": None, "faults": None}
    [found] = lines(table_csv([row]))
    assert found["bot"] == "'=cmd()"
    assert (found["rank_from"], found["faults_late"]) == ("", "")


def test_a_view_is_the_same_after_its_way_between_processes(cup: Path) -> None:
    view = cross_view(cup)
    again = msgspec.json.decode(msgspec.json.encode(view), type=CrossView)
    assert cross_page(STRANGER, again, []) == cross_page(STRANGER, view, [])

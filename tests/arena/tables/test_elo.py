"""The anchor that a league names: Elo wherever ratings are shown, and an option overrides it."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from arena.library import League as Library
from arena.serve.careers import bot_view
from arena.serve.pages import WebVisit, bot_page, table_page
from arena.serve.shown import Calendar
from arena.serve.views import table_view
from tests.arena.conftest import Arena

ANCHOR = "anchor = { two = 1500 }\n"


@pytest.fixture
def anchored(copy: Path) -> Path:
    """A league that was played, and names its anchor only then."""
    file = copy / "league.toml"
    file.write_text(ANCHOR + file.read_text())
    return copy


def rows(arena: Arena, *words: object) -> dict[str, dict[str, Any]]:
    result = arena("rank", *words, "--format", "json")
    assert result.exit_code == 0, result.output
    return {row["bot"]: row for row in json.loads(result.stdout)["standings"]}


def test_every_table_is_measured_from_the_league_s_anchor(arena: Arena, anchored: Path) -> None:
    found = rows(arena, anchored)
    assert found == rows(arena, anchored, "--anchor", "two=1500")
    assert (found["two"]["elo"], found["two"]["elo_error"]) == (1500, 0)
    asked = rows(arena, anchored, "--anchor", "one=1500")  # which overrides it
    assert asked["one"]["elo"] == 1500
    assert asked["two"]["elo"] == pytest.approx(3000 - found["one"]["elo"], abs=0.01)


def test_every_table_says_that_it_is_on_elo_s_scale(arena: Arena, anchored: Path) -> None:
    assert "Elo lead ± 2σ" in arena("rank", anchored, "--pairs").stdout
    assert "Elo): a chance of" in " ".join(
        arena("table", anchored, "--between", "one", "illegal").stdout.split()
    )
    assert "Elo ± 2σ" in arena("run", anchored).stdout
    assert "Elo ± 2σ" in str(Library(anchored).rank())


def test_leagues_that_name_the_same_anchor_combine_on_its_scale(
    arena: Arena, anchored: Path, played: Path, tmp_path: Path
) -> None:
    assert rows(arena, anchored, played)["two"]["elo"] == 1500
    assert rows(arena, anchored, played, "--anchor", "one=7")["one"]["elo"] == 7
    other = shutil.copytree(anchored, tmp_path / "other")
    text = (other / "league.toml").read_text()
    (other / "league.toml").write_text(text.replace("1500", "1600"))
    assert "elo" not in rows(arena, anchored, other)["two"], "they do not agree"


def test_an_anchor_may_be_disqualified_but_not_removed(arena: Arena, anchored: Path) -> None:
    result = arena("remove", anchored, "two")
    assert result.exit_code == 2
    assert "anchor: there is no bot 'two' in the league" in result.stderr
    assert 'name = "two"' in (anchored / "league.toml").read_text()
    assert arena("remove", anchored, "two", "--because", "it cheated").exit_code == 0
    assert "elo" not in rows(arena, anchored)["one"]
    assert "Rating ± 2σ" in arena("rank", anchored).stdout


def test_init_writes_an_anchor(arena: Arena, tmp_path: Path) -> None:
    words = ("random", "the best=rusher", "--game", "guerra", "--sandbox", "none")
    assert arena("init", tmp_path / "cup", *words, "--anchor", "the best=1500.5").exit_code == 0
    text = (tmp_path / "cup" / "league.toml").read_text()
    assert 'anchor = { "the best" = 1500.5 }  # its strength' in text
    refused = arena("init", tmp_path / "other", *words, "--anchor", "the bets=1500")
    assert refused.exit_code == 2
    assert "there is no bot 'the bets' in the league. Did you mean 'the best'?" in refused.stderr
    assert not (tmp_path / "other").exists()
    made = Library.make(tmp_path / "made", "guerra", ["random", "rusher"], anchor={"random": 1000})
    assert made.plan.anchor == ("random", 1000)


@pytest.mark.slow
def test_pages_show_elo_where_there_is_an_anchor(
    arena: Arena, anchored: Path, played: Path
) -> None:
    found = {bot: row["elo"] for bot, row in rows(arena, anchored).items()}
    table, view = table_view(anchored), bot_view(anchored, "one")
    shown = {row["bot"]: row["elo"] for row in table.rows}
    assert shown == pytest.approx(found, abs=0.001)
    assert view.row is not None
    (version,) = view.versions
    (one, _) = view.points[-1].elo["one"]
    assert [view.row["elo"], version.elo, one] == pytest.approx([found["one"]] * 3, abs=0.001)
    assert not bot_view(anchored, "one").points[-1].elo.keys() - {"one"}
    assert bot_view(anchored, "two").points[-1].elo["two"] == (1500, 0)
    visit, calendar = (
        WebVisit(league="cup"),
        Calendar(closes="", per_hour=1, per_day=1, size_mb=1, bots=1),
    )
    for folder, said, other in ((anchored, "Elo", "Rating"), (played, "Rating", "Elo")):
        for page in (
            arena("report", folder, "-o", "-", "--replays", "0").stdout,
            table_page(visit, table_view(folder), calendar),
            bot_page(visit, bot_view(folder, "two")),
        ):
            assert f"{said} ± 2σ" in page
            assert f"{other} ± 2σ" not in page
    assert ">1500 ± 0</td>" in arena("report", anchored, "-o", "-", "--replays", "0").stdout
    assert "<dd>1500 ± 0</dd>" in bot_page(visit, bot_view(anchored, "two"))

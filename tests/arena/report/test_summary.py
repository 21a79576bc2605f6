"""The page of a league, matches aside: its numbers are those of the commands, its text is safe."""

import base64
import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from arena.league import Settings, make_league, read_played
from arena.report.charts import binned
from arena.report.page import page_of
from arena.report.plain import plain
from arena.report.progress import LEAST_POINTS, MOST_POINTS
from arena.report.summary import Summary, summary_of
from arena.result import MatchResult, PlayedMatch, Record
from arena.store import Store
from arena.tables import render
from protocol.errors import ArenaError
from tests.arena.conftest import ROOT

Arena = Callable[..., Result]

HOSTILE = ("<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "{{ 7*7 }}", "שלום")
EVIL = "vm\x1b[31m\u202e</script><b>"
RECORD = Record(b"", b"", 0.01)


def league_of(
    folder: Path, names: tuple[str, ...], deals: int = 4, *, game: str = "guerra", seats: int = 2
) -> Path:
    """Make a league whose bots all did better the earlier they are named; return its folder."""
    league = make_league(
        folder,
        Settings(game=game, seats=seats, seed="sesame", deals=deals),
        {},
        {"move_time": 2.5},
        [{"name": name, "shipped": "random"} for name in names],
    )
    schedule = league.schedule
    played = []
    for deal in schedule.plan():
        for rotation in range(schedule.rotation_count):
            bots = schedule.seating(deal, rotation)
            order = sorted(bots, key=lambda bot: names.index(league.bots[bot].name))
            if (deal.number + rotation) % 4 == 3:
                order = order[::-1]
            found = MatchResult(
                match=schedule.match_id(deal, rotation),
                deal=schedule.deal_id(deal),
                number=deal.number,
                rotation=rotation,
                bots=list(bots),
                places=[1 + order.index(bot) for bot in bots],
                reason="made up",
                decisions=10 + deal.number,
                faults=[{"late": 1}, *({} for _ in bots[1:])],
                forfeits=[],
                moves=len(played),
                clock=[[5, 2000, 900] for _ in bots],
            )
            played.append(PlayedMatch(found, RECORD))
    with Store(league.database, create=True) as store:
        store.keep_settings(league.fixed())
        ids = store.bot_ids(league.bots)
        matches = iter(played)
        while some := list(islice(matches, 7)):
            store.add(
                some, ids, played_at="2026-01-02T03:04:05+00:00", machine=EVIL, sandbox="none"
            )
    return folder


def read(folder: Path) -> Summary:
    return summary_of(read_played(folder))


class Parsed(HTMLParser):
    """A page as a browser reads it: its elements with their attributes, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Summary:
    return read(league_of(tmp_path_factory.mktemp("leagues") / "cup", HOSTILE))


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("standings", ("rank", "--times")),
        ("encounters", ("table",)),
        ("seats", ("rank", "--by", "seat")),
    ],
)
def test_tables_say_what_the_commands_say(
    table: str, words: tuple[str, ...], arena: Arena, tmp_path: Path
) -> None:
    folder = league_of(tmp_path / "cup", ("ann", "bob", "cat"))
    said = arena(words[0], folder, *words[1:], "--format", "json").stdout
    assert json.loads(render(getattr(read(folder), table), "json")) == json.loads(said)


def test_a_league_that_was_truly_played_makes_a_page(arena: Arena, played: Path) -> None:
    page = Parsed(page_of(read(played)))
    assert [attributes.get("id") for attributes in page.named("section")] == [
        *("leaderboard", "crosstable", "progress", "seats", "times", "lengths", "played")
    ]


def test_the_ratings_of_the_page_are_those_of_the_leaderboard(hostile: Summary) -> None:
    page = page_of(hostile)
    for row in hostile.standings.rows:
        assert f"{row['rating']:.2f} ± {2 * row['error']:.2f}" in page


def test_progress_ends_with_the_ratings_of_all_matches(hostile: Summary) -> None:
    last = hostile.progress[-1]
    assert last.matches == hostile.field.matches
    assert {bot: rating.mu for bot, rating in last.ratings.items()} == {
        row["bot"]: row["rating"] for row in hostile.standings.rows
    }


def test_progress_goes_by_ever_more_matches(hostile: Summary) -> None:
    matches = [point.matches for point in hostile.progress]
    assert matches == sorted(set(matches))
    assert LEAST_POINTS <= len(matches) <= MOST_POINTS


def test_lengths_count_the_matches_by_their_decisions(tmp_path: Path) -> None:
    lengths = read(league_of(tmp_path / "cup", ("ann", "bob"))).lengths
    assert lengths.decisions == {10: 2, 11: 2, 12: 2, 13: 2}
    assert (lengths.mean, lengths.median, lengths.reasons) == (11.5, 11, {"made up": 8})


def test_bins_hold_every_match_once() -> None:
    lengths = {number: number % 3 for number in range(17, 500)}
    bins = binned(lengths)
    assert sum(count for _, _, count in bins) == sum(lengths.values())
    assert len(bins) <= 51
    assert all(low <= high for low, high, _ in bins)


def test_the_setup_tells_the_limits_that_are_not_the_usual(hostile: Summary) -> None:
    assert hostile.setup.limits == {"move_time": 2.5}
    assert hostile.setup.first == "2026-01-02T03:04:05+00:00"


def test_the_seed_is_not_told(hostile: Summary) -> None:
    assert "sesame" not in page_of(hostile)


def test_nothing_played_is_an_error(tmp_path: Path) -> None:
    bots = [{"name": name, "shipped": "random"} for name in ("ann", "bob")]
    make_league(tmp_path / "cup", Settings(game="guerra", seed=1), {}, {}, bots)
    with pytest.raises(ArenaError):
        read(tmp_path / "cup")


def test_hostile_names_are_text_and_nothing_else(hostile: Summary) -> None:
    page = Parsed(page_of(hostile))
    assert page.named("script") == [{}]
    assert not page.named("img")
    for name in HOSTILE:
        assert name in page.text


def test_what_hides_or_turns_text_around_is_written_out(hostile: Summary) -> None:
    page = page_of(hostile)
    assert "vm[U+001B][31m[U+202E]&lt;/script&gt;&lt;b&gt;" in page
    assert "\u202e" not in page
    assert "\x1b" not in page


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("ann", "ann"),
        ("a\u200bb", "a[U+200B]b"),
        ("a\nb", "a[U+000A]b"),
        ("\u2028", "[U+2028]"),
        ("\ud800", "[U+D800]"),
        ("año 你好 שלום", "año 你好 שלום"),
    ],
)
def test_plain_text_hides_nothing(text: str, shown: str) -> None:
    assert plain(text) == shown


def test_no_attribute_styles_runs_or_fetches_anything(hostile: Summary) -> None:
    for _, attributes in Parsed(page_of(hostile)).elements:
        assert "style" not in attributes
        assert "src" not in attributes
        assert not [name for name in attributes if name.startswith("on")]
        assert (attributes.get("href") or "#").startswith("#")


def test_the_policy_names_every_block_by_its_hash(hostile: Summary) -> None:
    page = page_of(hostile, "{}")
    (policy,) = [
        attributes["content"]
        for attributes in Parsed(page).named("meta")
        if attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policy is not None
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    blocks = re.findall(r"<(?:style|script)>(.*?)</(?:style|script)>", page, re.DOTALL)
    hashes = {
        f"'sha256-{base64.b64encode(hashlib.sha256(block.encode()).digest()).decode()}'"
        for block in blocks
    }
    assert hashes == set(re.findall(r"'sha256-[^']+'", policy))


def test_matches_are_data_that_no_markup_breaks_out_of(hostile: Summary) -> None:
    page = page_of(hostile, json.dumps({"matches": "</script><script>alert(1)</script>"}))
    found = re.search(r'<script type="application/json" id="matches">(.*?)</script>', page)
    assert found is not None
    assert json.loads(found[1]) == {"matches": "</script><script>alert(1)</script>"}


def test_without_matches_there_is_no_viewer(hostile: Summary) -> None:
    assert 'id="matches"' not in page_of(hostile)
    assert 'href="#replays"' not in page_of(hostile)


def test_no_id_is_given_twice(hostile: Summary) -> None:
    elements = Parsed(page_of(hostile, "{}")).elements
    ids = [attributes["id"] for _, attributes in elements if "id" in attributes]
    assert len(ids) == len(set(ids))


def test_contents_lead_to_sections(hostile: Summary) -> None:
    page = Parsed(page_of(hostile, "{}"))
    ids = {attributes.get("id") for _, attributes in page.elements}
    links = [attributes["href"] or "" for attributes in page.named("a")]
    assert {link.removeprefix("#") for link in links} <= ids


def test_every_picture_has_a_name_and_a_table_behind_it(hostile: Summary) -> None:
    page = Parsed(page_of(hostile))
    charts = [each for each in page.named("svg") if each.get("role") == "img"]
    ids = {attributes.get("id") for _, attributes in page.elements}
    assert len(charts) == 4
    for chart in charts:
        assert set((chart["aria-labelledby"] or "").split()) <= ids


def test_one_league_makes_the_same_page_whatever_the_process(tmp_path: Path) -> None:
    folder = league_of(tmp_path / "cup", HOSTILE)
    program = (
        "import sys; from pathlib import Path; from arena.league import read_played;"
        "from arena.report.page import page_of; from arena.report.summary import summary_of;"
        "sys.stdout.buffer.write(page_of(summary_of(read_played(Path(sys.argv[1])))).encode())"
    )
    pages = {
        subprocess.run(
            [sys.executable, "-c", program, str(folder)],
            capture_output=True,
            check=True,
            cwd=ROOT,
            env={"PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(pages) == 1


def test_many_bots_share_a_table_of_small_cells(tmp_path: Path) -> None:
    names = tuple(f"bot {number:02}" for number in range(21))
    page = page_of(read(league_of(tmp_path / "cup", names, deals=2)))
    assert "heat sticky compact" in page
    assert len(page) < 500_000


def test_groups_that_never_met_have_a_table_each(hostile: Summary) -> None:
    rows = [{**row, "group": 1 + (number > 1)} for number, row in enumerate(hostile.standings.rows)]
    apart = replace(hostile, standings=replace(hostile.standings, rows=rows))
    assert page_of(apart).count('<table class="heat') == 2


def test_tables_of_six_show_places(tmp_path: Path) -> None:
    names = ("ann", "bob", "cat", "dan", "eve", "fay")
    folder = league_of(tmp_path / "cup", names, game="world_war", seats=6)
    page = page_of(read(folder))
    assert "Mean place" in page
    assert "Seat 5, %" in page


def test_watching_hears_what_is_being_done(tmp_path: Path) -> None:
    said: list[Any] = []
    summary_of(read_played(league_of(tmp_path / "cup", ("ann", "bob"))), said.append)
    assert said[0] == "Reading the results"
    assert said[-1].startswith("Rating the first matches")

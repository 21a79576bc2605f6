"""The page of a league, matches aside: its numbers are those of the commands, its text is safe."""

import base64
import hashlib
import json
import re
import subprocess
from collections import Counter, defaultdict
from dataclasses import replace
from html.parser import HTMLParser
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from arena.league.settings import Settings
from arena.league.writing import make_league
from arena.report import page as report_page
from arena.report.charts import binned, length_chart, time_chart
from arena.report.page import LEVELS, MOST_BOTS, heats, page_of
from arena.report.progress import LEAST_POINTS, MOST_POINTS
from arena.report.summary import Summary, summary_of
from arena.report.templates import plain
from arena.store.opening import read_league, read_played
from arena.store.result import PlayedMatch, Record
from arena.store.store import Store
from arena.tables.facet import Facet
from arena.tables.table import Table, render
from tests.arena.conftest import ARENA, ROOT, Arena
from tests.benchmarks.ready_worker import ready

HOSTILE = ("<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "{{ 7*7 }}", "שלום")
EVIL = "vm\x1b[31m\u202e</script><b>"


def league_of(
    folder: Path,
    names: tuple[str, ...],
    deals: int = 4,
    *,
    game: str = "guerra",
    seats: int = 2,
    missing: int = 0,
) -> Path:
    """Make a league whose bots all did better the earlier they are named; return its folder.

    So many matches are missing at the end.
    """
    make_league(
        folder,
        Settings(game=game, seats=seats, seed="sesame", deals=deals),
        {},
        {"move_time": 2.5},
        [{"name": name, "shipped": "random"} for name in names],
    )
    play(folder, names, missing)
    return folder


def play(folder: Path, names: tuple[str, ...], missing: int = 0) -> None:
    """Store made-up matches of all deals of a league, but for so many matches at the end."""
    league = read_league(folder)
    schedule = league.schedule
    played = []
    for deal in league.asked.plan():
        for rotation in range(schedule.rotation_count):
            bots = schedule.seating(deal, rotation)
            order = sorted(bots, key=lambda bot: names.index(league.bots[bot].name))
            if (deal.number + rotation) % 4 == 3:
                order = order[::-1]
            found = structs.replace(
                ready(schedule, deal, rotation).result,
                bots=bots,
                places=tuple(1 + order.index(bot) for bot in bots),
                decisions=10 + deal.number,
                faults=({"late": 1}, *({} for _ in bots[1:])),
                moves=len(played),
                clock=str([[5, 2000, 900, 2500] for _ in bots]),
            )
            played.append(PlayedMatch(found, Record(b"", b"", 0.01), EVIL, "none"))
    with Store(league.database, create=True) as store:
        store.settings.keep(league.conditions())
        ids = store.bots.rows(league.bots)
        matches = iter(played[: len(played) - missing])
        while some := list(islice(matches, 7)):
            store.add(some, ids, played_at="2026-01-02T03:04:05+00:00")


def rewrite(folder: Path, *changes: tuple[str, str]) -> None:
    file = folder / "league.toml"
    text = file.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    file.write_text(text)


def read(folder: Path) -> Summary:
    return summary_of(read_played(folder))


class Parsed(HTMLParser):
    """A page as a browser reads it: its elements with their attributes, and its text.

    Also by the id of a section, how many elements of each kind it holds, and its text.
    """

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.said: defaultdict[str, str] = defaultdict(str)
        self._section = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag == "section":
            self._section = dict(attrs)["id"] or ""
        self.counts[self._section]["picture" if ("role", "img") in attrs else tag] += 1

    def handle_endtag(self, tag: str) -> None:
        if tag == "section":
            self._section = ""

    def handle_data(self, data: str) -> None:
        self.text += data
        self.said[self._section] += data

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Summary:
    return read(league_of(tmp_path_factory.mktemp("leagues") / "cup", HOSTILE))


def test_tables_say_what_the_commands_say(arena: Arena, tmp_path: Path) -> None:
    folder = league_of(tmp_path / "cup", ("ann", "bob", "cat"))
    summary = read(folder)
    for table, command, *words in (
        ("standings", "rank", "--times"),
        ("encounters", "table"),
        ("seats", "rank", "--by", "seat"),
    ):
        said = arena(command, folder, *words, "--format", "json").stdout
        assert json.loads(render(getattr(summary, table), "json")) == json.loads(said)


def test_progress_goes_by_ever_more_matches_to_the_ratings_of_all(hostile: Summary) -> None:
    matches = [point.matches for point in hostile.progress]
    assert matches == sorted(set(matches))
    assert LEAST_POINTS <= len(matches) <= MOST_POINTS
    last = hostile.progress[-1]
    assert last.matches == hostile.field.matches
    assert {bot: rating.mu for bot, rating in last.ratings.items()} == {
        row["bot"]: row["rating"] for row in hostile.standings.rows
    }
    page = page_of(hostile)
    for row in hostile.standings.rows:
        assert f"{row['rating']:.2f} ± {2 * row['error']:.2f}" in page
    assert "4 bots, 48 matches, 2026-01-02." in Parsed(page).text
    assert hostile.facts.limits == {"move_time": 2.5}  # those that are not the usual ones
    assert "sesame" not in page  # the seed


def test_lengths_count_every_match_once_by_its_decisions(tmp_path: Path) -> None:
    lengths = read(league_of(tmp_path / "cup", ("ann", "bob"))).lengths
    assert lengths.decisions == {10: 2, 11: 2, 12: 2, 13: 2}
    assert (lengths.mean, lengths.median, lengths.reasons) == (11.5, 11, {"made up": 8})
    many = {number: number % 3 for number in range(17, 500)}
    bins = binned(many)
    assert sum(count for _, _, count in bins) == sum(many.values())
    assert len(bins) <= 51
    assert all(low <= high for low, high, _ in bins)
    chart = length_chart(binned({105: 1, 112: 1, 118: 2}))
    labels = re.findall(r"<text[^>]*>([^<]*)</text>", chart)
    assert labels[:5] == ["0", "1", "2", "106", "108"]  # whole numbers


def test_hostile_names_are_text_and_nothing_else(hostile: Summary) -> None:
    text = page_of(hostile)
    page = Parsed(text)
    assert page.named("script") == [{"type": "application/json", "id": "data"}, {}, {}, {}]
    assert not page.named("img")
    assert all(name in page.text for name in HOSTILE)
    assert "vm[U+001B][31m[U+202E]&lt;/script&gt;&lt;b&gt;" in text
    assert not {"\u202e", "\x1b"} & {*text}
    assert plain("a\u200bb\n\u2028\ud800ño") == "a[U+200B]b[U+000A][U+2028][U+D800]ño"
    for _, attributes in page.elements:
        assert not {"style", "src"} & attributes.keys()
        assert not [name for name in attributes if name.startswith("on")]
        assert (attributes.get("href") or "#").startswith("#")


def test_ids_are_given_once_contents_lead_to_them_and_matches_are_data(hostile: Summary) -> None:
    matches = json.dumps({"matches": "</script><script>alert(1)</script>"})
    text = page_of(hostile, matches)
    found = re.search(r'<script type="application/json" id="matches">(.*?)</script>', text)
    assert found is not None
    assert json.loads(found[1]) == json.loads(matches)
    page = Parsed(text)
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {(link["href"] or "").removeprefix("#") for link in page.named("a")} <= {*ids}
    without = page_of(hostile)
    assert 'id="matches"' not in without
    assert 'href="#replays"' not in without


def test_the_policy_names_every_block_by_its_hash(hostile: Summary) -> None:
    page = page_of(hostile, "{}")
    (policy,) = [
        attributes["content"]
        for attributes in Parsed(page).named("meta")
        if attributes.get("http-equiv") == "Content-Security-Policy"
    ]

    def hashes(tag: str) -> str:
        blocks = re.findall(f"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        digests = (hashlib.sha256(block.encode()).digest() for block in blocks)
        return " ".join(f"'sha256-{base64.b64encode(each).decode()}'" for each in digests)

    assert (policy or "").split("; ") == [
        "default-src 'none'",
        f"style-src {hashes('style')}",
        f"script-src {hashes('script')}",
        "base-uri 'none'",
        "form-action 'none'",
    ]


def test_every_picture_has_a_name_and_a_table_behind_it(hostile: Summary) -> None:
    page = Parsed(page_of(hostile))
    ids = {attributes.get("id") for _, attributes in page.elements}
    for chart in (each for each in page.named("svg") if each.get("role") == "img"):
        assert set((chart["aria-labelledby"] or "").split()) <= ids
    pictured = {section for section, counts in page.counts.items() if counts["picture"]}
    assert pictured == {"progress", "seats", "times", "lengths"}
    assert all(page.counts[section]["table"] for section in pictured)
    assert page.counts["crosstable"]["table"] == 2  # in colours, and pair by pair


def test_the_table_of_pairs_has_all_that_is_drawn(hostile: Summary) -> None:
    table = re.search(r'<table class="sortable pairs">.*?</table>', page_of(hostile), re.DOTALL)
    assert table is not None
    rows = [re.sub(r"<t[dh]>", "|", row) for row in table[0].split("<tr>")[2:]]
    assert len(rows) == len(hostile.encounters.rows)
    for line, row in zip(rows, hostile.encounters.rows, strict=True):
        numbers = f"|{row['matches']}|{row['wins']}|{row['draws']}|{row['losses']}|"
        assert f"{numbers}{100 * row['points']:.1f}|{100 * row['low']:.1f} to " in line


def test_matches_that_wait_are_among_the_lengths_and_that_is_said_once(tmp_path: Path) -> None:
    summary = read(league_of(tmp_path / "cup", ("ann", "bob"), missing=1))
    assert (summary.field.matches, summary.lengths.matches, summary.facts.matches) == (6, 7, 7)
    page = Parsed(page_of(summary))
    assert "2 bots, 6 matches." in page.text
    assert "Counted are all 7 matches of these bots, also those left out" in page.said["lengths"]
    assert "Counted are all 7 matches ever stored, also those left out" in page.said["played"]
    for section, remark in (
        ("leaderboard", "1 more match counts only"),
        ("leaderboard", "1 match is missing"),
        ("times", "their times are those of all matches"),
    ):
        assert page.text.count(remark) == page.said[section].count(remark) == 1


def test_how_quiet_machines_were_stands_where_times_are(tmp_path: Path) -> None:
    summary = read(league_of(tmp_path / "cup", ("ann", "bob")))
    note = "Others had the core."
    field = replace(summary.field, optional=[Facet(notes=[note])])
    standings = replace(summary.standings, notes=[*summary.standings.notes, note])
    page = Parsed(page_of(replace(summary, field=field, standings=standings)))
    assert page.text.count(note) == page.said["times"].count(note) == 1


def test_a_league_all_of_whose_bots_left_says_so(tmp_path: Path) -> None:
    folder = league_of(tmp_path / "cup", ("ann", "bob"))
    rewrite(folder, ('"ann"', '"cat"'), ('"bob"', '"dan"'))
    steps: list[Any] = []
    page = Parsed(page_of(summary_of(read_played(folder), steps.append)))
    assert steps[0] == "Reading the results"
    assert "2 bots, 0 matches." in page.text
    assert "No two of these bots have met." in page.said["crosstable"]
    assert "No match of these bots was played." in page.said["lengths"]
    assert "Counted are all 8 matches ever stored" in page.said["played"]
    assert not any("None" in words for words in page.said.values() if words)
    assert {"None", "nan"}.isdisjoint(each.get("data-value") for _, each in page.elements)
    assert not any(counts["picture"] for counts in page.counts.values())


def test_groups_that_never_met_have_a_table_each_and_the_unranked_none(hostile: Summary) -> None:
    for group, count in ((lambda number: 1 + (number > 1), 2), (lambda number: number, 3)):
        rows = [{**row, "group": group(n)} for n, row in enumerate(hostile.standings.rows)]
        page = page_of(replace(hostile, standings=replace(hostile.standings, rows=rows)))
        assert page.count('<table class="heat') == count
    assert '<td class="n" data-value="">–</td>' in page


def test_a_seat_in_which_a_bot_never_sat_is_no_number(hostile: Summary) -> None:
    everybody, *others = hostile.seats.rows
    rows = [everybody, {**others[0], "points": None, "error": None}, *others[1:-1]]
    page = page_of(replace(hostile, seats=replace(hostile.seats, rows=rows)))
    table = page[page.index('aria-label="Points by seat and bot"') :]
    table = table[: table.index("</table>")]
    cells = re.findall(r'<td class="n[^>]*data-value="([^"]*)">', table)
    assert len(cells) == table.count("<td") == 10
    assert cells.count("") == 2
    assert "(everybody)" in table[table.index("<tfoot>") :]


def test_long_names_are_cut_at_the_axis_and_whole_in_the_title() -> None:
    name = "".join(chr(97 + number % 26) for number in range(40))
    chart = time_chart([{"bot": name, "cpu_per_decision": 0.001}])
    assert f">{name[:19]}…<title>{name}</title></text>" in chart
    short = time_chart([{"bot": "x" * 20, "cpu_per_decision": 0.001}])
    left, as_left = (re.search(r"translate\(\d+", svg) for svg in (chart, short))
    assert left is not None
    assert as_left is not None
    assert left[0] == as_left[0]


def test_cells_of_the_cross_table_say_who_is_surely_ahead(tmp_path: Path) -> None:
    summary = read(league_of(tmp_path / "cup", ("ann", "bob", "cat"), deals=20))
    shown = re.findall(
        r'<td class="h\d+" title="([^"]*)">([\d.]+)<b>(.?)</b></td>', page_of(summary)
    )
    marks = {1: ("+", ", surely ahead"), 0: ("", ""), -1: ("−", ", surely behind")}
    leads = [marks[row["lead"]] for row in summary.encounters.rows]
    assert leads.count(marks[1]) == leads.count(marks[-1]) == 3
    assert shown == [
        (
            f"{row['wins']}/{row['draws']}/{row['losses']} in {row['matches']} matches{words}",
            f"{100 * row['points']:.1f}",
            mark,
        )
        for row, (mark, words) in zip(summary.encounters.rows, leads, strict=True)
    ]


def test_colours_fade_with_few_deals() -> None:
    def level(points: float, reach: float) -> int:
        pair = {"points": points, "low": points - reach, "high": points + reach, "lead": 0}
        counts = dict.fromkeys(("wins", "draws", "losses", "matches"), 1)
        rows = [{"bot": bot, "other": other, **pair, **counts} for bot, other in ("ab", "ba")]
        bots = [{"group": 1, "bot": bot} for bot in "ab"]
        (drawn,) = heats(Table("standings", (), bots), Table("encounters", (), rows))
        cell = drawn.lines[0].cells[1]
        assert cell is not None
        return cell.level

    assert [level(1.0, reach) for reach in (0.05, 0.2, 0.3, 0.5)] == [LEVELS, 8, 7, 6]
    assert [level(0.5, reach) for reach in (0.05, 0.5)] == [LEVELS // 2] * 2


def test_the_data_of_the_page_are_the_tables_of_the_commands(hostile: Summary) -> None:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page_of(hostile))
    assert found is not None
    data = json.loads(found[1])
    for name in ("standings", "seats"):
        table = data["tables"][name]
        rows = [dict(zip(table["keys"], row, strict=True)) for row in table["rows"]]
        assert rows == json.loads(render(getattr(hostile, name), "json"))[name]
    pairs = len(hostile.encounters.rows)
    assert len(data["tables"]["encounters"]["rows"]) * 2 == pairs
    for bot, points in data["progress"]["bots"].items():
        assert len(points) == len(data["progress"]["matches"])
        assert bot in HOSTILE


def test_of_very_many_bots_the_first_are_drawn_which_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [{"group": 1, "bot": f"bot {number}"} for number in range(MOST_BOTS + 1)]
    (drawn,) = heats(Table("standings", (), rows), Table("encounters", (), ()))
    assert len(drawn.lines) == MOST_BOTS
    assert all(len(line.cells) == MOST_BOTS for line in drawn.lines)
    assert drawn.bots == MOST_BOTS + 1
    monkeypatch.setattr(report_page, "MOST_BOTS", 2)
    names = ("ann", "bob", "cat", "dan", "eve", "fay")
    text = page_of(read(league_of(tmp_path / "cup", names, game="world_war", seats=6)))
    page = Parsed(text)
    assert "Only the first 2 bots are drawn." in page.said["crosstable"]
    assert "These pairs as a table" in page.said["crosstable"]
    assert "Mean place" in text
    assert "Seat 5, %" in text


@pytest.mark.slow  # a process of its own
def test_one_league_makes_the_same_page_whatever_the_process(tmp_path: Path) -> None:
    folder = league_of(tmp_path / "cup", HOSTILE)
    words = [*ARENA, "report", str(folder), "-o", "-", "--replays", "0"]
    pages = {
        subprocess.run(
            words, capture_output=True, check=True, cwd=ROOT, env={"PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("1", "2")
    }
    assert len(pages) == 1

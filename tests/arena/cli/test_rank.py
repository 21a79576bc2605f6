"""`arena rank`: its options, several leagues together, and what it refuses."""

import itertools
import json
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from arena.stats.outcomes import Result as Seated
from arena.stats.ratings import fit
from arena.store.timing import MOST
from arena.tables.field import Field
from arena.tables.leaderboard import leaderboard
from arena.text import WITH_COMMAS
from tests.arena.conftest import ROOT, Arena
from tests.arena.stats.deals import deals_of
from tests.golden import Golden


def lines(*matches: str) -> str:
    """`A > B = C` as lines of a results file."""
    written = []
    for match in matches:
        groups = enumerate(match.split(" > "), 1)
        places = {bot: place for place, group in groups for bot in group.split(" = ")}
        written.append(json.dumps({"places": places}) + "\n")
    return "".join(written)


File = Callable[..., Path]
"""Writes a results file of a name."""


@pytest.fixture
def file(tmp_path: Path) -> File:
    def write(name: str, *matches: str) -> Path:
        path = tmp_path / name
        path.write_text(lines(*matches))
        return path

    return write


def told(result: Result) -> dict[str, Any]:
    assert result.exit_code == 0, result.output
    return dict(json.loads(result.stdout))


def refused(result: Result) -> str:
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    assert result.stderr.count("\n") == 1
    return result.stderr


class Ranks:
    """`arena rank`, as programs and as people read it."""

    words: tuple[str, ...] = ("rank",)

    def __init__(self, arena: Arena) -> None:
        self._arena = arena

    def told(self, *words: object) -> dict[str, Any]:
        return told(self._arena(*self.words, *words, "--format", "json"))

    def rows(self, *words: object) -> list[dict[str, Any]]:
        return list(self.told(*words)["standings"])

    def text(self, *words: object) -> str:
        """Return what is printed, as one line."""
        result = self._arena(*self.words, *words)
        assert result.exit_code == 0, result.output
        return " ".join(result.stdout.split())

    def refused(self, *words: object) -> str:
        return refused(self._arena(*self.words, *words))


@pytest.fixture
def ranks(arena: Arena) -> Ranks:
    return Ranks(arena)


def change(league: Path, statement: str, *values: object) -> None:
    """Change the database of a league."""
    with closing(sqlite3.connect(league / "league.db")) as db, db:
        db.execute(statement, values)


def test_times_are_shown_when_asked_for_and_only_then(ranks: Ranks, copy: Path) -> None:
    for row in ranks.rows(copy, "--times"):
        assert row["decisions"] > 0
        assert 0 <= row["cpu_per_decision"] <= row["longest_cpu"] < 1
    assert "CPU ms each" in ranks.text(copy, "--times")
    plain = ranks.told(copy)
    assert "timings" not in plain
    assert "decisions" not in plain["standings"][0]
    change(copy, "UPDATE match SET clock = ?", json.dumps([[1000, 7000, 9, 11000]] * 2))
    for row in ranks.rows(copy, "--times"):  # of programs, which take microseconds
        assert row["cpu_per_decision"] == 0.000007
        assert row["wall_per_decision"] == 0.000011
        assert row["longest_cpu"] == 0.000009


def test_below_times_stands_how_quiet_the_machines_were_that_were_measured(
    ranks: Ranks, copy: Path, golden: Golden
) -> None:
    def time_row(began: str, **more: object) -> None:
        noise = {"job": 240, "apart": 0.0, "waited": 0.0, "spread": more.pop("spread")}
        report = json.dumps({"machine": "ant", "spoilt": [], "noise": noise, **more})
        change(copy, "INSERT INTO timing VALUES (?, ?)", f"2026-11-{began}T10:00:00+00:00", report)

    change(copy, "UPDATE record SET machine = 'bee', played_at = '2026-11-25T' WHERE id <= 5")
    change(copy, "UPDATE record SET machine = 'ant', played_at = '2026-11-23T' WHERE id > 5")
    change(copy, "UPDATE record SET played_at = '2026-11-24T10:00:00+00:00' WHERE id > 8")
    (timing,) = ranks.told(copy, "--times")["timings"]
    assert timing["machine"] == os.uname().nodename
    assert timing["noise"]["job"] > 0
    change(copy, "DELETE FROM timing")
    time_row("24", spread=0.021)
    time_row("26", spread=0.4, spoilt=["swap", "load"])
    golden(ranks.text(copy, "--times").partition(" Before ")[2])
    assert ranks.told(copy, "--times")["untimed"] == {"ant": 3, "bee": 5}
    change(copy, "UPDATE record SET machine = 'ant', played_at = '2026-11-25T'")
    assert "is not known" not in ranks.text(copy, "--times")
    change(copy, "DELETE FROM timing")
    time_row("24", spread=MOST)  # so much has no end of digits
    assert "varied by 100000000.0 %," in ranks.text(copy, "--times")


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("statement", "value"),
    [
        ("UPDATE timing SET report = CAST(? AS TEXT)", b"\xff\xfe"),
        ("UPDATE timing SET report = json_set(report, '$.noise.spread', ?)", 1.01 * MOST),
        ("UPDATE timing SET report = ?", '{"machine": "vm'),
        ("UPDATE timing SET report = ?", "{}"),
        ("UPDATE timing SET began = ?", "long ago"),
    ],
)
def test_a_damaged_timing_spoils_no_table_and_is_named_by_verify(
    arena: Arena, ranks: Ranks, copy: Path, tmp_path: Path, statement: str, value: object
) -> None:
    change(copy, statement, value)
    said = "1 row on how quiet machines were"
    assert f"{said}." in ranks.text(copy, "--times")
    facts = ranks.told(copy, "--times")
    assert (facts["timings"], facts["damaged_timings"]) == ([], 1)
    assert arena("report", copy, "-o", tmp_path / "page.html").exit_code == 0
    assert said in (tmp_path / "page.html").read_text()
    verified = arena("verify", copy)
    assert verified.exit_code == 1
    assert "timing of a run, row 1:" in verified.stdout


def test_a_bot_that_met_nobody_has_no_rank(arena: Arena, ranks: Ranks, tmp_path: Path) -> None:
    path = tmp_path / "named.jsonl"
    path.write_text('{"bots": ["A", "B", "late"]}\n' + lines("A > B"))
    assert "Not ranked, having played no whole deal: late." in ranks.text(path)
    (row,) = [line for line in arena("rank", path).stdout.splitlines() if " late " in line]
    assert row.split()[:2] == ["-", "late"]
    assert [(row["rank"], row["matches"]) for row in ranks.rows(path)][2:] == [(None, 0)]


def test_several_leagues_are_combined_by_a_rule_that_is_stated(ranks: Ranks, file: File) -> None:
    one = file("spring.jsonl", *["A > B"] * 3, "B > A", "B > C")
    two = file("autumn.jsonl", *["A > B"] * 3, "B > A", "D > B")
    found = ranks.told(one, two)
    assert found["rule"].startswith("A bot's rating is the mean of its ratings in the leagues")
    assert set(found["fields"]) == {"spring.jsonl", "autumn.jsonl"}
    assert [row["bot"] for row in found["standings"]] == ["A", "B"]
    for row in found["standings"]:
        assert row["rating"] == pytest.approx(sum(row["leagues"].values()) / 2, abs=1e-4)
    text = ranks.text(one, two)
    assert "spring.jsonl: 5 matches in 5 deals. Not ranked here: C." in text
    assert "autumn.jsonl: 5 matches in 5 deals. Not ranked here: D." in text
    for form in ("csv", "json"):
        ranks.text(one, two, "--format", form)


def test_what_does_not_go_together_is_refused(
    ranks: Ranks, file: File, golden: Golden, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, match in (("one", "A > B"), ("two", "A > B"), ("apart", "C > D")):
        file(name, match)
    for line in (
        *("one one", "one apart", "one --by seat", "one two --by seat", "one --faults"),
        *("one two --faults", "one --times", "one --draw-probability 1.5", "one --anchor B"),
        *("one --pairs --by seat", "one --pairs --together", "one --pairs --faults"),
        *("one --anchor B=strong", "one --anchor B=inf", "one --anchor =3", "one --anchor z=1500"),
        *("one --pairs --anchor z=1", "one two --anchor z=1"),
    ):
        golden(ranks.refused(*line.split()))


def test_ties_may_be_taken_for_draws(ranks: Ranks, file: File) -> None:
    path = file("tied.jsonl", "A > B = C = D")
    first = ranks.rows(path, "--ties", "draws", "--draw-probability", "0.01")[0]
    assert (first["rating"], first["error"]) == pytest.approx((30.18, 4.90), abs=0.01)
    assert ranks.rows(path)[0]["rating"] == pytest.approx(32.663, abs=0.002)


def test_a_fit_that_takes_long_says_how_it_is_getting_on(
    arena: Arena, file: File, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.cli.progress._SECONDS_BETWEEN_LINES", 0.0)
    monkeypatch.setattr("arena.cli.rating._PATIENCE", 0.0)
    path = file("some.jsonl", "A > B", "B > C")
    result = arena("rank", path)
    assert result.stderr.splitlines()[0] == "Rating 2 different results: sweep 1"
    assert "the last one moved ratings by" in result.stderr
    assert result.stdout == arena("rank", path).stdout


def test_a_cycle_is_told(ranks: Ranks, file: File) -> None:
    threes = ["A > B", "B > C", "C > A"]
    path = file("round.jsonl", *threes * 20)
    said = "A cycle, which no rating shows: A surely beats B, B C, and C A."
    assert said in ranks.text(path)
    assert ranks.told(path)["cycles"] == [["A", "B", "C"]]
    two = file("two", *[*threes, "A > D", "D > E", "E > A"] * 20)
    assert ", and 1 more cycle." in ranks.text(two)


def test_gaps_that_nobody_crossed_are_named(ranks: Ranks, file: File) -> None:
    fours = ["A > B", "B > A", "C > D", "D > C", "A > C", "A > D", "B > C", "B > D"] * 20
    said = "no bot below ever beat one above: "
    path = file("sure.jsonl", *fours)
    assert f"{said}B and C." in ranks.text(path)
    assert ranks.told(path)["gaps"] == [["B", "C"]]
    ladder = [f"{one} > {two}" for one, two in itertools.combinations("ABCDEF", 2)] * 30
    assert f"{said}A and B; B and C; C and D, and 2 more." in ranks.text(
        file("ladder.jsonl", *ladder)
    )
    # a shared place in a larger match says nothing of those who share it
    won = ["A > B = C = D", "B > A = C = D", "A = B > C = D", "A > B > C > D", "B > A > D > C"]
    assert said in ranks.text(file("shared.jsonl", *won * 20))
    for crossed in ([*fours, "D > A"], [*fours, "D = A"], ["A > B", "A > B"]):
        assert said not in ranks.text(file("crossed.jsonl", *crossed))


def test_bots_with_too_few_deals_are_named(ranks: Ranks, file: File) -> None:
    path = file("late.jsonl", *["A > B"] * 10, "A > late", "B > late")
    assert "Too few deals to be ranked above or below others: late." in ranks.text(path)
    assert {row["bot"]: row["rank"] for row in ranks.rows(path)}["late"] == [1, 3]
    assert "Too few deals" not in ranks.text(file("more.jsonl", *["A > B"] * 10))


@pytest.mark.parametrize(
    ("places", "more", "sentence"),
    [
        ((1, 2), {}, "Lost by forfeit: B 2 of its 2 losses."),
        ((1, 1), {}, "Lost by forfeit: B 2."),  # the other forfeited too
        ((1, 2), {"waiting": 1}, "Lost by forfeit: B 2."),  # perhaps in the match left out
        ((1, 2), {"missing": 2500}, "2500 matches are missing; `arena run cup` plays what is"),
        ((1, 2), {"missing": 2500, "remedy": None}, "whole deal"),  # a page says the rest itself
        (
            (1, 2),
            {"missing": 3, "suspended": {"A": "it is late."}},
            "A was suspended: it is late. Its matches are missing, so it has no rank.",
        ),
        ((1, 2), {"waiting": 1500, "words": WITH_COMMAS}, "1,500"),
    ],
)
def test_notes_name_forfeits_as_losses_only_where_they_are_and_what_is_missing(
    places: tuple[int, int], more: dict[str, Any], sentence: str
) -> None:
    played = deals_of(("deal", Seated(bots, places)) for bots in [("A", "B")] * 2)
    names, faults = ("A", "B"), {"B": {"late": 2}}
    field = Field(name="cup", bots=names, deals=played, faults=faults, forfeits={"B": 2}, **more)
    table = leaderboard(field, fit(played, bots=names))
    notes = table.notes
    assert sentence in "\n".join(notes)
    assert {row["bot"] for row in table.rows if row["rank"] is None} == {*more.get("suspended", {})}
    is_told = "missing" in more and "remedy" not in more
    assert any("missing" in note for note in notes[1:3]) == is_told, "it comes early"


def test_pairs_say_how_likely_each_is_better_and_what_it_takes_to_be_sure(
    arena: Arena, ranks: Ranks, file: File
) -> None:
    path = file(
        "results", *["a > b"] * 12, *["b > a"] * 8, *["a > c"] * 20, *["b > c"] * 19, "c > b"
    )
    found = ranks.told(path, "--pairs")["pairs"]
    assert [(pair["bot"], pair["other"]) for pair in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    close, wide, _ = found
    assert 0.5 < close["better"] < wide["better"] <= 1
    assert (close["is_separated"], wide["is_separated"], wide["more"]) == (False, True, 0)
    assert close["more_from"] < close["more"]
    text = arena("rank", path, "--pairs").stdout
    assert f"{close['more']} ({close['more_from']} to " in text
    assert max(map(len, text.splitlines())) <= 80


def test_a_table_says_how_many_more_deals_would_separate_neighbours(
    ranks: Ranks, file: File, golden: Golden
) -> None:
    path = file("close", *["a > b"] * 24, *["b > a"] * 16)
    (pair,) = ranks.told(path, "--pairs")["pairs"]
    more = ranks.told(path)["more_deals"]
    keys = ("more", "more_from", "more_to")
    assert more == {"close": [["a", "b"]], **{key: pair[key] for key in keys}}
    wider = ranks.told(path, "--together")["more_deals"]
    assert wider["more"] == more["more"], "of two bots, one pair is the whole table"
    clear = file("clear", *["a > b"] * 30, "b > a")
    assert "would separate" not in ranks.text(clear, "--more-deals")
    assert "All ranks are settled." in ranks.text(clear)
    wins = ["a > b"] * 12 + ["b > a"] * 8 + ["b > c"] * 11 + ["c > b"] * 9
    even = ["a > b", "b > a"] * 20
    near = file("near", *even, "a > b")
    for each in (path, file("three", *wins), file("equal", *even), near):
        golden(ranks.text(each, "--more-deals").partition(" deals. ")[2])
    golden(ranks.text(near, "--together", "--more-deals").partition(" deals. ")[2])


def test_which_ranks_are_not_settled_is_told_with_the_command_that_says_more() -> None:
    wins = (
        ["A B"] * 20 + ["A C", "B C", "A D", "B D"] * 15 + ["C D", "D C"] * 9 + ["C E", "D E"] * 30
    )
    played = deals_of((str(n), Seated(tuple(bots.split()), (1, 2))) for n, bots in enumerate(wins))
    names = tuple("ABCDE")
    field = Field(name="my cup", bots=names, deals=played, faults={})
    for each, said in (
        (field, "Ranks 3-4 are not settled: `arena rank 'my cup' --more-deals` says what"),
        (replace(field, is_for_readers=True, missing=4, repeats=3), "Ranks 3-4 are not settled."),
        (replace(field, progress="Round 2 is being played."), "whole deals."),
    ):
        first, *others = leaderboard(each, fit(played, bots=names)).notes
        assert said in first
        assert not any("`arena" in note for note in others)


def test_pairs_are_shown_on_elo_s_scale(ranks: Ranks, file: File) -> None:
    one = file("one", *["a > b"] * 15, *["b > a"] * 5)
    anchor = ("--anchor", "b=2000")
    (pair,) = ranks.told(one, "--pairs", *anchor)["pairs"]
    (elo,) = [row["elo"] for row in ranks.rows(one, *anchor) if row["bot"] == "a"]
    assert pair["elo_lead"] == pytest.approx(elo - 2000, abs=0.01)
    assert pair["elo_lead_error"] == pytest.approx(50.2 * pair["error"], rel=0.01)
    assert "Elo lead ± 2σ" in ranks.text(one, "--pairs", *anchor)


def test_the_page_shows_one_example_in_both_forms_whose_order_says_nothing(
    ranks: Ranks, tmp_path: Path
) -> None:
    text = (ROOT / "docs" / "export.md").read_text()
    page = text.partition("## Results from elsewhere\n")[2]
    example, rows = (page.split(f"```{kind}\n")[1].partition("```")[0] for kind in ("json", "csv"))
    head, *body = rows.splitlines()
    found = []
    for text in (example, rows, "\n".join([head, *body[::-1]])):
        (tmp_path / "results").write_text(text)
        found.append(ranks.text(tmp_path / "results", "--format", "json"))
    assert len(set(found)) == 1


def test_what_goes_with_neither_live_nor_standings_is_refused(
    ranks: Ranks, played: Path, golden: Golden
) -> None:
    for words in (
        *("--live --pairs", "--live --by rating", "--live --format csv", "--every 5"),
        *("--by standings --faults", "--by standings --anchor one=1", "--by standings"),
    ):
        golden(ranks.refused(played, *words.split()).replace(str(played), "LEAGUE"))
    for words in ("--live", "--by standings"):
        assert "shows a league: name the folder of one" in ranks.refused(
            played, played, *words.split()
        )

"""`arena rank`: its options, several leagues together, and what it refuses."""

import itertools
import json
import os
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import Result

from arena.stats.outcomes import Result as Seated
from arena.stats.ratings import fit
from arena.store.timing import MOST
from arena.tables.field import Field
from arena.tables.leaderboard import leaderboard
from arena.tables.table import FORMATS
from tests.arena.conftest import Arena
from tests.arena.stats.deals import deals_of


def lines(*matches: str) -> str:
    """`A > B = C` as lines of a results file."""
    written = []
    for match in matches:
        groups = enumerate(match.split(" > "), 1)
        places = {bot: place for place, group in groups for bot in group.split(" = ")}
        written.append(json.dumps({"places": places}) + "\n")
    return "".join(written)


@pytest.fixture
def file(tmp_path: Path) -> Callable[..., Path]:
    def write(name: str, *matches: str) -> Path:
        path = tmp_path / name
        path.write_text(lines(*matches))
        return path

    return write


def told(result: Result) -> dict[str, object]:
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert isinstance(found, dict)
    return found


def refused(result: Result) -> str:
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    return result.stderr


def test_times_are_shown_when_asked_for_and_only_then(arena: Arena, played: Path) -> None:
    rows = told(arena("rank", played, "--times", "--format", "json"))["standings"]
    for row in rows:
        assert row["decisions"] > 0
        assert 0 <= row["cpu_per_decision"] <= row["longest_cpu"] < 1
    assert "CPU ms each" in arena("rank", played, "--times").stdout
    plain = told(arena("rank", played, "--format", "json"))["standings"]
    assert "decisions" not in plain[0]


def test_below_times_stands_how_quiet_the_machine_was(arena: Arena, copy: Path) -> None:
    (timing,) = told(arena("rank", copy, "--times", "--format", "json"))["timings"]
    assert timing["machine"] == os.uname().nodename
    assert timing["noise"]["job"] > 0
    assert "timings" not in told(arena("rank", copy, "--format", "json"))
    time_row(copy, "ant", spread=0.021)
    time_row(copy, "ant", spread=0.4, spoilt=("swap", "load"))
    said = times_of(arena, copy)
    assert (
        "Before 2 runs on ant, the time of a fixed job varied by 2.1 to 40.0 %, and others had the "
        "core for 0.0 % of it. What spoils times there: load, swap."
    ) in said
    assert "see `arena doctor --timing`" in " ".join(arena("rank", "--help").stdout.split())
    assert "`arena doctor --timing` says what spoils them there" in said


def time_row(
    league: Path, machine: str, *, spread: float, spoilt: Sequence[str] = (), began: str = "2026-11"
) -> None:
    """Say how quiet a machine was when a run began."""
    noise = {"job": 240, "spread": spread, "apart": 0.0, "waited": 0.0}
    report = json.dumps({"machine": machine, "spoilt": spoilt, "noise": noise})
    change(league, "INSERT INTO timing VALUES (?, ?)", f"{began}-24T10:00:00+00:00", report)


def change(league: Path, statement: str, *values: object) -> None:
    """Change the database of a league."""
    with closing(sqlite3.connect(league / "league.db")) as db, db:
        db.execute(statement, values)


def times_of(arena: Arena, league: Path) -> str:
    """Return what `arena rank --times` prints, in one line."""
    result = arena("rank", league, "--times")
    assert result.exit_code == 0, result.output
    return " ".join(result.stdout.split())


def test_matches_of_machines_that_were_not_measured_are_counted(arena: Arena, copy: Path) -> None:
    change(copy, "DELETE FROM timing")
    here = os.uname().nodename
    assert f"machine was is not known for 12 matches on {here}." in times_of(arena, copy)
    change(copy, "UPDATE record SET machine = 'bee', played_at = '2026-11-25T' WHERE id <= 5")
    change(copy, "UPDATE record SET machine = 'ant', played_at = '2026-11-23T' WHERE id > 5")
    change(copy, "UPDATE record SET played_at = '2026-11-24T10:00:00+00:00' WHERE id > 8")
    time_row(copy, "ant", spread=0.1)
    assert (
        "How quiet the machine was is not known for 3 matches on ant, 5 matches on bee."
        in times_of(arena, copy)
    )
    assert told(arena("rank", copy, "--times", "--format", "json"))["untimed"] == {
        "ant": 3,
        "bee": 5,
    }
    change(copy, "UPDATE record SET machine = 'ant', played_at = '2026-11-25T'")
    assert "is not known" not in times_of(arena, copy)


@pytest.mark.parametrize(
    ("statement", "value"),
    [
        ("UPDATE timing SET report = ?", "{}"),
        ("UPDATE timing SET report = ?", '{"machine": "vm'),
        ("UPDATE timing SET report = json_set(report, '$.noise.spread', ?)", 9e300),
        ("UPDATE timing SET report = CAST(? AS TEXT)", b"\xff\xfe"),
        ("UPDATE timing SET began = ?", "long ago"),
    ],
)
def test_a_damaged_timing_spoils_no_table_and_is_named_by_verify(
    arena: Arena, copy: Path, tmp_path: Path, statement: str, value: object
) -> None:
    change(copy, statement, value)
    said = times_of(arena, copy)
    assert (
        "Damaged and left out: 1 row on how quiet machines were; `arena verify` names what is wrong"
    ) in said
    facts = told(arena("rank", copy, "--times", "--format", "json"))
    assert (facts["timings"], facts["damaged_timings"]) == ([], 1)
    report = arena("report", copy, "-o", tmp_path / "page.html")
    assert report.exit_code == 0, report.output
    assert "1 row on how quiet machines were" in (tmp_path / "page.html").read_text()
    verified = arena("verify", copy)
    assert verified.exit_code == 1
    assert "timing of a run, row 1:" in verified.stdout


def test_the_spread_of_a_job_has_no_end_of_digits(arena: Arena, copy: Path) -> None:
    change(copy, "DELETE FROM timing")
    time_row(copy, "ant", spread=MOST)
    assert "the time of a fixed job varied by 100000000.0 %," in times_of(arena, copy)
    time_row(copy, "ant", spread=1.01 * MOST)
    assert "Damaged and left out: 1 row" in times_of(arena, copy)


def test_programs_get_times_of_microseconds(arena: Arena, copy: Path) -> None:
    change(copy, "UPDATE match SET clock = ?", json.dumps([[1000, 7000, 9, 11000]] * 2))
    rows = told(arena("rank", copy, "--times", "--format", "json"))["standings"]
    for row in rows:
        assert row["cpu_per_decision"] == 0.000007
        assert row["wall_per_decision"] == 0.000011
        assert row["longest_cpu"] == 0.000009


def test_every_kind_of_fault_has_a_column_when_asked_for(arena: Arena, played: Path) -> None:
    text = arena("rank", played, "--faults", "--format", "github").stdout
    header = [word.strip() for word in text.splitlines()[0].split("|")]
    assert header[-3:-1] == ["Illegal", "Forfeits"]
    assert "Faults" not in header


def test_groups_that_never_met_are_shown_as_such(arena: Arena, file: Callable[..., Path]) -> None:
    path = file("apart.jsonl", "A > B", "B > C", "X > Y")
    rows = told(arena("rank", path, "--format", "json"))["standings"]
    assert [(row["group"], row["bot"]) for row in rows] == [
        *[(1, "A"), (1, "B"), (1, "C")],
        *[(2, "X"), (2, "Y")],
    ]
    assert [row["rank"][1] for row in rows] == [3, 3, 3, 2, 2]
    text = arena("rank", path).stdout
    assert text.split()[0] == "Group"
    assert "2 groups of bots never met each other" in text


def test_a_bot_that_met_nobody_has_no_rank(arena: Arena, tmp_path: Path) -> None:
    path = tmp_path / "named.jsonl"
    path.write_text('{"bots": ["A", "B", "late"]}\n' + lines("A > B"))
    text = arena("rank", path).stdout
    assert "Not ranked, having played no whole deal: late." in " ".join(text.split())
    assert next(line for line in text.splitlines() if " late " in line).split()[:2] == ["-", "late"]


def test_several_leagues_are_combined_by_a_rule_that_is_stated(
    arena: Arena, file: Callable[..., Path]
) -> None:
    one = file("spring.jsonl", *["A > B"] * 3, "B > A", "B > C")
    two = file("autumn.jsonl", *["A > B"] * 3, "B > A", "D > B")
    found = told(arena("rank", one, two, "--format", "json"))
    assert found["rule"].startswith("A bot's rating is the mean of its ratings in the leagues")
    assert set(found["fields"]) == {"spring.jsonl", "autumn.jsonl"}
    assert [row["bot"] for row in found["standings"]] == ["A", "B"]
    for row in found["standings"]:
        assert row["rating"] == pytest.approx(sum(row["leagues"].values()) / 2, abs=1e-4)
    text = " ".join(arena("rank", one, two).stdout.split())
    assert "spring.jsonl: 5 matches in 5 deals. Not ranked here: C." in text
    assert "autumn.jsonl: 5 matches in 5 deals. Not ranked here: D." in text


@pytest.mark.parametrize("form", FORMATS)
def test_the_combined_table_comes_in_every_format(
    arena: Arena, file: Callable[..., Path], form: str
) -> None:
    paths = [file(name, "A > B", "B > A") for name in ("one", "two")]
    assert arena("rank", *paths, "--format", form).exit_code == 0


def test_a_league_and_a_file_combine(arena: Arena, played: Path, file: Callable[..., Path]) -> None:
    path = file("other.jsonl", "one > two", "two > illegal")
    found = told(arena("rank", played, path, "--format", "json"))
    assert {row["bot"] for row in found["standings"]} == {"one", "two", "illegal"}


def test_leagues_without_bots_in_common_are_refused(
    arena: Arena, file: Callable[..., Path]
) -> None:
    one, two = file("one", "A > B"), file("two", "C > D")
    assert "there is nothing to combine" in refused(arena("rank", one, two))


def test_what_does_not_go_together_is_refused(arena: Arena, file: Callable[..., Path]) -> None:
    one, two = file("one", "A > B"), file("two", "A > B")
    assert "is named twice" in refused(arena("rank", one, one))
    assert "does not say who sat where" in refused(arena("rank", one, "--by", "seat"))
    assert "--by seat shows a single league" in refused(arena("rank", one, two, "--by", "seat"))
    assert "has no faults" in refused(arena("rank", one, "--faults"))
    assert "--faults does not go with several" in refused(arena("rank", one, two, "--faults"))
    assert "only leagues know times" in refused(arena("rank", one, "--times"))
    assert "between 0 and 1" in refused(arena("rank", one, "--draw-probability", "1.5"))


def test_ties_may_be_taken_for_draws(arena: Arena, file: Callable[..., Path]) -> None:
    path = file("tied.jsonl", "A > B = C = D")
    unordered = told(arena("rank", path, "--format", "json"))["standings"]
    draws = told(
        arena("rank", path, "--ties", "draws", "--draw-probability", "0.01", "--format", "json")
    )["standings"]
    assert unordered[0]["rating"] == pytest.approx(32.663, abs=0.002)
    assert (draws[0]["rating"], draws[0]["error"]) == pytest.approx((30.18, 6.55), abs=0.01)


def test_a_fit_that_takes_long_says_how_it_is_getting_on(
    arena: Arena, file: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.cli.progress._SECONDS_BETWEEN_LINES", 0.0)
    monkeypatch.setattr("arena.cli.rating._PATIENCE", 0.0)
    path = file("some.jsonl", "A > B", "B > C")
    result = arena("rank", path)
    assert result.stderr.splitlines()[0] == "Rating 2 different results: sweep 1, 0%"
    assert "the last sweep moved ratings by" in result.stderr
    assert result.stdout == arena("rank", path).stdout


def notes(result: Result) -> str:
    """What stands below the table, as one line."""
    assert result.exit_code == 0, result.output
    return " ".join(result.stdout.split("\n\n")[-1].split())


def test_a_cycle_is_told_and_one_that_may_be_chance_is_not(
    arena: Arena, file: Callable[..., Path]
) -> None:
    sentence = (
        "No rating can show that A surely beats B, B surely beats C, and C surely beats A: see "
        "`arena table`."
    )
    threes = ["A > B", "B > C", "C > A"]
    path = file("round.jsonl", *threes * 20)
    assert sentence in notes(arena("rank", path))
    assert told(arena("rank", path, "--format", "json"))["cycles"] == [["A", "B", "C"]]
    assert "No rating can show" not in notes(arena("rank", file("few.jsonl", *threes * 3)))


def test_more_cycles_are_counted(arena: Arena, file: Callable[..., Path]) -> None:
    rounds = ["A > B", "B > C", "C > A", "A > D", "D > E", "E > A"]
    assert ", and 1 more cycle: see `arena table`." in notes(
        arena("rank", file("two", *rounds * 20))
    )


def test_gaps_that_nobody_crossed_are_named(arena: Arena, file: Callable[..., Path]) -> None:
    pairs = ["A > B", "B > A", "C > D", "D > C"]
    over = ["A > C", "A > D", "B > C", "B > D"]
    sentence = (
        "The width of the gap is unknown between B and C: no bot below ever beat a bot above."
    )
    path = file("sure.jsonl", *[*pairs, *over] * 20)
    assert sentence in notes(arena("rank", path))
    assert told(arena("rank", path, "--format", "json"))["gaps"] == [["B", "C"]]
    crossed = file("crossed.jsonl", *[*pairs, *over] * 20, "D > A")
    assert "The width of the gap" not in notes(arena("rank", crossed))
    drawn = file("drawn.jsonl", *[*pairs, *over] * 20, "D = A")
    assert "The width of the gap" not in notes(arena("rank", drawn))
    unsure = file("unsure.jsonl", "A > B", "A > B")
    assert "The width of the gap" not in notes(arena("rank", unsure))


def test_of_many_gaps_three_are_named(arena: Arena, file: Callable[..., Path]) -> None:
    ladder = [f"{one} > {two}" for one, two in itertools.combinations("ABCDEF", 2)]
    assert "between A and B; B and C; C and D, and 2 more: no bot below" in notes(
        arena("rank", file("ladder.jsonl", *ladder * 30))
    )


def test_a_shared_place_in_a_larger_match_crosses_no_gap(
    arena: Arena, file: Callable[..., Path]
) -> None:
    """It says nothing of those who share it."""
    won = ["A > B = C = D", "B > A = C = D", "A = B > C = D", "A > B > C > D", "B > A > D > C"]
    assert "width of the gap is unknown between" in notes(
        arena("rank", file("shared.jsonl", *won * 20))
    )


def test_bots_with_too_few_deals_are_named(arena: Arena, file: Callable[..., Path]) -> None:
    path = file("late.jsonl", *["A > B"] * 10, "A > late", "B > late")
    assert "Not distinguished from any bot, with fewer than 3 deals: late." in notes(
        arena("rank", path)
    )
    rows = told(arena("rank", path, "--format", "json"))["standings"]
    assert {row["bot"]: row["rank"] for row in rows}["late"] == [1, 3]
    assert "Not distinguished" not in notes(arena("rank", file("more.jsonl", *["A > B"] * 10)))


def test_losses_by_forfeit_are_told(arena: Arena, played: Path) -> None:
    rows = told(arena("rank", played, "--format", "json"))["standings"]
    (row,) = [row for row in rows if row["forfeits"]]
    text = f"Lost by forfeit: {row['bot']} {row['forfeits']} of its {row['losses']} losses."
    assert text in notes(arena("rank", played))


@pytest.mark.parametrize(
    ("places", "waiting", "sentence"),
    [
        ((1, 2), 0, "Lost by forfeit: B 2 of its 2 losses."),
        ((1, 1), 0, "Lost by forfeit: B 2."),  # the other forfeited too
        ((1, 2), 1, "Lost by forfeit: B 2."),  # perhaps in the match that is left out
    ],
)
def test_forfeits_are_called_losses_only_where_they_are(
    places: tuple[int, int], waiting: int, sentence: str
) -> None:
    played = deals_of(("deal", Seated(bots, places)) for bots in [("A", "B")] * 2)
    field = Field(
        name="cup",
        bots=("A", "B"),
        deals=played,
        faults={"B": {"late": 2}},
        forfeits={"B": 2},
        waiting=waiting,
    )
    assert sentence in leaderboard(field, fit(played, bots=field.bots)).notes


def test_notes_of_a_page_have_commas_and_leave_what_is_missing_to_it() -> None:
    deals = deals_of((f"deal {number}", Seated(("A", "B"), (1, 2))) for number in range(1500))
    told = Field(
        name="cup",
        bots=("A", "B"),
        deals=deals,
        faults={"B": {"late": 1500}},
        forfeits={"B": 1500},
        missing=2500,
    )
    paged = replace(told, commas=True, remedy=None)
    ratings = fit(deals, bots=told.bots)
    said = leaderboard(told, ratings).notes
    assert said[0].startswith("1500 matches in 1500 whole deals.")
    assert "Lost by forfeit: B 1500 of its 1500 losses." in said
    assert said[-1] == "2500 matches are missing; `arena run cup` plays what is missing."
    said = leaderboard(paged, ratings).notes
    assert said[0].startswith("1,500 matches in 1,500 whole deals.")
    assert "Lost by forfeit: B 1,500 of its 1,500 losses." in said
    assert "missing" not in "".join(said)


def test_pairs_say_how_likely_each_is_better_and_what_it_takes_to_be_sure(
    arena: Arena, file: Callable[..., Path]
) -> None:
    path = file(
        "results", *["a > b"] * 12, *["b > a"] * 8, *["a > c"] * 20, *["b > c"] * 19, "c > b"
    )
    found = told(arena("rank", path, "--pairs", "--format", "json"))["pairs"]
    assert isinstance(found, list)
    assert [(pair["bot"], pair["other"]) for pair in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    close, wide, _ = found
    assert 0.5 < close["better"] < wide["better"] <= 1
    assert (close["is_separated"], wide["is_separated"], wide["more"]) == (False, True, 0)
    assert close["more_from"] < close["more"]
    text = arena("rank", path, "--pairs").stdout
    assert f"{close['more']} ({close['more_from']} to " in text
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--by", "seat"], "--pairs shows the ratings of a single league."),
        (["--together"], "--together does not go with --pairs"),
        (["--faults"], "--faults does not go with --pairs"),
    ],
)
def test_pairs_go_with_no_other_table(
    arena: Arena, file: Callable[..., Path], words: list[str], said: str
) -> None:
    assert said in refused(arena("rank", file("results", "a > b"), "--pairs", *words))


def test_ranks_together_are_wider_and_say_so(arena: Arena, file: Callable[..., Path]) -> None:
    names = "abcdefgh"
    wins = [f"{one} > {other}" for one, other in itertools.combinations(names, 2)]
    upsets = [f"{other} > {one}" for one, other in itertools.combinations(names, 2)]
    path = file("results", *wins * 5, *upsets * 2)

    def ranks(*words: str) -> list[list[int]]:
        rows = told(arena("rank", path, "--format", "json", *words))["standings"]
        assert isinstance(rows, list)
        return [row["rank"] for row in rows]

    pairwise, together = ranks(), ranks("--together")
    assert pairwise != together
    assert all(
        wide[0] <= narrow[0] <= narrow[1] <= wide[1]
        for narrow, wide in zip(pairwise, together, strict=True)
    )
    assert "hold for the whole table at once" in " ".join(
        arena("rank", path, "--together").stdout.split()
    )
    assert "whole table" not in arena("rank", path).stdout


def test_an_anchor_puts_ratings_on_elo_s_scale(arena: Arena, file: Callable[..., Path]) -> None:
    even = [*["a > b"] * 15, *["b > a"] * 5, *["b > c"] * 10, *["c > b"] * 10, "x > y"]
    path = file("results", *even)
    rows = told(arena("rank", path, "--anchor", "b=2000", "--format", "json"))["standings"]
    assert isinstance(rows, list)
    found = {row["bot"]: row for row in rows}
    assert (found["b"]["elo"], found["b"]["elo_error"]) == (2000.0, 0.0)
    assert found["x"]["elo"] is None, "no match links it with the anchor"
    lead = found["a"]["elo"] - 2000
    wins = 1 / (1 + 10 ** (-lead / 400))
    assert wins == pytest.approx(0.75, abs=0.03)
    assert found["c"]["elo"] == pytest.approx(2000, abs=15)
    (pair,) = (
        pair
        for pair in told(arena("rank", path, "--pairs", "--format", "json"))["pairs"]
        if {pair["bot"], pair["other"]} == {"b", "c"}
    )
    assert found["c"]["elo_error"] == pytest.approx(50.2 * pair["error"], rel=0.01)
    text = arena("rank", path, "--anchor", "b=2000").stdout
    assert "Elo ± 2σ" in text
    assert "measured from b, taken for 2000" in " ".join(text.split())


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("b", "--anchor takes BOT=ELO"),
        ("b=strong", "--anchor takes BOT=ELO"),
        ("b=inf", "--anchor takes BOT=ELO"),
        ("=3", "--anchor takes BOT=ELO"),
        ("z=1500", "has no bot 'z'"),
    ],
)
def test_an_anchor_that_is_none_is_refused(
    arena: Arena, file: Callable[..., Path], word: str, said: str
) -> None:
    assert said in refused(arena("rank", file("results", "a > b"), "--anchor", word))


def test_a_table_says_how_many_more_deals_would_separate_neighbours(
    arena: Arena, file: Callable[..., Path]
) -> None:
    path = file("close", *["a > b"] * 24, *["b > a"] * 16)
    found = told(arena("rank", path, "--format", "json"))
    (pair,) = told(arena("rank", path, "--pairs", "--format", "json"))["pairs"]
    more = found["more_deals"]
    assert more == {"close": [["a", "b"]], **{key: pair[key] for key in PAIR_KEYS}}
    text = " ".join(arena("rank", path).stdout.split())
    about = int(float(f"{more['more']:.2g}"))
    assert f"About {about} more deals of each bot (" in text
    assert f") would separate a and b: {about} more matches in all." in text
    wider = told(arena("rank", path, "--together", "--format", "json"))["more_deals"]
    assert wider["more"] == more["more"], "of two bots, one pair is the whole table"


PAIR_KEYS = ("more", "more_from", "more_to")


def test_it_says_so_where_no_number_of_deals_would_separate_them(
    arena: Arena, file: Callable[..., Path]
) -> None:
    path = file("equal", *["a > b", "b > a"] * 20)
    text = " ".join(arena("rank", path).stdout.split())
    assert "a and b may be equals, which no number of deals separates; if they are not," in text
    near = file("near", *["a > b", "b > a"] * 20, "a > b")
    assert "; no number would, if they are equals) would separate a and b" in " ".join(
        arena("rank", near).stdout.split()
    )


def test_it_tells_half_of_several_neighbours_and_none_where_all_are_separated(
    arena: Arena, file: Callable[..., Path]
) -> None:
    wins = ["a > b"] * 12 + ["b > a"] * 8 + ["b > c"] * 11 + ["c > b"] * 9
    text = " ".join(arena("rank", file("three", *wins)).stdout.split())
    assert "would separate half of the 2 pairs of neighbours that are not separated: " in text
    clear = file("clear", *["a > b"] * 30, "b > a")
    assert "would separate" not in arena("rank", clear).stdout
    assert told(arena("rank", clear, "--format", "json"))["more_deals"]["close"] == []


def test_pairs_and_several_leagues_are_shown_on_elo_s_scale(
    arena: Arena, file: Callable[..., Path]
) -> None:
    one = file("one", *["a > b"] * 15, *["b > a"] * 5)
    two = file("two", *["a > b"] * 12, *["b > a"] * 8)
    words = ("--anchor", "b=2000", "--format", "json")
    (pair,) = told(arena("rank", one, "--pairs", *words))["pairs"]
    rows = [told(arena("rank", path, *words))["standings"] for path in (one, two)]
    leads = [row["elo"] - 2000 for each in rows for row in each if row["bot"] == "a"]
    assert pair["elo_lead"] == pytest.approx(leads[0], abs=0.01)
    assert pair["elo_lead_error"] == pytest.approx(50.2 * pair["error"], rel=0.01)
    assert "Elo lead ± 2σ" in arena("rank", one, "--pairs", "--anchor", "b=2000").stdout
    both = told(arena("rank", one, two, *words))
    found = {row["bot"]: row for row in both["standings"]}
    assert both["anchor"] == {"bot": "b", "elo": 2000.0}
    assert (found["b"]["elo"], found["b"]["elo_error"]) == (2000.0, 0.0)
    assert found["a"]["elo"] - 2000 == pytest.approx(sum(leads) / 2, abs=0.01)
    errors = [row["elo_error"] for each in rows for row in each if row["bot"] == "a"]
    assert found["a"]["elo_error"] == pytest.approx(
        (errors[0] ** 2 + errors[1] ** 2) ** 0.5 / 2, rel=0.001
    )
    assert "Elo ± 2σ" in arena("rank", one, two, "--anchor", "b=2000").stdout
    assert "'z' is not linked by matches in all" in refused(
        arena("rank", one, two, "--anchor", "z=1")
    )
    assert "has no bot 'z'" in refused(arena("rank", one, "--pairs", "--anchor", "z=1"))

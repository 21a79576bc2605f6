"""The cross-table: who beat whom, and how surely; also on a real terminal."""

import csv
import fcntl
import io
import json
import os
import pty
import re
import struct
import subprocess
import termios
from collections import Counter
from collections.abc import Callable
from itertools import permutations
from pathlib import Path

import pytest
from click.testing import Result as Called

from arena.cli.rating import rated
from arena.stats.outcomes import Result
from arena.tables.cross_table import Cell, cross_table
from arena.tables.field import Field
from arena.tables.table import FORMATS, render
from tests.arena.conftest import ARENA, ROOT
from tests.arena.stats.deals import deals_of

Arena = Callable[..., Called]


def played(*texts: str, copies: int = 1) -> list[tuple[str, Result]]:
    """`A > B = C` as a deal of its own, `copies` times."""
    matches = []
    for text in texts:
        places = [
            (bot, place) for place, sharing in enumerate(text.split(" > "), 1)
            for bot in sharing.split(" = ")
        ]  # fmt: skip
        bots, numbers = zip(*places, strict=True)
        matches += [(f"{text} {n}", Result(bots, numbers)) for n in range(copies)]
    return matches


def field(*matches: tuple[str, Result], bots: str = "", **more: int) -> Field:
    names = {*bots.split(), *(bot for _, result in matches for bot in result.bots)}
    return Field(name="cup", bots=tuple(sorted(names)), deals=deals_of(matches), **more)  # type: ignore[arg-type]


def text(field: Field, cell: Cell | None = None) -> str:
    return render(cross_table(field, rated(field), cell), "simple")


def cells(field: Field, cell: Cell | None = None) -> dict[str, list[str]]:
    """The cells of every bot, from the text."""
    found = {}
    for line in text(field, cell).partition("\n\n")[0].splitlines()[2:]:
        _, bot, *values = line.split()
        found[bot] = values
    return found


DUELS = field(*played("A > B", copies=20), *played("B > A", "A = B", copies=2))
TABLES = field(*played("A > B > C", copies=9), *played("C > B = A", copies=3))


# --- cells


def test_duels_show_wins_draws_and_losses_with_a_mark_where_the_lead_is_sure() -> None:
    assert cells(DUELS) == {"A": ["·", "20/2/2+"], "B": ["2/2/20-", "·"]}


def test_larger_matches_show_the_mean_place_of_the_rows_bot() -> None:
    assert cells(TABLES)["A"] == ["·", "1.25+", "1.25"]
    assert cells(TABLES)["C"] == ["2.50", "2.50", "·"]


def test_the_cell_can_be_chosen() -> None:
    assert cells(DUELS, "points")["A"] == ["·", "87.5+"]
    assert cells(DUELS, "places")["B"] == ["1.83-", "·"]
    assert cells(TABLES, "wins")["A"] == ["·", "9/3/0+", "9/0/3"]


def test_rows_and_columns_are_in_the_order_of_the_leaderboard() -> None:
    upside_down = field(*played("C > B", "B > A", "C > A", copies=10))
    assert list(cells(upside_down)) == ["C", "B", "A"]
    assert cells(upside_down)["C"] == ["·", "10/0/0+", "10/0/0+"]


def test_bots_that_did_not_meet_have_a_dash() -> None:
    assert cells(field(*played("A > B", "B > C")))["A"] == ["·", "1/0/0", "-"]


def test_one_win_is_no_lead() -> None:
    assert cells(field(*played("A > B")))["A"] == ["·", "1/0/0"]


# --- groups


GROUPS = field(*played("A > B", "B > C", "X > Y", copies=8), bots="alone")


def test_groups_that_never_met_have_a_table_each_numbered_as_in_the_leaderboard() -> None:
    first, second, notes = text(GROUPS).split("\n\n")
    assert [line.split()[:2] for line in first.splitlines()[2:]] == [
        *(["1", "A"], ["2", "B"], ["3", "C"])
    ]
    assert second.splitlines()[0].split() == ["#", "Bot", "4", "5"]
    assert "2 groups of bots never met each other: one table for each." in notes
    assert "Met no other bot: alone." in notes


def test_a_league_without_results_is_all_notes() -> None:
    empty = field(bots="A B", missing=6)
    assert text(empty).startswith("0 matches in 0 whole deals.")
    assert "6 matches are missing; `arena run cup` plays what is missing." in text(empty)
    for form in FORMATS:
        assert render(cross_table(empty, rated(empty)), form)
    assert json.loads(render(cross_table(empty, rated(empty)), "json"))["encounters"] == []


# --- cycles


def cycle(bots: str, copies: int = 20) -> list[tuple[str, Result]]:
    a, b, c = bots
    return played(f"{a} > {b}", f"{b} > {c}", f"{c} > {a}", copies=copies)


def flat(field: Field) -> str:
    return " ".join(text(field).split())


def test_a_cycle_is_named() -> None:
    assert (
        "A cycle, which no rating can show: A surely beats B, B surely beats C, and C surely "
        "beats A." in flat(field(*cycle("ABC")))
    )


def test_a_cycle_that_may_be_chance_is_not_named() -> None:
    assert "cycle" not in text(field(*cycle("ABC", copies=3)))


def test_of_many_cycles_three_are_named_and_all_are_counted() -> None:
    many = field(*cycle("ABC"), *cycle("ADE"), *cycle("AFG"), *cycle("AHI"), *played("B > D"))
    assert flat(many).count("A cycle, which no rating can show") == 3
    assert "There are 4 such cycles." in flat(many)
    assert len(json.loads(render(cross_table(many, rated(many)), "json"))["cycles"]) == 4


# --- programs


def test_json_and_csv_have_a_row_for_every_ordered_pair() -> None:
    told = json.loads(render(cross_table(DUELS, rated(DUELS)), "json"))
    rows = told["encounters"]
    assert rows[0] == {
        "bot": "A",
        "other": "B",
        "matches": 24,
        "deals": 24,
        "wins": 20,
        "draws": 2,
        "losses": 2,
        "points": 0.875,
        "low": 0.6833,
        "high": 0.9596,
        "mean_place": 1.0833,
        "other_mean_place": 1.8333,
        "lead": 1,
    }
    assert [(row["bot"], row["other"], row["lead"]) for row in rows] == [
        ("A", "B", 1),
        ("B", "A", -1),
    ]
    facts = {key: value for key, value in told.items() if key != "encounters"}
    assert facts == {**DUELS.facts, "cycles": []}
    lines = list(csv.DictReader(io.StringIO(render(cross_table(DUELS, rated(DUELS)), "csv"))))
    assert [list(line) for line in lines] == [list(row) for row in rows]


@pytest.mark.parametrize("form", ["simple", "json", "csv"])
def test_the_order_of_the_results_leaves_no_trace(form: str) -> None:
    matches = [*cycle("ABC", 3), *played("A > D = B > C", "X > Y")]
    one, other = field(*matches), field(*matches[::-1])
    assert render(cross_table(other, rated(other)), form) == render(
        cross_table(one, rated(one)), form
    )


# --- the command


def test_the_command_shows_a_league(arena: Arena, played: Path) -> None:
    result = arena("table", played)
    assert result.exit_code == 0
    assert result.stderr == ""
    assert {line.split()[1] for line in result.stdout.splitlines()[2:5]} == {
        "one",
        "two",
        "illegal",
    }
    assert max(map(len, result.stdout.splitlines())) <= 80
    rows = json.loads(arena("table", played, "--format", "json").stdout)["encounters"]
    assert {(row["bot"], row["other"]) for row in rows} == set(
        permutations(("one", "two", "illegal"), 2)
    )
    assert Counter(row["matches"] for row in rows) == {4: 6}


@pytest.mark.parametrize("form", FORMATS)
def test_it_comes_in_every_format(arena: Arena, played: Path, form: str) -> None:
    result = arena("table", played, "--format", form)
    assert result.exit_code == 0
    assert result.stdout.strip()
    assert "\x1b" not in result.stdout


def test_there_must_be_a_league(arena: Arena, tmp_path: Path) -> None:
    result = arena("table", tmp_path / "nothing")
    assert result.exit_code == 2
    assert result.stderr.startswith("arena: ")


# --- a terminal


LONG = "\n".join(
    json.dumps({"deal": str(n), "places": {"a_bot_with_a_long_name": 1, "another_of_them": 2}})
    for n in range(20)
)


def on_terminal(*words: object, columns: int, **env: str) -> str:
    """What a command prints on a terminal of that width."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    try:
        process = subprocess.Popen(
            [*ARENA, *map(str, words)],
            stdout=theirs,
            stderr=subprocess.PIPE,
            cwd=ROOT,
            env={"PATH": "", "LANG": "C.UTF-8", "TERM": "xterm", **env},
        )
        os.close(theirs)
        text = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # nobody holds the other end any more
                break
            text += part
        _, errors = process.communicate(timeout=30)
    finally:
        os.close(ours)
    assert (process.returncode, errors) == (0, b"")
    return text.decode().replace("\r\n", "\n")


@pytest.fixture(scope="module")
def sure(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A results file in which one bot is surely ahead of another."""
    path = tmp_path_factory.mktemp("sure") / "results.jsonl"
    path.write_text(LONG)
    return path


def test_marks_are_green_and_red_on_a_terminal(sure: Path) -> None:
    shown = on_terminal("table", sure, columns=80)
    assert "\x1b[32m20/0/0+\x1b[0m" in shown
    assert "\x1b[31m0/0/20-\x1b[0m" in shown


@pytest.mark.parametrize(
    ("words", "env"),
    [((), {"NO_COLOR": "1"}), ((), {"TERM": "dumb"}), (("--format", "github"), {})],
    ids=str,
)
def test_colour_stays_away_where_it_is_not_wanted(
    sure: Path, words: tuple[str, ...], env: dict[str, str]
) -> None:
    assert "\x1b" not in on_terminal("table", sure, *words, columns=80, **env)


def test_an_empty_no_color_says_nothing(sure: Path) -> None:
    assert "\x1b" in on_terminal("table", sure, columns=80, NO_COLOR="")


def test_a_narrow_terminal_folds_and_splits(sure: Path) -> None:
    shown = on_terminal("table", sure, columns=40, NO_COLOR="1")
    assert max(map(len, shown.splitlines())) <= 40
    assert len(re.findall(r"#  Bot", shown)) == 2


def test_into_a_pipe_the_table_is_the_same_everywhere(arena: Arena, played: Path) -> None:
    shown = arena("table", played).stdout
    assert arena("table", played, env={"COLUMNS": "30"}).stdout == shown

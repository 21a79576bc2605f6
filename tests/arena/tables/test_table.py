"""Tables on screens of any width: folded, split, coloured, and as they are for programs."""

import csv
import io
import json
import re
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from arena.tables.table import FORMATS, Column, Row, Style, Table, pieces, render
from arena.text import fold, letters, unguarded, width
from tests.golden import Golden

MARKUP = [
    *("asciidoc", "colon_grid", "github", "html", "jira", "latex", "latex_booktabs"),
    *("latex_longtable", "latex_raw", "mediawiki", "moinmoin", "orgtbl", "pipe", "rst", "textile"),
    *("tsv", "unsafehtml", "youtrack"),
]
FOR_EYES = [form for form in FORMATS if form not in {*MARKUP, "json", "csv"}]

NAMES = ["kit", "日本のボット", "e\u0301cole\u0301", "a|b", "x" * 40, "many words in one name"]


def names_table(names: list[str], columns: int = 3, **more: object) -> Table:
    """Names, whose columns are folded down to 12, and so many columns of numbers."""
    rows = [{"bot": name, "number": n, "value": f"{n}/{n * n}"} for n, name in enumerate(names)]
    return Table(
        "bots",
        [
            Column("#", "number", "right"),
            Column("Bot", "bot", width=12),
            *(Column(f"Value {n}", "value", "right") for n in range(columns)),
        ],
        rows,
        fixed=2,
        **more,  # type: ignore[arg-type]
    )


def widths_of(text: str) -> set[int]:
    """The widths of all lines but rules, which tabulate ends a space early in one format."""
    return {width(line) for line in text.splitlines() if " " in line}


def test_grids_fit_the_screen_and_columns_stay_in_line_whatever_the_letters() -> None:
    for form in FOR_EYES:
        for screen in (60, 132):
            text = render(names_table(NAMES, 20, notes=["word " * 100]), form, width=screen)
            assert max(map(width, text.splitlines())) <= screen, form
        assert len(widths_of(render(names_table(NAMES), form, width=200))) == 1, form


def test_a_table_is_folded_and_its_last_columns_stand_below(golden: Golden) -> None:
    golden(render(names_table(["x" * 40], 2), "simple", width=60))
    golden(render(names_table(["one", "two"], 5, notes=["A note."]), "simple", width=45))
    golden(render(names_table(["one"], 3), "simple", width=1))


def test_what_programs_read_is_neither_folded_nor_split_nor_coloured() -> None:
    table = names_table(["x" * 40, "many words in one name"], 20)
    for form in MARKUP:
        text = render(table, form, width=40, color=True)
        assert text == render(table, form, width=10_000), form
        assert "x" * 40 in text
        assert "many words in one name" in text
    table = names_table(NAMES, 20)
    assert [row["bot"] for row in json.loads(render(table, "json"))["bots"]] == NAMES
    assert [row["bot"] for row in csv.DictReader(io.StringIO(render(table, "csv")))] == NAMES


FORMULAS = ["=1+1", "+1+1", "-1-cmd|' /C calc'!A0", "@SUM(1+1)", "\uff1d1+1", "'=1+1", "''@x"]
PLAIN = ["kit", "-", "-1.5", "+3", "-0.2 ± 0.4", "1-0", "'quoted'", "a=b"]


def test_no_cell_for_a_spreadsheet_is_a_formula() -> None:
    table = names_table([*FORMULAS, *PLAIN])
    for form, dialect in (("csv", "excel"), ("tsv", "excel-tab")):
        _, *rows = csv.reader(io.StringIO(render(table, form)), dialect)
        names = [row[0 if form == "csv" else 1].strip() for row in rows]
        assert names == [f"'{name}" for name in FORMULAS] + PLAIN
        assert list(map(unguarded, names)) == FORMULAS + PLAIN


def test_a_bar_in_a_name_makes_no_column() -> None:
    for form in ("github", "pipe"):
        line = render(names_table(["a|b"]), form).splitlines()[2]
        cells = re.split(r"\s*(?<!\\)\|\s*", line)
        assert cells == ["", "0", "a\\|b", "0/0", "0/0", "0/0", ""]


def test_a_column_without_a_word_is_left_out_where_the_table_is_too_wide() -> None:
    columns = [Column("Bot", "bot"), Column("Faults", "faults")]
    rows = [{"bot": "a" * 30, "faults": ""}]
    assert "Faults" in render(Table("", columns, rows), "simple", width=40)
    assert "Faults" not in render(Table("", columns, rows), "simple", width=34)
    notes = ["it took " + "so " * 21 + "67.3 % of them"]  # a number stays with its percent sign
    lines = render(Table("", (), (), notes=notes, grids=()), "simple").splitlines()
    assert [line for line in lines if "67.3" in line] == [line for line in lines if "%" in line]
    aligned = [{"value": "1 "}, {"value": "10+"}, {"value": "  "}]  # by spaces
    text = render(Table("", [Column("Value", "value", "right")], aligned), "plain")
    assert text.splitlines() == ["  Value", "     1", "    10+"]


@pytest.mark.quick(3)
@pytest.mark.parametrize("count", [0, 1, 2, 25_000])
def test_rows_that_come_one_by_one_make_the_same_table(count: int) -> None:
    columns = (Column("Number", "number", "right"), Column("Name", "name"))
    rows = [{"number": n, "name": f"bot {n}"} for n in range(count)]
    table = Table("bots", columns, rows, {"count": count}, ["Below."], keys=("number", "name"))
    texts = {
        form: list(pieces(replace(table, rows=()), iter(rows), form))
        for form in ("simple", "github", "csv", "json")
    }
    for form, parts in texts.items():
        assert "".join(parts) == render(table, form)
        assert max(map(len, parts)) < 3_000_000
    assert json.loads("".join(texts["json"])) == {"count": count, "bots": rows}
    assert list(csv.DictReader("".join(texts["csv"]).splitlines())) == [
        {key: str(value) for key, value in row.items()} for row in rows
    ]


def marked(row: Row) -> Style | None:
    return {"up": "good", "down": "bad", "hm": "warning"}.get(row["mark"])  # type: ignore[return-value]


MARKED = Table(
    "marks",
    [Column("Mark", "mark", "right", width=4, style=marked), Column("Rest", "rest")],
    [{"mark": mark, "rest": "x"} for mark in ("up", "down", "hm", "-")],
)


def bare(text: str) -> str:
    return re.sub("\x1b\\[[0-9]*m", "", text)


def test_colours_say_good_bad_and_warning_and_change_nothing_else() -> None:
    text = render(MARKED, "simple", color=True)
    for cell in ("\x1b[32mup\x1b[0m", "\x1b[31mdown\x1b[0m", "\x1b[33mhm\x1b[0m"):
        assert cell in text
    assert text.count("\x1b") == 6
    for form in FORMATS:
        assert bare(render(MARKED, form, color=True)) == render(MARKED, form)
        assert "\x1b" not in render(MARKED, form)


def test_every_line_of_a_folded_cell_ends_its_colour() -> None:
    names = [f"{'日本' * 10}", "one two three four five", "plain"]
    column = Column("Bot", "bot", width=9, style=lambda row: "bad")
    table = Table("bots", [column, Column("Other", "bot")], [{"bot": name} for name in names])
    for form in FOR_EYES:
        text = render(table, form, width=60, color=True)
        assert bare(text) == render(table, form, width=60)
        for line in text.splitlines():
            assert line.count("\x1b[31m") == line.count("\x1b[0m") <= 1


def test_width_is_what_a_terminal_takes() -> None:
    texts = ("abc", "ñ", "n\u0303", "日本", "ｱ", "😀", "❤\ufe0f", "")
    assert [*map(width, texts)] == [3, 1, 1, 4, 1, 2, 2, 0]
    # a mark without a letter stands on a circle
    assert list(letters("\u0301a\u0301")) == ["◌\u0301", "a\u0301"]


words = st.text(st.sampled_from("ab -_日\u0301é😀|"), max_size=40)


@settings(max_examples=100)
@given(words, st.integers(2, 30))
def test_folded_lines_are_no_wider_and_lose_no_letter(text: str, most: int) -> None:
    lines = list(fold(text, most))
    assert all(width(line) <= most for line in lines)
    assert re.sub("[ ◌]", "", "".join(lines)) == text.replace(" ", "")


@settings(max_examples=50)
@given(st.lists(words.filter(str.strip), min_size=1, max_size=5), st.sampled_from(FOR_EYES))
@example(["_" * 25 + "日" * 9], "plain")
def test_any_names_keep_the_columns_in_line(names: list[str], form: str) -> None:
    lines = render(names_table(names), form).splitlines()
    whole = [line for line in lines if re.search(r"\d/\d|Value", line)]  # or a name goes on
    assert len(whole) == 1 + len(names)
    assert len({width(line) for line in whole}) == 1
    assert all(character.isprintable() for line in lines for character in line)

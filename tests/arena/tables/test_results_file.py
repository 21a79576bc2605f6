"""Results files: the two forms they are read in, and every mistake with its line."""

import io
import json
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.stats.outcomes import Result
from arena.tables.field import Field
from arena.tables.results_file import read_results
from protocol.errors import ArenaError
from tests.arena.conftest import NOBODY, ordinary_user

A_FIRST = Result(("A", "B"), (1, 2))
B_FIRST = Result(("A", "B"), (2, 1))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where a results file may be written."""
    return tmp_path / "results"


def read(file: Path, content: str | bytes) -> Field:
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_results(file)


def refused(file: Path, content: str | bytes, line: int) -> str:
    """Return what is said of a line of a file, the file and the line not repeated."""
    with pytest.raises(ArenaError) as caught:
        read(file, content)
    where = f"{file}:{line}: "
    assert str(caught.value).startswith(where), caught.value
    assert "\n" not in str(caught.value)
    return str(caught.value).removeprefix(where)


def lines(*values: object) -> str:
    return "".join(f"{json.dumps(value)}\n" for value in values)


def match(**places: int) -> dict[str, dict[str, int]]:
    return {"places": places}


# --- JSON lines


def test_a_line_is_a_match_and_a_deal_of_its_own(file: Path) -> None:
    field = read(file, lines(match(A=1, B=2), match(B=1, A=2), match(B=2, A=1)))
    assert field.deals == {(A_FIRST,): 2, (B_FIRST,): 1}
    assert (field.name, field.bots, field.game) == (str(file), ("A", "B"), None)
    assert not field.by_seat


def test_matches_of_one_deal_belong_together_wherever_they_stand(file: Path) -> None:
    one, other = {"deal": "d1"}, {"deal": "d2"}
    field = read(
        file,
        lines(match(B=1, A=2) | one, match(A=1, B=2) | other, match(A=1, B=2) | one),
    )
    assert field.deals == {(A_FIRST, B_FIRST): 1, (A_FIRST,): 1}


def test_a_deal_may_be_a_number_which_is_its_name(file: Path) -> None:
    field = read(file, lines(match(A=1, B=2) | {"deal": 7}, match(A=1, B=2) | {"deal": "7"}))
    assert field.deals == {(A_FIRST, A_FIRST): 1}


@pytest.mark.parametrize("deal", ["1", "2", "0", " ", "None"])
def test_no_name_of_a_deal_is_mixed_up_with_a_match_without_one(file: Path, deal: str) -> None:
    field = read(file, lines(match(A=1, B=2), match(A=1, B=2) | {"deal": deal}, match(A=1, B=2)))
    assert field.deals == {(A_FIRST,): 3}


def test_null_is_as_good_as_left_out(file: Path) -> None:
    none = {"deal": None, "match": None, "bots": None}
    assert read(file, lines(match(A=1, B=2) | none, match(A=1, B=2) | none)).deal_count == 2


def test_one_deal_may_be_played_by_others_too(file: Path) -> None:
    """As a board of duplicate bridge, whose luck is everybody's."""
    field = read(file, lines(match(A=1, B=2) | {"deal": 1}, match(C=1, D=2) | {"deal": 1}))
    assert field.deals == {(A_FIRST, Result(("C", "D"), (1, 2))): 1}


def test_named_bots_are_there_without_matches(file: Path) -> None:
    field = read(file, "\n" + lines({"bots": ["C", "B", "A"]}, match(A=1, B=2)))
    assert field.bots == ("A", "B", "C")


def test_places_may_be_shared_and_skipped(file: Path) -> None:
    field = read(file, lines(match(A=1, B=2, C=2), match(A=3, B=1, C=1)))
    assert set(field.results) == {
        Result(("A", "B", "C"), (1, 2, 2)),
        Result(("A", "B", "C"), (3, 1, 1)),
    }


@pytest.mark.parametrize("end", ["\n", "\r\n", "\n\n  \n"])
@pytest.mark.parametrize("start", ["", "\ufeff", "\n\n", "  "])
def test_editors_leave_no_trace(file: Path, start: str, end: str) -> None:
    text = start + json.dumps(match(A=1, B=2)) + end + json.dumps(match(A=2, B=1))
    assert read(file, text).deals == {(A_FIRST,): 1, (B_FIRST,): 1}


def test_a_name_with_its_marks_apart_is_that_with_them_in_one_character(file: Path) -> None:
    named, apart = {"bots": ["an\u0303o", "B"]}, {"places": {"an\u0303o": 1, "B": 2}}
    one = {"places": {"a\u00f1o": 1, "B": 2}}
    assert read(file, lines(named, apart, one)).bots == ("B", "a\u00f1o")
    rows = "match,bot,place\n1,an\u0303o,1\n1,B,2\n2,a\u00f1o,1\n2,B,2\n"
    assert read(file, rows).bots == ("B", "a\u00f1o")


def test_a_match_of_one_bot_in_two_spellings_is_refused(file: Path) -> None:
    both = {"places": {"an\u0303o": 1, "a\u00f1o": 2}}
    with pytest.raises(ArenaError, match=r":1: one bot's name is written in two ways"):
        read(file, lines(both))


def test_colons_in_names_are_no_repeated_keys(file: Path) -> None:
    named = {"deal": "12:30", "match": "a:b:c"}
    assert read(file, lines(match(**{"A:1": 1, "B:2": 2}) | named)).bots == ("A:1", "B:2")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("hello", ["not JSON at column 1"]),
        ('{"places": {"A": 1, "B": 2}', ["not JSON at column"]),
        ('{"places": {"A": 1, "B": 2}} {}', ["not JSON at column 30"]),
        ("{'places': {}}", ["not JSON at column 2"]),
        ("[1, 2]", ["as an object", "not as [1, 2]"]),
        ('"A"', ["as an object", 'not as "A"']),
        ("null", ["as an object", "not as null"]),
        ('{"place": {"A": 1, "B": 2}}', ["there is no key 'place'. Did you mean 'places'?"]),
        ('{"winner": "A"}', ["there is no key 'winner'. Known: bots, deal, match, places,"]),
        (
            '{"places": {"A": 1, "B": 2}, "scores": {"A": 1}}',
            ["'B' has a place or a score, and not both; give scores to all bots of a match"],
        ),
        ('{"places": {"A": 1, "B": 2}, "scores": {}}', ["'A' has a place or a score"]),
        ('{"places": {"A": 1, "B": 2}, "scores": 3}', ["scores must give each bot a number"]),
        (
            '{"places": {"A": 1, "B": 2}, "scores": {"A": 1, "B": "2"}}',
            ["the score of 'B' is \"2\"; scores are numbers, such as 2.5 or -1."],
        ),
        ('{"places": {"A": 1, "B": 2}, "scores": {"A": 1e99, "B": 2}}', ["of 'A' is 1e+99"]),
        (
            '{"places": {"A": 1, "B": 2}, "scores": {"A": 1, "A": 2, "B": 2}}',
            ["the key 'A' is there twice"],
        ),
        ("{}", ["places are missing", '{"places": {"A": 1, "B": 2}}']),
        ('{"deal": "d1"}', ["places are missing"]),
        ('{"places": null}', ["places are missing"]),
        ('{"places": {}}', ["places are empty"]),
        ('{"places": ["A", "B"]}', ['each bot a place, {"A": 1, "B": 2}, not ["A"']),
        ('{"places": "A"}', ["places must give each bot a place"]),
        ('{"places": {"A": 1, "B": 2.0}}', ["the place of 'B' is 2.0", "whole numbers, 1 for"]),
        ('{"places": {"A": 1, "B": true}}', ["the place of 'B' is true"]),
        ('{"places": {"A": 1, "B": "2"}}', ["the place of 'B' is \"2\""]),
        ('{"places": {"A": 1, "B": null}}', ["the place of 'B' is null"]),
        ('{"places": {"A": 1, "B": NaN}}', ["the place of 'B' is NaN"]),
        ('{"places": {"A": 1, "B": [1]}}', ["the place of 'B' is [1]"]),
        ('{"places": {"A": 0, "B": 1}}', ["the place of 'A' is 0"]),
        ('{"places": {"A": -1, "B": 1}}', ["the place of 'A' is -1"]),
        ('{"places": {"A": 2, "B": 2}}', ["the best place, of 'A', is 2; places start at 1"]),
        ('{"places": {"A": 1, "B": 30}}', ["'B' is 30 among 2 bots", "to 2, and are not points"]),
        ('{"places": {"A": 1}}', ["a match of one bot, 'A'", "compared with nobody"]),
        ('{"places": {"A": 1, "A": 2}}', ["twice in one object"]),
        ('{"places": {"A": 1, "B": 2}, "places": {"A": 1, "B": 2}}', ["'places' is there twice"]),
        ('{"places": {"A": 1, "\\u0041": 2}, "deal": ":"}', ["the key 'A' is there twice"]),
        ('{"deal": 1.5, "places": {}}', ["deal must be text or a whole number, not 1.5"]),
        ('{"deal": true, "places": {}}', ["deal must be text or a whole number, not true"]),
        ('{"deal": 7, "match": null, "places": {"A": 1, "B": "2"}}', ["the place of 'B' is \"2\""]),
        ('{"places": 0}', ["places must give each bot a place", "not 0"]),
        ('{"bots": false}', ["bots must be a list of names, not false"]),
        ('{"match": ["m"], "places": {}}', ['match must be text or a whole number, not ["m"]']),
        ('{"deal": "", "places": {"A": 1, "B": 2}}', ["deal or match is empty"]),
        ('{"match": "", "places": {"A": 1, "B": 2}}', ["deal or match is empty"]),
        ('{"places": {"A": 1, "": 2}}', ["1 to 40 printable characters, not ''"]),
        ('{"places": {"A": 1, " B": 2}}', ["1 to 40 printable characters, not ' B'"]),
        ('{"places": {"A": 1, "B\\u001b": 2}}', ["printable characters, not 'B\\x1b'"]),
        ('{"places": {"A": 1, "%s": 2}}' % ("B" * 41), ["1 to 40 printable characters"]),
        ('{"bots": ["A", "B"], "places": {"A": 1, "B": 2}}', ["on a line of their own"]),
        ('{"bots": ["A", "B"], "deal": 1}', ["on a line of their own"]),
        ('{"bots": "AB"}', ['bots must be a list of names, not "AB"']),
        ('{"bots": ["A", 7]}', ['bots must be a list of names, not ["A", 7]']),
        ('{"bots": ["C"]}', ["bots are named once, before the first match"]),
        ('{"deal": %s, "places": {}}' % ("9" * 5000), ["a number too long"]),
        ('{"places": %s' % ('{"a":' * 50_000), ["lists too deep"]),
        ('{"a":' * 50_000 + "1" + "}" * 50_000, ["lists too deep"]),
    ],
)  # fmt: skip
def test_a_bad_line_is_told(file: Path, line: str, says: list[str]) -> None:
    said = refused(file, lines(match(A=1, B=2)) + "\n" + line + "\n", line=3)
    for words in says:
        assert words in said


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ({"bots": []}, "bots are empty"),
        ({"bots": ["A", "B", "A"]}, "two bots are called 'A'"),
        ({"bots": ["A", "B\n"]}, "printable characters, not 'B\\n'"),
    ],
)
def test_a_bad_list_of_bots_is_told(file: Path, line: object, says: str) -> None:
    assert says in refused(file, lines(line, match(A=1, B=2)), line=1)


def test_bots_are_named_once(file: Path) -> None:
    names = {"bots": ["A", "B"]}
    assert "named once" in refused(file, lines(names, names, match(A=1, B=2)), line=2)


def test_a_bot_that_is_not_among_those_named_is_taken_for_a_slip(file: Path) -> None:
    text = lines({"bots": ["general", "turtle"]}, match(general=1, turtel=2))
    said = refused(file, text, line=2)
    assert said == "there is no bot 'turtel' among those named. Did you mean 'turtle'?"


def test_a_match_twice_is_told_with_both_lines(file: Path) -> None:
    twice = match(A=1, B=2) | {"match": "m7"}
    said = refused(file, lines(twice, match(A=1, B=2), twice), line=3)
    assert said.startswith("match 'm7' is also on line 1; ")
    number = match(A=1, B=2) | {"match": 7}
    assert "also on line 1" in refused(file, lines(number, number | {"match": "7"}), line=2)


def test_a_line_is_read_no_further_than_a_mebibyte(file: Path) -> None:
    text = lines(match(A=1, B=2)) + " " * (1 << 20) + lines(match(A=1, B=2))
    assert "more than 1 MiB" in refused(file, text, line=2)


@pytest.mark.parametrize("text", [lines(match(A=1, B=2)), "match,bot,place\nm1,A,1\n"])
def test_what_is_not_utf_8_is_told(file: Path, text: str) -> None:
    last = len(text.splitlines()) + 1
    assert "not UTF-8" in refused(file, text.encode() + b"m1,\xe9,2\n", last)
    assert "not UTF-8" in refused(file, text.encode("utf-16"), line=1)


# --- CSV


def test_a_row_is_a_bot_in_a_match(file: Path) -> None:
    field = read(file, "match,bot,place\nm1,A,1\nm1,B,2\nm2,B,1\nm2,A,2\n")
    assert field.deals == {(A_FIRST,): 1, (B_FIRST,): 1}
    assert (field.bots, field.by_seat) == (("A", "B"), False)


def test_columns_and_rows_stand_in_any_order(file: Path) -> None:
    field = read(
        file, "place,deal,bot,match\n1,d,A,m1\n1,d,B,m2\n1,,A,m3\n2,d,A,m2\n2,,B,m3\n2,d,B,m1"
    )
    assert field.deals == {(A_FIRST, B_FIRST): 1, (A_FIRST,): 1}


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("start", ["", "\ufeff", "\n"])
def test_spreadsheets_leave_no_trace(file: Path, start: str, end: str, delimiter: str) -> None:
    rows = ["match|bot|place", '"m1"|"A, the ""first"""|1', "", "m1| B |2", "||", ""]
    text = start + end.join(rows).replace("|", delimiter)
    result = Result(('A, the "first"', "B"), (1, 2))
    assert read(file, text).deals == {(result,): 1}


@pytest.mark.parametrize(
    ("rows", "line", "says"),
    [
        (["m1,A"], 2, ["this row has 2 cells, and the header 3"]),
        (["m1,A,1,2"], 2, ["this row has 4 cells, and the header 3"]),
        ([",A,1"], 2, ["the cell of the match is empty"]),
        (["m1,,1", "m1,B,2"], 2, ["printable characters, not ''"]),
        (["m1,A,"], 2, ["the place of 'A' is \"\""]),
        (["m1,A,1.0"], 2, ["the place of 'A' is \"1.0\"; places are whole numbers"]),
        (["m1,A,1st"], 2, ['is "1st"']),
        (["m1,A,-1"], 2, ['is "-1"']),
        (["m1,A,١"], 2, ['is "١"']),
        (["m1,A,%s" % ("9" * 5000)], 2, ['is "9999']),
        (["m1,A,0", "m1,B,1"], 2, ["the place of 'A' is 0"]),
        (["m1,A,1", "m2,A,2", "m2,B,3", "m1,B,2"], 3, ["'B' is 3 among 2 bots"]),
        (["m1,A,2", "m1,B,2"], 2, ["places start at 1"]),
        (["m1,A,1", "m1,B,2", "m2,A,1"], 4, ["a match of one bot, 'A'"]),
        (["m1,A,1", "m1,B,2", "m1,A,1"], 4, ["'A' is already in match 'm1', which begins"]),
        (["m1,A,1", '"m1,B,2', "m2,A,1"], 3, ["a quote is opened and not closed"]),
        (["m1,A,1", '"m1,B,2', *["m2,A,1"] * 40_000], 3, ["a quote is opened and not closed"]),
        (["m1,%s,1" % ("A" * 99_000)], 2, ["a bot's name is 1 to 40 printable characters", "A…'"]),
        (["m1,%s,1" % ("A" * 200_000)], 2, ["not CSV: field larger than field limit"]),
        (["m1,A,1", 'm1,B,"2', ""], 3, ["a quote is opened and not closed on this line"]),
        (["m1,A\rB,1"], 2, ["lines end in CR alone; save the file with LF"]),
    ],
)  # fmt: skip
def test_a_bad_row_is_told(file: Path, rows: list[str], line: int, says: list[str]) -> None:
    said = refused(file, "\n".join(["match,bot,place", *rows]), line)
    for words in says:
        assert words in said


@pytest.mark.parametrize(
    ("rows", "line", "says"),
    [
        (["m1,A,1,x", "m1,B,2,1"], 2, ["the score of 'A' is \"x\"; scores are numbers, such as"]),
        (["m1,A,1,1", "m1,B,2,nan"], 3, ["the score of 'B' is \"nan\""]),
        (["m1,A,1,1e99", "m1,B,2,1"], 2, ["the score of 'A' is \"1e99\""]),
        (["m1,A,1,1", "m1,B,2,"], 2, ["'B' has a place or a score, and not both"]),
    ],
)
def test_a_bad_score_is_told(file: Path, rows: list[str], line: int, says: list[str]) -> None:
    said = refused(file, "\n".join(["match,bot,place,score", *rows]), line)
    for words in says:
        assert words in said


SCORED = lines(
    {"deal": "d", **match(A=1, B=2), "scores": {"B": 2, "A": 10}},
    {"deal": "d", **match(A=1, B=2), "scores": {"A": 4, "B": 6}},
    {**match(A=2, B=1), "scores": {"A": 1.5, "B": -1.5}},
    {"deal": 3, **match(A=2, B=1), "scores": {"A": 5, "B": 5}},
)
"""By deal, A has 7, 1.5 and 5, and B 4, -1.5 and 5."""
AS_ROWS = """\
match,bot,place,score,deal
1,A,1,10,d
1,B,2,2,d
2,B,2,6,d
2,A,1,4,d
3,A,2,1.5,
3,B,1,-1.5,
4,A,2,5,3
4,B,1,5,3
"""


@pytest.mark.parametrize("text", [SCORED, AS_ROWS])
def test_scores_are_read_deal_by_deal_where_they_are_asked_for(file: Path, text: str) -> None:
    file.write_text(text)
    assert read_results(file).scores is None
    field = read_results(file, scores=True)
    assert field.deals == read_results(file).deals
    assert field.scores is not None
    means = field.scores.means()
    assert {bot: (mean.mean, mean.deals) for bot, mean in means.items()} == {
        "A": (4.5, 3),
        "B": (2.5, 3),
    }
    assert field.scores.matches == 4


def test_a_deal_of_which_a_match_has_no_scores_is_left_out(file: Path) -> None:
    file.write_text(SCORED + lines({"deal": "d"} | match(A=1, B=2), match(A=1, B=2)))
    scores = read_results(file, scores=True).scores
    assert scores is not None
    assert (scores.matches, scores.unscored, scores.waiting) == (2, 2, 2)
    assert scores.means()["A"].mean == 3.25


def test_a_file_without_scores_has_none(file: Path) -> None:
    file.write_text(lines(match(A=1, B=2)))
    assert read_results(file, scores=True).scores is None


def test_a_match_of_two_deals_is_told_with_both_lines(file: Path) -> None:
    said = refused(file, "match,bot,place,deal\nm1,A,1,d1\nm1,B,2,d2\n", line=3)
    assert said.startswith("match 'm1' is of deal 'd2' here and of 'd1' on line 2")


@pytest.mark.parametrize(
    ("header", "says"),
    [
        ("match,bot", ["the header lacks place", "may name deal"]),
        ("bot", ["the header lacks match and place"]),
        (
            "match,bot,place,date",
            ["there is no column 'date'. Known: bot, deal, match, place, score."],
        ),
        ("Match,bot,plaze", ["there is no column 'plaze'. Did you mean 'place'?"]),
        ("match,bot,place,", ["there is no column ''"]),
        ("match,bot,place,bot", ["the column 'bot' is there twice"]),
        ("A,B,1-0", ["this is not a results file", '{"places"', "match,bot,place"]),
        ("hello", ["this is not a results file"]),
        (",,", ["this is not a results file"]),
        ("SQLite format 3\0", ["this is not a results file"]),
    ],
)
def test_a_bad_header_is_told(file: Path, header: str, says: list[str]) -> None:
    said = refused(file, header, line=1)
    for words in says:
        assert words in said


# --- the file as a whole


@pytest.mark.parametrize("text", ["\n", '{"bots": ["A", "B"]}\n', "match,bot,place\n", "\ufeff"])
def test_a_file_without_a_match_is_told(file: Path, text: str) -> None:
    with pytest.raises(ArenaError, match="holds no match, so there is nothing to rate"):
        read(file, text)


def test_an_empty_file_is_told(file: Path) -> None:
    with pytest.raises(ArenaError, match="is empty; a results file has lines such as"):
        read(file, "")


def test_a_file_that_is_not_there_is_told(file: Path) -> None:
    with pytest.raises(ArenaError, match="there is no league and no results file"):
        read_results(file)


def test_a_folder_and_a_file_of_somebody_else_are_told(file: Path) -> None:
    with pytest.raises(ArenaError, match="Is a directory"):
        read_results(file.parent)
    file.write_text(lines(match(A=1, B=2)))
    file.chmod(0)
    if os.geteuid() == 0:
        os.chown(file, NOBODY, NOBODY)
    with ordinary_user(), pytest.raises(ArenaError, match="cannot be read: Permission denied"):
        read_results(file)


def test_a_dash_is_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    text = lines(match(A=1, B=2), match(A=3, B=1)).encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text[:29])))
    field = read_results(Path("-"))
    assert (field.name, field.deals) == ("standard input", {(A_FIRST,): 1})
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    with pytest.raises(ArenaError, match=r"^standard input:2: "):
        read_results(Path("-"))


def test_equal_results_are_kept_once(file: Path) -> None:
    field = read(file, lines(*(match(A=1, B=2) | {"deal": n} for n in range(5)), match(B=2, A=1)))
    assert field.deals == {(A_FIRST,): 6}


names = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=8)
fields = st.lists(names, min_size=2, max_size=4, unique=True)


@settings(max_examples=100)
@given(fields.flatmap(lambda bots: st.tuples(st.just(bots), st.permutations(bots))))
def test_any_names_are_the_same_in_both_forms(
    tmp_path_factory: pytest.TempPathFactory, field: tuple[Iterable[str], list[str]]
) -> None:
    bots, order = field
    places = {bot: order.index(bot) + 1 for bot in bots}
    file = tmp_path_factory.getbasetemp() / "both"
    rows = [
        f'"m{n}","{bot.replace(chr(34), 2 * chr(34))}",{places[bot]}' for n in "12" for bot in bots
    ]
    table = read(file, "\n".join(["match,bot,place", *rows]))
    assert table == read(file, lines({"places": places}, {"places": places}))


@settings(max_examples=300)
@given(st.binary(max_size=60) | st.text('{}[]":,\n;placesmthbo12A \x00\ufeff').map(str.encode))
def test_any_bytes_are_read_or_explained(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    file = tmp_path_factory.getbasetemp() / "bytes"
    file.write_bytes(content)
    with suppress(ArenaError):
        assert read_results(file).matches

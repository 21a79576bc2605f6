"""Results files: the two forms they are read in, and every mistake with its line."""

import json
import os
import re
from collections.abc import Iterable
from contextlib import suppress
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.stats.outcomes import Result
from arena.tables.field import Field
from arena.tables.results.file import read_results
from protocol.errors import ArenaError
from tests.arena.conftest import NOBODY, ordinary_user
from tests.golden import Golden

A_FIRST = Result(("A", "B"), (1, 2))
B_FIRST = Result(("A", "B"), (2, 1))


@pytest.fixture
def file(tmp_path: Path) -> Path:
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


def test_a_line_is_a_match_and_a_deal_of_its_own(file: Path) -> None:
    field = read(file, lines(match(A=1, B=2), match(B=1, A=2), match(B=2, A=1)))
    assert field.deals == {(A_FIRST,): 2, (B_FIRST,): 1}
    assert (field.name, field.bots, field.game) == (str(file), ("A", "B"), None)
    assert not field.by_seat


def test_matches_of_one_deal_belong_together_wherever_they_stand(file: Path) -> None:
    one, other = {"deal": "7"}, {"deal": "d2"}
    field = read(
        file, lines(match(B=1, A=2) | one, match(A=1, B=2) | other, match(A=1, B=2) | {"deal": 7})
    )
    assert field.deals == {(A_FIRST, B_FIRST): 1, (A_FIRST,): 1}
    for deal in ("1", "2", "0", " ", "None"):  # are no names of matches without one
        own = match(A=1, B=2) | {"deal": deal}
        assert read(file, lines(match(A=1, B=2), own, match(A=1, B=2))).deals == {(A_FIRST,): 3}
    none = {"deal": None, "match": None, "bots": None}
    assert read(file, lines(match(A=1, B=2) | none, match(A=1, B=2) | none)).deal_count == 2


def test_places_may_be_shared_and_skipped_and_bots_named_or_of_other_matches(file: Path) -> None:
    field = read(file, "\n" + lines({"bots": ["D", "C", "B", "A"]}, match(A=1, B=2, C=2)))
    assert set(field.results) == {Result(("A", "B", "C"), (1, 2, 2))}
    assert field.bots == ("A", "B", "C", "D")
    field = read(file, lines(match(A=3, B=1, C=1)))
    assert set(field.results) == {Result(("A", "B", "C"), (3, 1, 1))}
    # one deal of several matches, as a board of duplicate bridge, whose luck is everybody's
    field = read(file, lines(match(A=1, B=2) | {"deal": 1}, match(C=1, D=2) | {"deal": 1}))
    assert field.deals == {(A_FIRST, Result(("C", "D"), (1, 2))): 1}


def test_editors_leave_no_trace(file: Path) -> None:
    for start, end in product(("", "\ufeff", "\n\n", "  "), ("\n", "\r\n", "\n\n  \n")):
        text = start + json.dumps(match(A=1, B=2)) + end + json.dumps(match(A=2, B=1))
        assert read(file, text).deals == {(A_FIRST,): 1, (B_FIRST,): 1}


def test_a_name_with_its_marks_apart_is_that_with_them_in_one_character(file: Path) -> None:
    named, apart = {"bots": ["an\u0303o", "B"]}, {"places": {"an\u0303o": 1, "B": 2}}
    one = {"places": {"a\u00f1o": 1, "B": 2}}
    assert read(file, lines(named, apart, one)).bots == ("B", "a\u00f1o")
    rows = "match,bot,place\n1,an\u0303o,1\n1,B,2\n2,a\u00f1o,1\n2,B,2\n"
    assert read(file, rows).bots == ("B", "a\u00f1o")
    both = lines({"places": {"an\u0303o": 1, "a\u00f1o": 2}})
    assert "one bot's name is written in two ways" in refused(file, both, line=1)
    named = {"deal": "12:30", "match": "a:b:c"}  # colons are no repeated keys
    assert read(file, lines(match(**{"A:1": 1, "B:2": 2}) | named)).bots == ("A:1", "B:2")


BAD_LINES = [
    "hello",
    '{"places": {"A": 1, "B": 2}',
    "[1, 2]",
    '{"winner": "A"}',
    '{"places": {"A": 1, "B": 2}, "scores": {"A": 1}}',
    '{"places": {"A": 1, "B": 2}, "scores": 3}',
    '{"places": {"A": 1, "B": 2}, "scores": {"A": 1, "B": "2"}}',
    "{}",
    '{"places": {}}',
    '{"places": ["A", "B"]}',
    '{"places": {"A": 1, "B": 2.0}}',
    '{"places": {"A": 1, "B": true}}',
    '{"places": {"A": 1, "B": NaN}}',
    '{"places": {"A": 0, "B": 1}}',
    '{"places": {"A": 2, "B": 2}}',
    '{"places": {"A": 1, "B": 30}}',
    '{"places": {"A": 1}}',
    '{"places": {"A": 1, "A": 2}}',
    '{"places": {"A": 1, "\\u0041": 2}, "deal": ":"}',
    '{"deal": 1.5, "places": {}}',
    '{"deal": "", "places": {"A": 1, "B": 2}}',
    '{"places": {"A": 1, "": 2}}',
    '{"places": {"A": 1, "B\\u001b": 2}}',
    '{"bots": ["A", "B"], "places": {"A": 1, "B": 2}}',
    '{"bots": ["A", 7]}',
    '{"bots": ["C"]}',
    '{"deal": %s, "places": {}}' % ("9" * 5000),
    '{"a":' * 50_000 + "1" + "}" * 50_000,
]


def test_bad_lines_are_told(file: Path, golden: Golden) -> None:
    first = lines(match(A=1, B=2)) + "\n"
    told = [f"{line[:60]}\n  {refused(file, first + line, line=3)}" for line in BAD_LINES]
    golden("\n".join(told))
    for line in ({"bots": []}, {"bots": ["A", "B", "A"]}, {"bots": ["A", "B\n"]}):
        golden(refused(file, lines(line, match(A=1, B=2)), line=1))
    names = {"bots": ["A", "B"]}
    assert "named once" in refused(file, lines(names, names, match(A=1, B=2)), line=2)
    slip = lines({"bots": ["general", "turtle"]}, match(general=1, turtel=2))
    said = refused(file, slip, line=2)
    assert said == "there is no bot 'turtel' among those named. Did you mean 'turtle'?"
    long = lines(match(A=1, B=2)) + " " * (1 << 20) + lines(match(A=1, B=2))
    assert "more than 1 MiB" in refused(file, long, line=2)


def test_a_match_twice_or_of_two_deals_is_told_with_both_lines(file: Path) -> None:
    twice = match(A=1, B=2) | {"match": "m7"}
    said = refused(file, lines(twice, match(A=1, B=2), twice), line=3)
    assert said.startswith("match 'm7' is also on line 1; ")
    number = match(A=1, B=2) | {"match": 7}
    assert "also on line 1" in refused(file, lines(number, number | {"match": "7"}), line=2)
    said = refused(file, "match,bot,place,deal\nm1,A,1,d1\nm1,B,2,d2\n", line=3)
    assert said.startswith("match 'm1' is of deal 'd2' here and of 'd1' on line 2")


def test_what_is_not_utf_8_is_told(file: Path) -> None:
    for text in (lines(match(A=1, B=2)), "match,bot,place\nm1,A,1\n"):
        last = len(text.splitlines()) + 1
        assert "not UTF-8" in refused(file, text.encode() + b"m1,\xe9,2\n", last)


def test_spreadsheets_leave_no_trace(file: Path) -> None:
    rows = ["match|bot|place", '"m1"|"A, the ""first"""|1', "", "m1| B |2", "||", ""]
    result = Result(('A, the "first"', "B"), (1, 2))
    for delimiter, end, start in product(",;\t", ("\n", "\r\n"), ("", "\ufeff", "\n")):
        text = start + end.join(rows).replace("|", delimiter)
        for encoding in ("utf-8", "utf-16"):  # which Excel calls Unicode text
            assert read(file, text.removeprefix("\ufeff").encode(encoding)).deals == {(result,): 1}
        assert read(file, text).deals == {(result,): 1}


def test_a_first_line_names_the_separator_and_semicolons_go_with_decimal_commas(file: Path) -> None:
    rows = "match|bot|place|score\nm1|A|1|2.5\nm1|B|2|-1\n"
    for separator, named in product(",;\t", ("sep=|\n", '"SEP=|"\r\n', "")):
        text = (named + rows).replace("|", separator)
        file.write_text(text.replace(".", ",") if separator == ";" else text)
        scores = read_results(file, scores=True).scores
        assert scores is not None
        assert [mean.mean for mean in scores.means().values()] == [2.5, -1]
        assert read(file, text).deals == {(A_FIRST,): 1}
    two = "match;bot;place;score\nm1;A;1;1.234,5\n"
    assert "the score of 'A' is \"1.234,5\"" in refused(file, two, line=2)
    cell = 'match,bot,place\nm1,"A\nx",1\n'
    assert "no cell may have line ends" in refused(file, cell, line=2)


def test_data_frames_leave_no_trace(file: Path) -> None:
    found = read(
        file, ",match,bot,place,score\n0,m1,A,1.0,2\n1,m1,B,2.0,0\n2,m2,B,1,1\n3,m2,A,2,0\n"
    )
    assert found.deals == {(A_FIRST,): 1, (B_FIRST,): 1}


def game(white: str, black: str, result: str, moves: str = "1. e4 e5") -> str:
    tags = {"Event": "x", "White": white, "Black": black, "Result": result}
    return "".join(f'[{name} "{value}"]\n' for name, value in tags.items()) + f"\n{moves}\n\n"


def test_games_in_pgn_are_matches(file: Path) -> None:
    tags = '[White "zed"]\n[Black "yy"]\n[Result "1-0"]'
    comments = f'{{[%clk 1:00]\n[%eval 3] [White "C"] }}\n(1. d4 {{\n{tags}\n}}) e5 ; {{'
    long = f"1. e4 {comments}\n1-0"
    games = (
        game("A", "B", "1-0", long),
        game("B", "A", "1-0", ""),
        game("A", r"the \"B\"", "1/2-1/2"),
        game("B", "A", "0-1"),
    )
    drawn = Result(("A", 'the "B"'), (1, 1))
    assert read(file, "".join(games)).deals == {(A_FIRST,): 2, (B_FIRST,): 1, (drawn,): 1}
    for bad, line in (
        (game("A", "B", "*"), 8),
        (game("A", "B", ""), 8),
        (game("?", "B", "1-0"), 8),
        (game("A", "A", "1-0"), 8),
    ):
        assert "this game " in refused(file, game("A", "B", "1-0") + bad, line)
    for moves in ("1. e4 {best\nby test e5", "1. e4 {best} e5 {"):
        text = game("A", "B", "1-0", moves) + game("B", "A", "1-0", "1. d4 {also} d5")
        for some in (text, text.partition("\n\n[")[0]):
            assert "a comment, from '{' on, does not end" in refused(file, some, line=6)


TWO_GAMES = game("Málaga", "B", "1-0") + game("B", "Málaga", "1/2-1/2")


@pytest.mark.parametrize(
    "data",
    [
        TWO_GAMES.encode("latin-1"),
        TWO_GAMES.encode("utf-8-sig"),
        TWO_GAMES.encode("utf-16"),
        TWO_GAMES.replace("\n", "\r\n").encode(),
        TWO_GAMES.replace("\n", "\r").encode(),
        TWO_GAMES.replace('"]\n[', '"] [').encode(),
        TWO_GAMES.replace("[", "  [").encode(),
        re.sub(r'"\]\n+', '"] ', TWO_GAMES).encode(),
        f"% of my club\n; of 1999\n{TWO_GAMES}".encode(),
        TWO_GAMES.replace("[White", "; who\n% was it\n[White").encode(),
    ],
    ids=range(10),
)
def test_pgn_is_read_however_it_was_written(file: Path, data: bytes) -> None:
    file.write_bytes(data)
    first, drawn = (Result(("B", "Málaga"), places) for places in ((2, 1), (1, 1)))
    assert read_results(file).deals == {(first,): 1, (drawn,): 1}


def test_csv_whose_lines_end_in_cr_is_read_and_damaged_utf_16_is_not(file: Path) -> None:
    assert read(file, "match,bot,place\rm1,A,1\rm1,B,2\r").deals == {(A_FIRST,): 1}
    file.write_bytes("match,bot,place\nm1,A,1\nm1,B,2\n".encode("utf-16")[:-1])
    with pytest.raises(ArenaError, match=":1: not UTF-16, as it begins; save the file as UTF-8"):
        read_results(file)


BAD_ROWS: list[tuple[list[str], int]] = [
    (["m1,A"], 2),
    ([",A,1"], 2),
    (["m1,,1", "m1,B,2"], 2),
    (["m1,A,1.5"], 2),
    (["m1,A,-1"], 2),
    (["m1,A,١"], 2),
    (["m1,A,%s" % ("9" * 5000)], 2),
    (["m1,A,0", "m1,B,1"], 2),
    (["m1,A,1", "m2,A,2", "m2,B,3", "m1,B,2"], 3),
    (["m1,A,2", "m1,B,2"], 2),
    (["m1,A,1", "m1,B,2", "m2,A,1"], 4),
    (["m1,A,1", "m1,B,2", "m1,A,1"], 4),
    (["m1,A,1", '"m1,B,2', "m2,A,1"], 3),
    (["m1,A,1", '"m1,B,2', *["m2,A,1"] * 40_000], 3),
    (["m1,%s,1" % ("A" * 200_000)], 2),
    (["m1,A,1", 'm1,B,"2', ""], 3),
    (["m1,A\rB,1"], 2),
]
"""The rows of a file, and the line that is wrong."""


def test_bad_rows_are_told(file: Path, golden: Golden) -> None:
    told = []
    for rows, line in BAD_ROWS:
        said = refused(file, "\n".join(["match,bot,place", *rows]), line)
        told.append(f"{' | '.join(rows)[:60]}\n  {said}")
    golden("\n".join(told).replace("\r", "\\r"))
    for rows, line in (
        (["m1,A,1,x", "m1,B,2,1"], 2),
        (["m1,A,1,1", "m1,B,2,nan"], 3),
        (["m1,A,1,1e99", "m1,B,2,1"], 2),
        (["m1,A,1,1", "m1,B,2,"], 2),
    ):
        golden(refused(file, "\n".join(["match,bot,place,score", *rows]), line))


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


def test_scores_are_read_deal_by_deal_where_they_are_asked_for(file: Path) -> None:
    for text in (SCORED, AS_ROWS):
        file.write_text(text)
        assert read_results(file).scores is None
        field = read_results(file, scores=True)
        assert field.deals == read_results(file).deals
        assert field.scores is not None
        means = field.scores.means().items()
        assert [(bot, mean.mean, mean.deals) for bot, mean in means] == [
            ("A", 4.5, 3),
            ("B", 2.5, 3),
        ]
        assert field.scores.matches == 4
    file.write_text(lines(match(A=1, B=2)))
    assert read_results(file, scores=True).scores is None


def test_bad_headers_are_told(file: Path, golden: Golden) -> None:
    for header in (
        "match,bot",
        "match,bot,place,date",
        "Match,bot,plaze",
        "match,bot,place,bot",
        "A,B,1-0",
        "SQLite format 3\0",
    ):
        golden(refused(file, header, line=1))


def test_a_file_without_a_match_is_told(file: Path) -> None:
    with pytest.raises(ArenaError, match="there is no league and no results file"):
        read_results(file)
    for text in ("", "\n", "\ufeff"):
        with pytest.raises(ArenaError, match="is empty; a results file has lines such as"):
            read(file, text)
    for text in ('{"bots": ["A", "B"]}\n', "match,bot,place\n"):
        with pytest.raises(ArenaError, match="holds no match, so there is nothing to rate"):
            read(file, text)


def test_a_folder_and_a_file_of_somebody_else_are_told(file: Path) -> None:
    with pytest.raises(ArenaError, match="Is a directory"):
        read_results(file.parent)
    file.write_text(lines(match(A=1, B=2)))
    file.chmod(0)
    if os.geteuid() == 0:
        os.chown(file, NOBODY, NOBODY)
    with ordinary_user(), pytest.raises(ArenaError, match="cannot be read: Permission denied"):
        read_results(file)


names = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=8)
fields = st.lists(names, min_size=2, max_size=4, unique=True)


@settings(max_examples=50)
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


@settings(max_examples=150)
@given(st.binary(max_size=60) | st.text('{}[]":,\n;placesmthbo12A \x00\ufeff').map(str.encode))
def test_any_bytes_are_read_or_explained(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    file = tmp_path_factory.getbasetemp() / "bytes"
    file.write_bytes(content)
    with suppress(ArenaError):
        assert read_results(file).matches

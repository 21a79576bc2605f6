"""Each kind of area as a terminal draws it: its form, its width, wide letters, nothing to show."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.cards import EMPTY, back, face_down, french
from referee.drawing import drawn
from referee.scene import (
    Area,
    Card,
    Facts,
    Grid,
    Ground,
    Group,
    Map,
    Mark,
    Place,
    Row,
    Text,
    Token,
    Track,
)
from referee.words import width

AB = ("A", "B")
GROUND = Ground(
    [Place("north", 0, 0, "up"), Place("west", 0, 9, "down"), Place("east", 9, 9, "down")],
    [(0, 1), (1, 2)],
)


def lines(*areas: Area, **given: Any) -> list[str]:
    return drawn(areas, AB, **given).splitlines()


def cards(codes: str) -> list[Card]:
    return [french(code) for code in codes.split()]


# --- rows


def test_rows_stand_in_line_with_what_the_game_calls_their_cards() -> None:
    assert lines(Row("Hand", cards("7H TC")), Row("Deck", [back(30)], note="shuffled")) == [
        "Hand  7H TC",
        "Deck  (30 unseen); shuffled",
    ]


def test_what_stands_out_is_explained_once_below() -> None:
    row = Row("", [french("7H", "won"), face_down("8H"), french("9H", "lost"), french("TH", "won")])
    assert lines(row, row)[-2:] == ["", "(...) laid face down; + won; - lost"]
    assert lines(row)[0] == "7H+ (8H) 9H- TH+"


def test_a_row_of_nothing_is_a_dash() -> None:
    assert lines(Row("Hand"), Row("Place", [EMPTY])) == ["Hand   -", "Place  -"]


def test_a_card_without_a_code_is_told_by_what_stands_on_it() -> None:
    items = [Card("7", "oros"), Card("Ace"), Card(suit="joker"), french("KD", count=3)]
    assert lines(Row("", items)) == ["7 of oros Ace joker KD x3"]


def test_tokens_are_told_apart_by_commas_and_counted() -> None:
    tokens = [Token("wood", "token", 2), Token("egypt", "cannon", code="egypt (cannon)")]
    assert lines(Row("Has", tokens)) == ["Has  wood x2, egypt (cannon)"]


def test_a_pile_of_cards_says_how_many_they_are() -> None:
    assert lines(Row("Pile", cards("7H 8H 9H"), most=1)) == ["Pile  7H 8H 9H; 3 in all"]


def test_a_long_row_goes_on_below_its_first_item_and_breaks_no_item() -> None:
    row = Row("Hand", [*cards("7H 8H 9H TH JH"), back(12)])
    assert lines(row, most=20) == ["Hand  7H 8H 9H TH JH", "      (12 unseen)"]


def test_wide_letters_take_their_room() -> None:
    row = Row("手", [Token("日本", "word"), Token("e\u0301", "word"), Token("中国", "word")])
    assert lines(row, Row("ab", [Token("x", "word")]), most=14) == [
        "手  日本, e\u0301,",
        "    中国",
        "Ab  x",
    ]


# --- seats


def test_what_belongs_to_a_seat_is_headed_by_it_and_the_viewers_is_said() -> None:
    rows = [Row("", cards("7H"), 0), Row("loot", cards("8H"), 1)]
    assert lines(Group("Fight", rows), seat=1) == [
        "Fight",
        "  A              7H",
        "  B (you): loot  8H",
    ]


def test_names_begin_with_a_capital_where_a_line_begins() -> None:
    areas = [Group("", [Row("Hand", cards("7H")), Row("Pack")], 0)]
    assert drawn(areas, ["seat 0"]).splitlines() == ["Seat 0", "  Hand  7H", "  Pack  -"]


# --- groups


def test_groups_of_the_same_rows_are_a_table() -> None:
    groups = [
        Group("", [Row("Hand", cards("7H")), Row("Pack", [back(3)])], seat) for seat in (0, 1)
    ]
    assert lines(*groups) == ["   Hand  Pack", "A  7H    (3 unseen)", "B  7H    (3 unseen)"]


def test_groups_too_wide_for_a_table_stand_below_each_other() -> None:
    hand = cards("7H " * 27)
    groups = [Group("", [Row("Hand", hand), Row("Pack")], seat) for seat in (0, 1)]
    one = ["A", f"  Hand  {'7H ' * 24}".rstrip(), "        7H 7H 7H", "  Pack  -"]
    assert lines(*groups) == [*one, "", "B", *one[1:]]


def test_what_is_hidden_from_the_others_says_so() -> None:
    inner = [Row("Hand", cards("7H")), Facts("Hoard", (), [["nothing"]])]
    screen = Group("Behind", inner, hidden=True)
    assert lines(screen) == ["Behind (hidden from the others): Hand  7H; Hoard: nothing"]
    assert lines(screen, most=30) == [
        "Behind (hidden from the",
        "others)",
        "  Hand  7H",
        "  Hoard: nothing",
    ]


# --- tables and words


def test_a_table_has_its_numbers_to_the_right_and_its_seats_first() -> None:
    facts = Facts("Money", ("Has", "Note"), [["7", "poor"], ["1000", ""]], (0, 1))
    assert lines(facts, seat=1) == [
        "Money     Has  Note",
        "A           7  poor",
        "B (you)  1000",
    ]


def test_a_table_about_no_seats_stands_below_its_label() -> None:
    facts = Facts("Rates", ("What", "Pays"), [["wood", "2"], ["gold", "10"]])
    assert lines(facts) == ["Rates", "  What  Pays", "  wood     2", "  gold    10"]


def test_a_single_fact_is_a_line() -> None:
    assert lines(Facts("Turn 3", (), [["in turn", "asked"]], [1])) == ["Turn 3: B in turn, asked"]


def test_a_table_too_wide_is_folded_where_it_is_widest() -> None:
    facts = Facts("", ("Who", "What"), [["ann", "one two three four five"]])
    assert lines(facts, most=20) == ["Who  What", "ann  one two three", "     four five"]


def test_no_rows_are_a_dash() -> None:
    assert lines(Facts("Lately", (), [])) == ["Lately", "  -"]


def test_lines_stand_below_their_label_one_beside_it() -> None:
    assert lines(Text("Round 3", ["all bet"])) == ["Round 3: all bet"]
    assert lines(Text("Lately", ["one", "two"])) == ["Lately", "  one", "  two"]
    assert lines(Text("", ["alone"])) == ["alone"]
    assert lines(Text("", [])) == []


def test_what_a_seat_did_one_after_the_other_is_a_paragraph() -> None:
    told = Text("Lately", ["draws", "stops", "passes", "ends the turn"], (0, 0, 1, 0))
    assert lines(told, seat=0, most=28) == [
        "Lately",
        "  A (you)  draws; stops",
        "  B        passes",
        "  A (you)  ends the turn",
    ]


def test_a_long_line_is_folded_and_the_rest_indented() -> None:
    assert lines(Text("Lately", ["one two three four five", "six"]), most=16) == [
        "Lately",
        "  one two three",
        "      four five",
        "  six",
    ]


# --- tracks, squares and maps


def test_a_track_is_drawn_with_its_marks_and_they_are_told() -> None:
    track = Track("Life", 0, 5, [Mark(2, "2", 0), Mark(4, "4+", 1)], note="of 5")
    assert lines(track) == ["Life  0 . . A . B . 5  A 2, B 4+; of 5"]


def test_a_track_to_both_sides_has_a_middle_and_ends() -> None:
    track = Track("Line", -2, 2, [Mark(-1, "●", name="pawn at -1")], ("B", "A"))
    assert lines(track) == ["Line  B -2 . ● | . . 2 A  pawn at -1"]


def test_marks_at_one_place_are_a_hash_and_far_ones_stand_at_the_end() -> None:
    track = Track("Life", 0, 3, [Mark(1, "1", 0), Mark(1, "1", 1), Mark(9, "x")])
    assert lines(track) == ["Life  0 . # . x 3  A 1, B 1, x at 9"]


def test_a_track_without_room_is_told_alone() -> None:
    assert lines(Track("Points", 0, 100, [Mark(7, "7", 0)])) == ["Points  A 7"]
    assert lines(Track("Life", 0, 5, [Mark(2, "2", 0)]), most=20) == ["Life  A 2"]
    assert lines(Track("Life", 0, 0, [])) == ["Life"]


def test_a_grid_has_its_labels_and_its_marks() -> None:
    grid = Grid(
        "Board",
        [["", "O"], ["X", ""]],
        rows=("2", "1"),
        columns=("a", "b"),
        marked=[(1, 0)],
        note="X moves",
    )
    assert lines(grid) == [
        "Board (X moves)",
        "      a   b",
        "  2   .   O",
        "  1  [X]  .",
    ]


def test_a_board_of_hexagons_is_slanted() -> None:
    cells = [["X", "", ""], ["", "O", ""], ["", "", "X"]]
    assert lines(Grid("", cells, rows=("1", "2", "3"), columns=("a", "b", "c"), slanted=True)) == [
        "   a b c",
        "1  X . .",
        "2   . O .",
        "3    . . X",
    ]


def test_squares_that_hold_nothing_but_an_owner_show_its_sign() -> None:
    grid = Grid("", [["", "", "12"]], [[0, None, 1]])
    assert lines(grid) == ["A  .  12"]
    assert drawn([grid], ["seat 0", "seat 1"]) == "0  .  12"


def test_a_map_is_its_places_by_region_what_happens_there_and_ones_neighbours() -> None:
    world = Map("World", [0, 1, 1], ["3", "12", "1"], marked=[1], arrows=[(1, 0)])
    assert lines(world, ground=GROUND, seat=0, most=30) == [
        "World",
        "  up, all A's    down, all B's",
        "  * north A  3   > west  B 12",
        "                   east  B  1",
        "  From > to: west > north",
        "",
        "Your places beside those of",
        "others:",
        "  north 3 | west B 12",
    ]
    assert "  - " not in drawn([world], AB, ground=GROUND)


def test_a_place_that_nobody_holds_has_a_dash() -> None:
    world = Map("World", [None, 0, 1], ["", "1", "1"])
    assert "    north - " in lines(world, ground=GROUND)[2]
    assert lines(world, ground=GROUND)[1] == "  up           down"


# --- all together


WORDS = st.text(st.sampled_from("ab -日é😀\u0301"), max_size=30)
SEATS = st.none() | st.integers(0, 1)
ITEMS = st.lists(
    st.builds(
        Card, WORDS, st.sampled_from(["", "oros", "hearts"]), code=WORDS, count=st.integers(0, 9)
    )
    | st.builds(Token, WORDS, WORDS, st.integers(0, 9)),
    max_size=20,
)
TABLES = st.integers(1, 4).flatmap(
    lambda count: st.builds(
        Facts,
        WORDS,
        st.lists(WORDS, min_size=count, max_size=count),
        st.lists(st.lists(WORDS, min_size=count, max_size=count), max_size=4),
    )
)
MARKS = st.lists(st.builds(Mark, st.integers(-99, 99), WORDS, SEATS, WORDS), max_size=4)
SIMPLE = (
    st.builds(Row, WORDS, ITEMS, SEATS, WORDS)
    | st.builds(Track, WORDS, st.integers(-9, 0), st.integers(0, 50), MARKS)
    | TABLES
    | st.builds(Text, WORDS, st.lists(WORDS, max_size=4))
    | st.builds(Grid, WORDS, st.lists(st.lists(WORDS, max_size=5), max_size=4))
    | st.builds(Map, WORDS, st.just([0, None, 1]), st.lists(WORDS, min_size=3, max_size=3))
)
AREAS = st.recursive(
    SIMPLE,
    lambda inner: st.builds(Group, WORDS, st.lists(inner, max_size=4), SEATS, st.booleans()),
    max_leaves=8,
)


@pytest.mark.slow
@settings(max_examples=400, derandomize=True)
@given(st.lists(AREAS, max_size=6), st.integers(20, 90), SEATS)
def test_whatever_a_scene_holds_no_line_is_wider_than_asked_for(
    areas: list[Area], most: int, seat: int | None
) -> None:
    text = drawn(areas, AB, seat, GROUND, most)
    assert all(width(line) <= most for line in text.splitlines())
    assert not any(line.endswith(" ") for line in text.splitlines())


@pytest.mark.parametrize("most", [80, 40])
def test_an_empty_scene_is_empty(most: int) -> None:
    assert drawn([], AB, most=most) == ""

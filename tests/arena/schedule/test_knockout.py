"""The knockout: its bracket, what decides a tie, and who is out."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import product

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.schedule.bracket import Slots, snake, split_byes, table_count
from arena.schedule.deal import Entrant
from arena.schedule.knockout import Knockout, KnockoutOptions
from arena.schedule.round_robin import DEALS_LIMIT
from arena.schedule.rounds import Lineup, Over, Places, RoundTerms
from arena.stats.sequential import Rates, SequentialTest
from protocol.errors import ArenaError
from referee.words import width
from tests.arena.schedule.cases import calm
from tests.arena.schedule.tournaments import Luck, Played, all_draw, begun, entrants
from tests.golden import Golden

FILE = KnockoutOptions(seeding="file")
NAMES = {bot.key: f"b{number + 1}" for number, bot in enumerate(entrants(40))}
"""The bots by their places in the league's file."""


def named(played: Played) -> list[tuple[str, ...]]:
    """Return the line-ups of the next round by name, the first of the file first."""
    keys = [bot.key for bot in entrants(40)]
    return [
        tuple(NAMES[key] for key in sorted(lineup, key=keys.index)) for lineup in played.keyed()
    ]


def bots(*numbers: int) -> frozenset[Entrant]:
    return frozenset(entrants(40)[number - 1] for number in numbers)


def by_file(*upsets: int) -> Callable[[Lineup], tuple[Places, ...]]:
    """Return results in which the first of the file wins, but for those that beat anybody."""
    order = [*(entrants(40)[number - 1] for number in upsets), *entrants(40)]

    def results(lineup: Lineup) -> tuple[Places, ...]:
        ranked = sorted(lineup, key=order.index)
        return (tuple(ranked.index(bot) + 1 for bot in lineup),) * len(lineup)

    return results


def grid(played: Played, title: str) -> list[tuple[str, float | None, int, str]]:
    """Return bots, points, deals and results of a stage."""
    (rows,) = [each.rows for each in played.standings.grids if each.title == title]
    return [(NAMES[str(row[2])], row[3], row[4], row[5]) for row in rows]  # type: ignore[misc]


def places(played: Played) -> list[tuple[str, str]]:
    rows = played.standings.grids[0].rows
    return [(str(row[0]), NAMES[str(row[2])]) for row in rows]


def test_the_bracket_of_eight() -> None:
    played = begun(Knockout, FILE, 8)
    assert named(played) == [("b1", "b8"), ("b4", "b5"), ("b2", "b7"), ("b3", "b6")]
    played = played.after(by_file(7))
    assert named(played) == [("b1", "b4"), ("b3", "b7")]
    played = played.after(by_file(7))
    assert named(played) == [("b1", "b7")]
    played = played.after(by_file(7))
    assert isinstance(over := played.next(), Over)
    assert over.why.startswith("The final of the knockout is played: ")
    assert places(played) == [
        *(("1", "b7"), ("2", "b1"), ("3-4", "b3"), ("3-4", "b4")),
        *(("5-8", "b2"), ("5-8", "b5"), ("5-8", "b6"), ("5-8", "b8")),
    ]
    assert [each.title for each in played.standings.grids] == [
        *("Places", "Quarter-finals", "Semi-finals", "Final")
    ]
    assert grid(played, "Final") == [("b1", 0.0, 1, "loses"), ("b7", 1.0, 1, "wins")]


@calm
@given(st.integers(2, 70))
def test_the_best_seeds_have_the_byes_and_meet_last(count: int) -> None:
    seeds = [str(number) for number in range(count)]
    slots = Slots(seeds)
    size = len(slots.slots)
    ties = slots.ties()
    assert [tie.bots[0] for tie in ties if len(tie.bots) == 1] == [
        bot for bot in slots.slots if bot is not None and int(bot) < size - count
    ]
    while len(slots.bots) > 1:
        ties = slots.ties()
        if len(slots.bots) == len(slots.slots):
            assert {sum(map(int, tie.bots)) for tie in ties} == {len(slots.slots) - 1}
        for tie in ties:
            tie.on = tie.bots[:1]
        slots.take(ties)
    assert slots.bots == ["0"]


def test_a_bye_stays_one_if_its_bot_leaves_while_others_play_on() -> None:
    begin = begun(Knockout, FILE, 3)
    left = tuple(bot for bot in begin.field if bot not in bots(1))
    played = begin.after(all_draw, then=left)
    assert named(played) == [("b2", "b3")]
    played = played.after(by_file())
    assert grid(played, "Semi-finals")[0] == ("b1", None, 0, "bye")


def test_points_are_rounded_to_thousandths() -> None:
    played = begun(Knockout, FILE, 4, seats=4).after(by_file())
    assert sorted(row[1] for row in grid(played, "Final")) == [0.0, 0.333, 0.667, 1.0]


@pytest.mark.parametrize(("most", "rounds"), [(None, 3), (0, 0), (1, 1)])
def test_an_equal_tie_plays_on_one_by_one_and_then_goes_by_seed(
    most: int | None, rounds: int
) -> None:
    options = KnockoutOptions(seeding="file", tiebreak_deals=most)
    played = begun(Knockout, options, 2, deals=3).after(all_draw)
    for _ in range(rounds):
        assert named(played) == [("b1", "b2")]
        played = played.after(all_draw)
    assert isinstance(played.next(), Over)
    deals = 3 + rounds
    assert grid(played, "Final") == [
        ("b1", deals / 2, deals, "better seed"),
        ("b2", deals / 2, deals, "loses"),
    ]


def test_the_first_deal_that_is_not_drawn_decides_an_equal_tie() -> None:
    played = begun(Knockout, FILE, 4, deals=2)
    assert named(played) == [("b1", "b4")] * 2 + [("b2", "b3")] * 2
    played = played.after(lambda lineup: (all_draw if bots(1) & set(lineup) else by_file())(lineup))
    assert named(played) == [("b1", "b4")], "only the equal one plays on"
    played = played.after(by_file(4))
    assert named(played) == [("b2", "b4")] * 2


def test_sure_plays_until_it_is_sure() -> None:
    test, needed = SequentialTest(Rates()), 0
    while test.verdict is None:
        test.add(1.0)
        needed += 1
    options = KnockoutOptions(seeding="file", decide="sure")
    played = begun(Knockout, options, 2, deals=3)
    while not isinstance(played.next(), Over):
        assert named(played) == [("b1", "b2")] * 3
        played = played.after(by_file(2))
    assert len(played.past) == -(-needed // 3) > 1
    assert places(played)[0] == ("1", "b2")


@pytest.mark.parametrize(("most", "deals"), [(None, 40), (5, 5), (1, 1)])
def test_sure_ends_at_most_deals_and_then_goes_by_points(most: int | None, deals: int) -> None:
    options = KnockoutOptions(seeding="file", decide="sure", most_deals=most)
    played = begun(Knockout, options, 2, deals=2)
    results = by_file(2)
    while not isinstance(played.next(), Over):
        played = played.after(results)
        results = all_draw
    first = 2 if deals > 1 else 1
    assert grid(played, "Final") == [
        ("b1", (deals - first) / 2, deals, "loses"),
        ("b2", (deals + first) / 2, deals, "wins"),
    ]


def test_who_is_out_loses_and_nothing_is_played_for_one_whose_opponent_left() -> None:
    played = begun(Knockout, FILE, 8).after(by_file(), out=bots(1), then=entrants(8)[:4])
    assert grid(played, "Quarter-finals")[:2] == [
        ("b1", None, 0, "left"),
        ("b8", None, 0, "walkover"),
    ]
    assert named(played) == [("b2", "b3")], "the first of the file is in the field again, but out"
    assert grid(played, "Semi-finals")[:2] == [("b4", None, 0, "walkover"), ("b8", None, 0, "left")]
    assert named(played.after(by_file())) == [("b2", "b4")]


def test_where_both_are_out_the_next_has_a_bye() -> None:
    played = begun(Knockout, FILE, 8).after(by_file(), out=bots(1, 8))
    assert named(played) == [("b2", "b3")]
    assert grid(played, "Semi-finals")[0] == ("b4", None, 0, "bye")


def test_if_all_leave_nobody_wins() -> None:
    for final in (begun(Knockout, FILE, 2), begun(Knockout, FILE, 2).after(all_draw)):
        played = final.after(all_draw, out=bots(1, 2))
        assert played.next() == Over("All bots that were left for the final left.")
        assert places(played) == [("1-2", "b1"), ("1-2", "b2")]


def test_who_comes_late_takes_no_part() -> None:
    played = begun(Knockout, FILE, 4).after(by_file(), then=entrants(5))
    assert named(played) == [("b1", "b2")]
    key = entrants(5)[4].key
    assert played.standings.notes == (f"{key} takes no part: it came after the bracket was drawn.",)


def test_seeds_are_drawn_by_key_whatever_the_order_of_the_file() -> None:
    played = begun(Knockout, KnockoutOptions(), 16)
    assert played.keyed() == replace(played, field=played.field[::-1]).keyed()
    assert played.keyed() != begun(Knockout, FILE, 16).keyed()


def test_a_round_robin_seeds_by_its_points() -> None:
    options = KnockoutOptions(seeding="rating", seeding_deals=2)
    played = begun(Knockout, options, 4, deals=1)
    assert len(named(played)) == 6 * 2
    played = played.after(by_file(3))
    assert named(played) == [("b3", "b4"), ("b1", "b2")]
    assert [row[1:] for row in played.standings.grids[0].rows] == [
        (seed, entrants(4)[number - 1].key) for seed, number in enumerate((3, 1, 2, 4), 1)
    ]


def test_who_is_out_in_the_round_robin_is_seeded_last_or_left_out() -> None:
    options = KnockoutOptions(seeding="rating")
    played = begun(Knockout, options, 4).after(by_file(), out=bots(1))
    assert named(played)[0] == ("b1", "b2")
    left = replace(played, field=entrants(4)[1:])
    assert named(left) == [("b3", "b4")]
    assert left.standings.notes == (
        f"{entrants(1)[0].key} takes no part: it left before the bracket was drawn.",
    )


def test_what_shapes_the_bracket_stays() -> None:
    played = begun(Knockout, FILE, 4).after(by_file())
    changed = replace(played, terms=RoundTerms(3, KnockoutOptions(tiebreak_deals=0)))
    assert named(changed) == [("b1", "b2")] * 3


def test_snakes_balance_the_seeds_and_byes_go_to_the_better_of_those_with_fewest() -> None:
    assert snake([*"abcdefg"], 3) == [("a", "f", "g"), ("b", "e"), ("c", "d")]
    assert split_byes([*"abcd"], 2, Counter("a")) == (["a", "d"], ["b", "c"])


@pytest.mark.parametrize(
    ("size", "seats", "advance", "stages"),
    [
        (11, 4, 2, [(2, 3), (2, 4)]),  # to 8, of which all play, and to 4
        (17, 4, 2, [(1, 1), (4, 8), (2, 4)]),
        (9, 3, 1, [(3, 6)]),
        (5, 3, 2, [(1, 1), (1, 1)]),  # at one table no more than one goes out
        (6, 2, 1, [(2, 2), (2, 2)]),
    ],
)
def test_tables_of_the_stages(
    size: int, seats: int, advance: int, stages: list[tuple[int, int]]
) -> None:
    found = []
    while size > seats:
        found.append(table_count(size, seats, advance))
        size -= found[-1][1]
    assert found == stages


def test_the_last_table_is_always_full() -> None:
    for seats in range(2, 7):
        for advance, size in product(range(1, seats), range(2, 80)):
            left = size
            while left > seats:
                tables, out = table_count(left, seats, advance)
                leaving = seats - advance
                assert 0 < tables * seats <= left
                assert (tables - 1) * leaving < out <= tables * leaving
                left -= out
            assert left == min(size, seats)


def test_tables_of_four_with_two_going_on() -> None:
    played = begun(Knockout, KnockoutOptions(seeding="file", advance=2), 11, seats=4)
    assert named(played) == [("b4", "b7", "b8", "b11"), ("b5", "b6", "b9", "b10")]
    played = played.after(by_file())
    rows = grid(played, "Stage 1")
    assert [row[0] for row in rows if row[3] == "bye"] == ["b1", "b2", "b3"]
    assert [row[0] for row in rows if row[3] == "loses"] == ["b8", "b11", "b10"]
    assert named(played) == [("b1", "b4", "b5", "b9"), ("b2", "b3", "b6", "b7")]
    played = played.after(by_file())
    assert named(played) == [("b1", "b2", "b3", "b4")]
    played = played.after(by_file(3))
    assert isinstance(over := played.next(), Over)
    assert over.why.startswith("The final table is played: ")
    assert places(played)[:5] == [
        *(("1", "b3"), ("2", "b1"), ("3", "b2"), ("4", "b4"), ("5-8", "b5")),
    ]


def test_bots_that_tie_in_the_final_share_a_place() -> None:
    def results(lineup: Lineup) -> tuple[Places, ...]:
        first = entrants(1)[0]
        return (tuple(1 if bot == first else 2 for bot in lineup),) * 3

    played = begun(Knockout, FILE, 3, seats=3).after(results)
    assert places(played) == [("1", "b1"), ("2-3", "b2"), ("2-3", "b3")]


def test_at_a_table_with_one_that_is_out_the_others_go_on() -> None:
    played = begun(Knockout, FILE, 6, seats=3)
    assert named(played) == [("b1", "b4", "b5"), ("b2", "b3", "b6")]
    played = played.after(by_file(), out=bots(1))
    assert [row[3] for row in grid(played, "Stage 1")[:3]] == ["left", "walkover", "walkover"]
    assert named(played) == [("b3", "b4", "b5")], "four are left: the best seed has a bye"


def test_too_few_for_a_final_share_the_first_place() -> None:
    played = begun(Knockout, FILE, 4, seats=3).after(by_file(), out=bots(2, 4))
    assert played.next() == Over("2 bots are left, and a table needs 3: the others left.")
    assert places(played)[:2] == [("1-2", "b1"), ("1-2", "b3")]
    assert "share the first place" in played.standings.notes[0]


def test_too_few_bots_end_it(golden: Golden) -> None:
    for count, seats in ((0, 2), (1, 2), (3, 4)):
        played = begun(Knockout, FILE, count, seats)
        over = played.next()
        assert isinstance(over, Over)
        assert f"at least {seats} bots, and {count} can play" in over.why
        assert played.standings.drawing == ()
    golden(over.why)


@pytest.mark.parametrize(
    ("options", "seats", "words"),
    [
        (KnockoutOptions(advance=2), 2, "advance = 2 lets all 2 bots"),
        (KnockoutOptions(decide="sure"), 3, 'use decide = "deals"'),
        (KnockoutOptions(most_deals=4), 2, "most_deals bounds"),
        (KnockoutOptions(decide="sure", tiebreak_deals=4), 2, "bound .sure. by most_deals"),
        (KnockoutOptions(seeding_deals=4), 2, "take it out"),
        (
            KnockoutOptions(seeding="rating", seeding_deals=DEALS_LIMIT),
            2,
            'use seeding = "drawn" or "file"',
        ),
    ],
)
def test_what_cannot_be_meant_is_refused(options: KnockoutOptions, seats: int, words: str) -> None:
    with pytest.raises(ArenaError, match=words):
        begun(Knockout, options, 8, seats).next()
    for field in ("advance", "seeding_deals", "most_deals"):
        with pytest.raises(msgspec.ValidationError, match=">= 1"):
            msgspec.convert({field: 0}, KnockoutOptions)


def test_the_bracket_as_text() -> None:
    played = begun(Knockout, FILE, 5).after(by_file(5)).after(by_file(5))
    standings = played.format.standings(
        played.past, played.field, played.terms, lambda bot: NAMES[bot.key]
    )
    assert standings.drawing == (
        "b1 +",
        "   |b1 +",
        "---+   |",
        "       |b5 +",
        "b4 +   |   |",
        "   |b5 +   |",
        "b5 +       |",
        "           |",
        "b2 +       |",
        "   |b2 +   |",
        "---+   |   |",
        "       |b2 +",
        "b3 +   |",
        "   |b3 +",
        "---+",
    )


@pytest.mark.parametrize(("count", "room"), [(2, 14), (16, 14), (64, 9), (100, 8)])
def test_the_bracket_has_at_most_eighty_columns(count: int, room: int) -> None:
    """And no name more than its room, whatever the width of its letters."""
    played = Luck(1).whole(begun(Knockout, KnockoutOptions(), count))
    for letters in ("", "x" * (room - 4), "x" * (room - 3), "猫" * 2, "猫" * 9, "x" * 90):
        drawing = played.format.standings(
            played.past, played.field, played.terms, lambda bot, end=letters: bot.key + end
        ).drawing
        assert max(map(width, drawing)) <= 80
        assert any("…" in line for line in drawing) == (4 + width(letters) > room)
    assert any(f"{'x' * 9}… +" in line for line in drawing) == (room == 14)


def test_who_leaves_after_a_tie_was_played_has_played_it() -> None:
    played = begun(Knockout, FILE, 4).after(by_file(), then=entrants(4)[1:3])
    assert [row[3] for row in grid(played, "Semi-finals")] == [
        *("goes on", "loses", "goes on", "loses")
    ]
    assert played.next() == Over("One bot is left: all others lost or left.")
    assert places(played)[:2] == [("1", "b2"), ("2", "b1")]


def test_a_final_table_that_a_bot_left_is_shared_unless_it_had_begun() -> None:
    final = begun(Knockout, FILE, 3, seats=3)
    played = final.after(by_file(), out=bots(2))
    assert played.next() == Over("The final table cannot be played, as a bot of it left.")
    assert places(played) == [("1-2", "b1"), ("1-2", "b3"), ("3", "b2")]
    played = final.after(all_draw).after(by_file(), out=bots(1))
    assert isinstance(over := played.next(), Over)
    assert over.why.startswith("The final table is played: ")
    assert places(played) == [("1", "b2"), ("2", "b3"), ("3", "b1")]


def test_who_leaves_between_the_stages_of_tables_has_a_place() -> None:
    left = tuple(bot for bot in entrants(9) if bot not in bots(2))
    played = begun(Knockout, FILE, 9, seats=3).after(by_file(), then=left)
    assert places(played)[:4] == [("1-2", "b1"), ("1-2", "b3"), ("3", "b2"), ("4-9", "b4")]

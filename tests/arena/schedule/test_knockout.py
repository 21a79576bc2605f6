"""The knockout: its bracket, what decides a tie, and who is out."""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.schedule.bracket import Slots, snake, split_byes, table_count
from arena.schedule.deal import DEALS_LIMIT, Entrant
from arena.schedule.elimination import Knockout
from arena.schedule.rounds import Lineup, Over, Places, RoundTerms
from arena.schedule.ties import BracketOptions, check_bracket
from arena.stats.sequential import Rates, SequentialTest
from protocol.errors import ArenaError
from referee.rules.words import width
from tests.arena.schedule.cases import calm
from tests.arena.schedule.tournaments import Luck, Played, all_draw, begun, entrants
from tests.golden import Golden

FILE = BracketOptions(seeding="file")
NAMES = {bot.key: f"b{number + 1}" for number, bot in enumerate(entrants(40))}
"""The bots by their places in the league's file."""


def named(played: Played) -> list[tuple[str, ...]]:
    """Return the line-ups of the next round by name, the first of the file first."""
    keys = [bot.key for bot in entrants(40)]
    return [
        tuple(NAMES[key] for key in sorted(lineup, key=keys.index)) for lineup in played.keyed()
    ]


def bots(*numbers: int) -> tuple[Entrant, ...]:
    return tuple(entrants(40)[number - 1] for number in numbers)


def by_file(*upsets: int) -> Callable[[Lineup], tuple[Places, ...]]:
    """Return results in which the first of the file wins, but for those that beat anybody."""
    order = [*bots(*upsets), *entrants(40)]

    def results(lineup: Lineup) -> tuple[Places, ...]:
        ranked = sorted(lineup, key=order.index)
        return (tuple(ranked.index(bot) + 1 for bot in lineup),) * len(lineup)

    return results


def after(played: Played, *rounds: str) -> Played:
    """Return it after more rounds, each in a few words.

    In `+3 -1 >24` the third of the file beats anybody, the first is out, and the second and fourth
    are the field afterwards; in `=1` all draw who do not meet the first, who wins.
    """
    for each in rounds:
        said = {word[0]: [*map(int, re.findall(r"\d", word))] for word in each.split()}
        first = bots(*said.get("=", ()))

        def shared(lineup: Lineup, first: tuple[Entrant, ...] = first) -> tuple[Places, ...]:
            after = 1 + len({*first} & {*lineup})
            return (tuple(1 if bot in first else after for bot in lineup),) * len(lineup)

        played = played.after(
            shared if "=" in said else by_file(*said.get("+", ())),
            out=frozenset(bots(*said.get("-", ()))),
            then=bots(*said[">"]) if ">" in said else None,
        )
    return played


def story(played: Played) -> str:
    """Return a line for each stage, with points, deals and results; then what is next; places."""
    asked, standings = played.next(), played.standings
    lines = []
    for grid in standings.grids[1:]:
        rows = [(NAMES[str(row[2])], *row[3:]) for row in grid.rows]
        ended = (
            f"{bot} {result}" if points is None else f"{bot} {points:g}/{deals} {result}"
            for bot, points, deals, result in rows
        )
        lines.append(f"{grid.title}: {', '.join(ended)}")
    if isinstance(asked, Over):
        lines.append(f"over: {asked.why}")
    else:
        lines.append(f"next: {', '.join(map(' '.join, named(played)))}")
    rows = [(row[0], NAMES[str(row[2])]) for row in standings.grids[0].rows]
    lines.append("places: " + ", ".join(f"{place} {bot}" for place, bot in rows))
    return "\n".join((*lines, *standings.notes))


RATED = {"seeding": "rating"}
SURE = {"decide": "sure"}
SCENES: dict[str, tuple[int, int, list[str], dict[str, Any]]] = {
    "eight bots": (8, 2, [], {}),
    "eight bots and an upset": (8, 2, ["+7"] * 3, {}),
    "a final table of four": (4, 4, [""], {}),
    "who tie in the final share a place": (3, 3, ["=1"], {}),
    "a bye stays one if its bot leaves": (3, 2, ["= >23"], {}),
    "nothing is played for one whose opponent left": (8, 2, ["-1 >1234", ""], {}),
    "where both are out the next has a bye": (8, 2, ["-18"], {}),
    "all leave": (2, 2, ["-12"], {}),
    "all leave later": (2, 2, ["=", "-12"], {}),
    "who comes late takes no part": (4, 2, [">12345"], {}),
    "who leaves after a tie was played has played it": (4, 2, [">23"], {}),
    "a final table that a bot left is shared": (3, 3, ["-2"], {}),
    "unless it had begun": (3, 3, ["=", "-1"], {}),
    "who leaves between the stages of tables has a place": (9, 3, [">13456789"], {}),
    "at a table with one that is out the others go on": (6, 3, ["-1"], {}),
    "too few for a final share the first place": (4, 3, ["-24"], {}),
    "tables of four, of which two go on": (11, 4, ["", "", "+3"], {"advance": 2}),
    "five of which two go on at tables of three": (5, 3, ["", ""], {"advance": 2}),
    "a round robin seeds by its points": (4, 2, ["+3"], {**RATED, "seeding_deals": 2}),
    "who is out in the round robin is seeded last": (4, 2, ["-1"], RATED),
    "who has left after the round robin is left out": (4, 2, ["-1 >234"], RATED),
    "an equal tie plays on one by one and goes by seed": (2, 2, ["="] * 4, {"deals": 3}),
    "with no deal more": (2, 2, ["="], {"deals": 3, "tiebreak_deals": 0}),
    "with one deal more": (2, 2, ["="] * 2, {"deals": 3, "tiebreak_deals": 1}),
    "sure goes by points after forty deals": (2, 2, ["+2", *["="] * 19], {"deals": 2, **SURE}),
    "sure after five": (2, 2, ["+2", "=", "="], {"deals": 2, **SURE, "most_deals": 5}),
    "sure after one": (2, 2, ["+2"], {"deals": 2, **SURE, "most_deals": 1}),
}


@pytest.mark.parametrize("scene", SCENES)
def test_who_goes_on_and_comes_where(scene: str, golden: Golden) -> None:
    count, seats, rounds, changes = SCENES[scene]
    options = msgspec.convert({"seeding": "file", **changes}, BracketOptions)
    deals = changes.get("deals", 1)
    golden(story(after(begun(Knockout, options, count, seats, deals), *rounds)))


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


def test_the_first_deal_that_is_not_drawn_decides_an_equal_tie() -> None:
    played = begun(Knockout, FILE, 4, deals=2)
    assert named(played) == [("b1", "b4")] * 2 + [("b2", "b3")] * 2
    played = played.after(lambda lineup: (all_draw if bots(1)[0] in lineup else by_file())(lineup))
    assert named(played) == [("b1", "b4")], "only the equal one plays on"
    played = played.after(by_file(4))
    assert named(played) == [("b2", "b4")] * 2


def test_sure_plays_until_it_is_sure() -> None:
    test, needed = SequentialTest(Rates()), 0
    while test.verdict is None:
        test.add(1.0)
        needed += 1
    options = BracketOptions(seeding="file", decide="sure")
    played = begun(Knockout, options, 2, deals=3)
    while not isinstance(played.next(), Over):
        assert named(played) == [("b1", "b2")] * 3
        played = played.after(by_file(2))
    assert len(played.past) == -(-needed // 3) > 1
    assert "places: 1 b2" in story(played)


def test_seeds_are_drawn_by_key_or_by_as_many_deals_as_the_file_says() -> None:
    played = begun(Knockout, BracketOptions(), 16)
    assert played.keyed() == replace(played, field=played.field[::-1]).keyed()
    assert played.keyed() != begun(Knockout, FILE, 16).keyed()
    rated = BracketOptions(seeding="rating", seeding_deals=2)
    assert len(begun(Knockout, rated, 4, deals=1).lineups()) == 6 * 2


def test_what_shapes_the_bracket_stays() -> None:
    played = begun(Knockout, FILE, 4).after(by_file())
    changed = replace(played, terms=RoundTerms(3, BracketOptions(tiebreak_deals=0)))
    assert named(changed) == [("b1", "b2")] * 3


def test_snakes_balance_the_seeds_and_byes_go_to_the_better_of_those_with_fewest() -> None:
    assert snake([*"abcdefg"], 3) == [("a", "f", "g"), ("b", "e"), ("c", "d")]
    assert split_byes([*"abcd"], 2, Counter("a")) == (["a", "d"], ["b", "c"])


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


def test_too_few_bots_end_it(golden: Golden) -> None:
    for count, seats in ((0, 2), (1, 2), (3, 4)):
        played = begun(Knockout, FILE, count, seats)
        over = played.next()
        assert isinstance(over, Over)
        assert f"at least {seats} bots, and {count} can play" in over.why
        assert played.standings.drawing == ()
    golden(over.why)


def test_what_cannot_be_meant_is_refused() -> None:
    for options, seats, words in (
        ({"advance": 2}, 2, "advance = 2 lets all 2 bots"),
        ({"decide": "sure"}, 3, 'use decide = "deals"'),
        ({"most_deals": 4}, 2, "most_deals bounds"),
        ({"decide": "sure", "tiebreak_deals": 4}, 2, "bound .sure. by most_deals"),
        ({"seeding_deals": 4}, 2, "take it out"),
    ):
        with pytest.raises(ArenaError, match=words):
            check_bracket(msgspec.convert(options, BracketOptions), seats)
    many = BracketOptions(seeding="rating", seeding_deals=DEALS_LIMIT)
    with pytest.raises(ArenaError, match='use seeding = "drawn" or "file"'):
        begun(Knockout, many, 8).next()
    for field in ("advance", "seeding_deals", "most_deals"):
        with pytest.raises(msgspec.ValidationError, match=">= 1"):
            msgspec.convert({field: 0}, BracketOptions)


def test_the_bracket_as_text(golden: Golden) -> None:
    played = begun(Knockout, FILE, 5).after(by_file(5)).after(by_file(5))
    standings = played.format.standings(
        played.past, played.field, played.terms, lambda bot: NAMES[bot.key]
    )
    golden("\n".join(standings.drawing))


@pytest.mark.parametrize(("count", "room"), [(2, 14), (16, 14), (64, 9), (100, 8)])
def test_the_bracket_has_at_most_eighty_columns(count: int, room: int) -> None:
    """And no name more than its room, whatever the width of its letters."""
    played = Luck(1).whole(begun(Knockout, BracketOptions(), count))
    for letters in ("", "x" * (room - 4), "x" * (room - 3), "猫" * 2, "猫" * 9, "x" * 90):
        drawing = played.format.standings(
            played.past, played.field, played.terms, lambda bot, end=letters: bot.key + end
        ).drawing
        assert max(map(width, drawing)) <= 80
        assert any("…" in line for line in drawing) == (4 + width(letters) > room)
    assert any(f"{'x' * 9}… +" in line for line in drawing) == (room == 14)


def test_a_round_robin_seeds_by_its_points_and_the_table_says_so() -> None:
    options = BracketOptions(seeding="rating", seeding_deals=2)
    played = begun(Knockout, options, 4).after(by_file(3))
    assert [row[1:] for row in played.standings.grids[0].rows] == [
        (seed, entrants(4)[number - 1].key) for seed, number in enumerate((3, 1, 2, 4), 1)
    ]

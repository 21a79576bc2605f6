"""Cold War: the worked examples of its page by name, what is shown and refused, what holds."""

import itertools
import json
from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.games.cold_war.game import ColdWar
from referee.match.replay import Replay, steps
from referee.rules.game import Move, plain
from tests.referee import scripted
from tests.referee.games.cold_war_notation import (
    NULL,
    PASS,
    POSITION_X,
    ZERO,
    counters,
    new,
    play_round,
    reply,
)
from tests.referee.games.tables import options_of, rows


def forces(game: ColdWar) -> list[str]:
    return [
        f"{one}+{two}: {attack['force']} v {attack['against']}"
        for attack in game.attacks
        for one, two in (attack["pair"],)
    ]


STARTS = {"X": POSITION_X, "zero": ZERO}
EXAMPLES = """
C1  | X | attack 1; arm 2 0 1 1; arm 2 2 0 0; arm 2 2 0 0 | \
- 7 9 8 / 0, 9 - 10 9 / 0, 8 8 - 12 / 0, 8 8 12 - / 0 | | |
C2  | X | attack 1; attack 0; arm 2 2 0 0; arm 2 2 0 0 | ,, 8 8 - 12 / 0, 8 8 12 - / 0 | \
0+1: 34 v 32 | | 1 1 3 3
C3  | X | attack 1; attack 0; shift 6 6 0 -12; attack 2 | ,, 12 12 - 0 / 0, | 0+1: 34 v 36 | |
C4  | - 7 9 8 / 0, 7 - 9 8 / 0, 6 6 - 12 / 0, 6 6 12 - / 2 | \
attack 1; attack 0; arm 2 2 0 0; arm 3 3 0 0 | ,, 8 8 - 12 / 0, 9 9 12 - / 0 | 0+1: 34 v 34 | |
C5  | zero | attack 1; attack 0; pass; pass | ,,, | 0+1: 0 v 0 | |
C6  | zero | arm 0 2 1 1; arm 0 0 0 0; arm 5 0 0 0; arm 0 0 1 0 | \
- 2 1 1 / 0, 0 - 0 0 / 4,, 0 0 1 - / 3 | | 2 |
C7  | - 0 0 0 / 8, 0 - 0 0 / 7, 0 0 - 0 / 20, 0 0 0 - / 20 | \
arm 0 12 0 0; arm 12 0 0 0; arm 13 0 0 0; arm 4 4 4 0 | - 12 0 0 / 0,,, 4 4 4 - / 12 | | 1 2 |
C8  | - 5 9 0 / 3, 12 - 1 1 / 0, 0 0 - 0 / 0, 0 0 0 - / 0 | \
shift 0 -5 -7 12; shift -12 0 5 7; pass; pass | - 0 2 12 / 3, 0 - 6 8 / 0,, | | |
C9  | - 5 9 0 / 9, 20 - 0 0 / 9, 5 5 - 5 / 9, 0 0 0 - / 0 | \
shift 0 -6 0 6; shift -13 0 13 0; shift -3 0 0 2; shift 1 0 -1 0 | ,,, | | 0 1 2 3 |
C10 | X | shift 0 0 0 0; {"play": "arm", "add": [1, 1, 1, 1]}; \
{"play": "arm", "add": [2, -1, 0, 3]}; {"play": "arm", "add": [2.0, 1, 1, 0]} | ,,, | | 1 2 3 |
C11 | X | attack 1; {"play": "attack", "with": true}; {"play": "attack", "with": 2}; \
{"play": "attack", "with": 4} | ,,, | | 1 2 3 |
C12 | X | attack 1; attack 2; attack 3; attack 0 | ,,, | | |
C13 | X | attack 1; attack 0; attack 3; attack 2 | ,,, | 0+1: 34 v 24, 2+3: 24 v 34 | | 1 1 3 3
C14 | - 0 9 9 / 0, 9 - 9 9 / 0, 9 9 - 0 / 0, 9 9 0 - / 0 | \
attack 1; attack 0; attack 3; attack 2 | ,,, | 0+1: 36 v 36, 2+3: 36 v 36 | |
C15 | - 50 1 0 / 30, 50 - 0 1 / 0, 1 0 - 40 / 99, 0 0 40 - / 99 | \
attack 1; attack 0; pass; pass | ,,, | 0+1: 2 v 1 | | 1 1 3 3
C16 | - 0 9 1 / 0, 0 - 5 5 / 0, 5 0 - 0 / 8, 0 5 0 - / 0 | \
attack 1; attack 0; arm 0 12 0 0; nonsense | ,, 5 12 - 0 / 0, | 0+1: 20 v 22 | 3 |
C17 | X | attack 1; attack 0; pass; shift 0 -6 6 0 | ,,, 6 0 18 - / 0 | 0+1: 34 v 18 | | 1 1 3 3
C18 | - 98 99 0 / 8, 0 - 0 0 / 0, 0 0 - 0 / 0, 0 0 0 - / 0 | \
arm 0 12 0 0; pass; pass; pass | - 110 99 0 / 0,,, | | |
C23 | X | attack 1; attack 0; attack 0; attack 1 | ,,, | 0+1: 34 v 24 | | 1 1 3 3
C19 | X | arm 0 0 2 2; pass; pass; pass | - 7 11 10 / 0,,, | | | 1 1 1 1 max_rounds=1
C20 | X | attack 1; attack 0; pass; pass | ,,, | 0+1: 34 v 24 | | 1 1 3 3 max_rounds=1
C21 | X | pass; pass; pass; pass | ,,, | | | 1 1 3 3 max_rounds=1 cap_result=lead
C22 | zero | pass; pass; pass; pass | ,,, | | | 1 1 1 1 max_rounds=1 cap_result=lead
"""
"""Starts, replies, the counters that change, attacks, null plays, places, and options."""


@pytest.mark.parametrize(("start", "replies", "after", "attacks", "null", "end"), rows(EXAMPLES))
def test_worked_example(
    start: str, replies: str, after: str, attacks: str, null: str, end: str
) -> None:
    places = [word for word in end.split() if "=" not in word]
    begins = STARTS.get(start) or tuple(row.strip() for row in start.split(","))
    game = new(begins, **options_of(end.removeprefix(" ".join(places))))
    refused = play_round(game, [reply(text) for text in replies.split("; ")])
    assert [*map(str, refused)] == null.split()
    assert game.last is not None
    assert [game.last[seat] for seat in refused] == [NULL] * len(refused)
    changed = [row.strip() for row in after.split(",")]
    expected = [new or old for new, old in zip(changed, begins, strict=True)]
    assert [counters(game, seat) for seat in range(4)] == expected
    assert ", ".join(forces(game)) == attacks
    assert [*map(str, game.places())] == places
    assert (not game.deciders()) == bool(places)


def test_c24_messages_are_cut_and_cleaned_and_exchanges_come_before_plays() -> None:
    game = new(talk=True, talk_exchanges=2, talk_chars=10)
    refused = play_round(game, [{"say": "ally with 2, please"}, {"say": 7}, {"say": "a\nb"}, {}])
    assert refused == [1, 3]
    assert game.messages == [["ally with ", "", "ab", ""]]
    assert game.decision(0).name == "talk"
    play_round(game, [{"say": "yes"}] * 4)
    assert game.decision(0).name == "play"
    assert game.round == 1


def test_c25_what_was_laid_in_a_null_play_is_shown() -> None:
    game = new(POSITION_X, null_plays="shown")
    laid = [reply("arm 0 2 2 1"), reply("shift -8 0 8 0")]
    assert play_round(game, [*laid, reply("pass"), reply("attack 3")]) == [3]
    shown = [{"play": "null", "laid": play} for play in laid]
    assert plain(game.view(2))["last"] == [*shown, reply("pass"), NULL]
    assert tuple(counters(game, seat) for seat in range(4)) == POSITION_X


def test_c26_only_what_the_cards_can_show_may_be_laid() -> None:
    game = new(POSITION_X, null_plays="shown")
    for text in ("arm 0 12 12 0", "shift 0 -12 -12 1", "shift 0 4 4 -1"):
        assert game.refusal(0, reply(text)) is None
        assert new(POSITION_X).refusal(0, reply(text)) is not None
    for text in ("arm 0 12 12 12", "arm 0 13 0 0", "arm 1 1 1 1"):
        assert game.refusal(0, reply(text)) is not None
    for text in ("shift 0 5 -5 5", "shift 0 4 4 4", "shift 0 -1 -1 -1"):
        assert game.refusal(0, reply(text)) is not None


@pytest.mark.parametrize(
    ("move", "words"),
    [
        ({"play": "null"}, '"play" must be'),
        ({"play": "arm"}, '"add" is missing'),
        ({"play": "arm", "add": [0, -1, 1, 1]}, "from 0 to 12"),
        ({"play": "arm", "add": [0, 13, 0, 0]}, "from 0 to 12"),
        ({"play": "arm", "add": [1, 1, 1, 1]}, "one's own"),
        ({"play": "arm", "add": [0, 5, 4, 3]}, "at most 9"),
        ({"play": "shift", "move": [0, -13, 13, 0]}, "from -12 to 12"),
        ({"play": "shift", "move": [1, -1, 0, 0]}, "one's own"),
        ({"play": "shift", "move": [0, -1, 2, 0]}, "add up to 1"),
        ({"play": "shift", "move": [0, 9, -10, 1]}, "only 9"),
        ({"play": "attack"}, '"with" is missing'),
        ({"play": "attack", "with": 4}, '"with" must be from 0 to 3, not 4'),
        ({"play": "attack", "with": 0}, "one's own"),
    ],
)
def test_a_refusal_says_why(move: Move, words: str) -> None:
    assert words in str(new(("- 7 9 8 / 5", *POSITION_X[1:])).refusal(0, move))


def legal(game: ColdWar, kind: str, field: str, values: range) -> int:
    """Count the legal plays of seat 0 among all lists of the given values."""
    lists = itertools.product(values, repeat=3)
    return sum(game.refusal(0, {"play": kind, field: [0, *entries]}) is None for entries in lists)


@pytest.mark.parametrize(("reserve", "arms"), [(0, 35), (3, 120), (8, 455), (99, 455)])
def test_the_reserve_says_how_many_arms_are_legal(reserve: int, arms: int) -> None:
    game = new((f"- 0 0 0 / {reserve}", *ZERO[1:]))
    assert legal(game, "arm", "add", range(-1, 14)) == arms
    most = min(12, 4 + reserve)
    assert game.decision(0).limits == {"add_max": most, "move_max": 12, "partners": [1, 2, 3]}


def test_every_legal_play_can_be_sampled() -> None:
    game, rng = new(("- 50 50 50 / 8", *ZERO[1:])), Random(1)
    assert legal(game, "shift", "move", range(-13, 14)) == 469
    plays = [{"play": "attack", "with": seat} for seat in range(-1, 6)]
    assert sum(game.refusal(0, play) is None for play in plays) == 3
    assert len({json.dumps(game.sample(0, rng)) for _ in range(60_000)}) == 455 + 469 + 3


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("attack with 2", "attack with 2"),
        ("a\tb\u00a0c\u2028d", "abcd"),
        ("\u202eevil\u200b", "evil"),
        ("\ue000\ud800x", "x"),
        ("\u0378é🚀", "\u0378é🚀"),
        ("\n" * 20 + "0123456789ABC", "0123456789AB"),
    ],
)
def test_a_message_is_cleaned_and_then_cut(said: str, shown: str) -> None:
    game = new(talk=True, talk_chars=12 if "0123" in said else 200)
    play_round(game, [{"say": said}] * 4)
    assert plain(game.view(0))["messages"] == [[shown] * 4]


@pytest.mark.parametrize(
    ("start", "withdrawn", "result", "places", "reason"),
    [
        # two pairs with the same greatest lead
        (("- 0 0 5 / 0", *ZERO[1:]), (), "lead", [1, 1, 1, 1], "max_rounds"),
        (POSITION_X, (), "lead", [1, 1, 3, 3], "lead"),
        (POSITION_X, (), "draw", [1, 1, 1, 1], "max_rounds"),
        (POSITION_X, (0, 3), "lead", [1, 1, 1, 1], "max_rounds"),
        (POSITION_X, (0,), "lead", [3, 1, 3, 1], "lead"),
    ],
)
def test_the_best_of_the_pairs_without_a_withdrawn_seat_leads(
    start: tuple[str, ...], withdrawn: tuple[int, ...], result: str, places: list[int], reason: str
) -> None:
    game = new(start, max_rounds=1, cap_result=result)
    for seat in withdrawn:
        game.withdraw(seat)
    game.apply({seat: game.default(seat) for seat in range(4)})
    assert (game.places(), game.reason) == (places, reason)


def test_a_null_play_that_is_shown_is_no_fault_and_is_replayed() -> None:
    game = new(null_plays="shown", max_rounds=4)  # more than the faults that are allowed
    overdrawn, never = reply("arm 0 12 12 0"), reply("arm 0 13 0 0")
    seats = map(scripted.ScriptedSeat, (overdrawn, PASS, PASS, never))
    played = scripted.play(game, *seats)
    kinds = [entry.fault and entry.fault.kind for entry in played.replay.entries]
    assert kinds == [None, None, None, "illegal"] * 4
    stored = msgspec.json.decode(msgspec.json.encode(played.replay), type=Replay)
    *_, (again, _) = steps(stored, ColdWar)
    assert plain(again.view(0)) == plain(game.view(0))
    assert plain(game.view(0))["last"][0] == {"play": "null", "laid": overdrawn}


@given(seed=st.integers(0, 2**32), withdrawn=st.sets(st.integers(0, 3)), lead=st.booleans())
@settings(max_examples=40, derandomize=True)
def test_invariants_of_random_play(seed: int, withdrawn: set[int], lead: bool) -> None:
    game, rng = new(max_rounds=30, cap_result="lead" if lead else "draw"), Random(seed)
    arms = [0] * 4
    for seat in withdrawn:
        game.withdraw(seat)
    while seats := game.deciders():
        moves = {s: game.default(s) if s in withdrawn else game.sample(s, rng) for s in seats}
        game.apply(moves)
        for seat, play in moves.items():
            arms[seat] += play["play"] == "arm"
            assert min(*game.markers[seat], game.reserve[seat]) >= 0
            assert sum(game.markers[seat]) + game.reserve[seat] == 4 * arms[seat]
            assert game.markers[seat][seat] == 0
        assert sum(attack["won"] for attack in game.attacks) <= 1
    assert sorted(game.places()) in ([1, 1, 3, 3], [1, 1, 1, 1])


@given(seed=st.integers(0, 2**32), order=st.permutations(range(4)))
@settings(max_examples=40, derandomize=True)
def test_the_order_of_the_replies_is_immaterial(seed: int, order: list[int]) -> None:
    one, other, rng = new(), new(), Random(seed)
    while one.deciders() and one.round < 20:
        moves = {seat: one.sample(seat, rng) for seat in range(4)}
        one.apply(moves)
        other.apply({seat: moves[seat] for seat in order})
        assert plain(one.view(0)) == plain(other.view(0))

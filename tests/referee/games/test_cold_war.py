"""Cold War: what is shown, what is refused, what holds in every game."""

import itertools
import json
from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.game import Move, plain
from referee.games.cold_war.game import ColdWar
from referee.replay import Replay, steps
from tests.referee import scripted
from tests.referee.games.cold_war_notation import (
    NULL,
    PASS,
    POSITION_X,
    ZERO,
    new,
    play_round,
    reply,
)


def test_the_view_is_the_one_of_the_rules_page() -> None:
    game = new(("- 5 8 7 / 0", "6 - 7 7 / 0", "5 5 - 10 / 0", "4 4 12 - / 0"))
    game.round = 6
    plays = ["arm 0 2 1 1", "arm 1 0 2 1", "arm 1 1 0 2", "arm 2 2 0 0"]
    play_round(game, [reply(text) for text in plays])
    assert plain(game.view(0)) == {
        "game": "cold_war", "seat": 0, "decision": "play", "round": 7, "max_rounds": 200,
        "markers": [[0, 7, 9, 8], [7, 0, 9, 8], [6, 6, 0, 12], [6, 6, 12, 0]],
        "reserve": [0, 0, 0, 0],
        "last": [{"play": "arm", "add": [0, 2, 1, 1]}, {"play": "arm", "add": [1, 0, 2, 1]},
                 {"play": "arm", "add": [1, 1, 0, 2]}, {"play": "arm", "add": [2, 2, 0, 0]}],
        "attacks": [], "messages": [],
    }  # fmt: skip


def test_a_valid_attack_is_shown_with_its_forces() -> None:
    game = new(POSITION_X)
    play_round(game, [reply("attack 2"), PASS, reply("attack 0"), PASS])
    assert plain(game.view(3))["attacks"] == [
        {"pair": [0, 2], "force": 7 + 8 + 6 + 12, "against": 7 + 9 + 6 + 12, "won": False}
    ]


def test_the_attacks_of_a_round_are_gone_after_the_next() -> None:
    game = new(POSITION_X)
    play_round(game, [reply("attack 2"), PASS, reply("attack 0"), PASS])
    play_round(game, [PASS] * 4)
    assert plain(game.view(0))["attacks"] == []


def test_a_play_is_shown_without_the_fields_it_does_not_use() -> None:
    game = new()
    chatty = {"play": "arm", "add": [0, 4, 0, 0], "move": "?", "with": 1, "say": "psst"}
    assert play_round(game, [chatty, reply("attack 0"), PASS, PASS]) == []
    assert plain(game.view(1))["last"][0] == {"play": "arm", "add": [0, 4, 0, 0]}
    assert game.attacks == []


@pytest.mark.parametrize(
    ("move", "words"),
    [
        ({}, '"play" must be'),
        ({"play": "null"}, '"play" must be'),
        ({"play": ["arm"]}, '"play" must be'),
        ({"play": "arm"}, '"add" is missing'),
        ({"play": "arm", "add": "0211"}, "a list of whole numbers, not a string"),
        ({"play": "arm", "add": [0, 1, 1]}, "exactly 4 entries, not 3"),
        ({"play": "arm", "add": [0, 1, 1, 1, 1]}, "exactly 4 entries, not 5"),
        ({"play": "arm", "add": [0, 1, 1, True]}, 'entry 3 of "add" must be a whole number'),
        ({"play": "arm", "add": [0, 1, 1, 2.0]}, "not a number with a point"),
        ({"play": "arm", "add": [0, 1, 1, None]}, "not null"),
        ({"play": "arm", "add": [0, -1, 1, 1]}, "from 0 to 12"),
        ({"play": "arm", "add": [0, 13, 0, 0]}, "from 0 to 12"),
        ({"play": "arm", "add": [1, 1, 1, 1]}, "one's own"),
        ({"play": "arm", "add": [0, 5, 4, 3]}, "at most 9"),
        ({"play": "shift"}, '"move" is missing'),
        ({"play": "shift", "move": [0, False, 0, 0]}, "whole number, not a boolean"),
        ({"play": "shift", "move": [0, -13, 13, 0]}, "from -12 to 12"),
        ({"play": "shift", "move": [1, -1, 0, 0]}, "one's own"),
        ({"play": "shift", "move": [0, -1, 2, 0]}, "add up to 1"),
        ({"play": "shift", "move": [0, 7, 6, -13]}, "from -12 to 12"),
        ({"play": "shift", "move": [0, 9, -10, 1]}, "only 9"),
        ({"play": "shift", "move": [0, -7, 1, 6]}, None),
        ({"play": "shift", "move": [0, -6, 13, -7]}, "from -12 to 12"),
        ({"play": "attack"}, '"with" is missing'),
        ({"play": "attack", "with": "1"}, "whole number, not a string"),
        ({"play": "attack", "with": 1.0}, "whole number, not a number with"),
        ({"play": "attack", "with": True}, "whole number, not a boolean"),
        ({"play": "attack", "with": 4}, '"with" must be from 0 to 3, not 4'),
        ({"play": "attack", "with": -1}, '"with" must be from 0 to 3, not -1'),
        ({"play": "attack", "with": 0}, "one's own"),
        ({"say": "hello"}, '"play" must be'),
    ],
)
def test_a_refusal_says_why(move: Move, words: str | None) -> None:
    reason = new(("- 7 9 8 / 5", *POSITION_X[1:])).refusal(0, move)
    assert reason is None if words is None else words in str(reason)


def test_twelve_missiles_may_leave_one_marker_or_reach_one() -> None:
    game = new(("- 12 6 6 / 0", *ZERO[1:]))
    assert game.refusal(0, reply("shift 0 -12 5 7")) is None
    assert game.refusal(0, reply("shift 0 12 -6 -6")) is None


def legal(game: ColdWar, kind: str, field: str, values: range) -> int:
    """Count the legal plays of seat 0 among all lists of the given values."""
    lists = itertools.product(values, repeat=3)
    return sum(game.refusal(0, {"play": kind, field: [0, *entries]}) is None for entries in lists)


@pytest.mark.parametrize(("reserve", "arms"), [(0, 35), (8, 455), (99, 455)])
def test_number_of_legal_arms(reserve: int, arms: int) -> None:
    assert legal(new((f"- 0 0 0 / {reserve}", *ZERO[1:])), "arm", "add", range(-1, 14)) == arms


def test_number_of_legal_shifts() -> None:
    assert legal(new(("- 50 50 50 / 0", *ZERO[1:])), "shift", "move", range(-13, 14)) == 469


def test_number_of_legal_attacks() -> None:
    plays = [{"play": "attack", "with": seat} for seat in range(-1, 6)]
    assert sum(new().refusal(0, play) is None for play in plays) == 3


def test_every_legal_play_can_be_sampled() -> None:
    game, rng = new(("- 50 50 50 / 8", *ZERO[1:])), Random(1)
    assert len({json.dumps(game.sample(0, rng)) for _ in range(60_000)}) == 927


def test_limits_follow_the_reserve() -> None:
    game = new(("- 0 0 0 / 3", "0 - 0 0 / 9", *ZERO[2:]))
    assert game.decision(0).limits == {"add_max": 7, "move_max": 12, "partners": [1, 2, 3]}
    assert game.decision(1).limits == {"add_max": 12, "move_max": 12, "partners": [0, 2, 3]}


def test_the_default_play_is_one_no_bot_may_state() -> None:
    game = new()
    assert game.default(0) == NULL
    assert game.refusal(0, NULL) is not None


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


def capped(start: tuple[str, ...], *withdrawn: int) -> list[int]:
    """Return the places after a single round of nulls, with `cap_result` lead."""
    game = new(start, max_rounds=1, cap_result="lead")
    for seat in withdrawn:
        game.withdraw(seat)
    game.apply({seat: game.default(seat) for seat in range(4)})
    return game.places()


def test_two_pairs_with_the_same_greatest_lead_are_a_draw() -> None:
    assert capped(("- 0 0 5 / 0", *ZERO[1:])) == [1, 1, 1, 1]


def test_a_pair_with_a_withdrawn_seat_cannot_lead() -> None:
    assert capped(POSITION_X) == [1, 1, 3, 3]
    assert capped(POSITION_X, 0, 3) == [1, 1, 1, 1]


def test_the_best_of_the_pairs_without_a_withdrawn_seat_leads() -> None:
    assert capped(POSITION_X, 0) == [3, 1, 3, 1]


@pytest.mark.parametrize(
    ("start", "cap_result", "reason"),
    [
        (POSITION_X, "draw", "max_rounds"),
        (POSITION_X, "lead", "lead"),
        (ZERO, "lead", "max_rounds"),
    ],
)
def test_the_reason_of_a_stopped_game(start: tuple[str, ...], cap_result: str, reason: str) -> None:
    game = new(start, max_rounds=1, cap_result=cap_result)
    play_round(game, [PASS] * 4)
    assert game.reason == reason


def test_a_null_play_that_is_shown_is_no_fault_and_is_replayed() -> None:
    game = new(null_plays="shown", max_rounds=2)
    overdrawn, never = reply("arm 0 12 12 0"), reply("arm 0 13 0 0")
    seats = map(scripted.ScriptedSeat, (overdrawn, PASS, PASS, never))
    played = scripted.play(game, *seats)
    kinds = [entry.fault and entry.fault.kind for entry in played.replay.entries]
    assert kinds == [None, None, None, "illegal"] * 2
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

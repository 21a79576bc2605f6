"""What is refused of every game: replies to each of its decisions, and options out of range."""

from functools import cache
from typing import Any

import msgspec
import pytest

from referee.games import GAMES
from referee.rules.game import Game, Move, twin
from referee.testing.trial import sampling
from tests.referee.games.conformance import cases_of, moments

LENIENT = {"cold_war", "duel", "guerra", "khan"}
"""The games that do not read a field too many; the others refuse it."""

DEPTH = 100_000
each_decision = pytest.mark.parametrize(
    ("name", "decision"), [(name, decision) for name in GAMES for decision in GAMES[name].decisions]
)


@cache
def situations(name: str) -> dict[str, tuple[Game, int, Move]]:
    """Return a game where each decision is asked of a seat, with a legal reply."""
    found: dict[str, tuple[Game, int, Move]] = {}
    for case in cases_of(name):
        game = case.new()
        for seat, move in moments(game, sampling(1)):
            if (decision := game.decision(seat).name) not in found:
                found[decision] = (twin(game), seat, move)
        if found.keys() == GAMES[name].decisions.keys():
            break
    return found


@each_decision
def test_a_seat_that_is_not_asked_is_told_so(name: str, decision: str) -> None:
    game, _, move = situations(name)[decision]
    idle = {*range(game.seats)} - {*game.deciders()}
    assert {game.refusal(seat, move) for seat in idle} <= {"nothing is asked of you now"}


@each_decision
def test_a_field_too_many_is_refused_or_left_out_of_the_record(name: str, decision: str) -> None:
    game, seat, move = situations(name)[decision]
    more = {**move, "wealth": 1}
    if name in LENIENT:
        assert game.read(seat, more) == game.read(seat, move)
    else:
        assert "'wealth' is no field" in str(game.refusal(seat, more))


@each_decision
def test_a_reply_nested_out_of_all_bounds_is_refused(name: str, decision: str) -> None:
    game, seat, move = situations(name)[decision]
    deep: list[object] = []
    for _ in range(DEPTH):
        deep = [deep]
    for field in move:
        assert game.refusal(seat, {**move, field: deep})


@each_decision
def test_a_long_word_is_cut_in_the_reason(name: str, decision: str) -> None:
    game, seat, move = situations(name)[decision]
    for field, value in move.items():
        long = ["E3" * 1000] if isinstance(value, list) else "E3" * 1000
        assert len(game.refusal(seat, {**move, field: long}) or "") < 300


WRONG: dict[str, list[dict[str, Any]]] = {
    "casino_war": [{"rounds": 0}, {"min_bet": 0}, {"min_bet": 11}, {"max_bet": 101}, {"decks": 9}],
    "cold_war": [{"max_rounds": 0}, {"talk_exchanges": 0}, {"talk_chars": 0}],
    "duel": [{"deck": 52}, {"max_turns": 0}, {"extra_action_cost": "none"}],
    "guerra": [{"transfers": 3}, {"max_turns": 1}, {"attack_line": "any"}],
    "khan": [{"deck": 52}, {"tokens_per_kind": 11}, {"max_turns_per_player": 0}],
    "pyanitsa": [{"deck": 40}, {"max_battles": 0}, {"tie": "war"}],
    "steal_war": [{"max_tricks": 0}, {"protection": 1}, {"steal_back": True}, {"jokers": 2}],
    "tod_und_leben": [{"rounds": 0}, {"rounds": 10_001}, {"rounds": 1.0}, {"rounds": True}],
    "war": [{"war_length": 2}, {"razboi_ace": 2}, {"max_battles": 0}, {"wars": 3}],
    "world_war": [
        *({"objective": "risk"}, {"setup_step": 0}, {"min_reinforcement": 1}),
        *({"safe_rounds": -1}, {"max_rounds": 0}, {"max_attacks": 0}),
    ],
}


@pytest.mark.parametrize("name", GAMES)
def test_an_option_out_of_range_is_refused(name: str) -> None:
    for wrong in [*WRONG.get(name, ()), {"an unknown option": 1}]:
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(wrong, GAMES[name].options_type)

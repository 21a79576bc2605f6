"""What holds for the replies to each decision of all games; what one refuses is tried beside it."""

from functools import cache

import pytest

from referee.game import Game, Move, twin
from referee.games import GAMES
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

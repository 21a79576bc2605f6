"""The numbers of moves: every legal one has its own, and none is there for nothing."""

import pytest
from jsonschema import Draft202012Validator

from protocol.errors import ArenaError
from referee.all_moves import AllMoves
from referee.games import GAMES
from referee.testing.cases import Case
from referee.testing.trial import sampling
from tests.referee.games.conformance import CASES, moments

LISTED = ("steal_war", "khan", "duel")
cases = pytest.mark.parametrize(
    "case", [case for case in CASES if case.kind.name in LISTED], ids=str
)


@cases
def test_every_legal_move_has_a_number_of_its_own(case: Case) -> None:
    numbered = AllMoves(case.new())
    for seed in range(3):
        game = case.new(f"deal {seed}")
        for seat, _ in moments(game, sampling(seed)):
            decision = game.decision(seat)
            assert decision.legal
            numbers = [numbered.number(decision.name, move) for move in decision.legal]
            assert len({*numbers}) == len(numbers)
            for number, move in zip(numbers, decision.legal, strict=True):
                assert numbered.moves[number] == move
                assert numbered.decisions[number] == decision.name


@cases
def test_the_numbers_do_not_hang_on_the_deal_or_the_course(case: Case) -> None:
    game = case.new("another deal")
    for _ in moments(game, sampling()):
        pass
    assert AllMoves(game).moves == AllMoves(case.new()).moves


@pytest.mark.parametrize(("game", "count"), [("steal_war", 57), ("khan", 1108), ("duel", 139)])
def test_they_are_few_and_all_of_the_form_of_their_decision(game: str, count: int) -> None:
    numbered = AllMoves(next(case for case in CASES if case.kind.name == game).new())
    assert len(numbered) == len(numbered.moves) == count
    forms = {name: Draft202012Validator(form) for name, form in GAMES[game].schemas().items()}
    assert {*numbered.decisions} == forms.keys()
    for decision, move in zip(numbered.decisions, numbered.moves, strict=True):
        forms[decision].validate(move)


def test_a_game_with_a_decision_that_is_not_listed_has_none() -> None:
    case = next(case for case in CASES if case.kind.name == "cold_war")
    with pytest.raises(ArenaError, match="the moves of cold_war have no numbers") as caught:
        AllMoves(case.new())
    assert str(caught.value).endswith("those of steal_war, khan, duel have.")

"""The bots of Steal War: legal with every option, and sensible above random."""

from typing import Any

import pytest

from tests.bots.driver import BOTS, Match, Message, python, seated

VARIANTS: list[tuple[int, dict[str, Any]]] = [
    (2, {"protection": False}),
    (2, {"protection": False, "steal_back": "at_once"}),
    (4, {"steal_back": "at_once", "max_tricks": 60}),
    (3, {"max_tricks": 60}),
    (4, {"max_tricks": 60}),
    (10, {"max_tricks": 60}),
]


def commands(*names: str) -> list[list[str]]:
    return [python(BOTS / "steal_war" / f"steal_war_{name}.py") for name in names]


@pytest.mark.parametrize(("seats", "options"), VARIANTS, ids=str)
def test_they_make_only_legal_moves_with_any_option(seats: int, options: dict[str, Any]) -> None:
    with seated(*commands(*(["sensible", "random"] * 5)[:seats])) as programs:
        for seed in range(4):
            Match("steal_war", programs, seed, **options).play()
        assert [program.leave() for program in programs] == [0] * seats


def test_sensible_beats_random() -> None:
    with seated(*commands("sensible", "random")) as programs:
        won = 0
        for seed in range(15):
            won += Match("steal_war", programs, seed).play() == [1, 2]
            won += Match("steal_war", programs[::-1], seed).play() == [2, 1]
    assert won >= 21


def asked(legal: list[Message], **view: Any) -> Message:
    """Return an ask of seat 0 of two."""
    rest = {"seat": 0, "in_trick": [0, 1], "up": [None, None], "laid": [[], []], "protected": []}
    message = {"type": "ask", "id": 1, "decision": "steal", "legal": legal}
    return message | {"view": rest | {"won": [], "piles": [[], []]} | view}


PLAY = {"action": "play"}
STEAL = {"action": "steal", "target": 1}


def answer(message: Message) -> Message:
    """Return what the sensible bot answers."""
    with seated(*commands("sensible")) as (program,):
        program.tell(message)
        move: Message = program.hear()["move"]
        return move


def test_sensible_steals_a_pile() -> None:
    piles = [[], ["2C", "9C"]]
    assert answer(asked([PLAY, STEAL], card="9D", piles=piles)) == STEAL


def test_sensible_leaves_a_protected_pile() -> None:
    piles = [[], ["2C", "9C"]]
    told = asked([PLAY, STEAL], card="9D", piles=piles, protected=[1], up=[None, "9H"])
    assert answer(told) == PLAY


def test_sensible_plays_a_high_card_that_wins_a_war() -> None:
    laid = [["7C", None, None, None], ["7D", None, None, None, "4C"]]
    told = asked([PLAY, STEAL], card="3D", piles=[[], ["3C"]], laid=laid, up=[None, "4C"])
    assert answer(told) == STEAL
    told = asked([PLAY, STEAL], card="KD", piles=[[], ["KC"]], laid=laid, up=[None, "QC"])
    assert answer(told) == PLAY


def test_sensible_shows_the_rank_with_the_fewest_cards_left() -> None:
    legal = [{"top": card} for card in ("9C", "KD")]
    piles = [["9D", "9H"], []]
    told = asked(legal, won=["9C", "KD"], piles=piles) | {"decision": "top"}
    assert answer(told) == {"top": "9C"}

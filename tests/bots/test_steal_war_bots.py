"""The sensible bot of Steal War."""

from typing import Any

from tests.bots.driver import Message, called


def asked(legal: list[Message], **view: Any) -> Message:
    """Return an ask of seat 0 of two."""
    rest = {"seat": 0, "in_trick": [0, 1], "up": [None, None], "laid": [[], []], "protected": []}
    message = {"type": "ask", "id": 1, "decision": "steal", "legal": legal}
    return message | {"view": rest | {"won": [], "piles": [[], []]} | view}


PLAY = {"action": "play"}
STEAL = {"action": "steal", "target": 1}


def answer(message: Message) -> Message:
    """Return what the sensible bot answers."""
    (program,) = called("steal_war", "sensible")
    program.tell({"type": "start", "game": "steal_war", "seat": 0, "seats": 2})
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

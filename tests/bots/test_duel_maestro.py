"""Duel's maestro: what it does in a given position, and what it is worth."""

from collections.abc import Callable
from typing import Any

import pytest

from referee.games.duel.fencer import LETHAL
from referee.games.duel.game import Duel
from tests.bots.driver import Match, Transcript, called, decided
from tests.referee.games.duel_positions import (
    NO_DEFENCE,
    attack,
    defence,
    new_game,
    play,
    position,
)

OPTIONS: list[dict[str, Any]] = [
    {},
    {"deck": 48},
    {"extra_action_cost": "instead"},
    {"max_turns": 3},
]


def recorded(deals: int, other: str, **options: Any) -> list[Transcript]:
    """Return what the maestro was asked and did in each match."""
    transcripts = []
    programs = called("duel", "maestro", other)
    for seed in range(deals):
        for seats in (programs, programs[::-1]):
            match = Match("duel", seats, seed, **options)
            match.play()
            transcripts.append(match.transcripts[seats.index(programs[0])])
    return transcripts


def attacked_by(cards: str, hand: str, **given: Any) -> Duel:
    """Return a game in which the maestro is to answer an attack by all the cards of seat 0."""
    return play(position(cards, hand, **given), attack(cards))


@pytest.mark.parametrize(
    ("game", "move"),
    [
        (lambda: new_game(rolls=(7, 1, 8, 2)), {"trait": 1}),
        (lambda: new_game(rolls=(7, 2, 8, 2)), {"trait": 2}),
        (lambda: position("B3 B4 B5 E3 O3", "O1 O2 C3", stamina=(5, 1)), attack("E3")),
        (lambda: position("B3 B4 B12 O3", "O1 O2 C3", stamina=(1, 9)), {"action": "breathe"}),
        (lambda: attacked_by("B3 B4 B5", "E3", pawn=-3, stamina=(9, 6)), {"use": True}),
        (lambda: attacked_by("B3", "E3", stamina=(9, 2)), {"use": False}),
        (lambda: attacked_by("B3", "E3", pawn=-3, stamina=(9, 2)), {"use": False}),
        (lambda: attacked_by("B3", "C2 C3 C4", pawn=3, dexterity=(9, 2)), NO_DEFENCE),
        (
            lambda: attacked_by("B3 B4", "O1 O2 C3", pawn=-2, stamina=(9, 2), trait=(LETHAL, None)),
            defence("O1 O2"),
        ),
    ],
    ids=[
        *("the better trait", "the better trait again", "a cut at the rival's last point"),
        *("breath at its own", "a parry where the line ends", "no parry with its last points"),
        *("not even there", "no moulinet with its last dexterity", "no last point to a lethal one"),
    ],
)
def test_what_it_does(game: Callable[[], Duel], move: Any) -> None:
    assert decided("maestro", game()) == move


def test_it_cuts_twice_where_that_kills() -> None:
    game = position("E3 E6 O3", "O1 O2 C3", stamina=(9, 2))
    play(game, decided("maestro", game))
    play(game, *([NO_DEFENCE] if game.asked == "defend" else []))
    play(game, *([{"use": False}] if game.asked == "emergency_parry" else []))
    play(game, decided("maestro", game))
    assert (game.asked, game.reason, game.places()) == (None, "stamina", [1, 2])


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_it_makes_only_legal_moves_and_never_pays_its_last_point(options: dict[str, Any]) -> None:
    chosen = 0
    for transcript in recorded(3, "sensible", **options):
        for ask, reply in transcript:
            if reply and ask.get("decision") == "action":
                view, price = ask["view"], ask["view"]["price"]
                stamina = view["stamina"][view["seat"]]
                free = [m for m in ask["legal"] if price.get(m["action"], 0) < stamina]
                if free:
                    assert reply["move"] in free
                    chosen += 1
    assert chosen > 5

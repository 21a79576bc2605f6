"""Duel's maestro: what it does in a given position, and what it is worth."""

import importlib
from collections.abc import Callable
from random import Random
from types import ModuleType
from typing import Any

import pytest

from referee.game import plain
from referee.games.duel.fencer import LETHAL
from referee.games.duel.game import Duel
from tests.bots.driver import BOTS, Match, Transcript, called, decided
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


@pytest.fixture
def maestro(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(BOTS)
    monkeypatch.syspath_prepend(BOTS / "duel")
    return importlib.import_module("duel_maestro")


def attacked(seed: int) -> Duel:
    """Return a game in which seat 0 has just attacked seat 1, which can still breathe."""
    rng = Random(seed)
    deck = rng.sample([f"{suit}{rank}" for suit in "BEOC" for rank in range(1, 8)] * 2, 28)
    figures = [f"{suit}{rank}" for suit in "BEOC" for rank in (10, 11, 12)]
    game = position(
        " ".join(["B3", "B4", *deck[:8]]),
        " ".join(["O3", *deck[8:]]),
        pawn=rng.randint(-3, 3),
        trait=(rng.randint(1, 8), rng.randint(1, 8)),
        stamina=(9, rng.randint(2, 9)),
        dexterity=(9, rng.randint(1, 9)),
        fencing=(5, rng.randint(1, 9)),
        in_play=(" ".join(rng.sample(figures, 3)), " ".join(rng.sample(figures, 3))),
    )
    attacks = [move for move in game.decision(0).legal or () if move["action"] == "attack"]
    return play(game, rng.choice(attacks))


def best_after(maestro: ModuleType, seed: int, move: Any) -> float:
    """Return what seat 1 is worth after its answer, if it stands fast only where it lives on."""
    games = [play(attacked(seed), move)]
    if games[0].asked == "emergency_parry":
        uses = [False, True] if games[0].fencers[1].stamina > 2 else [False]
        games = [play(attacked(seed), move, {"use": use}) for use in uses]
    fencers = [maestro.Fencer(plain(game.view(1)), 1) for game in games]
    return max(fencer.shape() + fencer.ground() for fencer in fencers)


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


def test_its_answers_on_paper_are_the_referee_s(maestro: ModuleType) -> None:
    compared = 0
    for seed in range(40):
        game = attacked(seed)
        own, rival = (maestro.Fencer(plain(game.view(1)), seat) for seat in (1, 0))
        strength = plain(game.view(1))["attack"]["strength"] if game.asked == "defend" else 0
        for move in game.decision(1).legal or () if strength else ():
            answer = maestro.suit_and_length(move["cards"])
            paper = maestro.answered(rival, own, strength, answer)
            assert paper == pytest.approx(best_after(maestro, seed, move)), (seed, move)
            compared += 1
    assert compared > 300


def test_a_cut_on_paper_hits_before_the_answer(maestro: ModuleType) -> None:
    game = position("E3", "O3 O4", stamina=(9, 4))
    rival, own = (maestro.Fencer(plain(game.view(0)), seat) for seat in (0, 1))
    paper = maestro.answered(rival, own, 1, ("O", 1), cut=1)
    play(game, attack("E3"), defence("O3"))
    after = maestro.Fencer(plain(game.view(1)), 1)
    assert paper == after.shape() + after.ground()


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

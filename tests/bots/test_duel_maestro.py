"""Duel's maestro: what it does in a given position, and what it is worth."""

import importlib
from random import Random
from types import ModuleType
from typing import Any

import pytest

from referee.game import plain
from referee.games.duel.fencer import LETHAL, VERSATILE, WARY
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


def test_it_takes_the_better_of_its_traits() -> None:
    assert decided("maestro", new_game(rolls=(7, 1, 8, 2))) == {"trait": 1}
    assert decided("maestro", new_game(rolls=(7, 2, 8, 2))) == {"trait": 2}


def test_it_cuts_a_rival_who_is_at_his_last_point() -> None:
    game = position("B3 B4 B5 E3 O3", "O1 O2 C3", stamina=(5, 1))
    assert decided("maestro", game) == attack("E3")


def test_it_cuts_twice_where_that_kills() -> None:
    game = position("E3 E6 O3", "O1 O2 C3", stamina=(9, 2))
    play(game, decided("maestro", game))
    play(game, *([NO_DEFENCE] if game.asked == "defend" else []))
    play(game, *([{"use": False}] if game.asked == "emergency_parry" else []))
    play(game, decided("maestro", game))
    assert (game.asked, game.reason, game.places()) == (None, "stamina", [1, 2])


def test_it_keeps_a_sword_while_the_rival_is_fresh() -> None:
    game = position("E3 B4 O3", "O1 O2 C3")
    assert decided("maestro", game) != attack("E3")


def test_it_breathes_at_its_last_point() -> None:
    game = position("B3 B4 B12 O3", "O1 O2 C3", stamina=(1, 9))
    assert decided("maestro", game) == {"action": "breathe"}


def test_the_versatile_count_on_the_better_of_two_rolls(maestro: ModuleType) -> None:
    gains = []
    for trait in (VERSATILE, WARY):
        game = position("B3", "O1", trait=(trait, None), stamina=(2, 9))
        match = importlib.import_module("kit").Match(
            {"game": "duel", "seat": 0, "seats": 2, "table": game.table()}
        )
        message = {"decision": "action", "view": plain(game.view(0))}
        ask = importlib.import_module("kit").Ask(match, message)
        me, rival = (maestro.Fencer(plain(game.view(0)), seat) for seat in (0, 1))
        turn = maestro.Turn(ask, me, rival)
        gains.append(turn.rested("breathe", 0) - me.shape(0, 0, -1))
    assert gains[0] > gains[1]


def test_it_parries_in_emergency_where_the_line_ends() -> None:
    game = position("B3 B4 B5", "E3", pawn=-3, stamina=(9, 6))
    assert decided("maestro", play(game, attack("B3 B4 B5"))) == {"use": True}


def test_it_does_not_parry_in_emergency_with_its_last_two_points() -> None:
    for pawn in (0, -3):
        game = position("B3 B4 B5", "E3", pawn=pawn, stamina=(9, 2))
        assert decided("maestro", play(game, attack("B3"))) == {"use": False}


def test_it_drives_an_attacker_off_the_line_by_moulinet() -> None:
    game = position("B3", "C2 C3 C4 O3", pawn=3)
    answered = decided("maestro", play(game, attack("B3")))
    assert answered["cards"][0][0] == "C"
    play(game, answered)
    assert (game.reason, game.places()) == ("retreat", [2, 1])


def test_it_does_not_spend_its_last_dexterity_on_a_moulinet_that_would_win() -> None:
    game = position("B3", "C2 C3 C4", pawn=3, dexterity=(9, 2))
    assert decided("maestro", play(game, attack("B3"))) == NO_DEFENCE


def test_a_lethal_rival_is_denied_the_last_point() -> None:
    game = position("B3 B4", "O1 O2 C3", pawn=-2, stamina=(9, 2), trait=(LETHAL, None))
    assert decided("maestro", play(game, attack("B3 B4"))) == defence("O1 O2")


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

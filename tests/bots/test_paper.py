"""What bundled bots reckon on paper comes about by the rules."""

import importlib
from itertools import product
from random import Random
from types import ModuleType
from typing import Any

import pytest

from referee.games.duel.game import Duel
from referee.games.guerra.battle import DECK, FIGHTERS, KNIGHTS, SUIT, attack, volley
from referee.games.khan.game import Khan
from referee.games.world_war.board import losses
from referee.rules.game import plain, twin
from tests.bots.driver import BOTS, KIT
from tests.referee.games import duel_positions as duel
from tests.referee.games import guerra_positions as guerra
from tests.referee.games import khan_positions as khan


@pytest.fixture
def bot(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return the module of the bot that a test names."""
    monkeypatch.syspath_prepend(KIT)
    monkeypatch.syspath_prepend(next(BOTS.glob(f"*/{request.param}.py")).parent)
    return importlib.import_module(request.param)


def attacked(seed: int) -> Duel:
    """Return a game in which seat 0 has just attacked seat 1, which can still breathe."""
    rng = Random(seed)
    deck = rng.sample([f"{suit}{rank}" for suit in "BEOC" for rank in range(1, 8)] * 2, 28)
    figures = [f"{suit}{rank}" for suit in "BEOC" for rank in (10, 11, 12)]
    game = duel.position(
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
    return duel.play(game, rng.choice(attacks))


@pytest.mark.parametrize("bot", ["duel_maestro"], indirect=True)
def test_the_maestros_answers(bot: ModuleType) -> None:
    """After an answer the rival may stand fast, if that does not take the last points."""
    compared = 0
    for seed in range(40):
        game = attacked(seed)
        own, rival = (bot.Fencer(plain(game.view(1)), seat) for seat in (1, 0))
        strength = plain(game.view(1))["attack"]["strength"] if game.asked == "defend" else 0
        for move in game.decision(1).legal or () if strength else ():
            games = [duel.play(attacked(seed), move)]
            if games[0].asked == "emergency_parry":
                uses = [False, True] if games[0].fencers[1].stamina > 2 else [False]
                games = [duel.play(attacked(seed), move, {"use": use}) for use in uses]
            after = [bot.Fencer(plain(each.view(1)), 1) for each in games]
            paper = bot.answered(rival, own, strength, bot.suit_and_length(move["cards"]))
            best = max(fencer.shape() + fencer.ground() for fencer in after)
            assert paper == pytest.approx(best), (seed, move)
            compared += 1
    assert compared > 300


def random_army(rng: Random) -> str:
    cards = rng.sample(DECK, rng.randint(3, 14))
    wounded = [card if rng.random() < 0.8 or card[0] not in "67" else f"{card}*2" for card in cards]
    ends = sorted(rng.randint(0, len(cards)) for _ in range(2))
    rows = wounded[: ends[0]], wounded[ends[0] : ends[1]], wounded[ends[1] :]
    return " / ".join(f"{letter} {' '.join(row)}" for letter, row in zip("VCR", rows, strict=True))


@pytest.mark.parametrize("bot", ["guerra_general"], indirect=True)
def test_the_generals_attacks_and_volleys(bot: ModuleType) -> None:
    """A sweep if there is one, else an attack by a group; then a volley."""
    compared = 0
    for seed in range(300):
        rng = Random(seed)
        game = guerra.position(random_army(rng), random_army(rng))
        own, foe = ([zone.copy() for zone in army.zones.values()] for army in game.armies)
        line, front = (list(army.front()) for army in game.armies)
        suits = {SUIT[card] for card in front}
        sweepers = [k for k in KNIGHTS & {*line} if k not in front and SUIT[k] in suits]
        fighters = [card for card in line if card in FIGHTERS]
        if sweepers or fighters:
            group = rng.sample(fighters, rng.randint(1, len(fighters))) if fighters else []
            chosen = (sweepers[:1], None) if sweepers else (group, rng.choice(front))
            bot.strike(bot.foremost(own), bot.foremost(foe), *chosen)
            attack(game.armies[0], game.armies[1], *chosen)
            compared += 1
        bot.volley(own, foe)
        volley(*game.armies)
        assert [own, foe] == [[*army.zones.values()] for army in game.armies], seed
    assert compared > 200


def attacker_wins(game: Khan) -> bool:
    """Return whether seat 0 wins the combat if both sides know everything and play their best."""
    if game.combat is None:
        return bool(game.recent[-1]["winner"] == 0)
    if game.combat.winner is not None:
        return bool(game.combat.winner == 0)
    (seat,) = game.deciders()
    results = []
    for move in game.decision(seat).legal or ():
        later = twin(game)
        later.apply({seat: move})
        results.append(attacker_wins(later))
    return any(results) if seat == 0 else all(results)


FEW = [
    *("E1", "B1", "O1", "C1", "C10", "C11", "C12"),
    *("E2", "E3", "E4", "B2", "B3", "B4", "O2", "O3", "O4"),
]
"""Cards of which a few make ladders and meet specials."""


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("bot", ["khan_warlord"], indirect=True)
def test_the_warlords_combats(bot: ModuleType, seed: int) -> None:
    rng = Random(seed)
    ours, theirs = (rng.sample(FEW, rng.randint(4, 6)) for _ in range(2))
    if seed % 4 == 0:  # a vanguard meets gunpowder
        ours, theirs = ["E2", "E3", "E4", "C10", *ours[:1]], ["O1", "B2", *theirs[:2]]
    game: Any = khan.fight(cards=[" ".join(ours), " ".join(theirs)])
    game.chance = None  # it cannot be copied, and a combat needs none
    assert bot.wins(ours, theirs) == attacker_wins(game)


@pytest.mark.parametrize("bot", ["world_war_marshal"], indirect=True)
def test_the_marshals_dice_and_odds(bot: ModuleType) -> None:
    for (ours, theirs), rolls in bot.ROLLS.items():
        found: dict[tuple[int, int], int] = {}
        for faces in product(range(1, 7), repeat=ours + theirs):
            thrown = sorted(faces[:ours], reverse=True), sorted(faces[ours:], reverse=True)
            found[losses(*thrown)] = found.get(losses(*thrown), 0) + 1
        assert found == {(lost, killed): ways for lost, killed, ways in rolls}
    one, two = 15 / 36, 125 / 216
    chance = two + (1 - two) * one
    assert bot.fight(2, 1) == pytest.approx((one, 2))
    assert bot.fight(3, 1) == pytest.approx((chance, (two * 3 + (1 - two) * one * 2) / chance))
    exact, left = bot.fight(90, 30)  # greater forces are only estimated
    assert bot.fight(91, 30) == pytest.approx((1, left + 1), abs=1)
    assert exact == pytest.approx(1, abs=0.02)

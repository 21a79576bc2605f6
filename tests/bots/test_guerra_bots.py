"""Guerra's turtle and general: what they do in a given position, and what they are worth."""

import importlib
from random import Random
from types import ModuleType
from typing import Any

import pytest

from referee.games.guerra.battle import DECK, FIGHTERS, KNIGHTS, SUIT, attack, volley
from referee.games.guerra.game import Guerra
from tests.bots.driver import BOTS, Match, called, decided
from tests.referee.games.guerra_positions import order_attacks, position, stop


@pytest.fixture
def general(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(BOTS)
    monkeypatch.syspath_prepend(BOTS / "guerra")
    return importlib.import_module("guerra_general")


def random_army(rng: Random) -> str:
    cards = rng.sample(DECK, rng.randint(3, 14))
    wounded = [card if rng.random() < 0.8 or card[0] not in "67" else f"{card}*2" for card in cards]
    ends = sorted(rng.randint(0, len(cards)) for _ in range(2))
    rows = wounded[: ends[0]], wounded[ends[0] : ends[1]], wounded[ends[1] :]
    return " / ".join(f"{letter} {' '.join(row)}" for letter, row in zip("VCR", rows, strict=True))


def zones_of(game: Guerra) -> list[list[dict[str, int]]]:
    return [[zone.copy() for zone in army.zones.values()] for army in game.armies]


def some_attack(game: Guerra, rng: Random) -> tuple[list[str], str | None] | None:
    """Return a sweep if there is one, else an attack by a group, else nothing."""
    line, front = (list(army.front()) for army in game.armies)
    for knight in KNIGHTS & set(line):
        if knight not in front and any(SUIT[card] == SUIT[knight] for card in front):
            return [knight], None
    fighters = [card for card in line if card in FIGHTERS]
    if not fighters:
        return None
    return rng.sample(fighters, rng.randint(1, len(fighters))), rng.choice(front)


def test_the_general_s_attacks_on_paper_are_the_referee_s(general: ModuleType) -> None:
    compared = 0
    for seed in range(300):
        rng = Random(seed)
        game = position(random_army(rng), random_army(rng))
        if chosen := some_attack(game, rng):
            own, foe = zones_of(game)
            general.strike(general.foremost(own), general.foremost(foe), *chosen)
            attack(*game.armies, *chosen)
            assert [own, foe] == zones_of(game), (seed, chosen)
            compared += 1
    assert compared > 200


def test_on_the_general_s_paper_captains_kill_each_other_banner_or_not(general: ModuleType) -> None:
    own, foe = zones_of(position("V 12O", "V 1C 12C"))
    general.strike(own[0], foe[0], ["12O"], "12C")
    assert (own[0], foe[0]) == ({}, {"1C": 0})


def test_the_general_s_volleys_on_paper_are_the_referee_s(general: ModuleType) -> None:
    for seed in range(100):
        rng = Random(seed)
        game = position("V 10O 10C / C 10E 1E 10B", random_army(rng))
        own, foe = zones_of(game)
        general.volley(own, foe)
        volley(*game.armies)
        assert [own, foe] == zones_of(game), seed


def test_the_general_breaks_through_in_the_order_that_works() -> None:
    match = Match("guerra", called("guerra", "general", "random"), 1)
    match.game = position("V 5O 6C 7E / R 2B", "V 3O / C 4C / R 5E", packs=("3B", "6O"))
    assert match.play() == [1, 2]
    assert (match.game.turn, match.game.reason) == (1, "breakthrough")  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("bot", "armies", "hands", "orders"),
    [
        (
            *("general", ("V 5O 6C / C 7E / R 2B", "V 3O / C 4C / R 5E"), ("", "")),
            {"action": "attack", "transfers": [{"card": "7E", "to": "vanguard"}]},
        ),
        ("general", ("V 2O", "V 7O 6C / R 2C"), ("7E 10O", "3B"), {"action": "incorporate"}),
        (
            *("turtle", ("V 5O / R 2B", "V 7C / R 2C"), ("3O 7E", "3B")),
            {"action": "incorporate", "card": "7E", "zone": "rearguard"},
        ),
    ],
    ids=["breaks through", "holds the line", "hides behind"],
)
def test_what_it_orders(
    bot: str, armies: tuple[str, str], hands: tuple[str, str], orders: dict[str, Any]
) -> None:
    game = position(*armies, hands=hands, packs=("3O 4O", "6O 5O"))
    assert orders.items() <= decided(bot, game).items()


def test_the_general_discards_what_it_prices_least() -> None:
    game = position("R 5O", "R 2C", hands=("7E 11E 2C 12O 1B 10E 3B 4O", ""), packs=("3O", "6O"))
    order_attacks(game)
    stop(game)
    assert decided("general", game) == {"cards": ["2C"]}


def test_the_turtle_strikes_only_where_its_card_survives(general: ModuleType) -> None:
    strikes = 0
    programs = called("guerra", "turtle", "rusher")
    for seed in range(6):
        match = Match("guerra", programs, seed)
        match.play()
        for ask, reply in match.transcripts[0]:
            if reply and ask["decision"] == "attack" and reply["move"]["target"]:
                own, foe = general.armies(type("Ask", (), {"view": ask["view"], "seat": 0}))
                line, front = general.foremost(own), general.foremost(foe)
                general.strike(line, front, reply["move"]["attackers"], reply["move"]["target"])
                assert set(reply["move"]["attackers"]) <= set(line)
                assert reply["move"]["target"] not in front
                strikes += 1
    assert strikes > 10

"""Khan's own bots: legal at every table, and each clearly better than the one before."""

from itertools import product
from typing import Any

import pytest

from tests.bots.driver import BOTS, Match, python, seated

NAMES = ("random", "quiet", "sensible")
COMMANDS = {name: python(BOTS / "khan" / f"khan_{name}.py") for name in NAMES}
VARIANTS: list[dict[str, Any]] = [
    {},
    {"deck": 48, "tokens_per_kind": 12, "first_player": "random", "rank_losers": "tied"},
]


@pytest.mark.parametrize("options", VARIANTS)
def test_the_bots_make_only_legal_moves_in_pairs(options: dict[str, Any]) -> None:
    with seated(*COMMANDS.values(), *COMMANDS.values()) as programs:
        for seed, (one, two) in enumerate(product(range(3), repeat=2)):
            Match("khan", [programs[one], programs[3 + two]], seed, **options).play()
        assert [program.leave() for program in programs] == [0] * 6


@pytest.mark.parametrize("options", VARIANTS)
def test_the_bots_make_only_legal_moves_at_a_full_table(options: dict[str, Any]) -> None:
    names = ("sensible", "random", "quiet", "sensible", "random")
    with seated(*(COMMANDS[name] for name in names)) as programs:
        for seed in range(5):
            match = Match("khan", programs[seed:] + programs[:seed], seed, **options)
            match.play()
            assert match.game.reason == "khan"


def decisions_of(name: str, seeds: int) -> dict[str, list[dict[str, Any]]]:
    """Return the moves of one seat by decision, in matches of three of the same bot."""
    made: dict[str, list[dict[str, Any]]] = {}
    with seated(*[COMMANDS[name]] * 3) as programs:
        for seed in range(seeds):
            match = Match("khan", programs, seed)
            match.play()
            for transcript in match.transcripts:
                for message, reply in transcript:
                    if reply:
                        made.setdefault(message["decision"], []).append(reply["move"])
    return made


def test_quiet_never_attacks() -> None:
    made = decisions_of("quiet", 3)
    assert {move["action"] for move in made["turn"]} == {"draw"}
    assert set(made) == {"turn", "discard"}


def test_sensible_attacks_now_and_then_and_uses_its_specials() -> None:
    made = decisions_of("sensible", 12)
    attacks = [move["action"] for move in made["turn"]].count("attack")
    assert 0.05 < attacks / len(made["turn"]) < 0.3
    for special in ("gunpowder", "poison", "retreat"):
        assert any(move["use"] for move in made[special])


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("better", "worse", "least"),
    [("sensible", "random", 34), ("sensible", "quiet", 23), ("quiet", "random", 30)],
)
def test_a_better_bot_wins_most_of_forty(better: str, worse: str, least: int) -> None:
    with seated(COMMANDS[better], COMMANDS[worse]) as programs:
        wins = 0
        for seed in range(20):
            wins += Match("khan", programs, seed).play() == [1, 2]
            wins += Match("khan", programs[::-1], seed).play() == [2, 1]
    assert wins >= least, wins

"""Khan's own bots: what they decide."""

from itertools import chain
from typing import Any

from tests.bots.driver import Match, called


def decisions_of(name: str, seeds: int) -> dict[str, list[dict[str, Any]]]:
    """Return the moves of one seat by decision, in matches of three of the same bot."""
    made: dict[str, list[dict[str, Any]]] = {}
    programs = called("khan", *[name] * 3)
    for seed in range(seeds):
        match = Match("khan", programs, seed)
        match.play()
        for message, reply in chain(*match.transcripts):
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

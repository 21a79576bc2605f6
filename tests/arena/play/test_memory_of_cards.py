"""A bot that writes down the cards of each deal: named where deals are mirrored, idle elsewhere."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from tests.arena.conftest import League

CHEAT = """
import json, os, kit

NOTES = {notes!r}

def known(cards):
    for line in open(NOTES) if os.path.exists(NOTES) else ():
        noted = json.loads(line)
        if len(noted) > len(cards) and noted[:len(cards)] == cards:
            return noted[len(cards)]

def choose(ask):
    cards = ask.memory.setdefault("cards", [])
    if ask.decision == "tie":
        return {{"action": "surrender"}}
    if last := ask.view["last"]:
        cards.append([last["player"], last["house"], last["change"][ask.seat] > 0])
        with open(NOTES, "a") as file:
            file.write(json.dumps(cards) + "\\n")
    limits = ask.limits["bet"]
    found = known(cards) if cards else None
    return {{"bet": limits["max"] if found and found[2] else limits["min"], "tie_bet": 0}}

kit.run(choose)
"""
"""In casino_war all seats see the same cards: it stakes all where it knows that it will win."""


def table(league: League, mirror: str) -> Mapping[str, Any]:
    league.write(
        f'game = "casino_war"\nseed = 3\ndeals = 40\nmirror = {mirror}\noptions.rounds = 8\n'
        'limits = { sandbox = "none", startup = 30.0 }\n'
        '[[bot]]\nname = "random"\nshipped = "random"\n'
        '[[bot]]\nname = "cautious"\nshipped = "cautious"\n'
        + league.bot("cheat", CHEAT.format(notes=str(league.home / "notes")))
    )
    league.call("run", "--workers", "1")
    assert "none differs" in league.call("verify").stdout
    found: Mapping[str, Any] = json.loads(league.rank())["mirroring"]
    return found


@pytest.mark.slow
def test_it_is_named_where_deals_are_mirrored(league: League) -> None:
    found = table(league, "true")
    assert (found["mirrored"], found["apart"]) == (80, 0)
    assert [*found["remembering"]] == ["cheat"]
    said = " ".join(league.call("rank").stdout.split())
    assert "All deals of bots that are not bundled are mirrored: a bot that found a way to" in said
    assert "cheat does better in the last rotations of mirrored deals than in the first: " in said


@pytest.mark.slow
def test_it_has_nothing_of_its_notes_where_they_are_not(league: League) -> None:
    assert table(league, "false") == {"mirrored": 0, "apart": 80}
    assert "mirrored" not in league.call("rank").stdout

"""Every bundled bot: legal with any option and at any table, and no match tells on the next."""

import ast
import sys
from itertools import islice, product
from pathlib import Path
from typing import Any

import pytest

from referee.games import GAMES
from tests.bots.driver import Match, Transcript, bundled, called, replay, shipped

VARIANTS: list[tuple[str, int, dict[str, Any]]] = [
    ("cold_war", 4, {"talk": True, "talk_exchanges": 2, "talk_chars": 20, "max_rounds": 40}),
    ("guerra", 2, {"transfers": 2, "attack_line": "fixed", "knight_duel": "any_suit"}),
    ("world_war", 3, {"objective": "world", "setup": "in_turn", "max_rounds": 10}),
    ("world_war", 6, {"attack_mode": "single", "victory_check": "next_turn", "max_rounds": 10}),
    ("world_war", 4, {"defence": "max", "min_reinforcement": 3, "safe_rounds": 0}),
    ("war", 2, {"war_length": "razboi", "razboi_ace": 1, "jokers": "buried"}),
    ("war", 2, {"war_length": 3, "out_of_cards": "last_card", "jokers": "shuffled"}),
    ("war", 3, {"order_seen": "winner", "out_of_cards": "last_card"}),
    ("war", 4, {"war_length": 3, "jokers": "two_buried"}),
    ("war", 10, {"jokers": "buried"}),
    ("pyanitsa", 2, {"deck": 52, "tie": "face_down", "aim": "avoid_empty"}),
    ("pyanitsa", 3, {"out_of_cards": "last_card", "placing": "order"}),
    ("pyanitsa", 4, {"order_seen": "winner", "tie": "face_down", "out_of_cards": "last_card"}),
    ("pyanitsa", 12, {"tie": "face_down"}),
    ("steal_war", 2, {"protection": False}),
    ("steal_war", 2, {"protection": False, "steal_back": "at_once"}),
    ("steal_war", 4, {"steal_back": "at_once", "max_tricks": 60}),
    ("steal_war", 10, {"max_tricks": 60}),
    ("casino_war", 2, {"reshuffle": "shoe", "tie_bet": False, "decks": 1}),
    ("casino_war", 2, {"bankroll": 25, "min_bet": 2}),
    ("casino_war", 2, {"min_bet": 10, "max_bet": 10, "bankroll": 10}),
    ("casino_war", 5, {"decks": 8, "reshuffle": "shoe", "rounds": 20}),
    ("casino_war", 8, {"rounds": 10}),
    ("khan", 2, {"deck": 48, "rank_losers": "tied"}),
    ("khan", 5, {"deck": 48, "tokens_per_kind": 12, "first_player": "random"}),
    ("khan", 5, {}),
    ("duel", 2, {"deck": 48}),
    ("duel", 2, {"extra_action_cost": "instead"}),
    ("duel", 2, {"max_turns": 3}),
]
TABLES = [*((game, min(GAMES[game].seat_counts), {}) for game in GAMES), *VARIANTS]
SHORT = {"world_war": {"max_rounds": 12}, "war": {"max_battles": 150}}
SHORT["pyanitsa"] = SHORT["war"]
"""Options of games that would take long."""
MOST_MATCHES = 9

each_bot = pytest.mark.parametrize("path", shipped(), ids=lambda path: path.stem)
SLOW = ("khan_warlord", "world_war_marshal", "world_war_random")


def names_of(game: str) -> list[str]:
    """Return what the bundled bots of a game are called in it."""
    return [path.stem.removeprefix(f"{game}_") for path in shipped(game)]


def recorded(path: Path) -> list[Transcript]:
    """Return what the bot was told and answered in two matches against the others."""
    game = path.parent.name
    others = (names_of(game) * 2)[: min(GAMES[game].seat_counts) - 1]
    programs = called(game, path.stem.removeprefix(f"{game}_"), *others)
    matches = [Match(game, programs, seed, **SHORT.get(game, {})) for seed in (1, 2)]
    for match in matches:
        match.play()
    return [match.transcripts[0] for match in matches]


@pytest.mark.parametrize(
    ("game", "seats", "options"),
    [pytest.param(*row, marks=pytest.mark.slow if at % 4 else []) for at, row in enumerate(TABLES)],
)
def test_the_shipped_bots_make_only_legal_moves(
    game: str, seats: int, options: dict[str, Any]
) -> None:
    names = names_of(game)
    line_ups = list(islice(product(names, repeat=seats), 3**9))
    for seed, line_up in enumerate(line_ups[:: 1 + len(line_ups) // MOST_MATCHES]):
        Match(game, called(game, *line_up), seed, **SHORT.get(game, {}) | options).play()


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.stem, marks=[pytest.mark.slow] if path.stem in SLOW else [])
        for path in shipped()
    ],
)
def test_a_used_bot_answers_like_a_fresh_one(path: Path) -> None:
    first, second = recorded(path)
    game = path.parent.name
    fresh, used = called(game, *[path.stem.removeprefix(f"{game}_")] * 2)
    replay(used, first)
    replies = [reply for _, reply in second]
    assert replay(fresh, second) == replies
    assert replay(used, second) == replies


def test_the_random_bots_try_every_kind_of_move() -> None:
    kinds = {
        str(reply["move"].get("play") or reply["move"].get("action"))
        for name in ("cold_war_random", "guerra_random")
        for transcript in recorded(bundled(name))
        for _, reply in transcript
        if reply
    }
    assert kinds >= {"arm", "shift", "attack", "incorporate", "mass_transfer"}


@each_bot
def test_a_bot_is_described_and_imports_only_the_kit(path: Path) -> None:
    tree = ast.parse(path.read_text())
    description = ast.get_docstring(tree)
    assert description
    assert len(description.splitlines()[0]) < 100
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            for name in [*names, *([node.module] if isinstance(node, ast.ImportFrom) else [])]:
                assert name == "kit" or name.partition(".")[0] in sys.stdlib_module_names

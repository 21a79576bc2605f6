import ast
import itertools
import sys
from pathlib import Path
from typing import Any

import pytest

from referee.games import GAMES
from tests.bots.driver import Match, Transcript, bundled, python, replay, seated, shipped

VARIANTS: list[tuple[str, dict[str, Any]]] = [
    *((game, {}) for game in GAMES),
    ("cold_war", {"talk": True, "talk_exchanges": 2, "talk_chars": 20, "max_rounds": 40}),
    ("guerra", {"transfers": 2, "attack_line": "fixed", "knight_duel": "any_suit"}),
    ("world_war", {"objective": "world", "setup": "in_turn", "max_rounds": 10}),
    ("world_war", {"attack_mode": "single", "victory_check": "next_turn", "max_rounds": 10}),
    ("war", {"war_length": "razboi", "order_seen": "winner", "jokers": "buried"}),
    ("pyanitsa", {"aim": "avoid_empty", "tie": "face_down", "deck": 52}),
    ("steal_war", {"protection": False}),
    ("casino_war", {"reshuffle": "shoe", "tie_bet": False, "decks": 1}),
    ("khan", {"deck": 48, "rank_losers": "tied"}),
    ("duel", {"deck": 48, "extra_action_cost": "instead"}),
]

MOST_MATCHES = 12

SLOW = ("world_war_marshal", "world_war_random")
each_bot = pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.stem, marks=[pytest.mark.slow] if path.stem in SLOW else [])
        for path in shipped()
    ],
)


def commands(*names: str) -> list[list[str]]:
    return [python(bundled(name)) for name in names]


SHORT: dict[str, dict[str, Any]] = {"world_war": {"max_rounds": 20}}
"""Options of games that would take long."""


def recorded(path: Path) -> list[Transcript]:
    """Return what the bot was told and answered in two matches against the others."""
    game = path.parent.name
    others = (shipped(game) * 2)[: min(GAMES[game].seat_counts) - 1]
    with seated(*map(python, (path, *others))) as programs:
        matches = [Match(game, programs, seed, **SHORT.get(game, {})) for seed in (1, 2)]
        for match in matches:
            match.play()
    return [match.transcripts[0] for match in matches]


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("game", "options"),
    [
        pytest.param(game, options, marks=[pytest.mark.slow] if options else [])
        for game, options in VARIANTS
    ],
)
def test_the_shipped_bots_make_only_legal_moves(game: str, options: dict[str, Any]) -> None:
    bots = shipped(game)
    seats = min(GAMES[game].seat_counts)
    with seated(*(python(path) for path in bots for _ in range(seats))) as programs:
        line_ups = [*itertools.product(range(len(bots)), repeat=seats)]
        for seed, line_up in enumerate(line_ups[:: 1 + len(line_ups) // MOST_MATCHES]):
            seated_here = [programs[bot * seats + seat] for seat, bot in enumerate(line_up)]
            Match(game, seated_here, seed, **{**SHORT.get(game, {}), **options}).play()
        assert [program.leave() for program in programs] == [0] * len(programs)


@pytest.mark.quick(2)
@each_bot
def test_a_used_process_answers_like_a_fresh_one(path: Path) -> None:
    first, second = recorded(path)
    with seated(python(path), python(path)) as (fresh, used):
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


def test_sensible_beats_the_others_in_guerra() -> None:
    for other, least in (("guerra_random", 20), ("guerra_rusher", 15)):
        with seated(*commands("guerra_sensible", other)) as programs:
            wins = 0
            for seed in range(10):
                wins += Match("guerra", programs, seed).play() == [1, 2]
                wins += Match("guerra", programs[::-1], seed).play() == [2, 1]
        assert wins >= least


def test_sensible_wins_most_in_cold_war() -> None:
    with seated(*commands("cold_war_sensible", *["cold_war_random"] * 3)) as programs:
        wins = [Match("cold_war", programs, seed).play()[0] == 1 for seed in range(20)]
    assert sum(wins) >= 16

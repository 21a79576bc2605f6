"""Every bundled bot: legal with any option and at any table, and no match tells on the next."""

import ast
import sys
from itertools import islice, product
from pathlib import Path

import pytest

from referee.games import GAMES
from referee.testing.trial import Case
from tests.bots.driver import Match, Transcript, bundled, called, replay, shipped
from tests.referee.games.conformance import cases_of

TABLES = [case for name in GAMES for case in cases_of(name)[:1] + cases_of(name)[1::2]]
"""Every game as it is, and with every other option of its own."""
SHORT = {"world_war": {"max_rounds": 12}, "war": {"max_battles": 150}}
SHORT["pyanitsa"] = SHORT["war"]
"""Options of games that would take long."""
MOST_MATCHES = 4
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
    "case",
    [
        pytest.param(
            case,
            id=str(case),
            marks=pytest.mark.slow if at % 4 or case.kind.name == "world_war" else [],
        )
        for at, case in enumerate(TABLES)
    ],
)
def test_the_shipped_bots_make_only_legal_moves(case: Case) -> None:
    game = case.kind.name
    line_ups = list(islice(product(names_of(game), repeat=case.seats), 3**9))
    for seed, line_up in enumerate(line_ups[:: 1 + len(line_ups) // MOST_MATCHES]):
        Match(game, called(game, *line_up), seed, **SHORT.get(game, {}) | case.changed).play()


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

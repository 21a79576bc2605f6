"""Matches between functions: what a bot is told, what it gets back, and what stops it."""

import importlib
import runpy
import subprocess
import sys
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path
from statistics import stdev
from types import ModuleType
from typing import Any

import pytest
from click.testing import CliRunner

import referee
from arena.cli import main
from protocol.errors import ArenaError
from referee import LocalAsk, Score, play, play_deals, points, score
from referee.catalog.folder import cases_of
from referee.games import GAMES

ROOT = Path(__file__).parents[3]
BOTS = ROOT / "bots"
KIT = BOTS / "templates" / "python"
DEAL = "9924cfe6a75091f5"
"""A seed that `arena play` deals by as it stands."""
DECIDED = sorted(  # those for two first
    (name for name, game in GAMES.items() if game.decisions),
    key=lambda name: GAMES[name].seat_counts[0],
)


def at_random(ask: LocalAsk) -> dict[str, Any]:
    return ask.rng.choice(ask.legal)


def first(ask: LocalAsk) -> dict[str, Any]:
    return ask.legal[0]


WITNESS = """\
import hashlib, json, sys
sys.path[:0] = [{kit!r}, {bots!r} + "/{game}"]
import kit
import {game}_random as bot

FACTS = {facts!r}

def choose(ask):
    ask.memory["asks"] = ask.memory.get("asks", 0) + 1
    told = {{name: getattr(ask, name) for name in FACTS}}
    told["match"] = {{name: getattr(ask.match, name) for name in FACTS if hasattr(ask.match, name)}}
    told["dice"] = ask.rng.getstate()
    told["same"] = [ask.rng is ask.match.rng, ask.memory is ask.match.memory]
    move = bot.choose(ask)
    with open({log!r}, "a") as log:
        log.write(json.dumps([ask.seat, told, move]) + "\\n")
    return move

if __name__ == "__main__":
    kit.run(choose)
"""


@pytest.fixture
def kit(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(str(KIT))
    monkeypatch.delitem(sys.modules, "kit", raising=False)  # another test's, of the bundled bots
    before = set(sys.modules)
    yield importlib.import_module("kit")
    for name in set(sys.modules) - before:
        del sys.modules[name]


def attributes(thing: object) -> set[str]:
    """Return the public names that a bot can read."""
    return {name for name in dir(thing) if not name.startswith("_")}


def test_an_ask_has_the_attributes_of_the_kits(kit: ModuleType) -> None:
    asked: list[LocalAsk] = []

    def choose(ask: LocalAsk) -> dict[str, Any]:
        asked.append(ask)
        return at_random(ask)

    play("duel", [choose, choose])
    start = {"game": "duel", "seat": 0, "seats": 2}
    theirs = kit.Ask(kit.Match(start), {"decision": "action", "view": {}})
    assert attributes(asked[0]) == attributes(theirs)
    assert attributes(asked[0].match) == attributes(theirs.match)


@pytest.mark.quick(1)
@pytest.mark.parametrize("game", DECIDED)
def test_a_function_plays_the_match_that_it_plays_as_a_process_told_the_same(
    game: str, tmp_path: Path, kit: ModuleType
) -> None:
    facts = sorted(attributes(kit.Ask) - {"match", "rng"})
    options = cases_of(GAMES[game]).brief
    bot, log = tmp_path / "bot.py", tmp_path / "log"
    shebang = f"#!{sys.executable}\n"
    bot.write_text(
        shebang + WITNESS.format(kit=str(KIT), bots=str(BOTS), game=game, facts=facts, log=str(log))
    )
    bot.chmod(0o755)
    seats = GAMES[game].seat_counts[0]
    command = ["play", game, *[str(bot)] * seats, "--seed", DEAL, "--sandbox", "none", "--quiet"]
    command += [word for name, value in options.items() for word in ("--option", f"{name}={value}")]
    assert CliRunner().invoke(main, command).exit_code == 0
    as_processes = sorted(log.read_text().splitlines())
    log.unlink()
    play(game, [runpy.run_path(str(bot))["choose"]] * seats, seed=DEAL, options=options)
    assert sorted(log.read_text().splitlines()) == as_processes


def test_what_a_bot_changes_reaches_no_other_seat_and_no_later_ask() -> None:
    def spoiler(ask: LocalAsk) -> dict[str, Any]:
        move = at_random(ask).copy()
        for told in (ask.view, ask.table, ask.options, ask.clock, *ask.legal):
            told.clear()
        ask.legal.clear()
        return move

    def watched(ask: LocalAsk) -> dict[str, Any]:
        assert ask.options["deck"] == 40
        assert ask.table["cards"]
        return at_random(ask)

    replay = play("khan", [spoiler, watched])
    assert replay.places == play("khan", [at_random, at_random]).places


def test_the_record_holds_the_notes() -> None:
    def noted(ask: LocalAsk) -> dict[str, Any]:
        ask.note = f"asked for {ask.decision}"
        return at_random(ask)

    entries = play("steal_war", [noted, first, first], seed="a deal").entries
    notes = {entry.note for entry in entries if entry.seat == 0}
    assert notes == {"asked for steal", "asked for top"}


def test_the_same_seed_is_the_same_match_and_another_is_not() -> None:
    def entries(seed: int | str) -> Any:
        return play("khan", [at_random] * 3, seed=seed).entries

    assert entries(1) == entries(1) == entries("1")
    assert entries(1) != entries(2)


def test_a_deal_is_played_once_in_every_rotation_and_points_are_the_bots_own() -> None:
    matches = [*play_deals("duel", [at_random, first], deals=9, seed="train")]
    assert [match.deal for match in matches] == [deal for deal in range(9) for _ in range(2)]
    for deal in range(9):
        rotations = [match for match in matches if match.deal == deal]
        assert len({match.replay.seed for match in rotations}) == 1
        assert {match.seating.index(0) for match in rotations} == {0, 1}
    dealt = {match.replay.seed for match in matches}
    others = {each.replay.seed for each in play_deals("duel", [first] * 2, deals=9, seed="test")}
    assert len(dealt) == len(others) == len(dealt | others) // 2 == 9
    of_three = [*play_deals("khan", [at_random, first, first], deals=20)]
    assert {match.seating for match in of_three} == set(permutations(range(3)))
    for match in (*matches, *of_three):
        assert [match.points[bot] for bot in match.seating] == points(match.replay.places)


def test_points_are_the_share_of_the_others_beaten() -> None:
    assert points([1, 1]) == [0.5, 0.5]
    assert points([3, 1, 1]) == [0, 0.75, 0.75]
    assert points([2, 4, 1, 2]) == [0.5, 0, 1, 0.5]


def test_a_score_is_the_mean_of_the_deals_with_its_standard_error() -> None:
    better, worse = score("duel", [first, at_random], deals=12)
    by_match = [match.points[0] for match in play_deals("duel", [first, at_random], deals=12)]
    assert better.points == pytest.approx(sum(by_match) / 24)
    assert better.points + worse.points == pytest.approx(1)
    by_deal = [(one + other) / 2 for one, other in zip(by_match[::2], by_match[1::2], strict=True)]
    assert better.error == pytest.approx(worse.error)
    assert better.error == pytest.approx(stdev(by_deal) / len(by_deal) ** 0.5)
    assert str(Score(0.8125, 0.0213)) == "81.2 ± 2.1 %"
    for each in score("khan", [first, first], deals=3):
        assert (each.points, each.error) == (0.5, 0.0)


REFUSED: list[tuple[Any, str]] = [
    ({"action": "atack"}, 'sent: {"action":"atack"}; did you mean {"action":"draw"}?'),
    (None, "sent: null"),
    ({"action": float("nan")}, 'sent: {"action":NaN}'),
    ({"action": "attack", "target": 1.0}, '"target":1.0}'),
    ({"action": {1}}, "Object of type set is not JSON serializable; sent: {'action': {1}}"),
    ({"action": "draw" * 20_000}, "…"),
]


def test_a_refused_move_raises_and_names_decision_move_and_reason() -> None:
    for move, told in REFUSED:
        with pytest.raises(ArenaError) as caught:
            play("khan", [lambda ask, move=move: move, at_random])
        assert str(caught.value).startswith("khan, seat 0, turn: ")
        assert told in str(caught.value)
        assert len(str(caught.value)) < 3000


def test_with_faults_allowed_a_refused_move_is_a_fault_as_in_a_league() -> None:
    replay = play("khan", [lambda ask: {"action": "atack"}, at_random], faults_allowed=2)
    faults = [entry.fault for entry in replay.entries if entry.fault]
    assert {(fault.kind, fault.line) for fault in faults} == {("illegal", '{"action":"atack"}')}
    assert [fault.forfeit for fault in faults] == [False, False, True]
    assert (replay.places, replay.reason) == ([2, 1], "forfeit")


def test_what_a_bot_raises_goes_through() -> None:
    def broken(ask: LocalAsk) -> Any:
        raise LookupError("my own mistake")

    with pytest.raises(LookupError, match="my own mistake"):
        play("khan", [broken, at_random])


def test_that_no_deal_is_to_be_played_is_told_in_a_sentence() -> None:
    """Of games, seats and options, test_finding and test_options have the sentences."""
    with pytest.raises(ArenaError, match="at least 1 deal is played, not 0"):
        score("khan", [at_random] * 2, deals=0)


def test_the_package_offers_the_loop_and_loads_it_only_then() -> None:
    assert all(getattr(referee, name) for name in referee.__all__)
    assert not hasattr(referee, "plya")
    code = "import sys, referee, referee.rules.game; print('referee.training.local' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"

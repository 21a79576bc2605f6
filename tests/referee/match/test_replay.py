"""The record of a match is the match: it can be played again, and nothing else passes for it."""

from itertools import islice
from typing import Any

import msgspec
import pytest

from protocol.errors import ArenaError
from referee.match.replay import Entry, Replay, steps
from referee.match.seat import EmptySeat
from referee.rules.game import Game
from tests.referee.games_for_tests import AtOnce, Countdown, dealt
from tests.referee.scripted import (
    CRASH,
    LATE,
    MALFORMED,
    NINE,
    ONE,
    THREE,
    TWO,
    ScriptedSeat,
    play,
    two_polite,
)


def stored(replay: Replay) -> Replay:
    """Return a replay as it comes back from where it was stored."""
    return msgspec.json.decode(msgspec.json.encode(replay), type=Replay)


def replayed(replay: Replay, kind: type[Game]) -> Game:
    """Return the game at the end of its replay."""
    *_, (game, rest) = steps(stored(replay), kind)
    assert rest == []
    return game


@pytest.mark.parametrize("kind", [Countdown, AtOnce])
@pytest.mark.parametrize(
    "scripts",
    [
        [[ONE], [TWO], [THREE]],
        [[NINE, ONE], [LATE, TWO], [MALFORMED, THREE]],
        [[ONE], [LATE], [THREE]],
        [[ONE, CRASH], [TWO], [THREE]],
        [[CRASH], [ONE, CRASH], [THREE]],
        [[CRASH], [CRASH], [CRASH]],
    ],
    ids=["clean", "faults", "late out", "crash", "two crash", "all crash"],
)
def test_a_replay_reproduces_the_match(kind: type[Game], scripts: list[list[Any]]) -> None:
    game = dealt(kind, 3, rounds=4)
    played = play(game, *(ScriptedSeat(*script) for script in scripts))
    again = replayed(played.replay, type(game))
    assert again.text() == game.text()
    assert vars(again)["withdrawn"] == vars(game)["withdrawn"]
    if played.replay.reason != "forfeit":
        assert again.reason == played.replay.reason


def test_the_steps_of_a_replay_are_those_of_the_match_without_those_who_did_not_start() -> None:
    seen: list[tuple[str, list[Entry]]] = []
    game = dealt(AtOnce, 4)
    played = play(
        game,
        *(ScriptedSeat(ONE, CRASH), *two_polite(), EmptySeat("no such file", "")),
        watch=lambda game, entries: seen.append((game.text(), list(entries))),
    )
    again = [(game.text(), entries) for game, entries in steps(stored(played.replay), type(game))]
    assert again == [*seen, (game.text(), [])]
    assert vars(replayed(played.replay, AtOnce))["withdrawn"] == [3, 0]


def changed(**fields: Any) -> Replay:
    """Return the replay of a match between two polite seats, with other fields."""
    replay = play(dealt(Countdown, 2), *two_polite()).replay
    return msgspec.structs.replace(replay, **fields)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"game": "chess"}, "is of chess, and not of countdown"),
        ({"rules": 7}, "played by version 7 of the rules of countdown; here is version 1"),
        ({"options": {"round": 3}}, "Did you mean 'rounds'"),
        ({"entries": [Entry(1, ONE)]}, "decision 1 of the replay is not what the rules ask for"),
        ({"entries": [Entry(0, ONE), Entry(0, ONE)]}, "decision 2 of the replay is not what"),
        ({"entries": [Entry(0, ONE), Entry(1, ONE)] * 4}, "decision 7 of the replay is not what"),
    ],
)
def test_a_replay_that_does_not_fit_the_rules_is_refused(
    change: dict[str, Any], message: str
) -> None:
    with pytest.raises(ArenaError, match=message):
        list(islice(steps(changed(**change), Countdown), 100))


@pytest.mark.parametrize(
    "entry",
    [Entry(0, NINE), Entry(0, {"take": 0}), Entry(0, {}), Entry(0, None), Entry(0, THREE, LATE)],
    ids=["illegal", "default without a fault", "nothing", "no move", "a fault that paid"],
)
def test_a_replay_with_a_move_that_no_match_could_record_is_refused(entry: Entry) -> None:
    """Or `arena verify` would call a forged record good."""
    entries = [Entry(0, ONE), Entry(1, ONE), entry, Entry(1, ONE)]
    with pytest.raises(ArenaError, match="decision 3 of the replay is not what the rules ask for"):
        list(steps(changed(entries=entries), Countdown))

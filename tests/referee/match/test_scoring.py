"""What games count beside the places: kept as they say it, refused if it is no count."""

import math
import re
from collections.abc import Callable
from random import Random
from typing import Any

import msgspec
import pytest

from referee.games import GAMES
from referee.match.replay import Replay
from referee.match.scoring import LIMIT, ending
from referee.rules.game import Game
from tests.referee.games_for_tests import Countdown, Counting, dealt
from tests.referee.scripted import CRASH, LATE, ONE, THREE, TWO, ScriptedSeat, play, two_polite


def over(kind: type[Game], seats: int = 2) -> Game:
    """Return a game at its end, played at random."""
    game, rng = dealt(kind, seats), Random(5)
    while deciders := game.deciders():
        game.apply({seat: game.sample(seat, rng) for seat in deciders})
    return game


def test_scores_and_numbers_of_a_match_stand_in_its_replay() -> None:
    replay = play(dealt(Counting, 2, rounds=2), ScriptedSeat(ONE, THREE), ScriptedSeat(TWO)).replay
    assert replay.scores == [4, 4]
    assert replay.numbers == {"most": 3, "mean": 2.0}
    assert list(replay.numbers) == list(Counting.measures)
    text = msgspec.json.encode(replay)
    assert text.endswith(b',"scores":[4,4],"numbers":{"most":3,"mean":2.0}}')
    assert msgspec.json.decode(text, type=Replay) == replay


def test_a_game_without_scores_has_the_replays_that_it_always_had() -> None:
    replay = play(dealt(Countdown, 2), *two_polite()).replay
    assert (replay.scores, replay.numbers) == (None, None)
    assert list(msgspec.json.decode(msgspec.json.encode(replay))) == [
        *("game", "rules", "seats", "options", "seed", "entries", "places", "reason")
    ]


@pytest.mark.parametrize(
    ("scripts", "reason", "scores"),
    [
        ([[CRASH], [ONE]], "forfeit", None),
        ([[CRASH], [ONE], [TWO]], "counted", None),
        ([[LATE], [TWO]], "forfeit", None),
        ([[LATE, ONE], [TWO]], "counted", [2, 6]),
    ],
)
def test_a_match_has_neither_after_a_forfeit_and_both_after_a_fault(
    scripts: list[list[Any]], reason: str, scores: list[int] | None
) -> None:
    seats = [ScriptedSeat(*script) for script in scripts]
    replay = play(dealt(Counting, len(seats)), *seats).replay
    assert (replay.reason, replay.scores) == (reason, scores)
    assert (replay.numbers is None) == (scores is None)


FINITE = "; it must return 2 finite numbers, one for each seat, or None."
NAMES = "each of the names in `measures`: most, mean."
WRONG: list[tuple[str, object, str]] = [
    ("scores", [math.nan, 1], f"the score of seat 0 is nan{FINITE}"),
    ("scores", [1, -math.inf], f"the score of seat 1 is -inf{FINITE}"),
    ("scores", [1, LIMIT + 1], f"the score of seat 1 is {LIMIT + 1}{FINITE}"),
    ("scores", [1, "2"], f"the score of seat 1 is '2'{FINITE}"),
    ("scores", [True, 1], f"the score of seat 0 is True{FINITE}"),
    ("scores", [1, None], f"the score of seat 1 is None{FINITE}"),
    ("scores", [1], f"scores() returned [1]{FINITE}"),
    ("scores", [1, 2, 3], f"scores() returned [1, 2, 3]{FINITE}"),
    ("scores", {0: 1, 1: 2}, f"scores() returned {{0: 1, 1: 2}}{FINITE}"),
    ("numbers", {"most": 1}, NAMES),
    ("numbers", {"most": 1, "mean": 1, "x": 1}, NAMES),
    ("numbers", [1, 2], NAMES),
    ("numbers", None, NAMES),
    ("numbers", {"most": 1, "mean": math.nan}, "the number 'mean' of the match is nan"),
    ("numbers", {"most": [1, 2], "mean": 1}, "the number 'most' of the match is [1, 2]"),
    *(
        ("places", places, f"places() returned {places}")
        for places in (
            *([1], [1, 2, 3], [0, 1], [1, 3], [2, 2], [1, None], [1.0, 2], [True, 2], (1, 2), None),
        )
    ),
]


@pytest.mark.parametrize(("method", "returned", "words"), WRONG)
def test_what_is_no_count_or_ranking_is_an_error_of_the_game(
    method: str, returned: object, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Counting, method, lambda _: returned)
    with pytest.raises(ValueError, match=f"^counting: .*{re.escape(words)}"):
        play(dealt(Counting, 2), *two_polite())


def test_a_game_may_have_no_scores_in_one_match_but_must_say_what_they_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Counting, "score", "")
    with pytest.raises(ValueError, match=r"^counting: scores\(\) returned .* but `score` is empty"):
        play(dealt(Counting, 2), *two_polite())
    monkeypatch.setattr(Counting, "scores", lambda _: None)
    assert play(dealt(Counting, 2), *two_polite()).replay.scores is None


# --- what the bundled games count, found in what everybody may see of them


COUNTS: dict[str, Callable[[Game], list[int]]] = {
    "casino_war": lambda game: list(game.view(0)["money"]),
    "khan": lambda game: [game.view(seat)["points"] for seat in range(game.seats)],
    "war": lambda game: [len(pack) for pack in game.view(0)["packs"]],
    "world_war": lambda game: [game.view(0)["owner"].count(seat) for seat in range(game.seats)],
    "tod_und_leben": lambda game: list(game.view(0)["rounds_won"]),
}


@pytest.mark.parametrize("name", GAMES)
def test_a_bundled_game_counts_what_its_seats_have_and_what_can_be_stored(name: str) -> None:
    kind = GAMES[name]
    for seats in (kind.seat_counts[0], kind.seat_counts[-1]):
        game = over(kind, seats)
        found = ending(game, {})[2]
        assert (found.scores is None) == (not kind.score)
        assert (found.numbers is None) == (not kind.measures)
        if name in COUNTS:
            assert found.scores == game.scores() == COUNTS[name](game)
            assert found.scores is not game.scores()
    assert (name in COUNTS or name in ("guerra", "steal_war")) == bool(kind.score)


@pytest.mark.parametrize("name", ["casino_war", "guerra", "steal_war", "tod_und_leben", "war"])
def test_who_has_more_has_no_worse_place(name: str) -> None:
    game = over(GAMES[name])
    (one, other), (place, worse) = ending(game, {})[2].scores or (), game.places()
    assert one != other or place == worse == 1 or name == "war"
    assert (place < worse) == (one > other)

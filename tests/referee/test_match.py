"""One match: asks, defaults, faults, forfeits and places, with seats that follow a script."""

import json
from collections.abc import Sequence
from random import Random
from typing import Any

import msgspec
import pytest

from protocol.messages import End, Start
from referee.evidence import Played
from referee.fault import Fault, Kind
from referee.game import Decision, Game, Move, Observation
from referee.games.cold_war.game import ColdWar
from referee.games.guerra.game import Guerra
from referee.replay import Entry
from referee.seat import EmptySeat, FunctionSeat
from tests.referee.games_for_tests import AtOnce, Countdown, Lenient, dealt
from tests.referee.scripted import (
    CONTROL,
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


def kinds(played: Played, seat: int) -> list[tuple[Kind, bool]]:
    """Return the faults of a seat, and which of them was the forfeit."""
    entries = [entry for entry in played.replay.entries if entry.seat == seat]
    return [(entry.fault.kind, entry.fault.forfeit) for entry in entries if entry.fault]


def taken(played: Played, seat: int) -> list[int]:
    """Return what a seat took."""
    return [
        entry.move["take"] for entry in played.replay.entries if entry.seat == seat and entry.move
    ]


# The course of a match


def test_seats_are_told_the_match_the_decisions_and_the_end() -> None:
    one, two = ScriptedSeat(ONE), ScriptedSeat(TWO)
    play(dealt(Countdown, 2, rounds=1), one, two)
    told: dict[str, Any] = {"match": "m", "game": "countdown", "seats": 2, "table": {}}
    told |= {"options": {"rounds": 1}, "clock": CONTROL}
    assert one.started == Start(seat=0, seed=10, **told)
    assert two.started == Start(seat=1, seed=11, **told)
    assert [decision.name for decision, _ in one.asked] == ["take"]
    assert two.asked[0][1] == {"taken": [[1], []], "withdrawn": []}
    assert one.ended == two.ended == End([2, 1], "counted")


def test_the_replay_says_what_was_dealt_and_the_decisions_in_the_order_they_were_asked() -> None:
    game = dealt(Countdown, 2, "a seed", rounds=2)
    replay = play(game, ScriptedSeat(ONE, TWO), ScriptedSeat(THREE)).replay
    assert (replay.game, replay.rules, replay.seats) == ("countdown", 1, 2)
    assert (replay.options, replay.seed) == ({"rounds": 2}, "a seed")
    assert replay.entries == [Entry(0, ONE), Entry(1, THREE), Entry(0, TWO), Entry(1, THREE)]


@pytest.mark.parametrize(
    ("kind", "steps"),
    [
        (
            Countdown,
            [("[[], []]", [0]), ("[[1], []]", [1]), ("[[1], [1]]", [0]), ("[[1, 1], [1]]", [1])],
        ),
        (AtOnce, [("[[], []]", [0, 1]), ("[[1], [1]]", [0, 1])]),
    ],
)
def test_a_watcher_sees_each_step_before_it_is_applied(
    kind: type[Game], steps: list[tuple[str, list[int]]]
) -> None:
    seen: list[tuple[str, list[int]]] = []

    def watch(game: Game, entries: Sequence[Entry]) -> None:
        seen.append((game.text(), [entry.seat for entry in entries]))

    play(dealt(kind, 2, rounds=2), *two_polite(), watch=watch)
    assert seen == steps


@pytest.mark.parametrize("first", [ONE, THREE, NINE, LATE, CRASH])
def test_simultaneous_asks_are_sealed_until_the_next_round(first: Move | Fault) -> None:
    """What seat 1 is asked says nothing of what seat 0 has answered, be it a forfeit."""
    second = ScriptedSeat(TWO)
    play(dealt(AtOnce, 3, rounds=2), ScriptedSeat(first), second, ScriptedSeat(ONE))
    decision, view = second.asked[0]
    assert view == {"taken": [[], [], []], "withdrawn": []}
    assert decision.legal == [ONE, TWO, THREE]
    taken = first["take"] if first in (ONE, THREE) and isinstance(first, dict) else 0
    assert second.asked[1][1]["taken"] == [[taken], [2], [1]]


@pytest.mark.parametrize("kind", [ColdWar, Guerra])
def test_what_a_bot_adds_to_its_moves_is_not_recorded(kind: type[Game]) -> None:
    """Or one bot fills the disk: a legal move may be a line of 64 KB."""
    game, rng = dealt(kind, min(kind.seat_counts)), Random(1)
    seats = [
        FunctionSeat(
            lambda _decision, _view, seat=seat: {**game.sample(seat, rng), "junk": "x" * 60_000}
        )
        for seat in range(game.seats)
    ]
    replay = play(game, *seats).replay
    assert len(msgspec.json.encode(replay)) < 500 * len(replay.entries)


# Evidence


def test_the_evidence_has_one_time_for_each_entry_and_what_an_empty_seat_wrote() -> None:
    forfeiting, one, two = ScriptedSeat(CRASH), ScriptedSeat(ONE), ScriptedSeat(ONE)
    played = play(dealt(AtOnce, 4), forfeiting, one, two, EmptySeat("no such file", "sh: x"))
    evidence, count = played.evidence, len(played.replay.entries)
    assert count == 1 + 3 * 4
    assert len(evidence.cpu) == len(evidence.wall) == len(evidence.lag) == count
    assert evidence.stderr == ["", "", "", "sh: x"]


def test_times_are_in_microseconds() -> None:
    evidence = play(dealt(Countdown, 1, rounds=2), ScriptedSeat(ONE)).evidence
    assert evidence.cpu == [250_000, 250_000]
    assert evidence.wall == [500_000, 500_000]
    assert evidence.lag[1] == 500_000


def test_times_are_never_negative_and_none_on_the_wall_means_that_nobody_was_asked() -> None:
    instant = FunctionSeat(lambda _decision, _view: ONE)
    played = play(dealt(Countdown, 3, rounds=50), instant, instant, EmptySeat("no such file", ""))
    evidence = played.evidence
    assert min(*evidence.cpu, *evidence.wall, *evidence.lag) >= 0
    for entry, wall in zip(played.replay.entries, evidence.wall, strict=True):
        assert (wall > 0) == (entry.seat != 2)


def test_a_function_may_keep_its_views_and_spoil_them() -> None:
    seen = []

    def choose(_decision: Decision, view: Observation) -> Move:
        seen.append(json.dumps(view))
        for taken in view["taken"]:
            taken += [9, 9]
        return ONE

    replay = play(dealt(Countdown, 2, rounds=2), FunctionSeat(choose), FunctionSeat(choose)).replay
    assert (replay.places, seen[-1]) == ([1, 1], '{"taken": [[1, 1], [1]], "withdrawn": []}')


# The one rule for every fault


@pytest.mark.parametrize("word", [LATE, MALFORMED, NINE, {"take": 0}])
def test_for_a_fault_the_default_reply_is_played_and_the_match_goes_on(word: Move | Fault) -> None:
    """To send the default reply of the rules is a fault as well."""
    played = play(dealt(Countdown, 2), ScriptedSeat(ONE, word, THREE), ScriptedSeat(ONE))
    assert taken(played, 0) == [1, 0, 3]
    assert played.replay.places == [1, 2]
    kind = word.kind if isinstance(word, Fault) else "illegal"
    assert kinds(played, 0) == [(kind, False)]


def test_an_illegal_move_is_a_fault_that_tells_the_decision_the_rule_and_what_was_meant() -> None:
    played = play(dealt(Countdown, 2), ScriptedSeat(NINE, ONE), ScriptedSeat(ONE))
    fault = played.replay.entries[0].fault
    assert fault is not None
    assert fault.reason == (
        'take: "take" must be 1, 2 or 3; sent: {"take":9}; did you mean {"take":1}?'
    )


def test_the_fault_after_those_allowed_forfeits_whatever_their_kinds() -> None:
    played = play(
        dealt(Countdown, 2, rounds=9), ScriptedSeat(LATE, ONE, NINE, MALFORMED), ScriptedSeat(ONE)
    )
    assert kinds(played, 0) == [("late", False), ("illegal", False), ("malformed", True)]
    assert played.replay.places == [2, 1]
    assert played.replay.reason == "forfeit"


@pytest.mark.parametrize("allowed", [0, 1, 5])
def test_as_many_faults_are_allowed_as_the_league_says(allowed: int) -> None:
    played = play(
        dealt(Countdown, 2, rounds=9), ScriptedSeat(LATE), ScriptedSeat(ONE), faults_allowed=allowed
    )
    assert kinds(played, 0) == [("late", False)] * allowed + [("late", True)]


def test_just_as_many_as_are_allowed_lose_nothing_and_each_seat_has_its_own() -> None:
    just, one, out = ScriptedSeat(LATE, LATE, THREE), ScriptedSeat(LATE, ONE), ScriptedSeat(LATE)
    played = play(dealt(Countdown, 3), just, one, out)
    assert played.replay.reason == "counted"
    assert [len(kinds(played, seat)) for seat in range(3)] == [2, 1, 3]
    assert played.replay.places == [1, 2, 3]
    assert [seat.dismissed for seat in (just, one, out)] == [False, False, True]


@pytest.mark.parametrize("kind", ["crash", "flood"])
def test_a_process_with_nobody_left_to_ask_forfeits_at_once(kind: Kind) -> None:
    played = play(
        dealt(Countdown, 2), ScriptedSeat(Fault(kind, "gone")), ScriptedSeat(ONE), faults_allowed=5
    )
    assert kinds(played, 0) == [(kind, True)]


def test_a_bot_that_did_not_start_forfeits_before_the_first_decision() -> None:
    empty, other = EmptySeat("no such file", ""), ScriptedSeat(ONE)
    played = play(dealt(Countdown, 2), empty, other)
    fault = Fault("startup", "no such file", forfeit=True)
    assert played.replay.entries == [Entry(0, None, fault)]
    assert played.replay.places == [2, 1]
    assert other.asked == []


# After a forfeit


def test_the_match_goes_on_while_two_others_are_in_and_who_is_out_is_only_told_the_end() -> None:
    out = ScriptedSeat(CRASH)
    played = play(dealt(Countdown, 3), out, ScriptedSeat(ONE), ScriptedSeat(TWO))
    assert played.replay.reason == "counted"
    assert played.replay.places == [3, 2, 1]
    assert taken(played, 0) == [0, 0, 0]
    assert len(kinds(played, 0)) == len(out.asked) == 1
    assert out.dismissed
    assert out.ended == End([3, 2, 1], "counted")


def test_the_match_ends_when_one_is_left() -> None:
    last = ScriptedSeat(ONE)
    played = play(
        dealt(Countdown, 3, rounds=9), ScriptedSeat(CRASH), ScriptedSeat(ONE, ONE, CRASH), last
    )
    assert played.replay.reason == "forfeit"
    assert played.replay.places == [3, 2, 1]
    assert len(last.asked) == 2


def test_the_game_withdraws_the_seat_in_the_step_of_its_forfeit() -> None:
    other = ScriptedSeat(ONE)
    game = dealt(Countdown, 3)
    play(game, ScriptedSeat(ONE, CRASH), other, ScriptedSeat(ONE))
    assert [view["withdrawn"] for _, view in other.asked] == [[], [0], [0]]
    assert isinstance(game, Countdown)
    assert game.withdrawn == [0]


@pytest.mark.parametrize(
    ("game", "scripts", "places", "reason"),
    [
        pytest.param(
            *(dealt(AtOnce, 4), [[CRASH], [CRASH], [ONE], [ONE]], [3, 3, 1, 1], "counted"),
            id="forfeits of one simultaneous step share a place",
        ),
        pytest.param(
            *(dealt(Countdown, 4), [[CRASH], [CRASH], [ONE], [ONE]], [4, 3, 1, 1], "counted"),
            id="in turn the earlier forfeit is the lower",
        ),
        pytest.param(
            *(dealt(AtOnce, 3), [[CRASH], [CRASH], [CRASH]], [1, 1, 1], "forfeit"),
            id="if all forfeit at once all share the first place",
        ),
        pytest.param(
            *(dealt(Countdown, 2, rounds=1), [[ONE], [CRASH]], [1, 2], "counted"),
            id="a forfeit in the last step is still placed last",
        ),
        pytest.param(
            *(dealt(Countdown, 3), [[THREE, THREE, CRASH], [ONE], [TWO]], [3, 2, 1], "counted"),
            id="who leads by the rules and forfeits is last",
        ),
    ],
)
def test_the_places_after_forfeits(
    game: Game, scripts: list[list[Move | Fault]], places: list[int], reason: str
) -> None:
    replay = play(game, *(ScriptedSeat(*script) for script in scripts)).replay
    assert (replay.places, replay.reason) == (places, reason)


def test_if_no_bot_starts_all_share_the_first_place_and_nothing_is_asked() -> None:
    played = play(dealt(Countdown, 2), EmptySeat("no", ""), EmptySeat("no", ""))
    assert played.replay.places == [1, 1]
    assert [entry.move for entry in played.replay.entries] == [None, None]


# A game's own sanction


def test_sanctioned_replies_do_not_add_to_the_faults_that_count() -> None:
    script = [NINE, LATE, NINE, MALFORMED, NINE, NINE, LATE]
    played = play(dealt(Lenient, 2, rounds=20), ScriptedSeat(*script), ScriptedSeat(ONE))
    assert [forfeit for _, forfeit in kinds(played, 0)] == [False] * 6 + [True]


PASS = {"play": "shift", "move": [0, 0, 0, 0]}
TOO_MUCH = {"play": "arm", "add": [0, 12, 0, 0]}


def test_cold_war_sanctions_illegal_plays_by_itself() -> None:
    seats = [ScriptedSeat(TOO_MUCH), *(ScriptedSeat(PASS) for _ in range(3))]
    played = play(dealt(ColdWar, 4, max_rounds=10), *seats)
    assert kinds(played, 0) == [("illegal", False)] * 10
    assert {entry.move["play"] for entry in played.replay.entries[::4] if entry.move} == {"null"}
    assert played.replay.reason == "max_rounds"


@pytest.mark.parametrize("fault", [LATE, MALFORMED])
def test_late_and_malformed_plays_of_cold_war_count_as_everywhere(fault: Fault) -> None:
    seats = [ScriptedSeat(TOO_MUCH, fault), *(ScriptedSeat(PASS) for _ in range(3))]
    played = play(dealt(ColdWar, 4, max_rounds=10), *seats)
    counted = [(fault.kind, False), (fault.kind, False), (fault.kind, True)]
    assert kinds(played, 0) == [("illegal", False), *counted]
    assert played.replay.places == [4, 1, 1, 1]


def test_late_talk_in_cold_war_counts_as_everywhere() -> None:
    quiet = {"say": ""}
    seats = [ScriptedSeat(LATE, PASS), *(ScriptedSeat(quiet, PASS) for _ in range(3))]
    for seat in seats:
        seat.script *= 10
    played = play(dealt(ColdWar, 4, max_rounds=10, talk=True), *seats)
    assert kinds(played, 0) == [("late", False), ("late", False), ("late", True)]

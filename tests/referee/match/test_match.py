"""One match: asks, defaults, faults, forfeits and places, with seats that follow a script."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.messages import End, Start
from referee.match.evidence import Played
from referee.match.judging import final_places
from referee.match.replay import Entry
from referee.match.seat import EmptySeat, FunctionSeat
from referee.rules.game import Game, Move
from referee.turn.answer import Fault, Kind
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


def test_seats_are_told_the_match_the_decisions_and_the_end_and_the_replay_holds_them() -> None:
    one, two = ScriptedSeat(ONE, THREE), ScriptedSeat(TWO)
    replay = play(dealt(Countdown, 2, "a seed", rounds=2), one, two).replay
    told: dict[str, Any] = {"match": "m", "game": "countdown", "seats": 2, "table": {}}
    told |= {"options": {"rounds": 2}, "clock": CONTROL}
    assert one.started == Start(seat=0, seed=10, **told)
    assert two.started == Start(seat=1, seed=11, **told)
    assert [decision.name for decision, _ in one.asked] == ["take", "take"]
    assert two.asked[0][1] == {"taken": [[1], []], "withdrawn": []}
    assert one.ended == two.ended == End([1, 1], "counted")
    assert (replay.game, replay.rules, replay.seats) == ("countdown", 1, 2)
    assert (replay.options, replay.seed) == ({"rounds": 2}, "a seed")
    assert replay.entries == [Entry(0, ONE), Entry(1, TWO), Entry(0, THREE), Entry(1, TWO)]


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


def test_the_evidence_has_one_time_for_each_entry_and_what_an_empty_seat_wrote() -> None:
    forfeiting, one, two = ScriptedSeat(CRASH), ScriptedSeat(ONE), ScriptedSeat(ONE)
    played = play(dealt(AtOnce, 4), forfeiting, one, two, EmptySeat("no such file", "sh: x"))
    evidence, count = played.evidence, len(played.replay.entries)
    assert count == 1 + 3 * 4
    assert len(evidence.cpu) == len(evidence.wall) == len(evidence.lag) == count
    assert evidence.stderr == ["", "", "", "sh: x"]


def test_times_are_in_microseconds_and_of_who_is_not_asked_none() -> None:
    scripted = play(dealt(Countdown, 1, rounds=2), ScriptedSeat(ONE)).evidence
    assert (scripted.cpu, scripted.wall) == ([250_000] * 2, [500_000] * 2)
    assert scripted.lag[1] == 500_000
    instant = FunctionSeat(lambda _decision, _view: ONE)
    played = play(dealt(Countdown, 3, rounds=50), instant, instant, EmptySeat("no such file", ""))
    evidence = played.evidence
    assert min(*evidence.cpu, *evidence.wall, *evidence.lag) >= 0
    for entry, wall in zip(played.replay.entries, evidence.wall, strict=True):
        assert (wall > 0) == (entry.seat != 2)


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


def test_the_match_goes_on_while_two_others_are_in_and_who_is_out_is_only_told_the_end() -> None:
    out = ScriptedSeat(CRASH)
    played = play(dealt(Countdown, 3), out, ScriptedSeat(ONE), ScriptedSeat(TWO))
    assert played.replay.reason == "counted"
    assert played.replay.places == [3, 2, 1]
    assert taken(played, 0) == [0, 0, 0]
    assert len(kinds(played, 0)) == len(out.asked) == 1
    assert out.dismissed
    assert out.ended == End([3, 2, 1], "counted")


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
        (dealt(AtOnce, 4), [[CRASH], [CRASH], [ONE], [ONE]], [3, 3, 1, 1], "counted"),
        (dealt(Countdown, 4), [[CRASH], [CRASH], [ONE], [ONE]], [4, 3, 1, 1], "counted"),
        (dealt(AtOnce, 3), [[CRASH], [CRASH], [CRASH]], [1, 1, 1], "forfeit"),
        (dealt(Countdown, 2, rounds=1), [[ONE], [CRASH]], [1, 2], "counted"),
        (dealt(Countdown, 3), [[THREE, THREE, CRASH], [ONE], [TWO]], [3, 2, 1], "counted"),
        (dealt(Countdown, 3, rounds=9), [[CRASH], [ONE, ONE, CRASH], [ONE]], [3, 2, 1], "forfeit"),
    ],
    ids=["at once", "in turn", "all at once", "in the last step", "by who leads", "one is left"],
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


def test_sanctioned_replies_do_not_add_to_the_faults_that_count() -> None:
    script = [NINE, LATE, NINE, MALFORMED, NINE, NINE, LATE]
    played = play(dealt(Lenient, 2, rounds=20), ScriptedSeat(*script), ScriptedSeat(ONE))
    assert [forfeit for _, forfeit in kinds(played, 0)] == [False] * 6 + [True]


@st.composite
def matches(draw: st.DrawFn) -> tuple[list[int] | None, dict[int, int], int]:
    """Return places by the rules, forfeits, and the number of seats, as a match can have them."""
    seats = draw(st.integers(1, 8))
    forfeits = draw(st.dictionaries(st.integers(0, seats - 1), st.integers(0, 20)))
    scores = draw(st.lists(st.integers(0, 3), min_size=seats, max_size=seats))
    by_rules = [1 + sum(other < score for other in scores) for score in scores]
    stopped = seats - len(forfeits) <= 1 and draw(st.booleans())
    return None if stopped else by_rules, forfeits, seats


@given(matches())
def test_places_rank_those_still_in_by_the_rules_and_then_the_later_forfeit_before_the_earlier(
    match: tuple[list[int] | None, dict[int, int], int],
) -> None:
    by_rules, forfeits, seats = match
    places = final_places(*match)
    assert len(places) == seats
    assert all(place == 1 + sum(other < place for other in places) for place in places)
    still_in = [seat for seat in range(seats) if seat not in forfeits]
    if not still_in:
        assert places == [1] * seats
        return
    for one, step in forfeits.items():
        assert all(places[seat] < places[one] for seat in still_in)
        for two, other in forfeits.items():
            assert (step > other) == (places[one] < places[two])
    for one in still_in if by_rules else ():
        for two in still_in:
            assert by_rules is not None
            assert (by_rules[one] < by_rules[two]) == (places[one] < places[two])

"""Real bots against the clock: CPU or wall, the bank, and those who burn the core of others."""

import json
import re
import time
from itertools import pairwise
from typing import Any

import pytest

from referee.bot_process import BotProcess
from referee.evidence import Played
from referee.seat import FunctionSeat
from tests.referee.games_for_tests import Countdown, dealt
from tests.referee.process_watch import cpu, state, until
from tests.referee.table import Table, pid_of

ONE = {"take": 1}


def late(played: Played, seat: int = 0) -> list[str]:
    """Return why a seat was late; it may have no other fault."""
    faults = [entry.fault for entry in played.replay.entries if entry.seat == seat and entry.fault]
    assert {fault.kind for fault in faults} <= {"late"}
    return [fault.reason for fault in faults]


def alone(table: Table, *words: object, rounds: int = 1, **limits: Any) -> Played:
    """Let a naughty bot play by itself."""
    bot = table.start(*words, **limits)
    return table.play(dealt(Countdown, 1, rounds=rounds), [bot], **limits)


# What is judged


def test_a_sleeper_is_in_time_by_its_cpu(table: Table) -> None:
    played = alone(table, "late", 0.4, 1, "sleep", move_time=0.1)
    assert late(played) == []
    assert played.evidence.cpu[0] < 100_000 < 400_000 <= played.evidence.wall[0]


@pytest.mark.parametrize(
    ("words", "limits", "why"),
    [
        (("sleep",), {"clock": "wall"}, r"no answer after 0\.[2-9]\d+ s; 0\.200 s allowed \(.*\)"),
        (("sleep",), {}, r"no answer after 1\.[4-9]\d+ s on the wall, 0\.0\d+ s of CPU.*"),
        ((), {}, r"0\.[2-9]\d+ s of CPU time used; 0\.200 s allowed"),
    ],
    ids=["by the wall", "by the cap on the wall", "by its CPU"],
)
def test_who_takes_longer_than_is_allowed_is_late(
    table: Table, words: tuple[str, ...], limits: dict[str, Any], why: str
) -> None:
    (reason,) = late(alone(table, "late", 60, 1, *words, move_time=0.2, **limits))
    assert re.fullmatch(f"take: {why}", reason)


# A late bot


def test_a_late_bot_is_frozen_until_its_next_ask_and_its_late_reply_dropped(table: Table) -> None:
    seen = []
    bot = table.start("late", 0.5, 1, "sleep", clock="wall", move_time=0.3)

    def look(_decision: object, _view: object) -> dict[str, int]:
        seen.append(until(lambda: state(pid_of(bot)) == "T"))
        time.sleep(0.3)
        return ONE

    game = dealt(Countdown, 2, rounds=1)
    played = table.play(game, [bot, FunctionSeat(look)], clock="wall", move_time=0.3)
    assert seen == [True]
    assert len(late(played)) == 1


# The bank

STEADY = """
import polite, json
def think(ask):
    polite.burn(0.075)
    reply = {"id": ask["id"], "move": {"take": 1}, "note": json.dumps(ask["clock"])}
    return json.dumps(reply).encode() + b"\\n"
polite.play(think)
"""
"""A bot that burns half as much again as it is allowed at each decision, and notes its clock."""


def test_half_as_much_again_is_paid_by_the_bank_and_the_bot_is_told(table: Table) -> None:
    bot = table.start(table.python(STEADY))
    played = table.play(dealt(Countdown, 1, rounds=4), [bot], move_time=0.05, bank=0.5)
    assert late(played) == []
    told = [json.loads(entry.note or "") for entry in played.replay.entries]
    assert [clock["move_time"] for clock in told] == [0.05] * 4
    assert told[0]["bank"] == 0.5
    for before, after in pairwise(told):
        assert 0.024 <= before["bank"] - after["bank"] < 0.1


# Burning off turn


def burner(table: Table) -> BotProcess:
    return table.start("burn_off_turn")


def is_at_rest(process: BotProcess) -> bool:
    """Return whether a process is stopped and uses no CPU time."""
    pid = pid_of(process)
    until(lambda: state(pid) == "T", 3.0)
    time.sleep(0.02)  # one thread is stopped, the others are about to be
    used = cpu(pid)
    time.sleep(0.05)
    return state(pid) == "T" and cpu(pid) - used < 0.002


def test_a_burner_is_frozen_between_its_turns_once_it_is_noticed_until_the_next_match(
    table: Table,
) -> None:
    bot = burner(table)
    rests = []

    def watch_it(_decision: object, view: dict[str, Any]) -> dict[str, int]:
        if len(view["taken"][0]) == 1:
            used = cpu(pid_of(bot))
            until(lambda: cpu(pid_of(bot)) > used + 0.3)
        else:
            rests.append(is_at_rest(bot))
        return ONE

    played = table.play(dealt(Countdown, 2, rounds=4), [bot, FunctionSeat(watch_it)])
    assert rests == [True] * 3
    assert late(played) == []
    assert played.evidence.burners == [0]
    assert table.play(dealt(Countdown, 1, rounds=1), [bot]).evidence.burners == []


def test_a_polite_bot_is_not_frozen_between_its_turns(table: Table) -> None:
    bot = table.start("polite")
    states = []

    def watch_it(_decision: object, _view: object) -> dict[str, int]:
        states.append(state(pid_of(bot)))
        return ONE

    played = table.play(dealt(Countdown, 2, rounds=3), [bot, FunctionSeat(watch_it)])
    assert "T" not in states
    assert played.evidence.burners == []


def test_bots_rest_from_their_start_to_their_first_match_and_between_matches(table: Table) -> None:
    """Others play meanwhile, on the same core."""
    bot = burner(table)
    assert is_at_rest(bot)
    table.play(dealt(Countdown, 1), [bot])
    assert is_at_rest(bot)


def test_bots_rest_after_their_forfeit(table: Table) -> None:
    bot = table.start(
        table.python(
            """
            import polite, time
            def forfeit(ask):
                polite.send(b"x" * 66_000)
                while True: pass
            polite.play(forfeit)
            """
        )
    )
    rests = []

    def look(_decision: object, _view: object) -> dict[str, int]:
        rests.append(is_at_rest(bot))
        return ONE

    table.play(dealt(Countdown, 3, rounds=1), [bot, FunctionSeat(look), FunctionSeat(look)])
    assert rests == [True, True]

"""Misbehaving bots in real matches against polite ones: the fault, the places, and what is left."""

import re
from typing import Any

import msgspec
import pytest

from referee.match.evidence import Evidence, Played
from referee.match.seat import EmptySeat, FunctionSeat
from referee.turn.answer import BotError, Fault
from referee.turn.bot_process import BotProcess
from referee.turn.starting import end_processes
from tests.referee.games_for_tests import Countdown, dealt
from tests.referee.process_watch import fields, gone, until
from tests.referee.table import Table, pid_of

CPU = 0.05
"""Seconds of CPU time that a polite bot needs a hundredth of; the wall's cap is then 1.1 s."""
FAULTLESS: list[str] = []
DOES = """
import polite
for message in polite.messages():
    if message["type"] in ("hello", "ask"):
        polite.send(polite.READY if message["type"] == "hello" else polite.reply(message))
    if message["type"] == "{at}":
        {deed}
"""
"""A bot that is polite, and does something once it has heard, and answered, a message."""


def faults(played: Played, seat: int = 0) -> list[Fault]:
    """Return the faults of a seat."""
    return [entry.fault for entry in played.replay.entries if entry.seat == seat and entry.fault]


def kinds(played: Played, seat: int = 0) -> list[str]:
    """Return the kinds of the faults of a seat."""
    return [fault.kind for fault in faults(played, seat)]


def pair(table: Table, name: str, *arguments: object, **limits: Any) -> list[BotProcess]:
    """Start a naughty bot, and a polite one to play against."""
    return [table.start(name, *arguments, **limits), table.start("polite", **limits)]


ASK = r'→ {"type":"ask","id":%d,.*}'


@pytest.mark.parametrize(
    ("words", "kind", "reason", "lines"),
    [
        (("crash_mid_match", 1), "crash", "it exited with code 1", [".*start.*", ASK % 1]),
        (
            ("malformed", 2),
            "malformed",
            "not JSON: ",
            [ASK % 1, '← {"id": 1, "move": {"take": 1}}', ASK % 2, "← I attack, of course!"],
        ),
        (("late", 0.1), "late", r"0\.\d+ s of CPU time used; 0\.050 s allowed", [".*"] * 2),
    ],
    ids=["crash", "malformed", "late"],
)
def test_a_naughty_bot_forfeits_the_polite_one_wins_and_the_last_lines_are_kept(
    table: Table, words: tuple[object, ...], kind: str, reason: str, lines: list[str]
) -> None:
    limits = {"move_time": CPU, "faults_allowed": 1}
    naughty, polite = pair(table, *words, **limits)
    played = table.play(dealt(Countdown, 2, rounds=9), [naughty, polite], **limits)
    assert {fault.kind for fault in faults(played)} == {kind}
    assert [fault.forfeit for fault in faults(played)][-2:] in ([True], [False, True])
    assert all(re.match(f"take: {reason}", fault.reason) for fault in faults(played))
    assert (played.replay.places, played.replay.reason) == ([2, 1], "forfeit")
    assert kinds(played, 1) == FAULTLESS
    found, none = played.evidence.conversations
    assert none == []
    assert all(map(re.fullmatch, lines, found))
    assert len(found) == len(lines)
    assert ("crashed on purpose at ask 1" in played.evidence.stderr[0]) == (kind == "crash")
    assert polite.ended is None
    naughty.stop()
    assert gone(pid_of(naughty))


@pytest.mark.parametrize(
    "words",
    [("flood_stderr", 1), ("ignore_sigterm",), ("daemon",), ("crash_mid_match", 10)],
    ids=lambda words: words[0],
)
def test_a_bot_that_answers_in_time_plays_on_whatever_else_it_does(
    table: Table, words: tuple[str, ...]
) -> None:
    seats = pair(table, *words)
    played = table.play(dealt(Countdown, 2), seats)
    assert kinds(played, 0) == kinds(played, 1) == FAULTLESS
    assert played.replay.places == [1, 1]
    seats[0].stop()
    assert gone(pid_of(seats[0]))


def test_a_bot_that_does_not_get_ready_forfeits_every_match(table: Table) -> None:
    with pytest.raises(BotError) as caught:
        table.start("crash_at_start")
    assert re.fullmatch(r".*: it exited with code 1 \(RuntimeError: .*\)", str(caught.value))
    empty = EmptySeat(str(caught.value), caught.value.stderr)
    played = table.play(dealt(Countdown, 2), [empty, table.start("polite")])
    assert faults(played) == [Fault("startup", str(caught.value), forfeit=True)]
    assert played.replay.places == [2, 1]
    assert played.evidence.stderr[0] == caught.value.stderr
    assert caught.value.stderr.endswith("on purpose\n")


def test_a_bot_may_be_slow_to_start_as_long_as_it_is_allowed(table: Table) -> None:
    """And it is not billed to its first move."""
    limits = {"clock": "wall", "move_time": 0.4, "startup": 30.0}
    slow = table.start("slow_start", 0.6, **limits)
    assert kinds(table.play(dealt(Countdown, 1), [slow], **limits)) == FAULTLESS


def test_the_standard_error_of_a_match_is_its_own(table: Table) -> None:
    deed = 'print("in", message["match"], message["seat"], file=sys.stderr)'
    talker = table.start(table.python(DOES.format(at="start", deed=deed)))
    polite = table.start("polite")
    first = table.play(dealt(Countdown, 2), [talker, polite])
    second = table.play(dealt(Countdown, 2), [polite, talker])
    assert first.evidence.stderr == ["in m 0\n", ""]
    assert second.evidence.stderr == ["", "in m 1\n"]


def test_a_bot_that_leaves_after_the_end_of_a_match_is_a_crash_in_the_next(table: Table) -> None:
    leaver = table.start(table.python(DOES.format(at="end", deed="sys.exit()")))
    polite = table.start("polite")
    assert kinds(table.play(dealt(Countdown, 2), [leaver, polite])) == FAULTLESS
    assert kinds(table.play(dealt(Countdown, 2), [leaver, polite])) == ["crash"]


def test_a_bot_that_left_before_the_end_of_a_match_is_a_crash_in_the_next(table: Table) -> None:
    """Its descriptors are closed by then, and others may have their numbers."""
    leave = 'if message["id"] == 2: sys.exit()'
    leaver = table.start(table.python(DOES.format(at="ask", deed=leave)))

    def last_word(_decision: object, view: dict[str, Any]) -> dict[str, int]:
        if len(view["taken"][0]) == 2:
            until(lambda: gone(pid_of(leaver)))
        return {"take": 1}

    first = table.play(dealt(Countdown, 2, rounds=2), [leaver, FunctionSeat(last_word)])
    assert kinds(first) == FAULTLESS
    assert leaver.ended is not None
    second = table.play(dealt(Countdown, 2), [leaver, table.start("polite")])
    assert kinds(second) == ["crash"]
    assert second.replay.places == [2, 1]


@pytest.mark.parametrize(
    ("name", "how"), [("polite", "exited with code 0"), ("ignore_sigterm", "was killed by SIGKILL")]
)
def test_a_bot_may_leave_by_itself_at_the_end_of_its_input_or_is_killed(
    table: Table, name: str, how: str
) -> None:
    bot = table.start(name)
    table.play(dealt(Countdown, 1), [bot])
    end_processes([bot])
    assert str(bot.ended) == how
    assert gone(pid_of(bot))


def test_a_bot_that_has_ended_is_gone_though_its_daemon_answers_for_it(table: Table) -> None:
    """The daemon's CPU time is on no clock that the referee reads, and no signal reaches it."""
    bot = table.start(
        table.python(
            """
            import polite, os
            def leave_a_daemon(ask):
                reading, writing = os.pipe()
                if os.fork():
                    os.read(reading, 1)
                    os._exit(0)
                os.setsid()
                os.write(writing, b"!")
                polite.send(polite.reply(ask))
                polite.play()
            polite.play(leave_a_daemon)
            """
        )
    )

    def wait(_decision: object, _view: object) -> dict[str, int]:
        until(lambda: not fields(pid_of(bot)))
        return {"take": 1}

    played = table.play(dealt(Countdown, 2), [bot, FunctionSeat(wait)])
    assert kinds(played) == ["crash"]
    assert faults(played)[0].reason == "take: it exited with code 0"
    evidence = played.evidence  # whose times can be those of a match
    assert min(*evidence.cpu, *evidence.wall, *evidence.lag) >= 0
    assert msgspec.json.decode(msgspec.json.encode(evidence), type=Evidence) == evidence

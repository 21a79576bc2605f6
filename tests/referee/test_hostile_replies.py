"""Real processes that misbehave on the wire, each met by the fault it deserves."""

import re
import resource
import select
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from textwrap import dedent
from typing import Any

import pytest

from protocol.lines import LINE_LIMIT
from protocol.messages import NOTE_LIMIT, End, Start
from referee import bot_process
from referee.capture import KEPT
from referee.fault import Fault
from referee.game import Decision
from referee.limits import Limits
from referee.sandbox import Launcher, Program
from referee.seat import Answer, ProcessSeat
from referee.starting import StartupError, start_bot
from tests.referee.table import on_one_core

TONGUE = """
import json, os, select, signal, sys, time

def hear():
    return json.loads(sys.stdin.buffer.readline())

def say(data):
    if isinstance(data, dict):
        data = json.dumps(data) + "\\n"
    if isinstance(data, str):
        data = data.encode()
    while data:
        data = data[os.write(1, data):]

def answer(ask, **more):
    say({"id": ask["id"], "move": {"echo": ask["view"].get("n")}, **more})

def answer_all():
    while line := sys.stdin.buffer.readline():
        message = json.loads(line)
        if message["type"] == "ask":
            answer(message)
"""
READY = """
hear(); say({"type": "ready"}); hear()
"""

PATIENT: dict[str, Any] = {"move_time": 20.0}
"""For bots that answer: no machine is too slow for them."""
QUICK: dict[str, Any] = {"move_time": 0.05}
"""For bots that do not: their CPU is judged, so the wall's cap ends it, after 1.1 seconds."""
HURRIED_ONCE: dict[str, Any] = {"clock": "wall", "move_time": 0.1, "increment": 20.0}
"""For bots that miss the first decision: it alone is short, and then there is time enough."""
HURRIED: dict[str, Any] = {"clock": "wall", "move_time": 0.1}
"""For bots that miss every decision."""

SeatOf = Callable[..., ProcessSeat]


@pytest.fixture(
    scope="module", params=["one_core", pytest.param("any_core", marks=pytest.mark.slow)]
)
def launcher(request: pytest.FixtureRequest) -> Iterator[Launcher]:
    """Bots on the referee's core, where they may have answered once they are asked, or on any."""
    with on_one_core() if request.param == "one_core" else nullcontext(), Launcher("none") as found:
        yield found


def program(text: str, prologue: str = TONGUE + READY) -> Program:
    """Return a program of Python, begun by the words that all of them need."""
    source = prologue + dedent(text)
    return Program((sys.executable, "-I", "-S", "-c", source), "/")


@pytest.fixture
def seat_of(launcher: Launcher) -> Iterator[SeatOf]:
    """Return a function that seats a program, started, in a match of its own."""
    running = []

    def seat_of(text: str, **settings: Any) -> ProcessSeat:
        limits = Limits(sandbox="none", **settings)
        process = start_bot(launcher, program(text), limits, "hostile")
        running.append(process)
        seat = ProcessSeat(process)
        assert seat.start(start(limits)) is None
        return seat

    yield seat_of
    for process in running:
        process.stop()


def start(limits: Limits) -> Start:
    """Return the opening of a match."""
    control = limits.time_control
    return Start(match="m", game="g", seat=0, seats=1, options={}, table={}, clock=control, seed=1)


def ask(seat: ProcessSeat, number: int = 1, filling: int = 0) -> Answer:
    """Ask for a decision; the view holds a number to be repeated, and so many bytes besides."""
    return seat.ask(Decision("play", limits={}), {"n": number, "filling": "x" * filling})


def fault(answer: Answer) -> tuple[str, str]:
    """Return what was wrong with an answer: the kind and the reason."""
    assert answer.move is None
    assert answer.fault is not None
    return answer.fault.kind, answer.fault.reason


def good(answer: Answer, number: int = 1) -> bool:
    """Return whether an answer is the one to this number."""
    return answer.fault is None and answer.move == {"echo": number}


def test_a_bot_that_does_as_it_should_has_no_fault(seat_of: SeatOf) -> None:
    seat = seat_of("answer_all()", **PATIENT)
    assert [good(ask(seat, number), number) for number in range(5)] == [True] * 5


def test_endless_bytes_without_a_newline_are_a_flood_that_can_be_told_the_end(
    seat_of: SeatOf,
) -> None:
    seat = seat_of("while True: say(b'x' * 65536)", **PATIENT)
    assert fault(ask(seat)) == ("flood", f"a line of more than {LINE_LIMIT} bytes")
    seat.end(End([1], "over"))
    assert seat.process.ended is None


def test_a_line_of_100_megabytes_is_a_flood_and_takes_no_memory(seat_of: SeatOf) -> None:
    seat = seat_of(
        """
        megabyte = b"x" * 2**20
        for _ in range(100): say(megabyte)
        say("\\n")
        """,
        **PATIENT,
    )
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert fault(ask(seat))[0] == "flood"
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 20 * 1024


def test_a_reply_as_long_as_the_limit_is_read_and_a_longer_one_is_a_flood(seat_of: SeatOf) -> None:
    seat = seat_of(
        f"""
        reply = '{{"id":1,"move":{{"echo":1}}'
        hear()
        say(reply + " " * ({LINE_LIMIT} - len(reply) - 1) + "}}\\n")
        answer(hear(), note='x' * 66_000)
        hear()
        """,
        **PATIENT,
    )
    assert good(ask(seat))
    assert fault(ask(seat))[0] == "flood"


@pytest.mark.parametrize("length", [469, 470, 471, 940, 65_000])
def test_a_reply_that_is_there_at_the_first_look_is_read_whole(
    seat_of: SeatOf, monkeypatch: pytest.MonkeyPatch, length: int
) -> None:
    monkeypatch.setattr(bot_process, "_RUN_SECONDS", -1.0)  # as if the bot had always just run
    seat = seat_of(
        f"""
        say('{{"id":1,"move":{{"echo":1}}}}'.ljust({length} - 1) + "\\n")
        hear()
        answer_all()
        """,
        **PATIENT,
    )
    select.select([seat.process._child.stdout], [], [], 20)
    assert good(ask(seat, 1), 1)
    assert good(ask(seat, 2), 2)


REPLY = '{"id":1,"move":{"echo":1}}\\n'


@pytest.mark.parametrize(
    "text",
    [
        f"hear(); say('{REPLY}'); hear(); os._exit(3)",
        f"hear(); say('{REPLY}'); hear(); os.close(1); hear()",
        f"say('{REPLY}' + '{REPLY}'); hear(); hear(); hear()",
        f"say(b'{REPLY}' + b'x' * 40_000); say(b'x' * 40_000); hear(); hear(); hear()",
    ],
    ids=["exits", "is silent", "has answered before", "floods"],
)
def test_whatever_comes_of_an_ask_it_took_some_time(seat_of: SeatOf, text: str) -> None:
    seat = seat_of(text, **PATIENT)
    assert good(ask(seat))
    answer = ask(seat, 2)
    assert answer.fault is not None
    assert answer.turn.ended > answer.turn.began


@pytest.mark.parametrize("lines", ["x\\n", "\\n"], ids=["of a letter", "empty"])
def test_endless_lines_are_a_malformed_reply_for_each_ask_though_nothing_is_read(
    seat_of: SeatOf, lines: str
) -> None:
    seat = seat_of(f"while True: say('{lines}' * 1000)", **PATIENT)
    assert [fault(ask(seat, filling=100_000))[0] for _ in range(4)] == ["malformed"] * 4


def test_half_a_line_and_silence_is_late_at_the_cap(seat_of: SeatOf) -> None:
    seat = seat_of("""hear(); say('{"id":1,"mo'); hear()""", **QUICK)
    kind, reason = fault(ask(seat))
    assert kind == "late"
    assert re.fullmatch(
        r"no answer after \d+\.\d+ s on the wall, .*; 1\.100 s allowed there: "
        r"2 times the 0\.050 s of a decision, and 1 s "
        r'\(it wrote {"id":1,"mo and no newline\)',
        reason,
    )


@pytest.mark.parametrize(
    ("text", "filling"),
    [
        ("""say('{"id":1,"mo'); hear(); two = hear(); say('ve":{}}\\n'); answer(two)""", 0),
        ("one, two = hear(), hear(); answer(one); answer(two)", 0),
        ("select.select([0], [], []); time.sleep(0.5); answer_all()", 200_000),
    ],
    ids=["half of it before", "all of it after", "it read late"],
)
def test_a_late_reply_that_comes_during_the_next_ask_is_dropped(
    seat_of: SeatOf, text: str, filling: int
) -> None:
    seat = seat_of(text, **HURRIED_ONCE)
    assert fault(ask(seat, 1, filling))[0] == "late"
    assert good(ask(seat, 2, filling), 2)


def test_a_bot_that_never_reads_is_late_however_much_piles_up_and_can_be_told_the_end(
    seat_of: SeatOf,
) -> None:
    seat = seat_of("time.sleep(1000)", **HURRIED)
    assert [fault(ask(seat, filling=50_000))[0] for _ in range(4)] == ["late"] * 4
    seat.end(End([1], "over"))
    assert seat.process.ended is None


def test_replies_to_several_asks_that_were_given_up_are_dropped(seat_of: SeatOf) -> None:
    seat = seat_of(
        """
        one = hear()
        say("oh\\n")
        two = hear()
        say("no\\n")
        answer(one)
        answer(two)
        answer_all()
        """,
        **PATIENT,
    )
    assert [fault(ask(seat))[0] for _ in range(2)] == ["malformed"] * 2
    assert good(ask(seat, 3), 3)


def test_a_printed_line_costs_one_fault_and_the_next_reply_counts(seat_of: SeatOf) -> None:
    seat = seat_of("say('thinking...\\n'); answer_all()", **PATIENT)
    kind, reason = fault(ask(seat, 1))
    assert kind == "malformed"
    assert reason.startswith("not JSON: ")
    assert [good(ask(seat, number), number) for number in (2, 3, 4)] == [True] * 3


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("b'caf\\xe9 \\x1b[2J\\n'", "caf\\xe9 \x1b[2J"),
        ("'x' * 60_000 + '\\n'", "x" * 2000 + "… (60000 bytes)"),
    ],
    ids=["short", "long"],
)
def test_a_malformed_reply_is_kept_as_it_was_sent_the_long_in_part(
    seat_of: SeatOf, sent: str, kept: str
) -> None:
    answer = ask(seat_of(f"say({sent}); hear()", **PATIENT))
    assert answer.fault is not None
    assert answer.fault.line == kept


@pytest.mark.parametrize(
    "line",
    [
        """'{"id":1,"move":{},"' + 'x' * 60_000 + '":1}'""",
        """'{"id":1,"move":{"' + 'x' * 30_000 + '":1,"' + 'x' * 30_000 + '":1}}'""",
        """'{"id":' + '9' * 4000 + ',"move":{}}'""",
    ],
    ids=["an unknown field", "a repeated key", "an id"],
)
def test_the_reason_of_a_fault_is_short_however_long_the_word(seat_of: SeatOf, line: str) -> None:
    seat = seat_of(f"say({line} + '\\n'); hear()", **PATIENT)
    kind, reason = fault(ask(seat))
    assert kind == "malformed"
    assert len(reason) < 1000


@pytest.mark.parametrize("number", [0, 2, 10**9])
def test_another_id_is_malformed(seat_of: SeatOf, number: int) -> None:
    seat = seat_of(f"hear(); say({{'id': {number}, 'move': {{}}}}); hear()", **PATIENT)
    assert fault(ask(seat)) == ("malformed", f"it answers ask {number}; ask 1 was open")


def test_a_second_reply_is_malformed_at_the_next_ask(seat_of: SeatOf) -> None:
    seat = seat_of("one = hear(); answer(one); answer(one); answer_all()", **PATIENT)
    assert good(ask(seat, 1))
    assert fault(ask(seat, 2)) == ("malformed", "it answers ask 1; ask 2 was open")
    assert good(ask(seat, 3), 3)


def test_a_refused_reply_may_not_be_sent_twice(seat_of: SeatOf) -> None:
    seat = seat_of(
        """
        one = hear()
        say("not JSON\\n")
        answer(one)
        answer(one)
        answer_all()
        """,
        **PATIENT,
    )
    assert fault(ask(seat, 1))[0] == "malformed"
    assert fault(ask(seat, 2)) == ("malformed", "it answers ask 1; ask 2 was open")


ENDS = {
    "closes its output": ("os.close(1); time.sleep(1000)", "it closed its standard output"),
    "exits": ("hear(); os._exit(3)", "it exited with code 3"),
    "leaves a child with the pipes": (
        "hear()\nif os.fork(): os._exit(3)\ntime.sleep(1000)",
        "it exited with code 3",
    ),
    "exits in a line": ("""hear(); say('{"id":1,'); os._exit(0)""", "it exited with code 0"),
    "is killed": ("hear(); os.kill(os.getpid(), 9)", "it was killed by SIGKILL"),
    "breaks": (
        "hear(); os.kill(os.getpid(), signal.SIGSEGV)",
        "it was killed by SIGSEGV; it touched memory that is not its own, or its stack was full",
    ),
    "a signal without a name": (
        "hear(); os.kill(os.getpid(), 40)",
        "it was killed by signal 40",
    ),
}


@pytest.mark.parametrize("how", ENDS)
def test_a_bot_that_can_answer_no_more_has_crashed_and_how_is_said(
    seat_of: SeatOf, how: str
) -> None:
    text, reason = ENDS[how]
    assert fault(ask(seat_of(text, **PATIENT))) == ("crash", reason)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "one = hear(); os.close(0); answer(one); time.sleep(1000)",
            "it closed its standard input",
        ),
        ("answer(hear()); os._exit(0)", "it exited with code 0"),
    ],
    ids=["closes its input", "exits"],
)
def test_a_reply_just_before_the_crash_counts(seat_of: SeatOf, text: str, reason: str) -> None:
    seat = seat_of(text, **PATIENT)
    assert good(ask(seat))
    assert fault(ask(seat)) == ("crash", reason)


def test_a_note_as_long_as_the_limit_is_kept_and_a_longer_one_cut(seat_of: SeatOf) -> None:
    text = f"answer(hear(), note='x' * {NOTE_LIMIT}); answer(hear(), note='é' * {NOTE_LIMIT + 1})"
    seat = seat_of(text, **PATIENT)
    assert ask(seat).note == "x" * NOTE_LIMIT
    assert ask(seat).note == "é" * NOTE_LIMIT + "…"


def test_ten_megabytes_of_standard_error_are_drained_and_both_ends_kept(seat_of: SeatOf) -> None:
    seat = seat_of(
        """
        one = hear()
        sys.stderr.write("head" + "x" * (10 * 2**20 - 8) + "tail")
        sys.stderr.flush()
        answer(one)
        hear()
        """,
        **PATIENT,
    )
    assert good(ask(seat))
    seat.end(End([1], "over"))
    left_out = 10 * 2**20 - KEPT
    gap = f"\n[… {left_out} bytes left out …]\n"
    assert seat.stderr == f"head{'x' * (KEPT // 2 - 4)}{gap}{'x' * (KEPT // 2 - 4)}tail"


BUSY = "the machine was busy: it waited .*"
"""What is said instead where others had the core for a good part of the time."""
NEVER_READY = {
    "prints a line first": (
        "say('Hello!\\n')",
        20.0,
        r"not JSON: .* to standard error \(it said Hello!\)",
    ),
    "says something else": ("say({'type': 'go'})", 20.0, r"Invalid .*'go'.*"),
    "dies with a word": ("sys.exit('no book')", 20.0, r"it exited with code 1 \(no book\)"),
    "closes its output": ("os.close(1); hear(); hear()", 20.0, r"it closed its standard output"),
    "floods": ("say('x' * 70_000)", 20.0, r"a line of more than 65536 bytes"),
    "computes": ("while True: pass", 0.1, r".* of CPU time used; 0\.100 s allowed"),
    "is silent": ("hear(); hear()", 0.5, rf"no answer after .* \((it was idle: .*|{BUSY})\)"),
    "does not read": (
        "time.sleep(100)",
        0.5,
        rf"no answer after .* \((it did not read.*|{BUSY})\)",
    ),
    "wrote half": ("say('{'); hear(); hear()", 0.5, r"no answer .* \(it wrote { and no newline\)"),
}


@pytest.mark.quick(1)
@pytest.mark.parametrize(("text", "seconds", "reason"), NEVER_READY.values(), ids=NEVER_READY)
def test_a_bot_that_does_not_get_ready_is_told_why(
    launcher: Launcher, text: str, seconds: float, reason: str
) -> None:
    limits = Limits(sandbox="none", startup=seconds)
    with pytest.raises(StartupError, match=f"^it did not say ready: {reason}$"):
        start_bot(launcher, program(text, TONGUE), limits, "hostile")


def test_a_bot_that_is_ready_and_listens_no_more_crashes_at_the_start(launcher: Launcher) -> None:
    limits = Limits(sandbox="none")
    deaf = program("hear(); os.close(0); say({'type': 'ready'}); time.sleep(1000)", TONGUE)
    seat = ProcessSeat(start_bot(launcher, deaf, limits, "hostile"))
    assert seat.start(start(limits)) == Fault("crash", "it closed its standard input")


def test_what_a_bot_wrote_before_it_failed_to_start_is_kept(launcher: Launcher) -> None:
    limits = Limits(sandbox="none")
    with pytest.raises(StartupError) as caught:
        start_bot(launcher, program("sys.exit('no model here')", TONGUE), limits, "hostile")
    assert caught.value.stderr == "no model here\n"
    with pytest.raises(StartupError, match=r"could not be started: /no/such: No such file"):
        start_bot(launcher, Program(("/no/such",), "/"), limits, "hostile")

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

from protocol.lines import BOT_LINE_BYTES
from protocol.messages import NOTE_LIMIT, End, Start
from referee.limits import Limits
from referee.match.seat import ProcessSeat
from referee.rules.game import Decision
from referee.sandbox import Launcher, Program
from referee.turn.answer import Answer, BotError, Fault
from referee.turn.starting import start_bot
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


GOOD = "good"


def heard(seat: ProcessSeat, number: int = 1, filling: int = 0) -> str:
    """Ask, and return what came: an answer to this very ask, or what was wrong."""
    answer = ask(seat, number, filling)
    if answer.fault is None:
        return GOOD if answer.move == {"echo": number} else f"another answer: {answer.move}"
    assert answer.move is None
    return f"{answer.fault.kind}: {answer.fault.reason}"


CONVERSATIONS: dict[str, tuple[str, list[str]]] = {
    "a printed line costs one fault": (
        "say('thinking...\\n'); answer_all()",
        ["malformed: not JSON: ", GOOD, GOOD],
    ),
    "replies to asks that were given up are dropped": (
        """
        one = hear(); say("oh\\n"); two = hear(); say("no\\n")
        answer(one); answer(two); answer_all()
        """,
        ["malformed: not JSON: ", "malformed: not JSON: ", GOOD],
    ),
    "another id": (
        "hear(); say({'id': 0, 'move': {}}); say({'id': 3, 'move': {}}); answer_all()",
        ["malformed: it answers ask 0; ask 1 was open", "malformed: it answers ask 3; ask 2 was"],
    ),
    "a second reply is malformed at the next ask": (
        "one = hear(); answer(one); answer(one); answer_all()",
        [GOOD, "malformed: it answers ask 1; ask 2 was open", GOOD],
    ),
    "a refused reply may not be sent twice": (
        "one = hear(); say('not JSON\\n'); answer(one); answer(one); answer_all()",
        ["malformed: not JSON: ", "malformed: it answers ask 1; ask 2 was open"],
    ),
    "a reply just before it closes its input counts": (
        "one = hear(); os.close(0); answer(one); time.sleep(1000)",
        [GOOD, "crash: it closed its standard input"],
    ),
    "a reply just before it exits counts": (
        "answer(hear()); os._exit(0)",
        [GOOD, "crash: it exited with code 0"],
    ),
    "it closes its output": (
        "os.close(1); time.sleep(1000)",
        ["crash: it closed its standard output"],
    ),
    "it leaves a child with the pipes": (
        "hear()\nif os.fork(): os._exit(3)\ntime.sleep(1000)",
        ["crash: it exited with code 3"],
    ),
    "it exits in a line": (
        """hear(); say('{"id":1,'); os._exit(0)""",
        ["crash: it exited with code 0"],
    ),
    "it breaks": (
        "hear(); os.kill(os.getpid(), signal.SIGSEGV)",
        ["crash: it was killed by SIGSEGV; it touched memory that is not its own, as does"],
    ),
}


@pytest.mark.parametrize(("text", "said"), CONVERSATIONS.values(), ids=CONVERSATIONS)
def test_an_ask_has_its_own_answer_or_a_fault(seat_of: SeatOf, text: str, said: list[str]) -> None:
    seat = seat_of(text, **PATIENT)
    for number, expected in enumerate(said, 1):
        found = heard(seat, number)
        assert found.startswith(expected)


def test_endless_bytes_without_a_newline_are_a_flood_that_takes_no_memory(seat_of: SeatOf) -> None:
    """And the bot can be told the end."""
    seat = seat_of("for _ in range(1600): say(b'x' * 65536)", **PATIENT)  # 100 MiB
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert heard(seat) == f"flood: a line of more than {BOT_LINE_BYTES} bytes"
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20 * 1024
    seat.end(End([1], "over"))
    assert seat.process.ended is None


@pytest.mark.parametrize("length", [469, 470, 471, 940, 65_000])
def test_a_reply_that_is_there_at_the_first_look_is_read_whole(
    seat_of: SeatOf, length: int
) -> None:
    seat = seat_of(
        f"""
        say('{{"id":1,"move":{{"echo":1}}}}'.ljust({length} - 1) + "\\n")
        hear()
        answer_all()
        """,
        **PATIENT,
    )
    select.select([seat.process._child.stdout], [], [], 20)
    assert [heard(seat, 1), heard(seat, 2)] == [GOOD] * 2


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
    assert heard(seat) == GOOD
    answer = ask(seat, 2)
    assert answer.fault is not None
    assert answer.turn.ended > answer.turn.began


@pytest.mark.parametrize("lines", ["x\\n", "\\n"], ids=["of a letter", "empty"])
def test_endless_lines_are_a_malformed_reply_for_each_ask_though_nothing_is_read(
    seat_of: SeatOf, lines: str
) -> None:
    seat = seat_of(f"while True: say('{lines}' * 1000)", **PATIENT)
    assert [heard(seat, filling=100_000)[:9] for _ in range(4)] == ["malformed"] * 4


def test_half_a_line_and_silence_is_late_at_the_cap(seat_of: SeatOf) -> None:
    seat = seat_of("""hear(); say('{"id":1,"mo'); hear()""", **QUICK)
    assert re.fullmatch(
        r"late: no answer after \d+\.\d+ s on the wall, .*; 1\.100 s allowed there: "
        r"2 times the 0\.050 s that it has, and 1 s "
        r'\(it wrote {"id":1,"mo and no newline\)',
        heard(seat),
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
    assert heard(seat, 1, filling).startswith("late: ")
    assert heard(seat, 2, filling) == GOOD


def test_a_bot_that_never_reads_is_late_however_much_piles_up_and_can_be_told_the_end(
    seat_of: SeatOf,
) -> None:
    seat = seat_of("time.sleep(1000)", **HURRIED)
    assert [heard(seat, filling=50_000)[:5] for _ in range(4)] == ["late:"] * 4
    seat.end(End([1], "over"))
    assert seat.process.ended is None


@pytest.mark.parametrize(
    "sent",
    [
        b"caf\xe9 \x1b[2J",
        b"x" * 60_000,
        b'{"id":1,"move":{},"' + b"x" * 60_000 + b'":1}',
        b'{"id":' + b"9" * 4000 + b',"move":{}}',
    ],
    ids=["short", "long", "an unknown field", "an id"],
)
def test_a_malformed_reply_is_kept_as_it_was_sent_the_long_in_part_and_told_shortly(
    seat_of: SeatOf, sent: bytes
) -> None:
    fault = ask(seat_of(f"say({sent!r} + b'\\n'); hear()", **PATIENT)).fault
    assert fault is not None
    text = sent.decode("utf-8", "backslashreplace")
    assert fault.line == (text if len(sent) < 2000 else f"{text[:2000]}… ({len(sent)} bytes)")
    assert fault.kind == "malformed"
    assert len(fault.reason) < 1000


def test_a_note_as_long_as_the_limit_is_kept_and_a_longer_one_cut(seat_of: SeatOf) -> None:
    text = f"answer(hear(), note='x' * {NOTE_LIMIT}); answer(hear(), note='é' * {NOTE_LIMIT + 1})"
    seat = seat_of(text, **PATIENT)
    assert ask(seat).note == "x" * NOTE_LIMIT
    assert ask(seat).note == "é" * NOTE_LIMIT + "…"


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
    with pytest.raises(BotError, match=f"^it did not say ready: {reason}$"):
        start_bot(launcher, program(text, TONGUE), limits, "hostile")


def test_a_bot_that_is_ready_and_listens_no_more_crashes_at_the_start(launcher: Launcher) -> None:
    limits = Limits(sandbox="none")
    deaf = program("hear(); os.close(0); say({'type': 'ready'}); time.sleep(1000)", TONGUE)
    seat = ProcessSeat(start_bot(launcher, deaf, limits, "hostile"))
    assert seat.start(start(limits)) == Fault("crash", "it closed its standard input")

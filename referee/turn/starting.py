"""Bots' processes from their start, until they are ready, to their end; and let in at a door."""

import os
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from protocol.errors import ProtocolError
from protocol.lines import encode
from protocol.messages import VERSION, Hello, TimeControl, read_ready
from referee.limits import Limits
from referee.process.polling import ALONE, Polling
from referee.sandbox import Launcher, Program, StartError
from referee.turn.answer import BotError, Kind
from referee.turn.bot_process import BotProcess
from referee.turn.clock import Clock
from referee.turn.verdict import beside, last_word
from referee.turn.wire import Wire

if TYPE_CHECKING:
    from referee.door import ClientTerms, Door, DoorClient


_END_GRACE = 0.3  # seconds in which bots may end by themselves when their input ends


def end_processes(processes: Iterable[Wire]) -> None:
    """End processes, after a moment in which they may do so themselves at the end of input."""
    left = list(processes)
    for process in left:
        process.close_input()
    deadline = time.monotonic() + _END_GRACE
    for process in left:
        process.stop(grace=max(0.0, deadline - time.monotonic()))


def start_bot(
    launcher: Launcher,
    program: Program,
    limits: Limits,
    name: str,
    neighbours: Collection[Wire] = (),
    polling: Polling = ALONE,
) -> BotProcess:
    """Start a bot and wait until it says ready, within `limits.startup`.

    `neighbours` are the processes that live beside it, itself perhaps among them: they are kept
    from using its core while it is asked.

    Raises BotError; then nothing of the process is left.
    """
    try:
        child = launcher.start(program, limits)
        process = BotProcess(launcher, child, limits, neighbours, polling)
    except StartError as error:
        raise BotError(f"it could not be started: {error}", "startup") from None
    greet(process, limits, name)
    process.freeze()  # until its first match: others may be playing
    return process


def greet(process: Wire, limits: Limits, name: str) -> None:
    """Say hello to a bot that was started, and wait until it says ready, within `limits.startup`.

    Raises BotError, whose kind is `late` if its time was up; then the bot has been ended.
    """
    clock = Clock(
        TimeControl(judge=limits.judge, move_time=limits.startup, bank=0.0, increment=0.0),
        limits.threads,
    )
    line = b""
    try:
        line = process.ask(encode(Hello(VERSION, name, limits.threads)), clock)
        process.samples = read_ready(line).samples
        process.is_ready = True
        process.close_turn()
    except (BotError, ProtocolError) as error:
        said = b"\n".join((line, process.unread())) if error.kind == "malformed" else b""
        is_late = error.kind == "late"
        has_ended = isinstance(error, BotError) and not is_late
        process.stop()
        stderr = process.stderr_text()
        more = beside(said, last_word(stderr) if has_ended else "")
        kind: Kind = "late" if is_late else "startup"
        raise BotError(f"it did not say ready: {error}{more}", kind, stderr) from None


@contextmanager
def at_door(
    door: "Door", process: BotProcess, terms: "ClientTerms", patience: float
) -> Iterator["DoorClient"]:
    """Let a bot's process ask during its turns; it must have a door.

    At the end, what is still being asked for is waited for, at most so many seconds: it may cost
    something.
    """
    assert process.door is not None
    with ExitStack() as stack:
        # they are the client's own, as the process may end before its requests
        read, write = (_own(stack, end) for end in process.door)
        listener = None if process.listener is None else _own(stack, process.listener)
        client = door.admit(terms, (read, write), listener)
        process.visit = client
        try:
            yield client
        finally:
            process.visit = None
            client.close(patience, process.polling)


def _own(stack: ExitStack, descriptor: int) -> int:
    """Return a descriptor of the same end, which the stack closes."""
    copy = os.dup(descriptor)
    stack.callback(os.close, copy)
    return copy

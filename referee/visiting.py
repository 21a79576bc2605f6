"""A bot that asks through its door while it plays: how it is let in, and its seat."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from referee.answer import Answer
from referee.bot_process import BotProcess
from referee.clock import Turn
from referee.fault import Fault, shown
from referee.game import Decision, Observation
from referee.seat import ProcessSeat
from referee.wire import Wire

if TYPE_CHECKING:
    from referee.door import ClientTerms, Door, DoorClient


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
        process.held = lambda: client.held
        try:
            yield client
        finally:
            process.held = None
            client.close(patience)


def _own(stack: ExitStack, descriptor: int) -> int:
    """Return a descriptor of the same end, which the stack closes."""
    copy = os.dup(descriptor)
    stack.callback(os.close, copy)
    return copy


class VisitingSeat(ProcessSeat):
    """A seat held by a process that may have a door, and is heard there during its turns.

    Args:
        process: the bot's.
        client: the bot at its door, if it has one.

    """

    def __init__(self, process: Wire, client: "DoorClient | None") -> None:
        super().__init__(process)
        self._client = client
        self._close_turn = self._turn

    def ask(self, decision: Decision, view: Observation) -> Answer:
        """Ask, as any seat does; whatever it answers, a request that has failed is a fault."""
        if self._client is None:
            return super().ask(decision, view)
        self._client.begin_turn()
        answer = super().ask(decision, view)
        outage = self._client.end_turn().outage
        if not outage or answer.fault is not None:
            return answer
        fault = Fault("outage", outage, shown(answer.line))
        return Answer(None, answer.turn, fault, answer.note, answer.line)

    def _turn(self) -> Turn:
        """Stop the clock, and return what the turn took: the bot waits for nothing any more."""
        if self._client is not None:
            self._client.answer_came()
        return self.process.close_turn()

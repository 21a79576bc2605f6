"""How a bot is let in at its door, where it asks while it plays."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from referee.bot_process import BotProcess

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

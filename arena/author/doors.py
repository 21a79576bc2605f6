"""The door of a bot that is checked: what it asks is answered, and kept for when it asks again."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from referee.bot_process import BotProcess
from referee.door import DoorTerms, keys_of
from referee.limits import Limits
from referee.visiting import visit

if TYPE_CHECKING:
    from referee.door import Door, Exchanges, Visitor


class CheckedDoor:
    """The door of one bot, for all its processes in a check; without one, nobody visits."""

    def __init__(self, door: "Door | None", names: tuple[str, ...], patience: float) -> None:
        self.exchanges: Exchanges | None = None
        """What was asked and answered so far, if there is a door."""
        self._door = door
        self._names = names
        self._patience = patience
        self._visitors: dict[BotProcess, Visitor] = {}
        self._stack = ExitStack()
        if door is not None:
            from referee.door import Remembered

            self.exchanges = Remembered()

    def admit(self, process: BotProcess, bot: str) -> None:
        """Let a process ask from now on."""
        if self._door is not None and self.exchanges is not None:
            self._visitors[process] = self._stack.enter_context(
                visit(
                    self._door, process, bot, self._names, self.exchanges, "check", self._patience
                )
            )

    def visitor(self, process: BotProcess) -> "Visitor | None":
        """Return who a process is at the door, if it has one."""
        return self._visitors.get(process)

    def close(self) -> None:
        """Let all leave."""
        self._stack.close()


@contextmanager
def door_of(limits: Limits, terms: DoorTerms | None) -> Iterator[CheckedDoor]:
    """Open the door of a bot that has these limits, if it has one.

    Without terms of a league, it may ask just these, without keys. Raises ArenaError if a key is
    not there, or a name not allowed.
    """
    names = limits.door
    if not names:
        yield CheckedDoor(None, names, 0.0)
        return
    from referee.door import Door

    terms = (DoorTerms(allow=names) if terms is None else terms).within(limits.move_time)
    with Door(terms, keys_of(terms, os.environ), {}) as door:
        found = CheckedDoor(door, names, terms.timeout)
        try:
            yield found
        finally:
            found.close()

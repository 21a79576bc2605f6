"""The door of a bot that is checked: what it asks is answered, and kept for when it asks again."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from arena.league.bot import Bot
from arena.store.under_way import SLOW_FILE, MatchesUnderWay
from referee.door import DoorTerms, keys_of
from referee.limits import Limits
from referee.turn.bot_process import BotProcess
from referee.turn.starting import at_door

if TYPE_CHECKING:
    from referee.door import Door, DoorClient, Exchanges, MadeRequest, SeenAnswer, Usage


_OUTAGE_WAIT = 10.0  # seconds at the most: somebody waits for the check


class CheckedDoor:
    """The door of one bot, for all its processes in a check; without one, nobody asks."""

    def __init__(
        self, door: "Door | None", entries: tuple[str, ...], patience: float, purse: "_Purse | None"
    ) -> None:
        self.exchanges: Exchanges | None = None
        """What was asked and answered so far, if there is a door."""
        self._door = door
        self._entries = entries
        self._patience = patience
        self._clients: dict[BotProcess, DoorClient] = {}
        self._stack = ExitStack()
        if door is not None:
            from referee.door import Remembered

            self.exchanges = Remembered() if purse is None else _counting(purse)

    def admit(self, process: BotProcess, bot: str, name: str) -> None:
        """Let a process ask from now on, of a bot with this key and name."""
        if self._door is not None and self.exchanges is not None:
            from referee.door import ClientTerms

            terms = ClientTerms(bot, name, self._entries, self.exchanges, "check")
            self._clients[process] = self._stack.enter_context(
                at_door(self._door, process, terms, self._patience)
            )

    def client(self, process: BotProcess) -> "DoorClient | None":
        """Return who a process is at the door, if it has one."""
        return self._clients.get(process)

    def close(self) -> None:
        """Let all leave."""
        self._stack.close()


class _Purse:
    """What one bot has spent in a league: a check adds to it, as matches do.

    The file is open only for a moment, as a run may remove it that is over.
    """

    def __init__(self, league: Path, bot: str) -> None:
        self._league = league
        self._bot = bot

    def spent(self) -> dict[str, float]:
        """Return what was spent so far, as a door takes it."""
        if not (self._league / SLOW_FILE).exists():
            return {}
        with MatchesUnderWay(self._league) as under_way:
            return under_way.spent()

    def take(self, cost: float) -> None:
        """Count what a request has cost."""
        if cost:
            with MatchesUnderWay(self._league) as under_way:
                under_way.spend(self._bot, cost)


def _counting(purse: _Purse) -> "Exchanges":
    """Return what keeps requests and answers in memory, and counts what each has cost."""
    from referee.door import Remembered

    class Counting(Remembered):
        def keep(self, asked: "MadeRequest", answered: "SeenAnswer", usage: "Usage") -> None:
            purse.take(usage.cost)
            super().keep(asked, answered, usage)

    return Counting()


@contextmanager
def door_of(
    limits: Limits, terms: DoorTerms | None, bot: Bot, league: Path | None
) -> Iterator[CheckedDoor]:
    """Open the door of a bot that has these limits, if it has one.

    Without terms of a league, it may ask just these, without keys. In the folder of a league, what
    it spends counts there, under its key. Raises ArenaError if a key is not there, or a request not
    allowed.
    """
    entries = limits.door
    if not entries:
        yield CheckedDoor(None, entries, 0.0, None)
        return
    from referee.door import Door

    purse = None if league is None else _Purse(league, bot.key)

    terms = (DoorTerms(allow=entries) if terms is None else terms).within(limits.decision_seconds)
    wait, absence = (min(most, _OUTAGE_WAIT) for most in (terms.outage_wait, terms.absence))
    terms = msgspec.structs.replace(terms, outage_wait=wait, absence=absence)
    spent = {} if purse is None else purse.spent()
    with Door(terms, keys_of(terms, os.environ, [bot.name]), spent) as door:
        found = CheckedDoor(door, entries, terms.timeout, purse)
        try:
            yield found
        finally:
            found.close()

"""The door of a bot that is checked: what it asks is answered, and kept for when it asks again."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from arena.league.bot import Bot
from arena.store.under_way import SLOW_FILE, MatchesUnderWay
from referee.door import DoorTerms, keys_of
from referee.limits import Limits
from referee.turn.bot_process import BotProcess
from referee.turn.starting import at_door

if TYPE_CHECKING:
    from referee.door import ClientTerms, Door, Exchanges, MadeRequest, SeenAnswer, Usage

_OUTAGE_WAIT = 10.0  # seconds at the most: somebody waits for the check


class CheckedDoor(NamedTuple):
    """The door of one bot, for all its processes in a check, which leave with the stack."""

    door: "Door"
    terms: "ClientTerms"
    patience: float
    stack: ExitStack

    def admit(self, process: BotProcess) -> None:
        """Let a process of the bot ask from now on."""
        self.stack.enter_context(at_door(self.door, process, self.terms, self.patience))

    def enter(self, process: BotProcess, match: str) -> None:
        """Take what a process asks as of a match: when it is played again, it is answered alike."""
        assert process.visit is not None
        process.visit.enter(self.terms.exchanges, match)


class _Counting:
    """Keeps what a bot asks, and counts what that costs in a league, as matches do.

    The file is open only for a moment, as a run may remove it that is over.
    """

    def __init__(self, kept: "Exchanges", league: Path, bot: str) -> None:
        self.find = kept.find
        self._kept = kept
        self._league = league
        self._bot = bot

    def keep(self, asked: "MadeRequest", answered: "SeenAnswer", usage: "Usage") -> None:
        """Keep what a request was answered, and count what it has cost."""
        if usage.cost:
            with MatchesUnderWay(self._league) as under_way:
                under_way.spend(self._bot, usage.cost)
        self._kept.keep(asked, answered, usage)


def _spent(league: Path | None) -> dict[str, float]:
    """Return what bots have spent in a league so far, as a door takes it."""
    if league is None or not (league / SLOW_FILE).exists():
        return {}
    with MatchesUnderWay(league) as under_way:
        return under_way.spent()


@contextmanager
def door_of(
    limits: Limits, terms: DoorTerms | None, bot: Bot, league: Path | None
) -> Iterator[CheckedDoor | None]:
    """Open the door of a bot that has these limits, if it has one.

    Without terms of a league, it may ask just these, without keys. In the folder of a league, what
    it spends counts there, under its key. Raises ArenaError if a key is not there, or a request not
    allowed.
    """
    entries = limits.door
    if not entries:
        yield None
        return
    from referee.door import ClientTerms, Door, Remembered

    terms = (DoorTerms(allow=entries) if terms is None else terms).within(limits.decision_seconds)
    wait, absence = (min(most, _OUTAGE_WAIT) for most in (terms.outage_wait, terms.absence))
    terms = msgspec.structs.replace(terms, outage_wait=wait, absence=absence)
    kept = Remembered() if league is None else _Counting(Remembered(), league, bot.key)
    client = ClientTerms(bot.key, bot.name, entries, kept, "check")
    with (
        Door(terms, keys_of(terms, os.environ, [bot.name]), _spent(league)) as door,
        ExitStack() as stack,
    ):
        yield CheckedDoor(door, client, terms.timeout, stack)

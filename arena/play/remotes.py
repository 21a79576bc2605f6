"""Which remote bots are connected, and the tasks that wait for those that have no room."""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from time import monotonic
from typing import TypeAlias

from arena.play.messages import Task
from arena.schedule.deal import BotIndex
from arena.store.result import PlayedMatch

_PAUSE = 0.25  # seconds before a bot is asked again that was not there, though it was said to be
_DOUBLINGS = 5  # of that pause, where it is so again and again
_REFUSALS = 6  # in a row, after which somebody is to know

RemoteKey: TypeAlias = tuple[str, str]
"""A remote bot: the key that its results are kept under, and the digest of what runs."""

Party: TypeAlias = tuple[BotIndex, ...]
"""The remote bots of a line-up."""


class ConnectedBots:
    """How many matches of each remote bot can be played at once now.

    One thread tells it, the whole state each time; another one reads it.
    """

    def __init__(self, home: Path | None = None) -> None:
        """Take the folder with the socket by which the bots are reached, if they are."""
        self.home = home
        self.changes = 0
        """How often it has become another: what was read before that number grew is old."""
        self._rooms: Mapping[RemoteKey, int] = {}

    def tell(self, rooms: Mapping[RemoteKey, int]) -> None:
        """Say for how many matches each bot has room; one that is not in it has room for none."""
        now = {bot: room for bot, room in rooms.items() if room > 0}
        if now != self._rooms:
            self._rooms = now
            self.changes += 1  # last, so that nobody takes the old state for the new one

    def room(self, key: str, digest: str) -> int:
        """Return how many matches a bot can play at once; 0 if it is not connected."""
        return self._rooms.get((key, digest), 0)


class RemoteQueue:
    """The tasks whose remote bots have no room for another match, and who has room.

    Tasks of the same remote bots wait in one line, in their order, and the line waits at one of
    these bots that has no room. So a bot that comes costs as much as there are lines at it, however
    long they are.
    """

    def __init__(
        self,
        remotes: Mapping[BotIndex, RemoteKey],
        connected: ConnectedBots,
        has_begun: Callable[[Task], bool],
        *,
        is_closed: bool = False,
    ) -> None:
        """Take the remote bots, who is there, and what says whether a task goes on with a match.

        Such a one waits for nobody here: its match waits for who was in it, and not for ever. In a
        league that is closed, who is said to be there and never plays counts as absent.
        """
        self._is_closed = is_closed
        self._has_begun = has_begun
        self._remotes = remotes
        self._connected = connected
        self._seen = 0  # changes of who is connected
        self._room = dict.fromkeys(remotes, 0)
        self._pauses: dict[BotIndex, float] = {}  # until when bots are not asked
        self._refusals: Counter[BotIndex] = Counter()  # in a row
        self._lines: dict[Party, deque[Task]] = {}
        self._waiting: dict[BotIndex, deque[Party]] = {bot: deque() for bot in remotes}
        self._turns = deque(remotes)  # who is called next

    def __bool__(self) -> bool:
        """Whether any task waits."""
        return bool(self._lines)

    def look(self, playing: Iterable[tuple[BotIndex, ...]]) -> None:
        """Find out who has room now, beside matches of these line-ups that are being played."""
        if self._seen != self._connected.changes:
            self._seen = self._connected.changes
            self._pauses.clear()
            self._refusals.clear()
        self._room = {bot: self._connected.room(*key) for bot, key in self._remotes.items()}
        for lineup in playing:
            self._reserve(self._party(lineup))
        now = monotonic()
        self._room.update((bot, 0) for bot, until in self._pauses.items() if until > now)

    def admits(self, task: Task) -> bool:
        """Return whether a new task can be played now, and reserve its place; if not, it waits.

        It waits too if others of its remote bots do, so that it does not overtake them.
        """
        party = self._party(task.lineup) if self._remotes else ()
        if not party:
            return True
        if self._has_begun(task):
            self._reserve(party)
            return True
        if party not in self._lines and self._lacking(party) is None:
            self._reserve(party)
            return True
        self._line(party).append(task)
        return False

    def readmits(self, task: Task) -> bool:
        """Return whether a task that was handed out before can be played now, as `admits` does.

        If not, it waits before all others of its remote bots: it may be on its way.
        """
        party = self._party(task.lineup)
        if party and self._lacking(party) is not None and not self._has_begun(task):
            self._line(party).appendleft(task)
            return False
        self._reserve(party)
        return True

    def call(self) -> Task | None:
        """Return a task that can be played now, and reserve its place; None if there is none.

        The bots have turns, and so have the lines that wait at one.
        """
        for _ in range(len(self._turns) if self._lines else 0):
            bot = self._turns[0]
            self._turns.rotate(-1)
            task = self._call_at(bot)
            if task is not None:
                return task
        return None

    def _call_at(self, bot: BotIndex) -> Task | None:
        """Call a task that waits at a bot, and let others wait where they have to."""
        waiting = self._waiting[bot]
        while waiting and self._room[bot] > 0:
            party = waiting.popleft()
            lacking = self._lacking(party)
            if lacking is not None:
                self._waiting[lacking].append(party)
                continue
            line = self._lines[party]
            task = line.popleft()
            if line:
                waiting.append(party)
            else:
                del self._lines[party]
            self._reserve(party)
            return task
        return None

    def note_absence(self, task: Task) -> list[BotIndex]:
        """Let the bots of a task rest, as one was not there when it was to begin.

        That is so if it leaves just then. If it happens again and again, returns these bots, once.
        """
        now = monotonic()
        resting = [bot for bot in self._party(task.lineup) if self._pauses.get(bot, 0.0) <= now]
        for bot in resting:
            self._pauses[bot] = now + _PAUSE * 2 ** min(self._refusals[bot], _DOUBLINGS)
            self._refusals[bot] += 1
        return [bot for bot in resting if self._refusals[bot] == _REFUSALS]

    def note_played(self, matches: Iterable[PlayedMatch]) -> None:
        """Note who was there, as matches were played."""
        if self._refusals:
            for played in matches:
                for bot in played.result.bots:
                    self._refusals.pop(bot, None)

    def remove(self, bot: BotIndex) -> None:
        """Forget the tasks of a bot."""
        self._lines = {
            party: kept
            for party, line in self._lines.items()
            if (kept := deque(task for task in line if bot not in task.lineup))
        }
        self._waiting = {
            each: deque(party for party in waiting if party in self._lines)
            for each, waiting in self._waiting.items()
        }

    def clear(self) -> None:
        """Forget all tasks."""
        self._lines.clear()
        for waiting in self._waiting.values():
            waiting.clear()

    @property
    def absent(self) -> list[BotIndex]:
        """The bots that are waited for, and not connected; empty if a task waits for none such."""
        away = {bot for bot, key in self._remotes.items() if not self._connected.room(*key)}
        if self._is_closed:
            away |= {bot for bot, count in self._refusals.items() if count >= _REFUSALS}
        missed = [away.intersection(party) for party in self._lines]
        return sorted(set[BotIndex]().union(*missed)) if all(missed) else []

    def _party(self, lineup: tuple[BotIndex, ...]) -> Party:
        return tuple(bot for bot in lineup if bot in self._remotes)

    def _lacking(self, party: Party) -> BotIndex | None:
        """Return a bot that has no room; None if all have."""
        return next((bot for bot in party if self._room[bot] <= 0), None)

    def _reserve(self, party: Party) -> None:
        for bot in party:
            self._room[bot] -= 1

    def _line(self, party: Party) -> deque[Task]:
        """Return the line of these bots; a new one waits at the first that has no room."""
        if party not in self._lines:
            self._lines[party] = deque()
            lacking = self._lacking(party)
            assert lacking is not None
            self._waiting[lacking].append(party)
        return self._lines[party]

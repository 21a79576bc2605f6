"""A league that is served: the processes beside it, what is known of it, and who is told."""

import asyncio
import contextlib
import json
import threading
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Executor
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Concatenate, Literal, ParamSpec, TypeVar

from arena.handin.calendar import Change, calendar_changes, held_back_since, note_calendar, phase
from arena.handin.database import HandIns
from arena.handin.submissions import Submission, all_of, queue
from arena.league.contest import HandIn
from arena.league.file import read_asked
from arena.league.plan import LeaguePlan
from arena.serve.asking import BusyError, LeagueReader, UnansweredError
from arena.serve.broadcast import Broadcast
from arena.serve.child import Companion
from arena.serve.messages import (
    Asked,
    EndPlay,
    Idle,
    Playing,
    Progress,
    ReadAnew,
    Stopped,
    Trouble,
    Word,
    decoder,
    line,
)
from arena.serve.sessions import Sessions
from arena.serve.shown import Calendar, calendar_of
from arena.text import counted
from protocol.errors import ArenaError

P = ParamSpec("P")
T = TypeVar("T")

_LOOK_SECONDS = 0.5  # between looks at what other commands may have changed
_LEAST_SECONDS = 2.0  # between two tables ...
_TIMES = 5  # ... or so many times as long as one takes
_RECENT = 200  # submissions whose states are followed

_read_word = decoder(Word).decode

Say = Callable[[str], None]


class Served:
    """One league of a server.

    Args:
        folder: of the league.
        name: in addresses.
        workers: how many matches are played at once; None for one on each core.
        uid: as root, the first user that bots are run as; None for an unused one.
        pool: of threads, for what reads files.
        say: called with sentences for the organizer.

    """

    def __init__(
        self,
        folder: Path,
        name: str,
        workers: int | None,
        uid: int | None,
        pool: Executor,
        say: Say,
    ) -> None:
        self.folder = folder
        self.name = name
        self.plan: LeaguePlan = read_asked(folder)
        self.broadcast = Broadcast()
        self._pool = pool
        self._opened = threading.local()
        self._say: Say = lambda text: say(f"{name}: {text}")
        with HandIns(folder, create=True) as db:
            db.sources.mkdir(exist_ok=True)
            self.sessions = Sessions(name, db.session_key())
            note_calendar(db, self.plan.hand_in)
            self.changes: Sequence[Change] = calendar_changes(db)[::-1]
            self._submissions = {each.number: each for each in all_of(db, _RECENT)}
            self.queue: Sequence[Submission] = queue(db)
        words = [] if workers is None else ["--workers", str(workers)]
        words += [] if uid is None else ["--sandbox-uid", str(uid)]
        self.player = Companion("arena.serve.player", folder, words, self._hear_player, self._say)
        user = [] if uid is None else [str(uid)]
        self.intake = Companion("arena.handin.intake", folder, user, self._hear_intake, self._say)
        self.reader = LeagueReader(folder, self._say)
        self._playing: Word = Idle("It begins.")
        self._file_stamp: object = None
        self._news = asyncio.Event()
        self._told: set[str] = set()

    # --- what is known

    @property
    def hand_in(self) -> HandIn:
        """Who may hand in bots, and when."""
        return self.plan.hand_in

    @property
    def phase(self) -> Literal["before", "open", "closed"]:
        """Whether bots are taken now."""
        return phase(self.hand_in, datetime.now(UTC))

    @property
    def is_held_back(self) -> bool:
        """Whether new results are held back now from all but organizers."""
        return held_back_since(self.hand_in, datetime.now(UTC)) is not None

    @property
    def calendar(self) -> Calendar:
        """When bots are taken and results shown, and what was changed of that."""
        return calendar_of(self.hand_in, self.changes)

    def state(self, *, to_organizer: bool) -> str:
        """Return what is going on, in a sentence."""
        match self._playing:
            case Playing() | Progress():
                missing = counted(self._playing.missing, "match is", "matches are")
                return f"Matches are being played; {missing} missing."
            case Idle():
                return self._playing.why
            case Trouble() if to_organizer:
                return self._playing.what
            case _:
                return "Nothing is played: something is wrong that the organizer has to mend."

    async def db(
        self, do: Callable[Concatenate[HandIns, P], T], *words: P.args, **more: P.kwargs
    ) -> T:
        """Return what a function gives for the database of submissions, called in a thread."""

        def done() -> T:
            if not hasattr(self._opened, "db"):
                self._opened.db = HandIns(self.folder)
            return do(self._opened.db, *words, **more)

        return await asyncio.get_running_loop().run_in_executor(self._pool, done)

    def since(self, *, to_organizer: bool) -> str:
        """Return from when on results are held back from somebody, in ISO 8601; "" if none are."""
        since = held_back_since(self.hand_in, datetime.now(UTC))
        return "" if since is None or to_organizer else since.isoformat()

    async def table(self, *, to_organizer: bool) -> bytes:
        """Return the JSON of the table, as it was when results began to be held back, if they are.

        Raises UnansweredError if there is none.
        """
        since = self.since(to_organizer=to_organizer)
        return await self.reader.get(Asked(0, "table", since=since))

    # --- what happens

    async def run(self) -> None:
        """Keep the league played and read, and bots taken in, until all are told to end."""
        async with asyncio.TaskGroup() as tasks:
            looking = tasks.create_task(self._look())
            children = [
                tasks.create_task(each.run()) for each in (self.player, self.intake, self.reader)
            ]
            await asyncio.wait(children)
            looking.cancel()

    def stop(self) -> None:
        """Let the matches in play be the last, and all processes end."""
        self.player.end(line(EndPlay()))
        self.intake.end()
        self.reader.end()
        self.broadcast.close()

    def kill(self) -> None:
        """End all processes at once."""
        for each in (self.player, self.intake, self.reader):
            each.kill()

    def arrived(self) -> None:
        """Let the intake look at what waits, as something was handed in."""
        self.intake.tell(b"{}\n")

    def _hear_player(self, words: bytes) -> None:
        word = _read_word(words)
        match word:
            case Stopped():
                self._say(f"{word.bot} is suspended while the server runs: it {word.reason}.")
                return
            case Trouble():
                self._say_once(word.what)
                if word.again is None:
                    return
            case Playing() | Idle():
                self._told.clear()
            case Progress():
                pass
        self._playing = word

    def _hear_intake(self, words: bytes) -> None:
        """Look at once at what has become of submissions: the database says it all."""
        self._news.set()
        match json.loads(words):
            case {"event": "ready", "sandbox": str(name)}:
                self._say(f"What is handed in is unpacked and built in {name}.")
            case {"event": "ready", "problem": str(problem)}:
                self._say(
                    f"Nothing can be unpacked or built here, so that no archive is taken: {problem}"
                )
            case {"event": "trouble", "words": str(trouble)}:
                self._say_once(trouble)

    async def _look(self) -> None:
        """Notice what was changed, by whomever, and tell those who listen."""
        seen: object = None
        made = cost = 0.0
        state = ""
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_LOOK_SECONDS):
                    await self._news.wait()
            self._news.clear()
            await self._or_say(self._reread())
            await self._or_say(self._follow())
            asked = self._shown_table()
            found = self.reader.stamp(), asked
            if found != seen and monotonic() - made >= max(_LEAST_SECONDS, _TIMES * cost):
                seen, made = found, monotonic()
                await self._or_say(self.reader.get(asked, fresh=True))
                cost = monotonic() - made
                self.broadcast.tell("table", {})
            elif not isinstance(self._playing, Progress) and state != self._public_state:
                self.broadcast.tell("table", {})
            state = self._public_state

    @property
    def _public_state(self) -> str:
        return self.state(to_organizer=False)

    async def _or_say(self, doing: Awaitable[object]) -> None:
        """Do something; say why it is not possible, once, as it is tried again soon."""
        try:
            await doing
        except BusyError:
            self._say_once("The table could not be made in time; it is tried again.")
        except (ArenaError, UnansweredError) as error:
            self._say_once(str(error))

    def _say_once(self, words: str) -> None:
        if words not in self._told:
            self._told.add(words)
            self._say(words)

    def _shown_table(self) -> Asked:
        return Asked(0, "table", since=self.since(to_organizer=False))

    async def _reread(self) -> None:
        """Read the league's file anew; while it cannot be read, it counts as it was."""
        stamp = self.reader.file_stamp()
        if stamp == self._file_stamp:
            return
        loop = asyncio.get_running_loop()
        plan = await loop.run_in_executor(self._pool, read_asked, self.folder)
        self._file_stamp = stamp
        if plan.hand_in != self.plan.hand_in:
            self.plan = plan
            await self.db(note_calendar, plan.hand_in)
            self.changes = (await self.db(calendar_changes))[::-1]
        self.plan = plan

    async def _follow(self) -> None:
        """Tell authors what became of their submissions, and everybody that the queue moved."""
        now = {each.number: each for each in await self.db(all_of, _RECENT)}
        changed = [
            each
            for number, each in now.items()
            if _mark(each) != _mark(self._submissions.get(number))
        ]
        self._submissions = now
        if not changed:
            return
        self.queue = await self.db(queue)
        for each in changed:
            data = {"number": each.number, "state": each.state}
            self.broadcast.tell("submission", data, author=each.author)
        self.broadcast.tell("queue", {})
        if any(each.state == "playing" for each in changed):
            self.player.tell(line(ReadAnew()))


def _mark(submission: Submission | None) -> object:
    return submission and (submission.state, submission.step, submission.changed_at)

"""A league that is served: the processes beside it, what is known of it, and who is told."""

import asyncio
import contextlib
import json
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from time import monotonic
from typing import Concatenate, ParamSpec, TypeVar

import msgspec

from arena.handin.database import HandIns
from arena.handin.people import people
from arena.handin.stale import put_back, settle
from arena.handin.submissions import Submission, all_of, queue
from arena.handin.telling import unfit
from arena.league.file import read_asked
from arena.play.remotes import RemoteKey
from arena.serve.asking import LeagueReader
from arena.serve.broadcast import Broadcast
from arena.serve.child import Companion
from arena.serve.messages import (
    EndPlay,
    Here,
    Idle,
    Playing,
    Progress,
    Query,
    ReadAnew,
    Stopped,
    Trouble,
    Word,
    line,
    ranks_of,
)
from arena.serve.remote.homes import Homes
from arena.serve.sessions import Sessions
from arena.serve.shown import connected
from arena.serve.timetable import Timetable
from arena.text import counted
from protocol.errors import ArenaError, Refusal

P = ParamSpec("P")
T = TypeVar("T")

_LOOK_SECONDS = 0.5  # between looks at what other commands may have changed
_LEAST_SECONDS = 2.0  # between two tables ...
_TIMES = 5  # ... or so many times as long as one takes
_RECENT = 200  # submissions whose states are followed
_DECIDED = {"playing": "is accepted", "checked": "has passed", "refused": "is refused at {}"}
"""What the organizer is told of submissions, by the states in which they end."""

_read_word = msgspec.json.Decoder(Word).decode

Say = Callable[[str], None]


class Served:
    """One league of a server.

    Args:
        folder: of the league.
        name: in addresses.
        workers: how many matches are played at once; None for as many as have cores.
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
        self.say: Say = lambda text: say(f"{name}: {text}")
        """Called with sentences for the organizer."""
        self.timetable = Timetable(lambda: self.plan, self.say)
        settle(folder)
        self.plan = read_asked(folder)
        """What its file asks for, as it was read last."""
        self.broadcast = Broadcast()
        self._hooked = asyncio.Event()
        self._pool = pool
        self._opened = threading.local()
        with HandIns(folder, create=True) as db:
            db.sources.mkdir(exist_ok=True)
            self.sessions = Sessions(name, db.session_key())
            self.timetable.look_at_calendar(db)
            self._submissions = {each.number: each for each in all_of(db, _RECENT)}
            self.queue: Sequence[Submission] = queue(db)
            self.timetable.look_at_put_back(db)
        words = [] if workers is None else ["--workers", str(workers)]
        words += [] if uid is None else ["--sandbox-uid", str(uid)]
        self._here = Here([])
        self.player = Companion(
            "arena.serve.player",
            folder,
            words,
            self._hear_player,
            self.say,
            lambda: line(self._here),
        )
        user = [] if uid is None else [str(uid)]
        self.intake = Companion("arena.handin.intake", folder, user, self._hear_intake, self.say)
        self.reader = LeagueReader(folder, self.say)
        self.messenger = Companion(
            "arena.handin.messenger", folder, (), self._hear_messenger, self.say
        )
        self.homes = Homes(self)
        self._playing: Word = Idle("It begins.")
        self.left: tuple[int, int] | None = None
        """How many matches are asked for and how many of them are missing, as the player said last.

        None where only the table says so: as it is being read, or played by others.
        """
        self._progress = 0, ""  # of the submission of a number
        self._file_stamp: object = None
        self._news = asyncio.Event()
        self._told: set[str] = set()
        self._is_ending = False
        self._is_unreadable = False
        self._look_at_hook()

    # --- what is known

    def state(self, *, to_organizer: bool) -> str:
        """Return what is going on, in a sentence."""
        word = self._playing
        if isinstance(word, Trouble):
            what = "Nothing is played: something is wrong that the organizer has to mend."
            return word.what if to_organizer else what
        if isinstance(word, Playing | Progress) and word.is_final:
            return "The final is being played."
        if self.timetable.since(to_organizer=to_organizer):
            return "The table is frozen."
        return word.why if isinstance(word, Idle) else "Matches are being played."

    @property
    def is_open_to_remote(self) -> bool:
        """Whether a remote bot may be there: of an author, or one that the organizer entered."""
        plan = self.plan
        return bool(plan.hand_in.most.remote) or any(bot.remote_digest for bot in plan.bots)

    def progress_of(self, number: int) -> str:
        """Return how a submission is getting on, in words; empty unless it is being taken in."""
        return self._progress[1] if self._progress[0] == number else ""

    async def db(
        self, do: Callable[Concatenate[HandIns, P], T], *words: P.args, **more: P.kwargs
    ) -> T:
        """Return what a function gives for the database of submissions, called in a thread."""

        def done() -> T:
            if not hasattr(self._opened, "db"):
                self._opened.db = HandIns(self.folder)
            return do(self._opened.db, *words, **more)

        return await asyncio.get_running_loop().run_in_executor(self._pool, done)

    # --- what happens

    async def run(self) -> None:
        """Keep the league played and read, and bots taken in, until all are told to end."""
        async with asyncio.TaskGroup() as tasks:
            looking = tasks.create_task(self._look())
            calls = tasks.create_task(self.homes.run())
            runs = self.player.run(), self.intake.run(), self.reader.run(), self._run_messenger()
            await asyncio.wait([tasks.create_task(each) for each in runs])
            self.homes.close()
            looking.cancel()
            calls.cancel()

    def _look_at_hook(self) -> None:
        if self.plan.hand_in.hook:
            self._hooked.set()
            if problem := unfit(self.plan.hand_in.hook, self.folder):
                self.say(problem)

    async def _run_messenger(self) -> None:
        """Keep the messenger alive from when on there is a hook."""
        await self._hooked.wait()
        if not self._is_ending:
            await self.messenger.run()

    def stop(self) -> None:
        """Let the matches in play be the last, and all processes end."""
        self._is_ending = True
        self._hooked.set()
        self.player.end(line(EndPlay()))
        self.intake.end()
        self.reader.end()
        self.messenger.end()
        self.broadcast.close()

    def kill(self) -> None:
        """End all processes at once."""
        self._is_ending = True
        self._hooked.set()
        for each in (self.player, self.intake, self.reader, self.messenger):
            each.kill()

    def arrived(self) -> None:
        """Let the intake look at what waits, and at what the organizer has changed."""
        self.intake.tell(b"{}\n")

    def here(self, rooms: Mapping[RemoteKey, int]) -> None:
        """Say which remote bots are connected now, all of them, and for how many matches each."""
        self._here = Here([(*bot, room) for bot, room in rooms.items()])
        self.player.tell(line(self._here))

    def _hear_player(self, words: bytes) -> None:
        word = _read_word(words)
        match word:
            case Stopped():
                self.say(f"{word.bot} is suspended while the server runs: it {word.reason}.")
                return
            case Trouble():
                self._say_once(word.what)
                if word.again is None:
                    return
                self.left = None
            case Playing():
                self._told.clear()
                if not word.is_final:
                    self.left = word.asked, word.missing
                what = " of the final" if word.is_final else ""
                self.say(f"{counted(word.missing, 'match', 'matches')}{what} to play.")
            case Idle():
                self._told.clear()
                if word != self._playing:  # or nothing came of looking again
                    self.say(word.why)
                if self.left is not None and self.left[1]:
                    self.left = None  # there is another reason than that all was played
            case Progress():
                if not word.is_final and self.left is not None:
                    self.left = self.left[0], word.missing
        self._playing = word

    def _hear_intake(self, words: bytes) -> None:
        """Look at once at what has become of submissions: the database says all that lasts."""
        event = json.loads(words)
        if event["event"] == "progress":
            self._progress = event["number"], event["words"]
            return
        self._news.set()
        match event:
            case {"event": "ready", "problem": str(problem)}:
                self.say(f"Nothing can be unpacked here, so that no bot is taken: {problem}")
            case {"event": "ready", "build_problem": str(problem)}:
                self.say(f"Nothing can be built here; only ready programs are taken: {problem}")
            case {"event": "ready", "build_sandbox": str(name)}:
                self.say(f"What is handed in is built in {name}.")
            case {"event": "submission"} | {"event": "idle"}:
                self._progress = 0, ""
            case {"event": "trouble", "words": str(trouble)}:
                self._say_once(trouble)

    def _hear_messenger(self, words: bytes) -> None:
        """Tell the organizer that the hook fails."""
        self.say(str(json.loads(words)["words"]))

    async def _look(self) -> None:
        """Notice what was changed, by whomever, and tell those who listen."""
        seen: object = None
        made = cost = 0.0
        was_frozen = self.timetable.frozen
        state: object = None
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_LOOK_SECONDS):
                    await self._news.wait()
            self._news.clear()
            await self.refresh()
            await self._or_say(self._follow())
            await self._or_say(self._go_by_calendar())
            await self._or_say(self._end_listeners())
            frozen = self.timetable.frozen
            if frozen != was_frozen:
                seen, was_frozen = None, frozen
                self.broadcast.tell("table", {})
            stamp = self.reader.stamp()
            if stamp != seen and monotonic() - made >= max(_LEAST_SECONDS, _TIMES * cost):
                seen, made = stamp, monotonic()
                await self._or_say(self._renew_table(frozen))
                cost = monotonic() - made
                self.broadcast.tell("table", {}, organizers=bool(frozen))
            elif not isinstance(self._playing, Progress) and state != self._public_state:
                self.broadcast.tell("table", {})
            state = self._public_state

    async def refresh(self) -> None:
        """Read the league's file anew if it was changed; say why if that cannot be."""
        await self._or_say(self._reread())

    async def _renew_table(self, frozen: str) -> None:
        """Have the table that all see made anew, and hooks told by it."""
        self._tell_messenger(await self.reader.get(Query("table", since=frozen), fresh=True))

    @property
    def _public_state(self) -> object:
        return self.state(to_organizer=False), connected(self.homes.rows(to_organizer=False))

    async def _or_say(self, doing: Awaitable[object]) -> None:
        """Do something; say why it is not possible, once, as it is tried again soon."""
        try:
            await doing
        except Refusal:
            self._say_once("The table could not be made in time; it is tried again.")
        except ArenaError as error:
            self._say_once(str(error))

    def _say_once(self, words: str) -> None:
        if words not in self._told:
            self._told.add(words)
            self.say(words)

    def _tell_messenger(self, table: bytes = b"") -> None:
        """Let hooks be told what is new, by the ranks of a table too, unless those are secret."""
        if self.plan.hand_in.hook:
            is_secret = not table or self.timetable.frozen
            self.messenger.tell((b"{}" if is_secret else ranks_of(table)) + b"\n")

    async def _go_by_calendar(self) -> None:
        """Have the final made once it is due, and publish in time what may be known of it."""
        if await self.db(self.timetable.look_at_final):
            self.player.tell(line(ReadAnew()))

    async def _end_listeners(self) -> None:
        """End what whoever was removed or has another token still has, or strangers' streams."""
        if len(self.broadcast) or len(self.homes):
            known = set(await self.db(people))
            readers = self.plan.hand_in.readers
            self.broadcast.keep(lambda person: readers if person is None else person in known)
            self.homes.keep(known)

    async def _reread(self) -> None:
        """Read the league's file anew; while it cannot be read, it counts as it was."""
        stamp = self.reader.file_stamp()
        if stamp == self._file_stamp:
            return
        loop = asyncio.get_running_loop()
        try:
            await self.db(put_back)
            await self.db(self.timetable.look_at_put_back)
            plan = await loop.run_in_executor(self._pool, read_asked, self.folder)
        except ArenaError:
            self._is_unreadable = True
            raise
        if self._is_unreadable:
            self._is_unreadable = False
            self.say("league.toml can be read again.")
        self._file_stamp = stamp
        self.arrived()  # a bot may have been taken out, or put back
        if plan.hand_in != self.plan.hand_in:
            self.plan = plan
            await self.db(self.timetable.look_at_calendar)
            self._look_at_hook()
        self.plan = plan
        await self.homes.look()

    async def _follow(self) -> None:
        """Tell authors what became of their submissions, and everybody that the queue moved."""
        now = {each.number: each for each in await self.db(all_of, _RECENT)}
        before, self._submissions = self._submissions, now
        changed = [each for at, each in now.items() if _mark(each) != _mark(before.get(at))]
        if not changed:
            return
        self.queue = await self.db(queue)
        for each in changed:
            data = {"number": each.number, "state": each.state}
            self.broadcast.tell("submission", data, author=each.author)
            if how := _DECIDED.get(each.state):
                what = f"a check of {each.bot}" if each.only_check else each.bot
                how = how.format(each.step)
                self.say(f"submission {each.number} of {each.author}: {what} {how}.")
        self.broadcast.tell("queue", {})
        self._tell_messenger()
        if any(each.state == "playing" for each in changed):
            self.player.tell(line(ReadAnew()))


def _mark(submission: Submission | None) -> object:
    return submission and (submission.state, submission.step, submission.changed_at)

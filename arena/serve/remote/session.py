"""A session of a remote bot, which lasts over connections that break, and its copies in matches."""

import asyncio
import secrets
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from statistics import median
from time import monotonic
from typing import TypeAlias

import msgspec

from arena.handin.people import Person
from arena.serve.remote.line import HomeLine, LineEnd, unsound
from arena.text import safe
from protocol.errors import ProtocolError
from protocol.lines import BOT_LINE_BYTES
from protocol.remote import (
    Beat,
    BeginCopy,
    Bye,
    CallEnded,
    CallLine,
    CopyGone,
    CopyLine,
    Echo,
    EndCopy,
    FromAuthor,
    Letter,
    OfferSlots,
    Post,
    RemoteHello,
    ToMatch,
    Welcome,
    is_one_line,
)

_MOST_HELD = 4 * BOT_LINE_BYTES  # that a match has not read: more than its longest line


class RemoteCopy:
    """One copy: what comes from its author's machine is written to its match.

    Args:
        number: stands for it in its session.
        writer: to the match.

    """

    def __init__(self, number: int, writer: asyncio.StreamWriter) -> None:
        self.number = number
        self.has_answered = False
        """Whether it has said anything, as that it is ready."""
        self._writer = writer

    def take(self, line: str, trip: float | None) -> bool:
        """Pass a line on; return whether the match keeps up with what is written."""
        self.has_answered = True
        say_to_match(self._writer, CallLine(line=line, trip=trip))
        return self._writer.transport.get_write_buffer_size() <= _MOST_HELD

    def gone(self, how: str, stderr: str = "") -> None:
        """Say that the copy is there no more, and why, as what follows «it».

        Without a reason it hangs up: the match takes that for no doing of the bot.
        """
        if how:
            say_to_match(self._writer, CallEnded(how=how, stderr=stderr))
        self._writer.close()


def say_to_match(writer: asyncio.StreamWriter, words: ToMatch) -> None:
    """Write a message to a match, if it is still there."""
    if not writer.is_closing():
        writer.write(msgspec.json.encode(words) + b"\n")


NEAR_SECONDS = 5.0
"""For how long one that is cut off counts as there: most connections that break are soon back."""
_ROOM_SECONDS = 1.0  # in which the end of another match may make room
_TRIPS = 5  # round trips whose median is said
_FULL = 16 << 20  # characters of letters not seen, with which matches have to wait
_MUCH = 4 << 20  # characters, on either side, after which a beat comes early
_HOW = 300  # characters of why a copy ended
_FromHome: TypeAlias = CopyLine | CopyGone | OfferSlots | Bye
_FLOODED = "wrote lines that it was not asked for, more than its match keeps"


class HomeSession:
    """What one start of an author's program is to the league.

    Args:
        hello: by which it began.
        key: of its bot.
        person: whose token it came with.
        changed: called when its slots are others, or it is over.
        state: returns what goes on in the league, in a sentence.

    """

    def __init__(
        self,
        hello: RemoteHello,
        key: str,
        person: Person,
        changed: Callable[[], None],
        state: Callable[[], str],
    ) -> None:
        self.name = hello.bot
        self.key = key
        self.digest = hello.digest
        self.secret = hello.session
        self.person = person
        self.slots = hello.slots
        self.line: HomeLine | None = None
        """Its connection; None while it is away."""
        self.away_since = monotonic()
        self.trip: float | None = None
        """The round trip, in seconds, once it was measured."""
        self.is_over = False
        self.epoch = secrets.token_hex(16)
        """By it the author's program shows that it knows of this session: its welcome may be lost,
        and then what it has seen was of another one."""
        self.is_known = False
        """Whether the author's program has shown so: then no welcome was lost."""
        self._changed = changed
        self._state = state
        self._post = Post()
        self._copies: dict[int, RemoteCopy] = {}
        self._begun = 0
        self._trips: deque[float] = deque(maxlen=_TRIPS)
        self._beats: list[float] = []  # that were not echoed yet on this connection
        self._next: int | None = None  # the letter that must come next on it
        self._freed = asyncio.Event()  # there may be room for a copy
        self._seen = asyncio.Event()  # there may be room for letters
        self._came = 0  # characters of lines since the last beat

    # --- connections

    @property
    def seen(self) -> int:
        """The number of the last letter that has come."""
        return self._post.seen

    def go_on(self, hello: RemoteHello) -> None:
        """Go on as another connection begins; raise ProtocolError if the two do not fit."""
        self._post.forget(hello.seen)
        self._seen.set()
        self.slots = hello.slots

    def attach(self, line: HomeLine, welcome: Welcome) -> None:
        """Use a connection: send on it a first frame, and all that the other side has not seen."""
        self._beats, self._next = [], None
        self.line = line
        self._freed.set()
        line.put(welcome)
        for frame in self._post.unseen():
            line.put(frame)

    def detach(self) -> None:
        """Be without a connection; copies that are not ready yet are none, and nobody is blamed."""
        self.line, self.away_since = None, monotonic()
        for copy in [*self._copies.values()]:
            if not copy.has_answered:
                self.end(copy)
                copy.gone("")

    def beat(self) -> Beat:
        """Return the next beat."""
        at = round(monotonic(), 6)
        self._beats.append(at)
        self._came = 0
        return Beat(at=at, trip=self.trip, seen=self._post.seen, state=self._state())

    # --- copies

    @property
    def in_play(self) -> int:
        """How many copies there are."""
        return len(self._copies)

    @property
    def has_room(self) -> bool:
        """Whether another copy can begin now."""
        return self.line is not None and self.in_play < self.slots

    @property
    def is_near(self) -> bool:
        """Whether it is connected, or may be again in a moment."""
        return self.line is not None or monotonic() - self.away_since < NEAR_SECONDS

    async def wait_for_room(self) -> bool:
        """Return whether another copy can begin, if need be in a moment."""
        seconds = _ROOM_SECONDS if self.line is not None else NEAR_SECONDS
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self.is_near and not self.is_over and not self.has_room:
                    self._freed.clear()
                    await self._freed.wait()
        return self.has_room and not self.is_over

    def begin(self, writer: asyncio.StreamWriter) -> RemoteCopy:
        """Begin a copy for a match."""
        self._begun += 1
        copy = RemoteCopy(self._begun, writer)
        self._copies[copy.number] = copy
        self._send(BeginCopy(n=self._post.number(), copy=copy.number))
        return copy

    async def pass_on(self, copy: RemoteCopy, line: str) -> None:
        """Send a line of a match to its copy, once there is room among what was not seen yet."""
        while self._post.size > _FULL and copy.number in self._copies:
            self._seen.clear()
            await self._seen.wait()
        if copy.number in self._copies:
            self._send(CopyLine(n=self._post.number(), copy=copy.number, line=line))

    def end(self, copy: RemoteCopy) -> None:
        """End a copy of which nothing more is asked."""
        if self._drop(copy):
            self._send(EndCopy(n=self._post.number(), copy=copy.number))

    def _drop(self, copy: RemoteCopy) -> bool:
        """Forget a copy, if it is not forgotten yet, and wake who waits for it or for its room."""
        self._freed.set()
        self._seen.set()
        return self._copies.pop(copy.number, None) is not None

    def close(self, how: str) -> None:
        """End the session, and all its copies, for a reason that follows «it»; empty if not by it.

        Then nobody is blamed, and their matches go on later.
        """
        self.is_over = True
        copies, self._copies = self._copies, {}
        for copy in copies.values():
            copy.gone(how)
        self._freed.set()
        self._seen.set()
        self._changed()

    def _send(self, letter: Letter) -> None:
        """Send a letter, now or when there is a connection."""
        if self.is_over:
            return
        try:
            frame = self._post.hold(letter)
        except ProtocolError as error:
            self.fail(unsound(error))
            return
        if self.line is not None:
            self.line.put(frame)
            self._beat_early()

    def _beat_early(self) -> None:
        """Let each side know what the other has seen, if it keeps much for it."""
        is_much = self._post.size > _MUCH or self._came > _MUCH
        if is_much and self.line is not None and not self._beats:
            self.line.put(self.beat())

    def fail(self, end: LineEnd, *, is_blamed: bool = True) -> None:
        """End the session because of what is wrong with it, or, by no fault of its own, at all."""
        self.close(f"was cut off: {end.why}" if is_blamed else "")
        if self.line is not None:
            self.line.end(end)

    # --- what comes

    def hear(self, frame: FromAuthor) -> None:
        """Take a frame; raise ProtocolError for one that cannot be."""
        self.is_known = True
        match frame:
            case Echo():
                self._note(frame)
            case RemoteHello():
                raise ProtocolError("a second hello came")
            case _:
                if self._take(frame):
                    self._obey(frame)

    def _note(self, echo: Echo) -> None:
        if echo.at not in self._beats:
            raise ProtocolError("an echo came that answers no beat")
        self._beats = self._beats[self._beats.index(echo.at) + 1 :]
        self._trips.append(max(0.0, monotonic() - echo.at))
        self.trip = median(self._trips)
        self._post.forget(echo.seen)
        self._seen.set()
        self._beat_early()

    def _take(self, letter: _FromHome) -> bool:
        """Return whether a letter is new; raise ProtocolError if it is not the next here."""
        if self._next not in (None, letter.n):
            raise ProtocolError(f"letter {letter.n} came where {self._next} is next")
        self._next = letter.n + 1
        return self._post.take(letter)

    def _obey(self, letter: _FromHome) -> None:
        match letter:
            case CopyLine():
                copy = self._copy(letter.copy)
                self._came += len(letter.line)
                self._beat_early()
                if not is_one_line(letter.line):
                    raise ProtocolError("a line came that is too long, or several")
                if copy is not None and not copy.take(letter.line, self.trip):
                    self.end(copy)
                    copy.gone(_FLOODED)
            case CopyGone():
                if (copy := self._copy(letter.copy)) is not None:
                    self._drop(copy)
                    copy.gone(safe(letter.how)[:_HOW] or "ended", letter.stderr)
            case OfferSlots():
                self.slots = letter.slots
                self._freed.set()
                self._changed()
            case Bye():
                self.close("was ended by its author")
                if self.line is not None:
                    self.line.end(LineEnd("its author ended it"))

    def _copy(self, number: int) -> RemoteCopy | None:
        """Return a copy, None once it has ended; raise ProtocolError if it was never begun."""
        if number > self._begun:
            raise ProtocolError(f"copy {number} was never begun")
        return self._copies.get(number)

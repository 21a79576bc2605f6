"""The connection of a session to its league, which is made again whenever it breaks."""

import secrets
import select
from collections.abc import Callable
from functools import partial
from time import monotonic

from arena.author.submitting import Address
from arena.home.channel import Channel, Connecting
from arena.text import safe
from protocol.errors import ArenaError, Refusal, RunError
from protocol.remote import SILENCE_SECONDS

FIRST_PAUSE = 0.5
"""Seconds before the first try to connect again; each next one is twice as long ..."""
LONGEST_PAUSE = 10.0
"""... and no longer than this."""
_chance = secrets.SystemRandom()


class LeagueLine:
    """Says hello on each connection; whoever has the `poll` calls `ready`, `frames` and `keep`."""

    def __init__(
        self,
        address: Address,
        token: str,
        poll: select.poll,
        hello: Callable[[], str],
        tell: Callable[[str], None],
    ) -> None:
        """Connect with a token; `tell` is called once for each cut, with a sentence."""
        self._address = address
        self._token = token
        self._poll = poll
        self._hello = hello
        self._tell = tell
        self._channel: Channel | None = None
        self._opening: Connecting | None = None
        self._failure = ""  # why nothing more can be sent on this connection
        self._heard = 0.0  # when the league was heard last
        self._pause = FIRST_PAUSE
        self._next_try = 0.0
        self.was_welcome = False
        """Whether the league has said welcome on any connection."""
        self.is_welcome = False
        """... and on this one."""
        self.broke: float | None = None
        """When the last connection broke, on the clock of `monotonic`; None if there is one."""

    @property
    def has_more(self) -> bool:
        """Whether something may be there to read that a poll does not show."""
        channel = self._channel
        return channel is not None and (channel.has_more or bool(self._failure))

    @property
    def next_look(self) -> float:
        """When something is to be done, if nothing happens."""
        if self._channel is not None:
            return self._heard + SILENCE_SECONDS
        return self._next_try if self._opening is None else monotonic() + SILENCE_SECONDS

    def welcome(self) -> None:
        """Take note that the league has said welcome."""
        self.is_welcome = self.was_welcome = True
        self.broke = None

    def is_useful(self) -> None:
        """Take note that the connection was good for something: the next cut is another one."""
        self._pause = FIRST_PAUSE

    def ready(self, descriptor: int) -> bool:
        """Return whether a descriptor that is ready is the line's own; open it if it was made.

        Raises ArenaError if what is there at first is no arena, and RunError with what the league
        answered.
        """
        if self._opening is not None and descriptor == self._opening.fileno():
            self._open()
            return True
        return self._channel is not None and descriptor == self._channel.fileno()

    def keep(self) -> None:
        """Connect if there is no connection, and end one that is silent."""
        now = monotonic()
        if self._channel is not None:
            if now >= self._heard + SILENCE_SECONDS:
                self._cut(f"nothing was heard for {SILENCE_SECONDS:g} s")
            else:
                events = select.POLLIN | (select.POLLOUT if self._channel.is_full else 0)
                self._poll.modify(self._channel, events)
        elif self._opening is None and now >= self._next_try:
            self._opening = Connecting(self._address, self._token)
            self._poll.register(self._opening, select.POLLIN)

    def _open(self) -> None:
        """Say hello on a connection that was made; or see why it was not."""
        assert self._opening is not None
        self._poll.unregister(self._opening)
        opening, self._opening = self._opening, None
        try:
            self._channel = opening.take()
        except Refusal as error:
            is_away = self.was_welcome and not error.status  # that was an arena, and may be again
            if not (is_away or error.can_retry):
                raise (RunError if error.status else ArenaError)(str(error)) from None
            self._note_break(str(error))
            self._try_later()
            return
        self._poll.register(self._channel, select.POLLIN)
        self._heard = monotonic()
        self.send(self._hello())

    def leave(self, why: str, seconds: float) -> None:
        """End the connection, as the league asked for, and make it again after so long."""
        self._drop()
        self._note_break(why)
        self._next_try = monotonic() + seconds

    def _try_later(self) -> None:
        """Let some time pass before the next try, more each time."""
        self._next_try = monotonic() + self._pause * _chance.uniform(0.75, 1.25)
        self._pause = min(2 * self._pause, LONGEST_PAUSE)

    def _note_break(self, words: str) -> None:
        if self.broke is None:
            self.broke = monotonic()
            self._tell(words)

    def _cut(self, why: str) -> None:
        """Take note that the connection is no more."""
        self._drop()
        self._note_break(f"The connection broke: {safe(why)}.")
        self._try_later()

    def _drop(self, *, last: str = "") -> None:
        if self._channel is not None:
            self._poll.unregister(self._channel)
            self._channel.close(last=last)
            self._channel, self._failure = None, ""
        self.is_welcome = False

    def frames(self) -> list[bytes]:
        """Return what the league has sent, and send what waits for room; raise ProtocolError."""
        channel = self._channel
        if channel is None:
            return []
        try:
            found = channel.read()
        except ConnectionError as error:
            self._cut(str(error))
            return []
        if found:
            self._heard = monotonic()
        elif self._failure:
            self._cut(self._failure)
            return []
        self._note_failure(channel.write)
        return found

    def send(self, frame: str) -> None:
        """Send a frame if there is a connection.

        If that cannot be, it is cut, but not before all that came is read.
        """
        if self._channel is not None:
            self._note_failure(partial(self._channel.send, frame))

    def _note_failure(self, send: Callable[[], None]) -> None:
        try:
            send()
        except ConnectionError as error:
            self._failure = str(error)

    def end(self, *, last: str) -> None:
        """End the connection, after a last frame that is sent if there is one."""
        self._drop(last=last)
        if self._opening is not None:
            self._opening.drop()
            self._opening = None

"""A bot that runs at its author's: what his machine and a served league say over one websocket.

Each frame is one JSON object with a `type`. First the author's machine says `hello` and is answered
`welcome` or `declined`. From then on letters go both ways. They are numbered from 1 on each side of
a session and kept until the other side has seen them, so that a new connection of the same session
goes on where the last one broke: nothing is lost, and nothing comes twice. docs/remote.md explains
it.

Behind the server, a match and it say the same to each other over a socket of the machine, one
connection for each copy of a bot: the match sends `call` and is answered `taken` or `absent`. Then
lines go both ways. Closing it ends the copy.
"""

from collections import deque
from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import Meta

from protocol.errors import ProtocolError
from protocol.lines import BOT_LINE_BYTES, UNREADABLE, why_unreadable
from protocol.messages import Seconds, schemas_of

REMOTE_VERSION = 1
"""The version of what is said here; it grows only when older sides would break."""
BEAT_SECONDS = 5.0
"""How often the league's side says that it is there ..."""
SILENCE_SECONDS = 15.0
"""... and after how much silence each side takes the connection for broken."""
FRAME_LIMIT = 4 << 20
"""The longest frame, in bytes."""
MOST_UNSEEN = 32 << 20
"""Bytes of letters that one side keeps for the other; more, and the session is over."""
MOST_AT_ONCE = 1000
"""The most matches that one bot may play at once."""

_TEXT = 4000  # characters of a sentence or of a standard error

Seen = Annotated[int, Meta(ge=0, description="The number of the last letter that was seen.")]
Number = Annotated[int, Meta(ge=1, description="The letter's, from 1 on each side of a session.")]
Copy = Annotated[int, Meta(ge=1, description="Stands for one copy of the bot in the session.")]
Text = Annotated[str, Meta(max_length=_TEXT)]
Secret = Annotated[str, Meta(pattern=r"\A[0-9a-f]{32}\Z")]


class RemoteHello(msgspec.Struct, tag="hello", frozen=True, kw_only=True):
    """The first frame: which bot this is, and whether the session goes on."""

    version: Annotated[int, Meta(description="Of what is said here.")]
    bot: Annotated[str, Meta(min_length=1, max_length=40, description="Its name in the league.")]
    digest: Annotated[
        str, Meta(pattern=r"\A[0-9a-f]{64}\Z", description="The hash of its command and files.")
    ]
    session: Annotated[Secret, Meta(description="Drawn at random when the program starts.")]
    slots: Annotated[int, Meta(ge=0, le=MOST_AT_ONCE, description="Matches that it plays at once.")]
    epoch: Annotated[
        str, Meta(max_length=32, description="As the last welcome had it; empty before the first.")
    ]
    seen: Seen


class Welcome(msgspec.Struct, tag="welcome", frozen=True, kw_only=True):
    """The bot is expected, and its matches come."""

    league: Annotated[str, Meta(description="The league's name.")]
    goes_on: Annotated[
        bool, Meta(description="Whether the session is known; if not, it begins: copies end.")
    ]
    limits: Annotated[dict[str, Any], Meta(description="What the league allows the bot.")]
    epoch: Annotated[Secret, Meta(description="Drawn by the league where a session begins.")]
    seen: Seen


class Declined(msgspec.Struct, tag="declined", frozen=True, kw_only=True):
    """The connection is of no use; sent instead of a welcome, or later."""

    kind: Annotated[
        Literal["unknown", "busy", "replaced", "wrong"],
        Meta(
            description="`unknown`: the league has no such bot with this digest; `busy`: it is "
            "connected already; `replaced`: other files play in its place; `wrong`: anything else."
        ),
    ]
    what: Annotated[Text, Meta(description="What is wrong, in a sentence.")]
    remedy: Annotated[Text, Meta(description="What to do about it; may be empty.")] = ""
    after: Annotated[
        Seconds | None, Meta(description="Try again after so many seconds, if that can help.")
    ] = None


class Beat(msgspec.Struct, tag="beat", frozen=True, kw_only=True):
    """The league's side is there; it is answered at once by an echo."""

    at: Annotated[float, Meta(description="The sender's clock, to be echoed.")]
    trip: Annotated[
        Seconds | None, Meta(description="The round trip as measured last, in seconds.")
    ]
    seen: Seen
    state: Annotated[
        Text, Meta(description="What goes on in the league, in a sentence; may be empty.")
    ] = ""


class Echo(msgspec.Struct, tag="echo", frozen=True, kw_only=True):
    """The author's machine is there."""

    at: Annotated[float, Meta(description="As the beat has it.")]
    seen: Seen


class BeginCopy(msgspec.Struct, tag="begin", frozen=True, kw_only=True):
    """Start a copy of the bot, for one match.

    Which match that is, only its `start` tells, once the copy is ready: whoever knew it before
    could be away for the second match of a deal.
    """

    n: Number
    copy: Copy


class CopyLine(msgspec.Struct, tag="line", frozen=True, kw_only=True):
    """A line of the bots' protocol, to a copy or from it; without its newline."""

    n: Number
    copy: Copy
    line: Annotated[str, Meta(max_length=FRAME_LIMIT)]


class EndCopy(msgspec.Struct, tag="over", frozen=True, kw_only=True):
    """End a copy: nothing more is asked of it."""

    n: Number
    copy: Copy


class CopyGone(msgspec.Struct, tag="gone", frozen=True, kw_only=True):
    """A copy has ended by itself, or could not be started."""

    n: Number
    copy: Copy
    how: Annotated[Text, Meta(description="As what follows «it».")]
    stderr: Annotated[Text, Meta(description="The end of its standard error.")] = ""


class OfferSlots(msgspec.Struct, tag="slots", frozen=True, kw_only=True):
    """From now on the bot plays so many matches at once; 0 lets those in play be the last."""

    n: Number
    slots: Annotated[int, Meta(ge=0, le=MOST_AT_ONCE)]


class Bye(msgspec.Struct, tag="bye", frozen=True, kw_only=True):
    """The author's program ends: the session is over, and so are all copies."""

    n: Number


Letter: TypeAlias = BeginCopy | CopyLine | EndCopy | CopyGone | OfferSlots | Bye
"""What is numbered, and comes exactly once."""
FromLeague: TypeAlias = Welcome | Declined | Beat | BeginCopy | CopyLine | EndCopy
FromAuthor: TypeAlias = RemoteHello | Echo | CopyLine | CopyGone | OfferSlots | Bye


class Call(msgspec.Struct, tag="call", frozen=True, kw_only=True):
    """The first line, by the match: it needs a copy of a bot."""

    bot: str
    """The bot's key."""
    digest: str
    """Of the files that play, as its author's machine says it."""
    match: str
    """The match's id."""


class CallTaken(msgspec.Struct, tag="taken", frozen=True):
    """The answer: the copy is being started."""


class CallAbsent(msgspec.Struct, tag="absent", frozen=True):
    """The other answer: the bot is not there now, or has no copy left for this match."""


class CallLine(msgspec.Struct, tag="line", frozen=True, kw_only=True, omit_defaults=True):
    """A line of the bots' protocol, in either direction."""

    line: str
    trip: float | None = None
    """From the bot: the round trip to its author's machine, as measured last, in seconds."""


class CallEnded(msgspec.Struct, tag="ended", frozen=True, kw_only=True):
    """The last line, by the server: the copy is there no more."""

    how: str
    """As what follows «it»."""
    stderr: str = ""


ToMatch: TypeAlias = CallTaken | CallAbsent | CallLine | CallEnded
"""What the server says to a match."""

_encode = msgspec.json.Encoder().encode
read_call = msgspec.json.Decoder(Call).decode
read_call_line = msgspec.json.Decoder(CallLine).decode
read_to_match = msgspec.json.Decoder(ToMatch).decode
_from_league: msgspec.json.Decoder[FromLeague] = msgspec.json.Decoder(FromLeague)
_from_author: msgspec.json.Decoder[FromAuthor] = msgspec.json.Decoder(FromAuthor)


def encode_frame(frame: FromLeague | FromAuthor) -> str:
    """Return a frame as it is sent."""
    return _encode(frame).decode()


def read_from_league(frame: str | bytes) -> FromLeague:
    """Return a frame that the league has sent; raise ProtocolError with the reason."""
    try:
        return _from_league.decode(frame)
    except UNREADABLE as error:
        raise _unreadable(frame, error) from None


def read_from_author(frame: str | bytes) -> FromAuthor:
    """Return a frame that an author's machine has sent; raise ProtocolError with the reason."""
    try:
        return _from_author.decode(frame)
    except UNREADABLE as error:
        raise _unreadable(frame, error) from None


def _unreadable(frame: str | bytes, error: Exception) -> ProtocolError:
    data = frame.encode(errors="replace") if isinstance(frame, str) else frame
    return ProtocolError(why_unreadable(data, error))


def is_one_line(text: str) -> bool:
    """Return whether the text of a `line` can be one: no newline in it, and not too long."""
    return "\n" not in text and len(text.encode()) <= BOT_LINE_BYTES


class Post:
    """One side's letters of a session: those to be sent again, and which have come; pure."""

    def __init__(self) -> None:
        self.seen = 0
        """The number of the last letter that has come."""
        self._sent = 0
        self._held: deque[tuple[int, str]] = deque()  # what the other side may not have seen
        self.size = 0
        """Characters of the letters that the other side may not have seen."""

    def number(self) -> int:
        """Return the number of the next letter, which must be handed to `hold`."""
        return self._sent + 1

    def hold(self, letter: Letter) -> str:
        """Keep a letter until it is seen; return it as it is sent.

        Raises ProtocolError if too much is unseen.
        """
        assert letter.n == self._sent + 1
        frame = _encode(letter).decode()
        self._sent += 1
        self._held.append((letter.n, frame))
        self.size += len(frame)
        if self.size > MOST_UNSEEN:
            raise ProtocolError("the other side has not taken its letters for too long")
        return frame

    def take(self, letter: Letter) -> bool:
        """Return whether a letter that came is new; raise ProtocolError if one is missing."""
        if letter.n > self.seen + 1:
            raise ProtocolError(f"letter {letter.n} came after letter {self.seen}")
        is_new = letter.n == self.seen + 1
        self.seen += is_new
        return is_new

    def forget(self, seen: int) -> None:
        """Forget what the other side has seen; raise ProtocolError if it was never sent."""
        if seen > self._sent:
            raise ProtocolError(f"letter {seen} was never sent")
        while self._held and self._held[0][0] <= seen:
            self.size -= len(self._held.popleft()[1])

    def unseen(self) -> list[str]:
        """Return the letters to be sent again on a new connection, oldest first."""
        return [frame for _, frame in self._held]


def remote_schemas() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of all frames: one `$defs` entry each."""
    frames = (
        *(RemoteHello, Welcome, Declined, Beat, Echo),
        *(BeginCopy, CopyLine, EndCopy, CopyGone, OfferSlots, Bye),
    )
    return schemas_of(frames, f"Bot Arena remote bots, version {REMOTE_VERSION}")

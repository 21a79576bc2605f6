"""The doors of slow matches: their bots ask through one broker, and what is answered is kept."""

import base64
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

import msgspec

from arena.play.messages import Setup
from arena.schedule.deal import BotIndex
from arena.store.under_way import MatchesUnderWay, MatchUnderWay
from referee.door import ClientTerms, Door, DoorClient, DoorTerms, MadeRequest, SeenAnswer, Usage
from referee.match.evidence import Exchange
from referee.turn.bot_process import BotProcess
from referee.turn.starting import at_door


class Doorkeeper(msgspec.Struct, frozen=True):
    """What a league's door needs: its terms, the keys by variable, and what each bot has spent."""

    terms: DoorTerms
    keys: Mapping[str, str]
    spent: Mapping[str, float]
    bots: int
    """How many have a door."""


class _Kept:
    """The exchanges of one seat in a match; used on the door's thread."""

    def __init__(
        self, under_way: MatchesUnderWay, begun: MatchUnderWay, seat: int, bot: str
    ) -> None:
        self._under_way = under_way
        self._begun = begun
        self._seat = seat
        self._bot = bot
        self._numbers = count()

    def find(self, asked: MadeRequest) -> SeenAnswer | None:
        """Return what the request was answered before, or None."""
        found = self._under_way.answered(asked.idempotency_key)
        if found is None:
            return None
        next(self._numbers)
        return SeenAnswer(found.status, found.headers, _bytes_of(found.answer))

    def keep(self, asked: MadeRequest, answered: SeenAnswer, usage: Usage) -> None:
        """Keep what a request was answered, before the bot sees it."""
        exchange = Exchange(
            seat=self._seat,
            ask=len(self._begun.answers[self._seat]) + 1,
            at=next(self._numbers),
            origin=asked.origin,
            method=asked.method,
            path=asked.path,
            request=_text_of(asked.body),
            status=answered.status,
            headers=dict(answered.headers),
            answer=_text_of(answered.body),
            tokens_in=usage.tokens_in,
            tokens_out=usage.tokens_out,
            cost=usage.cost,
        )
        self._under_way.keep_exchange(self._begun, asked.idempotency_key, self._bot, exchange)


class Doors:
    """The open door of a league, for all matches of this process."""

    def __init__(
        self, setup: Setup, keeper: Doorkeeper, under_way: MatchesUnderWay, door: Door
    ) -> None:
        """Take a door that is open, and the file for its thread alone."""
        self.terms = keeper.terms
        self._setup = setup
        self._under_way = under_way
        self._door = door

    @contextmanager
    def at_door(
        self, match: str, begun: MatchUnderWay, seat: int, bot: BotIndex, process: BotProcess
    ) -> Iterator[DoorClient | None]:
        """Let a bot ask during its turns of a match; None if it has no door.

        At the end, what is still being asked for is waited for: it may cost something.
        """
        if process.door is None:
            yield None
            return
        key = self._setup.schedule.entrants[bot].key
        terms = ClientTerms(
            bot=key,
            name=self._setup.names[bot],
            entries=self._setup.limits_of(bot).door,
            exchanges=_Kept(self._under_way, begun, seat, key),
            key=f"{match} {seat}",
        )
        with at_door(self._door, process, terms, self.terms.timeout) as client:
            yield client


@contextmanager
def opened(
    setup: Setup,
    keeper: Doorkeeper | None,
    folder: Path,
    tell: Callable[[str], None],
) -> Iterator[Doors | None]:
    """Open a league's door; None if it has none.

    `folder` is that of the league. `tell` is called on the door's thread with what the organizer
    should know.
    """
    if keeper is None:
        yield None
        return
    with (
        MatchesUnderWay(folder) as own,
        Door(keeper.terms, keeper.keys, keeper.spent, bots=keeper.bots, tell=tell) as door,
    ):
        yield Doors(setup, keeper, own, door)


_BASE64 = "base64:"


def _text_of(body: bytes) -> str:
    with suppress(UnicodeDecodeError):
        text = body.decode()
        if not text.startswith(_BASE64):
            return text
    return _BASE64 + base64.b64encode(body).decode()


def _bytes_of(text: str) -> bytes:
    if text.startswith(_BASE64):
        return base64.b64decode(text.removeprefix(_BASE64))
    return text.encode()

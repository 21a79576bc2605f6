"""What is stored of a league, as it is read back; what cannot be is damage."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, NamedTuple, NewType, TypeAlias

import msgspec
from msgspec import Meta

from arena.league.bot import check_name
from arena.league.seed import league_key
from arena.schedule.deal import Rotations
from arena.schedule.formats import FormatName
from arena.store.columns import UNREADABLE, ListedRow, Reader, RecordRow, typed
from arena.store.result import Natural, Record, Spent
from arena.store.sqlite_file import Damage
from protocol.errors import ArenaError
from referee.catalog.identity import GameFacts
from referee.limits import MatchLimits
from referee.match.evidence import Evidence
from referee.match.opening import FixedOpening
from referee.match.replay import Replay
from referee.match.scoring import Number

_DIGITS = 16  # of a deal's id


class FixedSettings(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """What may not change once a match was played, defaults filled in."""

    game: str
    seats: Annotated[int, Meta(ge=2)]
    seed: str
    tournament: FormatName
    rotations: Rotations
    options: dict[str, Any]
    limits: MatchLimits
    facts: GameFacts | None = None
    """What is known of the game; exports of bundled games do not say."""
    code: str = ""
    """The hash of the game's code; they do not say it either."""
    opening: FixedOpening | None
    """What the deals begin with, if they begin with more than the first decision."""

    @property
    def key(self) -> str:
        """What all chance of the league comes from."""
        return league_key(self.game, self.seed)


BotRow = NewType("BotRow", int)
"""A bot's number in one database."""


@dataclass(frozen=True)
class BotVersion:
    """A bot that has played: its name, and the hash of what was run."""

    name: str
    version: str


class EnteredBot(NamedTuple):
    """What is stored of a version of a bot."""

    command: tuple[str, ...]
    is_bundled: bool
    """Whether it is dealt to by its key alone."""


class KnownBot(NamedTuple):
    """What is known of the files of a bot, so that they need not be read to know its version."""

    key: Annotated[str, "name"]
    digest: str
    """The hash of its command and files."""
    signature: str
    """What is another text if a file was changed; empty if that is not known."""

    @property
    def seal(self) -> str:
        """What stands beside it in the database, to prove it."""
        return hashlib.blake2b("\0".join(self).encode(), digest_size=8).hexdigest()


@dataclass(frozen=True)
class SeatedResult:
    """Who sat where, and the places, of all matches in which that was so; lists go by seat."""

    bots: tuple[BotVersion, ...]
    places: tuple[int, ...]


@dataclass(frozen=True)
class StoredMatch:
    """The result of a match as it is read back, without its record; every list goes by seat."""

    id: str
    deal: str
    number: int
    order: tuple[int, ...] | None
    """The rotations of its deal as they are played, if that is mirrored; None of others."""
    rotation: int
    bots: tuple[BotVersion, ...]
    places: tuple[int, ...]
    reason: str
    decisions: int
    faults: tuple[Mapping[str, int], ...]
    forfeits: tuple[int, ...]
    moves: int
    """What stands for the moves, see `digest_of`."""
    scores: tuple[Number, ...] | None = None
    """None where the game has none, or a seat forfeited."""
    numbers: Mapping[str, Number] | None = None
    """The match's own, by name; None likewise."""
    deal_row: int = field(default=0, compare=False, repr=False)
    """The number of the deal in its database, by which the record is found."""


Moment: TypeAlias = Annotated[str, Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\+00:00)?$")]
"""When a match was stored, to the second in UTC."""


@dataclass(frozen=True)
class Circumstances:
    """When, where and in which sandbox a match was played, and how long it took."""

    played_at: str
    machine: str
    sandbox: str
    seconds: float


@dataclass(frozen=True)
class WholeMatch:
    """All that is kept of a match; its record is opened when it is first looked into.

    That raises Damage, or what `explained` makes of it, if the record cannot be read.
    """

    match: StoredMatch
    clock: list[Spent]
    """The clock of each seat."""
    record: Record
    circumstances: Circumstances
    limits: MatchLimits | None = None
    """The limits of a match by itself; for one of a league they stand with the league."""
    explained: Callable[[], AbstractContextManager[None]] = field(
        default=nullcontext, repr=False, compare=False
    )
    """In which a record is opened: a store's says of damage which file it is in, and what to do."""

    @property
    def replay(self) -> Replay:
        """What was dealt and decided."""
        return self._opened[0]

    @property
    def evidence(self) -> Evidence:
        """What was measured."""
        return self._opened[1]

    @cached_property
    def _opened(self) -> tuple[Replay, Evidence]:
        with self.explained():
            try:
                return open_record(self.record)
            except Damage as damage:
                raise Damage(f"match {self.match.id}: {damage}") from None

    @property
    def names(self) -> list[str]:
        """The bots by seat."""
        return [bot.name for bot in self.match.bots]

    def check_seat(self, seat: int | None) -> None:
        """Raise ArenaError for a seat that the match has not."""
        if seat is not None and not 0 <= seat < self.replay.seats:
            seats = ", ".join(f"{number} {name}" for number, name in enumerate(self.names))
            raise ArenaError(f"match {self.match.id} has no seat {seat}; its seats: {seats}.")


def deal_number(name: str) -> int:
    """Return the number that stands in the database for a deal's id, 16 hexadecimal digits."""
    return int.from_bytes(bytes.fromhex(name), "big", signed=True)


def deal_name(number: int) -> str:
    """Return the id of a deal, given the number that stands for it."""
    return number.to_bytes(8, "big", signed=True).hex()


def deal_range(prefix: str) -> tuple[int, int]:
    """Return the first and the last number of the deals whose ids begin with a text.

    No deal lies between them if the text begins no id.
    """
    ends = prefix.ljust(_DIGITS, "0"), prefix.ljust(_DIGITS, "f")
    if not prefix or len(prefix) > _DIGITS or not set(prefix) <= set("0123456789abcdef"):
        return 1, 0
    return deal_number(ends[0]), deal_number(ends[1])


_read_seats = Reader("the bots of a result", list[BotRow])
_read_places = Reader("the places of a result", list[Annotated[int, Meta(ge=1)]])
_read_faults = Reader("the faults of a match", list[dict[str, Natural]])
_read_forfeits = Reader("the forfeits of a match", list[Natural])
_read_scores = Reader("the scores of a match", list[Number])
_read_own = Reader("the numbers of a match", dict[str, Number])
_read_clock = Reader("the clock of a match", list[Spent])
read_numbers = Reader("the results of a deal", list[int])
read_lineup = Reader("a line-up", list[tuple[str, str]])
read_command = Reader("the command of a bot", list[str])


def setting_of(key: str, text: str, kind: Any = Any) -> Any:
    """Return the value of a setting; raise Damage if it is not of a kind."""
    try:
        return msgspec.json.decode(text, type=kind)
    except UNREADABLE as error:
        raise Damage(f"the setting {key} cannot be read: {str(error).rstrip('.')}") from None


def settings_of(rows: Mapping[str, str]) -> FixedSettings:
    """Return all settings, given by key as they are stored; raise Damage if one is not right."""
    known = msgspec.structs.fields(FixedSettings)
    kinds = {each.name: each.type for each in known}
    for key in sorted({each.name for each in known if each.required} - rows.keys()):
        raise Damage(f"the setting {key} is missing")
    for key in sorted(rows.keys() - kinds.keys()):
        raise Damage(f"there is a setting {key!r}, which no league has")
    return FixedSettings(**{key: setting_of(key, rows[key], kinds[key]) for key in rows})


def check_bot(number: int, key: str, version: str, is_bundled: int = 0) -> None:
    """Raise Damage unless this is a bot that could have been entered."""
    try:
        check_name(key)
        int(version, 16)
    except (ArenaError, ValueError):
        raise Damage(f"bot {number} has a name or a version that no bot has") from None
    if is_bundled not in (0, 1):
        raise Damage(f"bot {number} is bundled or not, and not {is_bundled}")


def known_bot(row: Sequence[Any]) -> KnownBot:
    """Return what a row says of the files of a bot."""
    *words, seal = typed(row, tuple[str, str, str, str], "what is stored of a bot's files")
    found = KnownBot(*words)
    if found.seal != seal:
        raise Damage("what is stored of a bot's files was edited or damaged")
    return found


def seats_of(text: str) -> list[BotRow]:
    """Return the numbers of the bots of a result, by seat."""
    seats = _read_seats(text)
    if len(seats) < 2 or len(set(seats)) < len(seats):
        raise Damage("the bots of a result cannot be those of a match")
    return seats


def places_of(text: str, seats: int) -> list[int]:
    """Return the places of a result of so many bots, by seat."""
    places = _read_places(text)
    if len(places) != seats or max(places) > seats:
        raise Damage("the places of a result do not fit its bots")
    return places


def seated_result(seats: str, places: str, bots: Mapping[int, BotVersion]) -> SeatedResult:
    """Return a result, given the bots by their numbers."""
    numbers = seats_of(seats)
    found = places_of(places, len(numbers))
    seated = tuple(bots[number] for number in numbers if number in bots)
    if len(seated) < len(numbers):
        raise Damage("a bot of a result is missing")
    return SeatedResult(seated, tuple(found))


def stored_faults(
    faults: str | None, forfeits: str | None, seats: int
) -> tuple[list[dict[str, int]], list[int]]:
    """Return the faults by kind for each seat, and the seats that forfeited."""
    found = _read_faults(faults) if faults else [{} for _ in range(seats)]
    gone = _read_forfeits(forfeits) if forfeits else []
    if len(found) != seats:
        raise Damage("the faults of a match do not fit its seats")
    if gone and max(gone) >= seats:
        raise Damage("a forfeit names a seat that its match does not have")
    return found, gone


def stored_clock(text: str, seats: int) -> list[Spent]:
    """Return what the clock said of each seat."""
    clock = _read_clock(text)
    if len(clock) != seats:
        raise Damage("the clock of a match does not fit its seats")
    return clock


def stored_scores(text: str | None, seats: int) -> tuple[Number, ...] | None:
    """Return the scores by seat, if there are any."""
    if text is None:
        return None
    found = _read_scores(text)
    if len(found) != seats:
        raise Damage("the scores of a match do not fit its seats")
    return tuple(found)


def match_of(row: Sequence[Any], bots: Mapping[int, BotVersion]) -> StoredMatch:
    """Return the match of a row of the columns of `ListedRow`."""
    found = typed(row, ListedRow, "a match, or the deal or result it is of,")
    seated = seated_result(found.bots, found.places, bots)
    faults, forfeits = stored_faults(found.faults, found.forfeits, len(seated.bots))
    deal = deal_name(found.name)
    return StoredMatch(
        id=f"{deal}-{found.rotation}",
        deal=deal,
        number=found.number,
        order=None if found.rotations is None else tuple(read_numbers(found.rotations)),
        rotation=found.rotation,
        bots=seated.bots,
        places=seated.places,
        reason=found.reason,
        decisions=found.decisions,
        faults=tuple(faults),
        forfeits=tuple(forfeits),
        moves=found.moves,
        scores=stored_scores(found.scores, len(seated.bots)),
        numbers=None if found.numbers is None else _read_own(found.numbers),
        deal_row=found.deal_row,
    )


def whole_match(
    match: StoredMatch,
    clock: str,
    row: Iterable[Any],
    explained: Callable[[], AbstractContextManager[None]],
) -> WholeMatch:
    """Return a match with its clock, and its record from a row of the columns of `RecordRow`."""
    read = stored_clock(clock, len(match.bots))
    found = typed(row, RecordRow, f"the record of match {match.id}")
    circumstances = Circumstances(found.played_at, found.machine, found.sandbox, found.seconds)
    record = Record(found.replay, found.evidence, found.seconds)
    return WholeMatch(match, read, record, circumstances, explained=explained)


def open_record(record: Record) -> tuple[Replay, Evidence]:
    """Return the replay and the evidence of a match; raise Damage unless they fit together."""
    try:
        replay = record.open_replay()
    except UNREADABLE as error:
        raise Damage(f"its replay cannot be read: {error}") from None
    try:
        evidence = record.open_evidence()
    except UNREADABLE as error:
        raise Damage(f"its evidence cannot be read: {error}") from None
    if wrong := misfit(replay, evidence):
        raise Damage(wrong)
    return replay, evidence


def misfit(replay: Replay, evidence: Evidence) -> str:
    """Return why a replay and its evidence are not of one match; or nothing, as they are."""
    entries, seats = len(replay.entries), replay.seats
    lists = (
        *((name, entries, "entries", getattr(evidence, name)) for name in ("cpu", "wall", "lag")),
        *((name, seats, "seats", getattr(evidence, name)) for name in ("stderr", "conversations")),
        ("places", seats, "seats", replay.places),
        *([] if replay.scores is None else [("scores", seats, "seats", replay.scores)]),
    )
    for name, length, of, found in lists:
        if len(found) != length:
            return f"its record has {len(found)} {name} for {length} {of}"
    used = (
        *(*evidence.burners, *evidence.charged, *evidence.unfrozen),
        *(*evidence.trips, *evidence.memory_peak),
    )
    for seat in (*(entry.seat for entry in replay.entries), *used):
        if not 0 <= seat < seats:
            return f"its record has a seat {seat}, and there are {seats} seats"
    for number in evidence.waited:
        if not 0 <= number < entries:
            return f"its record has an entry {number}, and there are {entries} entries"
    return ""

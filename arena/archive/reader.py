"""Reads exported leagues: every line is checked against the header and its own replay."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, TypeVar

import msgspec

from arena.archive.export import VERSION, Header, MatchLine, digits, written
from arena.league.bot import check_name
from arena.schedule.deal import BotIndex, Deal, Entrant, Rotations, Schedule, first_bots
from arena.store.result import FOUND, PlayedMatch, Record, result_of
from arena.store.rows import BotVersion, FixedSettings, misfit, stored_clock
from arena.store.tournament import check_rounds
from arena.tables.results.file import STANDARD_INPUT
from arena.text import quoted
from protocol.errors import ArenaError
from referee.match.evidence import Evidence, Played
from referee.match.replay import Replay
from referee.rules.game import ranked

_LINE_LIMIT = 1 << 28  # bytes
_BEGINNING = '{"arena":"league","version":1,'
_EDITED = "the line was edited or damaged."

_json = msgspec.json.decode
_header = msgspec.json.Decoder(Header)
_match = msgspec.json.Decoder(MatchLine)

T = TypeVar("T", bound=Header | MatchLine)


@contextmanager
def open_archive(path: Path) -> Iterator["Archive"]:
    """Open an exported league, `-` for standard input; raise ArenaError if that is none."""
    if path != STANDARD_INPUT:
        with _opened(path) as stream:
            yield Archive(str(path), stream)
    else:
        yield Archive("standard input", sys.stdin.buffer)


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except FileNotFoundError:
        raise ArenaError(
            f"there is no file {str(path)!r}; `arena export LEAGUE FILE` writes one."
        ) from None
    except IsADirectoryError:
        raise ArenaError(
            f"{path} is a folder; `arena export {quoted(path)} FILE` makes a file of a league."
        ) from None
    except OSError as error:
        raise ArenaError(f"{path} cannot be read: {error.strerror}.") from None


class Archive:
    """The lines of an exported league, read once from front to end.

    Raises ArenaError with file and line for what `arena export` would not have written.
    """

    def __init__(self, name: str, stream: BinaryIO) -> None:
        self.name = name
        self._stream = stream
        self._number = 0
        self.header = self._read_header()
        self._bots = set(self.header.versions)

    def matches(
        self, index: Mapping[BotVersion, BotIndex]
    ) -> Iterator[tuple[MatchLine, PlayedMatch]]:
        """Yield every match as it was written and as it is stored, its bots by `index`."""
        seen = set()
        for text in self._lines():
            line = self._decoded(text, _match)
            played = self._checked(line, index)
            if line.match in seen:
                raise self.error(
                    f"match {line.match} is here for the second time; take one of them out."
                )
            seen.add(line.match)
            yield line, played
        if len(seen) != self.header.matches:
            raise self.error(
                f"the file ends after {len(seen)} of {self.header.matches} matches: it was cut "
                f"off, or edited. Export the league again; or, if you took out or added lines "
                f'on purpose, correct the number "matches" in the first line.'
            )

    def error(self, what: str, line: int | None = None) -> ArenaError:
        """Return the error about a line, the last that was read if none is named."""
        return ArenaError(f"{self.name}:{line or self._number}: {what}")

    def _lines(self) -> Iterator[bytes]:
        while text := self._next_line():
            self._number += 1
            if len(text) > _LINE_LIMIT:
                raise self.error(
                    f"the line has more than {_LINE_LIMIT >> 20} MiB; no match is so long."
                )
            if text.strip():
                yield text

    def _next_line(self) -> bytes:
        try:
            return self._stream.readline(_LINE_LIMIT + 1)
        except OSError as error:
            raise ArenaError(f"{self.name} cannot be read: {error.strerror}.") from None

    def _read_header(self) -> Header:
        text = next(self._lines(), None)
        if text is None:
            raise ArenaError(f"{self.name} is empty; `arena export` writes what can be imported.")
        try:
            found = _json(text)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict) or found.get("arena") != "league":
            raise self.error(_no_header(found, text))
        version = found.get("version")
        if isinstance(version, int) and version > VERSION:
            raise self.error(
                f"written by a newer Bot Arena (version {version} of these lines, this one reads "
                f"{VERSION}). Use the newer one."
            )
        header = self._decoded(text, _header)
        if len(header.versions) < len(header.bots):
            raise self.error("one version of a bot is listed twice.")
        for bot in header.bots:
            try:
                check_name(bot.name)
            except ArenaError as error:
                raise self.error(str(error)) from None
        try:
            check_rounds(header.drawn, header.settings)
        except ArenaError as error:
            raise self.error(f"{str(error).rstrip('.')}; {_EDITED}") from None
        drawn = {BotVersion(*bot) for each in header.drawn for bot in each.drawn.field}
        if not header.versions.keys() >= drawn:
            raise self.error(f"a bot of a round is not among the bots; {_EDITED}")
        return header

    def _decoded(self, text: bytes, decoder: msgspec.json.Decoder[T]) -> T:
        try:
            found = decoder.decode(text)
            again = written(found)
            if again != text.rstrip() and _json(again) != _json(text):
                raise self.error(f"its keys are not those of version {VERSION} of these lines.")
        except msgspec.ValidationError as error:
            raise self.error(f"not what `arena export` writes: {error}.") from None
        except (ValueError, RecursionError, OverflowError) as error:
            if text.endswith(b"\n"):
                raise self.error(f"not JSON: {error}.") from None
            raise self.error(
                "the file was cut off in the middle of this line; export the league again."
            ) from None
        return found

    def _checked(self, line: MatchLine, index: Mapping[BotVersion, BotIndex]) -> PlayedMatch:
        """Return the match of a line; raise ArenaError unless all of it fits together."""
        for bot in line.bots:
            if bot not in self._bots:
                raise self.error(f"bot {bot.name!r}, version {bot.version}, is not in the header.")
        settings = self.header.settings
        self._check_schedule(line, settings)
        replay, seats = line.replay, settings.seats
        if not _is_whole(replay, line.evidence, seats):
            raise self.error(f"match {line.match}: the replay is not that of a match; {_EDITED}")
        if (replay.game, replay.options) != (settings.game, settings.options):
            raise self.error(f"match {line.match}: the replay is of another league; {_EDITED}")
        if (replay.opening is None) != (settings.opening is None):
            raise self.error(f"match {line.match}: its opening is missing, or too many; {_EDITED}")
        played = Played(replay, line.evidence)
        result = result_of(
            played,
            deal=line.match.rpartition("-")[0],
            number=line.deal,
            order=line.order,
            rotation=line.rotation,
            bots=tuple(index[bot] for bot in line.bots),
        )
        wrong = [name for name in FOUND if getattr(line, name) != getattr(result, name)]
        clock = [msgspec.structs.astuple(spent) for spent in stored_clock(result.clock, seats)]
        if line.clock != clock:
            wrong.append("clock")
        if line.moves != digits(result.moves):
            wrong.append("moves")
        if wrong:
            raise self.error(
                f"match {line.match}: {wrong[0]!r} is not what its replay says; {_EDITED}"
            )
        return PlayedMatch(result, Record.of(played, line.seconds))

    def _check_schedule(self, line: MatchLine, settings: FixedSettings) -> None:
        """Raise ArenaError unless the league's schedule has this match."""
        lineup = tuple(
            sorted(
                (bot.name, bot.version, self.header.versions[bot].is_bundled) for bot in line.bots
            )
        )
        if len({key for key, *_ in lineup}) != settings.seats or len(lineup) != settings.seats:
            raise self.error(f"match {line.match}: {settings.seats} bots play a match; {_EDITED}")
        schedule = _schedule(settings.game, settings.key, settings.rotations, lineup)
        deal = Deal(first_bots(settings.seats), line.deal, line.order is not None)
        seated = line.rotation < schedule.rotation_count and tuple(
            lineup[bot][:2] for bot in schedule.seating(deal, line.rotation)
        )
        if (
            line.match != schedule.match_id(deal, line.rotation)
            or line.order != schedule.order(deal)
            or line.replay.seed != schedule.seed(deal, line.rotation)
            or seated != tuple((bot.name, bot.version) for bot in line.bots)
        ):
            raise self.error(
                f"match {line.match} does not fit the seed and the bots of the header; {_EDITED}"
            )


@lru_cache(maxsize=4096)
def _schedule(
    game: str, key: str, rotations: Rotations, lineup: tuple[tuple[str, str, bool], ...]
) -> Schedule:
    """Return the schedule of a league in which only this line-up plays."""
    entrants = tuple(Entrant(*bot) for bot in lineup)
    return Schedule(game, key, len(entrants), rotations, entrants)


def _is_whole(replay: Replay, evidence: Evidence, seats: int) -> bool:
    """Return whether a replay and its evidence have the parts of a match of so many seats."""
    fits = not misfit(replay, evidence)
    return fits and replay.seats == seats and replay.places == ranked(replay.places)


_MARK = "\N{BYTE ORDER MARK}".encode()
_PACKED = {b"\x1f\x8b": "gzip", b"\xfd7zXZ": "xz", b"BZh": "bzip2", b"\x28\xb5\x2f\xfd": "zstd"}
"""How packed files begin, and the programs that unpack them."""


def _no_header(found: object, text: bytes) -> str:
    """Return what is wrong with a first line that is no header."""
    if isinstance(found, Mapping) and "replay" in found:
        return "the header is missing, which is the first line of every export."
    if packer := next((name for magic, name in _PACKED.items() if text.startswith(magic)), None):
        return f"this is compressed; `{packer} -dc FILE | arena import LEAGUE -` takes it in."
    if text.startswith(_MARK):
        return "it begins with a byte order mark; save it as UTF-8 without one."
    words = {word.strip().strip('"') for word in text.decode(errors="replace").split(",")}
    of_results = isinstance(found, Mapping) and not {"places", "bots"}.isdisjoint(found)
    if of_results or {"match", "bot", "place"} <= words:
        return (
            "this is a file of results from elsewhere. It cannot be imported, as it has no "
            "replays; `arena rank` reads it as it is."
        )
    return f"this is no exported league, whose first line begins {_BEGINNING}"

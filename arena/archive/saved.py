"""One match as a file: all that is kept of it, to be shown like a match of a league."""

import contextlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from arena.archive.feed import Feed
from arena.folders import unfinished
from arena.league.bot import Bot
from arena.league.finding import HUMAN
from arena.league.games import find_game
from arena.schedule.deal import first_bots
from arena.store.result import FOUND, Record, clock_of, result_of
from arena.store.rows import BotVersion, Circumstances, Moment, StoredMatch, WholeMatch, misfit
from arena.text import quoted
from protocol.errors import ArenaError, RunError
from protocol.messages import VERSION as PROTOCOL
from protocol.messages import Hello
from referee.catalog.finding import Source
from referee.limits import MatchLimits
from referee.match.evidence import Evidence, Played
from referee.match.match import starts
from referee.match.replay import Replay, game_of
from referee.rules.game import Game, ranked

VERSION = 1
MATCH = "play"
"""The id that bots are sent for a match outside a league."""

_OF_NO_DEAL: dict[str, Any] = {"deal": "", "number": 0, "order": None, "rotation": 0}
_SIZE_LIMIT = 1 << 28  # bytes


class SavedSeat(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The holder of one seat; a person has neither version nor command."""

    name: str
    version: str | None = None
    command: list[str] | None = None
    seed: Annotated[int, Meta(ge=0)]
    """The bot's own seed, which it gets in `start`."""


class SavedMatch(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The one object of the file; lists go by seat, times are as in an export."""

    arena: Literal["match"] = "match"
    version: Literal[1] = 1
    seats: list[SavedSeat]
    limits: MatchLimits
    replay: Replay
    evidence: Evidence
    seconds: Annotated[float, Meta(ge=0)]
    played_at: Moment
    machine: str
    sandbox: str
    source: Source | msgspec.UnsetType = msgspec.UNSET
    """Where its game comes from, if it is not bundled."""

    def game(self) -> type[Game]:
        """Return its game; raise ArenaError if it is not here, or the user has not agreed to it."""
        source = self.source
        if source is msgspec.UNSET or source.kind not in ("file", "program"):
            return find_game(self.replay.game)[0]  # what else it says is not to be relied on
        if not Path(source.path).is_absolute():
            raise ArenaError(f"the file does not say where the game {self.replay.game!r} lies.")
        named = f":{source.class_name}" if source.class_name else ""
        return find_game(f"{source.path}{named}")[0]

    @property
    def names(self) -> list[str]:
        """The names of those who sat there."""
        return distinct([seat.name for seat in self.seats])

    def opened(self) -> WholeMatch:
        """Return the match in the form in which it is shown."""
        played = Played(self.replay, self.evidence)
        result = result_of(played, bots=first_bots(len(self.seats)), **_OF_NO_DEAL)
        bots = zip(self.names, (seat.version or "" for seat in self.seats), strict=True)
        match = StoredMatch(
            id=MATCH,
            bots=tuple(BotVersion(*bot) for bot in bots),
            moves=result.moves,
            **{name: getattr(result, name) for name in FOUND},
            **_OF_NO_DEAL,
        )
        where = Circumstances(self.played_at, self.machine, self.sandbox, self.seconds)
        clock = clock_of(self.replay, self.evidence)
        return WholeMatch(match, clock, Record.of(played, self.seconds), where, self.limits)

    def feed(self, seat: int) -> Feed:
        """Return what a seat was sent.

        Raises ArenaError for a person's seat, and if the rules are not those that are here.
        """
        opened = self.opened()
        opened.check_seat(seat)
        holder = self.seats[seat]
        if holder.version is None:
            raise ArenaError(f"seat {seat} was played by a person, who was sent no messages.")
        seeds = [each.seed for each in self.seats]
        told = starts(game_of(self.replay, self.game()), MATCH, self.limits.time_control, seeds)
        hello = Hello(PROTOCOL, holder.name, self.limits.threads)
        return Feed(opened, self.game(), seat, self.limits, hello, told[seat])


def seated(bots: Sequence[Bot | None], seeds: Sequence[int]) -> list[SavedSeat]:
    """Return who sits where; None is a person."""
    return [
        SavedSeat(name=bot.name, version=bot.version, command=list(bot.command), seed=seed)
        if bot
        else SavedSeat(name=HUMAN, seed=seed)
        for bot, seed in zip(bots, seeds, strict=True)
    ]


def distinct(names: Sequence[str]) -> list[str]:
    """Return a different name for each seat, even if a bot plays itself."""
    return [f"{name}#{seat}" if names.count(name) > 1 else name for seat, name in enumerate(names)]


@dataclass(frozen=True)
class Target:
    """The file that a match is going to be saved in."""

    path: Path
    force: bool
    """Whether a file that is there may be replaced."""

    def check(self) -> None:
        """Raise ArenaError if the match could not be saved: better before it than after."""
        if self.path.exists() and not self.path.is_file():
            raise ArenaError(
                f"{self.path} is not a regular file; choose another name for the match."
            )
        if self.path.exists() and not self.force:
            raise ArenaError(
                f"{self.path} exists; choose another file, or write over it with --force."
            )
        if not os.access(self.path.resolve().parent, os.W_OK | os.X_OK):
            raise ArenaError(f"{self.path} cannot be written: its folder is missing or read-only.")

    def write(self, saved: SavedMatch) -> None:
        """Write the match, whole or not at all; raise RunError if that fails."""
        path = self.path.resolve()
        try:
            with unfinished(path) as folder:
                whole = folder / path.name
                with whole.open("xb") as stream:
                    stream.write(msgspec.json.encode(saved) + b"\n")
                    stream.flush()
                    os.fsync(stream.fileno())
                if path.exists() and not self.force:
                    raise RunError(f"{self.path} was made meanwhile; the match is not saved.")
                whole.rename(path)
        except OSError as error:
            raise RunError(f"{self.path} cannot be written: {error.strerror}.") from None


def read_match(path: Path) -> SavedMatch:
    """Return the match of a file; raise ArenaError, saying where, if that holds none."""
    try:
        with path.open("rb") as stream:
            text = stream.read(_SIZE_LIMIT + 1)
    except OSError as error:
        raise ArenaError(f"{path} cannot be read: {error.strerror}.") from None
    if len(text) > _SIZE_LIMIT:
        raise ArenaError(f"{path} has more than {_SIZE_LIMIT >> 20} MiB; no match is so long.")
    _check_kind(path, text)
    try:
        saved = msgspec.json.decode(text, type=SavedMatch)
        _check(saved)
    except (ValueError, RecursionError, OverflowError) as error:
        if not text.endswith(b"\n"):
            raise ArenaError(f"{path} was cut off after {len(text)} bytes: {error}.") from None
        raise ArenaError(f"{path}: {error}; the file was edited or damaged.") from None
    return saved


def _check_kind(path: Path, text: bytes) -> None:
    """Raise ArenaError for what `arena play` has not saved, or a newer one has."""
    if not text.strip():
        raise ArenaError(f"{path} is empty; `arena play GAME BOT... --save FILE` writes a match.")
    found: object = None
    with contextlib.suppress(ValueError, RecursionError):
        found = msgspec.json.decode(text)
    if isinstance(found, Mapping) and found.get("arena") == "match":
        version = found.get("version")
        if isinstance(version, int) and version > VERSION:
            raise ArenaError(
                f"{path}: written by a newer Bot Arena (version {version} of this file, this one "
                f"reads {VERSION}). Use the newer one."
            )
        return
    if text.startswith(b'{"arena":"match"'):
        return  # the decoder says what is damaged in it
    if text.startswith(b'{"arena":"league"'):
        raise ArenaError(
            f"{path} is an exported league; `arena import NEW {quoted(path)}` makes it the "
            f"league NEW."
        )
    raise ArenaError(
        f'{path} is not a saved match, which begins {{"arena":"match". `arena show` reads the '
        f"folder of a league, or a file that `arena play --save FILE` wrote."
    )


def _check(saved: SavedMatch) -> None:
    """Raise ValueError unless all of a match fits together."""
    replay, evidence = saved.replay, saved.evidence
    if len(saved.seats) != replay.seats or replay.seats < 2:
        raise ValueError(f"it names {len(saved.seats)} seats, and its replay has {replay.seats}")
    if wrong := misfit(replay, evidence):
        raise ValueError(wrong)
    if replay.places != ranked(replay.places):
        raise ValueError("the places of its replay cannot be those of a match")

"""A league as JSON lines: a header, then a line for each match."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta
from msgspec.structs import astuple

from arena.league.plan import DATABASE
from arena.schedule.deal import PAIRS_LIMIT
from arena.store.opening import read_played
from arena.store.result import FOUND
from arena.store.rounds import StoredRound
from arena.store.rows import (
    BotVersion,
    Circumstances,
    EnteredBot,
    FixedSettings,
    Moment,
    WholeMatch,
)
from arena.store.store import Store
from arena.text import quoted
from protocol.errors import ArenaError
from referee.games import GAMES
from referee.match.evidence import Evidence
from referee.match.replay import Replay
from referee.match.scoring import Number

VERSION = 1

_encode = msgspec.json.Encoder().encode


class ExportedBot(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A version of a bot: `name` is what it was called when it entered the league."""

    name: str
    version: str
    command: list[str]
    is_bundled: bool


class Header(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The first line."""

    arena: Literal["league"] = "league"
    version: Literal[1] = 1
    settings: FixedSettings
    bots: list[ExportedBot]
    rounds: list[StoredRound] | msgspec.UnsetType = msgspec.UNSET
    """Those of a format that goes by results."""
    matches: Annotated[int, Meta(ge=0)]
    """How many lines follow, so that a file that was cut off does not pass for a whole one."""

    @property
    def fixed(self) -> dict[str, Any]:
        """The settings by key, as a league stores them."""
        limits = self.settings.limits.stored()
        return {**msgspec.to_builtins(self.settings), "limits": limits}

    @property
    def usual_options(self) -> dict[str, Any]:
        """The defaults of the game's options."""
        settings = self.settings
        if settings.facts is not None:
            return settings.facts.options
        is_here = settings.game in GAMES
        return msgspec.to_builtins(GAMES[settings.game].options_type()) if is_here else {}

    @property
    def drawn(self) -> list[StoredRound]:
        """Its rounds, if there are any."""
        return [] if self.rounds is msgspec.UNSET else self.rounds

    @property
    def versions(self) -> dict[BotVersion, EnteredBot]:
        """What a league stores of every bot."""
        return {
            BotVersion(bot.name, bot.version): EnteredBot(tuple(bot.command), bot.is_bundled)
            for bot in self.bots
        }


class MatchLine(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """Every other line: all that is kept of a match, in the keys of the file; lists go by seat."""

    match: str
    deal: Annotated[int, Meta(ge=0, lt=PAIRS_LIMIT)]
    """The number of the deal, counted for each line-up."""
    rotation: Annotated[int, Meta(ge=0)]
    order: tuple[int, ...] | None
    """The rotations of the deal as they are played, if it is mirrored; None of others."""
    bots: tuple[BotVersion, ...]
    places: tuple[int, ...]
    scores: tuple[Number, ...] | None = None
    numbers: dict[str, Number] | None = None
    reason: str
    decisions: int
    faults: tuple[dict[str, int], ...]
    forfeits: tuple[int, ...]
    moves: str
    clock: list[tuple[int, ...]]
    """The fields of `Spent` for each seat; older exports lack the last, the wall."""
    replay: Replay
    evidence: Evidence
    seconds: Annotated[float, Meta(ge=0)]
    played_at: Moment
    machine: str
    sandbox: str

    @property
    def circumstances(self) -> Circumstances:
        """When, where and in which sandbox it was played."""
        return Circumstances(self.played_at, self.machine, self.sandbox, self.seconds)


def exported(folder: Path) -> Iterator[bytes]:
    """Yield the lines of all that is stored in a league, whatever its file says by now.

    They are those of one moment, and a run may go on meanwhile. Raises ArenaError if there is
    nothing, or a record is damaged.
    """
    database = folder / DATABASE
    if not database.exists():
        read_played(folder)  # says it better if this is no league
    with Store(database) as store:
        count, matches = store.everything()
        bots = [
            ExportedBot(name=bot.name, version=bot.version, **found._asdict())
            for bot, found in store.bots.stored().items()
        ]
        header = Header(
            settings=_settings(folder, store),
            bots=bots,
            rounds=store.rounds.all() or msgspec.UNSET,
            matches=count,
        )
        yield written(header) + b"\n"
        for found in matches:
            yield written(_line(store, found)) + b"\n"


def written(line: Header | MatchLine) -> bytes:
    """Return a line of an export as it is written."""
    if isinstance(line, MatchLine):
        return _encode(line)
    said = msgspec.to_builtins(line, order="deterministic")
    said["settings"]["limits"] = line.settings.limits.stored()
    return _encode(said)


def _settings(folder: Path, store: Store) -> FixedSettings:
    settings = store.settings.all()
    if not settings:
        raise ArenaError(f"{folder} has no results yet; `arena run {quoted(folder)}` plays them.")
    try:
        found = msgspec.convert(settings, FixedSettings)
    except msgspec.ValidationError as error:
        raise ArenaError(f"{folder / DATABASE}: the settings are damaged: {error}.") from None
    if found.facts is None or found.facts.source.kind == "bundled":  # the same everywhere
        return msgspec.structs.replace(found, facts=None, code="")
    return found


def _line(store: Store, found: WholeMatch) -> MatchLine:
    match = found.match
    with store.db.explained():
        replay, evidence = found.replay, found.evidence
    return MatchLine(
        match=match.id,
        deal=match.number,
        rotation=match.rotation,
        order=match.order,
        bots=match.bots,
        moves=digits(match.moves),
        clock=[astuple(spent) for spent in found.clock],
        replay=replay,
        evidence=evidence,
        **{name: getattr(match, name) for name in FOUND},
        **asdict(found.circumstances),
    )


def digits(moves: int) -> str:
    """Return a number of 64 bits as text, which no reader of JSON rounds."""
    return f"{moves % (1 << 64):016x}"

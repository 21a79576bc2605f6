"""A league: one folder with `league.toml`, what to play, and `league.db`, what was played."""

import json
import re
import shlex
import tomllib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta

from arena.bot_files import LEAGUE_FILE, is_of_a_league
from arena.continuity import continued, unread
from arena.entries import (
    BotSettings,
    Purpose,
    bot_of,
    check_key_of,
    check_name_of,
    composed_entry,
)
from arena.roster import Bot, LostBot
from arena.schedule import Entrant, Outline, Rotations, Schedule
from arena.seed import NEWEST, Derivation, league_key
from arena.store import Store
from arena.writing import unwritten
from protocol.errors import ArenaError
from referee.game import Game, Options
from referee.games import GAMES
from referee.limits import Limits
from referee.options import (
    SettingError,
    check_seats,
    fields,
    read_options,
    read_settings,
    suggestion,
)
from referee.sandbox.sources import read_at_most

FILE = LEAGUE_FILE
DATABASE = "league.db"
_FILE_LIMIT = 8 << 20

T = TypeVar("T")


class LeagueFileError(ArenaError):
    """Something wrong in a league's file."""

    def __init__(self, where: str, what: str) -> None:
        super().__init__(f"{where}: {what}")
        self.what = what
        """The message without the file and the line."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """The top level of `league.toml`, its tables aside."""

    game: str
    seed: int | str
    seats: Annotated[int, Meta(ge=2)] | None = None
    deals: Annotated[int, Meta(ge=1)] = 50
    format: Literal["round-robin"] = "round-robin"
    rotations: Rotations = "cyclic"
    share: Annotated[float, Meta(gt=0, le=1)] = 1.0


@dataclass(frozen=True)
class League:
    """What a league's file asks for; bots are in the order of the schedule's entrants."""

    folder: Path
    settings: Settings
    game: type[Game]
    options: Options
    limits: Limits
    bots: tuple[Bot, ...]

    @property
    def seats(self) -> int:
        """How many seats a match has."""
        return self.settings.seats or self.game.seat_counts[0]

    @property
    def database(self) -> Path:
        """Where the results are."""
        return self.folder / DATABASE

    @property
    def lost(self) -> tuple[LostBot, ...]:
        """The bots that cannot be run; there are none in a league that was read to be played."""
        return tuple(bot for bot in self.bots if isinstance(bot, LostBot))

    @cached_property
    def derivation(self) -> Derivation:
        """How its chance comes from its seed: as it did when the first match was played."""
        if not self.database.exists():
            return NEWEST
        with self.store() as store:
            return store.derivation()

    @cached_property
    def schedule(self) -> Schedule:
        """Everything that is to be played, by the key that the seed is stretched to."""
        key = league_key(self.game.name, str(self.settings.seed), self.derivation)
        versions = [bot.version for bot in self.bots]
        return Schedule(**self._extent(versions), game=self.game.name, key=key)

    @cached_property
    def outline(self) -> Outline:
        """How much is to be played: known without the key, unless a share is chosen by it."""
        return self.schedule if self.settings.share < 1 else self.check_extent()

    def check_extent(self) -> Outline:
        """Return how much there is to play or choose from; raise ArenaError if it is too much.

        What the bots' files are does not matter for that.
        """
        return Outline(**self._extent([""] * len(self.bots)))

    def _extent(self, versions: Sequence[str]) -> dict[str, Any]:
        entrants = (
            Entrant(bot.key, version) for bot, version in zip(self.bots, versions, strict=True)
        )
        return {
            "seats": self.seats,
            "deals": self.settings.deals,
            "rotations": self.settings.rotations,
            "share": self.settings.share,
            "entrants": tuple(entrants),
        }

    def store(self, *, create: bool = False) -> Store:
        """Open the results, which call every bot by its present name."""
        return Store(self.database, create=create, names={bot.key: bot.name for bot in self.bots})

    def fixed(self) -> dict[str, Any]:
        """Return what the file may not change once a match was played, by key."""
        settings = self.settings
        return {
            "game": self.game.name,
            "seats": self.seats,
            "seed": str(settings.seed),
            "format": settings.format,
            "rotations": settings.rotations,
            "options": msgspec.to_builtins(self.options),
            "limits": msgspec.to_builtins(self.limits),
        }

    def conditions(self) -> dict[str, Any]:
        """Return all that is stored of how its matches are played: this, and the derivation."""
        return {**self.fixed(), "derivation": self.derivation}


def read_league(folder: Path, purpose: Purpose = "play") -> League:
    """Read a league that is to be played.

    Raises ArenaError with the line and the remedy if anything is wrong with the file, or with one
    of the bots, or if they are too few.
    """
    file, text = _file_of(folder)
    return settled(_read(file, text, purpose), trusting=purpose == "read")


def read_played(folder: Path) -> League:
    """Read a league for what was played in it; bots need not be there any more.

    One that cannot be found is the version of it that played last. Files that look as they did
    are not read again. Raises ArenaError if anything is wrong with the league's file itself.
    """
    return read_league(folder, "read")


def read_asked(folder: Path) -> League:
    """Read what a league's file asks for, whatever became of its bots and of its results."""
    file, text = _file_of(folder)
    return _read(file, text, "read")


def settled(league: League, *, trusting: bool = False) -> League:
    """Return a league whose bots are the versions under which its results are stored.

    See `continued`.
    """
    if not league.database.is_file() or not league.database.stat().st_size:
        return replace(league, bots=unread(league.bots))
    with league.store() as store:
        return replace(league, bots=continued(league.bots, store, trusting=trusting))


def _file_of(folder: Path) -> tuple[Path, str]:
    """Return the path and the text of a league's file; raise ArenaError if there is none."""
    file = folder / FILE
    if folder.is_file():
        raise ArenaError(
            f"{folder} is a file, and a league is a folder: name the one that it is in."
            if is_of_a_league(folder.name)
            else f"{folder} is a file, and a league is a folder. `arena rank` and `arena table` "
            f"read files of results."
        )
    if not folder.is_dir():
        raise ArenaError(f"there is no league {str(folder)!r}: no such folder.")
    if not file.is_file():
        _check_not_bereft(folder)
        raise ArenaError(f"{folder} is not a league: it has no {FILE}. `arena init` makes one.")
    try:
        return file, read_at_most(file, _FILE_LIMIT).decode("utf-8-sig")
    except OSError as error:
        raise ArenaError(f"{file} cannot be read: {error.strerror}.") from None
    except ValueError as error:
        raise ArenaError(f"{file}: not TOML: {error}") from None


def _check_not_bereft(folder: Path) -> None:
    """Raise ArenaError for a folder with results and no file that says of what."""
    if (folder / DATABASE).exists() and not (folder / FILE).exists():
        raise ArenaError(
            f"{folder / DATABASE} holds results, but {FILE} is gone. Put it back; or, if all bots "
            f"came along with the arena, make a new league of the results: `arena export "
            f"{shlex.quote(str(folder))} | arena import NEW -`."
        )


def _read(file: Path, text: str, purpose: Purpose) -> League:
    try:
        tables = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ArenaError(f"{file}: not TOML: {error}") from None
    return _Reader(file, text, purpose).league(tables)


class _Reader:
    """Turns the tables of one file into a league, and errors into lines of that file."""

    def __init__(self, file: Path, text: str, purpose: Purpose) -> None:
        self._file = file
        self._lines = text.splitlines()
        self._purpose: Purpose = purpose

    def league(self, tables: dict[str, Any]) -> League:
        options = self._table(tables, "options")
        limits = self._table(tables, "limits")
        bots = tables.pop("bot", [])
        if not isinstance(bots, list) or not all(isinstance(bot, dict) for bot in bots):
            raise self._error("bots are written as tables: [[bot]].", "bot")
        for name, value in tables.items():
            is_table = isinstance(value[0] if isinstance(value, list) and value else value, dict)
            if is_table and name not in fields(Settings):
                known = suggestion(name, ("options", "limits", "bot"))
                raise self._error(f"there is no table {name!r}. {known}", name)
        for name in tables:
            self._check_place(name)
        settings = self._read(Settings, tables, "key {}")
        game = self._game(settings.game)
        seats = settings.seats or game.seat_counts[0]
        self._checked(lambda: check_seats(game, seats), "seats")
        league = League(
            folder=self._file.parent,
            settings=settings,
            game=game,
            options=self._checked(lambda: read_options(game, options), table="options"),
            limits=self._read(Limits, limits, "limit {}", "limits"),
            bots=self._bots(bots, game.name),
        )
        if self._purpose != "read" and len(league.bots) < seats:
            raise self._error(
                f"{game.name} with {seats} seats needs at least {seats} bots; there are "
                f"{len(league.bots)}."
            )
        self._checked(league.check_extent)
        return league

    def _check_place(self, name: str) -> None:
        """Raise LeagueFileError for a key of the top level that belongs into a table."""
        homes = {"limits": fields(Limits), "[bot]": fields(BotSettings)}
        for table, known in homes.items():
            if name in known and name not in fields(Settings):
                raise self._error(f"{name!r} stands below [{table}], not above all tables.", name)

    def _table(self, tables: dict[str, Any], name: str) -> dict[str, Any]:
        table = tables.pop(name, {})
        if not isinstance(table, dict):
            raise self._error(f"{name} is a table: [{name}].", name)
        return table

    def _game(self, name: str) -> type[Game]:
        if name not in GAMES:
            raise self._error(f"there is no game {name!r}. {suggestion(name, GAMES)}", "game")
        return GAMES[name]

    def _bots(self, tables: Sequence[dict[str, Any]], game: str) -> tuple[Bot, ...]:
        entries = [
            composed_entry(self._read(BotSettings, table, "key {} of a bot", "bot", number))
            for number, table in enumerate(tables)
        ]
        for number, entry in enumerate(entries):
            self._checked(partial(check_name_of, entry, entries[:number]), "name", "bot", number)
        for number, entry in enumerate(entries):
            others = [*entries[:number], *entries[number + 1 :]]
            self._checked(partial(check_key_of, entry, others), "key", "bot", number)
        here = self._file.parent
        bots = (
            self._checked(
                partial(bot_of, entry, game, here, self._purpose), table="bot", nth=number
            )
            for number, entry in enumerate(entries)
        )
        return tuple(sorted(bots, key=lambda bot: bot.key))

    def _read(
        self, kind: type[Any], raw: dict[str, Any], what: str, table: str = "", nth: int = 0
    ) -> Any:
        return self._checked(lambda: read_settings(kind, raw, what), table=table, nth=nth)

    def _checked(self, read: Callable[[], T], key: str = "", table: str = "", nth: int = 0) -> T:
        """Return what `read` returns; add file and line to its error.

        The line is that of the entry the error is about, by default of `key`, or of the table.
        """
        try:
            return read()
        except ArenaError as error:
            key = error.key if isinstance(error, SettingError) else key
            raise self._error(str(error), key, table=table, nth=nth) from None

    def _error(self, message: str, key: str = "", table: str = "", nth: int = 0) -> LeagueFileError:
        line = self._line(key, table, nth)
        return LeagueFileError(f"{self._file}{f':{line}' if line else ''}", message)

    def _line(self, key: str, table: str, nth: int = 0) -> int:
        """Return the number of the line of a key in a table, of the table's header, or 0."""
        here = ""
        header = seen = 0
        for number, line in enumerate(self._lines, 1):
            if match := re.match(r"\s*\[+\s*([^\]\s]+)\s*\]+", line):
                here = match[1]
                if not table and here == key:
                    return number
                if here == table:
                    header = number if seen == nth else header
                    seen += 1
            elif (
                key
                and here == table
                and (not table or seen == nth + 1)
                and re.match(rf'\s*"?{re.escape(key)}"?\s*=', line)
            ):
                return number
        return header or (self._line(table, "") if table else 0)


def make_league(
    folder: Path,
    settings: Settings,
    options: Mapping[str, Any],
    limits: Mapping[str, Any],
    bots: Sequence[Mapping[str, Any]],
) -> League:
    """Make a league's folder and file, and return the league.

    Raises ArenaError if there is one already, or results of one, or if it could not be played;
    then nothing is left.
    """
    file = folder / FILE
    if file.exists():
        raise ArenaError(f"{file} exists; choose another folder, or edit that file.")
    _check_not_bereft(folder)
    made = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return write_league(folder, settings, options, limits, bots)
    except BaseException as error:  # Ctrl-C too: raised again once nothing is left
        _unmake(file, made)
        if isinstance(error, OSError):
            raise unwritten(file, error) from None
        raise


def write_league(
    folder: Path,
    settings: Settings,
    options: Mapping[str, Any],
    limits: Mapping[str, Any],
    bots: Sequence[Mapping[str, Any]],
) -> League:
    """Write a league's file, in place of the one that is there, and return the league.

    Raises ArenaError if it could not be played; then the old file is as it was.
    """
    if settings.game in GAMES:
        read_options(GAMES[settings.game], options)
    read_settings(Limits, limits, "limit {}")
    file = folder / FILE
    text = _text(settings, options, limits, bots)
    try:
        league = _read(file, text, "play")
    except LeagueFileError as error:
        raise ArenaError(error.what) from None
    new = folder / f".{FILE}"
    try:
        new.write_text(text, encoding="utf-8")
        new.replace(file)
    finally:
        new.unlink(missing_ok=True)
    return league


def _unmake(file: Path, folders: Sequence[Path]) -> None:
    """Remove a file, and folders that were made for it, as far as they are there."""
    with suppress(OSError):
        file.unlink()
    for folder in folders:
        with suppress(OSError):
            folder.rmdir()


def _text(
    settings: Settings,
    options: Mapping[str, Any],
    limits: Mapping[str, Any],
    bots: Sequence[Mapping[str, Any]],
) -> str:
    lines = [
        "# What this league is. `arena run` plays whatever it asks for that was not yet played.",
        "# Bots, deals and share may change at any time; for anything else, make a new league.",
        "",
        f"game = {_toml(settings.game)}",
        *([f"seats = {settings.seats}"] if settings.seats is not None else []),
        f"deals = {settings.deals}  # for each line-up of bots, in all rotations of the seats",
        f"seed = {_toml(settings.seed)}  # of all chance; keep it to yourself while strangers play",
        f"rotations = {_toml(settings.rotations)}  # cyclic, all or one",
        f"share = {settings.share}  # the part of the deals that is played",
        *_section("[options]", options),
        *_section("[limits]", limits),
    ]
    for bot in bots:
        lines += _section("[[bot]]", bot)
    return "\n".join(lines) + "\n"


def _section(header: str, entries: Mapping[str, Any]) -> list[str]:
    return ["", header, *(f"{key} = {_toml(value)}" for key, value in entries.items())]


def _toml(value: Any) -> str:
    """Return text, numbers, truth values and lists of them in TOML: here it is JSON."""
    text = json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if not text.isascii() and re.search("[\ud800-\udfff]", text):
        raise ArenaError(f"{value!r} is not UTF-8; a league's file can hold nothing else.")
    return text

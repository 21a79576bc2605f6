"""The file of a league, `league.toml`, read, with errors by line; `writing` writes it."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from arena.environment.settings import EnvironmentSettings
from arena.league.bot import Bot, DisqualifiedBot
from arena.league.contest import HandIn, check_contest
from arena.league.doors import check_door, check_hand_in, check_remote, check_remotes
from arena.league.entry import (
    BotSettings,
    Purpose,
    bot_of,
    check_key_of,
    check_name_of,
    check_reason,
    composed_entry,
)
from arena.league.files import LEAGUE_FILE, is_of_a_league, near_miss
from arena.league.games import find_game
from arena.league.openings import check_opening, opening_terms
from arena.league.plan import DATABASE, LeaguePlan
from arena.league.settings import Settings, check_anchor
from arena.schedule.formats import FORMATS
from arena.text import composed, not_toml, quoted, safe
from protocol.errors import ArenaError
from referee.catalog.finding import Source, find_source, is_path
from referee.catalog.identity import GameFacts, facts_of
from referee.door import DoorTerms
from referee.games import GAMES
from referee.limits import Limits, WorkLimits
from referee.program.file import Confinement
from referee.rules.game import Game
from referee.rules.options import (
    SettingError,
    check_seats,
    fields,
    read_options,
    read_settings,
    suggestion,
)
from referee.sandbox.sources import read_at_most

FILE = LEAGUE_FILE
_FILE_LIMIT = 8 << 20
_STRUCTS: dict[str, type[msgspec.Struct]] = {
    "limits": Limits,
    "build": WorkLimits,
    "environments": EnvironmentSettings,
    "door": DoorTerms,
    "hand_in": HandIn,
}
"""The tables that are read as they are into fields of a `LeaguePlan`."""
_TABLES = ("options", "opening", *_STRUCTS, *FORMATS)
"""All tables, but for those of bots."""


def read_asked(folder: Path, purpose: Purpose = "read") -> LeaguePlan:
    """Read what a league's file asks for, whatever became of its bots and of its results.

    Raises ArenaError with the line and the remedy if anything is wrong with the file, or, unless
    the purpose is to read, with one of the bots, or if they are too few.
    """
    file, text = file_of(folder)
    try:
        league = read_text(file, text, purpose)
    except SettingError as error:
        if not error.about:
            raise
        read_text(file, text, "read")  # or it raises what `arena remove` would, too
        out = f"`arena remove {quoted(folder)} {quoted(error.about)}`"
        remedy = f"Put that right, or take the bot out: {out}."
        raise SettingError(error.about, f"{error.what} {remedy}", error.where) from None
    if purpose != "read" and len(league.bots) < league.seats:
        raise ArenaError(
            f"{file}: {league.game.name} with {league.seats} seats needs at least {league.seats} "
            f"bots; there are {len(league.bots)}. `arena add {quoted(folder)} BOT...` enters some."
        )
    return league


def file_of(folder: Path) -> tuple[Path, str]:
    """Return the path and the text of a league's file; raise ArenaError if there is none."""
    file = folder / FILE
    if folder.is_file():
        raise ArenaError(
            f"{folder} is a file, and a league is a folder: name the folder that it is in."
            if is_of_a_league(folder.name)
            else f"{folder} is a file, and a league is a folder. `arena rank` and `arena table` "
            f"read files of results."
        )
    if not folder.is_dir():
        raise ArenaError(f"there is no league {str(folder)!r}: no such folder.")
    if not file.is_file():
        check_not_bereft(folder)
        near = near_miss((path.name for path in folder.iterdir()), FILE)
        raise ArenaError(
            f"{folder} is not a league: it has no {FILE}"
            + (f", but {safe(near)}: call that {FILE}." if near else ". `arena init` makes one.")
        )
    try:
        return file, read_at_most(file, _FILE_LIMIT).decode("utf-8-sig")
    except OSError as error:
        raise ArenaError(f"{file} cannot be read: {error.strerror}.") from None
    except ValueError:
        raise ArenaError(f"{file} is not UTF-8; save it as UTF-8.") from None


def check_not_bereft(folder: Path) -> None:
    """Raise ArenaError for a folder with results but without a league's file."""
    if (folder / DATABASE).exists() and not (folder / FILE).exists():
        raise ArenaError(
            f"{folder / DATABASE} holds results, but {FILE} is gone. Put it back; or, if all its "
            f"bots are bundled, make a new league from the results: `arena export "
            f"{quoted(folder)} | arena import NEW -`."
        )


def read_text(file: Path, text: str, purpose: Purpose) -> LeaguePlan:
    """Return what the text of a league's file asks for, whatever the file holds by now.

    Raises ArenaError as `read_asked` does: a SettingError unless it is no TOML, which is about a
    bot if that cannot be played with, and about nothing otherwise.
    """
    try:
        tables = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ArenaError(f"{file}{not_toml(text, error)}") from None
    return _Reader(file, text, purpose).league(tables)


class _Reader:
    """Turns the tables of one file into a league, and errors into lines of that file."""

    def __init__(self, file: Path, text: str, purpose: Purpose) -> None:
        self._file = file
        self._lines = text.splitlines()
        self._purpose: Purpose = purpose

    def league(self, tables: dict[str, Any]) -> LeaguePlan:
        found = {name: self._table(tables, name) for name in _TABLES if name in tables}
        bots = tables.pop("bot", [])
        if not isinstance(bots, list) or not all(isinstance(bot, dict) for bot in bots):
            raise self._error("bots must be tables: [[bot]].", "bot")
        settings = self._settings(tables, found)
        structs = {
            name: self._read(kind, found[name], _what(name), name)
            for name, kind in _STRUCTS.items()
            if name in found
        }
        form = settings.tournament
        league = LeaguePlan(
            folder=self._file.parent,
            settings=settings,
            game=unread(settings.game),
            options=found.get("options", {}),
            bots=(),
            tournament_options=self._read(
                FORMATS[form].options, found.get(form, {}), _what(form), form
            ),
            **{"limits": Limits(), **structs},
        )
        with self._at("door", "limits"):
            check_door("every bot", league.limits, league)
            check_remotes(league)
        with self._at("hook", "hand_in"):
            check_contest(league.hand_in)
            check_hand_in(league)
        with self._at("grants", "hand_in"):
            _ = league.hand_in.most.of(league.limits)
        opened = self._with_opening(league, found["opening"]) if "opening" in found else league
        whole = self._with_bots(self._with_game(opened), bots)
        if whole.game.seat_counts:
            with self._at():
                whole.check_format()
        return whole

    def _settings(self, rest: dict[str, Any], found: Mapping[str, Any]) -> Settings:
        """Return the settings, which are all that no table holds of those that were found."""
        for name, value in rest.items():
            if name in fields(Settings):
                continue
            if isinstance(value[0] if isinstance(value, list) and value else value, dict):
                known = suggestion(name, (*_TABLES, "bot"))
                raise self._error(f"there is no table {name!r}. {known}", name)
            for table, kind in (("limits", Limits), ("[bot]", BotSettings)):
                if name in fields(kind):
                    raise self._error(f"key {name!r} belongs below [{table}]; move it there.", name)
        settings: Settings = self._read(Settings, rest, "key {}")
        for name in found:
            if name in FORMATS and name != settings.tournament:
                raise self._error(
                    f"the tournament is {settings.tournament!r}, so that [{name}] does not count: "
                    f"take it out, or write tournament = {name!r}.",
                    name,
                )
        return settings

    def _with_game(self, league: LeaguePlan) -> LeaguePlan:
        """Return a league with its game as far as it is needed, and its options, if that was."""
        word, seats = league.settings.game, league.settings.seats
        if self._purpose != "read" or word in GAMES:
            confinement = Confinement(league.limits.sandbox)
            with self._at("game"):
                rules, source = find_game(word, league.folder, confinement)
            with self._at("seats"):
                check_seats(rules, seats or rules.seat_counts[0])
            with self._at(table="options"):
                return _with_rules(league, rules, source)
        if not league.database.exists():  # which would say what is known of the game
            with self._at("game"):
                find_source(word, league.folder)
        return league

    def _with_bots(self, league: LeaguePlan, tables: Sequence[dict[str, Any]]) -> LeaguePlan:
        """Return a league with its bots, each with limits that it can have there."""
        playing, disqualified = self._bots(tables, league.game.name)
        named = {bot.name: bot for bot in playing}
        entered = [composed(table["name"]) for table in tables]
        for number, name in enumerate(entered):
            if bot := named.get(name):
                with self._at("proc", "bot", number):
                    own = bot.grant.of(league.limits)
                with self._at("door", "bot", number):
                    check_door(f"bot {bot.name!r}", own, league)
                with self._at("remote", "bot", number):
                    check_remote(bot, league)
        with self._at("anchor"):
            names = [*named, *(bot.name for bot in disqualified)]
            check_anchor(league.settings.anchor, names)
        order = tuple(name for name in entered if name in named)
        return replace(league, bots=playing, disqualified=disqualified, order=order)

    def _with_opening(self, league: LeaguePlan, raw: dict[str, Any]) -> LeaguePlan:
        """Return a league with its openings; a book that is gone does not keep it from being read.

        Where it does, the error's line is that of the file's name.
        """
        with self._at(table="opening"):
            check_opening(raw)
        try:
            with self._at("file", "opening"):
                return replace(league, opening=opening_terms(raw, league.folder))
        except ArenaError as error:
            if self._purpose != "read":
                raise
            return replace(league, unread_book=str(error))

    def _table(self, tables: dict[str, Any], name: str) -> dict[str, Any]:
        table = tables.pop(name, {})
        if not isinstance(table, dict):
            raise self._error(f"{name} must be a table: [{name}].", name)
        return table

    def _bots(
        self, tables: Sequence[dict[str, Any]], game: str
    ) -> tuple[tuple[Bot, ...], tuple[DisqualifiedBot, ...]]:
        """Return the bots that play, and those that are disqualified, whose files do not matter."""
        entries = [
            composed_entry(self._read(BotSettings, table, "key {} of a bot", "bot", number))
            for number, table in enumerate(tables)
        ]
        for number, entry in enumerate(entries):
            with self._at("name", "bot", number):
                check_name_of(entry, entries[:number])
        for number, entry in enumerate(entries):
            with self._at("key", "bot", number):
                check_key_of(entry, [*entries[:number], *entries[number + 1 :]])
        disqualified = []
        for number, entry in enumerate(entries):
            if entry.disqualified is not None:
                with self._at("disqualified", "bot", number):
                    check_reason(entry.disqualified)
                key = entry.key or entry.name
                disqualified.append(DisqualifiedBot(entry.name, key, entry.disqualified))
        bots = []
        for number, entry in enumerate(entries):
            if entry.disqualified is None:
                with self._at(table="bot", nth=number, bot=entry.name):
                    bots.append(bot_of(entry, game, self._file.parent, self._purpose))
        return (
            tuple(sorted(bots, key=lambda bot: bot.key)),
            tuple(sorted(disqualified, key=lambda bot: bot.name)),
        )

    def _read(
        self, kind: type[Any], raw: dict[str, Any], what: str, table: str = "", nth: int = 0
    ) -> Any:
        with self._at(table=table, nth=nth):
            return read_settings(kind, raw, what)

    @contextmanager
    def _at(self, key: str = "", table: str = "", nth: int = 0, bot: str = "") -> Iterator[None]:
        """Add file and line to an error in this context.

        The line is that of the entry the error is about, by default of `key`, or of the table.
        """
        try:
            yield
        except ArenaError as error:
            key = error.about if isinstance(error, SettingError) else key
            raise self._error(str(error), key, table=table, nth=nth, bot=bot) from None

    def _error(
        self, message: str, key: str = "", table: str = "", nth: int = 0, bot: str = ""
    ) -> SettingError:
        line = self._line(key, table, nth)
        return SettingError(bot, message, f"{self._file}{f':{line}' if line else ''}")

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


def _what(table: str) -> str:
    """Return what an entry of a table is called in errors, with `{}` for its name."""
    return "limit {}" if table == "limits" else f"key {{}} of {table}"


def unread(word: str) -> GameFacts:
    """Return what is known of a game that a league's file names, before anything was looked at."""
    name = Path(word.partition(".py:")[0]).stem if is_path(word) else word
    return GameFacts(name=name, source=Source(word, "file"))


def with_game(league: LeaguePlan) -> LeaguePlan:
    """Return a league with its game loaded, so that matches can be played, or played again.

    Raises ArenaError if the game cannot be loaded, or the user has not agreed to it, or its
    options or seats are not those of the league any more.
    """
    if league.rules is not None:
        return league
    confinement = Confinement(league.limits.sandbox)
    rules, source = find_game(league.settings.game, league.folder, confinement)
    check_seats(rules, league.settings.seats or rules.seat_counts[0])
    return _with_rules(league, rules, source)


def _with_rules(league: LeaguePlan, rules: type[Game], source: Source) -> LeaguePlan:
    seats = league.settings.seats or rules.seat_counts[0]
    options = read_options(rules, league.options, seats)
    return replace(
        league,
        rules=rules,
        game=facts_of(rules, source),
        options=msgspec.to_builtins(options),
    )

"""The file of a league, `league.toml`, written: for a new league, or in place of what was there."""

import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from types import MappingProxyType
from typing import Any

from msgspec import structs

from arena.folders import whole_or_nothing
from arena.league.file import FILE, check_not_bereft, read_text
from arena.league.games import find_game
from arena.league.openings import check_opening, opening_in
from arena.league.plan import LeaguePlan
from arena.league.settings import Settings, comment_of
from arena.schedule.format_kinds import InRounds
from arena.schedule.formats import FORMATS, USUAL_DEALS
from arena.text import toml
from protocol.errors import ArenaError
from referee.limits import Limits
from referee.rules.options import SettingError, read_options, read_settings


def seed_of(word: str | None) -> int | str:
    """Return the seed that was asked for, or one that cannot be guessed."""
    if word is None:
        return secrets.randbelow(2**53)
    if not word:
        raise ArenaError("the seed is empty: leave it out, and one is drawn.")
    return int(word) if word.isdecimal() and len(word) < 20 else word


def make_league(
    folder: Path,
    settings: Settings,
    options: Mapping[str, Any],
    limits: Mapping[str, Any],
    bots: Sequence[Mapping[str, Any]],
    tournament_options: Mapping[str, Any] = MappingProxyType({}),
    opening: Mapping[str, Any] = MappingProxyType({}),
    others: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
    *,
    is_there: bool = False,
) -> LeaguePlan:
    """Make a league's folder and file, and return the league; an opening's file is named from here.

    A league that `is_there` gets another file. `others` are further tables by name, such as
    `build`. It may have too few bots as yet. Raises ArenaError if there is one already, or results
    of one, or if it could not be played for any other reason; then all is left as it was.
    """
    with nullcontext() if is_there else _new(folder):
        # As values first: in TOML, a wrong one might not be told as what it is.
        read_settings(Settings, structs.asdict(settings), "key {}")
        if settings.deals is not None and settings.matches_per_bot is not None:
            raise ArenaError(
                "deals and matches_per_bot both say how much is played: leave one out."
            )
        if settings.share != 1 and isinstance(FORMATS[settings.tournament], InRounds):
            raise ArenaError(
                f"share is of formats whose deals are known: {settings.tournament} has none."
            )
        read_options(find_game(settings.game, folder)[0], options)
        read_settings(Limits, limits, "limit {}")
        read_settings(
            FORMATS[settings.tournament].options,
            tournament_options,
            f"{settings.tournament} option {{}}",
        )
        if opening:
            check_opening(opening)
        if limits.get("door") and "door" not in others:  # or nobody could read the file again
            others = {**others, "door": {"allow": limits["door"]}}
        tables = {
            settings.tournament: tournament_options,
            "opening": opening_in(opening, folder),
            "options": options,
            "limits": limits,
            **others,
        }
        file, new = folder / FILE, folder / f".{FILE}"
        text = _text(settings, tables, bots)
        try:
            league = read_text(file, text, "play")
        except SettingError as error:
            raise ArenaError(error.what) from None
        league.check_openings()
        try:
            new.write_text(text, encoding="utf-8")
            new.replace(file)
        finally:
            new.unlink(missing_ok=True)
        return league


def _new(folder: Path) -> AbstractContextManager[None]:
    """Return what makes the folder of a league; nothing is left if that fails, or what is done.

    Raises ArenaError if a league is there, or its results.
    """
    file = folder / FILE
    if file.exists():
        raise ArenaError(f"{file} exists; choose another folder, or edit that file.")
    check_not_bereft(folder)
    return whole_or_nothing([file], file)


def _text(
    settings: Settings,
    tables: Mapping[str, Mapping[str, Any]],
    bots: Sequence[Mapping[str, Any]],
) -> str:
    lines = [
        "# What to play. `arena run` plays every match of it that was not played yet.",
        "# Bots, and how much is played, may change at any time; else make a new league.",
        "",
        *_settings(settings),
    ]
    for name, table in tables.items():
        if table or name not in (settings.tournament, "opening"):
            lines += _section(f"[{name}]", table)
    for bot in bots:
        lines += _section("[[bot]]", bot)
    return "\n".join(lines) + "\n"


def _settings(settings: Settings) -> Iterator[str]:
    """Yield the lines of the settings, but for those that are not asked for."""
    form = FORMATS[settings.tournament]
    usual = USUAL_DEALS[settings.tournament] if settings.deals is None else settings.deals
    given = {**structs.asdict(settings), "deals": usual}
    if settings.matches_per_bot is not None:
        del given["deals"], given["share"]
    elif isinstance(form, InRounds):
        del given["share"]
    for name, value in given.items():
        if value not in (None, {}):
            comment = form.deals_are if name == "deals" else comment_of(name)
            yield f"{name} = {_toml(value)}{'  # ' if comment else ''}{comment}"


def _section(header: str, entries: Mapping[str, Any]) -> list[str]:
    return ["", header, *(f"{key} = {_toml(value)}" for key, value in entries.items())]


def _toml(value: Any) -> str:
    """Return a value in TOML; raise ArenaError for text that is not UTF-8."""
    text = toml(value)
    if not text.isascii() and re.search("[\ud800-\udfff]", text):
        raise ArenaError(f"{value!r} is not UTF-8; a league's file can hold nothing else.")
    return text

"""The command that makes a league: init."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

import click
from msgspec import inspect
from msgspec.structs import FieldInfo

from arena.cli import completion, main
from arena.cli.foreseen import foreseen, tell_idle, tell_plan, tell_unplayable, warn_guessable
from arena.cli.options import (
    PATH,
    added,
    anchor_word,
    default_workers,
    game_option,
    grouped,
    limit_option,
    limits_beside,
    listed,
    opening_options,
    opening_words,
    options_option,
    sandbox_option,
    values_option,
)
from arena.cli.plain import keep_made, made_of_plain
from arena.cli.saying import say
from arena.league.entry import entries_of
from arena.league.file import FILE
from arena.league.games import find_game, word_in
from arena.league.hints import wishes
from arena.league.plan import LeaguePlan
from arena.league.settings import Settings
from arena.league.writing import make_league, seed_of
from arena.schedule.formats import FORMATS
from arena.store.tournament import Tournament, asked_deals
from arena.store.versions import twins
from arena.text import quoted, safe
from referee.rules.options import fields

_LONG_CHOICE = 50  # characters of words beyond which they stand in the help, not in the option


def _asked_settings(game: str, **words: Any) -> Settings:
    """Return the settings of a game that these words mean; raise ArenaError if they mean none."""
    anchor = dict([anchor_word(words["anchor"])] if words["anchor"] else [])
    return Settings(game=game, **{**words, "anchor": anchor, "seed": seed_of(words["seed"])})


def _option(field: FieldInfo) -> dict[str, Any]:
    """Return what click is to know of a setting."""
    info = inspect.type_info(field.type)
    assert isinstance(info, inspect.Metadata)
    option = {"help": (info.extra_json_schema or {})["description"], **_kind(info.type)}
    if isinstance(info.type, inspect.LiteralType):  # in the order in which they are written
        words = [*get_args(get_args(field.type)[0])]
        option["type"] = click.Choice(words)
        if len("|".join(words)) > _LONG_CHOICE:
            option |= {"metavar": "NAME", "help": f"{option['help']} One of {', '.join(words)}."}
    if isinstance(field.default, str) or type(field.default) is float:
        option |= {"default": field.default, "show_default": True}
    return option


def _kind(kind: inspect.Type) -> dict[str, Any]:
    """Return how a word of this type is read."""
    kinds = kind.types if isinstance(kind, inspect.UnionType) else (kind,)
    match kinds[0]:
        case inspect.BoolType():
            return {"is_flag": True}
        case inspect.DictType():
            return {"metavar": "BOT=ELO"}
        case inspect.IntType() if not any(isinstance(each, inspect.StrType) for each in kinds):
            return {"type": int}
        case inspect.FloatType():
            return {"type": float}
    return {}


_settings_options = added(
    *(
        click.option(f"--{name.replace('_', '-')}", **_option(field))
        for name, field in fields(Settings).items()
        if name != "game"
    )
)
"""The settings, but for the game; `_asked_settings` reads them."""


@main.command()
@click.argument("league", type=PATH)
@click.argument("bots", nargs=-1, metavar="[BOT...]", shell_complete=completion.bots)
@game_option
@_settings_options
@values_option("tournament-option", "An option of the format, such as rounds=7 of swiss.")
@options_option
@limit_option()
@opening_options
@sandbox_option
@grouped(limits=limits_beside, opening=opening_words)
def init(
    league: Path,
    bots: tuple[str, ...],
    game: str,
    tournament_options: dict[str, Any],
    options: dict[str, Any],
    limits: dict[str, Any],
    opening: dict[str, Any],
    **words: Any,
) -> None:
    """Make a league: a folder whose league.toml says what to play.

    BOT is a bundled bot (`arena bots`), an executable, a folder with a bot.toml, or a program
    written for the kit, which is copied into LEAGUE/bots; NAME=BOT calls it NAME. Bots are not
    tried, as they are by `arena add`, which can also enter all of them later.

    \b
    arena init cup --game guerra sensible mine=./my_bot
    arena init cup --game guerra
    arena init cup --game guerra sensible random \\
        --deals 200 --limit move_time=0.2
    arena init cup --game guerra mine=./my_bot sensible --tournament gauntlet
    arena init cup --game guerra mine=./my_bot sensible random rusher \\
        --tournament swiss --tournament-option rounds=4
    """
    kind, source = find_game(game)
    if words["seats"] is None:
        words["seats"] = kind.seat_counts[0]
    settings = _asked_settings(word_in(source, league), **words)
    plain = made_of_plain(bots, named=True)
    entries = entries_of([plain.get(bot, bot) for bot in bots], kind, league)
    of_format = listed(tournament_options, FORMATS[settings.tournament].options)
    made = make_league(league, settings, options, limits, entries, of_format, opening)
    keep_made(made, plain.values(), is_new=True)
    click.echo(f"{made.folder / FILE} is written.")
    _tell_made(made, limits)


def _tell_made(made: LeaguePlan, limits: Mapping[str, Any]) -> None:
    """Say what is to be known of a league that was just made, with these limits in its file."""
    is_playable = len(made.bots) >= made.seats
    if is_playable:
        missing = asked_deals(made, None).match_count
        if made.goes_by_results and not missing:
            say(Tournament(made, None).progress)
        else:
            is_slow = made.limits.pace == "slow"
            at_once = min(made.limits.slots, missing) if is_slow else default_workers(made.cores)
            tell_plan(made, missing, at_once)
        for said in foreseen(made):
            say(said)
    tell_idle(limits, made.limits.sandbox)
    tell_unplayable(made.cores, made.limits)
    warn_guessable(made)
    for hint in (*twins(made), *wishes(made)):
        say(hint)
    word = quoted(made.folder)
    click.echo(safe(f"Next: arena run {word}" if is_playable else f"Next: arena add {word} BOT..."))

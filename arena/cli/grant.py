"""The command that gives bots of a league limits of their own."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from arena.cli import completion, main
from arena.cli.changing import check_known, tell_run
from arena.cli.foreseen import tell_idle, tell_unplayable
from arena.cli.options import key_values, league_argument, listed, output_format
from arena.cli.saying import show
from arena.league.bot import Bot
from arena.league.edit import set_keys
from arena.league.plan import LeaguePlan
from arena.store.opening import has_database, open_store, read_played
from arena.store.suspensions import not_playing
from arena.tables.table import NAME_WIDTH, Column, Table
from arena.text import composed, safe
from protocol.errors import ArenaError
from referee.limits import Grant, Limits
from referee.rules.options import read_settings


@main.command()
@league_argument
@click.argument("name", required=False, shell_complete=completion.entered)
@click.argument("limits", nargs=-1, metavar="[KEY=VALUE]...", shell_complete=completion.grants)
@click.option("--needed", is_flag=True, help="Give it what its bot.toml says that it needs.")
@click.option("--none", "back", is_flag=True, help="Take all back.")
@output_format
def grant(
    league: Path, name: str | None, limits: tuple[str, ...], needed: bool, back: bool, form: str
) -> None:
    """Give a bot limits of its own; without NAME, show who has some, or needs some.

    KEY is one of sandbox, memory_mb, open_files, processes, scratch_mb, threads, files_mb, startup,
    devices (nvidia: a GPU), door (requests that it may make), proc (true: it sees /proc) and
    time_factor, which multiplies its time for moves: 0.5 is a handicap. KEY= takes one back. With
    other limits a bot is another version, and plays anew; the others keep their results.

    \b
    arena grant cup
    arena grant cup mine memory_mb=2048 startup=30
    arena grant cup mine --needed
    """
    plan = read_played(league)
    if name is None:
        show(_table(plan), form)
        return
    check_known(plan, name)
    bot = plan.bot_named(composed(name))
    if bot is None:
        why = _not_playing(plan)[composed(name)]
        raise ArenaError(f"{why} It plays no more; nothing was changed.")
    if sum((needed, back, bool(limits))) != 1:
        raise ArenaError("give limits, such as memory_mb=2048, or --needed, or --none.")
    keys = _asked(bot, plan, limits, needed=needed, back=back)
    left = set_keys(league, bot.name, keys)
    now = left.grant_of(bot.name)
    click.echo(safe(f"{bot.name} {_said(bot, now)}"))
    if now == bot.grant:
        return
    tell_run(league)
    own = now.of(plan.limits)
    tell_idle(now.given, own.sandbox)
    tell_unplayable(left.cores, own)


def _asked(
    bot: Bot, plan: LeaguePlan, limits: Sequence[str], *, needed: bool, back: bool
) -> Mapping[str, Any]:
    """Return the keys to be set, and with None those to be taken out."""
    if back:  # but for what kind of bot it is
        return dict.fromkeys(key for key in Grant.__struct_fields__ if key != "remote")
    if needed:
        if not bot.needs.given:
            raise ArenaError(f"the bot.toml of {bot.name} says nothing of what it needs.")
        return bot.needs.beyond(bot.grant.of(plan.limits)).given
    given = listed(key_values(limits), Limits)
    asked = {key: None if value == "" else value for key, value in given.items()}
    gone = [key for key, value in asked.items() if value is None and key in bot.grant.given]
    kept = {key: value for key, value in bot.grant.given.items() if key not in gone}
    new = {key: value for key, value in asked.items() if key not in gone}
    read_settings(Grant, {**kept, **new}, "limit {}")  # which may not go together
    return asked


def _said(bot: Bot, now: Grant) -> str:
    if now == bot.grant:
        has = f": {now.words}" if now.given else ""
        return f"has these limits already{has}; nothing was changed."
    has = f"has {now.words}" if now.given else "has the limits of its league"
    anew = "" if now.deciding == bot.grant.deciding else ", and plays anew under them"
    return f"{has}{anew}."


def _table(plan: LeaguePlan) -> Table:
    rows = [
        {"bot": bot.name, "grant": bot.grant.given, "needs": bot.needs.given} for bot in plan.bots
    ]
    columns = (
        Column("Bot", lambda row: safe(row["bot"]), width=NAME_WIDTH),
        Column("Has of its own", lambda row: _words(row["grant"])),
        Column("Needs, by its bot.toml", lambda row: _words(row["needs"])),
    )
    has_none = not any(row["grant"] or row["needs"] for row in rows)
    notes = ["All bots have the limits of the league, and none asks for others."] * has_none
    notes += [safe(why) for why in _not_playing(plan).values()]
    return Table("bots", columns, rows, {"game": plan.game.name}, notes)


def _not_playing(plan: LeaguePlan) -> dict[str, str]:
    """Return why bots do not play, by name: with other limits, one may."""
    if not has_database(plan):
        return dict(not_playing(plan, None))
    with open_store(plan) as store:
        return dict(not_playing(plan, store))


def _words(given: Mapping[str, Any]) -> str:
    return safe(Grant(**given).words)

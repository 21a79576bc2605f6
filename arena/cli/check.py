"""The command that says whether a bot is fit to play."""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from arena.author.candidate import candidate, fitting, lock_packages
from arena.author.check import check, unready
from arena.author.trial import Setting
from arena.author.verdict import Step, ending, is_fit, lines, shown, verdict_table
from arena.cli import completion, main
from arena.cli.options import (
    Seconds,
    game_option,
    grouped,
    limit_option,
    limits_in,
    options_option,
    output_format,
    sandbox_option,
    sandbox_uid_option,
)
from arena.cli.plain import made_of_plain
from arena.cli.progress import StatusLine
from arena.cli.saying import say, screen_width, show, warn_unprotected
from arena.environment.errors import PackagesError
from arena.league.bot import Bot
from arena.league.games import find_game
from arena.league.hints import NEEDED
from arena.play.building import Builder
from protocol.errors import ArenaError
from referee.door import DoorTerms
from referee.limits import Limits
from referee.program.file import Confinement
from referee.rules.options import are_for, check_seats, read_options, read_settings


def _setting(
    game: str,
    seats: int | None,
    seed: str,
    seconds: float,
    options: Mapping[str, Any],
    limits: Limits,
    sandbox_uid: int | None,
) -> Setting:
    """Return what options ask a bot to be checked for."""
    kind, _ = find_game(game, confinement=Confinement(limits.sandbox, sandbox_uid))
    if seats is not None:
        check_seats(kind, seats)
    chosen = read_options(kind, options, seats)
    return Setting(
        game=kind,
        options=chosen,
        limits=limits,
        seat_counts=[
            each
            for each in kind.seat_counts
            if seats in (None, each) and are_for(kind, chosen, each)
        ],
        seed=seed,
        patience=seconds,
        sandbox_uid=sandbox_uid,
    )


@main.command("check")
@click.argument("bot", shell_complete=completion.bots)
@game_option
@click.option("--seats", type=int, help="Bots in a match.  [default: each number the game allows]")
@click.option("--seed", default="check", show_default=True, help="Seed of the deals.")
@click.option(
    "--seconds",
    type=Seconds(0.1, 86_400),
    default=60.0,
    show_default=True,
    help="Start no more matches after this time.",
)
@options_option
@limit_option()
@click.option(
    "--key",
    "keys",
    multiple=True,
    metavar="ORIGIN=VARIABLE",
    help="For --limit door: the variable of your environment that holds the key of an origin.",
)
@sandbox_option
@sandbox_uid_option
@output_format
@grouped(limits=limits_in, setting=_setting)
def check_command(bot: str, setting: Setting, keys: tuple[str, ...], form: str) -> None:
    """Check step by step whether a bot can play a game; exit with 1 if it cannot.

    BOT is an executable, a folder with a bot.toml, or a program written for the kit, as an author
    may hand it in. It plays in every seat against random moves, in the sandbox and within the
    limits of a league. The step that fails is shown with the last lines on the wire and the bot's
    standard error.

    \b
    arena check ./my_bot --game khan
    arena check bot.py --game khan
    arena check ./my_bot --game khan --seats 3 --limit move_time=0.1
    arena check ./my_bot --game guerra --format json
    arena check ./my_bot --game khan \\
        --limit door='POST https://api.example.org/v1/chat/completions' \\
        --key https://api.example.org=MY_KEY
    """
    found: Bot | ArenaError
    bot = made_of_plain([bot]).get(bot, bot)
    try:
        with Builder(setting.build, setting.sandbox_uid, setting.environments).open() as builder:
            said = lock_packages(Path(bot), builder)
        name, found = candidate(bot, setting.game)
    except PackagesError as error:
        said, name, found = "", Path(bot).resolve().name, error
    if said:
        say(said)
    if isinstance(found, Bot) and (grant := found.needs.beyond(setting.limits)).given:
        found = dataclasses.replace(found, grant=grant)
        say(f"{name} is checked with {grant.words}: {NEEDED}")
    if isinstance(found, Bot):
        asked = found.grant.of(setting.limits).door
        setting = setting._replace(door=_door(asked, keys))
        found = fitting(found, setting.limits)
    warn_unprotected(setting.limits.sandbox)
    steps: list[Step] = []
    with StatusLine() as line:
        told = check(found, setting, line.show) if isinstance(found, Bot) else unready(found)
        for number, step in shown(_kept(told, steps)):
            if form == "simple":
                line.clear()
                click.echo("\n".join(lines(number, step, screen_width())))
    if form == "simple":
        click.echo("\n".join(["", *ending(name, setting.game.name, steps, screen_width())]))
    else:
        show(verdict_table(steps, bot=name, game=setting.game.name), form)
    if not is_fit(steps):
        raise click.exceptions.Exit(1)


def _kept(told: Iterable[Step], steps: list[Step]) -> Iterator[Step]:
    """Yield steps as they are done, and put them into a list."""
    for step in told:
        steps.append(step)
        yield step


def _door(entries: tuple[str, ...], keys: tuple[str, ...]) -> DoorTerms | None:
    """Return the terms of a bot that may ask this; raise ArenaError for keys of others."""
    if wrong := [word for word in keys if "=" not in word]:
        raise ArenaError(f"--key takes ORIGIN=VARIABLE, and not {wrong[0]!r}.")
    known = dict(word.rpartition("=")[::2] for word in keys)
    if not entries:
        if known:
            raise ArenaError(
                "--key goes with --limit door=REQUEST, or with a bot that needs a door."
            )
        return None
    raw = {"allow": [*entries], "keys": known}
    found: DoorTerms = read_settings(DoorTerms, raw, "--key, or {}")
    return found

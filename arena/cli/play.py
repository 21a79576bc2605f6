"""Commands that need no league: play, demo."""

import secrets
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import click

from arena.cli import main
from arena.cli.common import (
    find_game,
    key_values,
    output_format,
    sandbox_option,
    sandbox_uid_option,
    warn_unprotected,
)
from arena.cli.human import HumanSeat
from arena.cli.leagues import play_and_show
from arena.display import safe, safe_lines
from arena.league import FILE, Settings, make_league, read_league
from arena.roster import HUMAN, Bot, find_bot, shipped
from arena.run import check_bot
from arena.show import move_line, result
from protocol.errors import ArenaError
from referee.bot_process import BotProcess, StartupError, end_processes, start_bot
from referee.game import Game
from referee.limits import Limits
from referee.match import Match, starts
from referee.options import check_seats, new_game, read_options, read_settings
from referee.replay import Entry
from referee.sandbox import Launcher, prove
from referee.seat import ProcessSeat

_DEMO = {"guerra": 12, "cold_war": 8}
"""The demo's games and their deals."""
_DEMO_SEED = 1


@main.command()
@click.argument("game")
@click.argument("bots", nargs=-1, required=True, metavar="BOT...")
@click.option("--seed", help="Of the deal.  [default: a new one, shown]")
@click.option("--option", "options", multiple=True, metavar="KEY=VALUE", help="Of the game.")
@click.option("--limit", "limits", multiple=True, metavar="KEY=VALUE", help="As move_time=0.5.")
@sandbox_option
@sandbox_uid_option
@click.option("--quiet", is_flag=True, help="Only the result.")
def play(
    game: str,
    bots: tuple[str, ...],
    seed: str | None,
    options: tuple[str, ...],
    limits: tuple[str, ...],
    sandbox: str,
    sandbox_uid: int | None,
    quiet: bool,
) -> None:
    """Play one match and draw it; the bots sit in the order given, `human` is you.

    \b
    arena play guerra sensible random
    arena play khan human sensible sensible
    arena play cold_war ./my_bot sensible random random --seed 7
    """
    kind = find_game(game)
    check_seats(kind, len(bots))
    chosen = read_options(kind, key_values(options))
    allowed = read_settings(Limits, {**key_values(limits), "sandbox": sandbox}, "limit {}")
    bots_found = [None if word == HUMAN else find_bot(word, game) for word in bots]
    names = _distinct([bot.name if bot else HUMAN for bot in bots_found])
    seed = seed or secrets.token_hex(8)
    if not seed.isprintable():
        raise ArenaError(f"a seed is printable text, unlike {seed!r}.")
    click.echo(f"{kind.name}, seed {seed}: {', '.join(names)}")
    match = new_game(kind, len(bots), chosen, seed)
    with ExitStack() as stack:
        processes = _start_bots(stack, bots_found, names, allowed, sandbox_uid)
        _play_and_draw(match, processes, names, allowed, quiet=quiet)


def _distinct(names: Sequence[str]) -> list[str]:
    """Return names that tell the seats apart, even if a bot plays itself."""
    return [f"{name}#{seat}" if names.count(name) > 1 else name for seat, name in enumerate(names)]


def _start_bots(
    stack: ExitStack,
    bots: Sequence[Bot | None],
    names: Sequence[str],
    limits: Limits,
    sandbox_uid: int | None,
) -> list[BotProcess | None]:
    """Return the process of each seat's bot, or None for a person; `stack` ends them."""
    if not any(bots):
        return [None] * len(bots)
    warn_unprotected(limits.sandbox)
    launcher = stack.enter_context(Launcher(limits.sandbox, uid=sandbox_uid))
    for bot in bots:
        if bot:
            check_bot(launcher, bot)
    prove(launcher, limits)
    processes: list[BotProcess | None] = []
    for bot, name in zip(bots, names, strict=True):
        try:
            process = start_bot(launcher, bot.program, limits, bot.name) if bot else None
        except StartupError as error:
            said = f" It wrote:\n{safe_lines(error.stderr, '  ')}" if error.stderr else ""
            raise ArenaError(f"bot {name!r}: {safe(str(error))}.{said}") from None
        processes.append(process)
    return processes


def _play_and_draw(
    game: Game,
    processes: Sequence[BotProcess | None],
    names: list[str],
    limits: Limits,
    *,
    quiet: bool,
) -> None:
    running = [process for process in processes if process]
    seeds = [game.chance.below(2**53, "bot", seat) for seat in range(game.seats)]
    seats = [
        ProcessSeat(process, [other for other in running if other is not process])
        if process
        else HumanSeat(game, number, names[number], seeds[number])
        for number, process in enumerate(processes)
    ]
    people = len(running) < len(seats)
    held_back: list[str] = []

    def draw(game: Game, step: Sequence[Entry]) -> None:
        for entry in step:
            lines = [move_line(game, entry, names)]
            if entry.fault is not None:
                lines.append(f"  FAULT: {entry.fault.kind}: {entry.fault.reason}")
            if not people:
                _echo(lines)
            elif entry.fault is not None:  # it may tell what a person at the table must not know
                held_back.extend(lines)

    played = Match(game, seats, limits.faults_allowed).play(
        starts(game, "play", limits.time_control, seeds), None if quiet else draw
    )
    end_processes(running)
    _echo(held_back)
    if not quiet:
        click.echo(f"\n{safe_lines(game.text())}\n")
    for line in result(names, played.replay.places, played.replay.reason):
        click.echo(line)
    for name, text in zip(names, played.evidence.stderr, strict=True):
        if text:
            click.echo(f"Standard error of {name}:\n{safe_lines(text, '  ')}", err=True)


def _echo(lines: Sequence[str]) -> None:
    for line in lines:
        click.echo(safe(line))


@main.command()
@click.option("--workers", type=int, help="Processes that play.  [default: one for each core]")
@click.option("--keep", type=click.Path(path_type=Path), help="Keep the leagues in this folder.")
@sandbox_option
@sandbox_uid_option
@output_format
def demo(
    workers: int | None, keep: Path | None, sandbox: str, sandbox_uid: int | None, form: str
) -> None:
    """Run a small league of every game's own bots and show the tables.

    \b
    arena demo
    arena demo --keep demo && arena matches demo/guerra
    """
    with ExitStack() as stack:
        folder = keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        for game, deals in _DEMO.items():
            league = folder / game
            if not (league / FILE).exists():
                _write_demo(league, game, deals, sandbox)
            asked = read_league(league)
            click.echo(f"\n{game}: {asked.game.title}")
            play_and_show(asked, workers, sandbox_uid, form)


def _write_demo(folder: Path, game: str, deals: int, sandbox: str) -> None:
    settings = Settings(game=game, seed=_DEMO_SEED, deals=deals)
    bots = [{"name": name, "shipped": name} for name in shipped(game)]
    make_league(folder, settings, {}, {"sandbox": sandbox}, bots)

"""The command that says whether a bot is fit to play."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from arena.author.check import Step, check, unready
from arena.author.trial import Setting
from arena.cli import main
from arena.cli.common import (
    Seconds,
    game_option,
    key_values,
    output_format,
    sandbox_option,
    sandbox_uid_option,
    screen_width,
    show,
    warn_unprotected,
)
from arena.cli.progress import StatusLine
from arena.league.bot import Bot
from arena.league.finding import bundled_bot, find_bot
from arena.league.games import find_game
from arena.tables.table import Column, Table
from arena.text import fold, safe, width
from protocol.errors import ArenaError
from referee.folder import bots_of
from referee.game import Game
from referee.limits import Limits
from referee.options import check_seats, read_options, read_settings

_PLAIN = "simple"
_INDENT = 15
_BEGINNING, _END = 190, 120  # characters of a long line that are shown


@main.command("check")
@click.argument("bot")
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
@click.option(
    "--option", "options", multiple=True, metavar="KEY=VALUE", help="An option of the game."
)
@click.option(
    "--limit", "limits", multiple=True, metavar="KEY=VALUE", help="A limit, such as move_time=0.5."
)
@sandbox_option
@sandbox_uid_option
@output_format
@click.pass_context
def check_command(
    context: click.Context,
    bot: str,
    game: str,
    seats: int | None,
    seed: str,
    seconds: float,
    options: tuple[str, ...],
    limits: tuple[str, ...],
    sandbox: str,
    sandbox_uid: int | None,
    form: str,
) -> None:
    """Check step by step whether a bot can play a game; exit with 1 if it cannot.

    It plays in every seat against random moves, in the sandbox and within the limits of a league.
    The step that fails is shown with the last lines on the wire and the bot's standard error.

    \b
    arena check ./my_bot --game khan
    arena check ./my_bot --game khan --seats 3 --limit move_time=0.1
    arena check ./my_bot --game guerra --format json
    """
    kind, _ = find_game(game)
    if seats is not None:
        check_seats(kind, seats)
    setting = Setting(
        game=kind,
        options=read_options(kind, key_values(options)),
        limits=read_settings(Limits, {**key_values(limits), "sandbox": sandbox}, "limit {}"),
        seat_counts=kind.seat_counts if seats is None else [seats],
        seed=seed,
        patience=seconds,
    )
    name, found = _found(bot, kind)
    warn_unprotected(sandbox)
    steps = []
    has_failed = False  # what is not tried after that is not worth a line
    with StatusLine() as line:
        told = (
            check(found, setting, sandbox_uid, lambda words: line.show(lambda: words))
            if isinstance(found, Bot)
            else unready(found)
        )
        for number, step in enumerate(told, 1):
            steps.append(step)
            if form == _PLAIN and not (has_failed and step.state == "not tried"):
                line.clear()
                click.echo("\n".join(_lines(number, step)))
            has_failed |= step.state == "FAILED"
    is_fit = not has_failed
    if form == _PLAIN:
        click.echo(f"\n{safe(_verdict(name, kind.name, steps))}")
    else:
        show(_table(name, kind.name, steps, fit=is_fit), form)
    context.exit(0 if is_fit else 1)


def _found(word: str, game: type[Game]) -> tuple[str, Bot | ArenaError]:
    """Return the name of the bot that a word means, and the bot or why it cannot be run.

    Raises ArenaError for a word that names nothing here, or may also mean a bundled bot.
    """
    name = Path(os.path.realpath(word)).stem
    try:
        bot = find_bot(word, game.name, brought=bots_of(game))
        name = bot.name
        return name, bot.hashed().checked()
    except ArenaError as error:
        is_ours = "/" not in word and bundled_bot(game.name, word) is not None
        if is_ours or not os.path.lexists(word):
            raise
        return name, error


def _lines(number: int, step: Step) -> Iterator[str]:
    """Yield a step as it is shown: state, title, detail, and what shows it."""
    words = f"{step.title}: {step.detail}" if step.detail else step.title
    first, *rest = _folded(words)
    yield f"{number:2}  {step.state:<{_INDENT - 4}}{first}"
    evidence = (part for each in step.evidence for part in _folded(_shortened(each)))
    for line in [*rest, *evidence]:
        yield " " * _INDENT + line


def _folded(line: str) -> Iterator[str]:
    """Yield a line as it is where there is room for it, or else several that begin alike."""
    line, room = safe(line), screen_width() - _INDENT
    if width(line) <= room:
        yield line
        return
    text = line.lstrip(" →←")
    lead = line.removesuffix(text)
    for part in fold(text, room - len(lead)):
        yield lead + part
        lead = " " * len(lead)


def _shortened(line: str) -> str:
    """Return the beginning and the end of a long line: an ask ends with what is legal."""
    if len(line) <= _BEGINNING + _END:
        return line
    return f"{line[:_BEGINNING]}…{line[-_END:]}"


def _verdict(bot: str, game: str, steps: Sequence[Step]) -> str:
    for number, step in enumerate(steps, 1):
        if step.state == "FAILED":
            rest = " The steps after it were not tried." if number < len(steps) else ""
            return f"{bot} is not fit to play {game}. Step {number} failed: {step.title}.{rest}"
    advice = [str(number) for number, step in enumerate(steps, 1) if step.state == "advice"]
    see = f" See the advice at step {' and '.join(advice)}." if advice else ""
    partial = any(step.cut_short for step in steps)
    so_far = ", as far as there was time to try it" if partial else ""
    return f"{bot} is fit to play {game}{so_far}.{see}"


def _table(bot: str, game: str, steps: Sequence[Step], *, fit: bool) -> Table:
    rows: list[dict[str, Any]] = [
        {
            "step": number,
            "title": step.title,
            "state": step.state.lower(),
            "detail": step.detail,
            "evidence": step.evidence,
        }
        for number, step in enumerate(steps, 1)
    ]
    columns = (
        Column("Step", "step", "right"),
        Column("", "title"),
        Column("State", "state"),
        Column("", lambda row: safe(row["detail"]), width=34),
    )
    return Table("steps", columns, rows, {"bot": bot, "game": game, "fit": fit})

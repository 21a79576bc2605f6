"""The command that says whether a bot is fit to play."""

from collections.abc import Iterator, Sequence
from typing import Any

import click

from arena.check import Setting, Step, check
from arena.cli import main
from arena.cli.common import (
    key_values,
    output_format,
    sandbox_option,
    sandbox_uid_option,
    screen_width,
    show,
    warn_unprotected,
)
from arena.cli.progress import StatusLine
from arena.display import fold, safe
from arena.roster import find_bot
from arena.tables import Column, Table
from referee.limits import Limits
from referee.options import check_seats, find_game, read_options, read_settings

_PLAIN = "simple"
_INDENT = 15
_LONGEST = 400  # characters of a line that are shown


@main.command("check")
@click.argument("bot")
@click.option("--game", required=True, help="What it is to play.")
@click.option("--seats", type=int, help="With so many only.  [default: all the game can have]")
@click.option("--seed", default="check", show_default=True, help="Of the deals.")
@click.option(
    "--seconds",
    type=click.FloatRange(min=0.1),
    default=60.0,
    show_default=True,
    help="Begin no more matches after so long.",
)
@click.option("--option", "options", multiple=True, metavar="KEY=VALUE", help="Of the game.")
@click.option("--limit", "limits", multiple=True, metavar="KEY=VALUE", help="As move_time=0.5.")
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
    """Say step by step whether a bot is fit to play a game; exit with 1 if it is not.

    It plays in every seat against random moves, behind the walls and limits of a league. The
    step that fails is shown with the last lines on the wire and the bot's standard error.

    \b
    arena check ./my_bot --game khan
    arena check ./my_bot --game khan --seats 3 --limit move_time=0.1
    arena check ./my_bot --game guerra --format json
    """
    kind = find_game(game)
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
    found = find_bot(bot, kind.name).hashed().checked()
    warn_unprotected(sandbox)
    steps = []
    with StatusLine(patience=1.0) as line:
        told = check(found, setting, sandbox_uid, lambda words: line.show(lambda: words))
        for number, step in enumerate(told, 1):
            steps.append(step)
            if form == _PLAIN:
                line.clear()
                click.echo("\n".join(_lines(number, step)))
    failed = next((step.title for step in steps if step.state == "FAILED"), None)
    if form == _PLAIN:
        click.echo(f"\n{safe(_verdict(found.name, kind.name, failed, steps))}")
    else:
        show(_table(found.name, kind.name, steps, fit=failed is None), form)
    context.exit(0 if failed is None else 1)


def _lines(number: int, step: Step) -> Iterator[str]:
    """Yield a step as it is shown: state, title, detail, and what shows it."""
    words = f"{step.title}: {step.detail}" if step.detail else step.title
    first, *rest = fold(safe(words), screen_width() - _INDENT)
    yield f"{number:2}  {step.state:<{_INDENT - 4}}{first}"
    for line in [*rest, *map(_shortened, step.evidence)]:
        yield " " * _INDENT + line


def _shortened(line: str) -> str:
    return safe(line if len(line) <= _LONGEST else f"{line[:_LONGEST]}… ({len(line)} characters)")


def _verdict(bot: str, game: str, failed: str | None, steps: Sequence[Step]) -> str:
    if failed is not None:
        return f"{bot} is not fit to play {game}. It failed: {failed}."
    advice = [step.title for step in steps if step.state == "advice"]
    return f"{bot} is fit to play {game}." + (f" But see: {', '.join(advice)}." if advice else "")


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

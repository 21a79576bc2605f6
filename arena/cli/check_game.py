"""The command that says whether a game keeps the contract of a game."""

from collections.abc import Iterator, Sequence
from typing import Any

import click
import msgspec

from arena.cli import completion, main
from arena.cli.options import Seconds, WholeNumber, output_format, trust_option
from arena.cli.progress import StatusLine
from arena.cli.saying import say, screen_width, show
from arena.league.games import find_game, outdated
from arena.tables.table import Column, Table
from arena.text import fold, safe
from protocol.errors import ArenaError
from referee.rules.options import check_seats, suggestion
from referee.testing import STEPS, StepResult, check_steps, told
from referee.testing.checking import check_apart

_INDENT = 20


@main.command("check-game")
@click.argument("game", shell_complete=completion.games)
@click.option("--only", "steps", multiple=True, metavar="STEP", help="Try only this step.")
@click.option(
    "--seats", type=int, multiple=True, help="Numbers of seats.  [default: all that it allows]"
)
@click.option("--seed", default="conformance", show_default=True, help="Seed of the deals.")
@click.option(
    "--thorough", is_flag=True, help="Try every option with every other, not a third of that."
)
@click.option(
    "--decisions",
    type=WholeNumber(min=1),
    default=20_000,
    show_default=True,
    help="More than any play may take.",
)
@click.option(
    "--patience",
    type=Seconds(0.5, 3600),
    default=10.0,
    show_default=True,
    help="Seconds that one call of the game may take.",
)
@output_format
@trust_option
def check_game_command(
    game: str,
    steps: tuple[str, ...],
    seats: tuple[int, ...],
    seed: str,
    thorough: bool,
    decisions: int,
    patience: float,
    form: str,
) -> None:
    """Check step by step whether a game keeps its contract; exit with 1 if not.

    It is played at random, by default moves and with seats withdrawn, in all its numbers of seats
    and with each option changed. The first step that fails is shown with the position, the move and
    the remedy. What each step holds: docs/check-game.md.

    \b
    arena check-game khan
    arena check-game khan --thorough --seats 3
    arena check-game duel --only hidden --only keyed --seed 7
    arena check-game duel --format json
    """
    kind, _ = find_game(game)
    if note := outdated(kind):
        say(note)
    for each in seats:
        check_seats(kind, each)
    for name in steps:
        if name not in STEPS:
            raise ArenaError(f"there is no step {name!r}. {suggestion(name, STEPS)}")
    results: list[StepResult] = []
    with StatusLine() as line:
        check = check_apart if kind.program is None else check_steps  # it is a process already
        checked = check(
            kind,
            steps,
            seats=seats,
            seed=seed,
            thorough=thorough,
            most_decisions=decisions,
            seconds=patience,
        )
        for result in checked:
            results.append(result)
            if form == "simple":
                line.clear()
                click.echo("\n".join(_lines(len(results), result)))
            line.show(lambda: f"{len(results)} steps tried")
    failed = [result for result in results if result.state == "failed"]
    if form == "simple":
        if failed:
            click.echo()
            click.echo("\n".join(_told(failed[0])))
        click.echo(f"\n{_verdict(kind.name, results)}")
    else:
        show(_table(kind.name, results, kept=not failed), form)
    if failed:
        raise click.exceptions.Exit(1)


def _lines(number: int, result: StepResult) -> Iterator[str]:
    """Yield a step as it is shown: state, seconds, name, title, and what was found."""
    words = f"{result.step}: {result.title}"
    if result.detail:
        words += f" ({result.detail})" if result.state == "ok" else f": {result.detail}"
    state = result.state.upper() if result.state == "failed" else result.state
    first, *rest = fold(safe(words), screen_width() - _INDENT)
    yield f"{number:2}  {state:<8}{result.seconds:5.1f} s {first}"
    for line in rest:
        yield " " * _INDENT + line


def _told(result: StepResult) -> Iterator[str]:
    """Yield the failed step in full; the table, which has 80 columns, as it is."""
    for line in told(result):
        yield from fold(safe(line), screen_width()) if len(line) > screen_width() else [safe(line)]


def _verdict(game: str, results: Sequence[StepResult]) -> str:
    failed = [result.step for result in results if result.state == "failed"]
    skipped = sum(result.state == "skipped" for result in results)
    seconds = sum(result.seconds for result in results)
    many = f"{len(results)} steps, {skipped} skipped, in {seconds:.1f} seconds."
    if failed:
        words = f"{game} does not keep the contract of a game. Failed: {', '.join(failed)}. {many}"
    else:
        words = f"{game} keeps the contract of a game. {many}"
    return "\n".join(fold(words, screen_width()))


def _table(game: str, results: Sequence[StepResult], *, kept: bool) -> Table:
    rows: list[dict[str, Any]] = [msgspec.to_builtins(result) for result in results]
    columns = (
        Column("Step", "step"),
        Column("", "title"),
        Column("State", "state"),
        Column("Seconds", lambda row: f"{row['seconds']:.1f}", "right"),
        Column("", lambda row: safe(row["detail"]), width=34),
    )
    return Table("steps", columns, rows, {"game": game, "ok": kept})

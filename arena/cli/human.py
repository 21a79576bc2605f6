"""A seat held by a person at the terminal."""

import contextlib
from random import Random
from time import monotonic

import click

from arena.cli.question import Question
from arena.display import safe_lines
from protocol.errors import ArenaError, RunError
from protocol.messages import End, Start
from referee.clock import Turn
from referee.fault import Fault
from referee.game import Decision, Game, Move, Observation
from referee.seat import Answer, Seat

with contextlib.suppress(ImportError):  # a Python may lack it
    import readline  # noqa: F401 - imported, it gives every prompt line editing and history

HELP = """
Words may be shortened and in small letters; the name of a field in [ ] must stand
before its value, other names may be left out; a move as JSON is also understood.
  random  plays any legal move        table  shows the table again
  quit    leaves the match            ?      shows this"""


class HumanSeat(Seat):
    """A seat whose decisions a person types: only legal moves leave it."""

    def __init__(self, game: Game, seat: int, name: str, seed: int) -> None:
        self._game = game
        self._seat = seat
        self._name = name
        self._rng = Random(seed)  # noqa: S311 - the word `random` guards no secret

    def start(self, start: Start) -> Fault | None:
        """Have nothing to prepare."""
        return None

    def ask(self, decision: Decision, view: Observation) -> Answer:
        """Show the table and the choices, and read until a move is legal."""
        began = monotonic()
        question = Question(self._game, self._seat, decision, view)
        click.echo(f"\n{'-' * 80}\n{safe_lines(self._game.text(self._seat))}\n")
        click.secho(f"{self._name} (seat {self._seat}): {decision.name}", bold=True)
        click.echo(safe_lines(question.choices()))
        return Answer(self._read(question), Turn(began, monotonic()))

    def end(self, end: End) -> None:
        """Leave it to the command to tell the end."""

    def _read(self, question: Question) -> Move:
        while True:
            line = _typed()
            match line.lower():
                case "":
                    continue
                case "?" | "help":
                    click.echo(safe_lines(question.help() + "\n" + HELP))
                case "quit" | "exit":
                    raise _left()
                case "table":
                    click.echo(safe_lines(self._game.text(self._seat)))
                case "random":
                    return self._game.sample(self._seat, self._rng)
                case _:
                    try:
                        return question.answer(line)
                    except ArenaError as error:
                        click.echo(safe_lines(str(error)))


def _typed() -> str:
    try:
        line: str = click.prompt("", prompt_suffix="> ", default="", show_default=False)
    except click.Abort:
        click.echo()
        raise _left() from None
    return line.strip()


def _left() -> RunError:
    return RunError("the match was left before its end.")

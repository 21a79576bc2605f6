"""A seat held by a person at the terminal."""

import contextlib
import sys
from collections import Counter
from collections.abc import Sequence
from random import Random
from time import monotonic

import click

from arena.cli.about import rules_text
from arena.cli.saying import is_color_welcome
from arena.person.question import Question
from arena.text import safe, safe_lines
from protocol.errors import ArenaError, RunError
from protocol.messages import Start
from referee.match.seat import Seat
from referee.rules.game import Decision, Game, Move, Observation, plain
from referee.turn.answer import Answer, Fault
from referee.turn.bot_process import BotProcess
from referee.turn.clock import Turn

with contextlib.suppress(ImportError):  # a Python may lack it
    import readline  # noqa: F401 - imported, it gives every prompt line editing and history

HELP = """
Words may be shortened, and written in small letters. A field in [ ] needs its
name before its value; other names may be left out. JSON is understood, too.
  random  plays any legal move        table  shows the table and the choices again
  quit    leaves the match            rules  shows the rules of the game
  quick   plays moves without waiting for Enter, or waits again
  ?       shows this"""


class HumanSeat(Seat):
    """A seat whose decisions a person types: only legal moves leave it."""

    def __init__(
        self, game: Game, seat: int, name: str, seed: int, bots: Sequence[BotProcess]
    ) -> None:
        self._game = game
        self._bots = bots
        self._seat = seat
        self._name = name
        self._rng = Random(seed)  # noqa: S311 - the word `random` guards no secret
        self._asks_back = sys.stdin.isatty()
        self._hand: list[str] | None = None

    def start(self, start: Start) -> Fault | None:
        """Do nothing: a person needs no preparation."""
        return None

    def ask(self, decision: Decision, view: Observation) -> Answer:
        """Show the table and the choices, and read until a move is legal.

        Meanwhile the bots are frozen, until they are asked.
        """
        for bot in self._bots:
            bot.freeze()
        began = monotonic()
        view = plain(view)
        question = Question(self._game, self._seat, decision, view)
        click.echo(f"\n{'-' * 80}")
        self._show(question, decision, self._drawn(view))
        return Answer(self._read(question, decision), Turn(began, monotonic()))

    def _show(self, question: Question, decision: Decision, drawn: str = "") -> None:
        click.echo(f"{safe_lines(self._game.text(self._seat))}\n")
        if drawn:
            click.echo(f"New in your hand: {safe(drawn)}\n")
        head = f"{self._name} (seat {self._seat}): {decision.name}"
        click.echo(click.style(head, bold=True) if is_color_welcome() else head)
        click.echo(safe_lines(question.choices()))

    def _drawn(self, view: Observation) -> str:
        """Return the cards that came to the hand since the last decision, if there is one."""
        hand = view.get("hand")
        if not isinstance(hand, list):
            return ""
        before, self._hand = self._hand, hand
        new = Counter(hand) - Counter(before) if before else Counter()
        return " ".join(map(str, new.elements()))

    def _read(self, question: Question, decision: Decision) -> Move:
        move: Move | None = None
        while True:
            line = _typed("" if move is None else "Enter plays it; or type another move ")
            match line.lower():
                case "":
                    move = move or question.silence()
                    if move is not None:
                        return move
                case "?" | "help":
                    click.echo(safe_lines(question.help() + "\n" + HELP))
                case "quit" | "exit":
                    raise _left()
                case "table":
                    self._show(question, decision)
                case "rules":
                    click.echo_via_pager(rules_text(type(self._game)))
                case "quick":
                    self._asks_back = not self._asks_back
                    click.echo(
                        f"Moves are played {'after Enter' if self._asks_back else 'at once'}."
                    )
                case "random":
                    return self._game.sample(self._seat, self._rng)
                case _:
                    move = self._understood(question, line)
                    if move is not None and not self._asks_back:
                        return move

    def _understood(self, question: Question, line: str) -> Move | None:
        try:
            move = question.answer(line)
        except ArenaError as error:
            click.echo(safe_lines(str(error)))
            return None
        if self._asks_back:
            click.echo(f"  = {safe(self._game.describe(self._seat, move))}")
        return move


def _typed(prompt: str) -> str:
    try:
        line: str = click.prompt(prompt, prompt_suffix="> ", default="", show_default=False)
    except click.Abort:
        click.echo()
        raise _left() from None
    return line.strip()


def _left() -> RunError:
    return RunError("the match was stopped before its end.")

"""How a single match is shown, and where a person plays it: the options of `arena play`."""

import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from time import sleep
from typing import TYPE_CHECKING, NamedTuple

from arena.cli.stepping import Keys, Moves, Pauses, Steps, Telling
from arena.league.finding import HUMAN
from protocol.errors import ArenaError
from referee.rules.game import Game
from referee.turn.bot_process import BotProcess

if TYPE_CHECKING:
    from arena.cli.at_page import PlayPage


class Way(NamedTuple):
    """How the match is shown; `pause` is in seconds, `view` a seat."""

    step: bool
    pause: float | None
    view: int | None
    log: bool
    quiet: bool
    browser: bool
    no_open: bool

    @property
    def drawn(self) -> list[str]:
        """The options given for which every table is drawn."""
        found = {
            "--step": self.step,
            "--pause": self.pause is not None,
            "--view": self.view is not None,
        }
        return [name for name, is_given in found.items() if is_given]

    def check(self, bots: Sequence[str]) -> None:
        """Raise ArenaError for options that do not go together, or not here."""
        given = {"--quiet": self.quiet, "--log": self.log}
        only = [name for name, is_given in given.items() if is_given]
        clash = only + self.drawn[:1] if only else [name for name in self.drawn if name != "--view"]
        if len(clash) > 1:
            raise ArenaError(f"{clash[0]} and {clash[1]} do not go together; choose one.")
        if self.drawn and HUMAN in bots:
            raise ArenaError(
                f"{self.drawn[0]} is for matches between bots. Leave it out: a match with a person "
                f"waits for that person anyway, and shows what they may see."
            )
        if self.no_open and not self.browser:
            raise ArenaError("--no-open is for --browser: nothing else is opened.")
        if self.browser and HUMAN not in bots:
            raise ArenaError(
                f"--browser is for a person, who plays on a page, and no seat is {HUMAN!r}. To see "
                f"bots play: leave it out for the terminal, or keep the match with --save FILE; "
                f"`arena report LEAGUE -o FILE` makes a page of a league."
            )
        if self.browser and bots.count(HUMAN) > 1:
            raise ArenaError(
                f"--browser is for one person, and {bots.count(HUMAN)} seats are "
                f"{HUMAN!r}. Give {HUMAN!r} one seat; without --browser, several people can play "
                f"at one terminal."
            )
        if self.view is not None and not 0 <= self.view < len(bots):
            raise ArenaError(f"there is no seat {self.view}; the seats are 0 to {len(bots) - 1}.")
        if self.step and not (sys.stdin.isatty() and sys.stdout.isatty()):
            raise ArenaError(
                "--step waits for keys at a terminal, and this is not one. Use --pause SECONDS, "
                "which goes on by itself; --pause 0 does not wait."
            )

    def page(self, game: Game, names: Sequence[str]) -> "AbstractContextManager[PlayPage | None]":
        """Return the page on which a person plays, if that is wanted, served while it is open."""
        if not self.browser:
            return nullcontext()
        from arena.cli.at_page import play_page  # here, as most matches have none

        return play_page(game, names.index(HUMAN), names, opens=not self.no_open)

    def telling(self, names: Sequence[str], processes: Sequence[BotProcess | None]) -> Telling:
        """Return what shows the match."""
        if self.quiet:
            return Telling()
        if self.drawn:
            pause = Keys() if self.step else lambda _: sleep(self.pause or 0)
            return Steps(names, self.view, Pauses(filter(None, processes), pause))
        return Moves(names, people=None in processes, log=self.log)

"""A match that a person plays on a page: the page is served, shown, and kept until it is closed."""

import os
import threading
import webbrowser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import click
import msgspec

from arena.archive.saved import SavedMatch
from arena.archive.show import result
from arena.cli.about import rules_text
from arena.cli.saying import say
from arena.cli.stepping import Telling
from arena.person.desk import Desk, DeskSeat
from arena.person.page import match_page, table_page
from arena.person.server import serving
from arena.tables.table import WIDTH
from referee.match.replay import Entry
from referee.match.seat import Seat
from referee.rules.game import Game
from referee.turn.bot_process import BotProcess

_SCREENS = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
"""Variables of the environment, of which one is set where a browser can be opened."""
_HTML = "text/html; charset=utf-8"


class PlayPage:
    """The page of a match: where a person decides, and what is shown there."""

    def __init__(self, game: Game, seat: int, names: Sequence[str]) -> None:
        self.desk = Desk(seat)
        self._game = game
        self._page = table_page(game, seat, names).encode()
        self._over: dict[str, bytes] = {}
        self.documents = {
            "": (_HTML, lambda: self._page),
            "rules": ("text/plain; charset=utf-8", lambda: rules_text(type(game)).encode()),
            "match": (_HTML, lambda: self._over.get("match")),
            "match.json": ("application/json", lambda: self._over.get("match.json")),
        }

    def seat(self, seed: int, bots: Sequence[BotProcess]) -> Seat:
        """Return the seat of the person."""
        return DeskSeat(self.desk, self._game, seed, bots)

    def telling(self, other: Telling) -> Telling:
        """Return what shows the match on the page, and as another telling does."""
        return OnPage(self, other)

    def stay(self, saved: SavedMatch) -> None:
        """Show how the match ended and all of it, until the page is closed, or Ctrl-C."""
        lines = list(result(saved.opened(), WIDTH))
        page = match_page(saved.opened(), type(self._game), lines)
        self._over = {"match": page.encode(), "match.json": msgspec.json.encode(saved) + b"\n"}
        self.desk.look(self._game)
        self.desk.end({"lines": lines})
        say(
            "The whole match can be stepped through on the page. Close it, or press Ctrl-C, to end."
        )
        try:
            self.desk.wait_until_left()
        except KeyboardInterrupt:
            click.echo(err=True)


class OnPage(Telling):
    """Shows a match on a page, and as another telling does."""

    def __init__(self, page: PlayPage, other: Telling) -> None:
        super().__init__()
        self.kept = other.kept
        self.pauses = other.pauses
        self._page = page
        self._other = other

    def before(self, game: Game) -> None:
        """Show the table before a bot thinks."""
        self._page.desk.look(game)
        self._other.before(game)

    def __call__(self, game: Game, step: Sequence[Entry]) -> None:
        """Show one step."""
        self._page.desk.look(game, step)
        self._other(game, step)


@contextmanager
def play_page(game: Game, seat: int, names: Sequence[str], *, opens: bool) -> Iterator[PlayPage]:
    """Serve the page of a match, say where, and open it in a browser if that is wanted."""
    page = PlayPage(game, seat, names)
    with serving(page.desk, page.documents) as address:
        say(f"Play at {address}")
        say("Only this machine can connect, and the first browser that comes. Ctrl-C ends.")
        if opens and any(os.environ.get(name) for name in _SCREENS):
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        yield page

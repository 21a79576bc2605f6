"""The pages of a table: the one to play on, and the whole match to step through when it is over."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from arena.report.choice import viewed
from arena.report.frames import frames_of, packed
from arena.report.inlined import data_block, inlined
from arena.report.templates import FOLDER as SHARED
from arena.report.templates import environment
from arena.store.rows import WholeMatch
from referee.rules.game import Game

FOLDER = Path(__file__).with_name("page")
"""Where the templates of these pages are, their styles and their scripts."""


def table_page(game: Game, seat: int, names: Sequence[str]) -> str:
    """Return the page on which a person plays a match that was dealt, in a seat."""
    told = {
        "seat": seat,
        "names": names,
        "called": [game.called(each) for each in range(game.seats)],
        "ground": game.ground,
    }
    files = [SHARED / "report.css", SHARED / "viewer.css", FOLDER / "play.css"]
    scripts = [SHARED / "board.js", FOLDER / "play.js"]
    return _rendered("play.html", [*files, *scripts], game, names, {"told": _json(told)})


def match_page(opened: WholeMatch, game: type[Game], lines: Sequence[str]) -> str:
    """Return the page on which a match is stepped through, all eyes open; its result in `lines`."""
    match = viewed(opened, packed(frames_of(opened, game)))
    payload = {"game": game.name, "matches": [match]}
    files = [SHARED / "report.css", SHARED / "viewer.css", FOLDER / "play.css"]
    scripts = [SHARED / "board.js", SHARED / "viewer.js", FOLDER / "stay.js"]
    return _rendered(
        "match.html",
        [*files, *scripts],
        game,
        opened.names,
        {"payload": _json(payload), "lines": lines},
    )


def _json(value: object) -> str:
    return data_block(msgspec.json.encode(value).decode())


def _rendered(
    template: str,
    files: Sequence[Path],
    game: Game | type[Game],
    names: Sequence[str],
    what: Mapping[str, Any],
) -> str:
    blocks = inlined(files, "connect-src 'self'", "img-src data:")
    found = environment(FOLDER, SHARED).get_template(template)
    return found.render(**blocks, game=game, names=names, **what) + "\n"

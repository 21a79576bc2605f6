"""The templates of pages, and what they may do with values; all text is escaped."""

import re
import unicodedata
from functools import cache, partial
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from arena.tables.elo import rating_text
from arena.tables.leaderboard import ranks_text
from arena.tables.scores import score_text
from arena.tables.table import Row
from arena.text import many

FOLDER = Path(__file__).with_name("page")
"""Where the templates of the page of a league are, its styles and its scripts."""
_CODE = re.compile(r"`([^`\n]{1,200})`")


@cache
def environment(*folders: Path) -> Environment:
    """Return what renders the templates in some folders, of which the first is looked in first."""
    found = Environment(
        loader=FileSystemLoader(folders),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {
        "plain": plain,
        "lines": plain_lines,
        "rank": ranks_text,
        "rating": rating_text,
        "score": partial(score_text, form=",.2f"),
        "outcomes": _outcomes,
        "percent": _percent,
        "count": lambda number: f"{number:,}",
        "many": many,
        "minute": _minute,
        "coded": _coded,
        "sentence": lambda words: words[:1].upper() + words[1:],
    }
    found.tests["sent"] = lambda line: line.startswith(("→", "←"))
    return found


def _outcomes(row: Row) -> str:
    """Return the wins, draws and losses of a row."""
    return "/".join(f"{row[name]:,}" for name in ("wins", "draws", "losses"))


def _minute(when: str) -> str:
    """Return a time in ISO 8601 for people, to the minute."""
    return f"{when[:10]} {when[11:16]}{' UTC' if when.endswith('+00:00') else when[19:]}"


def _coded(text: str) -> Markup:
    """Return text in which what stands between backticks is set as code."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(text))))  # noqa: S704 - it is escaped


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f}"


def plain(text: object) -> str:
    """Return text with control, format and unknown characters written out, as in [U+202E].

    Also those that end lines. Markup is no concern here: templates escape it.
    """
    words = str(text)
    if words.isascii() and words.isprintable():
        return words
    return "".join(f"[U+{ord(char):04X}]" if _is_hidden(char) else char for char in words)


def plain_lines(text: object) -> str:
    """Return text as `plain` does, with its lines and tabs kept."""
    lines = str(text).replace("\r\n", "\n").split("\n")
    return "\n".join(plain(line.expandtabs()) for line in lines)


def _is_hidden(char: str) -> bool:
    category = unicodedata.category(char)
    return category[0] == "C" or category in ("Zl", "Zp")

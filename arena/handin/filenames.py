"""What files are called that were handed in: whose each is, what to pass over, and bots' names."""

import re
from pathlib import PurePath
from typing import NamedTuple

from arena.league.bot import NAME_LIMIT
from arena.text import composed

_LMS = (
    re.compile(r"(.+?)_([0-9]+)_assignsubmission_[a-z]+_?(.*)", re.DOTALL),  # Moodle
    re.compile(r"([a-z]+)(?:_late)?_([0-9]+)_[0-9]+_(.+)", re.DOTALL | re.IGNORECASE),  # Canvas
)
"""How learning platforms call what was handed in: whose it is, a number, and its own name."""
_PACKED = re.compile(r"\.(zip|tgz|tar\.gz|tar|gz)$", re.IGNORECASE)
_JUNK = re.compile(
    r"[.#].*|~\$.*|.*~|.*\.(bak|orig|swp|tmp|pyc|pyo|class|o)|__macosx|__pycache__|node_modules|"
    r"thumbs\.db|desktop\.ini|(readme|licen[cs]e)(\.(md|txt|rst|html|pdf))?",
    re.IGNORECASE | re.DOTALL,
)


class Titled(NamedTuple):
    """A file's name, taken apart."""

    who: str
    """Whose it is, as a learning platform says it; or nothing."""
    number: str
    """The platform's number of that person or what was handed in; or nothing."""
    own: str
    """What its author called it; nothing for a folder that is called by its author."""


def titled(name: str) -> Titled:
    """Return what a file's name says."""
    for form in _LMS:
        if found := form.fullmatch(name):
            return Titled(*found.groups())
    return Titled("", "", name)


def is_junk(name: str) -> bool:
    """Return whether a file of this name is a system's or an editor's, or to be read by people."""
    return _JUNK.fullmatch(name) is not None


def stem(name: str) -> str:
    """Return a file's name without its ending."""
    bare = _PACKED.sub("", name)
    return PurePath(bare).stem if bare == name else bare


def bot_name(words: str) -> str:
    """Return the name of a bot, made of words: no blanks, and nothing that a shell would change."""
    cleaned = re.sub(r"[^\w.+-]+", "_", composed(words))[:NAME_LIMIT].strip("_.-+")
    return cleaned or "bot"

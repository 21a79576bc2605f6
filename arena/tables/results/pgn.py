"""Results as PGN: games of chess, of which the players and the result are read, and no moves."""

import re
from collections.abc import Mapping
from itertools import chain

from arena.tables.results.lines import Lines
from arena.tables.results.played import Played, quoted
from arena.text import composed

_TAG = re.compile(r'\s*\[\s*(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]\s*')
_ASIDE = ("%", "; ")  # how a line begins that is for people
_NEXT = "[Event "  # how a game begins
_COMMENT = re.compile(r"\{[^}]*\}?|;.*")
_PLACES = {"1-0": (1, 2), "0-1": (2, 1), "1/2-1/2": (1, 1)}


def begins(line: str) -> bool:
    """Return whether the first line of a file shows this form."""
    return bool(_tags_of(line)[0]) or line.startswith(_ASIDE)


def read(lines: Lines, played: Played) -> None:
    """Read games; raise ArenaError for one of which it is not known who won it."""
    lines.other_encoding = "latin-1"  # as the standard of PGN has it
    tags: dict[str, str] = {}
    began, opened, is_in_moves, is_in_comment = lines.number, 0, False, False
    for text in chain(lines, [_NEXT]):
        if is_in_comment and text.startswith(_NEXT):  # else that game would be passed over
            raise lines.error("a comment, from '{' on, does not end: close it with '}'.", opened)
        found, rest = ([], text) if is_in_comment else _tags_of(text)
        for name, value in found:
            if tags and (is_in_moves or name in tags):
                _add_game(tags, began, lines, played)
                tags = {}
            if not tags:
                began = lines.number
            is_in_moves = False
            tags[name] = value
        if not is_in_comment:
            opened = lines.number
        if is_in_comment or not text.startswith(_ASIDE):
            is_in_comment = _ends_in_comment(rest, is_in_comment)
            is_in_moves = is_in_moves or bool(rest.strip())
    if tags:
        _add_game(tags, began, lines, played)


def _tags_of(text: str) -> tuple[list[tuple[str, str]], str]:
    """Return the tags that a line of PGN begins with, and the rest of it."""
    found, at = [], 0
    while tag := _TAG.match(text, at):
        found.append((tag[1].lower(), re.sub(r"\\(.)", r"\1", tag[2])))
        at = tag.end()
    return found, text[at:]


def _ends_in_comment(text: str, is_in_comment: bool) -> bool:
    """Return whether a line of PGN ends within braces, given whether it begins so."""
    *_, last = ["", *_COMMENT.findall("{" * is_in_comment + text)]
    return last.startswith("{") and not last.endswith("}")


def _add_game(tags: Mapping[str, str], line: int, lines: Lines, played: Played) -> None:
    places = _PLACES.get(tags.get("result", "*"))
    if places is None:
        said = (
            f"but {quoted(tags['result'])}" if "result" in tags else "as its tag Result is missing"
        )
        raise lines.error(
            f"this game has no result such as 1-0 or 1/2-1/2, {said}; correct it, or take the "
            f"game out.",
            line,
        )
    bots = [composed(tags.get(side, "?")) for side in ("white", "black")]
    if "?" in bots:
        raise lines.error("this game does not say which two play it; name White and Black.", line)
    if bots[0] == bots[1]:
        raise lines.error(f"this game has {bots[0]!r} on both sides; take it out.", line)
    played.add(line, dict(zip(bots, places, strict=True)), "", None)

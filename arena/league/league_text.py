"""The text of a `league.toml`, of which bots are changed while all else stays as it is."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import tomlkit

from arena.league.bot import check_unlike
from arena.text import composed, quoted
from protocol.errors import ArenaError
from referee.limits import Grant
from referee.rules.options import suggestion

_COMMENT = r"[ \t]*#[^\n]*\n"
_KEPT = {"key", "disqualified", *Grant.__struct_fields__} - {"remote"}
"""What belongs to a name rather than to its files, and outlives them."""


@dataclass(eq=False)
class _Piece:
    """A part of a file: from the header of a table, or of a `[[bot]]`, up to the next."""

    lead: str
    """The comments right above it."""
    body: str
    """From the header to the last key."""
    below: str = ""
    """The comments right below it."""
    rest: str = ""
    """Empty lines, and comments that stand by themselves."""
    name: str | None = None
    """The bot's, if it is one."""

    def __str__(self) -> str:
        return self.lead + self.body + self.below + self.rest


class LeagueText:
    """The text of a league's file, in pieces, and the tables that it is to say."""

    def __init__(self, file: Path, text: str) -> None:
        self._file = file
        self._tables = tomllib.loads(text)
        self._bots: list[dict[str, Any]] = self._tables.pop("bot", [])
        self._end = "\r\n" if re.match(r"[^\n]*\r\n", text) else "\n"
        self._pieces = _pieces(text if text.endswith("\n") else text + self._end)
        if [piece.name for piece in self._own] != [bot["name"] for bot in self._bots]:
            raise ArenaError(
                f"{file}: a command can change only bots that are tables of their own, [[bot]]; "
                f"write them so, or edit the file by hand."
            )

    @property
    def bots(self) -> Sequence[Mapping[str, Any]]:
        """The tables of its bots, as they are by now."""
        return tuple(self._bots)

    @property
    def _own(self) -> list[_Piece]:
        """The pieces that are bots."""
        return [piece for piece in self._pieces if piece.name is not None]

    def _find(self, name: str) -> int:
        """Return the number of the bot of a name; raise ArenaError if there is none."""
        names = [composed(bot["name"]) for bot in self._bots]
        if composed(name) not in names:
            known = suggestion(name, names) if names else "It has no bots."
            raise ArenaError(f"there is no bot {name!r} in {self._file}. {known}")
        return names.index(composed(name))

    def add(self, entry: Mapping[str, Any]) -> None:
        """Add a bot below the others, or else at the end.

        Raises ArenaError if its name looks like that of another.
        """
        check_unlike(str(entry["name"]), (bot["name"] for bot in self._bots))
        last = self._own[-1] if self._bots else self._pieces[-1]
        at = self._pieces.index(last) + 1
        new = _Piece("", _with("[[bot]]\n", entry, self._end), name=entry["name"])
        if self._bots:
            new.rest = last.rest or self._end * (at < len(self._pieces))
            last.rest = ""
        if not re.search(r"(?:\A|\n)\r?\n\Z", last.rest):
            last.rest += self._end
        self._pieces.insert(at, new)
        self._bots.append(dict(entry))

    def remove(self, name: str) -> None:
        """Take a bot out, and the gap below it; comments that stand by themselves stay.

        Raises ArenaError for one that is disqualified: that is written nowhere else.
        """
        number = self._find(name)
        if "disqualified" in self._bots[number]:
            league, bot = quoted(self._file.parent), quoted(composed(name))
            raise ArenaError(
                f"{composed(name)} is disqualified, which would be forgotten with it: no table "
                f"would say so, and its name would be free. It does not play while it stays. To "
                f"take it out all the same, lift that first: `arena remove {league} {bot} "
                f"--undo`."
            )
        at = self._pieces.index(self._own[number])
        before, piece = self._pieces[at - 1], self._pieces[at]
        before.rest += piece.rest.lstrip("\r\n")
        if at + 1 == len(self._pieces):
            before.rest = before.rest.rstrip() + self._end if before.rest.strip() else ""
        del self._pieces[at], self._bots[number]

    def replace(self, name: str, entry: Mapping[str, Any]) -> None:
        """Give a bot other keys; those that it had and need not keep are taken out."""
        old = self._bots[self._find(name)]
        gone = {key: None for key in old if key not in _KEPT}
        self.set(name, {**gone, **entry})

    def set(self, name: str, keys: Mapping[str, Any]) -> None:
        """Set keys of a bot, or take out those that are None."""
        number = self._find(name)
        piece = self._own[number]
        now = self._bots[number]
        new = {key: value for key, value in keys.items() if now.get(key) != value}
        piece.body = _with(piece.body, new, self._end)
        table = {**now, **new}
        self._bots[number] = {key: value for key, value in table.items() if value is not None}

    def checked(self) -> str:
        """Return the text; raise ArenaError unless it says just what it is to say."""
        text = "".join(map(str, self._pieces))
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise ArenaError(
                f"{text[error.start : error.end]!r} is not UTF-8; a league's file can hold "
                f"nothing else."
            ) from None
        if _read(text) != self._tables | ({"bot": self._bots} if self._bots else {}):
            raise unchangeable(self._file)
        return text


def unchangeable(file: Path) -> ArenaError:
    """Return what to say of a change that would not come out as it should."""
    return ArenaError(f"{file}: a command cannot make this change; edit the file by hand.")


def _with(body: str, keys: Mapping[str, Any], end: str) -> str:
    """Return the text of a `[[bot]]` with keys set, or taken out if they are None."""
    document = tomlkit.parse(body)
    table: Any = cast("Any", document)["bot"][0]
    for key, value in keys.items():
        if value is not None:
            table[key] = value
        elif key in table:
            del table[key]
    return re.sub("\r?\n", end, tomlkit.dumps(document))


def _pieces(text: str) -> list[_Piece]:
    """Return a file in pieces, which together are its text; the first may be without a header."""
    found = list(map(_piece, _parts(text)))
    for piece, following in pairwise(found):
        above = re.search(rf"(?:(?<=\n)|\A)(?:{_COMMENT})+\Z", piece.rest)
        if above:
            following.lead, piece.rest = above[0], piece.rest[: above.start()]
    for piece in found:
        below = re.match(f"(?:{_COMMENT})*", piece.rest)
        assert below
        piece.below, piece.rest = below[0], piece.rest[below.end() :]
    return found


def _parts(text: str) -> Iterator[str]:
    """Yield a text in parts that are TOML each, all but the first from a header on."""
    part = ""
    for line in _lines(text):
        if part and line.lstrip(" \t").startswith("[") and _read(part) is not None:
            yield part
            part = ""
        part += line
    yield part


def _piece(part: str) -> _Piece:
    """Return the piece of a part of a file, where nothing but comments follows its last key."""
    tables = _read(part)
    lines, rest = _lines(part), ""
    while len(lines) > 1 and _read("".join(lines[:-1])) == tables:
        rest = lines.pop() + rest
    match tables:
        case {"bot": [{"name": str(name)}], **others} if not others:
            return _Piece("", "".join(lines), rest=rest, name=name)
    return _Piece("", "".join(lines), rest=rest)


def _lines(text: str) -> list[str]:
    return re.findall(r"[^\n]*\n", text)


def _read(text: str) -> dict[str, Any] | None:
    """Return the tables of a text; None if it is not TOML, as it ends within something."""
    try:
        return tomllib.loads(text)
    except ValueError:
        return None

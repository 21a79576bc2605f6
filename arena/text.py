"""Text where it is shown: its width on a terminal, what is safe there and in spreadsheets; pure."""

import json
import re
import shlex
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from referee.rules.words import FILLER as _FILLER
from referee.rules.words import columns as _columns
from referee.rules.words import counted as counted
from referee.rules.words import fold as fold
from referee.rules.words import letters as letters
from referee.rules.words import width as width

UNBROKEN = "\x1f"
"""Stands in cells of tables for a space at which no line ends; ASCII, as widths are then quick."""

_SHOWN_OF_A_LINE = 60  # characters
_FIRST_STAND_IN = 0xF0000  # of the private use planes: no printable text holds them

_FORMULA = re.compile(r"'*(?:[=@\t\r\n\uff1d\uff20\uff0b\uff0d]|[-+](?![\d\s.,:%±–]*$))")
"""How a cell begins that may be a formula, in wide letters too; signed numbers are none."""

_UNSEEN = {"Cf", "Mn", "Me"}
"""The kinds of signs that do not show, or only on the letter before them."""
_LIKE_LATIN: dict[int, str | int | None] = {
    **dict.fromkeys(map(ord, "\u115f\u1160\u2800\u3164\uffa0"), " "),  # which show as blanks
    **str.maketrans("\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455", "aeopcyxijs"),
    **str.maketrans("\u0501\u04bb\u051b\u051d\u043a\u043c\u0442", "dhqwkmt"),  # Cyrillic, both
    **str.maketrans("\u03b1\u03bf\u03c1\u03bd\u03b9\u03ba\u03c5\u03c7", "aopvikux"),  # Greek
}


class StandIns:
    """Puts a stand-in, one character a column, for each letter that needs it, and takes them away.

    In between, the length of text is its width, and spaces at its ends are not stripped.
    """

    def __init__(self) -> None:
        self._found: dict[str, str] = {}

    def put(self, text: str) -> str:
        """Return text with stand-ins where they are needed."""
        inner = text.strip(" ")
        if inner == text and text.isascii():
            return text
        before, _, after = text.partition(inner) if inner else (text, "", "")
        kept = inner if inner.isascii() else "".join(map(self._of, letters(inner)))
        return self._for(" ") * len(before) + kept + self._for(" ") * len(after)

    def _of(self, letter: str) -> str:
        if len(letter) == 1 == _columns(letter):
            return letter
        return self._for(letter) + _FILLER * (_columns(letter) - 1)

    def _for(self, letter: str) -> str:
        return self._found.setdefault(letter, chr(_FIRST_STAND_IN + len(self._found)))

    def take(self, text: str) -> str:
        """Return text with the letters again."""
        if not self._found:
            return text
        letters_by_code: dict[int, str] = {ord(sign): own for own, sign in self._found.items()}
        return text.translate({**letters_by_code, ord(_FILLER): ""})


def duration(seconds: float) -> str:
    """Return a time in words, roughly."""
    if seconds < 90:
        return f"{max(seconds, 1):.0f} s"
    if seconds < 90 * 60:
        return f"{seconds / 60:.0f} min"
    if seconds < 48 * 3600:
        return f"{seconds / 3600:.1f} h"
    return f"{seconds / 86400:.1f} days"


def composed(text: str) -> str:
    """Return text with each letter and its marks as one character, where there is such a one.

    What looks alike because of that alone is then the same text (Unicode's NFC).
    """
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def likeness(name: str) -> str:
    """Return what all names have in common that a reader could take for this one.

    Capitals, marks and signs that do not show, runs of spaces, and letters of other scripts that
    look like Latin ones make no difference.
    """
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    seen = (letter for letter in plain if unicodedata.category(letter) not in _UNSEEN)
    return " ".join("".join(seen).translate(_LIKE_LATIN).split())


def many(number: int, thing: str, plural: str = "") -> str:
    """Return a number of things in words, with commas between the thousands."""
    return counted(number, thing, plural).replace(str(number), f"{number:,}", 1)


class Words(NamedTuple):
    """How numbers stand in sentences."""

    commas: bool = False
    """Whether there are commas between the thousands."""

    def number(self, value: int) -> str:
        """Return a whole number."""
        return f"{value:,}" if self.commas else str(value)

    def counted(self, number: int, thing: str, plural: str = "") -> str:
        """Return a number of things."""
        return (many if self.commas else counted)(number, thing, plural)


PLAIN = Words()
WITH_COMMAS = Words(commas=True)
"""As on a page."""


def first_few(names: Sequence[str], most: int = 5) -> str:
    """Return the first of some names in words, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"


def safe(text: str) -> str:
    """Return text as one line that a terminal cannot take for commands."""
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text.expandtabs())


def quoted(word: object) -> str:
    """Return a path or a name as a word of the shell, on one line."""
    return safe(shlex.quote(str(word)))


def league_words(folder: Path) -> str:
    """Return how a sentence calls the league of a folder, which may be the working folder."""
    return "this league" if folder == Path() else str(folder)


def safe_lines(text: str, indent: str = "") -> str:
    """Return text that a terminal cannot take for commands, its lines kept and indented."""
    return "\n".join(indent + safe(line) for line in text.splitlines())


def wrapped(text: str, most: int) -> str:
    """Return text whose lines have at most so many columns, broken as by `folded`, indents kept."""
    found: list[str] = []
    for line in text.splitlines():
        if width(line) <= most:
            found.append(line)
            continue
        words = line.lstrip(" ")
        indent = line.removesuffix(words)[: most // 2]
        found += (indent + part for part in folded(words, most - len(indent)))
    return "\n".join(found)


def folded(text: str, most: int) -> Iterator[str]:
    """Yield lines of at most so many columns, broken at spaces, but not between backticks.

    What stands there is to be typed. If it is wider, it has a line of its own, which a terminal
    shows on several, and copies as one.
    """
    plain = ""
    for number, part in enumerate(re.split(r"(`[^`]*`\S*)", text)):
        is_typed = number % 2 == 1
        if is_typed and width(part) > most:
            yield from fold(plain.strip(), most) if plain.strip() else ()
            yield part
            plain = ""
        else:
            plain += part.replace(" ", _FILLER) if is_typed else part
    if plain.strip():
        yield from fold(plain.strip(), most)


def toml(value: object) -> str:
    """Return text, numbers, truth values, lists and tables of them in TOML: mostly it is JSON."""
    if isinstance(value, Mapping):
        entries = (f"{toml(key)} = {toml(inner)}" for key, inner in value.items())
        return f"{{ {', '.join(entries)} }}"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


_TWICE = "it is there twice: keep one, with all that both say"
_TOML_HINTS = {
    "Invalid value": "text needs quotes",
    "Cannot": _TWICE,
    "Duplicate": _TWICE,
    "Unclosed array": "a list ends with ], and has commas between its values",
    "Unclosed inline": "a table ends with }",
    "Expected '='": "a line is NAME = VALUE",
    "Invalid statement": "a line is NAME = VALUE, and a remark begins with #",
    "Invalid initial": "a line is NAME = VALUE, and a remark begins with #",
    "Unescaped": "in text, a backslash is written twice",
    "Unterminated": "text ends with the quote that it begins with",
}
"""What to do, by how the errors of `tomllib` begin."""
_TOML_SIGNS = {
    r"=\s*(yes|no|on|off|(?-i:TRUE|True|FALSE|False))\b": "write true or false, or text in quotes",
    r"=\s*[-+]?\.\d": "a number begins with a digit, such as 0.5",
    "[\u201c\u201d\u2018\u2019]": "text needs straight quotes",
    r"^\[bot\]": "write [[bot]], once for each bot",
}
"""What to do, by what the line has; the last that fits."""


def not_toml(text: str, error: Exception) -> str:
    """Return what follows a file's name where its text is not TOML: the line, and what is wrong."""
    found = re.fullmatch(r"(.+) \(at line (\d+), column \d+\)", str(error))
    if found is None:
        return f": not TOML: {error}"
    what, line = found[1], int(found[2])
    shown = text.splitlines()[line - 1].strip()[:_SHOWN_OF_A_LINE]
    hint = next((words for start, words in _TOML_HINTS.items() if what.startswith(start)), "")
    for pattern, words in _TOML_SIGNS.items():
        if re.search(pattern, shown, re.IGNORECASE):
            hint = words
    end = f" ({hint})" if hint else ""
    return f":{line}: not TOML: {what[0].lower()}{what[1:]}: {safe(shown)}{end}."


def guarded(text: str) -> str:
    """Return text as a cell: an apostrophe goes before what may be taken for a formula."""
    return f"'{text}" if _FORMULA.match(text) else text


def unguarded(cell: str) -> str:
    """Return the text that was `guarded`."""
    return cell[1:] if cell[:1] == "'" and _FORMULA.match(cell) else cell

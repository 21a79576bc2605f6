"""Words in lines: how wide they are on a terminal, where they are broken; pure."""

import unicodedata
from collections.abc import Iterator

FILLER = "\ue000"
"""Stands where a line may not break; no printable text holds it."""


def width(text: str) -> int:
    """Return how many columns a line of text takes."""
    return len(text) if text.isascii() else sum(map(columns, letters(text)))


def letters(text: str) -> Iterator[str]:
    """Yield what a terminal draws as one: characters, each with the marks that combine with it.

    A mark that combines with nothing gets a dotted circle.
    """
    letter = ""
    for char in text:
        if unicodedata.category(char) in ("Mn", "Me"):
            letter = (letter or "◌") + char
        else:
            if letter:
                yield letter
            letter = char
    if letter:
        yield letter


def columns(letter: str) -> int:
    """Return how many columns one letter takes."""
    return 2 if unicodedata.east_asian_width(letter[0]) in "WF" or "\ufe0f" in letter else 1


def fold(text: str, most: int) -> Iterator[str]:
    """Yield lines of at most so many columns, broken at spaces or, in longer words, anywhere.

    A number stays with its %. Only a letter that is itself wider makes a wider line.
    """
    line = ""
    for word in _pieces(text.replace(" %", f"{FILLER}%"), most):
        if line and width(line) + 1 + width(word) > most:
            yield line.replace(FILLER, " ")
            line = word
        else:
            line = f"{line} {word}" if line else word
    yield line.replace(FILLER, " ")


def _pieces(text: str, most: int) -> Iterator[str]:
    for word in text.split(" "):
        piece, room = "", most
        for letter in letters(word) if width(word) > most else [word]:
            taken = width(letter)
            if piece and taken > room:
                yield piece
                piece, room = "", most
            piece += letter
            room -= taken
        if piece:
            yield piece


def counted(number: int, thing: str, plural: str = "") -> str:
    """Return a number of things in words."""
    return f"{number} {thing if number == 1 else plural or thing + 's'}"

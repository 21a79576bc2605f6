"""Boards of common shapes, read from OpenSpiel's texts and drawn as grids of squares."""

import re
from collections.abc import Sequence

from referee.rules.scene import Area, Grid, Text

_OWNERS = {
    **dict.fromkeys(("antichess", "chess", "crazyhouse", "dark_chess", "kriegspiel"), "case"),
    "amazons": "XO",
    "breakthrough": "bw",
    "checkers": "o+",
    "clobber": "ox",
    "connect_four": "xo",
    "cursor_go": "XO",
    **dict.fromkeys(("dark_hex", "hex"), "xyzX/opqO"),
    "go": "XO",
    "gomoku": "bw",
    "lines_of_action": "xo",
    "mnk": "xo",
    "othello": "xo",
    "phantom_go": "XO",
    "phantom_ttt": "xo",
    "python_tic_tac_toe": "xo",
    "shogi": "CASE",
    "tic_tac_toe": "xo",
    "xiangqi": "CASE",
}
"""By game, the letters of the first seat's and the second seat's pieces; `case` for small letters
and capitals of any piece, `CASE` for capitals and small letters. Where a seat has several, a slash
stands between the seats: in hex the first of each says the piece, and the others what it touches.
"""
_COLOURED = {
    *("antichess", "breakthrough", "chess", "crazyhouse", "cursor_go", "dark_chess", "go"),
    *("gomoku", "kriegspiel", "phantom_go", "shogi"),
}
"""Games in which the first seat is Black and the second White, whoever begins."""
_SLANTED = {"dark_hex", "hex"}
"""Games on a board of hexagons, each row half a square further right than the one above."""
_FREE = ".+-_"
"""What OpenSpiel writes for a free square, where it is nobody's piece."""
_LETTERS = "abcdefghijklmnopqrst"

_FEN = re.compile(r"(?:[A-Za-z?+~\d]+/){4,}[A-Za-z?+~\d]+")
_LABELLED = re.compile(r" ?(\d{1,2}) ?(\S{3,})")
_SPACED = re.compile(r"(\d{1,2}) ((?:\S ){2,}?\S)(?: \1)?")
_PLAIN = re.compile(r"\S{3,}")
_STEPS = re.compile(r" *((?:\S )+\S?)")
_COLUMNS = re.compile(r"\s*([a-z](?: ?[a-z]){2,}|[A-Z]{3,})\s*")


def colour(game: str, seat: int) -> str | None:
    """Return the colour of a seat's pieces in a game that has two; None in others."""
    return ("Black", "White")[seat] if game in _COLOURED else None


def drawn(game: str, label: str, text: str) -> list[Area]:
    """Return a text of a game as a grid with what stands beside it, or as the text it is."""
    lines = [line.rstrip() for line in text.expandtabs(4).splitlines()]
    fen = _FEN.match(text)
    board = _of_fen(fen[0]) if fen else _of_lines(lines, is_slanted=game in _SLANTED)
    if board is None:
        return [Text(label, _narrow(lines))]
    cells, rows, columns, rest = board
    if fen:
        rest = [text[fen.end() :].strip(), *lines[1:]]
    owner = [[_owner(game, cell) for cell in row] for row in cells]
    free = "" if any(mark in _OWNERS.get(game, "") for mark in _FREE) else _FREE
    shown = [["" if cell in (free or ".") else _piece(game, cell) for cell in row] for row in cells]
    grid = Grid(
        label,
        shown,
        owner=owner if game in _OWNERS else (),
        rows=rows,
        columns=columns,
        checkered=_OWNERS.get(game) == "case",
        slanted=game in _SLANTED,
    )
    words = [line for line in _narrow(rest) if line.strip()]
    return [grid, Text("Beside it", words)] if words else [grid]


_Board = tuple[list[list[str]], list[str], list[str], list[str]]
"""The cells, what rows and columns are called, and the lines that are no part of the board."""


def _of_fen(fen: str) -> _Board | None:
    cells = []
    for rank in fen.split("/"):
        row: list[str] = []
        for piece in re.findall(r"\d+|\+?[A-Za-z?]~?", rank):
            row += ["."] * int(piece) if piece.isdecimal() else [piece]
        cells.append(row)
    if len({len(row) for row in cells}) != 1:
        return None
    height, width = len(cells), len(cells[0])
    if height == 9:  # shogi: files from the right, ranks by letters
        return cells, [*_LETTERS[:9]], [str(file) for file in range(9, 0, -1)], []
    return cells, [str(height - at) for at in range(height)], [*_LETTERS[:width]], []


def _of_lines(lines: Sequence[str], *, is_slanted: bool) -> _Board | None:
    """Return the board in some lines: at least three in a row that are equally wide."""
    for pattern in (_STEPS, _PLAIN) if is_slanted else (_LABELLED, _SPACED, _PLAIN):
        found = [pattern.fullmatch(line) for line in lines]
        begin = next((at for at, match in enumerate(found) if match), None)
        if begin is None:
            continue
        end = begin
        cells: list[list[str]] = []
        rows: list[str] = []
        while end < len(lines) and (match := found[end]):
            body = match[match.lastindex or 0]
            cells.append([*body] if pattern in (_LABELLED, _PLAIN) else body.split())
            rows += [match[1]] if match.lastindex == 2 else []
            end += 1
        if len(cells) < 3 or len({len(row) for row in cells}) != 1:
            continue
        rest = [*lines[:begin], *lines[end:]]
        heads = [line for line in rest if _COLUMNS.fullmatch(line)]
        columns = [*"".join(heads[0].split())] if heads else []
        if len(columns) != len(cells[0]):
            columns = [str(at) for at in range(len(cells[0]))] if pattern is _PLAIN else []
        if is_slanted and len(cells[0]) <= len(_LETTERS):
            columns, rows = [*_LETTERS[: len(cells[0])]], [str(at + 1) for at in range(len(cells))]
        return cells, rows, columns, [line for line in rest if line not in heads]
    return None


def _owner(game: str, cell: str) -> int | None:
    letters = _OWNERS.get(game, "")
    if "/" in letters:
        return next((seat for seat, each in enumerate(letters.split("/")) if cell in each), None)
    if letters.lower() == "case":
        piece = cell.strip("+~")
        return int(piece.isupper() == (letters == "case")) if piece.isalpha() else None
    return letters.find(cell) if cell in letters and len(cell) == 1 else None


def _piece(game: str, cell: str) -> str:
    """Return a piece as it is shown: its first letter, where a seat has several for it."""
    kinds = _OWNERS.get(game, "").split("/")
    return next((each[0] for each in kinds if len(kinds) > 1 and cell in each), cell)


_WIDTH = 76


def _narrow(lines: Sequence[str]) -> list[str]:
    """Return lines in at most 76 columns of what a terminal prints."""
    narrow = []
    for line in lines:
        shown = "".join(char if char.isprintable() else "?" for char in line)
        while len(shown) > _WIDTH:
            cut = shown.rfind(" ", _WIDTH // 2, _WIDTH + 1)
            cut = cut if cut > 0 else _WIDTH
            narrow.append(shown[:cut])
            shown = shown[cut:].lstrip()
        narrow.append(shown)
    return narrow or [""]

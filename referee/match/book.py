"""Books of openings: files of moves for any game, of positions (EPD, FEN), and of games (PGN).

A large book is drawn from, and not tried whole: the openings are taken that lie at even distances
in its file. So everybody who has the file has the same ones, whatever the league.
"""

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import msgspec

from protocol.errors import ArenaError
from referee.match.opening import BookLine
from referee.sandbox.sources import read_at_most

_SIZE_LIMIT = 1 << 30  # bytes of a file
_WHOLE = 1 << 20  # bytes of a file of which all openings are taken
_DRAWN = 10_000  # openings that are taken from a larger one
_MOVES_LIMIT = 10_000  # of an opening
_POSITIONS = (".epd", ".fen")
_GAMES = ".pgn"

_TOKEN = re.compile(
    r"""
    \{[^}]*\} | ;[^\n]* | ^%[^\n]*         # what people are told
    | (?P<open>\() | (?P<shut>\))          # a variation
    | (?P<tag>\[[^\]\n"]*+(?:"(?:[^"\\\n]|\\.)*+"[^\]\n"]*+)?\])
    | (?P<word>[^\s(){}\[\];]+)
    | (?P<odd>\S)
    """,
    re.MULTILINE | re.VERBOSE,
)
_SIGN = re.compile(r'\\.|["{}]')
_BETWEEN = re.compile(r"[ \t,;]*")
_FEN = re.compile(r'\[\s*FEN\s+"([^"]*)"')
_RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
_NOT_A_MOVE = re.compile(r"\$\d+|[!?]+|e\.p\.|[+#=-]+/?[+#=-]*")


def read_book(path: Path, plies: int | None = None) -> tuple[BookLine, ...]:
    """Return the openings of a file, with at most so many moves each.

    What the file holds, the end of its name says: positions, games, or else moves. At most 10,000
    openings are returned, of a file of more than a MiB sometimes fewer. Raises ArenaError if it
    cannot be read or holds none.
    """
    try:
        whole = read_at_most(path, _SIZE_LIMIT)
    except OSError as error:
        raise ArenaError(f"{path} cannot be read: {error.strerror}.") from None
    kind = path.suffix.lower()
    lines: list[BookLine] = []
    for first, data in _pieces(whole, b"\n[Event " if kind == _GAMES else b"\n"):
        try:
            text = data.decode("utf-8-sig", errors="replace" if kind == _GAMES else "strict")
        except ValueError:
            raise ArenaError(f"{path} is no text in UTF-8: save it as such.") from None
        if kind == _GAMES:
            lines += _games(path, text, plies, first)
        else:
            lines += _lines(path, text, plies, first, are_positions=kind in _POSITIONS)
    if not lines:
        raise ArenaError(f"{path} holds no openings: write some, or take another file.")
    if len(lines) > _DRAWN:
        lines = [lines[len(lines) * number // _DRAWN] for number in range(_DRAWN)]
    return tuple(lines)


def _pieces(whole: bytes, start: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield a file, or the openings drawn from it, with the number of the line where each begins.

    `start` is what comes before an opening, the end of the line before it included.
    """
    if len(whole) <= _WHOLE:
        yield 1, whole
        return
    number, counted_to = 1, 0
    for at in _beginnings(whole, start):
        number += whole.count(b"\n", counted_to, at)
        counted_to = at
        end = whole.find(start, at)
        yield number, whole[at:] if end < 0 else whole[at:end]


def _beginnings(whole: bytes, start: bytes) -> list[int]:
    """Return where the openings begin that lie at even distances, or after these."""
    found = {0}
    for number in range(_DRAWN):
        at = whole.find(start, len(whole) * number // _DRAWN)
        if at < 0:
            break
        found.add(at + 1)
    return sorted(found)[:_DRAWN]


def _lines(
    path: Path, text: str, plies: int | None, first: int, *, are_positions: bool
) -> Iterator[BookLine]:
    """Yield the openings of a text that has one a line, from the line `first` of a file on."""
    for number, line in enumerate(text.splitlines(), first):
        words = line.strip()
        if not words or words.startswith("#"):
            continue
        try:
            if are_positions:
                yield BookLine(number, _position(words))
            else:
                yield BookLine(number, "", _some(_moves(words))[:plies])
        except ValueError as error:
            raise ArenaError(f"{path}:{number}: {error}") from None


def _some(moves: Iterator[str]) -> tuple[str, ...]:
    """Return the moves of an opening; raise ValueError for more than anybody meant."""
    found = tuple(islice(moves, _MOVES_LIMIT + 1))
    if len(found) > _MOVES_LIMIT:
        raise ValueError(f"it has more than {_MOVES_LIMIT} moves: take some out.")
    return found


def _position(line: str) -> str:
    """Return the position of a line of EPD or FEN, with all six fields."""
    words = line.split()
    if len(words) < 4:
        raise ValueError("a position has at least four fields: board, side, castling, en passant.")
    counts = words[4:6]
    is_whole = len(counts) == 2 and all(each.isdecimal() for each in counts)
    return " ".join([*words[:4], *(counts if is_whole else ["0", "1"])])


def _moves(line: str) -> Iterator[str]:
    """Yield the moves of a line: JSON objects, or else words, with `;` between them or blanks."""
    if not line.startswith("{"):
        words = line.split(";") if ";" in line else line.split()
        yield from (" ".join(word.split()) for word in words if word.strip())
        return
    start = 0
    while start < len(line):
        end = _end_of_object(line, start)
        yield line[start:end]
        between = _BETWEEN.match(line, end)
        assert between is not None  # it may be empty
        start = between.end()


_DEEPEST = 100  # objects in each other: how many JSON may have differs from Python to Python


def _end_of_object(line: str, start: int) -> int:
    """Return where the JSON object ends that begins at a place; raise ValueError if none does."""
    depth, is_in_text = 0, False
    for match in _SIGN.finditer(line, start):
        if match[0] == '"':
            is_in_text = not is_in_text
        elif not is_in_text and match[0] in "{}":
            depth += 1 if match[0] == "{" else -1
            if depth > _DEEPEST:
                break
            if not depth:
                move = line[start : match.end()]
                try:
                    if isinstance(msgspec.json.decode(move), dict):
                        return match.end()
                except (ValueError, RecursionError):
                    break
    raise ValueError(f"not a move in JSON, such as {{...}}: {line[start : start + 40]!r}.")


def _games(path: Path, text: str, plies: int | None, first: int) -> Iterator[BookLine]:
    """Yield the openings of a text in PGN: the moves of each game, variations left out."""
    where, depth, position = 0, 0, ""
    moves: list[str] = []
    line, counted_to = first, 0
    for match in _TOKEN.finditer(text):
        line += text.count("\n", counted_to, match.start())
        counted_to = match.start()
        if match["odd"] or (match["shut"] and not depth):
            raise ArenaError(f"{path}:{line}: {match[0]!r} has no counterpart.")
        depth += bool(match["open"]) - bool(match["shut"])
        if depth:
            continue
        if tag := match["tag"]:
            if moves:  # of a game without a result
                yield BookLine(where, position, tuple(moves)[:plies])
                where, position, moves = 0, "", []
            where = where or line
            if found := _FEN.match(tag):
                position = " ".join(found[1].split())
            continue
        word = re.sub(r"^\d+\.+", "", match["word"] or "").rstrip("!?")
        if word in _RESULTS:
            if moves or position:
                yield BookLine(where, position, tuple(moves)[:plies])
            where, position, moves = 0, "", []
        elif word and not word.isdecimal() and not _NOT_A_MOVE.fullmatch(word):
            where = where or line
            moves.append(word)
    if depth:
        raise ArenaError(f"{path}: a variation, from '(' on, does not end.")
    if moves or position:
        yield BookLine(where, position, tuple(moves)[:plies])

"""Chess as chess programs write it: moves by UCI and SAN, and positions by FEN."""

import re
from collections.abc import Sequence
from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType

from protocol.errors import ArenaError
from referee.openspiel.act import Act
from referee.openspiel.library import spiel

GAMES = ("chess",)
"""The games whose moves UCI can say."""

_SAN = re.compile(r"([KQRBN]?)([a-h]?)([1-8]?)x?([a-h][1-8])(?:=?([QRBN]))?")
_HOMES = {"K": "h", "Q": "a", "k": "h", "q": "a"}
"""The column of the rook for each right to castle; the king's is e."""


class ChessAct(Act, forbid_unknown_fields=True):
    """An action of chess: by its number, by its text, or as UCI has it; if several, they agree."""

    uci: (
        Annotated[str, Meta(description="From square to square, such as e2e4 or e7e8q.")]
        | UnsetType
    ) = UNSET


def uci(state: Any, action: int) -> str:
    """Return what UCI calls a legal action of a state."""
    text: str = spiel().chess.action_to_move(action, state.board()).to_lan()
    return text


def all_uci(state: Any, actions: Sequence[int]) -> list[str]:
    """Return what UCI calls several legal actions of a state."""
    board, move_of = state.board(), spiel().chess.action_to_move
    return [move_of(action, board).to_lan() for action in actions]


def may_be(uci: str, word: str) -> bool:
    """Return whether a word may name the move that UCI calls so: most can be ruled out quickly."""
    return word[:1] in ("O", "0") or uci[2:4] in word


def is_called(text: str, uci: str, word: str) -> bool:
    """Return whether a word names a legal move, of which OpenSpiel's text and UCI's are given.

    It may be as UCI writes it, or SAN, which says as much of the from square as it needs.
    """
    word = word.rstrip("+#!?")
    if word == uci:
        return True
    if text.startswith("O"):
        return word.replace("0", "O") == text.rstrip("+#")
    if not (match := _SAN.fullmatch(word)):
        return False
    piece, column, row, to, promoted = match.groups(default="")
    is_of = text[0] if text[0] in "KQRBN" else ""
    said = (piece, to, promoted.lower())
    return said == (is_of, uci[2:4], uci[4:]) and column in uci[0] and row in uci[1]


def check_position(fen: str, *, is_960: bool = False) -> None:
    """Raise ArenaError unless a text is a position of chess in FEN, all six fields.

    In Chess960 a right to castle may be called by the rook's column (Shredder-FEN), or mean the
    outermost rook on its side (X-FEN).
    """
    fields = fen.split(" ")
    if len(fields) != 6:
        raise _wrong(fen, "it has not six fields")
    pieces, side, castling, passant, *counts = fields
    board: dict[str, str] = {}
    rows = pieces.split("/")
    for row, text in zip("87654321", rows, strict=False):
        squares = "".join("." * int(each) if each in "12345678" else each for each in text)
        if (
            len(squares) != 8
            or re.search("[1-8]{2}", text)
            or not re.fullmatch("[KQRBNPkqrbnp.]*", squares)
        ):
            raise _wrong(fen, f"row {row} of its board is {text!r}")
        board |= {
            f"{column}{row}": piece for column, piece in zip("abcdefgh", squares, strict=True)
        }
    placed = "".join(board.values())
    if len(rows) != 8:
        raise _wrong(fen, f"its board has {len(rows)} rows")
    if placed.count("K") != 1 or placed.count("k") != 1:
        raise _wrong(fen, "each side has one king")
    for pawn, side_pieces in (("P", "[A-Z]"), ("p", "[a-z]")):
        if placed.count(pawn) > 8 or len(re.findall(side_pieces, placed)) > 16:
            raise _wrong(fen, "a side has more than 8 pawns or 16 pieces")
    if any(board[f"{column}{row}"] in "Pp" for column in "abcdefgh" for row in "18"):
        raise _wrong(fen, "a pawn stands on the first or the last row")
    if side not in ("w", "b"):
        raise _wrong(fen, f"the side to move is w or b, not {side!r}")
    pattern = "-|[A-HKQ]{1,2}[a-hkq]{0,2}|[a-hkq]{1,2}" if is_960 else "-|(?!$)K?Q?k?q?"
    if not re.fullmatch(pattern, castling):
        raise _wrong(fen, f"{castling!r} are no rights to castle, such as KQkq or -")
    for right in castling.strip("-"):
        if not _may_castle(rows[-1 if right.isupper() else 0], right, is_960=is_960):
            raise _wrong(fen, f"king or rook have moved, so that {right!r} is no right to castle")
    kings = {piece.isupper(): square[0] for square, piece in board.items() if piece in "Kk"}
    wings = {  # white or black, king's or queen's
        (right.isupper(), right in "Kk" or "q" > right.lower() > kings[right.isupper()])
        for right in castling.strip("-")
    }
    if len(wings) < len(castling.strip("-")):
        raise _wrong(fen, f"{castling!r} castles twice on one side of a king: take one right out")
    if not re.fullmatch("-|[a-h][36]", passant) or (passant[-1] == "36"[side == "b"]):
        raise _wrong(fen, f"{passant!r} is no square for taking en passant")
    if passant != "-":
        at, origin, pawn = ("4", "2", "P") if passant[1] == "3" else ("5", "7", "p")
        passed = [board[passant[0] + row] for row in (at, passant[1], origin)]
        if passed != [pawn, ".", "."]:
            raise _wrong(fen, f"no pawn has just passed {passant}")
    if not all(re.fullmatch("[0-9]{1,4}", count) for count in counts) or int(counts[1]) < 1:
        raise _wrong(fen, "it ends with the moves since a pawn moved and the number of the move")


def _may_castle(row: str, right: str, *, is_960: bool) -> bool:
    """Return whether king and rook stand, in a side's own row, where a right to castle has them."""
    row = re.sub("[1-8]", lambda digit: "." * int(digit[0]), row)
    king, rook = ("K", "R") if right.isupper() else ("k", "r")
    if not is_960:
        return (row[4], row["abcdefgh".index(_HOMES[right])]) == (king, rook)
    at = row.find(king)
    if right in "KQkq":
        return rook in (row[at:] if right in "Kk" else row[: max(at, 0)])
    return at >= 0 and row["abcdefgh".index(right.lower())] == rook


def check_is_possible(state: Any) -> None:
    """Raise ArenaError if the side that does not move could lose its king at once."""
    fen = str(state)
    king = "k" if fen.split(" ")[1] == "w" else "K"
    rows = re.sub("[1-8]", lambda digit: "." * int(digit[0]), fen.split(" ")[0]).split("/")
    at = next((8 - n, row.index(king)) for n, row in enumerate(rows) if king in row)
    square = f"{'abcdefgh'[at[1]]}{at[0]}"
    if not state.is_terminal() and any(
        uci(state, action)[2:4] == square for action in state.legal_actions()
    ):
        raise _wrong(fen, "the side that does not move is in check")


def _wrong(fen: str, what: str) -> ArenaError:
    return ArenaError(f"{fen!r} is no position of chess in FEN: {what}.")

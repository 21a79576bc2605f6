"""Chess moves as chess programs write them: by UCI, the Universal Chess Interface."""

from collections.abc import Sequence
from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType

from referee.openspiel.act import Act
from referee.openspiel.library import spiel

GAMES = ("chess",)
"""The games whose moves UCI can say."""


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

"""Parameters of a game of OpenSpiel that do not go together, where OpenSpiel does not say so.

It writes past its memory with some, which ends the process; with others a match has no end.
"""

from collections.abc import Callable, Mapping
from typing import Any


def clash(game: str, said: Mapping[str, Any], usual: Mapping[str, Any], seats: int) -> str:
    """Return in a sentence which parameters do not go together; "" if they do.

    `said` are those that OpenSpiel is told, and `usual` the defaults of all.
    """
    rule = _RULES.get(game)
    return rule(said, {**usual, **said}, seats) if rule else ""


def _of_go_fish(_: Mapping[str, Any], of: Mapping[str, Any], seats: int) -> str:
    dealt = of["initial_cards"]
    if dealt == 0:
        return "initial_cards cannot be 0: nobody could ask for a card"
    if dealt == -1:
        dealt = 7 if seats == 2 else 5
    return _too_few_cards(of["ranks"] * of["suits"], seats * dealt)


def _of_goofspiel(_: Mapping[str, Any], of: Mapping[str, Any], __: int) -> str:
    return "num_turns cannot be 0" if of["num_turns"] == 0 else ""


def _of_hex(said: Mapping[str, Any], of: Mapping[str, Any], _: int) -> str:
    columns, rows = (said.get(each, of["board_size"]) for each in ("num_cols", "num_rows"))
    if of["swap"] and columns != rows:
        return f"swap needs a square board, and this one has {columns} columns and {rows} rows"
    return ""


def _of_kriegspiel(_: Mapping[str, Any], of: Mapping[str, Any], __: int) -> str:
    if of["50_move_rule"] or of["threefold_repetition"]:
        return ""
    return "without 50_move_rule and threefold_repetition a match need not end: leave one of them"


def _of_oh_hell(_: Mapping[str, Any], of: Mapping[str, Any], seats: int) -> str:
    dealt = seats * of["num_tricks_fixed"] + 1  # the last shows what is trump
    return _too_few_cards(of["num_suits"] * of["num_cards_per_suit"], dealt)


def _of_universal_poker(_: Mapping[str, Any], of: Mapping[str, Any], seats: int) -> str:
    board = [int(each) for each in of["numBoardCards"].split() if each.isdecimal()]
    dealt = seats * of["numHoleCards"] + sum(board[: of["numRounds"]])
    return _too_few_cards(of["numRanks"] * of["numSuits"], dealt)


def _too_few_cards(cards: int, dealt: int) -> str:
    return f"a deck of {cards} cards is too small: {dealt} are dealt" if dealt > cards else ""


_RULES: Mapping[str, Callable[[Mapping[str, Any], Mapping[str, Any], int], str]] = {
    "go_fish": _of_go_fish,
    "goofspiel": _of_goofspiel,
    "hex": _of_hex,
    "kriegspiel": _of_kriegspiel,
    "oh_hell": _of_oh_hell,
    "universal_poker": _of_universal_poker,
}
"""By game, a rule for what is said, for all parameters, and for the number of seats."""

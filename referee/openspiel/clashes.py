"""Parameters of a game of OpenSpiel that do not go together, where OpenSpiel does not say so.

It writes past its memory with some, which ends the process; with others a match has no end.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from protocol.errors import ArenaError
from referee.openspiel.chess import check_position

_Rule = Callable[[Mapping[str, Any], Mapping[str, Any], int], None]


def check_together(
    game: str, said: Mapping[str, Any], usual: Mapping[str, Any], seats: int
) -> None:
    """Raise ValueError, with a sentence, for parameters that do not go together.

    `said` are those that OpenSpiel is told, and `usual` the defaults of all.
    """
    if rule := _RULES.get(game):
        rule(said, {**usual, **said}, seats)


def _go_fish(_: Mapping[str, Any], of: Mapping[str, Any], seats: int) -> None:
    dealt = of["initial_cards"]
    if dealt == 0:
        raise ValueError("initial_cards cannot be 0: nobody could ask for a card")
    if dealt == -1:
        dealt = 7 if seats == 2 else 5
    _check_deck(of["ranks"] * of["suits"], seats * dealt)


def _goofspiel(_: Mapping[str, Any], of: Mapping[str, Any], __: int) -> None:
    if of["num_turns"] == 0:
        raise ValueError("num_turns cannot be 0")


def _hex(said: Mapping[str, Any], of: Mapping[str, Any], _: int) -> None:
    columns, rows = (said.get(each, of["board_size"]) for each in ("num_cols", "num_rows"))
    if of["swap"] and columns != rows:
        raise ValueError(
            f"swap needs a square board, and this one has {columns} columns and {rows} rows"
        )


def _kriegspiel(said: Mapping[str, Any], of: Mapping[str, Any], seats: int) -> None:
    _hidden_chess(said, of, seats)
    if not (of["50_move_rule"] or of["threefold_repetition"]):
        raise ValueError(
            "without 50_move_rule and threefold_repetition a match need not end: leave one of them"
        )


def _hidden_chess(said: Mapping[str, Any], of: Mapping[str, Any], _: int) -> None:
    """Check the position that a match begins from, if it is not the usual one."""
    if "fen" not in said:
        return
    fen, size = said["fen"], of["board_size"]
    if size == 8:
        try:
            check_position(fen)
        except ArenaError as error:
            raise ValueError(str(error).rstrip(".")) from None
        return
    rows, *rest = fen.split(" ")
    board = [re.sub("[1-9]", lambda digit: "." * int(digit[0]), row) for row in rows.split("/")]
    is_board = [len(row) for row in board] == [size] * size
    placed = "".join(board)
    if not (
        is_board
        and re.fullmatch("[KQRBNPkqrbnp.]*", placed)
        and (placed.count("K"), placed.count("k")) == (1, 1)
        and re.fullmatch("[wb] - - [0-9]{1,4} [1-9][0-9]{0,3}", " ".join(rest))
    ):
        raise ValueError(
            f"{fen!r} is no position in FEN for {size} rows, such as '{size}/.../{size} w - - 0 1',"
            " with one king on each side and without castling"
        )


def _oh_hell(_: Mapping[str, Any], of: Mapping[str, Any], seats: int) -> None:
    trump = 1
    dealt = seats * of["num_tricks_fixed"] + trump
    _check_deck(of["num_suits"] * of["num_cards_per_suit"], dealt)


def _universal_poker(_: Mapping[str, Any], of: Mapping[str, Any], seats: int) -> None:
    rounds = of["numRounds"]
    board = _numbers(of, "numBoardCards", rounds)
    _check_deck(of["numRanks"] * of["numSuits"], seats * of["numHoleCards"] + sum(board[:rounds]))
    _numbers(of, "firstPlayer", rounds, least=1, most=seats)
    if of["betting"] == "limit":
        _numbers(of, "raiseSize", rounds, least=1)
    if of["maxRaises"]:
        _numbers(of, "maxRaises", rounds, most=255)
    blinds, stacks = _numbers(of, "blind", seats), _numbers(of, "stack", seats, least=1)
    if max(blinds) >= min(stacks):
        raise ValueError(f"a stack of {min(stacks)} is to be more than a blind of {max(blinds)}")


def _numbers(
    of: Mapping[str, Any], name: str, count: int, *, least: int = 0, most: int = 10**6
) -> Sequence[int]:
    """Return the whole numbers of a text, which has at least so many."""
    words = of[name].split(" ")
    numbers = [int(word) for word in words if re.fullmatch("[0-9]{1,7}", word)]
    if len(numbers) != len(words) or len(numbers) < count:
        raise ValueError(f"{name} is {of[name]!r}, and is to be {count} whole numbers or more")
    if not all(least <= number <= most for number in numbers):
        raise ValueError(f"{name} is {of[name]!r}, and its numbers are from {least} to {most}")
    return numbers


def _check_deck(cards: int, dealt: int) -> None:
    if dealt > cards:
        raise ValueError(f"a deck of {cards} cards is too small: {dealt} are dealt")


_RULES: Mapping[str, _Rule] = {
    "dark_chess": _hidden_chess,
    "go_fish": _go_fish,
    "goofspiel": _goofspiel,
    "hex": _hex,
    "kriegspiel": _kriegspiel,
    "oh_hell": _oh_hell,
    "rbc": _hidden_chess,
    "universal_poker": _universal_poker,
}
"""By game, what checks what is said, all parameters, and the number of seats."""

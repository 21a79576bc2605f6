"""Positions and plays of Cold War, written as on its rules page."""

import json
from typing import Any

from referee.games.cold_war.game import ColdWar, ColdWarOptions
from referee.rules.chance import Chance
from referee.rules.game import Move

PASS: Move = {"play": "shift", "move": [0, 0, 0, 0]}
NULL: Move = {"play": "null"}
POSITION_X = ("- 7 9 8 / 0", "7 - 9 8 / 0", "6 6 - 12 / 0", "6 6 12 - / 0")
ZERO = ("- 0 0 0 / 0", "0 - 0 0 / 0", "0 0 - 0 / 0", "0 0 0 - / 0")


def new(start: tuple[str, ...] = ZERO, **options: Any) -> ColdWar:
    """Return a game whose counters are written as on the rules page."""
    game = ColdWar(seats=4, options=ColdWarOptions(**options), chance=Chance("0"))
    for seat, row in enumerate(start):
        set_counters(game, seat, row)
    return game


def set_counters(game: ColdWar, seat: int, row: str) -> None:
    markers, reserve = row.split("/")
    game.markers[seat] = [0 if cell == "-" else int(cell) for cell in markers.split()]
    game.reserve[seat] = int(reserve)


def counters(game: ColdWar, seat: int) -> str:
    cells = ["-" if other == seat else str(game.markers[seat][other]) for other in range(4)]
    return f"{' '.join(cells)} / {game.reserve[seat]}"


def reply(text: str) -> Move:
    """Return the JSON of a play written as in the worked examples; `nonsense` is no play."""
    kind, *numbers = text.split()
    if text.startswith("{"):
        return json.loads(text)
    if kind == "pass":
        return PASS
    if kind == "attack":
        return {"play": "attack", "with": int(numbers[0])}
    if kind in ("arm", "shift"):
        return {"play": kind, "add" if kind == "arm" else "move": [int(n) for n in numbers]}
    return {}


def play_round(game: ColdWar, replies: list[Move]) -> list[int]:
    """Play what is legal and the default for the rest; return the seats refused."""
    read = {seat: game.read(seat, replies[seat]) for seat in range(4)}
    refused = [seat for seat, move in read.items() if isinstance(move, str)]
    game.apply({s: game.default(s) if s in refused else move for s, move in read.items()})
    return refused

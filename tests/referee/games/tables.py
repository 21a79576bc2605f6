"""Tables of examples, as the tests of games write them: a row a line, cells between bars."""

from typing import Any

import pytest


def rows(table: str) -> list[Any]:
    """Return a test's cases: the first cell of each row is its name. A backslash goes on."""
    lines = table.replace("\\\n", "").strip().splitlines()
    cells = [[cell.strip() for cell in line.split("|")] for line in lines]
    return [pytest.param(*row, id=name) for name, *row in cells]


def options_of(cell: str) -> dict[str, Any]:
    """Read `war_length=3 pickup=won_first`."""
    pairs = (pair.split("=") for pair in cell.split())
    return {name: int(value) if value.isdigit() else value for name, value in pairs}


def play(game, *moves) -> Any:
    """Make moves of the one seat that is asked each time; each must be legal."""
    for move in moves:
        (seat,) = game.deciders()
        reason = game.refusal(seat, move)
        assert reason is None, f"{move}: {reason}"
        game.apply({seat: move})
    return game


def play_at_once(game, *moves) -> None:
    """Make a move of each seat that is asked, None of the others; all must be legal."""
    made = {seat: move for seat, move in enumerate(moves) if move is not None}
    assert sorted(made) == sorted(game.deciders())
    for seat, move in made.items():
        assert game.refusal(seat, move) is None
    game.apply(made)


# --- tests of a game's replies; a row begins with the function that makes a game that asks for one


def refused(table: list[Any]) -> Any:
    """Return the test that each reply is refused, with words of the reason in its row."""

    @pytest.mark.parametrize(("asked", "move", "reason"), table)
    def test(asked, move, reason):
        game = asked()
        seat, *_ = game.deciders()
        told = game.refusal(seat, move)
        assert reason in told
        assert len(told) < 200

    return test


def recorded(table: list[Any]) -> Any:
    """Return the test that each reply is recorded in the form of its row, which is listed."""

    @pytest.mark.parametrize(("asked", "move", "canonical"), table)
    def test(asked, move, canonical):
        game = asked()
        (seat,) = game.deciders()
        assert game.read(seat, move) == canonical
        assert canonical in game.decision(seat).legal

    return test


def defaults(table: list[Any]) -> Any:
    """Return the test that each default move is the one of its row, as the rules page says."""

    @pytest.mark.parametrize(("asked", "move"), table)
    def test(asked, move):
        game = asked()
        seat, *_ = game.deciders()
        assert game.default(seat) == move
        assert game.refusal(seat, move) is None

    return test

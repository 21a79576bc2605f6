"""Openings of OpenSpiel's games: moves by their texts, and chess as chess programs write it."""

import pytest

from protocol.errors import ArenaError
from referee.catalog.loading import find_game
from referee.match.opening import (
    BookLine,
    Opening,
    OpeningTerms,
    begun,
    check_terms,
    opening_of,
    opening_of_line,
)
from referee.openspiel.game import OpenSpielGame
from referee.openspiel.pgn import _line
from referee.rules.game import Game
from referee.rules.options import new_game, read_options

pytest.importorskip("pyspiel", reason="OPENSPIEL IS NOT TESTED HERE: it is missing")

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
KNIGHTS = "4k3/8/8/8/8/8/4P3/N3K1N1 w - - 0 1"


def game(name: str = "chess") -> Game:
    kind = find_game(f"openspiel:{name}")
    return new_game(kind, 2, read_options(kind, {}), "1")


def after(words: str, position: str = "") -> list[str]:
    """Return all moves of chess as UCI has them, after a line of a book."""
    match = game()
    opening_of_line(match, BookLine(1, position, tuple(words.split())))
    moves: list[str] = match.view(0)["moves"]
    return moves


def test_moves_are_called_by_their_texts() -> None:
    match = game("connect_four")
    opening = opening_of_line(match, BookLine(1, "", ("x3", "o3", "x0")))
    assert opening == Opening(moves=[(0, {"action": 3}), (1, {"action": 3}), (0, {"action": 0})])
    assert match.view(1)["history"] == [3, 3, 0]


PAWN, CASTLES = "8/1P4k1/8/8/8/8/P7/K7 w - - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
CORNERED = "7k/8/8/8/8/8/6R1/R5K1 w - - 0 1"  # only moves are played by themselves
TWO = "4k3/8/8/8/8/8/8/N1N1K3 w - - 0 1"
RUY = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5c6 d7c6 e1g1"


@pytest.mark.parametrize(
    ("words", "position", "moves"),
    [
        ("e4 e5 Nf3! Nc6?! Bb5 a6 Bxc6 dxc6 O-O", "", RUY),
        ("e2e4 e7e5 0-0", KNIGHTS, "move 2, 'e7e5', is not legal there"),
        ("e4 Nf6 e5 d5 exd6", "", "e2e4 g8f6 e4e5 d7d5 e5d6"),
        ("e4 f5 Qh5+ g6 Qh3", "", "e2e4 f7f5 d1h5 g7g6 h5h3"),
        ("Nc2+ Kd7 Nf3", KNIGHTS, "a1c2 e8d7 g1f3"),
        ("Nab3 Ke7 N1f3", KNIGHTS, "a1b3 e8e7 g1f3"),
        ("b8=Q+", "8/1P4k1/8/8/8/8/8/K7 w - - 0 1", "b7b8q"),
        ("b8N Kf7", PAWN, "b7b8n g7f7"),
        ("0-0-0 O-O", CASTLES, "e1c1 e8g8"),
        ("Ra8+ Kh7 Kf1", CORNERED, "a1a8 h8h7 g1f1 h7h6"),
        ("Ra8 Kf1", CORNERED, "a1a8 h8h7 g1f1 h7h6"),
        ("Ra8+ Kg7", CORNERED, "move 2, 'Kg7', is not legal"),
        ("Nb3", TWO, "move 1, 'Nb3', is not legal"),
        ("Ncb3", TWO, "c1b3"),
    ],
)
def test_moves_of_chess_are_read_as_people_write_them(
    words: str, position: str, moves: str
) -> None:
    if "legal" in moves:
        with pytest.raises(ArenaError, match=moves):
            after(words, position)
    else:
        assert after(words, position) == moves.split()


def test_a_match_begins_from_a_position_and_its_view_says_so() -> None:
    match = game()
    assert "start" not in match.view(0)
    sicilian = "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq c6 0 2"
    match.set_up(sicilian)
    (seat,) = match.deciders()
    view = match.view(seat)
    assert (view["start"], view["moves"], view["history"]) == (sicilian, [], [])
    move = match.named(seat, "Nf3")
    assert move is not None
    match.apply({seat: move})
    assert match.view(0)["moves"] == ["g1f3"]
    assert match.view(0)["start"] == sicilian


@pytest.mark.parametrize(
    ("fen", "says"),
    [
        ("", "it has not six fields"),
        (START.replace(" 0 1", ""), "it has not six fields"),
        (START.replace("8/8/8/8", "8/8/8"), "its board has 7 rows"),
        (START.replace("PPPPPPPP", "PPPPPPP"), "row 2 of its board is 'PPPPPPP'"),
        (START.replace("8/8/8/8", "44/8/8/8"), "row 6 of its board is '44'"),
        (START.replace("Q", "Z"), "row 1 of its board is"),
        (START.replace("K", "Q", 1), "each side has one king"),
        (START.replace("RNBQKBNR", "PNBQKBNR"), "more than 8 pawns"),
        (KNIGHTS.replace("N3K1N1", "P3K3"), "a pawn stands on the first or the last row"),
        (START.replace(" w ", " white "), "the side to move is w or b, not 'white'"),
        (START.replace("KQkq", "QK"), "'QK' are no rights to castle"),
        (KNIGHTS.replace(" - - ", " K - "), "king or rook have moved"),
        (START.replace("KQkq -", "KQkq e3"), "'e3' is no square for taking en passant"),
        (START.replace("KQkq -", "KQkq e6"), "no pawn has just passed e6"),
        (START.replace("0 1", "x 1"), "it ends with the moves since"),
        (START.replace("0 1", "0 0"), "it ends with the moves since"),
        ("4k3/8/8/8/8/8/4R3/4K3 w - - 0 1", "the side that does not move is in check"),
    ],
)
def test_what_is_no_position_is_refused(fen: str, says: str) -> None:
    with pytest.raises(ArenaError, match=says):
        game().set_up(fen)


ANOTHER = "nrbkqbnr/pppppppp/8/8/8/8/PPPPPPPP/BRNKQRNB w KQkq - 0 1"
"""Of Chess960, with other places for black than for white."""


@pytest.mark.parametrize("rights", ["KQkq", "FBhb", "FQk", "Bb", "-"])
def test_chess960_begins_from_a_book_of_positions_double_ones_too(rights: str) -> None:
    kind = find_game("openspiel:chess960")
    line = BookLine(1, ANOTHER.replace("KQkq", rights), ("e4", "e5"))
    terms = OpeningTerms(book=(line,), file="b")
    check_terms(kind, 2, read_options(kind, {}), terms)
    found = opening_of(kind, 2, read_options(kind, {}), terms, key="k", number=3, seed="s")
    match = begun(kind, 2, read_options(kind, {}), "s", found.opening)
    assert isinstance(match, OpenSpielGame)
    assert str(match.state).startswith("nrbkqbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/BRNKQRNB w ")
    assert match.view(0)["start"] == line.position


def test_pgn_of_chess960_names_the_rooks_that_castle() -> None:
    inner = "4k3/8/8/8/8/8/8/R1R1K1RR w GC - 0 1"
    kind = find_game("openspiel:chess960")
    match = new_game(kind, 2, read_options(kind, {}), "s")
    opening_of_line(match, BookLine(1, inner, ("O-O",)))
    assert isinstance(match, OpenSpielGame)
    assert _line(match) == (inner, 0, ["O-O"])


@pytest.mark.parametrize(
    ("rights", "says"),
    [
        ("Aa", "king or rook have moved, so that 'A'"),
        ("Fc", "king or rook have moved, so that 'c'"),
        ("FBhbb", "are no rights to castle"),
        ("Zz", "are no rights to castle"),
        ("", "are no rights to castle"),
        ("KKkq", "'KKkq' castles twice on one side of a king: take one right out"),
        ("FFhb", "'FFhb' castles twice"),
        ("FBqb", "'FBqb' castles twice"),
    ],
)
def test_rights_to_castle_in_chess960_are_of_rooks(rights: str, says: str) -> None:
    kind = find_game("openspiel:chess960")
    with pytest.raises(ArenaError, match=says):
        new_game(kind, 2, read_options(kind, {}), "s").set_up(ANOTHER.replace("KQkq", rights))


@pytest.mark.parametrize(
    ("name", "line", "says"),
    [
        ("chess", BookLine(1, "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), "b:1: the match is over after it"),
        ("chess", BookLine(2, "", ("f3", "e5", "g4", "Qh4#")), "b:2: the match is over after it"),
        ("chess", BookLine(3, "", ("x3", "o3")), "b:3: move 1, 'x3', is not legal there"),
        ("connect_four", BookLine(4, START), "b:4: .* cannot begin from a position: give moves"),
        ("connect_four", BookLine(5, "", ("e4",)), "b:5: move 1, 'e4', is not legal there"),
        ("backgammon", BookLine(6, "", ("e4",)), "something is left to chance"),
    ],
)
def test_a_book_of_another_game_is_refused(name: str, line: BookLine, says: str) -> None:
    kind = find_game(f"openspiel:{name}")
    with pytest.raises(ArenaError, match=says):
        check_terms(kind, 2, read_options(kind, {}), OpeningTerms(book=(line,), file="b"))

"""Games of chess as PGN: a strict reader, python-chess, follows every one of them."""

import io
import re
from collections.abc import Iterator
from random import Random
from typing import Any

import chess.pgn
import msgspec
import pytest

from protocol.messages import TimeControl
from referee.catalog.loading import find_game
from referee.rules.game import Game
from referee.rules.notation import Decided, Heading
from referee.rules.options import new_game, read_options

pytest.importorskip("pyspiel", reason="OPENSPIEL IS NOT TESTED HERE: it is missing")

from referee.openspiel.pgn import Ply, game_text, written

WALL = TimeControl(judge="wall", move_time=0.1, bank=0.0, increment=0.0)
CASTLES = ("O-O", "O-O-O")


def heading(**changed: Any) -> Heading:
    usual = {"match": "3f9a-0", "event": "cup", "site": "here", "date": "2026-11-27"}
    bots: dict[str, Any] = {"bots": ["black", "white"], "places": [1, 1], "round": "1.2"}
    return Heading(**{**usual, **bots, "seconds": 3725.4, "control": WALL, **changed})


def read(text: str) -> chess.pgn.Game:
    """Return the one game of a text, read without an error."""
    stream = io.StringIO(text)
    found = chess.pgn.read_game(stream)
    assert found is not None
    assert found.errors == []
    assert chess.pgn.read_game(stream) is None
    return found


def begun(name: str, seed: int) -> Game:
    kind = find_game(f"openspiel:{name}")
    return new_game(kind, 2, read_options(kind, {}), str(seed))


def played(game: Game, rng: Random) -> Iterator[tuple[Game, list[Decided]]]:
    """Play a game that castles where it can, and at random, and yield its steps."""
    while seats := game.deciders():
        (seat,) = seats
        legal = game.decision(seat).legal
        assert legal is not None
        castles = [move for move in legal if game.describe(seat, move).rstrip("+#") in CASTLES]
        move = castles[0] if castles else game.sample(seat, rng)
        yield game, [Decided(seat, 0.0625)]
        game.apply({seat: move})
    yield game, []


@pytest.mark.parametrize("name", ["chess", "chess960"])
def test_a_reader_follows_each_game_to_its_last_position(name: str) -> None:
    castled = 0
    for seed in range(4):
        game = begun(name, seed)
        text = written(heading(), played(game, Random(seed)))
        found = read(text)
        board = found.end().board()
        fen = game.state.board().to_fen().split()  # type: ignore[attr-defined]
        assert [board.fen().split()[at] for at in (0, 1, 2, 4, 5)] == [*fen[:3], *fen[4:]]
        assert board.chess960 == (name == "chess960") == ("FEN" in found.headers)
        assert int(found.headers["PlyCount"]) == board.ply()
        times = [node.emt() for node in found.mainline()]
        assert times.count(0.062) + times.count(None) == board.ply()  # one way is not asked
        assert times.count(0.062) > board.ply() / 2
        assert max(map(len, text.splitlines())) <= 80
        assert not [line for line in text.splitlines() if line.startswith("{")]
        castled += any(each in text for each in CASTLES)
    assert castled > 1


def test_tags_hold_any_text_and_stand_in_the_order_of_the_standard() -> None:
    names = ['the "black\\', "ça\ud800va\n[x]"]
    text = written(heading(bots=names, event="", date="", places=[2, 1]), iter(one_ply()))
    tags = '[Event "?"] [Site "here"] [Date "????.??.??"] [Round "1.2"] [White "ça?va?[x]"]'
    assert " ".join(text.splitlines()[:7]) == rf'{tags} [Black "the \"black\\"] [Result "1-0"]'
    found = read(text)
    escaped = found.headers["Black"]  # python-chess leaves it so
    assert re.sub(r"\\(.)", r"\1", escaped) == names[0]
    assert found.headers["GameDuration"] == "01:02:05"
    assert found.headers["Match"] == "3f9a-0"
    assert found.headers["TimeControl"] == "0.1/move"
    assert text.encode()


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"judge": "cpu"}, None),
        ({"bank": 5.0}, "?"),
        ({"increment": 0.1}, "?"),
        ({"move_time": 0, "bank": 60.0, "increment": 0.5}, "60+0.5"),
        ({"move_time": 0, "bank": 60.0}, "60"),
    ],
)
def test_a_time_control_is_said_as_far_as_pgn_can(other: dict[str, Any], said: str | None) -> None:
    control = msgspec.structs.replace(WALL, **other)
    assert (
        read(written(heading(control=control), iter(one_ply()))).headers.get("TimeControl") == said
    )


def one_ply(*decided: Decided) -> list[tuple[Game, list[Decided]]]:
    """Return the steps of a match of a single move of White's: e4."""
    game = begun("chess", 1)
    after = begun("chess", 1)
    after.apply({1: after.read(1, {"uci": "e2e4"})})  # type: ignore[dict-item]
    return [(game, [*decided] or [Decided(1, 0.5)]), (after, [])]


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("late", "time forfeit"),
        ("illegal", "rules infraction"),
        ("malformed", "rules infraction"),
        ("crash", "abandoned"),
        ("memory", "abandoned"),
    ],
)
def test_a_forfeit_ends_the_game_before_the_move_that_nobody_played(fault: str, says: str) -> None:
    lost = Decided(1, 0.5, fault, forfeit=True)
    text = written(heading(places=[1, 2]), iter(one_ply(lost)))
    found = read(text)
    assert found.headers["Termination"] == says
    assert found.headers["PlyCount"] == "0"
    assert text.endswith("]\n\n0-1\n\n")
    assert found.headers["Result"] == "0-1"


def test_the_last_move_says_who_has_forfeited_and_a_default_for_what_it_stands() -> None:
    first, (after, _) = one_ply()
    lost = [Decided(0, 0.1, "late", forfeit=True)]
    text = written(heading(), [first, (after, lost), (after, [])])
    assert text.endswith("\n\n1. e4 {[%emt 0:00:00.500]} {Black forfeits: late} 1/2-1/2\n\n")
    text = written(heading(), iter(one_ply(Decided(1, 0.5, "late"))))
    assert text.endswith("\n\n1. e4 {[%emt 0:00:00.500] late: the default move} 1/2-1/2\n\n")
    assert read(text).end().move == chess.Move.from_uci("e2e4")


def test_a_game_may_begin_in_any_position() -> None:
    fen = "4k3/8/8/8/8/8/4p3/K7 b - - 3 41"
    plies = [Ply("e1=Q+", "a } in { braces"), Ply("Ka2"), Ply("Qe2+"), Ply("Ka3")]
    tags = [("Result", "*"), ("SetUp", "1"), ("FEN", fen)]
    text = game_text(tags, plies, "*", fen)
    assert text.endswith("\n41... e1=Q+ {a ) in ( braces} 42. Ka2 Qe2+ 43. Ka3 *\n\n")
    assert read(text).end().board().fen() == "4k3/8/8/8/8/K7/4q3/8 b - - 3 43"

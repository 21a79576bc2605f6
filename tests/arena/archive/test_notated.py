"""Leagues of chess as PGN: whatever the bots did, a strict reader follows to the same end."""

import io
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import pytest

from tests.arena.conftest import Arena, League, naughty
from tests.golden import Golden

pytest.importorskip("pyspiel", reason="OPENSPIEL IS NOT TESTED HERE: it is missing")

CHESS = "openspiel:chess"
FILE = """\
game = "openspiel:chess"
seed = 1
deals = 1
tournament = "round-robin"
limits = { sandbox = "none", clock = "wall", move_time = 0.1 }
[[bot]]
name = "a \\"b\\\\c"
shipped = "random"
"""


def games(text: str) -> Iterator[chess.pgn.Game]:
    """Yield all games of a text, each read without an error."""
    stream = io.StringIO(text)
    while (game := chess.pgn.read_game(stream)) is not None:
        assert game.errors == []
        yield game


def matches(folder: Path, arena: Arena) -> dict[str, Any]:
    lines = arena("export", folder).stdout.splitlines()[1:]
    return {match["match"]: match for match in map(json.loads, lines)}


def check(folder: Path, arena: Arena, text: str) -> list[chess.pgn.Game]:
    """Compare every game of a text with the match of the league that it is."""
    found, kept = [*games(text)], matches(folder, arena)
    assert [game.headers["Match"] for game in found] == [*kept]
    for game in found:
        match = kept[game.headers["Match"]]
        board = game.end().board()
        assert board.ply() == int(game.headers["PlyCount"])
        black, white = match["places"]
        points = {True: "1-0", False: "0-1"}[white < black] if white != black else "1/2-1/2"
        assert game.headers["Result"] == points
        if game.headers["Termination"] == "normal":
            outcome = board.outcome(claim_draw=True)
            assert outcome is not None
            assert outcome.result() == points
        names = [game.headers[side].replace("\\\\", "\\").replace('\\"', '"') for side in SIDES]
        assert names == [each["name"] for each in match["bots"]]
        assert game.headers["Date"] == match["played_at"][:10].replace("-", ".")
    heads = [game.headers for game in found]
    assert len({(*sorted((h["Black"], h["White"])), h["Round"]) for h in heads}) == len(found)
    return found


SIDES = ("Black", "White")
"""By seat."""


@pytest.mark.slow
def test_forfeits_and_faults_are_games_with_the_true_result(league: League, arena: Arena) -> None:
    league.write(FILE + naughty("illegal") + naughty("crash_mid_match"))
    league.call("run", "--workers", "1")
    file = league.folder.parent / "games.pgn"
    result = arena("export", league.folder, file, "--format", "pgn")
    assert result.exit_code == 0, result.output
    found = check(league.folder, arena, file.read_text())
    assert f"is written: {len(found)} matches." in result.stderr + result.stdout
    assert found[0].headers["Event"] == "league"
    assert {game.headers["TimeControl"] for game in found} == {"0.1/move"}
    assert {game.headers["Round"] for game in found} == {"1.1", "1.2"}
    ends = Counter(game.headers["Termination"] for game in found)
    assert ends.keys() == {"rules infraction", "abandoned"}
    faults = Counter(node.comment.partition("] ")[2] for game in found for node in game.mainline())
    assert faults["illegal: the default move"] >= 2


@pytest.mark.slow
def test_a_round_of_a_tournament_is_the_round_of_its_games(league: League, arena: Arena) -> None:
    four = [f"{name}=random" for name in "abcd"]
    words = ("--game", CHESS, "--seed", "1", "--tournament", "swiss", "--deals", "2")
    rounds = ("--tournament-option", "rounds=2")
    assert arena("init", league.folder / "in", *words, *rounds, *four).exit_code == 0
    league.folder /= "in"
    league.call("run", "--workers", "2")
    found = check(league.folder, arena, arena("export", league.folder, "--format", "pgn").stdout)
    played = Counter(game.headers["Round"] for game in found)
    assert played == {f"{number}.{game}": 2 for number in (1, 2) for game in (1, 2, 3, 4)}


def test_what_cannot_be_written_is_refused_in_a_line(
    tmp_path: Path, arena: Arena, golden: Golden
) -> None:
    for number, (game, form) in enumerate(
        [
            ("war", "pgn"),
            ("openspiel:dark_chess", "pgn"),
            ("openspiel:kriegspiel", "pgn"),
            ("openspiel:crazyhouse", "pgn"),
            (CHESS, "png"),
            (CHESS, "pgn"),
        ]
    ):
        cup = tmp_path / f"cup {number}"
        arena("init", cup, "--game", game, "--deals", "1", "a=random", "b=random")
        result = arena("export", cup, tmp_path / "cup.pgn", "--format", form)
        assert result.exit_code == 2
        assert result.stderr.count("\n") == 1
        golden(result.stderr)
        assert not (tmp_path / "cup.pgn").exists()

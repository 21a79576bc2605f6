"""Leagues of chess as PGN: whatever the bots did, a strict reader follows to the same end."""

import io
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import msgspec
import pytest

from referee.loading import find_game
from referee.replay import Replay, steps
from tests.arena.conftest import Arena, League
from tests.golden import Golden

pytest.importorskip("pyspiel", reason="OPENSPIEL IS NOT TESTED HERE: it is missing")

CHESS = "openspiel:chess"
FILE = """\
game = "openspiel:chess"
seed = 1
deals = 1
format = "round-robin"
limits = { sandbox = "none", clock = "wall", move_time = 0.1 }
[[bot]]
name = "a \\"b\\\\c"
shipped = "random"
"""
FAULTY = """
import os, sys, time, kit
{head}
asked = 0
def begin(_):
    global asked
    asked = 0
def choose(ask):
    global asked
    asked += 1
    {body}
    return ask.rng.choice(ask.legal)
kit.run(choose, on_start=begin)
"""
BOTS = {
    "late": ("", "time.sleep(0.15 * (asked in (3, 5, 6)))"),
    "once": ("", "if asked == 4: return {'uci': 'e1e8'}"),
    "cheat": ("", "if asked > 2: return {'uci': 'e1e8'}"),
    "gone": (
        "if os.path.exists({gone!r}): sys.exit('no book')",
        "if asked == 3: open({gone!r}, 'w').close(); sys.exit(1)",
    ),
}
"""What is wrong with each bot: it is late, mistaken once, mistaken always, ended for ever."""


def bot(league: League, name: str) -> str:
    gone = str(league.home / "gone.txt")
    head, body = (part.format(gone=gone) if name == "gone" else part for part in BOTS[name])
    return league.bot(name, FAULTY.format(head=head, body=body))


def games(text: str) -> Iterator[chess.pgn.Game]:
    """Yield all games of a text, each read without an error."""
    stream = io.StringIO(text)
    while (game := chess.pgn.read_game(stream)) is not None:
        assert game.errors == []
        yield game


def matches(folder: Path, arena: Arena) -> dict[str, Any]:
    lines = arena("export", folder).stdout.splitlines()[1:]
    return {match["match"]: match for match in map(json.loads, lines)}


def last_position(match: dict[str, Any]) -> tuple[str, int]:
    """Return the position in which a match ended, before a forfeit's default move, and its ply."""
    replay = msgspec.convert(match["replay"], Replay)
    state: Any = None
    for game, step in steps(replay, find_game(replay.game)):
        state = game.state  # type: ignore[attr-defined]
        if any(entry.fault and entry.fault.forfeit for entry in step):
            break
    chances = sum(1 for each in state.full_history() if each.player < 0)
    return state.board().to_fen(), state.move_number() - chances


def check(folder: Path, arena: Arena, text: str) -> list[chess.pgn.Game]:
    """Compare every game of a text with the match of the league that it is."""
    found, kept = [*games(text)], matches(folder, arena)
    assert [game.headers["Match"] for game in found] == [*kept]
    for game in found:
        match = kept[game.headers["Match"]]
        board = game.end().board()
        fen, plies = last_position(match)
        assert (board.ply(), int(game.headers["PlyCount"])) == (plies, plies)
        fields = [board.fen().split(), fen.split()]
        assert len({tuple(each[at] for at in (0, 1, 2, 4, 5)) for each in fields}) == 1
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
    league.write(FILE + "".join(bot(league, name) for name in BOTS))
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
    assert ends.keys() == {"normal", "time forfeit", "rules infraction", "abandoned"}
    assert {game.end().ply() > 0 for game in found} == {True, False}
    faults = Counter(node.comment.partition("] ")[2] for game in found for node in game.mainline())
    assert faults["illegal: the default move"] >= 2
    assert faults["late: the default move"] >= 2
    late = [
        node.emt() or 0
        for game in found
        for node in game.mainline()
        if "late: the default" in node.comment
    ]
    assert min(late) >= 0.1


@pytest.mark.slow
@pytest.mark.usefixtures("inline")
def test_chess960_is_written_with_its_first_positions(league: League, arena: Arena) -> None:
    two = ("--game", "openspiel:chess960", "--seed", "1", "--deals", "1", "a=random", "b=random")
    assert arena("init", league.folder / "in", *two, "--sandbox", "none").exit_code == 0
    league.folder /= "in"
    league.call("run")
    text = arena("export", league.folder, "--format", "pgn").stdout
    found = check(league.folder, arena, text)
    assert len(found) == 2
    assert {game.headers["Variant"] for game in found} == {"Chess960"}
    assert len({game.headers["FEN"] for game in found}) == 1
    assert {game.headers["SetUp"] for game in found} == {"1"}


@pytest.mark.slow
def test_a_round_of_a_tournament_is_the_round_of_its_games(league: League, arena: Arena) -> None:
    four = [f"{name}=random" for name in "abcd"]
    words = ("--game", CHESS, "--seed", "1", "--format", "swiss", "--deals", "2")
    rounds = ("--format-option", "rounds=2")
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

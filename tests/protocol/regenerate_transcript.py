"""Writes the transcript in docs/protocol.md from a real match with a real process.

Run it when the protocol or the game was changed on purpose, and read the difference::

    .venv/bin/python tests/protocol/regenerate_transcript.py
"""

import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from referee.games import GAMES
from referee.limits import Limits
from referee.match.match import Match, starts
from referee.match.seat import FunctionSeat, ProcessSeat
from referee.match.seat import play_match as drive
from referee.rules.game import Decision, Move, Observation
from referee.rules.options import new_game, read_options
from referee.sandbox import Launcher, Program
from referee.turn.starting import start_bot

PAGE = Path(__file__).parents[2] / "docs" / "protocol.md"
OPENING, CLOSING = "```transcript\n", "```\n"

REPLIES = (
    '{"type":"ready","samples":2}',
    '{"id":1,"move":{"play":"arm","add":[0,2,1,1]}}',
    '{"id":2,"move":{"play":"shift","move":[0,-2,1,1]},"note":"West has armed against the others"}',
    '{"id":3,"move":{"play":"attack","with":1}}',
)
"""What the bot in seat 0 says, line by line."""


def _arm(*add: int) -> Move:
    return {"play": "arm", "add": [*add]}


OTHERS: tuple[tuple[Move, ...], ...] = (
    (_arm(0, 0, 2, 2), _arm(0, 0, 2, 2), {"play": "attack", "with": 0}),
    (_arm(1, 0, 0, 3), _arm(0, 0, 0, 4), _arm(2, 2, 0, 0)),
    (_arm(1, 0, 3, 0), {"play": "attack", "with": 2}, _arm(2, 2, 0, 0)),
)
"""The plays of seats 1 to 3."""

BOT = """
import json, sys
path, *replies = sys.argv[1:]
with open(path, "w", encoding="utf-8") as record:
    for line in sys.stdin:
        record.write("→ " + line)
        if json.loads(line)["type"] in ("hello", "ask"):
            reply = replies.pop(0)
            record.write("← " + reply + "\\n")
            print(reply, flush=True)
"""
"""A bot that says what it was told to say, and writes down both directions."""


def scripted(plays: Sequence[Move]) -> Callable[[Decision, Observation], Move]:
    """Return a chooser of plays that were written down before."""
    left = iter(plays)
    return lambda decision, view: next(left)


def transcript() -> str:
    """Play the match; return what seat 0's process read and wrote, both as it did."""
    limits = Limits(sandbox="none", faults_allowed=0)
    kind = GAMES["cold_war"]
    game = new_game(kind, 4, read_options(kind, {"max_rounds": 3}), "protocol")
    with tempfile.TemporaryDirectory() as folder, Launcher("none") as launcher:
        record = Path(folder) / "record"
        program = Program((sys.executable, "-I", "-S", "-c", BOT, str(record), *REPLIES), folder)
        process = start_bot(launcher, program, limits, "my_bot")
        seats = [ProcessSeat(process), *(FunctionSeat(scripted(plays)) for plays in OTHERS)]
        opening = starts(game, "3f9a1c20b7e4d501-0", limits.time_control, [271828, 0, 0, 0])
        played = drive(Match(game, limits.faults_allowed), seats, opening)
        process.close_input()
        process.stop(grace=30)
        assert not any(entry.fault for entry in played.replay.entries)
        return record.read_text(encoding="utf-8")


def documented(page: Path = PAGE) -> str:
    """Return the transcript as a page has it."""
    return page.read_text(encoding="utf-8").partition(OPENING)[2].partition(CLOSING)[0]


def put(page: Path, text: str) -> None:
    """Put a fresh transcript into a page."""
    before, opening, rest = page.read_text(encoding="utf-8").partition(OPENING)
    after = rest.partition(CLOSING)[2]
    page.write_text(before + opening + text + CLOSING + after, encoding="utf-8")


if __name__ == "__main__":
    put(PAGE, transcript())

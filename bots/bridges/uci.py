"""Plays chess by an engine that speaks UCI: `uci.py ENGINE [ARGUMENT ...]`.

The engine is told all moves so far and how long it may think, and its best move is sent. It gets
the time that each question allows, less a little for the way, or searches NODES positions, if that
is not 0: only then does it answer alike each time. Edit what stands in capitals below.
"""

from __future__ import annotations

import subprocess
import sys

import kit

OPTIONS = {"Threads": 1, "Hash": 64}
"""What the engine is told before the first match, if it has such options; Hash is in MB."""
NODES = 0
"""How many positions it searches for each move; 0 lets it use the time."""
MARGIN = 0.15
"""Seconds of each move that are left for the way, and as engines seldom look at the clock."""


class Engine:
    """The engine's process."""

    def __init__(self, command: list[str]) -> None:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        assert process.stdin
        assert process.stdout
        self._in, self._out = process.stdin, process.stdout
        self._say("uci")
        known = [line.partition(" type ")[0] for line in self._until("uciok")]
        for name, value in OPTIONS.items():
            if f"option name {name}" in known:
                self._say(f"setoption name {name} value {value}")
        self._get_ready()

    def begin(self) -> None:
        """Tell it that another match begins."""
        self._say("ucinewgame")
        self._get_ready()

    def best(self, start: str, moves: list[str], seconds: float, bank: float) -> str:
        """Return its best move: `seconds` are for this move, and `bank` for all to come.

        `start` is the position in FEN that the match began from, empty for the usual one.
        """
        position = f"position fen {start}" if start else "position startpos"
        self._say(f"{position} moves {' '.join(moves)}" if moves else position)
        step = max(1, int(1000 * max(seconds - MARGIN, seconds / 10)))
        if NODES:
            self._say(f"go nodes {NODES}")
        elif bank > 0:
            left = step + int(1000 * bank)
            self._say(f"go wtime {left} btime {left} winc {step} binc {step}")
        else:
            self._say(f"go movetime {step}")
        return self._until("bestmove")[-1].split()[1]

    def _get_ready(self) -> None:
        self._say("isready")
        self._until("readyok")

    def _say(self, line: str) -> None:
        print(line, file=self._in, flush=True)

    def _until(self, word: str) -> list[str]:
        """Return what the engine says up to a line that begins with a word."""
        lines = []
        for line in self._out:
            lines.append(line.strip())
            if line.startswith(word):
                return lines
        raise SystemExit(f"the engine ended before it said {word}")


def choose(ask: kit.Ask) -> kit.Move:
    """Return the engine's move."""
    view, clock = ask.view, ask.clock
    best = engine.best(view.get("start", ""), view["moves"], clock["move_time"], clock["bank"])
    return {"uci": best}


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    engine = Engine(sys.argv[1:])
    kit.run(choose, on_start=lambda _: engine.begin())

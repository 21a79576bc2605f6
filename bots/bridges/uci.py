"""Plays chess by an engine that speaks UCI: `uci.py ENGINE [ARGUMENT ...]`.

The engine is told all moves so far and how long it may think, and its best move is sent. It gets
the time that each question allows, less a little for the way, or searches NODES positions, if that
is not 0: only then does it answer alike each time. Edit what stands in capitals below.
"""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress

import kit

OPTIONS = {"Threads": 1, "Hash": 64}
"""What the engine is told before the first match, if it has such options; Hash is in MB."""
NODES = 0
"""How many positions it searches for each move; 0 lets it use the time."""
MARGIN = 0.15
"""Seconds of each move that are left for the way, and as engines seldom look at the clock."""
CASTLING = {"e1h1": "e1g1", "e1a1": "e1c1", "e8h8": "e8g8", "e8a8": "e8c8"}
"""How engines that think of chess960 call it: the king takes his rook."""


class Engine:
    """The engine's process."""

    def __init__(self, command: list[str]) -> None:
        try:
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        except OSError as error:
            raise SystemExit(f"the engine {command[0]} does not start: {error.strerror}") from None
        assert self._process.stdin
        assert self._process.stdout
        self._in, self._out = self._process.stdin, self._process.stdout
        self._say("uci")
        known = {}
        for words in self._until("uciok"):
            lower = [word.lower() for word in words]
            if lower[:2] == ["option", "name"] and "type" in lower:
                end = lower.index("type")
                known[" ".join(lower[2:end])] = " ".join(words[2:end])
        for name, value in OPTIONS.items():
            if name.lower() in known:
                self._say(f"setoption name {known[name.lower()]} value {value}")
        self._get_ready()

    def begin(self) -> None:
        """Tell it that another match begins."""
        self._say("ucinewgame")
        self._get_ready()

    def end(self) -> None:
        """Let it end, and wait for that."""
        self._say("quit")
        self._process.communicate()

    def best(self, start: str, moves: list[str], go: str) -> str:
        """Return its best move; `go` is how it is to search.

        `start` is the position in FEN that the match began from, empty for the usual one.
        """
        position = f"position fen {start}" if start else "position startpos"
        self._say(f"{position} moves {' '.join(moves)}" if moves else position)
        self._say(go)
        return (*self._until("bestmove")[-1], "")[1]

    def _get_ready(self) -> None:
        self._say("isready")
        self._until("readyok")

    def _say(self, line: str) -> None:
        try:
            self._in.write(f"{line}\n".encode())
            self._in.flush()
        except OSError:
            with suppress(OSError):  # or Python would say that it could not be flushed
                self._in.close()
            raise SystemExit(f"the engine ended before it was told {line.split()[0]}") from None

    def _until(self, last: str) -> list[list[str]]:
        """Return the words of each line that the engine says up to one that begins with `last`.

        What is no text, and blanks where there should be none, are passed over.
        """
        lines = []
        for line in self._out:
            words = line.replace(b"\0", b"").decode("utf-8-sig", "replace").split()
            lines.append(words)
            if words and words[0].lower() == last:
                return lines
        raise SystemExit(f"the engine ended before it said {last}")


def search(ask: kit.Ask) -> str:
    """Return how the engine is to search for a move, in the words of UCI."""
    if NODES:
        return f"go nodes {NODES}"
    seconds, bank = ask.clock["move_time"], ask.clock["bank"]
    increment = ask.match.clock["increment"]
    left = seconds + bank
    left = max(1, round(1000 * max(left - MARGIN, left / 10)))
    if not (bank or increment):
        return f"go movetime {left}"
    view = ask.view
    is_white = (" w " in view.get("start", " w ")) == (len(view["moves"]) % 2 == 0)
    side = "w" if is_white else "b"
    return f"go {side}time {left} {side}inc {round(1000 * (seconds + increment))}"


def choose(ask: kit.Ask) -> kit.Move:
    """Return the engine's move."""
    view = ask.view
    best = engine.best(view.get("start", ""), view["moves"], search(ask))
    lower = best.lower()
    spellings = (best, lower, CASTLING.get(lower, best))
    return {"uci": next((each for each in spellings if each in view["uci"]), best)}


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    engine = Engine(sys.argv[1:])
    kit.run(choose, on_start=lambda _: engine.begin())
    engine.end()

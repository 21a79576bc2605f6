"""Writes the transcript in docs/game-protocol.md: the program on that page plays a real match.

Run it when the protocol was changed on purpose, and read the difference::

    .venv/bin/python tests/protocol/regenerate_game_transcript.py
"""

import re
import tempfile
from pathlib import Path

from referee.program.file import Confinement
from referee.program.kind import class_of
from referee.rules.options import new_game, read_options
from tests.protocol.regenerate_transcript import put

PAGE = Path(__file__).parents[2] / "docs" / "game-protocol.md"

TEE = """
import sys
record = open("RECORD", "w", encoding="utf-8")
class Lines:
    def __iter__(self):
        for line in sys.__stdin__:
            print("\\u2192", line, end="", file=record, flush=True)
            yield line
class Written:
    def write(self, text):
        record.write("" if text == "\\n" else f"\\u2190 {text}\\n")
        record.flush()
        return sys.__stdout__.write(text)
    def flush(self):
        sys.__stdout__.flush()
sys.stdin, sys.stdout = Lines(), Written()
exec(open("game.py").read())
"""
"""Runs the page's program, and writes down both directions."""


def program() -> str:
    """Return the program that stands on the page."""
    found = re.search(
        r"<!-- file: stones/game.py -->\n```python\n(.*?)```\n",
        PAGE.read_text(encoding="utf-8"),
        re.DOTALL,
    )
    assert found is not None
    return found[1]


def transcript() -> str:
    """Play the match; return what the program read and wrote, both as it did."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        record = folder / "record"
        (folder / "game.py").write_text(program())
        (folder / "tee.py").write_text(TEE.replace("RECORD", str(record)))
        (folder / "game.toml").write_text('command = ["{python}", "tee.py"]\n')
        kind = class_of(folder, Confinement("none"))
        game = new_game(kind, 2, read_options(kind, {"stones": 4}), "1f0c")
        game.apply({0: {"take": 1}})
        assert isinstance(game.read(1, {"take": 3}), str)
        game.apply({1: {"take": 2}})
        assert game.places() == [1, 2]
        game.view(1)
        del game
        second = new_game(kind, 2, read_options(kind, {"stones": 3}), "77ab")
        del second
        text = record.read_text(encoding="utf-8")
        kind.engine.rest()  # type: ignore[attr-defined]
        return text


if __name__ == "__main__":
    put(PAGE, transcript())

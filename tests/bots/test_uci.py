"""The bridge to chess engines, with an engine that says what it is told to say."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from arena.league.finding import BUNDLED

ENGINE = """\
import sys
said = dict(word.split("=", 1) for word in sys.argv[1:])
for line in sys.stdin:
    with open("heard", "a") as heard:
        heard.write(line)
    word = line.split()[0]
    answer = {"uci": "uciok", "isready": "readyok", "go": "bestmove e2e4"}.get(word, "")
    answer = said.get(word, answer)
    sys.stdout.buffer.write(answer.encode().decode("unicode_escape").encode("latin-1") + b"\\n")
    sys.stdout.flush()
"""
MOVES = ["e2e4", "e1g1", "e7e8q", "0000"]
Ask = Callable[..., Any]


@pytest.fixture
def bridge(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """The bot as a module, beside a file of an engine."""
    for folder in ("templates/python", "bridges"):
        monkeypatch.syspath_prepend(str(BUNDLED / folder))
    (tmp_path / "engine.py").write_text(ENGINE)
    monkeypatch.chdir(tmp_path)
    return __import__("uci")


def ask(*, moves: int = 0, start: str = "", **times: float) -> Any:
    time = {"move_time": 1.0, "bank": 0.0, "increment": 0.0, **times}
    view = {"uci": MOVES, "moves": ["a2a3"] * moves, **({"start": start} if start else {})}
    return SimpleNamespace(view=view, clock=time, match=SimpleNamespace(clock=time))


def heard() -> list[str]:
    return Path("heard").read_text().splitlines()


@pytest.mark.parametrize(
    ("word", "answer", "move"),
    [
        ("uci", r"id name \xff\xfe x\noption  name  hash   type spin\n uciok\t", "e2e4"),
        ("uci", r"\xef\xbb\xbfuciok\r", "e2e4"),
        ("isready", r"readyok \r", "e2e4"),
        ("isready", r"READYOK", "e2e4"),
        ("go", r"info string bestmove d2d4\n\n\0bestmove\t e2e4 \0\r", "e2e4"),
        ("go", "bestmove e2e4 ponder e7e5", "e2e4"),
        ("go", "bestmove E2E4", "e2e4"),
        ("go", "bestmove e7e8Q", "e7e8q"),
        ("go", "bestmove e1h1", "e1g1"),
        ("go", "bestmove 0000", "0000"),
        ("go", "bestmove (none)", "(none)"),
        ("go", "bestmove", ""),
    ],
)
def test_engines_speak_as_they_like(
    bridge: ModuleType, word: str, answer: str, move: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = bridge.Engine([sys.executable, "engine.py", f"{word}={answer}"])
    monkeypatch.setattr(bridge, "engine", engine, raising=False)
    engine.begin()
    assert bridge.choose(ask()) == {"uci": move}
    assert ("setoption name hash value 64" in heard()) == ("option" in answer)
    engine.end()
    assert heard()[-3:-1] == ["position startpos", "go movetime 850"]


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (ask(), "go movetime 850"),
        (ask(move_time=0.1), "go movetime 10"),
        (ask(bank=10), "go wtime 10850 winc 1000"),
        (ask(bank=10, increment=0.5, moves=1), "go btime 10850 binc 1500"),
        (ask(move_time=0, bank=60, increment=0.5, moves=2), "go wtime 59850 winc 500"),
        (ask(bank=10, moves=1, start="4k3/8/8/8/8/8/8/4K3 b - - 0 1"), "go wtime 10850 winc 1000"),
        (ask(bank=10, start="4k3/8/8/8/8/8/8/4K3 b - - 0 1"), "go btime 10850 binc 1000"),
    ],
)
def test_an_engine_is_told_the_time_of_its_own_side(
    bridge: ModuleType, asked: Any, words: str
) -> None:
    assert bridge.search(asked) == words


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (["./nothing"], "the engine ./nothing does not start: No such file or directory"),
        (["/bin/true"], "the engine ended before it"),
    ],
)
def test_an_engine_that_is_none_is_named(bridge: ModuleType, command: list[str], says: str) -> None:
    words = [sys.executable, bridge.__file__, *command]
    path = {"PYTHONPATH": str(BUNDLED / "templates" / "python")}
    done = subprocess.run(words, capture_output=True, text=True, env=path)
    assert done.stderr.startswith(says)
    assert done.returncode == 1

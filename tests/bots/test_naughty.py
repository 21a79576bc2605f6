"""What the bots that misbehave do beside a match; what a check and a league find of each is tried
in `tests/arena/cli/test_naughty_everywhere.py`.
"""

import os
import signal
import time
from pathlib import Path

import pytest

from tests.bots.driver import NAUGHTY, Program, python
from tests.referee.process_watch import gone, until

VIEW = {"game": "cold_war", "seat": 0, "decision": "play"}
PASS = {"play": "shift", "move": [0, 0, 0, 0]}


def naughty(name: str, *arguments: object) -> Program:
    return Program(python(NAUGHTY / f"{name}.py", *arguments))


def ask(program: Program, number: int = 1) -> None:
    program.tell({"type": "ask", "id": number, "decision": "play", "view": VIEW})


def cpu(program: Program) -> float:
    """Return the CPU seconds the process has used."""
    return time.clock_gettime((~program.process.pid << 3) | 2)


def answers(program: Program, number: int = 1) -> bool:
    ask(program, number)
    return bool(program.hear() == {"id": number, "move": PASS})


def test_flood_stderr() -> None:
    with naughty("flood_stderr", 3) as program:
        program.greet()
        assert answers(program)
        assert len(program.errors()) == 3 * 2**20


@pytest.mark.parametrize(("name", "stops"), [("burn_off_turn", False), ("unfreeze", True)])
def test_works_while_nothing_is_asked(name: str, stops: bool) -> None:
    with naughty(name) as program:
        program.greet()
        assert answers(program)
        if stops:
            program.process.send_signal(signal.SIGSTOP)
        before = cpu(program)
        until(lambda: cpu(program) - before > 0.02)
        if stops:
            program.process.send_signal(signal.SIGCONT)
        assert program.leave() == 0


@pytest.mark.parametrize("name", ["daemon", "child"])
def test_leaves_a_process_behind(name: str, tmp_path: Path) -> None:
    with naughty(name, tmp_path / "pid", 60) as program:
        program.greet()
        file = tmp_path / "pid"
        until(lambda: file.exists() and file.read_text())
        pid = int(file.read_text())
        try:
            assert answers(program)
            assert program.leave() == 0
            assert not gone(pid)
        finally:
            os.kill(pid, signal.SIGKILL)

import os
import signal
import time
from pathlib import Path

import pytest

from tests.bots.driver import NAUGHTY, Match, Program, bundled, python, seated
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


@pytest.mark.parametrize("game", ["cold_war", "guerra"])
def test_polite_plays_both_games(game: str) -> None:
    others = ["cold_war_random", "cold_war_random", "cold_war_sensible"]
    names = others if game == "cold_war" else ["guerra_random"]
    commands = [python(bundled(name)) for name in names]
    with seated(python(NAUGHTY / "polite.py"), *commands) as programs:
        Match(game, programs, 1).play()
        Match(game, programs[::-1], 1).play()
        assert programs[0].leave() == 0


def test_polite_takes_the_first_legal_move() -> None:
    with naughty("polite") as program:
        program.greet()
        program.tell({"type": "ask", "id": 1, "decision": "any", "legal": [{"a": 1}, {"a": 2}]})
        assert program.hear() == {"id": 1, "move": {"a": 1}}


def test_crash_at_start() -> None:
    with naughty("crash_at_start") as program:
        assert program.process.wait(10) == 1
        assert "crashed on purpose" in program.errors()


@pytest.mark.parametrize(("name", "code"), [("crash_mid_match", 1), ("exit_mid_match", 0)])
def test_ends_at_the_third_ask(name: str, code: int) -> None:
    with naughty(name) as program:
        program.greet()
        assert answers(program, 1)
        assert answers(program, 2)
        ask(program, 3)
        assert program.process.wait(10) == code
        assert ("crashed on purpose" in program.errors()) == bool(code)


@pytest.mark.parametrize(("name", "burns"), [("hang", False), ("spin", True)])
def test_never_answers(name: str, burns: bool) -> None:
    with naughty(name, 2) as program:
        program.greet()
        assert answers(program, 1)
        ask(program, 2)
        before = cpu(program)
        with pytest.raises(TimeoutError):
            program.hear(0.3)
        assert (cpu(program) - before > 0.02) == burns


@pytest.mark.parametrize(("how", "burns"), [("burn", True), ("sleep", False)])
def test_late(how: str, burns: bool) -> None:
    with naughty("late", 0.2, 2, how) as program:
        program.greet()
        assert answers(program, 1)
        before, began = cpu(program), time.monotonic()
        assert answers(program, 2)
        assert time.monotonic() - began >= 0.2
        assert (cpu(program) - before > 0.15) == burns


def test_illegal() -> None:
    with naughty("illegal") as program:
        program.greet()
        ask(program)
        assert program.hear() == {"id": 1, "move": {"foo": 1}}


def test_malformed() -> None:
    with naughty("malformed") as program:
        program.greet()
        ask(program)
        with pytest.raises(ValueError, match="Expecting value"):
            program.hear()


def test_flood_stdout() -> None:
    with naughty("flood_stdout") as program:
        program.greet()
        ask(program)
        flood = b"".join(program.read(5) for _ in range(20))
        assert flood == b"x" * len(flood)


def test_flood_lines() -> None:
    with naughty("flood_lines") as program:
        program.greet()
        ask(program)
        for _ in range(3000):
            assert program.hear() == {"id": 1, "move": PASS}


def test_flood_stderr() -> None:
    with naughty("flood_stderr", 3) as program:
        program.greet()
        assert answers(program)
        assert len(program.errors()) == 3 * 2**20


def test_burn_off_turn() -> None:
    with naughty("burn_off_turn") as program:
        program.greet()
        assert answers(program)
        before = cpu(program)
        until(lambda: cpu(program) - before > 0.02)
        assert program.leave() == 0


def test_unfreeze() -> None:
    with naughty("unfreeze") as program:
        program.greet()
        assert answers(program)
        program.process.send_signal(signal.SIGSTOP)
        before = cpu(program)
        until(lambda: cpu(program) - before > 0.02)
        program.process.send_signal(signal.SIGCONT)
        assert program.leave() == 0


def test_ignore_sigterm() -> None:
    with naughty("ignore_sigterm") as program:
        program.greet()
        program.process.terminate()
        assert answers(program)
        with pytest.raises(TimeoutError):
            program.hear(0.1)
        assert program.process.poll() is None


def test_slow_start() -> None:
    began = time.monotonic()
    with naughty("slow_start", 0.2) as program:
        program.greet()
        assert time.monotonic() - began >= 0.2
        assert answers(program)


def test_never_ready() -> None:
    with naughty("never_ready") as program:
        program.tell({"type": "hello", "protocol": 1, "name": "test"})
        with pytest.raises(TimeoutError):
            program.hear(0.3)


def test_never_reads() -> None:
    with naughty("never_reads") as program:
        program.greet()
        assert program.process.stdin
        os.set_blocking(program.process.stdin.fileno(), False)
        for _ in range(100):
            program.process.stdin.write(b" " * 65536)
        assert program.process.stdin.write(b" " * 65536) is None


def test_half_line() -> None:
    with naughty("half_line") as program:
        program.greet()
        ask(program)
        assert program.read(5).startswith(b'{"id": 1')
        with pytest.raises(TimeoutError):
            program.read(0.2)


def test_drip() -> None:
    with naughty("drip", 1, 0.01) as program:
        program.greet()
        ask(program)
        pieces = [program.read(5) for _ in range(20)]
        assert b"".join(pieces).startswith(b'{"id":1,"note":"z')
        assert max(map(len, pieces)) < 100


def test_closes_stdout() -> None:
    with naughty("closes_stdout") as program:
        program.greet()
        ask(program)
        assert program.read(5) == b""
        assert program.process.poll() is None


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


def test_every_one_can_be_named_as_a_program() -> None:
    for path in NAUGHTY.glob("*.py"):
        assert os.access(path, os.X_OK), path
        assert path.read_text().startswith("#!/usr/bin/env python3\n"), path


def test_every_one_is_tried() -> None:
    source = Path(__file__).read_text()
    for path in NAUGHTY.glob("*.py"):
        assert f'"{path.stem}"' in source

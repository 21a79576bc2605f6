"""Attacks on the referee itself: on its time, and on what it leaves when killed."""

import contextlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from protocol.messages import Start
from referee.limits import Limits
from referee.match.seat import ProcessSeat
from referee.rules.game import Decision
from referee.sandbox import Launcher, Program
from referee.turn.answer import Answer, BotError
from referee.turn.bot_process import BotProcess
from referee.turn.starting import start_bot
from tests.attacks.scene import Scene
from tests.attacks.settings import SLOWNESS, limits
from tests.referee.process_watch import cpu, state

MOVE_SECONDS = 0.15 * SLOWNESS
MARGIN_SECONDS = 1.7 * SLOWNESS
"""What a question may take beyond: the cap on the wall for a bot that sleeps, and some more."""
GROWTH = 64 << 20
REST_SECONDS = 0.3
AFTER_KILL = 3.0 * SLOWNESS
"""Seconds after the referee's death in which everything must be gone."""
AFTER_ROOT = 60.0 * SLOWNESS
"""The same for the root folder of `uid`, whose thousands of links are removed one by one."""


def run_seat(launcher: Launcher, program: Program, sandbox: str, act: str) -> dict[str, Any]:
    """Seat a bot, ask it, and say whether it held the referee up or took its memory."""
    clock = "cpu" if act in ("spin", "burns_off_turn") else "wall"
    allowed = limits(sandbox, move_time=MOVE_SECONDS, clock=clock)
    try:
        process = start_bot(launcher, program, allowed, "hostile")
    except BotError as error:
        return {"error": f"it did not get ready: {error} {error.stderr}"}
    try:
        if act == "burns_off_turn":
            return _burnt(process, allowed)
        return _asked(process, allowed)
    finally:
        process.stop()


def _seat(process: BotProcess, allowed: Limits) -> ProcessSeat:
    seat = ProcessSeat(process)
    words: dict[str, Any] = {"match": "m", "game": "g", "seat": 0, "seats": 1, "options": {}}
    seat.start(Start(**words, table={}, clock=allowed.time_control, seed=1))
    return seat


def _ask(seat: ProcessSeat) -> Answer:
    return seat.ask(Decision("play", limits={}), {"filling": "x" * 200_000})


def _asked(process: BotProcess, allowed: Limits) -> dict[str, Any]:
    seat = _seat(process, allowed)
    memory = _memory()
    began = time.monotonic()
    fault = _ask(seat).fault
    took = time.monotonic() - began
    grown = _memory() - memory
    effect = fault is None or took > MOVE_SECONDS + MARGIN_SECONDS or grown > GROWTH
    return {"effect": effect, "detail": f"{fault}, after {took:.3f} s, {grown >> 20} MiB"}


def _burnt(process: BotProcess, allowed: Limits) -> dict[str, Any]:
    """Return whether a bot that has been seen burning can do it again."""
    seat = _seat(process, allowed)
    for _ in range(3):
        _ask(seat)
        time.sleep(REST_SECONDS)
    pids = _family(process._child.pid)
    before = sum(map(cpu, pids))
    time.sleep(REST_SECONDS)
    burnt = sum(map(cpu, pids)) - before
    return {"effect": burnt > REST_SECONDS / 4, "detail": f"{burnt:.3f} s burnt off turn"}


def _family(pid: int) -> list[int]:
    """Return a process and its children."""
    with contextlib.suppress(OSError):
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return [pid, *map(int, children)]
    return []


def _memory() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def run_orphan(act: str, sandbox: str, scene: Scene) -> dict[str, Any]:
    """Kill a referee while its bot plays; say whether anything of it is left after a while."""
    words = (sandbox, str(scene.mine), act, scene.token)
    owner = subprocess.Popen(
        [sys.executable, "-m", "tests.attacks.owner", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert owner.stdout is not None
    assert owner.stderr is not None
    with owner.stdout, owner.stderr:
        line = owner.stdout.readline()
        owner.kill()
        owner.wait()
        if not line:
            return {"error": owner.stderr.read().decode(errors="replace")}
    told = json.loads(line)
    deadline = time.monotonic() + AFTER_KILL
    while (left := _left(scene, told)) and time.monotonic() < deadline:
        time.sleep(0.01)
    if sandbox == "uid" and not scene.everything():
        deadline += AFTER_ROOT
        while (left := _left(scene, told)) and time.monotonic() < deadline:
            time.sleep(0.1)
    return {"effect": bool(left), "detail": f"left: {left}; the bot said {told['said']}"}


def _left(scene: Scene, told: dict[str, Any]) -> list[str]:
    """Return what is left of a referee that was killed."""
    found = [f"process {pid}" for pid in scene.everything()]
    if state(told["server"]) != "X":
        found.append("the fork server")
    if told["stage"] and Path(told["stage"]).exists():
        found.append(told["stage"])
    return found

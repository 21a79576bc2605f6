"""Attacks that are a message from one process of a bot to another, or to a later one."""

import contextlib
import json
import os
import random
import secrets
import select
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from referee.limits import Limits
from referee.sandbox import Child, Launcher, Program
from tests.attacks.judges_sharing import send
from tests.attacks.pages import set_in_memory
from tests.attacks.scene import MESSAGE_BITS, PAGES, Scene

TRIES, OFTEN = 2, 10
_LOOKED_AT = {"cmdline", "cwd", "exe", "fd", "fdinfo", "ns", "root", "stat", "status", "task"}
"""Files of a process that others look at."""
PATIENCE = 6.0


class Exchange:
    """A bot is told a message and frozen, or ended; another process of it is asked for it.

    `idle` leaves it as it is where the referee freezes only those that use the CPU off turn.
    """

    def __init__(self, launcher: Launcher, scene: Scene, program: Program, limits: Limits) -> None:
        self._launcher = launcher
        self._scene = scene
        self._program = program
        self._limits = limits
        self.detail = ""

    def succeeds(self, bits: int, props: Sequence[str]) -> bool:
        """Return whether every part of a whole message arrives, so many bits at a time."""
        return all(self._arrives(bits, props) for _ in range(MESSAGE_BITS // bits))

    def _arrives(self, bits: int, props: Sequence[str]) -> bool:
        message = format(secrets.randbits(bits), f"0{bits}b")
        with contextlib.ExitStack() as stack:
            first = self._launcher.start(self._program, self._limits)
            stopped = stack.enter_context(contextlib.ExitStack())
            stopped.callback(self._launcher.stop, first)
            files = stack.enter_context(untouched(props, bits))
            self._hear(first, b"ready\n")
            pid = self._scene.bot_processes()[0]
            pages = Path(f"/proc/{pid}/cwd").readlink() / PAGES
            if pages.exists():
                set_in_memory(pages, there=False)
            told = {"bits": bits, "partner": pid, "files": files}
            self._tell(first, message=message, **told)
            self._hear(first, b"done\n")
            group = self._launcher.sandbox.name.startswith("bwrap")
            if "ended" in props:
                stopped.close()
            elif group or "idle" not in props:
                send(first, signal.SIGSTOP, group=group)
            second = self._launcher.start(self._program, self._limits)
            stack.callback(self._launcher.stop, second)
            self._hear(second, b"ready\n")
            self._tell(second, message=None, **told)
            return f"told {message}\n".encode() in self._hear(second, b"done\n")

    def _tell(self, child: Child, **more: object) -> None:
        facts = self._scene.facts() | {"mine": str(self._scene.mine)} | more
        with contextlib.suppress(BrokenPipeError):
            os.write(child.stdin, json.dumps(facts).encode() + b"\n")

    def _hear(self, child: Child, word: bytes) -> bytes:
        """Listen until a bot has said a word or cannot speak any more; return what it said."""
        deadline = time.monotonic() + PATIENCE
        said = b""
        while word not in said and time.monotonic() < deadline:
            if select.select([child.stdout], [], [], 0.05)[0]:
                data = os.read(child.stdout, 65536)
                if not data:
                    break
                said += data
        with contextlib.suppress(OSError):
            said += os.read(child.stderr, 65536)
        self.detail = said[-300:].decode(errors="replace")
        return said


@contextlib.contextmanager
def untouched(props: Sequence[str], count: int) -> Iterator[list[str]]:
    """Give files of the kernel's that nobody is likely to have looked at: listing is no look."""
    if "files of sys" in props:
        found = [
            f"{folder}/{name}" for folder, _, names in os.walk("/sys/devices") for name in names
        ]
        yield random.sample(found, count)
    elif "files of proc" in props:
        with subprocess.Popen(["sleep", "60"]) as process:
            names = {path.name for path in Path("/proc/self").iterdir()} - _LOOKED_AT
            yield [f"/proc/{process.pid}/{name}" for name in sorted(names)[:count]]
            process.kill()
    else:
        yield []


def run_two(exchange: Exchange, bits: int, props: Sequence[str]) -> dict[str, Any]:
    """Say whether a random message arrives; others on the machine may disturb it now and then."""
    tries = OFTEN if "often" in props else TRIES
    effect = any(exchange.succeeds(bits, props) for _ in range(tries))
    if "broken: " in exchange.detail:
        return {"error": f"the program has a mistake: {exchange.detail}"}
    return {"effect": effect, "detail": exchange.detail}

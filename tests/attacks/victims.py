"""Two victims of a bot: a process of the referee's user, and a rival in the same sandbox."""

import contextlib
import ctypes
import os
import select
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.league.bot import make_bot
from referee.limits import Limits
from referee.sandbox import PYTHON, Child, Launcher
from tests.attacks.scene import Scene
from tests.attacks.settings import SLOWNESS
from tests.referee.process_watch import cpu, fields, state

_libc = ctypes.CDLL(None, use_errno=True)
_IOPRIO_GET = {"x86_64": 252, "aarch64": 31}[os.uname().machine]
_NICE, _POLICY = 16, 38  # places in /proc/PID/stat after the name


@dataclass
class Victim:
    """One victim: its pid, where it keeps its secret, and what it was before."""

    pid: int
    address: int
    descriptor: int
    folder: str
    stdout: int

    def __post_init__(self) -> None:
        self.said = b""
        self.before = self.settings()
        self.clock = cpu(self.pid)

    def settings(self) -> dict[str, Any]:
        """Return what others might change of a process."""
        stat = fields(self.pid)
        return {
            "limits": _read(self.pid, "limits"),
            "cores": sorted(os.sched_getaffinity(self.pid)) if stat else None,
            "niceness": stat[_NICE] if stat else None,
            "policy": stat[_POLICY] if stat else None,
            "input": _libc.syscall(_IOPRIO_GET, 1, self.pid),
            "choice": _read(self.pid, "oom_score_adj"),
        }

    def dead(self) -> bool:
        """Return whether it has been killed, or stopped."""
        return state(self.pid) in ("X", "T")

    def changed(self, what: str) -> bool:
        """Return whether a setting is another than before."""
        return bool(self.settings()[what] != self.before[what])

    def traced(self) -> bool:
        """Return whether somebody traces it."""
        lines = _read(self.pid, "status").splitlines()
        return any(line.startswith("TracerPid:") and line.split()[1] != "0" for line in lines)

    def listen(self) -> bytes:
        """Return all it has said."""
        while select.select([self.stdout], [], [], 0)[0]:
            data = os.read(self.stdout, 65536)
            if not data:
                break
            self.said += data
        return self.said

    def facts(self) -> dict[str, Any]:
        """Return what a bot is told of it."""
        return {
            "pid": self.pid,
            "address": self.address,
            "descriptor": self.descriptor,
            "folder": self.folder,
        }


def _read(pid: int, name: str) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/{name}").read_text()
    return ""


def _first_words(stdout: int) -> list[str]:
    """Return what a victim says first: where it keeps its secret, and an open descriptor."""
    deadline = time.monotonic() + 10 * SLOWNESS
    said = b""
    while not said.endswith(b"\n"):
        assert select.select([stdout], [], [], deadline - time.monotonic())[0], said
        data = os.read(stdout, 4096)
        assert data, said
        said += data
    return said.decode().split()


class Victims:
    """Both victims, for one attack."""

    def __init__(self, scene: Scene, launcher: Launcher, limits: Limits) -> None:
        self._launcher = launcher
        program = [sys.executable, "-S", "-E", str(scene.other / "victim.py")]
        self._host = subprocess.Popen(
            [*program, str(scene.key), scene.secret],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={"SECRET": scene.secret},
            cwd=scene.cwd,
            start_new_session=True,
        )
        assert self._host.stdin is not None
        assert self._host.stdout is not None
        self._host.stdin.write(f"{scene.secret}\n".encode())
        self._host.stdin.flush()
        rival = make_bot("rival", scene.other, (PYTHON, "-S", "-E", "victim.py"), ["."])
        self.rival: Child = launcher.start(rival.program, limits)
        if self.rival.door is not None:
            os.write(self.rival.door[1], f"{scene.secret}\n".encode())
        os.write(self.rival.stdin, f"{scene.secret}\n".encode())
        self.all = [
            self._victim(self._host.pid, self._host.stdout.fileno()),
            self._victim(self.rival.pid, self.rival.stdout),
        ]

    def _victim(self, pid: int, stdout: int) -> Victim:
        _, address, descriptor = _first_words(stdout)
        pid = _inside(pid)
        time.sleep(0.002)  # until it sleeps: then its CPU clock stands still
        folder = str(Path(f"/proc/{pid}/cwd").readlink())
        return Victim(pid, int(address), int(descriptor), folder, stdout)

    def close(self) -> None:
        """End both."""
        self._host.kill()
        with contextlib.suppress(BrokenPipeError):
            self._host.communicate()
        with contextlib.suppress(ConnectionError, OSError):
            self._launcher.stop(self.rival)


def _inside(pid: int) -> int:
    """Return the pid of the program itself: in bwrap it is a child of what was told."""
    if Path(f"/proc/{pid}/comm").read_text().strip() == "bwrap":
        inner = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return int(inner[0])
    return pid

"""What hostile builds are let loose on: all made afresh for one attack, and removed."""

import contextlib
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from referee.sandbox.program import SYSTEM_PYTHON
from tests.attacks.scene import processes_with
from tests.referee.process_watch import until

PROGRAMS = Path(__file__).parent / "programs"


class Scene:
    """A secret, folders that anybody may write, listeners, a victim, and the build's sources.

    What is here can be read and written by everybody, and the victim and a file are the build's
    own user's: nothing but the sandbox is to keep them from it.
    """

    def __init__(self, uid: int | None) -> None:
        self._uid = uid
        self.token = f"attack-{secrets.token_hex(8)}"
        """What stands on the command line of everything that the build starts."""
        self.secret = f"secret-{secrets.token_hex(12)}"
        """What no build may learn."""
        self.stray = f"stray-{secrets.token_hex(8)}"
        """What a build calls the things that it leaves outside."""
        self.base = Path(tempfile.mkdtemp(prefix="arena-scene-"))
        self.base.chmod(0o755)
        self.home = self._folder("home")
        self.loose = self._folder("loose", 0o777)
        self.tools = self._folder("tools", 0o777)
        self._folder("tools/bin", 0o777)
        self.tool = self._file("tools/bin/tool", 0o777, "#!/bin/sh\n")
        self.key = self._file("home/key", 0o644)
        (self.home / self.secret).touch()
        self.writable = self._file("loose/writable", 0o666, "as it was")
        if uid is not None:
            os.chown(self.writable, uid, uid)
        self.input = self._file("input", 0o666, "as it was")
        self.moment = self.writable.stat().st_mtime_ns
        self.neighbour = self._folder("neighbour")
        for name in ("token.txt", "bot.c"):
            self._file(f"neighbour/{name}", 0o644)
        self.mine = self._folder("mine")
        for path in PROGRAMS.glob("*.py"):
            shutil.copy(path, self.mine)
        self.victim = self._started_victim()
        self._listen()

    def _folder(self, name: str, mode: int = 0o755) -> Path:
        path = self.base / name
        path.mkdir()
        path.chmod(mode)
        return path

    def _file(self, name: str, mode: int, text: str = "") -> Path:
        path = self.base / name
        path.write_text(text or self.secret)
        path.chmod(mode)
        return path

    def _started_victim(self) -> "subprocess.Popen[bytes]":
        """A process of the build's own user, with a secret in its environment and its folder."""
        user = self._uid if self._uid is not None else os.getuid()
        python = SYSTEM_PYTHON if self._uid is not None else sys.executable
        return subprocess.Popen(
            [python, "-S", "-c", "import time; time.sleep(120)"],
            env={"ARENA_SECRET": self.secret},
            cwd=self.home,
            user=user,
            group=user if self._uid is not None else None,
            extra_groups=[] if self._uid is not None else None,
        )

    def _listen(self) -> None:
        self._sockets: dict[str, socket.socket] = {}
        for name, family, kind, address in (
            ("tcp", socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
            ("udp", socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
            ("unix", socket.AF_UNIX, socket.SOCK_STREAM, str(self.loose / "unix")),
            ("datagram", socket.AF_UNIX, socket.SOCK_DGRAM, str(self.loose / "datagram")),
            ("abstract", socket.AF_UNIX, socket.SOCK_STREAM, f"\0{self.token}"),
        ):
            made = self._sockets[name] = socket.socket(family, kind)
            made.bind(address)
            made.setblocking(False)
            if kind == socket.SOCK_STREAM:
                made.listen()
        for name in ("unix", "datagram"):
            (self.loose / name).chmod(0o777)

    def heard(self, name: str) -> bool:
        """Return whether a listener has heard something."""
        made = self._sockets[name]
        with contextlib.suppress(BlockingIOError):
            if made.type == socket.SOCK_DGRAM:
                return bool(made.recv(10))
            made.accept()[0].close()
            return True
        return False

    def strays(self) -> list[Path]:
        """Return what builds have left outside."""
        folders = ("/tmp", "/var/tmp", "/usr", "/", "/dev/shm", self.loose, self.tools)
        return [path for folder in folders for path in Path(folder).glob(f"{self.stray}*")]

    def alive(self) -> list[int]:
        """Return the living processes of the build."""
        return [pid for pid, _ in processes_with(self.token)]

    def facts(self) -> dict[str, Any]:
        """Return what every build is told: where everything is, and nothing of what it holds."""
        return {
            "secret": str(self.key),
            "loose": str(self.loose),
            "writable": str(self.writable),
            "tools": [str(self.tools), sys.base_prefix],
            "input": str(self.input),
            "token": self.token,
            "stray": self.stray,
            "victim": self.victim.pid,
            "referee": os.getpid(),
            "tcp": self._sockets["tcp"].getsockname()[1],
            "udp": self._sockets["udp"].getsockname()[1],
            "unix": str(self.loose / "unix"),
            "datagram": str(self.loose / "datagram"),
            "abstract": self.token,
        }

    def close(self) -> None:
        """End and remove whatever is left."""
        for made in self._sockets.values():
            made.close()
        self.victim.kill()
        self.victim.wait()

        def ended() -> bool:
            for pid in self.alive():
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, 9)
            return not self.alive()

        until(ended, seconds=30)
        for path in self.strays():
            with contextlib.suppress(OSError):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        shutil.rmtree(self.base, ignore_errors=True)

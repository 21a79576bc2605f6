"""The referee's side of the fork server: start a program, stop it, learn how it ended."""

import errno
import os
import signal
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import msgspec

FORK_SERVER = Path(__file__).with_name("fork_server.py")
_MESSAGE_LIMIT = 1 << 16


class StartError(Exception):
    """A program that could not be executed; the text says why."""


@dataclass(frozen=True)
class Program:
    """What is executed for a bot: an absolute path with its arguments, in a folder."""

    argv: tuple[str, ...]
    folder: str


@dataclass(frozen=True)
class Ended:
    """How a process ended and what it used in all: CPU seconds, bytes of memory at the peak."""

    status: int
    cpu: float
    memory: int

    def __str__(self) -> str:
        code = os.waitstatus_to_exitcode(self.status)
        if code >= 0:
            return f"exited with code {code}"
        try:
            return f"was killed by {signal.Signals(-code).name}"
        except ValueError:
            return f"was killed by signal {-code}"


@dataclass(frozen=True)
class Child:
    """A started process: its pid, a pidfd, and the referee's ends of its three pipes."""

    pid: int
    pidfd: int
    stdin: int
    stdout: int
    stderr: int


def environment() -> dict[str, str]:
    """Return the whole environment of a bot: built, not inherited."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUNBUFFERED": "1",
    }


class Launcher:
    """One fork server and the processes it started; closing it ends them all."""

    def __init__(self) -> None:
        self._link, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with there:
            self._server = subprocess.Popen(
                [sys.executable, "-I", "-S", str(FORK_SERVER), str(there.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[there.fileno()],
                cwd="/",
                process_group=0,  # out of reach of a terminal's Ctrl-C from the beginning
            )
        self._ended: dict[int, Ended] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def start(self, program: Program, memory: int) -> Child:
        """Start `program` with at most `memory` bytes of data; raise StartError if it cannot be.

        When this returns, the program has been executed: exec succeeded.
        """
        stdin, bot_stdin = _pipe(to_bot=True)
        stdout, bot_stdout = _pipe(to_bot=False)
        stderr, bot_stderr = _pipe(to_bot=False)
        theirs = [bot_stdin, bot_stdout, bot_stderr]
        request = {
            "argv": program.argv,
            "cwd": program.folder,
            "env": environment(),
            "memory": memory,
        }
        try:
            socket.send_fds(self._link, [msgspec.json.encode({"start": request})], theirs)
            answer, pidfd = self._answer()
        except OSError as error:
            if error.errno != errno.EMSGSIZE:
                raise
            answer, pidfd = {"error": "its command is too long"}, -1
        finally:
            for descriptor in theirs:
                os.close(descriptor)
        if "error" in answer:
            for descriptor in (stdin, stdout, stderr):
                os.close(descriptor)
            raise StartError(answer["error"])
        return Child(answer["pid"], pidfd, stdin, stdout, stderr)

    def stop(self, child: Child) -> Ended:
        """Kill `child` and its process group, if it still runs, and say how it ended."""
        if child.pid not in self._ended:
            self._link.send(msgspec.json.encode({"stop": child.pid}))
        return self.wait(child)

    def wait(self, child: Child) -> Ended:
        """Wait until `child` has ended, release what it held, and say how it ended."""
        while child.pid not in self._ended:
            self._read()
        for descriptor in (child.pidfd, child.stdin, child.stdout, child.stderr):
            os.close(descriptor)
        return self._ended.pop(child.pid)

    def close(self) -> None:
        """End every process that was started, and the fork server."""
        self._link.close()
        self._server.wait()

    def _answer(self) -> tuple[dict[str, Any], int]:
        while True:
            message, descriptors = self._read()
            if "ended" not in message:
                return message, descriptors[0] if descriptors else -1

    def _read(self) -> tuple[dict[str, Any], list[int]]:
        data, descriptors, _, _ = socket.recv_fds(self._link, _MESSAGE_LIMIT, 1)
        if not data:
            raise ConnectionError("the fork server has died")
        for descriptor in descriptors:
            os.set_inheritable(descriptor, False)
        message = msgspec.json.decode(data)
        if "ended" in message:
            self._ended[message["ended"]] = Ended(
                message["status"], message["cpu"], message["memory"]
            )
        return message, descriptors


def _pipe(*, to_bot: bool) -> tuple[int, int]:
    """Return a new pipe as (the referee's end, the bot's end); the referee never blocks on it."""
    reading, writing = os.pipe()
    ours, theirs = (writing, reading) if to_bot else (reading, writing)
    os.set_blocking(ours, False)
    return ours, theirs

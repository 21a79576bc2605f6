"""A Dask cluster of real processes: a scheduler and its workers, which tests may hurt."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

from tests.arena.conftest import ROOT
from tests.referee.process_watch import children, command_line, fields, processes, until

WAIT = 60.0  # seconds for a scheduler or a worker to be there
NO_PAGES = ("--no-dashboard", "--dashboard-address", "127.0.0.1:0")
"""Dask listens for a browser all the same: where nobody outside is heard."""


class DaskWorker:
    """A Dask worker: the process that we started, which has a nanny unless it is said otherwise."""

    def __init__(self, process: "subprocess.Popen[bytes]", log: Path) -> None:
        self.process = process
        self.log = log

    def signal(self, number: signal.Signals) -> None:
        """Signal it and all that it has started, as far as they are in its session."""
        os.killpg(self.process.pid, number)

    @property
    def pid(self) -> int:
        """The process that is known to the scheduler: ours, or what its nanny has started."""
        own = self.process.pid
        nursed = [pid for pid in children(own) if "multiprocessing.spawn" in command_line(pid)]
        return nursed[0] if nursed else own

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)

    def await_registered(self) -> None:
        until(lambda: "Registered to:" in self.log.read_text() or not self.is_alive, WAIT)
        assert self.is_alive, self.log.read_text()

    @property
    def is_alive(self) -> bool:
        return self.process.poll() is None

    def arena_workers(self) -> list[int]:
        """Return the pids of the arena's own worker processes in it."""
        return self._started_with("'dill'")

    def fork_servers(self) -> list[int]:
        """Return the pids of the processes that start bots for those."""
        found = self._started_with("fork_server.py")
        return [pid for pid in found if int(fields(pid)[1]) not in found]

    def _started_with(self, word: str) -> list[int]:
        """Return the processes in its session that live and have a word in their command lines."""
        session = str(self.process.pid)
        own = [
            pid
            for pid in processes()
            if (f := fields(pid)) and f[3] == session and f[0] not in "ZX"
        ]
        return sorted(pid for pid in own if word in command_line(pid))


class DaskCluster:
    """A scheduler and workers in a folder; a context manager that ends them.

    Before the scheduler's command stand `words`, such as those that enter a network namespace;
    `settings` are those of its process.
    """

    def __init__(
        self,
        folder: Path,
        host: str = "127.0.0.1",
        words: Sequence[str] = (),
        *,
        python: str = sys.executable,
        **settings: Any,
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._words = words
        self._settings = {"python": python, **settings}
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port = probe.getsockname()[1]
        self._host = host
        self.address = f"tcp://{host}:{self._port}"
        self._started: list[subprocess.Popen[bytes]] = []
        self.scheduler: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start_scheduler()
        return self

    def __exit__(self, *error: object) -> None:
        for process in self._started:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGCONT)
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def start_scheduler(self) -> None:
        """Start the scheduler, always at the same address."""
        log = self.folder / "scheduler.log"
        log.unlink(missing_ok=True)
        words = ("scheduler", "--host", self._host, "--port", str(self._port), *NO_PAGES)
        self.scheduler = self._start(words, log, self._words, **self._settings)
        until(lambda: "Scheduler at:" in log.read_text(), WAIT)

    def add_worker(self, name: str, **settings: Any) -> DaskWorker:
        """Start a Dask worker as `begin_worker` does, and wait until the scheduler knows it."""
        worker = self.begin_worker(name, **settings)
        worker.await_registered()
        return worker

    def begin_worker(
        self,
        name: str,
        *,
        threads: int = 1,
        nanny: bool = False,
        words: Sequence[str] = (),
        more: Sequence[str] = (),
        python: str = sys.executable,
        **settings: Any,
    ) -> DaskWorker:
        """Start a Dask worker, and do not wait.

        `words` stand before its command, `more` after it, and `settings` are those of its process.
        """
        log = self.folder / f"{name}.log"
        log.unlink(missing_ok=True)
        given = (
            *("worker", self.address, "--name", name, "--nthreads", str(threads)),
            *(*NO_PAGES, "--local-directory", str(self.folder / "scratch")),
            *("--death-timeout", "120", *(() if nanny else ("--no-nanny",)), *more),
        )
        return DaskWorker(self._start(given, log, words, python=python, **settings), log)

    def _start(
        self,
        given: Sequence[str],
        log: Path,
        words: Sequence[str],
        python: str = sys.executable,
        **settings: Any,
    ) -> "subprocess.Popen[bytes]":
        with log.open("wb") as file:
            process = subprocess.Popen(
                [*words, python, "-m", "dask", *given],
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
                start_new_session=True,
                **{"cwd": ROOT, **settings},
            )
        self._started.append(process)
        return process

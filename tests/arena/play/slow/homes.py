"""Remote bots as a slow match calls them: a real socket, and a real process for each copy."""

import select
import socket
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec

from arena.play.calls import listening
from protocol.remote import (
    Call,
    CallAbsent,
    CallEnded,
    CallLine,
    CallTaken,
    read_call,
    read_call_line,
)
from tests.arena.conftest import League

DIGEST = "5a9e" * 16


def remote(league: League, name: str, digest: str = DIGEST) -> str:
    """Return the entry of a remote bot in the file of a league."""
    folder = league.home / f"remote {name}"
    folder.mkdir()
    return (
        f'\n[[bot]]\nname = "{name}"\nfolder = "../remote {name}"\n'
        f'command = ["{{remote}}", "{digest}"]\nfiles = []\nremote = true\n'
    )


class Homes:
    """Where remote bots run: what the server and their authors' machines do, in one.

    Args:
        listener: of the calls.
        bot: the program that each of them runs.

    """

    def __init__(self, listener: socket.socket, bot: Path) -> None:
        self.is_absent = False
        """Whether no bot is there, whatever the player was told."""
        self.breaks_off = False
        """Whether the connection of each bot breaks while its copy gets ready."""
        self.calls: list[Call] = []
        """The calls that were taken."""
        self.declined = 0
        """How many were not."""
        self.most: Counter[str] = Counter()
        """The most copies of each bot that there were at once."""
        self._bot = bot
        self._lock = threading.Lock()
        self._listener = listener
        self._threads: list[threading.Thread] = []
        self._open: dict[socket.socket, str] = {}
        self._start(self._accept)

    def _start(self, do: Any, *words: Any) -> threading.Thread:
        thread = threading.Thread(target=do, args=words)
        self._threads.append(thread)
        thread.start()
        return thread

    def _accept(self) -> None:
        with suppress(OSError):  # it is closed
            while True:
                connection, _ = self._listener.accept()
                with self._lock:
                    self._open[connection] = ""
                self._start(self._answer, connection)

    def _answer(self, connection: socket.socket) -> None:
        with self._closing(connection), connection.makefile("rb") as lines, suppress(OSError):
            call = read_call(lines.readline())
            if self.is_absent or self.breaks_off:
                self.declined += 1
                connection.sendall(_line(CallTaken() if self.breaks_off else CallAbsent()))
                return
            with self._lock:
                self.calls.append(call)
                self._open[connection] = call.bot
                copies = sum(bot == call.bot and _is_wanted(at) for at, bot in self._open.items())
                self.most[call.bot] = max(self.most[call.bot], copies)
            connection.sendall(_line(CallTaken()))
            self._play(connection, lines)

    @contextmanager
    def _closing(self, connection: socket.socket) -> Iterator[None]:
        with connection:
            try:
                yield
            finally:
                with self._lock:
                    del self._open[connection]

    def _play(self, connection: socket.socket, lines: Any) -> None:
        """Relay the lines of a copy, until the match is over."""
        pipe = subprocess.PIPE
        with subprocess.Popen(
            [sys.executable, self._bot.name], stdin=pipe, stdout=pipe, cwd=self._bot.parent
        ) as process:
            assert process.stdin is not None
            back = self._start(self._send_back, process, connection)
            with suppress(OSError):  # the match, or the bot, has ended
                for data in lines:
                    letter = read_call_line(data)
                    process.stdin.write(letter.line.encode() + b"\n")
                    process.stdin.flush()
            process.kill()
            back.join()

    def _send_back(self, process: "subprocess.Popen[bytes]", connection: socket.socket) -> None:
        assert process.stdout is not None
        with suppress(OSError):  # the match is over
            for line in process.stdout:
                letter = CallLine(line=line.decode().rstrip("\n"), trip=0.001)
                connection.sendall(_line(letter))
            connection.sendall(_line(CallEnded(how="has ended")))

    def close(self) -> None:
        """End all copies."""
        self._listener.shutdown(socket.SHUT_RDWR)
        with self._lock:
            for each in self._open:
                with suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(20)


@contextmanager
def homes(folder: Path, bot: Path) -> Iterator[Homes]:
    """Run a program for each copy of a remote bot that is called for in a folder."""
    folder.mkdir(exist_ok=True)
    with listening(folder) as listener:
        made = Homes(listener, bot)
        try:
            yield made
        finally:
            made.close()


def _is_wanted(connection: socket.socket) -> bool:
    """Return whether the match at the other end has not closed a connection, by what is known."""
    poll = select.poll()
    poll.register(connection, select.POLLRDHUP)
    return not poll.poll(0)


def _line(letter: object) -> bytes:
    return msgspec.json.encode(letter) + b"\n"

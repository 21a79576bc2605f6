"""Servers as real processes, and people who talk to them by real HTTP."""

import http.client
import io
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from arena.handin.database import HandIns
from arena.handin.people import Role
from arena.league import finding
from tests.arena.conftest import ARENA, ROOT, TWO_BOTS
from tests.arena.handin.conftest import add
from tests.referee import process_watch
from tests.referee.process_watch import until

LEAGUE = f"""\
game = "guerra"
seed = 1
deals = {{deals}}

[options]
max_turns = 20

[limits]
sandbox = "none"

[hand_in]
check_seconds = 0.5
{{hand_in}}
{TWO_BOTS}
"""
DECIDED = ("playing", "checked", "refused", "replaced")
BOT = (ROOT / "bots" / "guerra" / "guerra_random.py").read_text()
KIT = finding.KIT.read_text()


class Answer(NamedTuple):
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def error(self) -> Any:
        return self.json["error"]

    @property
    def text(self) -> str:
        return self.body.decode()


def write_league(folder: Path, *, deals: int = 2, hand_in: str = "") -> Path:
    """Make a league of two bots that is served in tests."""
    folder.mkdir(parents=True)
    (folder / "league.toml").write_text(LEAGUE.format(deals=deals, hand_in=hand_in))
    return folder


def add_person(folder: Path, name: str, role: Role = "author") -> str:
    with HandIns(folder, create=True) as db:
        return add(db, name, role)


def bot_zip(source: str = BOT, *, command: str = '["{python}", "bot.py"]', **files: str) -> bytes:
    """Return a bot as a zip; `files` are others, by name, dots written as __."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("bot.toml", f"command = {command}\nfiles = ['.']\n")
        archive.writestr("bot.py", source)
        archive.writestr("kit.py", KIT)
        for name, text in files.items():
            archive.writestr(name.replace("__", "."), text)
    return data.getvalue()


class Running:
    """A process in a session of its own, with the lines that it writes, as they come."""

    def __init__(
        self, words: Sequence[object], *, errors: int | None = subprocess.PIPE, **more: Any
    ) -> None:
        self.process = subprocess.Popen(
            [str(word) for word in words],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            cwd=ROOT,
            start_new_session=True,
            **more,
        )
        self.out: list[str] = []
        self.err: list[str] = []
        streams = (self.process.stdout, self.out), (self.process.stderr, self.err)
        self._readers = [
            threading.Thread(target=self._read, args=each) for each in streams if each[0]
        ]
        for reader in self._readers:
            reader.start()

    @staticmethod
    def _read(stream: Any, lines: list[str]) -> None:
        with stream:
            lines.extend(iter(stream.readline, ""))

    def close(self) -> None:
        """Kill it, and wait until all that it started is gone."""
        started = family(self.process.pid)
        self.process.kill()
        self.process.wait()
        until(lambda: process_watch.gone(*started), 20)
        for reader in self._readers:
            reader.join()
        if self.process.stdin is not None:
            self.process.stdin.close()


class Serving(Running):
    """A server of some leagues, and the ways to talk to it."""

    def __init__(self, folders: Sequence[Path], *words: str) -> None:
        super().__init__([*ARENA, "serve", *folders, "--port", "0", *words])
        self.folders = folders
        self.name = folders[0].name
        self.said, self.logged = self.err, self.out
        self.port = 0

    def wait(self) -> "Serving":
        until(lambda: self._find_port() or self.process.poll() is not None, 20)
        assert self.process.poll() is None, "".join(self.said)
        return self

    def _find_port(self) -> bool:
        for line in list(self.said):
            if found := re.search(r"Listening on http://[^/]*:(\d+)/", line):
                self.port = int(found[1])
        return bool(self.port)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/{self.name}"

    def ask(
        self,
        path: str,
        *,
        method: str = "GET",
        token: str = "",
        cookie: str = "",
        body: Any = None,
        **headers: str,
    ) -> Answer:
        """Ask something, with headers whose names are written with _ for -."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if token:
            sent["Authorization"] = f"Bearer {token}"
        if cookie:
            sent["Cookie"] = cookie
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, body, sent)
            answer = connection.getresponse()
            return Answer(
                answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
            )
        finally:
            connection.close()

    def api(self, path: str = "", league: str = "", **settings: Any) -> Answer:
        """Ask the API about a league, by default the first."""
        return self.ask(f"/api/leagues/{league or self.name}{path}", **settings)

    def raw(self, data: bytes, seconds: float = 10.0) -> bytes:
        """Send bytes, and return all that is answered until the connection ends."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=seconds) as connection:
            connection.sendall(data)
            found = b""
            while piece := connection.recv(65536):
                found += piece
            return found

    def hand_in(self, token: str, data: bytes, bot: str = "", **settings: Any) -> Answer:
        query = f"?bot={bot}&filename=bot.zip" if bot else "?filename=bot.zip"
        path = f"/submissions{query}"
        return self.api(path, method="POST", token=token, body=data, **settings)

    def decided(self, token: str, number: int, seconds: float = 40.0) -> Any:
        def found() -> Any:
            submission = self.api(f"/submissions/{number}", token=token).json["submission"]
            return submission if submission["state"] in DECIDED else None

        return until(found, seconds)

    def enter(self, token: str, league: str = "", **headers: str) -> str:
        """Enter with a token, and return the cookie."""
        answer = self.ask(
            f"/{league or self.name}/enter",
            method="POST",
            body=f"token={token}",
            Content_Type="application/x-www-form-urlencoded",
            **headers,
        )
        assert answer.status == 303, answer
        return answer.headers["set-cookie"].partition(";")[0]

    def csrf(self, cookie: str) -> str:
        """Return the secret that pages of a session hold."""
        page = self.ask(f"/{self.name}/hand-in", cookie=cookie).text
        found = re.search(r'<meta name="csrf" content="([^"]+)">', page)
        assert found is not None, page
        return found[1]

    def family(self) -> set[int]:
        return family(self.process.pid)

    def played(self) -> int:
        return int(self.api("/table").json["table"]["stored"])

    def end(self, number: int = signal.SIGINT, code: int = 0) -> None:
        self.process.send_signal(number)
        assert self.process.wait(60) == code, "".join(self.said)


def family(pid: int) -> set[int]:
    """Return a process and all below it."""
    return {pid}.union(*(family(child) for child in process_watch.children(pid)))


@contextmanager
def serving(*folders: Path, words: Sequence[str] = ()) -> Iterator[Serving]:
    """Return a context with a server that is gone after it."""
    made = Serving(folders, *words)
    try:
        yield made.wait()
    finally:
        made.close()


class Events:
    """The events that somebody has been told, by name."""

    def __init__(self, stream: socket.socket) -> None:
        self._stream = stream
        self._got = b""

    def __call__(self) -> list[str]:
        with suppress(TimeoutError):
            while piece := self._stream.recv(65536):
                self._got += piece
        return re.findall(r"event: (\w+)", self._got.decode())

    def has(self, words: bytes) -> bool:
        """Return whether something has come, in events or before them."""
        self()
        return words in self._got

    def has_ended(self) -> bool:
        self()
        return self._got.endswith(b"\r\n0\r\n\r\n")  # the last chunk; the connection stays


@contextmanager
def events(server: Serving, token: str = "") -> Iterator[Events]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=0.2)
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    connection.request("GET", f"/api/leagues/{server.name}/events", headers=headers)
    stream = connection.sock
    assert stream is not None
    try:
        heard = Events(stream)
        until(lambda: heard.has(b"retry:"))  # it has begun
        yield heard
    finally:
        connection.close()


@contextmanager
def answering(data: bytes) -> Iterator[tuple[int, list[bytes]]]:
    """Return the port of a server that answers one thing to everybody, and what it is sent."""
    heard: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = server.accept()
                    with connection:
                        heard.append(connection.recv(65536))
                        if b"Content-Length" in heard[-1] and heard[-1].endswith(b"\r\n\r\n"):
                            heard[-1] += connection.recv(65536)
                        connection.sendall(data)

        thread = threading.Thread(target=serve)
        thread.start()
        yield server.getsockname()[1], heard
        server.shutdown(socket.SHUT_RDWR)
        thread.join()


def answer_of(text: str = "", status: str = "200 OK", head: str = "") -> bytes:
    return f"HTTP/1.1 {status}\r\n{head}Content-Length: {len(text)}\r\n\r\n{text}".encode()


def run_arena(*words: object, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "arena", *map(str, words)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, **environment},
        timeout=90,
    )

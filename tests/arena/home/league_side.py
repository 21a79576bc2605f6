"""The league's side of remote bots, as tests need it: a real server, and a proxy that cuts."""

import json
import random
import secrets
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from time import monotonic
from typing import Any, TypeVar

from websockets.exceptions import ConnectionClosed
from websockets.sync.server import Server, ServerConnection, serve

from protocol import remote
from tests.referee.process_watch import until

TOKEN = "arena_of-nobody-else"
L = TypeVar("L", remote.CopyLine, remote.CopyGone)
Script = Callable[[ServerConnection, remote.RemoteHello], None]


class LeagueSide:
    """One bot's session in a league `cup`, over any number of connections."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._connection: ServerConnection | None = None
        self._secret = ""
        self._epoch = ""
        self.is_over = threading.Event()
        self.state = ""
        """What its beats say of the league."""
        self.post = remote.Post()
        self.script: Script | None = None
        """What is done in place of the rest of a session, once the hello has come."""
        self.hellos: list[remote.RemoteHello] = []
        self.headers: list[dict[str, str]] = []
        self.letters: list[remote.CopyLine | remote.CopyGone | remote.OfferSlots | remote.Bye] = []
        """What has come, in order and once."""
        self.status: int | None = None
        """What is answered in place of a websocket, with this body and header."""
        error = {"what": "no \x1b[31mremote bots.", "remedy": "Ask the organizer."}
        self.body = json.dumps({"error": error})
        self.location = "https://elsewhere.example/cup"
        self.refused: list[int] = []
        threading.Thread(target=self._beat, daemon=True).start()

    def forget(self) -> None:
        """Be as a server that was started again."""
        with self._lock:
            self._secret = ""
            self.post = remote.Post()
            self.letters.clear()
            if self._connection is not None:
                self._connection.socket.shutdown(socket.SHUT_RDWR)

    def handle(self, connection: ServerConnection) -> None:
        assert connection.request is not None
        self.headers.append(dict(connection.request.headers.raw_items()))
        with suppress(ConnectionClosed, TimeoutError):
            hello = remote.read_from_author(connection.recv(10))
            assert isinstance(hello, remote.RemoteHello)
            if self.script is not None:
                self.script(connection, hello)
                return
            self._go_on(connection, hello)
            for frame in connection:
                self._take(connection, frame)

    def _go_on(self, connection: ServerConnection, hello: remote.RemoteHello) -> None:
        with self._lock:
            self.hellos.append(hello)
            goes_on = (hello.session, hello.epoch) == (self._secret, self._epoch)
            if not goes_on:
                self.post = remote.Post()
                self._secret, self._epoch = hello.session, secrets.token_hex(16)
            else:
                self.post.forget(hello.seen)
            connection.send(welcome(goes_on=goes_on, epoch=self._epoch, seen=self.post.seen))
            for letter in self.post.unseen():
                connection.send(letter)
            self._connection = connection

    def _take(self, connection: ServerConnection, frame: str | bytes) -> None:
        read = remote.read_from_author(frame)
        with self._lock:
            if self._connection is not connection:
                return
            if isinstance(read, remote.Echo):
                self.post.forget(read.seen)
            elif not isinstance(read, remote.RemoteHello) and self.post.take(read):
                self.letters.append(read)

    def _beat(self) -> None:
        while not self.is_over.wait(0.1):
            beat = remote.Beat(at=monotonic(), trip=0.012, seen=self.post.seen, state=self.state)
            self.send(beat)

    def send(self, frame: remote.FromLeague | str) -> None:
        with self._lock, suppress(ConnectionClosed):
            if self._connection is not None:
                words = frame if isinstance(frame, str) else remote.encode_frame(frame)
                self._connection.send(words)

    def _write(self, kind: type[Any], **words: Any) -> None:
        with self._lock:
            self.send(self.post.hold(kind(n=self.post.number(), **words)))

    def begin(self, copy: int) -> None:
        self._write(remote.BeginCopy, copy=copy)

    def say(self, copy: int, line: str) -> None:
        self._write(remote.CopyLine, copy=copy, line=line)

    def over(self, copy: int) -> None:
        self._write(remote.EndCopy, copy=copy)

    def _of(self, kind: type[L], copy: int) -> list[L]:
        with self._lock:
            return [each for each in self.letters if isinstance(each, kind) and each.copy == copy]

    def lines(self, copy: int) -> list[str]:
        return [letter.line for letter in self._of(remote.CopyLine, copy)]

    def gone(self, copy: int) -> remote.CopyGone:
        """Wait for the end of a copy, and return how it was."""
        [letter] = until(lambda: self._of(remote.CopyGone, copy), 20)
        return letter

    def asked(self, copy: int, line: str) -> str:
        before = len(self.lines(copy))
        self.say(copy, line)
        until(lambda: len(self.lines(copy)) > before, 20)
        return self.lines(copy)[before]


def welcome(*, goes_on: bool = False, epoch: str = "e" * 32, seen: int = 0) -> str:
    return remote.encode_frame(
        remote.Welcome(
            league="cup", goes_on=goes_on, limits={"move_time": 30.0}, epoch=epoch, seen=seen
        )
    )


class Proxy:
    """Passes bytes to a server."""

    def __init__(self, port: int) -> None:
        self.to = port
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = self._server.getsockname()[1]
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._lock = threading.Lock()
        self._passes = threading.Event()
        self._passes.set()
        self.hears = threading.Event()
        """Unless it is set, nothing is read of what comes from home."""
        self.hears.set()
        self._cut_at: float | None = None
        self.is_open = True
        self.cuts = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._server.accept()
                if not self.is_open:
                    _reset(client)
                    continue
                threading.Thread(target=self._begin, args=(client,), daemon=True).start()

    def _begin(self, client: socket.socket) -> None:
        with suppress(OSError):
            try:
                server = socket.create_connection(("127.0.0.1", self.to))
            except OSError:
                _reset(client)
                raise
            with self._lock:
                self._pairs.append((client, server))
            for ends in ((client, server, True), (server, client, False)):
                threading.Thread(target=self._pump, args=ends, daemon=True).start()

    def _pump(self, source: socket.socket, target: socket.socket, is_upward: bool) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                self._passes.wait()
                if is_upward:
                    self.hears.wait()
                if self._cut_at is not None:
                    part, self._cut_at = self._cut_at, None
                    with suppress(OSError):
                        target.sendall(data[: int(part * len(data))])
                    self.cut()
                    return
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)

    def cut(self) -> None:
        with self._lock:
            pairs, self._pairs = self._pairs, []
        self.cuts += 1
        for pair in pairs:
            for end in pair:
                with suppress(OSError):
                    _reset(end)

    def cut_somewhere(self, dice: random.Random) -> None:
        """Break all connections in the middle of what is sent next."""
        before = self.cuts
        self._cut_at = dice.random()
        until(lambda: self.cuts > before, 20)

    def freeze(self) -> None:
        self._passes.clear()

    def thaw(self) -> None:
        self._passes.set()

    def close(self) -> None:
        self._passes.set()
        self.hears.set()
        self._server.close()
        self.cut()


def _reset(end: socket.socket) -> None:
    end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()


class Served:
    """A league side that listens, behind a proxy."""

    def __init__(self) -> None:
        self.side = LeagueSide()
        self._server: Server = serve(
            self.side.handle,
            "127.0.0.1",
            0,
            compression=None,
            max_size=remote.FRAME_LIMIT,
            process_request=self._answer,
            ping_interval=None,
            close_timeout=0.2,
        )
        self.proxy = Proxy(self._server.socket.getsockname()[1])
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def _answer(self, connection: ServerConnection, request: Any) -> Any:
        if self.side.status is None:
            return None
        self.side.refused.append(self.side.status)
        answer = connection.respond(self.side.status, self.side.body)
        answer.headers["Location"] = self.side.location
        return answer

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.proxy.port}/cup"

    def close(self) -> None:
        self.side.is_over.set()
        self.proxy.close()
        self._server.shutdown()


@contextmanager
def served() -> Iterator[Served]:
    with closing(Served()) as found:
        yield found

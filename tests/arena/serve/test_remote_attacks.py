"""What a hostile machine may send to where remote bots connect: it costs nobody else anything."""

import itertools
import json
import socket
import struct
import threading
import time
from base64 import b64encode
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus

from protocol import remote
from tests.arena.serve.remote_home import (
    CalledBot,
    Contest,
    Home,
    at_home,
    dial,
    hello,
    remote_contest,
    remotes,
)
from tests.referee.process_watch import until


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Contest]:
    """A server, which has seen all tokens once: what is guessed then holds up none of them."""
    with remote_contest(tmp_path_factory.mktemp("remote") / "cup") as contest:
        for token in (contest.ada, contest.bob, contest.organizer, contest.reader):
            assert contest.server.api("", token=token).status == 200
        assert contest.server.ask("/cup/").status == 200  # made once, so that it is there
        yield contest
        assert contest.said("Traceback") == []
        assert contest.said("Error") == []


@pytest.fixture
def contest(served: Contest) -> Iterator[Contest]:
    """It, with nobody connected; in the end its pages still answer, and a bot still connects."""

    def is_empty() -> bool:
        return all(row["state"] == "away" for row in remotes(served).values())

    until(is_empty)
    yield served
    assert page_seconds(served) < 5
    until(is_empty, 30)
    with at_home(served), CalledBot(served.folder) as call:
        assert call.taken()


def page_seconds(contest: Contest) -> float:
    began = time.monotonic()
    assert contest.server.ask("/cup/").status == 200
    return time.monotonic() - began


def raw(contest: Contest, frame: remote.FromAuthor) -> socket.socket:
    """Return a connection that has become a websocket and has said a frame; anything can follow."""
    connection = socket.create_connection(("127.0.0.1", contest.server.port), timeout=30)
    connection.sendall(
        b"GET /api/leagues/cup/remote HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\n"
        b"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
        + b64encode(b"0123456789abcdef")
        + f"\r\nAuthorization: Bearer {contest.ada}\r\n\r\n".encode()
    )
    answer = b""
    while b"\r\n\r\n" not in answer:
        piece = connection.recv(1)
        assert piece, answer
        answer += piece
    assert answer.startswith(b"HTTP/1.1 101 "), answer
    connection.sendall(text(frame))
    return connection


def wire(opcode: int, data: bytes = b"", *, last: bool = True, length: int | None = None) -> bytes:
    """Return a frame as a client sends it, with a mask of zeros; it may lie about its length."""
    size = len(data) if length is None else length
    head = bytes([opcode | (0x80 if last else 0)])
    if size < 126:
        head += bytes([0x80 | size])
    elif size < 1 << 16:
        head += bytes([0x80 | 126]) + struct.pack("!H", size)
    else:
        head += bytes([0x80 | 127]) + struct.pack("!Q", size)
    return head + bytes(4) + data


def text(frame: Any) -> bytes:
    return wire(1, remote.encode_frame(frame).encode())


def ends(connection: socket.socket, seconds: float = 20.0) -> bytes:
    """Return what still comes until the other side ends a connection."""
    deadline = time.monotonic() + seconds
    found = b""
    with suppress(ConnectionResetError):
        while True:
            connection.settimeout(max(0.01, deadline - time.monotonic()))
            piece = connection.recv(65536)
            if not piece:
                break
            found += piece
    return found


# --- before it is a websocket


def test_who_may_not_connect_is_answered_as_in_all_the_api(contest: Contest) -> None:
    cookie = {"Cookie": contest.server.enter(contest.ada)}
    for token, headers, status, words in (
        ("", {}, 401, "with a token"),
        ("wrong", {}, 401, "the token is wrong"),
        (contest.reader, {}, 403, "for authors"),
        (contest.ada, {"Origin": "http://127.0.0.1"}, 403, "browser"),
        (contest.ada, {"Origin": "null"}, 403, "browser"),
        ("", {"Authorization": "Basic YTpi"}, 401, "Bearer"),
        ("", cookie, 401, "with a token"),
    ):
        with pytest.raises(InvalidStatus) as found:
            dial(contest.server, token, **headers)
        answer = found.value.response
        assert answer.status_code == status
        assert words in json.loads(bytes(answer.body or b""))["error"]["what"]
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Content-Type"] == "application/json"
        assert ("WWW-Authenticate" in answer.headers) == (status == 401)


def test_no_other_address_is_a_websocket(contest: Contest) -> None:
    for path in ("/api/leagues/no/remote", "/cup/", "/", "/api/leagues/cup"):
        with pytest.raises(InvalidStatus) as found:
            dial(contest.server, contest.ada, path=path)
        assert found.value.response.status_code == 404


def test_guesses_at_tokens_are_counted_and_others_connect_meanwhile(contest: Contest) -> None:
    for number in range(12):
        with pytest.raises(InvalidStatus) as found:
            dial(contest.server, f"guess{number}")
    assert found.value.response.status_code == 429
    assert int(found.value.response.headers["Retry-After"]) > 0
    with at_home(contest):
        pass


@pytest.mark.parametrize(
    "head",
    [
        b"POST /api/leagues/cup/remote HTTP/1.1\r\nContent-Length: 5\r\n",
        b"GET /api/leagues/cup/remote HTTP/1.0\r\n",
        b"GET /api/leagues/cup/remote HTTP/1.1\r\nX: " + b"y" * 20_000 + b"\r\n",
        b"GET /api/leagues/cup/remote HTTP/1.1\r\n" + b"X: y\r\n" * 500,
        b"GET /api/leagues/cup/remote HTTP/1.1\r\nX: \xff\xfe\r\n",
        b"GET /api/leagues/cup/remote?%ff%00 HTTP/1.1\r\n",
        b"GET /api/leagues/%ff/remote HTTP/1.1\r\n",
        b"GET /api/leagues/cup/remote HTTP/1.1\r\nSec-WebSocket-Key: x\r\n",
        b"GET /api/leagues/cup/remote HTTP/1.1\r\nSec-WebSocket-Extensions: \0;;;=\r\n",
        b"GET /api/leagues/cup/remote HTTP/1.1\r\nSec-WebSocket-Protocol: ,,,\r\n",
    ],
)
def test_a_strange_upgrade_is_no_websocket(contest: Contest, head: bytes) -> None:
    more = (
        b"Host: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", contest.server.port), timeout=20) as connection:
        connection.sendall(head + more)
        answer = ends(connection)
    assert not answer or answer.startswith((b"HTTP/1.1 4", b"HTTP/1.1 505"))


# --- the first frame


@pytest.mark.parametrize(
    ("first", "kind", "words"),
    [
        (hello(bot="iris"), "wrong", "not a bot of yours"),
        (hello(digest="d" * 64), "unknown", "has no bot 'sage' with these files"),
        (hello(bot="nobody"), "unknown", "nobody"),
        (hello(bot="first"), "unknown", "first"),
        (hello(bot="\x1b[2J<b>"), "unknown", "x1b[2J"),
        (hello(version=2), "wrong", "version 1, not 2"),
        (hello(slots=remote.MOST_AT_ONCE + 1), "wrong", ""),
        (hello(slots=-1), "wrong", ""),
        (hello(slots=10**30), "wrong", ""),
        (hello(seen=-1), "wrong", ""),
        (hello(session="x"), "wrong", ""),
        (hello(session="A" * 32), "wrong", ""),
        (hello(digest="a" * 63), "wrong", ""),
        (hello(bot=""), "wrong", ""),
        (hello(bot="x" * 1000), "wrong", ""),
        (remote.Echo(at=1.0, seen=0), "wrong", "no hello"),
        (remote.CopyLine(n=1, copy=1, line="x"), "wrong", "no hello"),
        ("", "wrong", ""),
        ("{}", "wrong", ""),
        ("[" * 100_000, "wrong", ""),
        ('{"type":"welcome"}', "wrong", ""),
        ('{"type":"hello"}', "wrong", ""),
        ("\0\ud7ff", "wrong", ""),
        (b"\x00\xff", "wrong", "text"),
    ],
)
def test_a_first_frame_that_is_none_is_declined(
    contest: Contest, first: remote.RemoteHello | str | bytes, kind: str, words: str
) -> None:
    with dial(contest.server, contest.ada) as connection:
        found = Home(connection, first).declined()
    assert found.kind == kind
    assert words in found.what
    assert found.what.isprintable()


@pytest.mark.slow
def test_a_hello_that_does_not_come_is_not_waited_for(contest: Contest) -> None:
    began = time.monotonic()
    with dial(contest.server, contest.ada) as connection:
        assert "no hello came" in Home(connection).declined(20).what
    assert 9 < time.monotonic() - began < 15


# --- later frames

ATTACKS: dict[str, tuple[str, list[remote.FromAuthor | str | bytes]]] = {
    "hello twice": ("second hello", [hello()]),
    "gap": ("letter 2 came after letter 0", [remote.OfferSlots(n=2, slots=1)]),
    "repeated": ("letter 1 came where 2 is next", [remote.OfferSlots(n=1, slots=1)] * 2),
    "several lines": ("too long, or several", [remote.CopyLine(n=1, copy=1, line="x\ny")]),
    "long line": ("too long, or several", [remote.CopyLine(n=1, copy=1, line="x" * 70_000)]),
    "unknown copy": ("copy 2 was never begun", [remote.CopyLine(n=1, copy=2, line="x")]),
    "unknown copy gone": ("copy 2 was never begun", [remote.CopyGone(n=1, copy=2, how="ended")]),
    "binary": ("text", [b"x" * 10]),
    "garbage": ("", ["garbage"]),
    "a league's letter": ("", ['{"type":"begin","n":1,"copy":1,"match":""}']),
    "echo of nothing": ("answers no beat", [remote.Echo(at=1.0, seen=0)]),
    "huge slots": ("", [remote.OfferSlots(n=1, slots=5000)]),
    "long reason": ("", [remote.CopyGone(n=1, copy=1, how="x" * 5000)]),
    "number 0": ("", ['{"type":"bye","n":0}']),
    "huge number": ("", ['{"type":"bye","n":' + "9" * 4000 + "}"]),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_what_cannot_be_ends_the_session_with_its_copies(contest: Contest, name: str) -> None:
    words, frames = ATTACKS[name]
    with dial(contest.server, contest.ada) as connection:
        home = Home(connection, hello())
        assert isinstance(home.frame(), remote.Welcome)
        with CalledBot(contest.folder) as call:
            assert call.taken()
            for frame in frames:
                home.say(frame)
            found = home.declined()
            assert found.kind == "wrong"
            assert words in found.what
            assert found.remedy
            assert call.how().startswith("was cut off: ")


NO_FRAMES = {
    "overlong": wire(1, length=remote.FRAME_LIMIT + 1),
    "endless": wire(1, length=1 << 62),
    "not UTF-8": wire(1, b"\xff\xfe"),
    "in another": wire(1, b"x", last=False) + wire(1, b"y"),
    "no first": wire(0, b"y"),
    "unknown": wire(3, b"y"),
    "long ping": wire(9, b"x" * 126),
    "ping in pieces": wire(9, last=False),
    "no mask": b"\x81\x01x",
    "compressed": b"\xc1\x80" + bytes(4),
    "short close": wire(8, b"\x00"),
    "odd close": wire(8, struct.pack("!H", 999)),
    "overlapping": wire(1, b"x" * 100, length=50) * 3,
    "HTTP": b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    "overlong in pieces": (wire(1, b"x" * remote.FRAME_LIMIT, last=False) + wire(0, b"x")),
    "endless in pieces": wire(1, b"", last=False) + wire(0, b"", last=False) * 5000,
}


@pytest.mark.parametrize("what", NO_FRAMES)
def test_what_is_no_frame_ends_the_connection(contest: Contest, what: str) -> None:
    with raw(contest, hello()) as connection:
        with suppress(ConnectionError):
            connection.sendall(NO_FRAMES[what])
        ends(connection, 8)  # and not because it is silent
    until(lambda: remotes(contest)["sage"]["state"] == "away")


def test_pings_are_answered_only_to_who_reads_the_answers(contest: Contest) -> None:
    with raw(contest, hello()) as connection:
        connection.settimeout(5)
        pings = wire(9, b"x" * 125) * 1000
        with suppress(ConnectionError, TimeoutError):
            for _ in range(1000):  # 130 MB
                connection.sendall(pings)
            pytest.fail("all of it was taken")
    until(lambda: remotes(contest)["sage"]["state"] == "away")


def test_a_copy_that_floods_ends_and_its_neighbour_plays_on(contest: Contest) -> None:
    with (
        at_home(contest) as (home, _),
        CalledBot(contest.folder) as flooded,
        CalledBot(contest.folder) as other,
    ):
        assert flooded.taken()
        assert other.taken()
        for _ in range(30):  # more than the match, which does not read, has room for
            home.write(remote.CopyLine, copy=1, line="x" * 60_000)
        home.write(remote.CopyLine, copy=2, line="fine")
        assert other.line() == "fine"
        assert "not asked for" in flooded.how()
        for _ in range(30):
            home.write(remote.CopyLine, copy=1, line="x" * 60_000)
        home.write(remote.CopyLine, copy=2, line="still")
        assert other.line() == "still"


def pings() -> Iterator[bytes]:
    """Yield the shortest frames that there are."""
    while True:
        yield wire(9) * 20_000


def lines() -> Iterator[bytes]:
    """Yield lines of a copy that has ended."""
    for begin in itertools.count(1, 5000):
        numbers = range(begin, begin + 5000)
        yield b"".join(text(remote.CopyLine(n=number, copy=1, line="x")) for number in numbers)


@pytest.mark.slow
@pytest.mark.parametrize("frames", [pings, lines])
def test_a_flood_of_frames_holds_up_no_page(
    contest: Contest, frames: Callable[[], Iterator[bytes]]
) -> None:
    quiet = median(page_seconds(contest) for _ in range(30))
    with raw(contest, hello()) as connection:
        until(lambda: remotes(contest)["sage"]["state"] == "connected")
        with CalledBot(contest.folder) as call:
            assert call.taken()
        is_over = threading.Event()

        def send() -> None:
            with suppress(OSError):
                for piece in frames():
                    connection.sendall(piece)
                    if is_over.is_set():
                        return

        def read() -> None:
            with suppress(OSError):
                while connection.recv(1 << 20):
                    pass

        with ThreadPoolExecutor() as pool:
            pool.submit(send)
            pool.submit(read)
            took = [page_seconds(contest) for _ in range(30)]
            assert remotes(contest)["sage"]["state"] == "connected"
            is_over.set()
            connection.shutdown(socket.SHUT_RDWR)
    assert median(took) < 0.05 + 10 * quiet


@pytest.mark.slow
def test_a_home_that_does_not_read_costs_bounded_memory(contest: Contest) -> None:
    """What waits for it is bounded: its match is not read any more, and it is silent then."""

    def memory() -> int:
        fields = Path(f"/proc/{contest.server.process.pid}/statm").read_text().split()
        return int(fields[1]) * 4096

    with raw(contest, hello(slots=1)) as connection:
        until(lambda: remotes(contest)["sage"]["state"] == "connected")
        before = memory()
        with CalledBot(contest.folder) as call:
            assert call.taken()
            call.socket.settimeout(3)
            with pytest.raises(TimeoutError):
                call.say("x" * 60_000, 2000)  # 120 MB
            assert memory() - before < 80 << 20
        ends(connection, 40)


@pytest.mark.slow
def test_much_may_be_sent_at_once_to_a_home_that_reads(contest: Contest) -> None:
    with at_home(contest) as (home, _), CalledBot(contest.folder) as call:
        assert call.taken()
        assert isinstance(home.next(), remote.BeginCopy)
        began = time.monotonic()
        sending = threading.Thread(target=call.say, args=("x" * 60_000, 1000))  # 60 MB
        sending.start()
        for _ in range(1000):
            assert isinstance(home.next(20), remote.CopyLine)
        sending.join()
        assert time.monotonic() - began < 10  # while beats, by which it is seen, come each 5 s
        home.write(remote.CopyLine, copy=1, line="all of it")
        assert call.line() == "all of it"


def test_an_author_has_no_more_connections_than_a_few(contest: Contest) -> None:
    with ExitStack() as stack:
        for _ in range(8):
            stack.enter_context(dial(contest.server, contest.ada))
        with pytest.raises(InvalidStatus) as found:
            dial(contest.server, contest.ada)
        assert found.value.response.status_code == 429
        with at_home(contest, contest.bob, "iris"):  # another one
            pass
    until(lambda: _connects(contest))


def _connects(contest: Contest) -> bool:
    try:
        with dial(contest.server, contest.ada):
            return True
    except InvalidStatus:
        return False


@pytest.mark.slow
def test_500_connections_of_one_address_are_the_most(contest: Contest) -> None:
    with ExitStack() as stack:
        for token in (contest.ada, contest.bob, contest.organizer):
            for _ in range(8):
                stack.enter_context(dial(contest.server, token))
        lazy = [
            stack.enter_context(socket.create_connection(("127.0.0.1", contest.server.port)))
            for _ in range(490)
        ]
        refused = 0
        for connection in lazy:
            connection.settimeout(0.01)
            try:
                refused += connection.recv(1) == b""
            except TimeoutError:
                pass
            except ConnectionResetError:
                refused += 1
        assert 14 <= refused <= 20
    until(lambda: _connects(contest), 30)


@pytest.mark.slow
def test_the_name_of_a_session_is_of_use_for_its_own_bot_alone(contest: Contest) -> None:
    with (
        at_home(contest, contest.bob, "iris") as (home, _),
        CalledBot(contest.folder, "iris") as call,
    ):
        assert call.taken()
        secret = "e" * 32
        with at_home(contest, session=secret) as (_, welcome):
            assert not welcome.goes_on
        with dial(contest.server, contest.ada) as connection:
            thief = Home(connection, hello("iris", session=secret))
            assert "not a bot of yours" in thief.declined().what
        home.next()
        home.write(remote.CopyLine, copy=1, line="fine")
        assert call.line() == "fine"

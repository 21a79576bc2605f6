"""What a server bears: bodies, heads, times, paths, and readers that never read."""

import contextlib
import json
import socket
import time
from http.client import HTTPConnection
from urllib.parse import quote

import pytest

from tests.arena.serve.conftest import Contest
from tests.arena.serve.serving import bot_zip
from tests.referee.process_watch import until

HEAD = (
    "POST /api/leagues/cup/submissions?bot=bob HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\n"
)


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/") else 0


def arrivals(contest: Contest) -> list[str]:
    folder = contest.server.folders[0] / "handed-in" / ".arrivals"
    return [path.name for path in folder.iterdir()] if folder.exists() else []


def test_a_body_that_says_it_is_too_large_is_refused_before_it_is_sent(contest: Contest) -> None:
    head = HEAD.format(contest.bob) + "Content-Length: 10000000000\r\n\r\n"
    began = time.monotonic()
    answer = contest.server.raw(head.encode())
    assert status(answer) == 413
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["error"]["step"] == "receive"
    assert time.monotonic() - began < 4


def test_a_body_that_grows_too_large_is_cut_off_and_leaves_nothing(contest: Contest) -> None:
    connection = HTTPConnection("127.0.0.1", contest.server.port, timeout=20)
    pieces = (b"x" * 65536 for _ in range(40))  # 2.5 MB, where 1 MiB may be sent
    try:
        connection.request(
            "POST",
            "/api/leagues/cup/submissions?bot=bob",
            pieces,
            {"Authorization": f"Bearer {contest.bob}"},
            encode_chunked=True,
        )
        answer = connection.getresponse()
        assert (answer.status, json.loads(answer.read())["error"]["step"]) == (413, "receive")
    finally:
        connection.close()
    until(lambda: not arrivals(contest))


def test_a_body_without_a_right_token_is_not_stored(contest: Contest) -> None:
    answer = contest.server.hand_in("", b"x" * 500_000, "bob")
    assert answer.status == 401
    assert not arrivals(contest)


def test_a_body_that_breaks_off_leaves_nothing(contest: Contest) -> None:
    count = len(contest.server.api("/submissions", token=contest.bob).json["submissions"])
    with socket.create_connection(("127.0.0.1", contest.server.port)) as connection:
        head = HEAD.format(contest.bob) + "Content-Length: 100000\r\n\r\n"
        connection.sendall(head.encode() + b"x" * 5000)
        until(lambda: arrivals(contest))
    until(lambda: not arrivals(contest))
    now = contest.server.api("/submissions", token=contest.bob).json["submissions"]
    assert len(now) == count


def test_an_author_sends_no_more_than_two_at_once(contest: Contest) -> None:
    head = HEAD.format(contest.bob) + "Content-Length: 1000\r\n\r\n"
    open_ones = [socket.create_connection(("127.0.0.1", contest.server.port)) for _ in range(2)]
    try:
        for connection in open_ones:
            connection.sendall(head.encode())
        until(lambda: len(arrivals(contest)) == 2)
        third = contest.server.hand_in(contest.bob, bot_zip(), "bob")
        assert (third.status, third.error["can_retry"]) == (429, True)
        assert contest.server.hand_in(contest.ada, bot_zip(), "ada").status == 202  # another author
    finally:
        for connection in open_ones:
            connection.close()


@pytest.mark.slow
def test_a_head_that_does_not_end_is_not_waited_for(contest: Contest) -> None:
    """Many connections that say little hold up nobody, and are gone after a while."""
    began = time.monotonic()
    lazy = [socket.create_connection(("127.0.0.1", contest.server.port)) for _ in range(100)]
    for number, connection in enumerate(lazy):
        connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n" if number % 2 else b"")
    assert contest.server.ask("/cup/").status == 200
    for connection in lazy:
        connection.settimeout(20)
        with contextlib.suppress(ConnectionResetError):
            assert connection.recv(10) == b""
        connection.close()
    assert time.monotonic() - began < 19


@pytest.mark.slow
def test_a_body_that_drips_is_not_waited_for(contest: Contest) -> None:
    with socket.create_connection(("127.0.0.1", contest.server.port), timeout=60) as connection:
        head = HEAD.format(contest.bob) + "Content-Length: 100000\r\n\r\n"
        connection.sendall(head.encode() + b"x")
        answer = connection.recv(4096)
        assert status(answer) == 408
    until(lambda: not arrivals(contest))


@pytest.mark.parametrize(
    "head",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 200,
        b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"GET / HTTP/1.1\r\n Host: x\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: nothing\r\n\r\n",
    ],
    ids=["tls", "lengths", "smuggled", "folded", "coding"],
)
def test_a_head_that_is_none_is_refused(contest: Contest, head: bytes) -> None:
    try:
        answer = contest.server.raw(head + b"GET /api/schema HTTP/1.1\r\nHost: x\r\n\r\n")
    except ConnectionResetError:
        answer = b""
    assert status(answer) in (0, 400, 431, 501)
    assert b'"$defs"' not in answer  # what follows is not taken for another request


@pytest.mark.parametrize("head", ["GET / HTTP/1.1\r\nX: {}", "GET /{} HTTP/1.1"])
def test_a_head_that_is_too_long_is_refused(contest: Contest, head: str) -> None:
    words = head.format("y" * 50_000) + "\r\nHost: x\r\nConnection: close\r\n\r\n"
    assert status(contest.server.raw(words.encode())) in (400, 431)


PATHS = [
    "/../../etc/passwd",
    "/cup/../../../etc/passwd",
    "/%2e%2e/%2e%2e/etc/passwd",
    "/cup/%2e%2e%2fleague.toml",
    "/static/../views.py",
    "/static/..%2fviews.py",
    "/static/%2fetc%2fpasswd",
    "/api/leagues/..%2fcup",
    "/api/leagues/cup%2f..%2f..%2fetc",
    "/api/leagues/cup/bots/..%2f..%2fleague.toml",
    "/api/leagues/cup/bots/%00",
    "/api/leagues/cup/bots/" + "a" * 5000,
    "/api/leagues/cup/bots/%ff%fe",
    "/api/leagues/cup/matches/..%2f..%2fhandin.db",
    "/api/leagues/cup/matches/%27%20OR%201=1--",
    "/api/leagues/cup/matches/%00",
    "/api/leagues/cup/matches/0-99999999999999999999",
    "/api/leagues/cup/matches?before=99999999999999999999",
    "/api/leagues/cup/matches?before=-1",
    "/api/leagues/cup/matches?before=%D9%A1",
    "/api/leagues/cup/matches?bot=%00%0d%0aX:y",
    "/api/leagues/cup/submissions/99999999999999999999999",
    "/api/leagues/cup/submissions/0",
    "/cup/submissions/1;ls",
    "/league.toml",
    "/cup/league.toml",
    "/cup/handed-in/",
    "/cup/handin.db",
    "/CUP/",
    "/cup%00/",
    "//evil.example/cup",
    "/cup//",
    "/enter",
]


@pytest.mark.parametrize("path", PATHS)
def test_no_path_leads_out_of_what_is_served(contest: Contest, path: str) -> None:
    request = (
        f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
        f"Authorization: Bearer {contest.organizer}\r\n\r\n"
    )
    answer = contest.server.raw(request.encode())
    head, _, body = answer.partition(b"\r\n\r\n")
    found = status(answer)
    assert found in (400, 404) or (found == 200 and b'"rows":[]' in body), answer[:300]
    for secret in (b"root:", b"seed =", b"SQLite", b"Traceback", b"import "):
        assert secret not in body
    assert b"\nX:y" not in head


@pytest.mark.parametrize(
    "bot", ["../../evil", "%00", "%0aX", "a%2fb", ".", "..", "-rf", "%24(touch x)", "'; ls"]
)
def test_no_name_of_a_bot_leads_out_of_its_folder(contest: Contest, bot: str) -> None:
    server, home = contest.server, contest.server.folders[0]
    before = {path for path in home.parent.rglob("*") if "handed-in" not in path.parts}
    answer = server.hand_in(contest.organizer, bot_zip(), bot.replace(" ", "%20"))
    assert answer.status in (202, 409, 422), answer
    if answer.status == 202:
        server.decided(contest.organizer, answer.json["submission"]["number"])
    after = {path for path in home.parent.rglob("*") if "handed-in" not in path.parts}
    own = ("league.db", "handin.db")  # and what SQLite puts beside these now and then
    assert [path for path in after - before if not path.name.startswith(own)] == []


@pytest.mark.parametrize("number", ["9" * 5000, "x", "-1", "0", "٣"])
def test_what_is_no_number_of_a_submission_is_not_found(contest: Contest, number: str) -> None:
    path = f"/submissions/{quote(number)}"
    answer = contest.server.api(path, token=contest.ada)
    assert (answer.status, answer.error["step"]) == (404, "")
    assert contest.server.api(path).status == 401
    assert contest.server.ask(f"/cup{path}").status == 401


def test_every_answer_says_what_browsers_may_do_with_it(contest: Contest) -> None:
    server = contest.server
    for path in (
        "/",
        "/cup/",
        "/cup/enter",
        "/nothing",
        "/api/schema",
        "/api/leagues/no",
        "/static/no",
    ):
        headers = server.ask(path).headers
        assert headers["x-content-type-options"] == "nosniff"
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert "*" not in policy
        assert headers["cache-control"] == "no-store"
        assert "server" not in headers
    assert server.ask("/api/schema").headers["referrer-policy"] == "no-referrer"


def test_what_happens_is_told_to_those_who_listen_and_secrets_to_their_authors(
    contest: Contest,
) -> None:
    server = contest.server

    def listen(token: str = "") -> socket.socket:
        connection = socket.create_connection(("127.0.0.1", server.port), timeout=30)
        who = f"Authorization: Bearer {token}\r\n" if token else ""
        connection.sendall(f"GET /api/leagues/cup/events HTTP/1.1\r\nHost: x\r\n{who}\r\n".encode())
        return connection

    with listen(contest.ada) as own, listen(contest.bob) as other, listen() as stranger:
        found = {own: b"", other: b"", stranger: b""}
        for connection in found:
            while b"retry:" not in found[connection]:
                found[connection] += connection.recv(4096)
        number = server.hand_in(contest.ada, bot_zip(), "ada").json["submission"]["number"]
        for connection in found:
            while b"event: queue" not in found[connection]:
                found[connection] += connection.recv(4096)
        while b'"number":%d' % number not in found[own]:
            found[own] += own.recv(4096)
    assert b"event: submission" in found[own]
    assert b"text/event-stream" in found[own]
    for connection in (other, stranger):
        assert b"event: submission" not in found[connection]

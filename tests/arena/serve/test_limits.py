"""What a server bears: bodies, heads, times, paths, and readers that never read."""

import contextlib
import json
import socket
import time
from urllib.parse import quote

import pytest

from arena.serve.remote.sparing import Sparing
from tests.arena.serve.conftest import Contest
from tests.arena.serve.serving import bot_zip, events
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
    pieces = b"10000\r\n" + b"x" * 65536 + b"\r\n"
    head = HEAD.format(contest.bob) + "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    answer = contest.server.raw(head.encode() + pieces * 17)  # where 1 MiB may be sent
    assert status(answer) == 413
    until(lambda: not arrivals(contest))


def test_a_body_without_a_right_token_or_that_breaks_off_leaves_nothing(contest: Contest) -> None:
    assert contest.server.hand_in("", b"x" * 500_000, "bob").status == 401
    assert not arrivals(contest)
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
    with contextlib.ExitStack() as stack:
        for _ in range(2):
            connection = socket.create_connection(("127.0.0.1", contest.server.port))
            stack.enter_context(connection).sendall(head.encode())
        until(lambda: len(arrivals(contest)) == 2)
        third = contest.server.hand_in(contest.bob, bot_zip(), "bob")
        assert (third.status, third.error["can_retry"]) == (429, True)
        assert contest.server.hand_in(contest.ada, bot_zip(), "ada").status == 202  # another author


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
        b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX: " + b"y" * 50_000 + b"\r\n\r\n",
        b"GET /" + b"y" * 50_000 + b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    ],
    ids=["tls", "lengths", "smuggled", "folded", "coding", "long", "long path"],
)
def test_a_head_that_is_none_is_refused(contest: Contest, head: bytes) -> None:
    try:
        answer = contest.server.raw(head + b"GET /api/schema HTTP/1.1\r\nHost: x\r\n\r\n")
    except ConnectionResetError:
        answer = b""
    assert status(answer) in (0, 400, 431, 501)
    assert b'"$defs"' not in answer  # what follows is not taken for another request


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


def test_what_is_no_number_of_a_submission_is_not_found(contest: Contest) -> None:
    for number in ("9" * 5000, "x", "-1", "0", "٣"):
        path = f"/submissions/{quote(number)}"
        answer = contest.server.api(path, token=contest.ada)
        assert (answer.status, answer.error["step"]) == (404, "")
        assert contest.server.api(path).status == 401
        assert contest.server.ask(f"/cup{path}").status == 401


def test_every_answer_says_what_browsers_may_do_with_it(contest: Contest) -> None:
    server = contest.server
    for path in ("", "cup/", "cup/enter", "nothing", "api/schema", "api/leagues/no", "static/no"):
        headers = server.ask(f"/{path}").headers
        assert headers["x-content-type-options"] == "nosniff"
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert "*" not in policy
        assert headers["cache-control"] == "no-store"
        assert "server" not in headers
    assert server.ask("/api/schema").headers["referrer-policy"] == "no-referrer"


def test_what_happens_is_told_to_all_and_secrets_to_their_authors(contest: Contest) -> None:
    server = contest.server

    with (
        events(server, contest.ada) as own,
        events(server, contest.bob) as other,
        events(server) as stranger,
    ):
        server.hand_in(contest.ada, bot_zip(), "ada")
        until(lambda: all("queue" in heard() for heard in (own, other, stranger)))
        until(lambda: "submission" in own())
        assert own.has(b"text/event-stream")
        assert "submission" not in other() + stranger()


def test_what_was_not_said_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr("arena.serve.remote.sparing._SECONDS", 0.2)
    sparing = Sparing(said.append)
    for number in range(10):
        sparing.say("sage", f"sage {number}")
    sparing.say("iris", "iris")
    assert said == [*(f"sage {number}" for number in range(6)), "iris"]
    sparing.catch_up()
    assert len(said) == 7
    until(lambda: sparing.catch_up() or len(said) > 7)
    assert said[-1] == "sage: 4 more of such lines were left out."
    sparing.say("sage", "sage again")
    assert said[-1] == "sage again"

"""The server of one table: whom it answers, and whom not."""

import json
import socket
from collections.abc import Iterator, Mapping
from http.client import HTTPConnection, HTTPResponse
from urllib.parse import urlsplit

import pytest

from arena.person.desk import Desk
from arena.person.server import serving

PAGE = b"<p>the table</p>"


class Browser:
    """Asks as a browser does, with the cookie that it was given."""

    def __init__(self, address: str) -> None:
        self.parts = urlsplit(address)
        self.cookie = ""

    def ask(
        self,
        how: str,
        path: str | None = None,
        body: bytes | None = None,
        headers: Mapping[str, str | None] | None = None,
    ) -> tuple[HTTPResponse, bytes]:
        connection = HTTPConnection(str(self.parts.hostname), self.parts.port or 0, timeout=10)
        where = self.parts.path if path is None else path
        given = {"Cookie": self.cookie, "Origin": f"http://{self.parts.netloc}"}
        asked = {key: value for key, value in (given | dict(headers or {})).items() if value}
        connection.request(how, where, body, asked)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        if cookie := answer.headers.get("Set-Cookie"):
            self.cookie = cookie.partition(";")[0]
        return answer, text

    def status(
        self,
        how: str,
        rest: str,
        body: bytes | None = None,
        headers: Mapping[str, str | None] | None = None,
    ) -> int:
        return self.ask(how, self.parts.path + rest, body, headers)[0].status


@pytest.fixture
def desk() -> Desk:
    return Desk(0)


@pytest.fixture
def visitor(desk: Desk) -> Iterator[Browser]:
    documents = {"": ("text/html", lambda: PAGE), "match": ("text/html", lambda: None)}
    with serving(desk, documents) as address:  # type: ignore[arg-type]
        yield Browser(address)


def test_the_first_browser_has_the_table_and_no_other(visitor: Browser) -> None:
    answer, text = visitor.ask("GET")
    assert (answer.status, text) == (200, PAGE)
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["X-Frame-Options"] == "DENY"
    assert visitor.ask("GET")[0].status == 200
    state = json.loads(visitor.ask("GET", f"{visitor.parts.path}state?version=5")[1])
    assert state["frames"] == []
    other = Browser(visitor.parts.geturl())
    for rest in ("", "state", "match", "rules"):
        assert other.status("GET", rest) == 403
    assert other.status("POST", "say", b"{}") == 403
    other.cookie = visitor.cookie.partition("=")[0] + "=guessed"
    assert other.status("GET", "state") == 403


def test_before_the_page_nothing_else_is_answered(visitor: Browser) -> None:
    assert visitor.status("GET", "state") == 403
    assert visitor.status("POST", "quit", b"{}") == 403
    assert visitor.status("GET", "") == 200


def test_without_the_secret_nothing_is_there(visitor: Browser) -> None:
    for path in ("/", "/state", "//", "/x/state", visitor.parts.path[:-2] + "/", "/%00", "/%C3%A9"):
        assert visitor.ask("GET", path)[0].status in (400, 404)
    assert visitor.ask("GET")[0].status == 200, "nobody has taken it"


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1", "", "localhost"])
def test_a_name_that_others_chose_for_this_machine_is_refused(visitor: Browser, host: str) -> None:
    answer, text = visitor.ask("GET", headers={"Host": host or "x"})
    assert answer.status == 421
    assert PAGE not in text


@pytest.mark.parametrize("origin", [None, "null", "http://evil.example", "http://127.0.0.1:1"])
def test_other_pages_may_say_nothing(visitor: Browser, origin: str | None) -> None:
    visitor.ask("GET")
    for rest in ("say", "quit"):
        assert visitor.status("POST", rest, b"{}", {"Origin": origin}) == 403


def test_an_address_that_is_none_is_refused_in_silence(
    visitor: Browser, capfd: pytest.CaptureFixture[str]
) -> None:
    with socket.create_connection(("127.0.0.1", visitor.parts.port or 0)) as stranger:
        host = f"Host: {visitor.parts.netloc}"
        stranger.sendall(f"GET http://[::1/x HTTP/1.1\r\n{host}\r\n\r\n".encode())
        assert stranger.recv(100).startswith(b"HTTP/1.1 404 ")
    assert capfd.readouterr() == ("", "")


def test_what_is_no_answer_is_refused(visitor: Browser, desk: Desk) -> None:
    visitor.ask("GET")
    said = {"number": 1, "line": "1"}
    assert visitor.status("POST", "say", json.dumps(said).encode()) == 200
    for body in (b"", b"[]", b"\xff", json.dumps({**said, "seat": 1}).encode()):
        assert visitor.status("POST", "say", body) == 400
    assert visitor.status("POST", "say", b"x" * (70 << 10)) == 413
    assert visitor.status("POST", "say", None, {"Content-Length": "-1"}) == 411
    assert visitor.status("POST", "elsewhere", b"{}") == 404
    assert visitor.status("GET", "match") == 404
    assert visitor.status("GET", "../../etc/passwd") == 404
    assert visitor.status("PUT", "say", b"{}") == 501
    assert not desk.is_left
    assert visitor.status("POST", "quit", b"{}") == 200
    assert desk.is_left

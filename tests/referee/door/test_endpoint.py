"""The endpoint of HTTP, as libraries use it."""

import http.client
import os
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from tests.provider import Provider
from tests.referee.door.at_the_door import API, Caller, chat, opened

Answer = tuple[int, str | None, str]


def client(port: int) -> list[Answer]:
    """Return the answers to three requests by one connection: status, type and body."""
    found = []
    headers = {"Authorization": "Bearer none", "X-Stainless-Lang": "python"}
    headers["Anthropic-Version"] = "2023-06-01"
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=10)) as connection:
        for path, body in (*(("chat/completions", chat()),) * 2, ("models", None)):
            way = "POST" if body else "GET"
            connection.request(way, f"/api.example.org/v1/{path}", body, headers)
            answer = connection.getresponse()
            kind = answer.getheader("content-type")
            found.append((answer.status, kind, answer.read().decode()))
    return found


@pytest.fixture
def at_http(provider: Provider, trap: int) -> Iterator[tuple[Caller, int]]:
    """A bot at a door and its port, which is still listened at when the bot has left."""
    with (
        socket.create_server(("127.0.0.1", 0), backlog=64) as listening,
        opened(provider, trap) as door,
    ):
        caller = Caller(door, *API, listener=listening.fileno())
        yield caller, listening.getsockname()[1]
        os.fstat(listening.fileno())


@pytest.mark.slow
@pytest.mark.parametrize("many", [1, 40])
def test_libraries_ask_by_http(many: int, provider: Provider, at_http: tuple[Caller, int]) -> None:
    caller, port = at_http
    with ThreadPoolExecutor(many) as pool:
        asked = [pool.submit(client, port) for _ in range(many)]
        time.sleep(0.5)
        assert provider.forget() == [], "nobody is heard before the turn"
        caller.client.begin_turn()
        found = [answer for each in asked for answer in each.result(20)]
    used = caller.client.end_turn()
    caller.close()
    assert {status for status, *_ in found} == {200}
    assert {kind for _, kind, body in found if "choices" in body} == {"application/json"}
    assert used.requests == len(found) == 3 * many
    for seen in provider.forget():
        assert "x-stainless-lang" not in seen["headers"]
        assert seen["headers"]["anthropic-version"] == "2023-06-01"
        assert seen["headers"]["authorization"] != "Bearer none"


@pytest.mark.slow
def test_what_is_open_by_http_when_a_turn_ends_is_an_error(
    provider: Provider, at_http: tuple[Caller, int]
) -> None:
    caller, port = at_http
    provider.behave("slow", seconds=1.0)
    caller.client.begin_turn()
    with socket.create_connection(("127.0.0.1", port)) as opening, ThreadPoolExecutor(1) as pool:
        pool.submit(client, port)
        time.sleep(0.5)
        caller.client.end_turn()
        time.sleep(0.1)
        assert caller.close().cost > 0
        assert opening.recv(1) == b"", "its connections are closed"

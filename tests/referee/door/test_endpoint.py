"""The endpoint of HTTP, as libraries use it: clients in processes of their own."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from tests.provider import Provider
from tests.referee.door.at_the_door import Caller, chat, opened

CLIENT = """
import http.client, json, sys, threading
port, many, body = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
found = []
def ask():
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    for path in ("/v1/chat/completions", "/v1/chat/completions", "/v1/models"):
        data = body if "chat" in path else None
        headers = {"Authorization": "Bearer none", "X-Stainless-Lang": "python"}
        connection.request("POST" if data else "GET", "/api.example.org" + path, data, headers)
        answer = connection.getresponse()
        found.append([answer.status, answer.getheader("content-type"), answer.read().decode()])
threads = [threading.Thread(target=ask) for _ in range(many)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(json.dumps(found))
"""


def client(port: int, many: int) -> subprocess.Popen[str]:
    """Start a client that asks three times by each of so many connections."""
    words = [sys.executable, "-c", CLIENT, str(port), str(many), chat()]
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True)


@pytest.fixture
def at_http(provider: Provider, trap: int) -> Iterator[tuple[Caller, socket.socket]]:
    """A bot at a door with a socket that listens, which is still open when the bot has left."""
    with (
        socket.create_server(("127.0.0.1", 0), backlog=64) as listening,
        opened(provider, trap) as door,
    ):
        yield Caller(door, "api.example.org", listener=listening.fileno()), listening
        os.fstat(listening.fileno())


@pytest.mark.slow
@pytest.mark.parametrize("many", [1, 40])
def test_libraries_ask_by_http(
    many: int, provider: Provider, at_http: tuple[Caller, socket.socket]
) -> None:
    caller, listening = at_http
    with client(listening.getsockname()[1], many) as process:
        time.sleep(0.5)
        assert provider.forget() == [], "nobody is heard before the turn"
        caller.visitor.begin_turn()
        found = json.loads(process.communicate(timeout=20)[0])
    visit = caller.visitor.end_turn()
    caller.close()
    assert len(found) == 3 * many
    assert {status for status, *_ in found} == {200}
    assert {kind for _, kind, body in found if "choices" in body} == {"application/json"}
    assert visit.requests == 3 * many
    for seen in provider.forget():
        assert seen["headers"]["x-stainless-lang"] == "python"
        assert seen["headers"]["authorization"] != "Bearer none"


@pytest.mark.slow
def test_what_is_open_by_http_when_a_turn_ends_is_an_error(
    provider: Provider, at_http: tuple[Caller, socket.socket]
) -> None:
    caller, listening = at_http
    opening = socket.create_connection(listening.getsockname())
    provider.behave("slow", seconds=1.0)
    caller.visitor.begin_turn()
    with client(listening.getsockname()[1], 1) as process:
        time.sleep(0.5)
        caller.visitor.end_turn()
        time.sleep(0.1)
        process.kill()
    assert caller.close().cost > 0
    assert opening.recv(1) == b"", "its connections are closed"
    opening.close()

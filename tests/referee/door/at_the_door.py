"""A bot at a real door: real pipes, a real provider, and names that lead to it."""

import contextlib
import json
import os
import select
import time
from collections.abc import Iterator, Mapping
from typing import Any

from referee.door import ClientTerms, Door, DoorTerms, Exchanges, Remembered, TokenPrice, TurnUsage
from referee.door.provider import Network
from tests.provider import PRICES, Provider

PUBLIC = "93.184.216.34"
"""The address of the provider, as names say; the test leads it to where the provider listens."""
KEY = "sk-Secret/0123+456=789"
PRICED = {name: TokenPrice(input=into, output=out) for name, (into, out) in PRICES.items()}


class Wired(Network):
    """Names that are said here; what goes anywhere else than to the provider is led to a trap."""

    def __init__(self, port: int, trap: int, names: Mapping[str, list[list[str]]]) -> None:
        super().__init__()
        self._port = port
        self._trap = trap
        self._names = {name: [*answers] for name, answers in names.items()}
        self.resolved: list[str] = []

    async def resolve(self, host: str) -> list[str]:
        """Return the next answer for a name; the last one stays."""
        self.resolved.append(host)
        answers = self._names.get(host, [["198.51.100.1"]])
        return answers.pop(0) if len(answers) > 1 else answers[0]

    def route(self, address: str, port: int) -> tuple[str, int]:
        """Lead the provider's public address to it, on its port, and all others to the trap."""
        is_it = (address, port) == (PUBLIC, 443) or port == self._port
        return "127.0.0.1", self._port if is_it else self._trap


class Caller:
    """A bot: its ends of the pipes."""

    def __init__(
        self,
        door: Door,
        *entries: str,
        bot: str = "mine",
        exchanges: Exchanges | None = None,
        key: str = "match/0",
        listener: int | None = None,
        name: str = "",
    ) -> None:
        requests, self.writes = os.pipe()
        self.reads, answers = os.pipe()
        self.door = door
        self.ends = (requests, answers)
        self.exchanges = Remembered() if exchanges is None else exchanges
        self.client = door.admit(
            ClientTerms(bot, name, entries, self.exchanges, key), self.ends, listener
        )
        self._got = b""
        self.told: list[str] = []
        """What the organizer was told."""

    def send(self, request: bytes | Mapping[str, Any]) -> None:
        line = request if isinstance(request, bytes) else json.dumps(request).encode()
        os.write(self.writes, line + b"\n")

    def read(self, seconds: float = 10.0) -> dict[str, Any] | None:
        """Return the next answer, None if there is none in time."""
        until = time.monotonic() + seconds
        while b"\n" not in self._got:
            poll = select.poll()  # select() takes no descriptor beyond 1023
            poll.register(self.reads, select.POLLIN)
            if not poll.poll(max(until - time.monotonic(), 0) * 1000):
                return None
            self._got += os.read(self.reads, 1 << 16)
        line, _, self._got = self._got.partition(b"\n")
        found: dict[str, Any] = json.loads(line)
        return found

    def ask(self, url: str, **more: Any) -> dict[str, Any]:
        self.send({"id": 7, "url": url, **more})
        answer = self.read()
        assert answer is not None
        assert answer["id"] in (7, -1)
        return answer

    def turn(self, url: str, **more: Any) -> tuple[dict[str, Any], TurnUsage]:
        """Return the answer to a request that is a turn of its own, and the used."""
        self.client.begin_turn()
        answer = self.ask(url, **more)
        return answer, self.client.end_turn()

    def close(self) -> TurnUsage:
        used = self.client.close(5.0)
        for end in (*self.ends, self.reads, self.writes):
            with contextlib.suppress(OSError):
                os.close(end)
        return used


def chat(text: str = "which move", model: str = "model-x", **more: Any) -> str:
    return json.dumps({"model": model, "messages": [{"role": "user", "content": text}], **more})


COMPLETIONS = "https://api.example.org/v1/chat/completions"
API = (
    f"POST {COMPLETIONS}",
    *(
        f"{method} https://api.example.org/v1{rest}"
        for method in ("GET", "POST")
        for rest in ("", "/*")
    ),
)
"""The requests that a bot may make here."""


@contextlib.contextmanager
def opened(provider: Provider, trap: int, **more: Any) -> Iterator[Door]:
    """Yield a door to the provider under its public names, with a key."""
    names = more.pop("names", {"api.example.org": [[PUBLIC]], "second.example.org": [[PUBLIC]]})
    spent = more.pop("spent", {})
    keys = more.pop("held", {"EXAMPLE_KEY": KEY})
    how = {name: more.pop(name) for name in ("bots", "tell") if name in more}
    usual = {
        "allow": (*API, "GET https://second.example.org/v1/*"),
        "keys": {"https://api.example.org": "EXAMPLE_KEY"},
        "prices": PRICED,
        "requests_per_minute": 100_000,
        "outage_wait": 0.0,
        "timeout": 5.0,
    }
    terms = DoorTerms(**{**usual, **more})
    with Door(terms, keys, spent, network=Wired(provider.port, trap, names), **how) as door:
        yield door

#!/usr/bin/env python3
"""The least that a bot must do, for the misbehaving ones to depart from; itself a polite bot."""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

Message = dict[str, Any]
READY = b'{"type":"ready"}\n'


def play(misbehave: Callable[[Message], bytes | None] | None = None, at: int = 1) -> None:
    """Play until the input ends; from the ask number `at` on, let `misbehave` have the word.

    The line it returns is sent; if it returns None, the polite reply is sent after all.
    """
    asks = 0
    for message in messages():
        if message["type"] == "hello":
            send(READY)
        elif message["type"] == "ask":
            asks += 1
            line = misbehave(message) if misbehave and asks >= at else None
            send(reply(message) if line is None else line)


def messages() -> Iterator[Message]:
    """Read message after message."""
    for line in sys.stdin.buffer:
        yield json.loads(line)


def send(line: bytes) -> None:
    """Write all of `line` at once."""
    while line:
        line = line[os.write(1, line) :]


def reply(ask: Message, move: Message | None = None) -> bytes:
    """Return the line that answers `ask`, with a polite move unless told otherwise."""
    answer = {"id": ask["id"], "move": polite_move(ask) if move is None else move}
    return json.dumps(answer).encode() + b"\n"


def polite_move(ask: Message) -> Message:
    """Return the first legal move, or else the one nearest to a pass."""
    if ask.get("legal"):
        return dict(ask["legal"][0])
    if ask["decision"] == "deploy":
        hand = iter(ask["view"]["hand"])
        return {zone: [next(hand) for _ in range(count)] for zone, count in ask["limits"].items()}
    return dict(PASSES[ask["decision"]])


PASSES: dict[str, Message] = {
    "play": {"play": "shift", "move": [0, 0, 0, 0]},
    "talk": {"say": ""},
    "orders": {"action": "attack"},
    "attack": {"attackers": [], "target": None},
}


def argument(position: int, default: float) -> float:
    """Return a number from the command line."""
    return float(sys.argv[position]) if len(sys.argv) > position else default


def hang() -> None:
    """Sleep for as long as any test might take."""
    time.sleep(3600)


def burn(seconds: float) -> None:
    """Spend CPU time."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


if __name__ == "__main__":
    play()

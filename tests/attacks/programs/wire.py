"""Hostile programs on the wire: they get ready, and misbehave when they are asked."""

import json
import os
import sys
import time

from common import LIFETIME, linger


def hear() -> dict[str, object]:
    return dict(json.loads(sys.stdin.buffer.readline()))


def send(data: bytes) -> None:
    while data:
        data = data[os.write(1, data) :]


def begin() -> int:
    """Get ready and wait for the first question; return its number."""
    hear()
    send(b'{"type":"ready"}\n')
    hear()
    number = hear()["id"]
    assert isinstance(number, int)
    return number


def endless_bytes() -> None:
    begin()
    while True:
        send(b"x" * 65536)


def endless_lines() -> None:
    begin()
    while True:
        send(b'{"id":999,"move":{}}\n' * 1000)


def half_line() -> None:
    send(b'{"id":%d,"move":{' % begin())
    linger()


def drip() -> None:
    send(b'{"id":%d,"note":"' % begin())
    for _ in range(int(LIFETIME * 20)):
        send(b"z")
        time.sleep(0.05)


def never_reads() -> None:
    hear()
    send(b'{"type":"ready"}\n')
    linger()


def closes_stdout() -> None:
    begin()
    os.close(1)
    linger()


def long_line() -> None:
    begin()
    send(b'{"id":1,"note":"' + b"x" * (20 << 20) + b'"}\n')
    linger()


def deep_nesting() -> None:
    send(b'{"id":%d,"move":' % begin() + b"[" * 30_000 + b"]" * 30_000 + b"}\n")
    linger()


def errors_flood() -> None:
    begin()
    while True:
        os.write(2, b"x" * 65536)


def spin() -> None:
    begin()
    deadline = time.monotonic() + LIFETIME
    while time.monotonic() < deadline:
        pass


def burns_off_turn() -> None:
    """Answer everything, and use the CPU between the questions."""
    import threading

    def burn() -> None:
        deadline = time.monotonic() + LIFETIME
        while time.monotonic() < deadline:
            pass

    sys.setswitchinterval(0.0001)
    number = begin()
    threading.Thread(target=burn, daemon=True).start()
    while True:
        send(json.dumps({"id": number, "move": {}}).encode() + b"\n")
        line = sys.stdin.buffer.readline()
        if not line:
            return
        number = json.loads(line).get("id", 0)


if __name__ == "__main__":
    globals()[sys.argv[1]]()

"""`arena connect` and a league's side that does what none may do."""

import itertools
import json
import struct
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from websockets.sync.server import ServerConnection

from protocol.remote import FRAME_LIMIT, Beat, BeginCopy, CopyLine, RemoteHello, encode_frame
from tests.arena.home.conftest import Homes
from tests.arena.home.league_side import Served, welcome
from tests.referee.process_watch import until

BEGIN = encode_frame(BeginCopy(n=1, copy=1))
BEGINS = [encode_frame(BeginCopy(n=number, copy=number)) for number in range(1, 10_001)]
BEAT = encode_frame(Beat(at=1.0, trip=None, seen=0))


def sending(*frames: str | bytes) -> Callable[[ServerConnection, RemoteHello], None]:
    """Return a script that sends frames and then only listens."""

    def script(connection: ServerConnection, hello: RemoteHello) -> None:
        for frame in frames:
            connection.send(frame)
        for _ in connection:
            pass

    return script


def raw(data: bytes) -> Callable[[ServerConnection, RemoteHello], None]:
    """Return a script that sends bytes which are no frames, and then only listens."""

    def script(connection: ServerConnection, hello: RemoteHello) -> None:
        connection.send(welcome())
        connection.socket.sendall(data)
        for _ in connection:
            pass

    return script


def letter(number: int, copy: int = 1, line: str = "{}") -> str:
    return encode_frame(CopyLine(n=number, copy=copy, line=line))


def frame_head(size: int, opcode: int = 0x81) -> bytes:
    return struct.pack("!BBQ", opcode, 127, size)


DEEP = '{"type": "welcome", "limits": {"a": ' + "[" * 100_000
ATTACKS = {
    "no welcome": (sending(BEGIN), "began before it had said welcome"),
    "welcome twice": (sending(welcome(), welcome()), "said welcome twice"),
    "no json": (sending(welcome(), "hello \x1b[2J"), "not JSON"),
    "deep": (sending(welcome(), DEEP), "nested deeper"),
    "empty": (sending(welcome(), ""), "not JSON: an empty line"),
    "no frame": (sending(welcome(), '{"type": "exec", "n": 1}'), "Invalid value 'exec'"),
    "no copy": (sending(welcome(), '{"type": "begin", "n": 1, "copy": 0}'), "copy"),
    "an author's": (sending(welcome(), '{"type": "bye", "n": 1}'), "Invalid value 'bye'"),
    "bytes": (sending(welcome(), b"\x00\xff"), "bytes in place of text"),
    "unknown copy": (sending(welcome(), letter(1, copy=7)), "copy 7, which it never began"),
    "begun twice": (
        sending(welcome(), BEGIN, encode_frame(BeginCopy(n=2, copy=1))),
        "began copy 1 twice",
    ),
    "two lines": (sending(welcome(), BEGIN, letter(2, line="{}\n{}")), "two lines as one"),
    "seen too much": (sending(welcome(goes_on=True, seen=9)), "letter 9 was never sent"),
    "10,000 begins": (sending(welcome(), *BEGINS), "more than 4 copies of the bot"),
    "an overlong frame": (raw(frame_head(FRAME_LIMIT + 1)), "no websocket's"),
    "an endless frame": (raw(frame_head(1 << 62)), "no websocket's"),
    "reserved bits": (raw(b"\xf1\x00"), "no websocket's"),
    "a masked frame": (raw(b"\x81\x82\x00\x00\x00\x00{}"), "no websocket's"),
    "pieces without end": (
        raw(b"\x01\x7e\xff\xff" + b"x" * 65535 + (b"\x00\x7e\xff\xff" + b"x" * 65535) * 70),
        "no websocket's",
    ),
    "no UTF-8": (raw(b"\x81\x03\xff\xff\xff"), "not JSON"),
}


@pytest.mark.quick(3)
@pytest.mark.parametrize("attack", ATTACKS)
def test_what_none_may_do_ends_it_in_one_line(homes: Homes, league: Served, attack: str) -> None:
    league.side.script, words = ATTACKS[attack]
    home = homes.start()
    last = home.end(1).splitlines()[-1]
    assert last.startswith(f"arena: {league.url} does not keep to what was agreed: ")
    assert words in last
    assert last.isprintable()
    assert len(last) < 700
    assert home.said.count("\n") < 10


def peak_of(pid: int) -> Callable[[], int]:
    found = [0]

    def watch() -> None:
        while True:
            try:
                text = Path(f"/proc/{pid}/status").read_text()
            except OSError:
                return
            for line in text.splitlines():
                if line.startswith("VmHWM:"):
                    found[0] = max(found[0], int(line.split()[1]) << 10)
            time.sleep(0.02)

    threading.Thread(target=watch, daemon=True).start()
    return lambda: found[0]


FLOODS = {
    "has not taken its letters for too long": [BEGIN, *map(letter, range(2, 5000))],
    "does not read what it is sent": itertools.repeat(BEAT),
}
"""What a league sends that never reads, by why it is left."""


@pytest.mark.slow
@pytest.mark.parametrize("why", FLOODS)
def test_a_league_that_never_reads_is_left_and_holds_little_memory(
    homes: Homes, league: Served, why: str
) -> None:
    flood = "for line in sys.stdin:\n    print('x' * 60_000, flush=True)\n"
    ready = 'print(\'{"type": "ready"}\', flush=True)\nsys.stdin.readline()\n'
    homes.write(f"import sys\n{ready}{flood}")
    stop = threading.Event()

    def script(connection: ServerConnection, hello: RemoteHello) -> None:
        connection.send(welcome())
        league.proxy.hears.clear()
        for frame in FLOODS[why]:
            if stop.is_set():
                return
            connection.send(frame)
        stop.wait()

    league.side.script = script
    home = homes.start()
    most = peak_of(home.process.pid)
    try:
        assert why in home.end(1, 60).splitlines()[-1]
    finally:
        stop.set()
    assert most() < 250 << 20


@pytest.mark.slow
def test_lines_that_a_bot_does_not_read_end_it(homes: Homes, league: Served) -> None:
    homes.write(
        'import sys, time\nprint(\'{"type": "ready"}\', flush=True)\n'
        "sys.stdin.readline()\ntime.sleep(60 if sys.argv[1:] else 0)\nsys.stdin.readline()\n"
        "time.sleep(60)\n"
    )

    def script(connection: ServerConnection, hello: RemoteHello) -> None:
        connection.send(welcome())
        connection.send(BEGIN)
        for number in range(2, 200):
            connection.send(letter(number, line=json.dumps("x" * 100_000)))

    league.side.script = script
    assert "more than that reads" in homes.start().end(1, 30)


@pytest.mark.slow
def test_a_league_that_ends_at_once_is_tried_rarely(homes: Homes, league: Served) -> None:
    times = []

    def script(connection: ServerConnection, hello: RemoteHello) -> None:
        times.append(time.monotonic())
        connection.send(welcome(goes_on=True))

    league.side.script = script
    homes.start()
    until(lambda: len(times) > 7, 30)
    assert times[7] - times[0] > 0.4  # seven pauses, each twice the one before: at least 0.53 s

"""Connections of a remote bot that break at any moment: its copies and matches do not notice."""

import random
import threading
import time
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed, InvalidMessage, InvalidStatus

from protocol.remote import (
    Beat,
    BeginCopy,
    CopyLine,
    Echo,
    EndCopy,
    FromLeague,
    Post,
    Welcome,
    encode_frame,
    read_from_league,
)
from tests.arena.serve.remote_home import (
    CalledBot,
    Contest,
    Proxy,
    dial,
    hello,
    proxied,
    remote_contest,
)

COPIES = 4
LINES = 500
CUTS = 100


class SteadyHome(threading.Thread):
    """An author's machine that connects again whenever it is cut off, until it is told to end."""

    def __init__(self, contest: Contest, port: int) -> None:
        super().__init__()
        self.connections = 0
        self.heard: dict[int, list[int]] = {}
        self.ended: set[int] = set()
        self.is_over = threading.Event()
        self.problem: BaseException | None = None
        self._contest = contest
        self._port = port
        self._first = hello(slots=COPIES)
        self._post = Post()
        self._epoch = ""

    def run(self) -> None:
        try:
            while not self.is_over.is_set():
                try:
                    self._connect()
                except (ConnectionClosed, InvalidMessage, OSError, TimeoutError, EOFError):
                    time.sleep(0.005)
                except InvalidStatus as error:  # as the server has not noticed all cuts yet
                    if error.response.status_code != 429:
                        raise
                    time.sleep(0.05)
        except BaseException as error:  # noqa: BLE001 - it is the test's
            self.problem = error

    def _connect(self) -> None:
        with dial(self._contest.server, self._contest.ada, port=self._port) as socket:
            first = hello(
                session=self._first.session, slots=COPIES, seen=self._post.seen, epoch=self._epoch
            )
            socket.send(encode_frame(first))
            while not self.is_over.is_set():
                try:
                    text = socket.recv(timeout=0.1)
                except TimeoutError:
                    continue
                for frame in self._obey(read_from_league(text)):
                    socket.send(frame)

    def _obey(self, frame: FromLeague) -> list[str]:
        """Return what is to be sent."""
        match frame:
            case Welcome():
                assert frame.goes_on == (self.connections > 0)
                self.connections += 1
                self._epoch = frame.epoch
                self._post.forget(frame.seen)
                return self._post.unseen()
            case Beat():
                self._post.forget(frame.seen)
                return [encode_frame(Echo(at=frame.at, seen=self._post.seen))]
            case BeginCopy() if self._post.take(frame):
                assert frame.copy not in self.heard
                self.heard[frame.copy] = []
            case CopyLine() if self._post.take(frame):
                self.heard[frame.copy].append(int(frame.line))
                letter = CopyLine(n=self._post.number(), copy=frame.copy, line=frame.line)
                return [self._post.hold(letter)]
            case EndCopy() if self._post.take(frame):
                self.ended.add(frame.copy)
            case BeginCopy() | CopyLine() | EndCopy():
                pass
            case _:
                raise AssertionError(frame)
        return []


def play(call: CalledBot, home: SteadyHome, answers: list[int]) -> None:
    """Send numbered lines while connections are cut, some ahead of their answers; collect these."""
    for number in range(1, LINES):
        while home.connections < CUTS * number // LINES and home.is_alive():
            time.sleep(0.001)
        call.say(str(number))
        if number >= 10:
            answers.append(int(call.line()))
    while len(answers) < LINES:
        answers.append(int(call.line()))


def cut(proxy: Proxy, home: SteadyHome) -> None:
    """Cut its connections at random moments, each of them after it began."""
    chance = random.Random(1)
    for number in range(1, CUTS + 1):
        while home.connections < number and home.is_alive():
            time.sleep(0.001)
        time.sleep(chance.uniform(0, 0.05))
        proxy.cut()


@pytest.mark.slow
def test_lines_come_once_and_in_order_over_a_hundred_cuts(tmp_path: Path) -> None:
    with remote_contest(tmp_path / "cup") as contest, proxied(contest.server.port) as proxy:
        home = SteadyHome(contest, proxy.port)
        home.start()
        calls = []
        while len(calls) < COPIES:
            call = CalledBot(contest.folder)
            if call.taken():
                call.say("0")
                assert call.line() == "0"  # from now on it is ready
                calls.append(call)
            else:
                call.close()
        answers = [[0] for _ in calls]
        players = [
            threading.Thread(target=play, args=(call, home, each))
            for call, each in zip(calls, answers, strict=True)
        ]
        cutting = threading.Thread(target=cut, args=(proxy, home))
        for thread in (*players, cutting):
            thread.start()
        for thread in (*players, cutting):
            thread.join(120)
        for call in calls:
            call.close()
        while home.is_alive() and len(home.ended) < COPIES:
            time.sleep(0.01)
        home.is_over.set()
        home.join()
        assert home.problem is None
        assert answers == [[*range(LINES)]] * COPIES
        assert sorted(home.heard.values()) == [[*range(LINES)]] * COPIES
        assert home.ended == {1, 2, 3, 4}
        assert home.connections > CUTS
        assert contest.said("Traceback") == []

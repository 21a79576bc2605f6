"""A remote bot as a slow match has it, over a real socket to one that plays the server's part."""

import json
import select
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import pytest

from arena.play.calls import called, listening
from arena.play.messages import StalledError
from arena.play.slow.remote_bot import RemoteBot
from protocol.lines import BOT_LINE_BYTES
from protocol.messages import End, Start, TimeControl
from protocol.remote import FRAME_LIMIT, Call
from referee.limits import Limits
from referee.match.seat import ProcessSeat
from referee.process.polling import ALONE
from referee.rules.game import Decision
from referee.turn.answer import Answer, BotError, Fault

CALL = Call(bot="sage", digest="ab" * 32, match="m-0")
DECISION = Decision("pick", legal=[{"take": 1}, {"take": 2}])
LIMITS = Limits(pace="slow", move_time=0.3, startup=5.0)

Server = Callable[["Line"], None]


class Line:
    """The server's end of one call."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self._file: IO[bytes] = connection.makefile("rb")

    def hear(self) -> dict[str, Any]:
        """Return the next message of the match."""
        found: dict[str, Any] = json.loads(self._file.readline())
        return found

    def say(self, kind: str, **more: object) -> None:
        """Say something to the match."""
        self.raw(json.dumps({"type": kind, **more}).encode() + b"\n")

    def raw(self, data: bytes) -> None:
        """Send bytes as they are."""
        self.connection.sendall(data)

    def bot_says(self, message: object, **more: object) -> None:
        """Send a line of the bot's."""
        text = message if isinstance(message, str) else json.dumps(message)
        self.say("line", line=text, **more)

    def until_closed(self) -> None:
        """Wait until the match wants no more, which ends the copy."""
        assert self._file.read() == b""

    def close(self) -> None:
        """Close this end."""
        self._file.close()
        self.connection.close()

    def open(self) -> None:
        """Take the call, and answer the greeting."""
        assert self.hear() == {"type": "call", "bot": "sage", "digest": "ab" * 32, "match": "m-0"}
        self.say("taken")
        assert json.loads(self.hear()["line"])["type"] == "hello"
        self.bot_says({"type": "ready"})
        assert json.loads(self.hear()["line"])["type"] == "start"

    def asked(self) -> int:
        """Return the id of the next ask."""
        message = json.loads(self.hear()["line"])
        assert message["type"] == "ask"
        number: int = message["id"]
        return number


@contextmanager
def served(home: Path, server: Server) -> Iterator[None]:
    """Let a function take the one call that comes."""
    errors: list[BaseException] = []

    def take() -> None:
        connection, _ = listener.accept()
        line = Line(connection)
        try:
            server(line)
        except BaseException as error:  # noqa: BLE001 - raised again below
            errors.append(error)
        finally:
            line.close()

    with listening(home) as listener:
        thread = threading.Thread(target=take, daemon=True)
        thread.start()
        yield
        thread.join(10)
        assert not thread.is_alive()
    for error in errors:
        raise error


def opened(home: Path, limits: Limits = LIMITS) -> RemoteBot:
    """Return a copy that said ready."""
    return RemoteBot.ready(home, CALL, limits, "sage", ALONE)


def seated(bot: RemoteBot, *, bank: float = 0.0) -> ProcessSeat:
    """Return a seat whose match has begun."""
    seat = ProcessSeat(bot)
    clock = TimeControl(judge="wall", move_time=0.3, bank=bank, increment=0.0)
    start = Start(
        match="m-0", game="nim", seat=0, seats=2, options={}, table={}, clock=clock, seed=1
    )
    assert seat.start(start) is None
    return seat


def ask(seat: ProcessSeat) -> Answer:
    """Ask for the one decision."""
    return seat.ask(DECISION, {"n": 1})


def test_a_match_is_played_over_the_socket(tmp_path: Path) -> None:
    def server(line: Line) -> None:
        line.open()
        for number, trip in ((1, 0.02), (2, 0.03), (3, 0.5)):
            assert line.asked() == number
            line.bot_says({"id": number, "move": {"take": number}, "note": "so"}, trip=trip)
        assert json.loads(line.hear()["line"])["places"] == [1, 2]
        line.until_closed()

    with served(tmp_path, server):
        bot = opened(tmp_path)
        seat = seated(bot)
        answers = [ask(seat) for _ in range(3)]
        seat.end(End([1, 2], "all taken"))
        bot.stop()
    assert [answer.move for answer in answers] == [{"take": 1}, {"take": 2}, {"take": 3}]
    assert {answer.note for answer in answers} == {"so"}
    assert all(0 < answer.turn.wall < 0.3 and not answer.turn.cpu for answer in answers)
    assert seat.measured().trip == 0.03
    assert not bot.family


def test_what_comes_too_late_is_late_and_is_dropped_later(tmp_path: Path) -> None:
    def server(line: Line) -> None:
        line.open()
        first = line.asked()
        second = line.asked()
        line.bot_says({"id": first, "move": {"take": 1}})
        line.bot_says({"id": second, "move": {"take": 2}})
        line.until_closed()

    with served(tmp_path, server):
        bot = opened(tmp_path)
        seat = seated(bot)
        late, answer = ask(seat), ask(seat)
        assert late.fault is not None
        assert late.fault.kind == "late"
        assert "the way to its author's machine included" in late.fault.reason
        assert 0.3 <= late.turn.wall < 2.0
        assert (answer.move, answer.fault) == ({"take": 2}, None)
        bot.stop()


def test_time_beyond_the_move_is_drawn_from_the_bank(tmp_path: Path) -> None:
    def server(line: Line) -> None:
        line.open()
        for number in (1, 2):
            assert line.asked() == number
            time.sleep(0.5)
            with suppress(BrokenPipeError):  # once it was given up
                line.bot_says({"id": number, "move": {"take": 1}})

    with served(tmp_path, server):
        bot = opened(tmp_path)
        seat = seated(bot, bank=0.3)
        answers = [ask(seat), ask(seat)]
        bot.stop()
    assert answers[0].fault is None
    assert answers[1].fault is not None
    assert answers[1].fault.kind == "late"


def faulty(home: Path, server: Server) -> tuple[Fault, ProcessSeat]:
    """Return the fault of the first ask, and the seat."""

    def after_opening(line: Line) -> None:
        line.open()
        line.asked()
        server(line)

    with served(home, after_opening):
        bot = opened(home)
        seat = seated(bot)
        answer = ask(seat)
        bot.stop()
    assert answer.fault is not None
    return answer.fault, seat


@pytest.mark.parametrize(
    ("server", "kind", "reason"),
    [
        (
            lambda line: line.say("ended", how="exited with code 3", stderr="no such move"),
            "crash",
            "it exited with code 3",
        ),
        (lambda line: line.bot_says("oh no"), "malformed", "not JSON"),
        (lambda line: line.bot_says({"id": 7, "move": {}}), "malformed", "it answers ask 7"),
        (lambda line: line.bot_says("x" * (BOT_LINE_BYTES + 1)), "flood", "a line of more than"),
        (lambda line: line.bot_says("é" * BOT_LINE_BYTES), "flood", "a line of more than"),
    ],
)
def test_what_is_no_answer_is_a_fault(
    tmp_path: Path, server: Server, kind: str, reason: str
) -> None:
    fault, seat = faulty(tmp_path, server)
    assert fault.kind == kind
    assert reason in fault.reason
    if kind == "crash" and "code 3" in reason:
        assert seat.measured().stderr == "no such move"


@pytest.mark.parametrize(
    "server",
    [
        Line.close,
        lambda line: line.raw(b"rubbish\n"),
        lambda line: line.raw(b"x" * (FRAME_LIMIT + 1)),
        lambda line: line.say("taken"),
    ],
)
@pytest.mark.parametrize("when", ["greeted", "asked"])
def test_nobody_is_blamed_for_a_server_that_is_gone(
    tmp_path: Path, server: Server, when: str
) -> None:
    def after_opening(line: Line) -> None:
        if when == "greeted":
            line.hear()
            line.say("taken")
            line.hear()
        else:
            line.open()
            line.asked()
        with suppress(BrokenPipeError, ConnectionResetError):
            server(line)

    def play() -> None:
        bot = opened(tmp_path)
        try:
            ask(seated(bot))
        finally:
            bot.stop()

    with served(tmp_path, after_opening), pytest.raises(StalledError):
        play()


def test_nobody_is_blamed_for_a_server_that_hangs_up_before_it_has_read_all(tmp_path: Path) -> None:
    def server(line: Line) -> None:
        line.hear()
        line.say("taken")
        poll = select.poll()
        poll.register(line.connection, select.POLLIN)
        assert poll.poll(5000), "no greeting came"
        # it is left unread, so that the other end is told of a reset

    with served(tmp_path, server), pytest.raises(StalledError, match="closed the connection"):
        opened(tmp_path)


def test_a_server_that_ends_after_a_match_spoils_nothing(tmp_path: Path) -> None:
    with served(tmp_path, lambda line: line.open()):
        bot = opened(tmp_path)
        seat = seated(bot)
    seat.end(End([1, 2], "all taken"))
    bot.stop()


def test_nobody_is_blamed_for_a_bot_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(StalledError, match="nobody takes calls"):
        RemoteBot(tmp_path, CALL, 1, ALONE)

    def absent(line: Line) -> None:
        line.hear()
        line.say("absent")

    def silent(line: Line) -> None:
        line.hear()

    for server, why in ((absent, "not connected"), (silent, "has closed the connection")):
        with served(tmp_path, server), pytest.raises(StalledError, match=why):
            RemoteBot(tmp_path, CALL, 1, ALONE)


def test_a_copy_that_does_not_get_ready_is_ended(tmp_path: Path) -> None:
    def server(line: Line) -> None:
        line.hear()
        line.say("taken")
        line.hear()
        line.say("ended", how="was killed by SIGKILL", stderr="out of memory")

    with (
        served(tmp_path, server),
        pytest.raises(BotError, match="it did not say ready: it was killed by SIGKILL") as found,
    ):
        opened(tmp_path)
    assert found.value.stderr == "out of memory"


def test_a_start_is_waited_for_until_a_silent_machine_would_be_noticed(tmp_path: Path) -> None:
    def server(line: Line) -> None:
        line.hear()
        line.say("taken")
        line.hear()
        time.sleep(0.6)
        line.bot_says({"type": "ready"})
        line.until_closed()

    with served(tmp_path, server):
        bot = opened(tmp_path, Limits(pace="slow", startup=0.2))
        assert bot.is_ready
        bot.stop()


def test_the_socket_is_for_its_owner_and_is_put_anew(tmp_path: Path) -> None:
    home = tmp_path / ("long" * 40) / ("path" * 20)  # longer than a socket's path may be
    home.mkdir(parents=True)
    with listening(home):
        pass
    with listening(home) as listener, called(home) as calling:
        assert (home / "remote.sock").stat().st_mode & 0o777 == 0o600
        taken, _ = listener.accept()
        calling.sendall(b"x")
        assert taken.recv(1) == b"x"
        taken.close()

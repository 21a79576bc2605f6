"""The pipes of a bot's process, with the test at the bot's ends."""

import os
from collections.abc import Iterator
from time import monotonic

import pytest

from protocol.errors import ProtocolError
from protocol.lines import BOT_LINE_BYTES
from referee.process.pipes import Pipes
from referee.sandbox import Child


class Bot:
    """The bot's ends of the three pipes."""

    def __init__(self) -> None:
        self.stdin, stdin = os.pipe()
        stdout, self.stdout = os.pipe()
        stderr, self.stderr = os.pipe()
        self._left = {self.stdin, self.stdout, self.stderr, stdin, stdout, stderr}
        for end in (self.stdin, stdin, stdout, stderr):
            os.set_blocking(end, False)
        self.pipes = Pipes(Child(os.getpid(), -1, stdin, stdout, stderr), BOT_LINE_BYTES)

    def say(self, data: bytes) -> None:
        """Write to the standard output."""
        os.write(self.stdout, data)

    def close(self, *ends: int) -> None:
        """Close ends, or all that are left."""
        for end in ends or list(self._left):
            os.close(end)
            self._left.remove(end)


@pytest.fixture
def bot() -> Iterator[Bot]:
    """A bot that says what the test does."""
    bot = Bot()
    yield bot
    bot.close()


def takes_its_time(pipes: Pipes) -> bool:
    """Return whether a wait for nothing lasts as long as it may."""
    began = monotonic()
    return pipes.wait(0.05) is None and monotonic() - began >= 0.05


def test_lines_come_one_by_one_whatever_the_pieces(bot: Bot) -> None:
    assert bot.pipes.look() is None
    bot.say(b"one\ntwo\nth")
    assert [bot.pipes.look(), bot.pipes.wait(5.0)] == [b"one", b"two"]
    assert bot.pipes.wait(0.0) is None
    assert bot.pipes.unread() == b"th"
    bot.say(b"ree\n")
    assert bot.pipes.look() == b"three"
    assert bot.pipes.look() is None
    bot.say(b"fo")
    assert bot.pipes.wait(5.0) is None
    bot.say(b"ur\n")
    assert bot.pipes.wait(5.0) == b"four"
    assert bot.pipes.unread() == b""


def test_a_line_too_long_is_an_error_as_often_as_it_is_asked_for(bot: Bot) -> None:
    bot.say(b"x" * BOT_LINE_BYTES)
    assert bot.pipes.wait(5.0) is None
    bot.say(b"x")
    for find in (bot.pipes.look, lambda: bot.pipes.wait(5.0), bot.pipes.look):
        with pytest.raises(ProtocolError):
            find()


def test_what_the_pipe_does_not_hold_is_sent_when_the_bot_reads(bot: Bot) -> None:
    sent = [b"a" * 100_000 + b"\n", b"b\n"]
    for line in sent:
        bot.pipes.send(line)
    assert not bot.pipes.has_read_all()
    assert bot.pipes.wait(0.0) is None
    read = b""
    while len(read) < sum(map(len, sent)):
        read += os.read(bot.stdin, 10_000)
        assert bot.pipes.wait(0.0) is None
    assert read == b"".join(sent)
    assert takes_its_time(bot.pipes)
    assert bot.pipes.has_read_all()


def test_a_bot_that_does_not_read_is_heard_and_ends_that_it_closes_are_named(
    bot: Bot,
) -> None:
    bot.pipes.send(b"a" * 100_000 + b"\n")
    bot.say(b"one\n")
    assert bot.pipes.wait(5.0) == b"one"
    bot.close(bot.stdin)
    for find in (lambda: bot.pipes.wait(5.0), lambda: bot.pipes.send(b"hello\n")):
        with pytest.raises(BrokenPipeError, match="it closed its standard input"):
            find()
    bot.close(bot.stdout)
    for find in (bot.pipes.look, lambda: bot.pipes.wait(5.0)):
        with pytest.raises(BrokenPipeError, match="it closed its standard output"):
            find()


def test_the_standard_error_is_read_with_the_lines_or_drained_and_may_end(bot: Bot) -> None:
    os.write(bot.stderr, b"x" * 40_000)
    bot.pipes.drain()
    bot.pipes.drain()
    assert bot.pipes.stderr.text() == "x" * 40_000
    os.write(bot.stderr, b"oh")
    assert bot.pipes.wait(5.0) is None
    bot.close(bot.stderr)
    assert bot.pipes.wait(5.0) is None
    assert takes_its_time(bot.pipes)
    bot.say(b"one\n")
    assert bot.pipes.wait(5.0) == b"one"
    assert bot.pipes.stderr.text() == "x" * 40_000 + "oh"


def test_after_the_end_of_its_input_a_bot_reads_nothing_more(bot: Bot) -> None:
    bot.pipes.send(b"one\n")
    bot.pipes.close_input()
    bot.pipes.send(b"two\n")
    assert os.read(bot.stdin, 100) == b"one\n"
    assert os.read(bot.stdin, 100) == b""

"""A copy of a remote bot in a match, as the match sees it: its call."""

import asyncio

import msgspec

from protocol.remote import CallEnded, CallLine, ToMatch

_MOST_HELD = 1 << 18  # bytes that a match has not read


class RemoteCopy:
    """One copy: what comes from its author's machine is written to its match.

    Args:
        number: stands for it in its session.
        writer: to the match.

    """

    def __init__(self, number: int, writer: asyncio.StreamWriter) -> None:
        self.number = number
        self.has_answered = False
        """Whether it has said anything, as that it is ready."""
        self._writer = writer

    def take(self, line: str, trip: float | None) -> bool:
        """Pass a line on; return whether the match keeps up with what is written."""
        self.has_answered = True
        say_to_match(self._writer, CallLine(line=line, trip=trip))
        return self._writer.transport.get_write_buffer_size() <= _MOST_HELD

    def gone(self, how: str, stderr: str = "") -> None:
        """Say that the copy is there no more, and why, as what follows «it».

        Without a reason it hangs up: the match takes that for no doing of the bot.
        """
        if how:
            say_to_match(self._writer, CallEnded(how=how, stderr=stderr))
        self._writer.close()


def say_to_match(writer: asyncio.StreamWriter, words: ToMatch) -> None:
    """Write a message to a match, if it is still there."""
    if not writer.is_closing():
        writer.write(msgspec.json.encode(words) + b"\n")

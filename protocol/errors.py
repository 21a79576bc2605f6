"""The one root of all errors that a person can mend, and the error of a bad line."""

from collections.abc import Sequence


class ArenaError(Exception):
    """Something a person can put right; shown as one line, without a traceback.

    The message says what was wrong, where, and what to do. `exit_code` is the command's:
    2 for wrong input, 1 for a run that failed.
    """

    exit_code = 2
    said: Sequence[str] = ()
    """Lines that a program has said of it, shown below the message."""


class RunError(ArenaError):
    """A run that could not be finished, through no fault of its input."""

    exit_code = 1


class ProtocolError(Exception):
    """A line that is not a message of the protocol; the text says why, for the bot's author."""

"""The one root of all errors that a person can mend, and the error of a bad line."""

import shlex
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Literal


def installing(extra: str) -> str:
    """Return the command that adds an extra's packages to the Python that runs now."""
    return f"`{shlex.quote(sys.executable)} -m pip install 'bot-arena[{extra}]'`"


class ArenaError(Exception):
    """Something a person can put right; shown as one line, without a traceback.

    The message says what was wrong, where, and what to do. `exit_code` is the command's:
    2 for wrong input, 1 for a run that failed.
    """

    exit_code = 2
    said: Sequence[str] = ()
    """Lines that a program has said of it, shown below the message."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Come out of another process as it is: whoever adds words to a message has added them."""
        return _made_again, (type(self), self.args, self.__dict__)


def _made_again(kind: type[ArenaError], args: tuple[Any, ...], own: dict[str, Any]) -> ArenaError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(own)
    return error


class RunError(ArenaError):
    """A run that could not be finished, through no fault of its input."""

    exit_code = 1


class Refusal(ArenaError):  # noqa: N818 - it is what is answered
    """What is asked for and refused: why, what to do, and whether the same again can help.

    Args:
        status: the status of HTTP that says the same; 0 where none was answered by an arena.
        what: what is wrong, in a sentence.
        remedy: what to do, in sentences; may be empty.
        step: of what was handed in, the step at which it is refused.
        can_retry: whether the same again can help.
        after: after how many seconds it can; 0 if that is not known.
        again_at: from when on it can, where that is set down.

    """

    def __init__(
        self,
        status: int,
        what: str,
        remedy: str = "",
        *,
        step: str = "",
        can_retry: bool = False,
        after: float = 0.0,
        again_at: datetime | None = None,
    ) -> None:
        super().__init__(f"{what} {remedy}".strip())
        self.status = status
        self.what = what
        self.remedy = remedy
        self.step = step
        self.can_retry = can_retry or after > 0
        self.again_at = again_at
        if again_at is not None:
            after = max(0.0, (again_at - datetime.now(UTC)).total_seconds())
        self.after = after
        self.exit_code = 2 if status < 500 else 1


class ProtocolError(Exception):
    """A line that is not a message of the protocol; the text says why, for the bot's author."""

    def __init__(self, why: str, kind: Literal["malformed", "flood"] = "malformed") -> None:
        super().__init__(why)
        self.kind = kind
        """A flood is a line longer than is allowed: whoever sends it does not mean to answer."""

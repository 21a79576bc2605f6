"""What is wrong with a bot's packages."""

from collections.abc import Iterator
from contextlib import contextmanager

from arena.text import safe
from protocol.errors import ArenaError


class PackagesError(ArenaError):
    """An environment that cannot be made; the text says why and what to do."""

    def __init__(self, what: str, output: str = "", *, remedy: str = "") -> None:
        super().__init__(f"{what} {remedy}" if remedy else what)
        self.what = what
        """The text without the remedy."""
        self.remedy = remedy
        """What helps those who have the bot's folder, or the league; it may be empty."""
        self.output = output
        """What was printed by what failed."""


@contextmanager
def explained() -> Iterator[None]:
    """Turn what the file system refuses into a PackagesError."""
    try:
        yield
    except OSError as error:
        where = f"{safe(str(error.filename))}: " if error.filename else ""
        raise PackagesError(f"{where}{error.strerror}.") from None

"""The error of what was handed in and is refused."""

from protocol.errors import ArenaError


class RefusedError(ArenaError):
    """What was handed in is refused: why, what to do, and whether the same again can help."""

    def __init__(self, what: str, remedy: str, *, can_retry: bool = False) -> None:
        super().__init__(f"{what} {remedy}")
        self.what = what
        self.remedy = remedy
        self.can_retry = can_retry
        """Whether to hand in the same again can help."""

"""What is wrong with a bot's packages."""

from protocol.errors import ArenaError


class PackagesError(ArenaError):
    """An environment that cannot be made; the text says why and what to do."""

    def __init__(self, message: str, output: str = "") -> None:
        super().__init__(message)
        self.output = output
        """What was printed by what failed."""

"""What can stand in the way of a sandbox."""

from protocol.errors import ArenaError

_WITHOUT = "To run bots without any protection, say --sandbox none."


class SandboxError(ArenaError):
    """A sandbox that cannot be had here, or not for this bot; the text says why and what to do."""

    def __init__(self, message: str) -> None:
        super().__init__(f"sandbox: {message} {_WITHOUT}")
        self.what = message
        """The message alone."""


class StartError(Exception):
    """A program that could not be executed; the text says why."""

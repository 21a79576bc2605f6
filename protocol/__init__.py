"""What crosses the pipe between the referee and a bot: messages, lines, schema, errors."""

from protocol.errors import ArenaError, ProtocolError, RunError
from protocol.messages import Ask, End, Hello, Ready, Reply, Start

__all__ = [
    "ArenaError",
    "Ask",
    "End",
    "Hello",
    "ProtocolError",
    "Ready",
    "Reply",
    "RunError",
    "Start",
]

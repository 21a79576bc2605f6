"""The door: the few requests that bots may make, with a key that they never hold.

A bot has no network. With a door it has two pipes to this process, which makes the requests that it
asks for, if the league allows them: see docs/slow-bots.md. It needs the extra `door`:
`pip install 'bot-arena[door]'`; the terms can be read without it.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from referee.door.terms import DoorTerms, TokenPrice, keys_of

if TYPE_CHECKING:
    from referee.door.client import DoorClient
    from referee.door.door import Door
    from referee.door.requests import Exchanges, MadeRequest, Remembered, SeenAnswer
    from referee.door.session import ClientTerms
    from referee.door.turn_usage import NOTHING, TurnUsage
    from referee.door.usage import Usage

__all__ = [
    "NOTHING",
    "ClientTerms",
    "Door",
    "DoorClient",
    "DoorTerms",
    "Exchanges",
    "MadeRequest",
    "Remembered",
    "SeenAnswer",
    "TokenPrice",
    "TurnUsage",
    "Usage",
    "keys_of",
]

_LATER = {
    "Door": "door",
    **dict.fromkeys(("Exchanges", "MadeRequest", "Remembered", "SeenAnswer"), "requests"),
    "Usage": "usage",
    **dict.fromkeys(("NOTHING", "TurnUsage"), "turn_usage"),
    "ClientTerms": "session",
    "DoorClient": "client",
}
"""Names that only an open door needs, by module: commands that read a league load none."""


def __getattr__(name: str) -> object:
    """Return a public name whose module is loaded at first use."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
    return found

"""The door: requests that bots may make, of few names, with a key that they never hold.

A bot has no network. With a door it has two pipes to this process, which makes the requests that it
asks for, if the league allows the name: see docs/door.md. It needs the extra `door`:
`pip install 'bot-arena[door]'`; the terms can be read without it.
"""

from referee.door.door import Door
from referee.door.exchanges import Exchanges, MadeRequest, Remembered, SeenAnswer
from referee.door.terms import DoorTerms, TokenPrice, keys_of
from referee.door.usage import Usage
from referee.door.visit import NOTHING, Visit
from referee.door.visitor import Visitor

__all__ = [
    "NOTHING",
    "Door",
    "DoorTerms",
    "Exchanges",
    "MadeRequest",
    "Remembered",
    "SeenAnswer",
    "TokenPrice",
    "Usage",
    "Visit",
    "Visitor",
    "keys_of",
]

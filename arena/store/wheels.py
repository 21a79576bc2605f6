"""With which wheels a bot played a match, where its lock leaves a choice: said with the sandbox."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_NOTED = re.compile(r"\bwith wheels ([0-9a-f]{8}) of ([0-9a-f]{8})\b")


class Wheels(NamedTuple):
    """The wheels of a bot."""

    digest: str
    """What is another text for other wheels."""
    version: str
    """How the version of the bot begins."""


def with_wheels(sandbox: str, digest: str, version: str) -> str:
    """Return how a sandbox is stored around a bot of a version; `digest` is of its wheels."""
    return f"{sandbox} with wheels {digest[:8]} of {version[:8]}"


def wheels_in(sandbox: str) -> Iterator[Wheels]:
    """Yield the wheels of the bots of a match, given the sandbox as it is stored."""
    yield from (Wheels(*found) for found in _NOTED.findall(sandbox))

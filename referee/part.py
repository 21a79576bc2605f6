"""Parts of views that stay as they are for a while, so that a wire needs their JSON only once."""

from collections.abc import Callable
from typing import Any

import msgspec


class Part:
    """A part of views that can be shown in two ways, which are equal on the wire.

    `make` returns it as plain JSON. What it returns must never become another: a part that
    changes is shown by another `Part` from then on.
    """

    __slots__ = ("_json", "_make")

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self._json: msgspec.Raw | None = None

    def plain(self) -> Any:
        """Show it to a reader in this process, who may change it."""
        return self._make()

    def sent(self) -> msgspec.Raw:
        """Show it to an encoder, which copies its JSON."""
        if self._json is None:
            self._json = msgspec.Raw(msgspec.json.encode(self._make()))
        return self._json


Show = Callable[[Part], Any]
"""How a view shows its parts: `Part.plain` or `Part.sent`."""

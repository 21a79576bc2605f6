"""What `[hand_in]` of a league's file says: who may hand in bots over a server, and when."""

from datetime import datetime
from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta

Moment: TypeAlias = Annotated[datetime, Meta(tz=True)]
"""A date and time with a time zone."""


class HandIn(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How bots are handed in to a league that is served; without any dates it is always open."""

    opens: Moment | None = None
    """From when bots are taken."""
    freezes: Moment | None = None
    """From when authors no longer see new results, so that the end is a surprise."""
    closes: Moment | None = None
    """From when no bots are taken any more."""
    release: Moment | None = None
    """When what was held back since `freezes` is shown to all."""
    per_hour: Annotated[int, Meta(ge=1)] = 10
    """How many submissions an author has in any 60 minutes ..."""
    per_day: Annotated[int, Meta(ge=1)] = 50
    """... and in any 24 hours."""
    size_mb: Annotated[int, Meta(ge=1, le=1024)] = 32
    """The most that may be handed in at once, in MiB."""
    bots: Annotated[int, Meta(ge=1)] = 1
    """How many bots each author may have in the league."""
    readers: bool = True
    """Whether anybody may look at the table, without a token."""
    replays: bool = False
    """Whether anybody who sees the table may look at all matches; authors always see their own."""
    check_seconds: Annotated[float, Meta(ge=0.1, le=3600)] = 3.0
    """After how long a check begins no more matches, in seconds."""
    hook: list[str] = []
    """A command, or one URL, that is told when a bot is accepted, refused, suspended, overtaken."""
    final_deals: Annotated[int, Meta(ge=1)] | None = None
    """Deals of a final after the closing; its seed is drawn at the opening and kept sealed."""

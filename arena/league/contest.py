"""What `[hand_in]` of a league's file says: who may hand in bots over a server, and when."""

from datetime import datetime
from typing import Annotated, TypeAlias
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta

from protocol.errors import ArenaError
from referee.limits import Grant
from referee.rules.options import SettingError, read_settings

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
    keep_mb: Annotated[int, Meta(ge=1, le=1 << 30)] = 2048
    """The most that builds and environments of an author's bots may take, in MiB ..."""
    keep_all_mb: Annotated[int, Meta(ge=1, le=1 << 30)] = 10_240
    """... and those of all authors."""
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
    grants: dict[str, bool | int | float | str | list[str]] = {}
    """The most that a bot which is handed in is granted of what its bot.toml needs."""
    absence: Annotated[float, Meta(ge=0, le=1e7)] = 3600.0
    """Seconds for which bots that are suspended or not connected are waited for after the closing,
    once all else is played; what they have not played then, they have lost."""
    final_deals: Annotated[int, Meta(ge=1)] | None = None
    """Deals of a final after the closing; its seed is drawn at the opening and kept sealed."""

    @property
    def most(self) -> Grant:
        """The grants, of which each was checked."""
        return msgspec.convert(self.grants, Grant)


def check_contest(hand_in: HandIn) -> None:
    """Raise ArenaError for grants that cannot be, a hook that cannot be told, or no final ever."""
    most: Grant = read_settings(Grant, hand_in.grants, "key {} of grants")
    if most.unaskable:
        raise SettingError(
            "grants", f"no bot that is handed in may have {most.unaskable}; take it out of grants."
        )
    hook = hand_in.hook
    if hook and not all(hook):
        raise ArenaError('a word of the hook is empty; hook = ["./tell"] is a command.')
    if is_url(hook):
        try:
            found = urlsplit(hook[0])
            is_good = bool(found.hostname) and found.port != 0
        except ValueError:
            is_good = False
        if not is_good or len(hook) > 1 or found.scheme not in ("http", "https"):
            raise ArenaError(
                "the hook is no address of a server; a hook is a command, or one address that "
                "begins with https:// or http://."
            )
    for before, after in (("opens", "closes"), ("freezes", "release")):
        first, then = getattr(hand_in, before), getattr(hand_in, after)
        if first is not None and then is not None and first >= then:
            raise SettingError(after, f"{after} must be later than {before}.")
    if hand_in.final_deals is not None and hand_in.closes is None:
        raise SettingError(
            "final_deals", "the final is played after the closing: say when that is, with closes."
        )


def is_url(hook: list[str]) -> bool:
    """Return whether a hook is an address of a server, and not a command."""
    return bool(hook) and "://" in hook[0]

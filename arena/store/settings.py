"""Whether a league still asks for what its matches were played with."""

from collections.abc import Mapping
from typing import Any

from arena.league.file import FILE
from arena.league.plan import LeaguePlan
from arena.store.store import Store
from protocol.errors import ArenaError


def check_unchanged(league: LeaguePlan, store: Store) -> None:
    """Raise ArenaError if anything differs from what the stored matches were played with."""
    change = difference(store.settings(), league.fixed())
    if change:
        raise ArenaError(
            f"{league.folder / FILE}: {change}, when the first match was played. Put it back, or "
            f"make a new league: only bots, deals and share may change."
        )


def difference(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Return in words what differs first between settings, among those of both; or nothing."""
    for key, value in now.items():
        if key not in before or before[key] == value:
            continue
        old = before[key]
        if key == "derivation":
            return (
                f"derivation was {old}, not {value}: an older Bot Arena, which did not stretch "
                f"seeds, made one of the leagues, so their cards differ"
            )
        if isinstance(old, dict) and isinstance(value, dict):
            for name in sorted({*old, *value}):
                if old.get(name) != value.get(name):
                    return f"{name} in [{key}] was {old.get(name)!r}, not {value.get(name)!r}"
        return f"{key} was {old!r}, not {value!r}"
    return ""

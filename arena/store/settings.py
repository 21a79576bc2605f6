"""Whether a league still asks for what its matches were played with."""

from collections.abc import Mapping
from typing import Any

import msgspec

from arena.league.file import FILE
from arena.league.plan import LeaguePlan
from arena.store.store import Store
from protocol.errors import ArenaError
from referee.games import GAMES


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
                f"derivation was {old}, not {value}: one of them was begun when seeds were not "
                f"stretched yet, so their cards differ"
            )
        if isinstance(old, dict) and isinstance(value, dict):
            usual = _usual_options(now["game"]) if key == "options" else {}
            was, wanted = {**usual, **old}, {**usual, **value}
            for name in sorted({*was, *wanted}):
                if was.get(name) != wanted.get(name):
                    return f"{name} in [{key}] was {was.get(name)!r}, not {wanted.get(name)!r}"
        return f"{key} was {old!r}, not {value!r}"
    return ""


def _usual_options(game: str) -> dict[str, Any]:
    """Return the defaults of a game, of which not all are stored; none of a game not known here."""
    return msgspec.to_builtins(GAMES[game].options_type()) if game in GAMES else {}

"""Fields of made-up matches, of which tables are made."""

from collections.abc import Sequence
from typing import Any

from arena.stats.outcomes import Result
from arena.tables.field import Field
from tests.arena.stats.deals import deals_of


def field(matches: Sequence[tuple[str, Result]], bots: str = "", **more: Any) -> Field:
    """Return the field of matches, each given with its deal, and of bots that met nobody."""
    names = {*bots.split(), *(bot for _, result in matches for bot in result.bots)}
    return Field(
        **{"name": "cup", "bots": tuple(sorted(names)), "deals": deals_of(matches), **more}
    )

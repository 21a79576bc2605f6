"""Forfeits in a row, by which a bot is known that cannot play as things stand."""

from collections import Counter
from collections.abc import Hashable, Iterable

from referee.turn.answer import Kind

FORFEITS_IN_A_ROW = 10
"""After so many in a row a bot is named, and suspended if it was too slow; `compare` then ends.

Crashing bots are not suspended: they waste no time, and all their matches are played, whenever a
run is interrupted. Rows begin with the run.
"""
FORFEITING = f"forfeited {FORFEITS_IN_A_ROW} matches in a row"
"""What is said of a bot with such a row."""
TOO_SLOW = f"{FORFEITING} for want of time"
"""Why a bot is suspended for that, as it is stored; `is_too_slow` knows it."""
_SLOW: frozenset[Kind] = frozenset({"late", "startup"})


class ForfeitRows:
    """Counts the matches that each bot has forfeited in a row.

    A match that ended because all others forfeited proves nothing of the one that was left: it is
    passed over, lest two bots that always crash end each other's rows.
    """

    def __init__(self) -> None:
        self._rows: Counter[Hashable] = Counter()
        self._slow_rows: Counter[Hashable] = Counter()

    def __bool__(self) -> bool:
        """Whether there is any row."""
        return bool(self._rows)

    def note(self, bot: Hashable, faults: Iterable[str], *, forfeited: bool, was_left: bool) -> str:
        """Count one match of a bot; return TOO_SLOW, FORFEITING or, while its row is short, "".

        `faults` are those of the bot in the match. `was_left` says that it did not forfeit, and
        that the others' forfeits ended the match.
        """
        is_slow = forfeited and not _SLOW.isdisjoint(faults)
        for rows, is_one in (self._rows, forfeited), (self._slow_rows, is_slow):
            if is_one:
                rows[bot] += 1
            elif not was_left:
                rows.pop(bot, None)
        if self._slow_rows[bot] >= FORFEITS_IN_A_ROW:
            return TOO_SLOW
        return FORFEITING if self._rows[bot] >= FORFEITS_IN_A_ROW else ""

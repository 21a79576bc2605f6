"""Forfeits in a row, by which a bot is known that cannot play as things stand."""

from collections import Counter
from collections.abc import Hashable, Iterable

from arena.store.suspensions import FORFEITING, FORFEITS_IN_A_ROW, TOO_SLOW
from referee.turn.answer import Kind

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

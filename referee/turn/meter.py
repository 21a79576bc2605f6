"""CPU time that a bot uses between its turns: how much is free, and what is charged; pure.

Runtimes work a little while nobody asks them anything: they collect garbage and compile. That much
is free. What is used between turns beyond it is charged to the next decision, so that a bot gains
nothing if it thinks while others do.
"""

FREE_SECONDS = 0.1
"""CPU seconds between turns that are free to begin with; no more than this is saved up."""
FREE_SHARE = 0.25
"""Of each turn's CPU time, how much is free after it: Node was seen to need 0.2, Java 0.12."""
FREE_PER_MATCH = 0.01
"""CPU seconds that are free once more with each match, for its `start` and `end`."""
_ROUNDING = 1e-9
"""CPU seconds by which sums of readings may differ, where a bot has used nothing."""


class Meter:
    """Readings of a process's CPU clock in, charges out; seconds everywhere.

    Args:
        reading: what the clock shows now.

    """

    __slots__ = ("_earned", "_free", "burner", "charged", "mark", "on_turn", "owed")

    def __init__(self, reading: float) -> None:
        self.mark = reading
        """The clock when the last turn ended, or when it was last settled."""
        self.on_turn = 0.0
        """Used on turns, what was charged included."""
        self.charged = 0.0
        """Used between turns and not free, in this match."""
        self.burner = False
        """Whether more was used between turns than is free, in this match."""
        self.owed = 0.0
        """What else is to be charged, as no clock shows it."""
        self._free = FREE_SECONDS
        self._earned = 0.0  # how much of `on_turn` has earned its share

    def begin_match(self) -> None:
        """Begin to count what is charged in a match; what earlier turns earned is gone."""
        self.charged = 0.0
        self.burner = False
        self._free += FREE_PER_MATCH
        self._earned = self.on_turn

    def is_overdrawn(self, reading: float) -> bool:
        """Return whether more was used since the last turn than is free."""
        return reading - self.mark > self._available()

    def settle(self, reading: float) -> float:
        """Account for what was used since the last turn; return what of it is to be charged."""
        left = self._available() - (reading - self.mark)
        self.mark = reading
        charge = self.owed
        if left < -_ROUNDING:
            charge -= left
        left = max(left, 0.0)
        self.owed = 0.0
        self._free = left
        if charge:
            self.charged += charge
            self.burner = True
        self._earned = self.on_turn + charge  # a turn that is charged earns nothing by it
        return charge

    def _available(self) -> float:
        return min(self._free, FREE_SECONDS) + FREE_SHARE * (self.on_turn - self._earned)

"""How fast a run gets on, and which bots it waits for."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from math import inf
from time import monotonic

from arena.store.result import PlayedMatch, Spent
from arena.store.rows import stored_clock
from arena.text import counted, duration

_LEAST_SECONDS = 5.0  # of play, before anything is said of it
_LONG_SECONDS = 60.0  # until the end: where no more is left, no bot is named
_SLOW_SECONDS = 0.1  # on the wall for an answer: who needs less is not slow
_SHARES = 2.0  # a bot that takes so many times its share of the time holds up others
_LEAST_SHARE, _MOST_SHARE = 0.2, 0.8  # of all time: the bounds of that


@dataclass(slots=True)
class _Part:
    """A bot's part in a run: its own time, and that of all matches it was in."""

    spent: Spent = field(default_factory=Spent.nothing)
    matches: int = 0
    seconds: float = 0.0


class Pace:
    """What the matches of a run took, by bot.

    Args:
        names: of the bots, as the results number them.
        seats: how many play a match.
        asking: the bots with a door, one request of which for each answer is reckoned with.
        per_minute: how many requests the door makes in a minute at the most.

    """

    def __init__(
        self,
        names: Sequence[str],
        seats: int,
        asking: Collection[int] = (),
        per_minute: float = inf,
    ) -> None:
        self._names = names
        self._seats = seats
        self._asking = asking
        self._per_minute = per_minute
        self._began = monotonic()
        self._parts = [_Part() for _ in names]
        self._matches = 0
        self._steps = 0  # of these matches: each is begun, and has its decisions
        self._answers = 0  # in this run, those in matches that are not over among them, if known
        self._seconds = 0.0  # that matches took, added up
        self._named: set[int] = set()

    def take(self, played: Sequence[PlayedMatch]) -> None:
        """Count matches that were played."""
        for each in played:
            seconds, bots = each.record.seconds, each.result.bots
            self._matches += 1
            self._steps += 1 + each.result.decisions
            self._seconds += seconds
            clock = stored_clock(each.result.clock, len(bots))
            for bot, said in zip(bots, clock, strict=True):
                part = self._parts[bot]
                part.spent.add(said)
                part.matches += 1
                part.seconds += seconds

    def hear(self, answers: int) -> None:
        """Take note of how many answers were given in this run, in all matches."""
        self._answers = answers

    def left(self, missing: int) -> float | None:
        """Return the seconds until so many matches are played; None if that is not known yet.

        What was answered in those that are on their way is done, and need not be done again.
        """
        passed = monotonic() - self._began
        if passed < _LEAST_SECONDS or not self._matches:
            return None
        done = self._answers + self._matches if self._answers else self._steps
        on_their_way = max(0, done - self._steps)
        still = missing * self._steps / self._matches - on_their_way
        asked = sum(self._parts[bot].spent.decisions for bot in self._asking) / self._steps
        return max(0.0, still) * max(passed / done, 60 * asked / self._per_minute)

    def holdup(self, missing: int) -> str:
        """Return a sentence on a bot that the run waits for too long; empty if there is none.

        Each is named once.
        """
        left = self.left(missing)
        if left is None or left <= _LONG_SECONDS:
            return ""
        usual = min(max(_SHARES / len(self._names), _LEAST_SHARE), _MOST_SHARE)
        for bot, part in enumerate(self._parts):
            wall = part.spent.wall * 1e-6
            is_slow = wall >= _SLOW_SECONDS * max(1, part.spent.decisions)
            if bot not in self._named and is_slow and wall > usual * self._seconds:
                self._named.add(bot)
                return self._sentence(bot, part, missing, left)
        return ""

    def _sentence(self, bot: int, part: _Part, missing: int, left: float) -> str:
        """Return a bot's part of time, and what the rest takes with and without it, as text."""
        spent = part.spent
        share = 100 * spent.wall * 1e-6 / self._seconds
        wall, cpu = (each / spent.decisions * 1e-6 for each in (spent.wall, spent.cpu))
        told = (
            f"{self._names[bot]} takes {share:.0f} % of the time: {wall:.1f} s for each answer, "
            f"{cpu:.1f} s of it computing. About {duration(left)} are left"
        )
        many, matches = len(self._names), self._matches - part.matches
        if not matches:
            return f"{told}."
        kept = missing * (many - self._seats) // many
        at_once = self._seconds / (monotonic() - self._began)
        without = kept * (self._seconds - part.seconds) / matches / at_once
        would = f"{counted(kept, 'match', 'matches')} would take {duration(without)}"
        return f"{told}; without it, {would}."

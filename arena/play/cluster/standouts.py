"""Machines that stand out: one that lags, is held up or slow, or whose bots fail.

Bots differ more than machines do: what a bot did is compared with what the same bot did elsewhere.
A bot's matches may differ as much, some taking a thousand times as long as others: no machine is
named for what the scatter of its own matches makes likely.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import sqrt
from statistics import median
from typing import TypeAlias

from arena.play.messages import Results
from arena.schedule.deal import BotIndex
from arena.store.result import PlayedMatch
from arena.store.rows import stored_clock

_LEAST_DECISIONS = 2_000  # on a machine
_LEAST_OF_A_BOT = 200  # decisions there
_GROWTH = 1.1  # of a machine's decisions until it is compared again, as that takes a while
_LEAST_FAULTY = 5  # matches of a bot with a fault
_LAG_FACTOR = 3.0
_LAG_SECONDS = 100e-6  # a decision: less does not matter
_WALL_FACTOR = 3.0
_CPU_FACTOR = 2.0
_DEVIATIONS = 5.0  # from what the others let expect: not by chance
_LEAST_PARTS = 20  # deals or results: fewer do not show how much they scatter


@dataclass
class _Ratio:
    """Times of parts that were seen one by one, and how often a bot was asked in each."""

    parts: int = 0
    seconds: float = 0.0
    decisions: int = 0
    _squares: float = 0.0
    _products: float = 0.0
    _decisions_squared: float = 0.0

    def add(self, seconds: float, decisions: int) -> None:
        """Take in a part."""
        self.parts += 1
        self.seconds += seconds
        self.decisions += decisions
        self._squares += seconds * seconds
        self._products += seconds * decisions
        self._decisions_squared += decisions * decisions

    @property
    def each(self) -> float:
        """The seconds of a decision."""
        return self.seconds / self.decisions

    @property
    def variance(self) -> float:
        """The variance of `each`, by how the parts scatter about it."""
        each = self.each
        square = self._squares - 2 * each * self._products + each**2 * self._decisions_squared
        return max(square, 0.0) * self.parts / (self.parts - 1) / self.decisions**2


@dataclass
class _Tally:
    """What one bot did on one machine."""

    matches: int = 0
    faulty: int = 0
    cpu: _Ratio = field(default_factory=_Ratio)
    """Its CPU time, by deal."""


@dataclass
class _Machine:
    lag: _Ratio = field(default_factory=_Ratio)
    """The referee's own time, by message."""
    waited: _Ratio = field(default_factory=_Ratio)
    """The time that deals took beyond the CPU time of their bots."""
    cpu: float = 0.0
    """The seconds of all bots."""
    decisions: int = 0
    due: float = _LEAST_DECISIONS
    """After how many decisions it is compared next."""
    bots: dict[BotIndex, _Tally] = field(default_factory=lambda: defaultdict(_Tally))


_Pairs: TypeAlias = list[tuple[_Tally, list[_Tally]]]
"""What each bot did on a machine, and what the same one did on the others."""


class MachineComparison:
    """What machines report, side by side."""

    def __init__(self) -> None:
        self._machines: dict[str, _Machine] = {}
        self._named: set[tuple[str, str]] = set()

    def add(self, name: str, results: Results) -> None:
        """Take in what a worker of a machine reported."""
        machine = self._machines.setdefault(name, _Machine())
        before = machine.decisions
        deals: defaultdict[str, list[PlayedMatch]] = defaultdict(list)
        for played in results.matches:
            deals[played.result.deal].append(played)
        for matches in deals.values():  # whose matches are alike
            self._add_deal(machine, matches)
        if machine.decisions > before:
            machine.lag.add(results.lag, machine.decisions - before)

    def _add_deal(self, machine: _Machine, matches: list[PlayedMatch]) -> None:
        asked: Counter[BotIndex] = Counter()
        cpu: defaultdict[BotIndex, float] = defaultdict(float)
        for played in matches:
            result = played.result
            clock = stored_clock(result.clock, len(result.bots))
            for bot, faults, spent in zip(result.bots, result.faults, clock, strict=True):
                machine.bots[bot].matches += 1
                machine.bots[bot].faulty += bool(faults)
                asked[bot] += spent.decisions
                cpu[bot] += spent.cpu * 1e-6
        for bot, seconds in cpu.items():
            machine.bots[bot].cpu.add(seconds, asked[bot])
        machine.decisions += asked.total()
        machine.cpu += sum(cpu.values())
        wall = sum(played.record.seconds for played in matches)
        machine.waited.add(wall - sum(cpu.values()), asked.total())

    def standouts(self) -> Iterator[str]:
        """Yield a sentence for each machine that stands out and was not named before for that."""
        seen = {
            name: machine
            for name, machine in self._machines.items()
            if machine.decisions >= _LEAST_DECISIONS
            and min(machine.lag.parts, machine.waited.parts) >= _LEAST_PARTS
        }
        for name, machine in seen.items():
            if machine.decisions < machine.due or len(seen) < 2:
                continue
            machine.due = machine.decisions * _GROWTH
            others = [other for key, other in seen.items() if key != name]
            for what, sentence in _oddities(machine, others):
                if (name, what) not in self._named:
                    self._named.add((name, what))
                    yield f"{name} {sentence}"


def _oddities(machine: _Machine, others: list[_Machine]) -> Iterator[tuple[str, str]]:
    """Yield in what a machine differs from all others, as a word and a sentence without subject."""
    lag, usual, variance = machine.lag, *_usual([other.lag for other in others])
    if lag.each > max(_LAG_FACTOR * usual, _LAG_SECONDS) and _is_sure(
        lag.each - usual, lag.variance + variance
    ):
        yield (
            "lag",
            f"lags: its referee takes {lag.each * 1e6:,.0f} µs before an ask, the others' "
            f"{usual * 1e6:,.0f}. Something else may be running there.",
        )
    waited, usual, variance = machine.waited, *_usual([other.waited for other in others])
    used = machine.cpu / machine.decisions
    wall, expected = used + waited.each, used + max(usual, 0.0)
    if wall > max(_WALL_FACTOR * expected, expected + _LAG_SECONDS) and _is_sure(
        waited.each - usual, waited.variance + variance
    ):
        yield (
            "wall",
            f"is held up: a decision takes {wall * 1e6:,.0f} µs on the wall; for what its bots do "
            f"there, {expected * 1e6:,.0f} are usual elsewhere. Something else may be running "
            f"there.",
        )
    pairs = list(_pairs(machine, others))
    yield from _cpu(pairs)
    yield from _faults(pairs)


def _usual(ratios: list[_Ratio]) -> tuple[float, float]:
    """Return what machines usually have, and the variance of that."""
    return median(each.each for each in ratios), median(each.variance for each in ratios)


def _is_sure(difference: float, variance: float) -> bool:
    """Return whether a difference is more than chance makes."""
    return difference > _DEVIATIONS * sqrt(variance)


def _cpu(pairs: _Pairs) -> Iterator[tuple[str, str]]:
    """Yield the oddity of a machine where bots need more CPU time than elsewhere, if they do."""
    needed = expected = variance = 0.0
    for tally, elsewhere in pairs:
        usual, doubt = _usual([each.cpu for each in elsewhere])
        needed += tally.cpu.seconds
        expected += tally.cpu.decisions * usual
        variance += tally.cpu.decisions**2 * (tally.cpu.variance + doubt)
    if needed > _CPU_FACTOR * expected > 0 and _is_sure(needed - expected, variance):
        yield (
            "cpu",
            f"is slow: the bots need {needed / expected:.1f} times as much CPU time there as "
            f"elsewhere.",
        )


def _pairs(machine: _Machine, others: list[_Machine]) -> Iterator[tuple[_Tally, list[_Tally]]]:
    """Yield what bots did on a machine, and on the others, as far as they did enough on both."""
    for bot, tally in machine.bots.items():
        found = [other.bots[bot] for other in others if bot in other.bots]
        elsewhere = [each for each in found if _is_enough(each.cpu)]
        if elsewhere and _is_enough(tally.cpu):
            yield tally, elsewhere


def _is_enough(cpu: _Ratio) -> bool:
    return cpu.decisions >= _LEAST_OF_A_BOT and cpu.parts >= _LEAST_PARTS


def _faults(pairs: _Pairs) -> Iterator[tuple[str, str]]:
    """Yield the oddity of a machine where bots make more faults than elsewhere, if they do."""
    matches = faulty = others_matches = others_faulty = 0
    expected = variance = 0.0
    for tally, elsewhere in pairs:
        in_all = sum(each.matches for each in elsewhere)
        bad = sum(each.faulty for each in elsewhere)
        rate = (bad + 1) / (in_all + 2)
        expected += tally.matches * rate
        variance += tally.matches * rate * (1 - rate)
        matches, faulty = matches + tally.matches, faulty + tally.faulty
        others_matches, others_faulty = others_matches + in_all, others_faulty + bad
    if faulty >= _LEAST_FAULTY and _is_sure(faulty - expected, variance):
        yield (
            "faults",
            f"sees more faults than others: the bots make some in {faulty:,} of their {matches:,} "
            f"matches there, elsewhere in {others_faulty:,} of {others_matches:,}. Look at some "
            f"before you trust them.",
        )

"""Whose machine stands out: one that lags, is held up or slow, or whose bots fail.

Bots differ more than machines do: what a bot did is compared with what the same bot did elsewhere.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import sqrt
from statistics import median
from typing import TypeAlias

from arena.stored import stored_clock
from arena.worker import Report

_LEAST_DECISIONS = 2_000  # on a machine
_LEAST_OF_A_BOT = 200  # decisions there
_GROWTH = 1.1  # of a machine's decisions until it is compared again, as that takes a while
_LEAST_FAULTY = 5  # matches of a bot with a fault
_LAG_FACTOR = 3.0
_LAG_SECONDS = 100e-6  # a decision: what is less disturbs nobody
_CPU_FACTOR = 2.0
_DEVIATIONS = 5.0  # from what the others' rate of faults lets expect: not by chance


@dataclass
class _Tally:
    """Of one bot on one machine; times are in seconds."""

    matches: int = 0
    faulty: int = 0
    decisions: int = 0
    cpu: float = 0.0

    @property
    def cpu_each(self) -> float:
        return self.cpu / self.decisions


@dataclass
class _Machine:
    lag: float = 0.0
    wall: float = 0.0
    """The time that matches took."""
    decisions: int = 0
    due: float = _LEAST_DECISIONS
    """After how many decisions it is compared next."""
    bots: dict[int, _Tally] = field(default_factory=lambda: defaultdict(_Tally))

    @property
    def lag_each(self) -> float:
        return self.lag / self.decisions

    @property
    def wall_each(self) -> float:
        return self.wall / self.decisions


_Pairs: TypeAlias = list[tuple[_Tally, list[_Tally]]]
"""What each bot did on a machine, and what the same one did on the others."""


class Comparison:
    """What machines report, side by side."""

    def __init__(self) -> None:
        self._machines: dict[str, _Machine] = {}
        self._named: set[tuple[str, str]] = set()

    def add(self, name: str, report: Report) -> None:
        """Take in what a worker of a machine reported."""
        machine = self._machines.setdefault(name, _Machine())
        machine.lag += report.lag
        for played in report.played:
            result = played.result
            machine.wall += played.record.seconds
            clock = stored_clock(result.clock, len(result.bots))
            seats = zip(result.bots, result.faults, clock, strict=True)
            for bot, faults, (asked, cpu, *_) in seats:
                tally = machine.bots[bot]
                tally.matches += 1
                tally.faulty += bool(faults)
                tally.decisions += asked
                machine.decisions += asked
                tally.cpu += cpu * 1e-6

    def standouts(self) -> Iterator[str]:
        """Yield a sentence for each machine that stands out and was not named before for that."""
        seen = {
            name: machine
            for name, machine in self._machines.items()
            if machine.decisions >= _LEAST_DECISIONS
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
    usual = median(other.lag_each for other in others)
    if machine.lag_each > max(_LAG_FACTOR * usual, _LAG_SECONDS):
        yield (
            "lag",
            f"lags: its referee takes {machine.lag_each * 1e6:,.0f} µs before an ask, the others' "
            f"{usual * 1e6:,.0f}. Something else may be running there.",
        )
    usual = median(other.wall_each for other in others)
    if machine.wall_each > max(_LAG_FACTOR * usual, usual + _LAG_SECONDS):
        yield (
            "wall",
            f"is held up: a decision takes {machine.wall_each * 1e6:,.0f} µs on the wall, "
            f"elsewhere {usual * 1e6:,.0f}. Something else may be running there.",
        )
    pairs = list(_pairs(machine, others))
    needed = sum(tally.cpu for tally, _ in pairs)
    expected = sum(
        tally.decisions * median(other.cpu_each for other in elsewhere)
        for tally, elsewhere in pairs
    )
    if needed > _CPU_FACTOR * expected > 0:
        yield (
            "cpu",
            f"is slow: the bots need {needed / expected:.1f} times as much CPU time there as "
            f"elsewhere.",
        )
    yield from _faults(pairs)


def _pairs(machine: _Machine, others: list[_Machine]) -> Iterator[tuple[_Tally, list[_Tally]]]:
    """Yield what bots did on a machine, and on the others, as far as they did enough on both."""
    for bot, tally in machine.bots.items():
        found = [other.bots[bot] for other in others if bot in other.bots]
        elsewhere = [each for each in found if each.decisions >= _LEAST_OF_A_BOT]
        if elsewhere and tally.decisions >= _LEAST_OF_A_BOT:
            yield tally, elsewhere


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
    if faulty >= _LEAST_FAULTY and faulty - expected > _DEVIATIONS * sqrt(variance):
        yield (
            "faults",
            f"sees more faults than others: the bots make some in {faulty:,} of their {matches:,} "
            f"matches there, elsewhere in {others_faulty:,} of {others_matches:,}. Look at some "
            f"before you trust them.",
        )

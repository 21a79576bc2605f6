"""Numbers with their standard errors, and the lines of tables they stand in."""

import math
from collections.abc import Iterable, Sequence
from statistics import fmean, stdev
from typing import NamedTuple


class Mean(NamedTuple):
    """A mean and its standard error."""

    value: float
    error: float

    def __str__(self) -> str:
        return f"{self}"

    def __format__(self, form: str) -> str:
        form = form or ".3f"
        return f"{self.value:{form}} ± {self.error:{form.lstrip('+')}}"


def mean_of(numbers: Sequence[float]) -> Mean:
    """Return the mean of two or more independent numbers."""
    return Mean(fmean(numbers), stdev(numbers) / math.sqrt(len(numbers)))


def ratio_of(uppers: Sequence[float], lowers: Sequence[float]) -> Mean:
    """Return the ratio of two sums, whose numbers are independent but for those side by side."""
    ratio = math.fsum(uppers) / math.fsum(lowers)
    off = [upper - ratio * lower for upper, lower in zip(uppers, lowers, strict=True)]
    return Mean(ratio, stdev(off) / math.sqrt(len(off)) / fmean(lowers))


def root_mean_square(numbers: Iterable[float]) -> float:
    """Return the root of the mean of the squares."""
    return math.sqrt(fmean(number**2 for number in numbers))


class Line(NamedTuple):
    """A line of a table, and what is wrong with it."""

    cells: Sequence[object]
    faults: Sequence[str] = ()

"""How much of what was said was heard: bits a second, and whether there is a channel at all."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, log2
from statistics import median

CHANCE = 1e-4
"""How often nothing may be taken for a channel, or a channel's bound be wrong."""
TRAINING = 3
"""One bit of so many is known to both, and teaches the one who hears what a 1 sounds like."""


@dataclass(frozen=True)
class Capacity:
    """What a channel was measured to carry, in bits a second.

    `bits` is the most likely value, and 0 unless a channel is there beyond doubt. `most` is what it
    may carry at most, as far as so few bits can show: 0 if all that was heard was the same.
    """

    bits: float
    most: float
    errors: int
    payload: int


def capacity(said: str, heard: Sequence[int], seconds: float) -> Capacity:
    """Return what was carried: `heard` has a number for each bit of `said`.

    The first bits are known to both: their medians give the threshold. The others count.
    """
    known = len(said) // TRAINING
    zeros = [value for value, bit in zip(heard[:known], said, strict=False) if bit == "0"]
    ones = [value for value, bit in zip(heard[:known], said, strict=False) if bit == "1"]
    payload = len(said) - known
    if len(set(heard)) == 1:
        return Capacity(0.0, 0.0, payload // 2, payload)
    middle = (median(zeros) + median(ones)) / 2
    rest = zip(heard[known:], said[known:], strict=True)
    wrong = sum((value > middle) != (bit == "1") for value, bit in rest)
    errors = min(wrong, payload - wrong)  # a 1 may be the lower number
    rate = len(said) / seconds
    most = rate * _per_bit(_least_share(errors, payload))
    if _up_to(errors, payload, 0.5) > CHANCE / 2:
        return Capacity(0.0, most, errors, payload)
    return Capacity(rate * _per_bit(errors / payload), most, errors, payload)


def _per_bit(share: float) -> float:
    """Return what a bit carries of which such a share arrives wrong."""
    if share <= 0.0:
        return 1.0
    return 1.0 + share * log2(share) + (1.0 - share) * log2(1.0 - share)


def _up_to(errors: int, count: int, share: float) -> float:
    """Return how likely so many errors are at most."""
    each = (comb(count, at) * share**at * (1 - share) ** (count - at) for at in range(errors + 1))
    return sum(each)


def _least_share(errors: int, count: int) -> float:
    """Return the least share of errors with which as many as that would not be a wonder."""
    low, high = 0.0, 0.5
    for _ in range(40):
        middle = (low + high) / 2
        if 1.0 - _up_to(errors - 1, count, middle) > CHANCE:
            high = middle
        else:
            low = middle
    return low

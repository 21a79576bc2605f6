"""The normal distribution cut off, for whole arrays at once, and right however far out; pure."""

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_FAR = -25.0  # standard deviations; from there on a series is exact
_MOST_SHRUNK = 1 - 1e-12  # what rounding leaves to tell
_STEP = 1 / 64  # of the table of logarithms
_LEAST, _MOST = -40.0, 10.0  # the ends of it


def _ratio(x: Array) -> Array:
    """Return the distribution function over the density, of x below 30 (Mills' ratio)."""
    found = np.empty_like(x)
    far = x < _FAR
    z = x[far]
    square = 1 / (z * z)
    found[far] = -(1 - square * (1 - 3 * square * (1 - 5 * square * (1 - 7 * square)))) / z
    near = x[~far]
    below = np.fromiter((math.erfc(-each / math.sqrt(2)) for each in near), float, len(near))
    found[~far] = below * math.sqrt(math.pi / 2) * np.exp(near * near / 2)
    return found


def win(t: Array) -> tuple[Array, Array]:
    """Return how far a standard normal number moves, and shrinks, that is known to exceed -t.

    It is `v` and `w` of TrueSkill's paper: the mean is v, and the variance 1 - w.
    """
    v = np.where(t > -_FAR, 0.0, 1 / _ratio(np.minimum(t, -_FAR)))
    square = 1 / np.minimum(t, _FAR) ** 2
    return v, np.where(t < _FAR, 1 - square * (1 - 6 * square), v * (v + t))


def draw(t: Array, margin: Array) -> tuple[Array, Array]:
    """Return the same for one that lies within `margin` of -t."""
    side, t = np.where(t < 0, -1.0, 1.0), np.abs(t)
    high, low = margin - t, -margin - t
    part = np.exp(-2 * margin * t)  # of the densities at the two ends
    between = _ratio(high) - part * _ratio(low)
    v = (part - 1) / between
    return side * v, np.minimum(v * v + (high - low * part) / between, _MOST_SHRUNK)


def pdf(x: Array) -> Array:
    """Return the density."""
    found: Array = np.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    return found


def cdf(x: Array) -> Array:
    """Return the distribution function."""
    return np.exp(log_cdf(x))


def log_cdf(x: Array) -> Array:
    """Return the logarithm of the distribution function, from a table: to eleven digits."""
    at = np.rint((x - _LEAST) / _STEP).astype(np.intp)
    at = np.minimum(np.maximum(at, 0), len(_TABLE) - 1)  # np.clip takes longer than all the rest
    value, slope, bend, turn = _TABLE.T[:, at]
    off = x - (_LEAST + _STEP * at)
    found: Array = value + off * (slope + off * (bend / 2 + off * turn / 6))
    beyond = (x < _LEAST) | (x > _MOST)
    if beyond.any():
        out = x[beyond]
        found[beyond] = np.where(
            out > 0,
            0.0,
            -out * out / 2 - math.log(math.sqrt(2 * math.pi)) + np.log(1 / np.abs(out)),
        )
    return found


def _table() -> Array:
    x = np.arange(_LEAST, _MOST + _STEP / 2, _STEP)
    ratio = _ratio(x)
    slope = 1 / ratio
    bend = -slope * (slope + x)
    turn = -bend * (slope + x) - slope * (bend + 1)
    value = np.log(ratio) - x * x / 2 - math.log(math.sqrt(2 * math.pi))
    return np.stack((value, slope, bend, turn), axis=1)


_TABLE = _table()

"""From a seed to what chance comes from: a key that says nothing about the seed; pure.

Bots get ids, seeds of their own and cards. All these come from the key, and the key costs so much
that nobody can try all seeds that people type in the time that a bot has.
"""

import hashlib
from functools import cache

SHORT = 12
"""Characters of a seed that may be found by trying: a number below 10**12, or a word."""

_COST = 1 << 16  # for 0.15 s of CPU time and 64 MiB on a core of a server


@cache
def league_key(game: str, seed: str) -> str:
    """Return what all chance of a league comes from, once for each league of a command."""
    return _stretched("league", game, seed, 32)


def deal_behind(game: str, seed: str) -> str:
    """Return the seed of the one deal of a match that belongs to no league.

    16 hexadecimal digits or more, as this and leagues deal them, stand for themselves.
    """
    if len(seed) >= 16 and set(seed) <= set("0123456789abcdef"):
        return seed
    return _stretched("match", game, seed, 16)


def is_guessable(seed: int | str) -> bool:
    """Return whether a seed is so short that it may be found by trying, whatever a try costs."""
    return len(str(seed).lstrip("-0")) <= SHORT


def seal(seed: str) -> str:
    """Return what is published of a seed before it may be known: its SHA-256, in hexadecimal."""
    return hashlib.sha256(seed.encode()).hexdigest()


def _stretched(purpose: str, game: str, seed: str, size: int) -> str:
    """Return so many bytes for a purpose, in hexadecimal digits.

    The salt cannot be drawn: the same seed makes the same tables on every machine.
    """
    salt = f"bot-arena {purpose} {game}".encode()
    key = hashlib.scrypt(
        seed.encode(), salt=salt, n=_COST, r=8, p=1, maxmem=256 * 8 * _COST, dklen=size
    )
    return key.hex()

"""The four seats of Cold War, and how much one play can do."""

from itertools import combinations

SEATS = range(4)
NAMES = ("South", "West", "North", "East")
RIVALS = tuple(tuple(other for other in SEATS if other != seat) for seat in SEATS)
PAIRS = tuple(combinations(SEATS, 2))

GAIN = 4
"""Missiles gained by an arm."""
REACH = 12
"""The most missiles one play deploys or re-aims."""

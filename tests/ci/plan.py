"""Which units a landing runs: a pure function of what was recorded and what has changed.

First what is always run; then attacks on what has changed, what the landing before deferred, the
rooms that were touched, and the landing's share of all units; as much as fits. What does not fit is
deferred, by name, to the next landing.
"""

import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from tests.ci.units import PYTHONS, kind_of

SHARES = 6
"""In how many landings all units are run."""
PLANNED = 23 * 60
"""How many seconds a plan fills, by what was recorded."""
UNKNOWN = 60.0
"""Seconds of a unit of which none were recorded."""
BESIDE, FRONT = ("aarch64", "builds", "cgroup"), ("attacks", "python")
"""Kinds that mostly wait or are one thread, and those that they are run beside."""
_SHARED = ("aarch64", "attacks", "bare", "builds", "ratios", "slow", "soak")


class State(NamedTuple):
    """What a plan depends on."""

    number: int
    names: Collection[str]
    """All units of which there are shares."""
    touched: Collection[str] = ()
    own: Collection[str] = ()
    seconds: Mapping[str, float] = {}


class Plan(NamedTuple):
    """What a landing runs, in order, each with its reason, and what it leaves to the next."""

    number: int
    always: tuple[str, ...]
    own: tuple[str, ...]
    carried: tuple[str, ...]
    touched: tuple[str, ...]
    share: tuple[str, ...]
    deferred: tuple[str, ...]
    cost: float

    def run(self) -> tuple[str, ...]:
        """Return all that is run and may have a share."""
        return (*self.own, *self.carried, *self.touched, *self.share)


def cost(names: Iterable[str], seconds: Mapping[str, float]) -> float:
    """Return how many seconds units take, of which some run beside others."""
    beside = front = alone = 0.0
    for name in names:
        took = seconds.get(name, UNKNOWN)
        if kind_of(name) in BESIDE:
            beside += took
        elif kind_of(name) in FRONT:
            front += took
        else:
            alone += took
    return max(beside, front) + alone


def shares(names: Collection[str], seconds: Mapping[str, float]) -> dict[str, int]:
    """Return the share of each unit.

    Shares are alike in seconds, and depend on what was recorded alone: another unit changes the
    share of none, and what is recorded changes only when all were run.
    """
    filled: list[list[str]] = [[] for _ in range(SHARES)]
    found = {}
    for name in sorted(seconds, key=lambda name: (-seconds[name], name)):
        if kind_of(name) not in _SHARED:
            continue
        share = min(range(SHARES), key=lambda n: (cost([*filled[n], name], seconds), n))
        filled[share].append(name)
        found[name] = share
    new = {name: zlib.crc32(name.encode()) % SHARES for name in names if name not in found}
    return {name: share for name, share in (found | new).items() if name in names}


def python_of(number: int) -> str:
    """Return the other Python of a landing."""
    return f"python:{PYTHONS[number % len(PYTHONS)]}"


def rotated(names: Iterable[str], number: int) -> list[str]:
    """Return names in their order, begun elsewhere by each landing: none is always last."""
    found = sorted(names)
    begin = number % SHARES * len(found) // SHARES
    return found[begin:] + found[:begin]


def plan(state: State, carried: Sequence[str] = ()) -> Plan:
    """Return the plan of a landing that has taken over what the one before deferred."""
    always = ("setup", "lint", "test", python_of(state.number), "again")
    own = rotated(set(state.own) & set(state.names), state.number)
    mine = shares(state.names, state.seconds)
    share = {name for name in mine if mine[name] == state.number % SHARES}
    taken = [*always, *own]
    deferred: list[str] = []

    def fitting(wanted: Iterable[str]) -> tuple[str, ...]:
        """Take what fits, and return it; defer the rest."""
        found = []
        for name in wanted:
            if name in taken or name in deferred:
                continue
            fits = cost([*taken, name], state.seconds) <= PLANNED
            (taken if fits else deferred).append(name)
            if fits:
                found.append(name)
        return tuple(found)

    return Plan(
        number=state.number,
        always=always,
        own=tuple(own),
        carried=fitting(name for name in carried if name in state.names),
        touched=fitting(rotated(set(state.touched) & set(state.names), state.number)),
        share=fitting(rotated(share, state.number)),
        deferred=tuple(deferred),
        cost=cost(taken, state.seconds),
    )

"""Claims on cores: one for each core, whoever else is on the machine."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import Any

import pytest

from arena.play.cluster import cores
from arena.play.cluster.cores import Cores
from tests.arena.conftest import ROOT

CORES = sorted(os.sched_getaffinity(0))
PLACES = [(core,) for core in CORES]
MANY = len(CORES) + 5
HALF_A_CORE = """
mount -t tmpfs none /sys/fs/cgroup && mkdir /sys/fs/cgroup/cpu,cpuacct &&
echo 50000 > /sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us &&
echo 100000 > /sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us && exec "$@"
"""
"""A shell's commands that show whoever comes after them a quota, in a mount namespace."""

needs_two_cores = pytest.mark.skipif(len(CORES) < 2, reason="THIS MACHINE HAS ONE CORE ONLY")

Claim = Callable[..., Cores]


@pytest.fixture
def claim(monkeypatch: pytest.MonkeyPatch) -> Iterator[Claim]:
    """Claim cores of which only this test knows: so many at most, and so many for each match."""
    monkeypatch.setattr(cores, "_NAME", f"\0arena-test-{os.getpid()}-{{}}")
    with ExitStack() as stack:

        def one(most: int, each: int = 1) -> Cores:
            found = Cores(most, each)
            stack.callback(found.give_back)
            return found

        yield one


def test_a_core_is_claimed_once_until_it_is_given_back(claim: Claim) -> None:
    first = claim(1)
    second = claim(MANY)
    assert first.places == PLACES[:1]
    assert first.places + second.places == PLACES
    late = claim(1)
    assert late.places == []
    for each in (first, second, late):
        assert (each.had, each.is_shared) == (len(CORES), False)
        each.give_back()
    assert claim(len(CORES)).places == PLACES
    first.give_back()  # again, which is nothing
    assert claim(1).places == []


@needs_two_cores
def test_a_match_of_several_threads_gets_as_many_cores_and_leaves_what_is_too_few(
    claim: Claim,
) -> None:
    pairs = [tuple(CORES[at : at + 2]) for at in range(0, len(CORES) - 1, 2)]
    claimed = claim(len(CORES), 2)
    assert claimed.places == pairs
    assert claim(len(CORES)).places == PLACES[2 * len(pairs) :]
    claimed.give_back()
    claim(len(CORES) - 1)
    late = claim(len(CORES), 2)
    assert (late.places, late.had) == ([], len(CORES))
    assert claim(1).places == PLACES[-1:]
    assert claim(1, 2).places == []


@needs_two_cores
def test_a_share_of_the_cores_is_pinned_to_none_and_takes_the_place_of_one(
    claim: Claim, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A quota of half a core counts as one, which is too few for a match of two threads."""
    with monkeypatch.context() as patch:
        patch.setattr(cores, "cpu_count", lambda: 1)
        assert claim(5, 2).places == []
        share = claim(5)
    assert (share.places, share.had, share.is_shared) == ([()], 1, True)
    assert claim(MANY).places == PLACES[1:]


# By real processes


class Claimer:
    """A process that has claimed cores."""

    def __init__(self, most: int, words: Sequence[str]) -> None:
        command = (sys.executable, "-m", "tests.arena.play.cluster.claiming")
        self.process = subprocess.Popen(
            [*words, *command, str(most), "1"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        assert self.process.stdout is not None
        self.got: dict[str, Any] = json.loads(self.process.stdout.readline())
        self.places = [tuple(place) for place in self.got["places"]]


class Machine:
    """A machine whose cores nobody else claims: a network namespace, where claims are kept."""

    def __init__(self) -> None:
        words = ("unshare", "--user", "--map-root-user", "--net", "sh", "-c", "echo up; cat")
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        self._holder = subprocess.Popen(words, text=True, **pipes)  # type: ignore[call-overload]
        self._claimers: list[Claimer] = []
        self.is_usable = self._holder.stdout.readline() == "up\n"

    def claim(self, most: int, *words: str) -> Claimer:
        """Start a process that claims cores; `words` stand before its command."""
        inside = ("nsenter", "--preserve-credentials", "--user", "--net", "--target")
        claimer = Claimer(most, (*inside, str(self._holder.pid), *words))
        self._claimers.append(claimer)
        return claimer

    def close(self) -> None:
        """End all of it."""
        for claimer in self._claimers:
            claimer.process.communicate()
        self._holder.communicate()


@pytest.fixture
def machine() -> Iterator[Machine]:
    """A machine on which nobody has claimed a core."""
    machine = Machine()
    if not machine.is_usable:
        machine.close()
        pytest.skip("CLAIMS ARE NOT TESTED HERE: no network namespace can be made")
    yield machine
    machine.close()


@pytest.mark.slow
@pytest.mark.parametrize("way", ["end", "kill"])
def test_cores_go_back_with_their_owner(machine: Machine, way: str) -> None:
    first = machine.claim(len(CORES))
    assert machine.claim(1).places == []
    if way == "kill":
        first.process.kill()
    first.process.communicate()
    assert machine.claim(len(CORES)).places == PLACES


@pytest.mark.slow
@needs_two_cores
def test_only_the_cores_that_a_process_may_use_are_claimed(machine: Machine) -> None:
    last = CORES[-1]
    pinned = machine.claim(5, "taskset", "--cpu-list", str(last))
    assert (pinned.places, pinned.got["had"], pinned.got["is_shared"]) == ([(last,)], 1, False)
    # as a container with a quota: its matches may be run on any core, one at a time
    shared = machine.claim(5, "unshare", "--mount", "sh", "-c", HALF_A_CORE, "sh")
    assert (shared.places, shared.got["had"], shared.got["is_shared"]) == ([()], 1, True)
    assert machine.claim(MANY).places == PLACES[1:-1]

"""Claims on cores, by real processes: one for each core, whoever else is on the machine."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from tests.arena.conftest import ROOT

CORES = sorted(os.sched_getaffinity(0))
PLACES = [[core] for core in CORES]
HALF_A_CORE = """
mount -t tmpfs none /sys/fs/cgroup && mkdir /sys/fs/cgroup/cpu,cpuacct &&
echo 50000 > /sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us &&
echo 100000 > /sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us && exec "$@"
"""
"""A shell's commands that show whoever comes after them a quota, in a mount namespace."""

needs_two_cores = pytest.mark.skipif(len(CORES) < 2, reason="THIS MACHINE HAS ONE CORE ONLY")


class Claimer:
    """A process that has claimed cores."""

    def __init__(self, numbers: Sequence[int], words: Sequence[str]) -> None:
        command = (sys.executable, "-m", "tests.arena.play.cluster.claiming")
        self.process = subprocess.Popen(
            [*words, *command, *map(str, numbers)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        assert self.process.stdout is not None
        self.got: dict[str, Any] = json.loads(self.process.stdout.readline())

    @property
    def places(self) -> list[list[int]]:
        """The cores that it may play on, for each match."""
        return list(self.got["places"])

    def give_back(self) -> None:
        """Have it give back all of them."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "given back\n"

    def end(self) -> None:
        """Let it end, if it has not."""
        self.process.communicate()


class Machine:
    """A machine whose cores nobody else claims: a network namespace, where claims are kept."""

    def __init__(self) -> None:
        words = ("unshare", "--user", "--map-root-user", "--net", "sh", "-c", "echo up; cat")
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        self._holder = subprocess.Popen(words, text=True, **pipes)  # type: ignore[call-overload]
        self._claimers: list[Claimer] = []
        self.is_usable = self._holder.stdout.readline() == "up\n"

    def claim(self, most: int, words: Sequence[str] = (), each: int = 1) -> Claimer:
        """Start a process that claims cores, of which a match needs so many for `each`.

        `words` stand before its command.
        """
        inside = ("nsenter", "--preserve-credentials", "--user", "--net", "--target")
        claimer = Claimer((most, each), (*inside, str(self._holder.pid), *words))
        self._claimers.append(claimer)
        return claimer

    def close(self) -> None:
        """End all of it."""
        for claimer in self._claimers:
            claimer.end()
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


def test_who_is_alone_gets_as_many_cores_as_it_wants(machine):
    assert machine.claim(1).places == PLACES[:1]


def test_nobody_gets_more_than_there_are(machine):
    claimer = machine.claim(len(CORES) + 5)
    assert claimer.places == PLACES
    assert claimer.got["had"] == len(CORES)
    assert not claimer.got["is_shared"]


@needs_two_cores
def test_a_core_is_claimed_once(machine):
    first = machine.claim(1)
    second = machine.claim(len(CORES))
    assert first.places + second.places == PLACES
    assert machine.claim(1).places == []


def test_who_comes_too_late_is_told_how_many_there_are(machine):
    machine.claim(len(CORES))
    late = machine.claim(1)
    assert late.places == []
    assert late.got["had"] == len(CORES)


def test_cores_that_are_given_back_can_be_claimed(machine):
    first = machine.claim(len(CORES))
    first.give_back()
    assert machine.claim(len(CORES)).places == PLACES
    first.give_back()  # again, which is nothing


@pytest.mark.parametrize("way", ["end", "kill"])
def test_cores_go_back_with_their_owner(machine, way):
    first = machine.claim(len(CORES))
    if way == "kill":
        first.process.kill()
    first.end()
    assert machine.claim(len(CORES)).places == PLACES


@needs_two_cores
def test_only_the_cores_that_a_process_may_use_are_claimed(machine):
    last = CORES[-1]
    pinned = machine.claim(5, ("taskset", "--cpu-list", str(last)))
    assert pinned.places == [[last]]
    assert pinned.got["had"] == 1
    assert not pinned.got["is_shared"]
    assert machine.claim(5).places == PLACES[:-1]


@needs_two_cores
def test_who_has_a_share_of_the_cores_is_pinned_to_none(machine):
    """As a container with a quota: its matches may be run on any core, one at a time."""
    claimer = machine.claim(5, ("unshare", "--mount", "sh", "-c", HALF_A_CORE, "sh"))
    assert claimer.places == [[]]
    assert claimer.got["had"] == 1
    assert claimer.got["is_shared"]


@needs_two_cores
def test_a_share_takes_the_place_of_a_core(machine):
    machine.claim(5, ("unshare", "--mount", "sh", "-c", HALF_A_CORE, "sh"))
    assert machine.claim(5).places == PLACES[1:]


@needs_two_cores
def test_a_match_of_several_threads_gets_as_many_cores(machine):
    claimer = machine.claim(len(CORES), each=2)
    pairs = [CORES[at : at + 2] for at in range(0, len(CORES) - 1, 2)]
    assert claimer.places == pairs
    left = CORES[2 * len(pairs) :]
    assert machine.claim(len(CORES)).places == [[core] for core in left]


@needs_two_cores
def test_cores_that_are_too_few_for_a_match_are_left_to_others(machine):
    machine.claim(len(CORES) - 1)
    late = machine.claim(len(CORES), each=2)
    assert late.places == []
    assert late.got["had"] == len(CORES)
    assert machine.claim(1).places == PLACES[-1:]
    assert machine.claim(1, each=2).places == []


@needs_two_cores
def test_a_share_of_the_cores_is_shared_out_in_matches_too(machine):
    """A quota of half a core counts as one, which is too few for a match of two threads."""
    words = ("unshare", "--mount", "sh", "-c", HALF_A_CORE, "sh")
    assert machine.claim(5, words, each=2).places == []
    assert machine.claim(5).places == PLACES

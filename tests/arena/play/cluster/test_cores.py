"""Claims on cores: one for each core, whoever else is on the machine."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from arena.play.cluster import cores
from arena.play.cluster.cores import Cores

CORES = sorted(os.sched_getaffinity(0))
PLACES = [(core,) for core in CORES]
MANY = len(CORES) + 5
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

"""The CPU time that a test of `make test` may take, its children included: measured, and held.

Half a second on a machine of 2026, and on a slower one as much more as that is slower. A test that
takes more is run again, as what comes once in a process, such as imports, is not its own; nor is
what a fixture costs that several tests share. If it takes too much in three tries, it fails: make
it cheaper, or mark it as slow. A core that works for others too takes up to twice as long for the
same, so each try is measured by what a fixed job takes right after it, and twice as much is borne.
"""

import resource
import statistics
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

SECONDS = 0.5
_JOB_SECONDS = 0.07  # CPU time of `_job` on the machine that the budget is meant for
_BORNE = 2.0
_TRIES = 3

_shared: list[float] = []  # CPU seconds that fixtures took which are not of one test


def used() -> float:
    """Return the CPU seconds of this process and of its children that have ended."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    found = [resource.getrusage(kind) for kind in kinds]
    return sum(each.ru_utime + each.ru_stime for each in found) - sum(_shared)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any]) -> Iterator[None]:
    """Count what a fixture costs that several tests share."""
    before = used()
    try:
        return (yield)
    finally:
        if fixturedef.scope != "function":
            _shared.append(used() - before)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Run a test that is not marked as slow or soak within its budget."""
    is_free = any(item.get_closest_marker(name) for name in ("slow", "soak"))
    if is_free or item.config.getoption("--no-budget"):
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for left in reversed(range(_TRIES)):
        reports, seconds = _run(item, nextitem)
        allowed = SECONDS if seconds <= SECONDS else SECONDS * max(1.0, _slowness())
        if seconds <= _BORNE * allowed or not all(each.passed for each in reports):
            break
        if left:
            item._initrequest()  # type: ignore[attr-defined] # as pytest does before the first time
    else:
        (call,) = (each for each in reports if each.when == "call")
        call.outcome = "failed"
        call.longrepr = (
            f"It took {seconds:.2f} s of CPU time, and has {allowed:.2f} s here. Make it cheaper, "
            f"or mark it as slow: tests/README.md, 'The budget of a test'."
        )
    for each in reports:
        item.ihook.pytest_runtest_logreport(report=each)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def _run(item: pytest.Item, nextitem: pytest.Item | None) -> tuple[list[pytest.TestReport], float]:
    before = used()
    reports = runtestprotocol(item, log=False, nextitem=nextitem)
    return reports, used() - before


def _slowness() -> float:
    """Return how many times as long as on the machine that is meant a fixed job takes now."""
    return statistics.median(_job() for _ in range(3)) / _JOB_SECONDS


def _job() -> float:
    """Return the CPU seconds of an interpreter that imports something: what tests mostly do."""
    before = used()
    words = [sys.executable, "-I", "-c", "import argparse, asyncio, decimal, email.message"]
    subprocess.run(words, check=True)
    return used() - before

"""What holds for all tests: how many run at once, their budget, Ctrl-C, no deadlines."""

import os
import signal
from collections import Counter

import pytest
from hypothesis import settings

from tests.budget import pytest_fixture_setup, pytest_runtest_protocol
from tests.golden import golden

__all__ = ["golden", "pytest_fixture_setup", "pytest_runtest_protocol"]

settings.register_profile("unhurried", deadline=None)  # a busy machine is no fault of the code
settings.load_profile("unhurried")
os.environ["OPENBLAS_NUM_THREADS"] = "1"  # as `arena` has it: threads would wait by computing


def pytest_addoption(parser: pytest.Parser) -> None:
    """Take the options of our own."""
    parser.addoption("--golden", action="store_true", help="write messages as they are now")
    parser.addoption("--no-budget", action="store_true", help="let tests take any CPU time")


def pytest_configure() -> None:
    """Let Ctrl-C interrupt what tests start, also where they themselves run in the background."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Return how many processes `-n logical` starts, one a core, or `-n auto`.

    These are three for every two cores: tests wait for others a third of their time.
    """
    cores = len(os.sched_getaffinity(0))
    return cores if config.option.numprocesses == "logical" else max(1, cores * 3 // 2)


@pytest.hookimpl(tryfirst=True)  # before pytest selects by marker
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all cases of a test as slow but for the first ones, where `quick` says how many."""
    seen: Counter[str] = Counter()
    for item in items:
        if quick := item.get_closest_marker("quick"):
            test = item.nodeid.partition("[")[0]
            seen[test] += 1
            if seen[test] > quick.args[0]:
                item.add_marker(pytest.mark.slow)

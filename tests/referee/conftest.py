"""Real bots for the referee's tests: started, seated, and at the end of a test all gone."""

import os
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.sandbox import Launcher
from tests.referee.process_watch import children, until, working_in
from tests.referee.table import Table


@pytest.fixture
def launcher(tmp_path: Path) -> Iterator[Launcher]:
    """A fork server; its bots work in `tmp_path`, so that none of them can hide."""
    before = children(os.getpid())
    with Launcher("none") as launcher:
        yield launcher
    try:
        until(lambda: not working_in(tmp_path))
        assert children(os.getpid()) <= before
    finally:
        for pid in working_in(tmp_path):
            os.kill(pid, signal.SIGKILL)


@pytest.fixture
def table(launcher: Launcher, tmp_path: Path) -> Iterator[Table]:
    """Real processes in real matches."""
    table = Table(launcher, tmp_path)
    yield table
    table.close()


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that every user may read: unlike `tmp_path`, whose parents are its owner's."""
    with tempfile.TemporaryDirectory(prefix="arena-test-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder

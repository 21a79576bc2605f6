"""A plugin of pytest: which tests were skipped, a line each, to be run again by `pytest @FILE`.

python -m pytest -p tests.ci.skipped --skipped-to FILE
"""

from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.addoption("--skipped-to", type=Path, help="a file for the names of skipped tests")


def pytest_configure(config: pytest.Config) -> None:
    """Write the file at the end of the run, not in each of its workers."""
    if (file := config.getoption("--skipped-to")) and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Skipped(file))


class Skipped:
    """What was skipped in a run, written to a file at its end."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._names: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take what became of a test."""
        if report.skipped:
            self._names.append(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        """Write the names."""
        self._file.write_text("".join(f"{name}\n" for name in dict.fromkeys(self._names)))

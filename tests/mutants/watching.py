"""A plugin of pytest that tells which test begins and which fails, in the file that TOLD names."""

import os
from pathlib import Path
from typing import Any

from hypothesis import Phase, settings

TOLD = "MUTANTS_TOLD"
PROFILE = "mutants"

settings.register_profile(
    PROFILE,
    deadline=None,
    derandomize=True,
    database=None,
    phases=(Phase.explicit, Phase.generate),  # a failure is enough, and need not be small
)


def _tell(what: str, test: str) -> None:
    with Path(os.environ[TOLD]).open("a", encoding="utf-8") as file:
        file.write(f"{what} {test}\n")


def pytest_runtest_logstart(nodeid: str) -> None:
    _tell("begins", nodeid)


def pytest_runtest_logreport(report: Any) -> None:
    if report.failed:
        _tell("fails", report.nodeid)


def pytest_collectreport(report: Any) -> None:
    if report.failed:
        _tell("fails", report.nodeid)

"""Sandboxes of every kind that there is, and a check that nothing is left when they are gone."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.sandbox import Launcher
from tests.referee.process_watch import children
from tests.referee.sandbox.sandboxed import ROOT, SANDBOXED, need


@pytest.fixture(params=SANDBOXED)
def sandbox(request: pytest.FixtureRequest) -> str:
    """The name of each sandbox that protects; a loud skip where it cannot be had."""
    need(request.param)
    return str(request.param)


@pytest.fixture
def sandboxed(sandbox: str) -> Iterator[Launcher]:
    yield from launcher_of(sandbox)


def launcher_of(sandbox: str) -> Iterator[Launcher]:
    """Give a launcher to a test; neither process nor stage may be left of it."""
    need(sandbox)
    before = children(os.getpid())
    with Launcher(sandbox) as launcher:
        yield launcher
        stage = launcher.folder
    assert children(os.getpid()) <= before
    assert stage is None or not Path(stage).exists()


@pytest.fixture
def in_landlock() -> Iterator[Launcher]:
    yield from launcher_of("landlock")


@pytest.fixture
def in_bwrap() -> Iterator[Launcher]:
    yield from launcher_of("bwrap")


@pytest.fixture
def in_uid() -> Iterator[Launcher]:
    yield from launcher_of("uid")


@pytest.fixture
def root_only() -> None:
    """Skip a test of what only root does."""
    if not ROOT:
        pytest.skip("WHAT ROOT DOES IS NOT TESTED HERE: run the tests as root, too")

"""Commands that measure: each still runs, on next to nothing, and prints its table."""

import os
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from tests.benchmarks import archive, league, sandbox


@pytest.fixture(autouse=True)
def own_cores() -> Iterator[None]:
    """The cores of before, as some pin themselves to one."""
    before = os.sched_getaffinity(0)
    yield
    os.sched_setaffinity(0, before)


SMALL: dict[str, tuple[Callable[[], None], object, dict[str, int], str]] = {
    "league": (league.main, league, {"ROUNDS": 1, "DEALS": 4, "MATCHES": 2}, "2 workers"),
    "sandbox": (
        sandbox.main,
        sandbox,
        {"ROUNDS": 1, "WARM_UPS": 0, "TRIP_ROUNDS": 1, "TRIPS": 5, "BALLAST": 1 << 20},
        "landlock",
    ),
    "archive": (partial(archive.main, 8), archive, {}, "import again"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_it_still_measures(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    main, module, less, row = SMALL[name]
    for key, value in less.items():
        monkeypatch.setattr(module, key, value)
    main()
    printed = capsys.readouterr().out
    assert row in printed, printed

"""What is played in the test's own process is what workers play."""

from contextlib import nullcontext
from pathlib import Path

import pytest

from tests.arena.conftest import PLAYED, League
from tests.arena.inline import inline_runs

KHAN = """\
game = "khan"
seed = "a seed that is long enough"
deals = 1
[limits]
sandbox = "none"
[[bot]]
name = "one"
shipped = "random"
[[bot]]
name = "two"
shipped = "sensible"
"""


@pytest.mark.slow  # it starts workers
@pytest.mark.parametrize("toml", [PLAYED, KHAN], ids=["guerra, with faults", "khan"])
def test_the_same_matches_come_of_it_as_of_workers(tmp_path: Path, toml: str) -> None:
    stored = []
    for place in ("workers", "here"):
        league = League(tmp_path / place)
        league.write(toml)
        with inline_runs() if place == "here" else nullcontext():
            league.is_inline = place == "here"
            league.call("run", "--workers", "1")
        stored.append((league.stored(), league.rank()))
    assert stored[0] == stored[1]

"""What is played in the test's own process is what workers play."""

from contextlib import nullcontext
from pathlib import Path

import pytest

from arena.store.opening import read_league
from arena.store.store import Store
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


CRASHES = """
import sys, kit
def choose(ask):
    print("so far so good")
    raise ValueError("no idea")
kit.run(choose)
"""


def test_a_bot_that_fails_is_found_gone_with_its_last_words(league: League, inline: None) -> None:
    league.write(PLAYED + league.bot("crashes", CRASHES))
    league.call("run")
    with Store(read_league(league.folder).database) as store:
        said = {
            (match.faults[seat]["crash"], store.whole(match).evidence.stderr[seat][:17])
            for match in store.matches()
            for seat, bot in enumerate(match.bots)
            if bot.name == "crashes"
        }
    ((count, words),) = said
    assert (count, words) == (1, "so far so good\nTr")

"""Leagues whose bots may use several cores: what a match gets, what is refused, what is stored."""

import json
from pathlib import Path
from typing import Any

import pytest

from arena.play.local import usable_cores
from arena.store.store import Store
from referee.sandbox import TooFewCoresError, own_cores
from tests.arena.conftest import TWO_BOTS, Arena, League
from tests.arena.play.sandboxed_leagues import refused

CORES = own_cores()
TOO_MANY = len(CORES) + 1

two_cores = pytest.mark.skipif(len(CORES) < 2, reason="THIS MACHINE HAS ONE CORE ONLY")

LEAGUE = """\
game = "guerra"
seed = 1
deals = 2
options.max_turns = 10

[limits]
sandbox = "none"
"""
SPY = """
import json, os, sys

class Ears:
    def __init__(self, lines):
        self.buffer = self
        self.lines = lines
    def __iter__(self):
        for line in self.lines:
            message = json.loads(line)
            if message["type"] == "hello":
                said = {**message, "cores": sorted(os.sched_getaffinity(0))}
                print(json.dumps({**said, "omp": os.environ["OMP_NUM_THREADS"]}), file=sys.stderr)
            yield line

sys.stdin = Ears(sys.stdin.buffer)
import kit, guerra_random
kit.run(guerra_random.choose)
"""
"""A bot that writes down its `hello`, and on which cores it may run."""


def spies(league: League) -> str:
    return league.bot("one", SPY) + league.bot("two", SPY)


def said(league: League) -> list[dict[str, Any]]:
    with Store(league.folder / "league.db") as store:
        texts = [text for match in store.matches() for text in store.whole(match).evidence.stderr]
    return [json.loads(line) for text in texts for line in text.splitlines()]


def settings(folder: Path) -> dict[str, Any]:
    with Store(folder / "league.db") as store:
        return store.settings()


@two_cores
@pytest.mark.slow
@pytest.mark.parametrize("threads", [len(CORES), 1])
def test_a_match_gets_a_core_for_each_thread_and_its_bots_are_told(
    league: League, threads: int
) -> None:
    league.write(f"{LEAGUE}threads = {threads}\n{spies(league)}")
    told = league.call("run").stderr
    assert f"with {len(CORES) // threads} worker" in told
    found = said(league)
    assert found
    assert {len(each["cores"]) for each in found} == {threads}
    assert {each["omp"] for each in found} == {str(threads)}
    assert {each.get("threads") for each in found} == {threads if threads > 1 else None}


@two_cores
def test_the_number_of_workers_follows_from_the_cores() -> None:
    pairs = [tuple(CORES[at : at + 2]) for at in range(0, len(CORES) - 1, 2)]
    assert usable_cores(None, 2) == pairs
    assert usable_cores(None, len(CORES)) == [tuple(CORES)]
    assert usable_cores(1, 2) == pairs[:1]
    assert usable_cores(len(pairs) + 1, 2) == [*pairs, pairs[0]]  # which they share
    with pytest.raises(TooFewCoresError, match=f"only {len(CORES)} can be used here"):
        usable_cores(None, TOO_MANY)


inline = pytest.mark.usefixtures("inline")

REFUSED = f"the limit threads = {TOO_MANY} asks for {TOO_MANY} cores for each match"


def test_what_needs_more_cores_than_there_are_is_refused_and_a_league_read_and_made(
    arena: Arena, league: League
) -> None:
    league.write(f"{LEAGUE}threads = {TOO_MANY}\n{spies(league)}")
    refused(arena("run", league.folder), REFUSED, f"only {len(CORES)} can be used here")
    assert league.count() == 0
    assert arena("rank", league.folder).exit_code == 0
    limit = ("--game", "guerra", "--limit", f"threads={TOO_MANY}")
    refused(arena("play", "guerra", "random", "random", *limit[2:]), REFUSED)
    refused(arena("check", "random", *limit), REFUSED)
    refused(arena("compare", "random", "sensible", *limit), REFUSED)
    found = arena("init", league.home / "made", "random", "sensible", "--deals", 1, *limit)
    assert found.exit_code == 0
    assert f"It cannot be played here: {REFUSED}" in " ".join(found.stderr.split())
    assert "one core would need" in found.stderr


@inline
@two_cores
@pytest.mark.parametrize("threads", [1, 2])
def test_the_threads_of_a_league_are_stored_exported_imported_and_kept(
    arena: Arena, league: League, threads: int
) -> None:
    """Those of one thread as they were before there were others."""
    text = f"{LEAGUE}threads = {threads}\n{TWO_BOTS}"
    league.write(text)
    league.call("run")
    exported = league.home / "exported.jsonl"
    assert arena("export", league.folder, exported).exit_code == 0
    other = League(league.home / "other")
    other.write(text)
    assert arena("import", other.folder, exported).exit_code == 0
    header = json.loads(exported.read_text().splitlines()[0])["settings"]
    for stored in (settings(league.folder), settings(other.folder), header):
        assert stored["limits"].get("threads") == (None if threads == 1 else 2)
    other.write(f"{LEAGUE}threads = {3 - threads}\n{TWO_BOTS}")
    refused(arena("run", other.folder), f"[limits] had threads = {threads}, not {3 - threads}")
    other.write(LEAGUE + TWO_BOTS)
    assert arena("run", other.folder).exit_code == (0 if threads == 1 else 2)
    assert arena("verify", league.folder).exit_code == 0

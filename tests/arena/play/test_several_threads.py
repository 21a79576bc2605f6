"""Leagues whose bots may use several cores: what a match gets, what is refused, what is stored."""

import json
from pathlib import Path
from typing import Any

import pytest

from arena.play.local import usable_cores
from arena.store.store import Store
from referee.sandbox import own_cores
from referee.sandbox.errors import SandboxError
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


def settings(folder: Path) -> dict[str, Any]:
    with Store(folder / "league.db") as store:
        return store.settings.all()


@two_cores
def test_the_number_of_workers_follows_from_the_cores() -> None:
    pairs = [tuple(CORES[at : at + 2]) for at in range(0, len(CORES) - 1, 2)]
    assert usable_cores(None, 2) == pairs
    assert usable_cores(None, len(CORES)) == [tuple(CORES)]
    assert usable_cores(1, 2) == pairs[:1]
    assert usable_cores(len(pairs) + 1, 2) == [*pairs, pairs[0]]  # which they share
    with pytest.raises(SandboxError, match=f"only {len(CORES)} can be used here"):
        usable_cores(None, TOO_MANY)


inline = pytest.mark.usefixtures("inline")

REFUSED = f"the limit threads = {TOO_MANY} asks for {TOO_MANY} cores for each match"


def test_what_needs_more_cores_than_there_are_is_refused_and_a_league_read_and_made(
    arena: Arena, league: League
) -> None:
    league.write(f"{LEAGUE}threads = {TOO_MANY}\n{TWO_BOTS}")
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
    assert "2 matches to play" in found.stderr


@two_cores
def test_a_log_shows_of_how_many_threads_bots_are_told(arena: Arena) -> None:
    for threads in (1, 2):
        words = ("random", "random", "--limit", f"threads={threads}", "--sandbox", "none", "--log")
        hello = arena("play", "guerra", *words, "--option", "max_turns=5").stdout.splitlines()[0]
        told = json.loads(hello.partition("→ ")[2])
        assert (told["type"], told.get("threads")) == ("hello", threads if threads > 1 else None)


@inline
@two_cores
@pytest.mark.parametrize("threads", [1, 2])
def test_the_threads_of_a_league_are_stored_exported_imported_and_kept(
    arena: Arena, league: League, threads: int
) -> None:
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
        assert stored["limits"]["threads"] == threads
    other.write(f"{LEAGUE}threads = {3 - threads}\n{TWO_BOTS}")
    refused(arena("run", other.folder), f"[limits] had threads = {threads}, not {3 - threads}")
    other.write(LEAGUE + TWO_BOTS)
    assert arena("run", other.folder).exit_code == (0 if threads == 1 else 2)
    assert arena("verify", league.folder).exit_code == 0

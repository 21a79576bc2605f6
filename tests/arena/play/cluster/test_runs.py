"""Whole runs on a cluster: what they give is what this machine alone gives."""

import json
import os
import shutil

import pytest

from arena.league.finding import BUNDLED
from arena.store.opening import open_store, read_league
from arena.store.rounds import StoredRound
from tests.arena.conftest import ROOT, STEADY, TWO_BOTS, League, naughty
from tests.arena.play.cluster.dask_cluster import DaskCluster
from tests.outside.sources import NIM
from tests.referee.sandbox.sandboxed import need

pytestmark = pytest.mark.slow

GUERRA = 'game = "guerra"\nseed = 1\ndeals = 4\noptions.max_turns = 20\n'
COLD_WAR = """\
game = "cold_war"
seed = "rivals"
seats = 4
deals = 3
"""
RIVALS = "".join(
    f'\n[[bot]]\nname = "{name}"\nshipped = "{name}"\n'
    for name in ("random", "sensible", "echo", "loyal")
)


def limits(sandbox: str) -> str:
    return f'limits = {{ sandbox = "{sandbox}", move_time = 10.0 }}\n'


def played_alike(league: League, cluster: DaskCluster, text: str, *words: str) -> League:
    """Play a league on a cluster, and return one that was played here; fail if they differ.

    The same matches must be in both, move by move, and the same table.
    """
    league.write(text)
    league.call("run", *words, "--cluster", cluster.address)
    local = League(league.home.parent / "local")
    local.write(text)
    local.call("run")
    assert league.stored() == local.stored() != []
    assert league.rank() == local.rank()
    return local


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(GUERRA + limits("landlock") + TWO_BOTS + naughty("illegal"), id="faults"),
        pytest.param(COLD_WAR + limits("bwrap") + RIVALS, id="four seats, bwrap"),
        pytest.param(GUERRA + limits("none") + TWO_BOTS, id="no sandbox"),
    ],
)
def test_a_cluster_gives_what_one_machine_gives(cluster, league, text):
    for sandbox in ("landlock", "bwrap"):
        if sandbox in text:
            need(sandbox)
    played_alike(league, cluster, text)


def test_a_bot_has_its_own_limits_on_a_cluster(cluster, league):
    need("bwrap")
    text = GUERRA + limits("landlock") + TWO_BOTS + 'sandbox = "bwrap"\ntime_factor = 2\n'
    played_alike(league, cluster, text)
    with open_store(read_league(league.folder, "read")) as store:
        timings, damaged = store.timings.all()
        played = store.whole(league.stored()[0][0])
    assert {timing.machine for _, timing in timings} == {os.uname().nodename}
    assert not damaged
    assert "bwrap" in played.circumstances.sandbox


@pytest.mark.parametrize("form", ["swiss", "settled"])
def test_a_cluster_draws_the_rounds_that_one_machine_draws(cluster, league, form):
    three = '\n[[bot]]\nname = "three"\nshipped = "sensible"\n'
    bots = TWO_BOTS + three + naughty("crash_at_start")  # which is suspended before the first
    text = f'{GUERRA}tournament = "{form}"\n{limits("none")}{bots}'
    here = played_alike(league, cluster, text)
    assert rounds(league) == rounds(here) != []
    assert all(len(each.drawn.field) == 3 for each in rounds(here))


def rounds(league: League) -> list[StoredRound]:
    with open_store(read_league(league.folder, "read")) as store:
        return store.rounds.all()


def test_a_game_from_a_file_is_sent_with_what_it_imports(cluster, league, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    game = tmp_path / "nim.py"
    game.write_text(f"from heap_there import LEAST\n{NIM}".replace("= 10 +", "= LEAST +"))
    (tmp_path / "heap_there.py").write_text("LEAST = 10\n")
    text = f'game = "{game}"\nseed = 1\ndeals = 4\n{limits("none")}'
    for name in ("one", "other"):
        text += f'\n[[bot]]\nname = "{name}"\nshipped = "random"\n'
    played_alike(league, cluster, text, "--trust")
    game.write_text(f"{game.read_text()}# more\n")
    assert "All of them come out as they did." in league.call("run").stderr


def test_a_game_that_is_a_program_is_sent_with_its_files(cluster, league, tmp_path):
    game = tmp_path / "stones"
    game.mkdir()
    shutil.copy(ROOT / "tests" / "referee" / "program" / "nim.py", game)
    (game / "play").write_text("#!/bin/sh\nexec python3 nim.py\n")
    (game / "play").chmod(0o755)
    (game / "game.toml").write_text('command = ["./play"]\n')
    text = f'game = "{game}"\nseed = 1\ndeals = 4\n{limits("landlock")}'
    bot = league.bot("any", (ROOT / "bots" / "any" / "any_random.py").read_text())
    bot = bot.replace("../any", str(league.home / "any"))
    text += bot + bot.replace('name = "any"', 'name = "other"')
    played_alike(league, cluster, text)


def test_a_comparison_on_a_cluster_is_the_one_of_one_machine(cluster, league, arena, tmp_path):
    """Bots with files of their own are sent, and what was kept is gone on with at home."""
    bot = tmp_path / "mine"
    bot.mkdir()
    for helper in ("templates/python/kit.py", "guerra/guerra_random.py"):
        shutil.copy(BUNDLED / helper, bot)
    (bot / "bot.toml").write_text('command = ["{python}", "guerra_random.py"]\n')
    words = ("compare", "general", str(bot), "--game", "guerra", "--seed", "1", "--sandbox", "none")
    one_side = ("--option", "max_turns=20", "--elo0", "0", "--elo1", "50", "--format", "json")
    away = arena(*words, *one_side, "--cluster", cluster.address, "--keep", league.folder)
    local = League(tmp_path / "local")
    home = arena(*words, *one_side, "--keep", local.folder)
    assert away.exit_code == 0, away.output
    assert away.stdout == home.stdout
    assert '"verdict": "passed"' in away.stdout
    assert arena(*words, *one_side, "--keep", league.folder).stdout == home.stdout
    counted = json.loads(home.stdout)["comparison"][0]["deals"]
    stored = [
        [match for match in kept.stored() if match[0].number < counted] for kept in (league, local)
    ]
    assert stored[0] == stored[1] != []


def test_two_runs_take_turns_on_a_cluster(cluster, league, tmp_path):
    """The second waits, and says so; both are finished."""
    slow = [league.bot(name, STEADY.format(pause=1.0)) for name in ("one", "two")]
    league.write(GUERRA + limits("none") + "".join(slow))
    other = League(tmp_path / "other")
    other.write(GUERRA + limits("none") + TWO_BOTS)
    first = league.start("run", "--cluster", cluster.address)
    assert first.stderr is not None
    next(line for line in first.stderr if "can play" in line)
    second = other.start("run", "--cluster", cluster.address)
    league.finish(first)
    said = other.finish(second).stderr
    assert " cannot play yet: another run plays there; the run asks it again." in said
    assert (league.count(), other.count()) == (8, 8)

"""Dask workers that differ: in what they have, in what they are called, and in their code."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import distributed
import pytest

from arena.store.opening import read_league
from arena.store.store import Store
from tests.arena.conftest import ROOT, STEADY, TWO_BOTS, League
from tests.arena.play.cluster.dask_cluster import DaskCluster
from tests.referee.sandbox.sandboxed import need

pytestmark = pytest.mark.slow

HEAD = 'game = "guerra"\nseed = 1\ndeals = {deals}\noptions.max_turns = 20\n'
DIARIST = """
import json, socket, sys, time

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{{"type":"ready"}}', flush=True)
    elif message["type"] == "start":
        time.sleep(0.02)
        with open({diary!r}, "a") as diary:
            print(message["match"], socket.gethostname(), file=diary)
    elif message["type"] == "ask":
        print(json.dumps({{"id": message["id"], "move": message["legal"][0]}}), flush=True)
"""
"""A bot that writes down on which host each of its matches is played."""
CORES = len(os.sched_getaffinity(0))
needs_two_cores = pytest.mark.skipif(CORES < 2, reason="THIS MACHINE HAS ONE CORE ONLY")


def on_host(name: str, path: str) -> tuple[str, ...]:
    """Return the words before a command that is run on a host of that name, with such a PATH."""
    words = ("unshare", "--uts", "sh", "-c", f'hostname {name} && PATH={path} exec "$@"', "sh")
    if subprocess.run([*words, sys.executable, "-c", ""], capture_output=True).returncode:
        pytest.skip("HOSTS ARE NOT TESTED HERE: only root can name one")
    return words


def text(sandbox: str, bots: str = TWO_BOTS, deals: int = 2, threads: int = 1) -> str:
    limits = f'limits = {{ sandbox = "{sandbox}", threads = {threads} }}\n'
    return HEAD.format(deals=deals) + limits + bots


def said_by(league: League, cluster: DaskCluster, file: str, code: int = 0) -> str:
    league.write(file)
    return league.call("run", "--cluster", cluster.address, code=code).stderr


def with_command(league: League, command: str) -> str:
    entry = league.bot("third", STEADY.format(pause=0))
    return entry.replace('"{python}"', f'"{command}"')


def machines(league: League) -> dict[str, tuple[set[str], str]]:
    with Store(read_league(league.folder).database) as store:
        return {
            match.id: ({bot.name for bot in match.bots}, store.whole(match).circumstances.machine)
            for match in store.matches()
        }


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A PATH on which there is also a program `only_here`."""
    folder = tmp_path_factory.mktemp("tools")
    (folder / "only_here").symlink_to(os.path.realpath(sys.executable))
    return f"{folder}:{os.environ['PATH']}"


@pytest.fixture(scope="module")
def unlike(tmp_path_factory: pytest.TempPathFactory, tools: str) -> Iterator[DaskCluster]:
    """A Dask worker that has a program `only_here`, and one on whose PATH there is nothing."""
    with DaskCluster(tmp_path_factory.mktemp("dask")) as cluster:
        cluster.add_worker("ant", words=on_host("hill", tools))
        cluster.add_worker("bee", words=on_host("hive", "/nowhere"))
        yield cluster


@needs_two_cores
def test_a_bot_plays_where_its_interpreter_is(unlike, league, tools, monkeypatch):
    """It is told where it does not, and why; the others' matches are played anywhere."""
    monkeypatch.setenv("PATH", tools)  # a league is read where its bots can be found
    third = with_command(league, "only_here")
    said = said_by(league, unlike, text("none", TWO_BOTS + third, deals=10))
    assert "cannot run" in said
    assert "there is no program 'only_here' on the PATH." in said
    assert said.index("there is no program") < said.index("60 of 60 matches")
    assert league.count() == 60
    played = machines(league).values()
    assert {where for names, where in played if "third" in names} == {"hill"}


@needs_two_cores
def test_matches_tell_the_machine_that_they_were_played_on(unlike, league):
    """Though results of several come in together."""
    diary = league.home / "diary"
    bots = [league.bot(name, DIARIST.format(diary=str(diary))) for name in ("one", "two")]
    league.write(text("none", "".join(bots), deals=80))  # enough for one that comes late
    league.call("run", "--cluster", unlike.address)
    true = dict(line.split() for line in diary.read_text().splitlines())
    assert set(true.values()) == {"hill", "hive"}
    assert {match: where for match, (_, where) in machines(league).items()} == true


@needs_two_cores
def test_a_dask_worker_without_the_sandbox_gets_no_work(unlike, league):
    need("bwrap")
    said = said_by(league, unlike, text("bwrap"))
    (line,) = [line for line in said.splitlines() if "cannot play" in line]
    assert line.startswith("bee on hive (tcp://")
    assert "bwrap not found. Install bubblewrap 0.8 or newer" in line
    assert {where for _, where in machines(league).values()} == {"hill"}


def test_a_bot_that_lacks_a_module_is_the_only_one_suspended(unlike, league):
    """Whatever it says of that, and whatever is in it for a terminal."""
    needy = league.bot("needy", "raise ModuleNotFoundError('\\x1b]0;title\\x07 no module')\n")
    said = said_by(league, unlike, text("none", TWO_BOTS + needy))
    assert "needy is suspended for this run" in said
    assert "has no Bot Arena" not in said
    assert "\x1b]0" not in said
    assert league.count() == 4


@needs_two_cores
def test_another_interpreter_on_one_machine_is_told(league, tmp_path, monkeypatch):
    """As results may be others there, and nobody would know why."""
    paths = {}
    for name, more in (("hill", b""), ("hive", b"\0")):
        program = tmp_path / name / "only_here"
        program.parent.mkdir()
        program.write_bytes(Path(os.path.realpath("/bin/sh")).read_bytes() + more)
        program.chmod(0o755)
        paths[name] = f"{program.parent}:{os.environ['PATH']}"
    monkeypatch.setenv("PATH", paths["hill"])  # which is here
    entry = with_command(league, "only_here").replace('"bot.py"', '"bot.sh"')
    (league.home / "third" / "bot.sh").write_text(f"#!/bin/sh\nexec {sys.executable} bot.py\n")
    with DaskCluster(tmp_path / "dask") as cluster:
        for name, path in paths.items():
            cluster.add_worker(name, words=on_host(name, path))
        many = text("none", TWO_BOTS + entry, deals=80)  # enough for one that comes late
        said = said_by(league, cluster, many)
    (line,) = [line for line in said.splitlines() if "otherwise" in line]
    assert re.fullmatch(
        rf"hive on hive \(tcp://\S+\): {tmp_path}/hive/only_here \(\w{{8}}\) runs third; here it "
        rf"is {tmp_path}/hill/only_here \(\w{{8}}\), so that matches may go otherwise\.",
        line,
    ), line


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[DaskCluster]:
    with DaskCluster(tmp_path / "dask") as cluster:
        yield cluster


def test_dask_workers_with_other_code_or_none_get_no_work(cluster, league, tmp_path):
    """The run says what to install, and ends with code 1, as there is nobody else."""
    other = tmp_path / "other"  # a checkout in which a line differs
    for package in ("arena", "bots", "protocol", "referee"):
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / package, other / package, ignore=ignore)
    with (other / "referee" / "clock.py").open("a") as file:
        file.write("\nANOTHER = True\n")
    cluster.add_worker("old", env={**os.environ, "PYTHONPATH": str(other), "PYTHONSAFEPATH": "1"})
    python = tmp_path / "python"  # which has Dask and not the arena
    python.write_text(f'#!/bin/sh\nexec {sys.executable} -S -P "$@"\n')
    python.chmod(0o755)
    env = {**os.environ, "PYTHONPATH": str(Path(distributed.__file__).parents[1])}
    cluster.add_worker("bare", python=str(python), env=env)
    said = said_by(league, cluster, text("none"), code=1)
    lines = said.splitlines()
    (old,) = [line for line in lines if line.startswith("old on ")]
    assert "cannot play: its Bot Arena is not the one that runs here" in old
    assert "install the same version there" in old
    (bare,) = [line for line in lines if line.startswith("bare (tcp://")]
    assert "install bot-arena[cluster] there" in bare
    assert "Exception(" not in bare
    assert said.count("none of the cluster's workers can play; the reasons are above.") == 1
    assert "arena: 1 problem, above; 4 matches are missing. Run again to go on." in said
    assert league.count() == 0


def test_a_core_is_played_on_once_whoever_shares_it(cluster, league):
    """By the threads of a Dask worker, or by two Dask workers."""
    only = ("taskset", "--cpu-list", str(min(os.sched_getaffinity(0))))
    for name in ("ant", "bee"):
        cluster.add_worker(name, threads=2, words=only)
    said = said_by(league, cluster, text("none"))
    assert said.count(" cannot play yet: others play on its cores; the run asks it again.") == 1
    assert "can play: 1 at once, 1 in all." in said
    assert ": 1 match at once, not 2, with a core for each: it has 1." in said
    assert league.count() == 4


@needs_two_cores
def test_a_match_of_two_threads_is_played_on_two_cores_and_of_more_than_there_are_on_none(
    cluster, league
):
    cluster.add_worker("ant", threads=CORES)
    said = said_by(league, cluster, text("none", threads=CORES + 1), code=1)
    assert f" cannot play: a match needs {CORES + 1} cores, and it plays on {CORES}." in said
    assert league.count() == 0
    said = said_by(league, cluster, text("none", threads=2))
    assert f"can play: {CORES // 2} at once, {CORES // 2} in all." in said
    assert league.count() == 4


BUSY = """
import time
from distributed import Client

with Client({address!r}) as client:
    task = client.submit(time.sleep, 60.0)
    while not any(client.processing().values()):
        time.sleep(0.05)
    print("busy", flush=True)
    task.result()
"""
"""Somebody else's use of the cluster."""


def test_ctrl_c_takes_back_what_waits_behind_other_tasks_of_dask(cluster, league):
    """That it waits is told. Nothing of it is being played, so that nothing is waited for."""
    cluster.add_worker("ant")
    code = BUSY.format(address=cluster.address)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "busy\n"
        league.write(text("none"))
        run = league.start("run", "--cluster", cluster.address)
        assert run.stderr is not None
        next(line for line in run.stderr if "can play: 1 at once" in line)
        waits = ": tasks of others use its threads; this run waits behind them in Dask's queue.\n"
        assert next(run.stderr).endswith(waits)
        run.send_signal(signal.SIGINT)
        assert "stopped; 4 matches are missing" in league.finish(run, 1).stderr
        assert other.poll() is None
        other.kill()

"""Leagues on a cluster that is hurt come to what an undisturbed machine makes of them.

Byte for byte: table, matches, replays, export. And nothing is left over on the cluster: no process
of the arena, no claim to a core, no folder but those of Dask workers that live.
"""

import os
import re
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from itertools import count
from random import Random
from time import monotonic, sleep
from typing import Any

import pytest

from tests.arena.play.cluster.dask_cluster import DaskWorker
from tests.arena.play.cluster.hosts import Host, Hosts, need_hosts, why_not
from tests.attacks.users import users
from tests.faults.conftest import SEED
from tests.faults.leagues import Evidence
from tests.faults.scenes import MATCHES, ClusterLeague, Scene
from tests.faults.strikes import Process
from tests.faults.workshop import Workshop
from tests.referee.process_watch import until

pytestmark = pytest.mark.soak

Stage = Callable[..., Scene]
"""How a scene is made, given its host and its settings."""


@pytest.fixture(scope="module")
def workshop() -> Iterator[Workshop]:
    with Workshop() as workshop:
        yield workshop


@pytest.fixture(scope="module")
def reference(workshop: Workshop) -> Evidence:
    """What the league comes to where nobody hurts it."""
    league = ClusterLeague(workshop, patient=True)
    assert league.begin("run").wait(120) == 0, league.said()
    found = league.evidence()
    assert len(found.replays) == MATCHES
    return found


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def hosts(stack: ExitStack) -> Hosts:
    """A switch, to which hosts may be added."""
    need_hosts()
    return stack.enter_context(Hosts())


@pytest.fixture
def stage(workshop: Workshop, reference: Evidence, stack: ExitStack) -> Stage:
    """A host to itself for each scene, if it can be had: so that nobody else claims its cores."""

    def make(host: Host | None = None, **settings: object) -> Scene:
        if host is None:
            host = Host() if why_not() else stack.enter_context(Hosts()).alone()
        return stack.enter_context(Scene(workshop, reference, host, **settings))

    return make


def begun(
    stage: Stage, *names: str, host: Host | None = None, **settings: Any
) -> tuple[Scene, list[DaskWorker], Process]:
    """Hire Dask workers, and let them play some matches."""
    scene = stage(host)
    workers = scene.hire(*names, **settings)
    run = scene.run()
    scene.strike_in_the_middle()
    return scene, workers, run


def joined(told: str) -> int:
    """Return how many Dask workers of one thread have joined, some perhaps in one line."""
    return sum(map(int, re.findall(" can play: ([0-9]+) at once, ", told)))


def test_a_dask_worker_that_its_nanny_starts_again_joins(stage: Stage) -> None:
    scene, (ant, _), run = begun(stage, "ant", "bee", nanny=True)
    scene.kill(ant)
    told = scene.finish(run)
    assert told.count(": left the cluster; others play its matches. No result is lost.") == 1
    assert joined(told) == 3


@pytest.mark.parametrize("nanny", [True, False], ids=["nanny", "alone"])
def test_a_dask_worker_that_hung_and_goes_on_brings_nothing_twice(
    stage: Stage, nanny: bool
) -> None:
    scene, (ant, _), run = begun(stage, "ant", "bee", nanny=nanny)
    ant.signal(signal.SIGSTOP)
    until(lambda: ": no sign of life" in scene.league.said(), 30)
    before = scene.league.count()
    ant.signal(signal.SIGCONT)
    told = scene.finish(run)
    assert before < MATCHES
    assert joined(told) == 3


@pytest.mark.parametrize("user", users())
def test_the_bots_of_a_killed_dask_worker_are_swept_by_the_next(stage: Stage, user: str) -> None:
    scene = stage(user=user)
    (ant,) = scene.hire("ant")
    run = scene.run()
    scene.strike_in_the_middle()
    scene.kill(ant)
    until(lambda: scene.folders(owned=False))
    scene.age()
    scene.hire("bee")
    scene.finish(run)
    assert not scene.folders(owned=False)


def test_dask_workers_may_come_and_go_all_the_time(stage: Stage) -> None:
    scene, _, run = begun(stage, "ant", "bee")
    rng = Random(SEED)
    deadline = monotonic() + 30
    names = (f"worker-{number}" for number in count())
    while run.poll() is None and monotonic() < deadline:
        sleep(rng.uniform(0.2, 1.5))
        alive = [each for each in scene.workers if each.is_alive]
        if len(alive) < 2 or (len(alive) < 4 and rng.random() < 0.3):
            scene.hire(next(names))
        elif rng.random() < 0.7:
            scene.kill(rng.choice(alive))
        else:
            rng.choice(alive).process.terminate()
    if run.wait(120) == 1:  # what is lost again and again is left to another run
        assert " was lost 5 times together with the worker that played it" in scene.end(run, 1)
        run = scene.run()
    scene.finish(run)


def test_a_stopped_service_charges_no_bot_for_the_signal_that_ended_it(stage: Stage) -> None:
    """Every process of a Dask worker gets SIGTERM, and most bots end by that."""
    scene, (ant,), run = begun(stage, "ant", threads=2)
    every = [ant.pid, *ant.arena_workers(), *ant.fork_servers(), *scene.bots()]
    Random(SEED).shuffle(every)
    for pid in every:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
    ant.process.wait()
    scene.hire("bee")
    scene.finish(run)


@pytest.mark.parametrize("which", ["arena_workers", "fork_servers"])
def test_a_killed_process_of_the_arena_is_replaced(stage: Stage, which: str) -> None:
    scene, (ant,), run = begun(stage, "ant", threads=2)
    first, _ = getattr(ant, which)()
    os.kill(first, signal.SIGKILL)
    told = scene.finish(run)
    assert told.count("another plays its matches. No result is lost.") == 1


@pytest.mark.parametrize("which", ["arena_workers", "fork_servers"])
def test_a_process_that_is_killed_while_a_dask_worker_gets_ready_costs_nothing(
    stage: Stage, which: str
) -> None:
    scene = stage()
    (ant,) = scene.hire("ant")
    run = scene.run()
    (pid,) = until(getattr(ant, which))
    os.kill(pid, signal.SIGKILL)
    told = scene.finish(run)
    assert "suspended" not in told
    assert "cannot run" not in told


def test_a_worker_process_that_hangs_is_killed_and_replaced(stage: Stage) -> None:
    scene, (ant, _), run = begun(stage, "ant", "bee")
    (pid,) = ant.arena_workers()
    os.kill(pid, signal.SIGSTOP)
    told = scene.finish(run)
    assert "hung for 13 s and was killed; another plays its matches." in told


def test_a_scheduler_that_is_killed_and_started_again_costs_nothing(stage: Stage) -> None:
    scene, _, run = begun(stage, "ant", "bee")
    scene.kill_scheduler()
    scene.cluster.start_scheduler()
    scene.hire("cat", "dog")
    told = scene.finish(run)
    assert told.count("The connection to the scheduler at") == 1
    assert told.count("answers again.") == 1


QUICK_TCP = {"DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP": "11s"}
"""So that connections without an answer are given up after 11 seconds, not 30."""


def test_a_cut_that_heals_before_anybody_notices_is_not_told(stage: Stage, hosts: Hosts) -> None:
    here, there, client = (hosts.add(name) for name in ("here", "there", "client"))
    scene = stage(here)
    scene.hire("ant")
    scene.hire("bee", host=there)
    run = scene.run(client)
    scene.strike_in_the_middle()
    there.cut()
    scene.strike_in_the_middle(more=12)
    there.heal()
    client.cut()
    sleep(2.0)
    client.heal()
    told = scene.finish(run)
    assert "No result is lost" not in told


def test_a_dask_worker_whose_connection_breaks_ends_and_another_plays_on(
    stage: Stage, hosts: Hosts
) -> None:
    """That is Dask's way: it ends, its nanny too, and somebody has to start it again."""
    here, there = hosts.add("here"), hosts.add("there")
    scene = stage(here, env=QUICK_TCP)
    (bee,) = scene.hire("bee", host=there, nanny=True)
    run = scene.run()
    scene.strike_in_the_middle()
    there.cut()
    until(lambda: not bee.is_alive, 40)
    assert not bee.arena_workers()
    assert not scene.folders(owned=False)
    there.heal()
    scene.hire("cat", host=there)
    told = scene.finish(run)
    assert told.count(" can play: 1 at once, 1 in all.") == 2
    assert "The cluster has no workers any more; waiting for new ones." in told


def test_a_client_that_is_cut_off_and_heals_plays_on(stage: Stage, hosts: Hosts) -> None:
    here, client = hosts.add("here"), hosts.add("client")
    scene = stage(here)
    scene.hire("ant", "bee")
    run = scene.run(client)
    scene.strike_in_the_middle()
    client.cut()
    until(lambda: "The connection to the scheduler" in scene.league.said(), 40)
    client.heal()
    told = scene.finish(run)
    assert "is lost (no answer within 6 s); trying again. No result is lost." in told
    assert told.count("answers again.") == 1


@pytest.mark.parametrize(
    "words", [("cluster", "cluster"), ("cluster", "local"), ("local", "cluster")], ids="-".join
)
def test_a_killed_run_is_gone_on_with_anywhere(stage: Stage, words: tuple[str, str]) -> None:
    scene = stage()
    scene.hire("ant", "bee")
    for word in words:
        run = scene.run() if word == "cluster" else scene.league.begin("run")
        if not scene.struck_at:
            scene.strike_in_the_middle()
            os.kill(run.pid, signal.SIGKILL)
            scene.league.end(run)
    scene.finish(run)


def test_two_signals_stop_at_once_and_leave_the_hosts_free(stage: Stage) -> None:
    scene, workers, run = begun(stage, "ant", "bee")
    for pid in [pid for worker in workers for pid in worker.arena_workers()]:
        os.kill(pid, signal.SIGSTOP)  # or what is being played is finished between the signals
    for _ in range(2):
        os.killpg(run.pid, signal.SIGINT)
        until(lambda: "Finishing" in scene.league.said())
        time.sleep(0.6)  # quicker, it would be the same one
    told = scene.end(run, code=1)
    assert "stopped at once; what was stored is safe. Run again to go on." in told
    scene.finish(scene.run())

"""What a Dask worker does for a run: it has workers of ours, and its threads bring them orders.

All of it is called from `client`, through Dask, and speaks in numbers, texts and bytes. Nothing of
a league stays when its run is over but the bots' files, until the Dask worker ends, and what is
kept for all leagues: big files and environments.
"""

import asyncio
import hashlib
import os
import threading
import time
from collections import Counter
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from distributed import get_worker

import arena
import protocol
import referee
from arena.play.cluster.bundle import Manifest, game_here, unpacked
from arena.play.cluster.cores import Cores
from arena.play.cluster.equipping import equipping
from arena.play.cluster.pool import OrderAnswer, WorkerPool
from arena.play.cluster.receiving import arrivals, base, in_thread, one_line
from arena.play.messages import NOWHERE, Setup
from arena.play.quiet import timing
from arena.play.sandbox import check_bot
from arena.schedule.deal import BotIndex, first_bots, numbered
from arena.store.timing import Timing
from arena.text import counted
from protocol.errors import ArenaError, RunError
from referee.sandbox import Launcher, Program, Runtime, prove, runtime_of
from referee.sandbox.errors import MachineError

_IDLE_SECONDS = 60.0  # after which a run that says nothing is taken for gone
_YIELD_SECONDS = 2.0  # after which it makes room for another run


class Opened(msgspec.Struct, frozen=True):
    """What a Dask worker says when it is asked to play for a run."""

    slots: int = 0
    """How many matches it plays at once; none if it refuses."""
    refused: str = ""
    """Why it plays none, as what follows a colon."""
    is_busy: bool = False
    """Whether it might later."""
    notes: list[str] = []
    """What is odd there, as what follows a colon."""
    unfit: dict[BotIndex, str] = {}
    """The bots that cannot be run there, and why."""
    runtimes: dict[BotIndex, Runtime] = {}
    """What runs the bots there, those aside that are executables of their own."""
    timing: Timing | None = None
    """How quiet its machine was before that; None if it refuses."""


class _Host:
    """The run that this Dask worker plays for, if there is one."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.run = ""
        self.pool: WorkerPool | None = None

    def close(self) -> None:
        """Play for nobody."""
        pool, self.pool, self.run = self.pool, None, ""
        if pool is not None:
            pool.close()


_host = _Host()


def describe() -> dict[str, Any]:
    """Return what shows whether this is a worker like those of the runner's own machine."""
    return {"code": fingerprint(), "machine": os.uname().nodename}


@cache
def fingerprint() -> str:
    """Return a hash of our own programs: other rules, other matches."""
    digest = hashlib.sha256()
    for package in (arena, protocol, referee):
        root = Path(package.__path__[0])
        for path in sorted(root.rglob("*.py")):
            digest.update(f"{path.relative_to(root)}\0".encode())
            digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


async def open_pool(run: str, setup: bytes, manifests: bytes, dask_worker: Any) -> bytes:
    """Prove the sandbox, start workers and check the bots for a run; return an encoded `Opened`."""
    known = msgspec.msgpack.decode(setup, type=Setup)
    bots = msgspec.msgpack.decode(manifests, type=list[Manifest])
    threads = dask_worker.state.nthreads
    opened = await asyncio.to_thread(_opened, run, known, bots, threads)
    return msgspec.msgpack.encode(opened)


def _opened(run: str, setup: Setup, manifests: list[Manifest], threads: int) -> Opened:
    with _host.lock:
        other = _host.pool
        if other is not None and _host.run != run and other.rested < _YIELD_SECONDS:
            return Opened(refused="another run plays there", is_busy=True)
        _host.close()
        cores = Cores(min(threads, setup.most_matches * setup.cores), setup.cores)
        if not cores.places:
            most = min(threads, cores.had)
            if most < setup.cores:
                return Opened(refused=f"a match needs {setup.cores} cores, and it plays on {most}")
            return Opened(refused="others play on its cores", is_busy=True)
        quiet = timing()
        with ExitStack() as undo:  # unless all goes well
            undo.callback(cores.give_back)
            undo.callback(_host.close)
            try:
                unfit, programs = _proven(setup, manifests)
                game = game_here(setup, base())
                here = msgspec.structs.replace(setup, programs=programs, game=game, game_files={})
                _host.pool = WorkerPool(here, cores)
                absent = {*unfit, *setup.unbuilt}
                fit = [bot for bot in first_bots(len(manifests)) if bot not in absent]
                unfit |= _host.pool.check(fit)
            except ConnectionError:  # to the fork server: no fault of this machine
                return Opened(refused="the process that starts the bots was killed", is_busy=True)
            except (ArenaError, OSError) as error:
                return Opened(refused=one_line(error))
            undo.pop_all()
        _host.run = run
        threading.Thread(target=_expire, args=(_host.pool,), daemon=True).start()
        return Opened(
            len(cores.places),
            notes=_notes(cores, threads, setup),
            unfit=unfit,
            runtimes=_runtimes(setup, programs, fit),
            timing=quiet,
        )


def _runtimes(
    setup: Setup, programs: list[Program], bots: list[BotIndex]
) -> dict[BotIndex, Runtime]:
    found = {
        bot: runtime_of(programs[bot], setup.limits_of(bot).sandbox, setup.sandbox_uid)
        for bot in bots
    }
    return {bot: runtime for bot, runtime in found.items() if runtime is not None}


def _notes(cores: Cores, threads: int, setup: Setup) -> list[str]:
    each = setup.cores
    count, wanted = len(cores.places), threads // each
    if count < wanted:
        matches = counted(count, "match", "matches")
        needed = "a core" if each == 1 else f"{each} cores"
        why = f"it has {cores.had}" if cores.had < threads else "others play on the rest"
        if count == setup.most_matches:
            why = f"it has {count} GPU{'s' * (count > 1)}"
        return [f"{matches} at once, not {wanted}, with {needed} for each: {why}"]
    if cores.is_shared:
        return ["it has only a share of its cores, so matches are not pinned to cores"]
    return []


def _proven(setup: Setup, manifests: list[Manifest]) -> tuple[dict[BotIndex, str], list[Program]]:
    """Return the bots that cannot be run here, and what is run for each.

    Raises SandboxError unless the sandbox holds, ConnectionError if the fork server is killed.
    """
    unfit, programs = {}, []
    with ExitStack() as stack:
        launchers = {}
        for limits in setup.sandboxes:
            launcher = stack.enter_context(Launcher(limits.sandbox, uid=setup.sandbox_uid))
            prove(launcher, limits)
            launchers[limits.sandbox] = launcher
        equipper = stack.enter_context(equipping(setup, arrivals(), base()))
        for index, manifest in numbered(manifests):
            if index in setup.unbuilt:
                programs.append(NOWHERE)
                continue
            try:
                bot = equipper.equipped(unpacked(manifest, base()), manifest.packages)
                limits = setup.limits_of(index)
                check_bot(launchers[limits.sandbox], bot, limits)
                programs.append(bot.program)
            except ArenaError as error:
                if isinstance(error, RunError) and not isinstance(error, MachineError):
                    raise
                unfit[index] = one_line(error).removeprefix(f"bot {manifest.name!r}: ")
                programs.append(NOWHERE)
    return unfit, programs


def _expire(pool: WorkerPool) -> None:
    """Close the pool after a while in which nothing was asked for."""
    while _host.pool is pool:
        time.sleep(1.0)
        with _host.lock:
            if _host.pool is pool and pool.forgotten > _IDLE_SECONDS:
                _host.close()


async def keep(run: str, dask_worker: Any) -> bool:
    """Note that a run goes on; return whether it waits for threads that tasks of others have."""
    pool = _host.pool
    if pool is None or _host.run != run:
        return False
    pool.keep()
    states: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    for key, task in dask_worker.state.tasks.items():
        states[str(key).startswith(key_of(run))][task.state] += 1
    own, others = states[True], states[False]
    return bool(own["ready"] and others["executing"] and own["executing"] < pool.count)


def key_of(run: str) -> str:
    """Return how the keys of a run's tasks begin, in Dask."""
    return f"arena-{run}-"


async def leave(run: str, dask_worker: Any) -> list[str]:
    """Let the matches of a run that are being played be the last; return what tasks go on."""
    pool = _host.pool
    if pool is not None and _host.run == run:
        pool.leave()
    return [str(key) for key, task in dask_worker.state.tasks.items() if task.state == "executing"]


@in_thread
def close(run: str) -> None:
    """Play no more for a run."""
    with _host.lock:
        if _host.run == run:
            _host.close()


def play(run: str, order: bytes) -> bytes:
    """Carry out an order, as a task of Dask; return an encoded `OrderAnswer`."""
    worker = get_worker()
    key = worker.get_current_task()
    pool = _host.pool
    if pool is None or _host.run != run:
        return msgspec.msgpack.encode(OrderAnswer([], is_unknown=True))

    def is_wanted() -> bool:
        task = worker.state.tasks.get(key)
        return task is not None and task.state == "executing"

    return msgspec.msgpack.encode(pool.play(order, is_wanted))

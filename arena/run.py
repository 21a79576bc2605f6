"""One run over a league: find what is missing, play it, store it."""

import datetime
import fcntl
import os
import platform
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from arena.league import FILE, League
from arena.roster import Bot
from arena.runner import Progress, Runner, usable_cores
from arena.store import Store
from arena.worker import Setup, Task
from protocol.errors import ArenaError, RunError
from referee.sandbox import Launcher, SandboxError, prove


class Part(NamedTuple):
    """One of so many parts of a league's deals, which several machines share out."""

    number: int
    """From 1."""
    of: int

    def holds(self, deal: str) -> bool:
        """Return whether a deal, by its id, is in this part; every deal is in one."""
        return int(deal, 16) % self.of == self.number - 1


WHOLE = Part(1, 1)


class Run:
    """What a league asks for and the store lacks; `play` gets it."""

    def __init__(
        self,
        league: League,
        store: Store,
        workers: int | None,
        sandbox: str,
        sandbox_uid: int | None,
        part: Part,
    ) -> None:
        tasks = missing_tasks(league, store.match_ids(), part)
        cores = usable_cores(workers)[: max(1, len(tasks))]
        setup = Setup(
            game=league.game.name,
            options=msgspec.to_builtins(league.options),
            limits=league.limits,
            schedule=league.schedule,
            names=[bot.name for bot in league.bots],
            programs=[bot.program for bot in league.bots],
            sandbox_uid=sandbox_uid,
        )
        self.workers = len(cores)
        self.missing = sum(len(task.rotations) for task in tasks)
        """How many matches are missing now."""
        self.likely_renamed = likely_renamed(league, store)
        """Bots whose files have played under a name that is gone: the new and the old name."""
        self.mean_seconds = store.mean_seconds()
        """The mean time of the matches already played; None if there are none."""
        self._sandbox = sandbox
        self._league = league
        self._store = store
        self._runner = Runner(setup, tasks, cores)

    def stop(self) -> None:
        """Let the matches that are being played be the last."""
        self._runner.stop()

    def play(self) -> Iterator[Progress]:
        """Play and store what is missing; yield what happened, already stored."""
        ids = self._store.bot_ids(self._league.bots)
        self._store.keep_settings(self._league.fixed())
        for progress in self._runner.run():
            if progress.played:
                self._store.add(
                    progress.played,
                    ids,
                    played_at=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
                    machine=platform.node(),
                    sandbox=self._sandbox,
                )
                self.missing -= len(progress.played)
            yield progress
        yield Progress(problems=self._edited())

    def _edited(self) -> list[str]:
        """Return a line for each bot whose files are no longer those that were entered."""
        return [
            f"bot {bot.name!r} was changed while it played: what is stored under its old version "
            f"may have been played by either. Put the bot under another name."
            for bot in self._league.bots
            if bot.has_changed()
        ]


@contextmanager
def open_run(
    league: League, workers: int | None, sandbox_uid: int | None, part: Part = WHOLE
) -> Iterator[Run]:
    """Open a run; raise ArenaError if another one is going on, or the league has changed."""
    sandbox = check_sandbox(league, sandbox_uid)
    with locked(league.folder), league.store(create=True) as store:
        if store.match_ids():
            check_unchanged(league, store)
        yield Run(league, store, workers, sandbox, sandbox_uid, part)


def check_sandbox(league: League, uid: int | None) -> str:
    """Prove the walls and check every bot; return the walls' name or raise SandboxError.

    Raises RunError if the fork server is killed meanwhile.
    """
    try:
        with Launcher(league.limits.sandbox, uid=uid) as launcher:
            for bot in league.bots:
                check_bot(launcher, bot)
            prove(launcher, league.limits)
            return launcher.walls.name
    except ConnectionError:
        raise RunError(
            "the process that starts the bots was killed before a match was played. Run again."
        ) from None


def check_bot(launcher: Launcher, bot: Bot) -> None:
    """Raise SandboxError, naming the bot, if it could not be run behind these walls."""
    try:
        launcher.check(bot.program)
    except SandboxError as error:
        raise SandboxError(f"bot {bot.name!r}: {error.what}") from None


def likely_renamed(league: League, store: Store) -> list[tuple[str, str]]:
    """Return the bots that played nothing but whose files played under a name that is gone."""
    played = store.bot_keys()
    keys = {bot.key for bot in league.bots}
    gone = {version: key for key, version in played if key not in keys}
    known = {key for key, _ in played}
    return [
        (bot.name, gone[bot.version])
        for bot in league.bots
        if bot.key not in known and bot.version in gone
    ]


def missing_tasks(league: League, known: set[str], part: Part = WHOLE) -> list[Task]:
    """Return the deals of the schedule with those rotations that are not `known` match ids."""
    schedule = league.schedule
    rotations = range(schedule.rotation_count)
    tasks = []
    for deal in schedule.plan():
        name = schedule.deal_id(deal)
        if not part.holds(name):
            continue
        absent = [number for number in rotations if f"{name}-{number}" not in known]
        if absent:
            tasks.append(Task(deal.lineup, deal.number, absent))
    return tasks


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other runs away from a league; the lock is on the folder and leaves nothing behind.

    Not on the file: an editor that saves puts another file in its place.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ArenaError(
                f"{folder} is in use by another run or import ({_holder(descriptor)}); wait for "
                f"it, or stop it."
            ) from None
        yield
    finally:
        os.close(descriptor)


def _holder(descriptor: int) -> str:
    """Return who holds the lock of an open file, from the kernel's table."""
    inode = f":{os.fstat(descriptor).st_ino}"
    for line in Path("/proc/locks").read_text().splitlines():
        words = line.split()
        if words[1] == "FLOCK" and words[5].endswith(inode):
            return f"process {words[4]}"
    return "on another machine or in another container"


def check_unchanged(league: League, store: Store) -> None:
    """Raise ArenaError if anything differs from what the stored matches were played with."""
    change = difference(store.settings(), league.fixed())
    if change:
        raise ArenaError(
            f"{league.folder / FILE}: {change}, when the first match was played. Put it back, or "
            f"make a new league: only bots, deals and share may change."
        )


def difference(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Return in words what differs first between settings, among those of both; or nothing."""
    for key, value in now.items():
        if key not in before or before[key] == value:
            continue
        old = before[key]
        if isinstance(old, dict) and isinstance(value, dict):
            for name in sorted({*old, *value}):
                if old.get(name) != value.get(name):
                    return f"{name} in [{key}] was {old.get(name)!r}, not {value.get(name)!r}"
        return f"{key} was {old!r}, not {value!r}"
    return ""

"""A league that is played on a cluster of its own, where something is done to it."""

import json
import os
import re
import subprocess
from collections import Counter
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from click.testing import CliRunner

from arena.cli import main
from tests.arena.conftest import naughty
from tests.arena.play.cluster.dask_cluster import DaskCluster, DaskWorker
from tests.arena.play.cluster.hosts import Host
from tests.attacks.users import USER_ID
from tests.faults.leagues import Arrangement, Evidence, FaultyLeague, is_locked
from tests.faults.workshop import Workshop
from tests.referee.process_watch import until

IMPATIENT = "tests.arena.play.cluster.impatient"
MATCHES = 72
PACE = 0.15  # seconds that a match takes at the least, where one of the two dawdles
_FEW = 6  # matches, after which a run is in the middle
_MEASURED = {"clock", "evidence", "seconds", "played_at", "machine"}
_OFTEN = re.compile(" can play: |The cluster has no workers any more")
"""What may be true, and said, more than once of the same."""
_GONE = 15.0  # seconds within which nothing is left of a run that has ended

_HEAD = """\
game = "guerra"
seed = 6
deals = 6
options.max_turns = 8
limits = { sandbox = "landlock", move_time = 2, startup = 3 }
"""


class ClusterLeague(FaultyLeague):
    """Three bots at a pace and one that makes faults; the arena is mostly the impatient one."""

    def __init__(self, workshop: Workshop, user: str = "root", *, patient: bool = False) -> None:
        super().__init__(workshop, Arrangement("guerra", "landlock", user))
        self._module = "arena" if patient else IMPATIENT
        entries = [self._entry("guerra", name, PACE) for name in ("ada", "bob", "cyd")]
        self.write(_HEAD + "".join(entries) + naughty("illegal"))
        self.give_away()

    def begin(self, *words: str, host: Host | None = None) -> "subprocess.Popen[str]":
        """Start a command as `start` does, with the patience of this league, on a host."""
        with (self.home / "said").open("w") as said:
            streams: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": said}
            before = host.words if host else ()
            return self.start(*words, module=self._module, before=before, **streams)

    def said(self) -> str:
        """Return what the command that was started last has said so far."""
        return (self.home / "said").read_text()

    def evidence(self) -> Evidence:
        """Return all that the league says, its export too."""
        found = super().evidence()
        return Evidence(found.rank, found.matches + self._exported(), found.replays)

    def _exported(self) -> str:
        """Return the export without what was measured."""
        call = ["export", str(self.folder)]
        lines = CliRunner().invoke(main, call, catch_exceptions=False).stdout.splitlines()
        kept = []
        for line in map(json.loads, lines):
            for key in _MEASURED & line.keys():
                del line[key]
            kept.append(json.dumps(line))
        return "\n".join(kept)


class Scene:
    """A league, and a cluster to play it on; a context manager that ends both.

    The scheduler is at one host, and Dask workers at any.
    """

    def __init__(
        self,
        workshop: Workshop,
        reference: Evidence,
        host: Host,
        *,
        user: str = "root",
        env: dict[str, str] | None = None,
    ) -> None:
        self.league = ClusterLeague(workshop)
        self._reference = reference
        self._host = host
        self._python = workshop.python(user)
        folder = workshop.home("dask")
        self.scratch = folder / "tmp"
        self.scratch.mkdir(parents=True)
        environment = {**workshop.environment(folder), **(env or {})}
        self._settings: dict[str, Any] = {"env": environment}
        self._as: tuple[str, ...] = ()
        if workshop.runs_as(user):
            for path in (folder, self.scratch):
                os.chown(path, USER_ID, USER_ID)
            self._as = ("setpriv", f"--reuid={USER_ID}", f"--regid={USER_ID}", "--clear-groups")
        self.cluster = DaskCluster(
            folder, host.address, (*host.words, *self._as), python=self._python, **self._settings
        )
        self.workers: list[DaskWorker] = []
        self.killed: list[DaskWorker] = []
        """Those that could not remove their folders."""
        self.struck_at: list[int] = []
        """How many matches were stored when something was done."""

    def __enter__(self) -> "Scene":
        self.cluster.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self.cluster.__exit__(*error)
        self.league.close()

    def hire(
        self, *names: str, threads: int = 1, nanny: bool = False, host: Host | None = None
    ) -> list[DaskWorker]:
        """Start Dask workers, and wait until the scheduler knows them."""
        new = [
            self.cluster.begin_worker(
                name,
                threads=threads,
                nanny=nanny,
                words=(*(host or self._host).words, *self._as),
                more=("--preload", IMPATIENT),
                python=self._python,
                **self._settings,
            )
            for name in names
        ]
        for each in new:
            each.await_registered()
        self.workers += new
        return new

    def run(self, host: Host | None = None) -> "subprocess.Popen[str]":
        """Start a run on the cluster."""
        return self.league.begin("run", "--cluster", self.cluster.address, host=host or self._host)

    def strike_in_the_middle(self, more: int = _FEW) -> None:
        """Wait until more matches are stored; fail if it is too late for a strike."""
        goal = (self.struck_at[-1] if self.struck_at else 0) + more
        deadline = monotonic() + 60
        while self.league.count() < goal:
            assert monotonic() < deadline, self.league.said()
            sleep(0.01)
        self.struck_at.append(self.league.count())
        assert self.struck_at[-1] < MATCHES

    def kill(self, *workers: DaskWorker) -> None:
        """Kill Dask workers, and not their nannies."""
        for each in workers:
            each.kill()
        self.killed += workers

    def kill_scheduler(self) -> None:
        """Kill it, and wait until its Dask workers have ended, as they do then."""
        assert self.cluster.scheduler is not None
        self.cluster.scheduler.kill()
        self.cluster.scheduler.wait()
        until(lambda: not any(each.is_alive for each in self.workers), 60)

    def finish(self, process: "subprocess.Popen[str]") -> str:
        """Wait until a run has played everything, and compare; return what it said."""
        told = self.end(process)
        self.compare()
        return told

    def end(self, process: "subprocess.Popen[str]", code: int = 0) -> str:
        """Wait for the end of a run, of which nothing may be left; return what it said."""
        process.wait(120)
        told = self.league.said()
        print(told)  # for whoever looks into a failure
        assert process.returncode == code, told
        assert "Traceback" not in told
        said = Counter(line for line in told.splitlines() if line and not _OFTEN.search(line))
        assert not [line for line, times in said.items() if times > 1], "said twice"
        self.settle()
        return told

    def compare(self) -> None:
        """Fail unless the league is what an undisturbed one is, and it was struck meanwhile."""
        assert self.league.evidence() == self._reference
        assert all(0 < count < MATCHES for count in self.struck_at)

    def settle(self) -> None:
        """Fail unless nothing is left on the cluster of runs that have ended.

        A Dask worker's folder of bots stays while it lives; that of a killed one is for the next
        to sweep.
        """
        until(lambda: not self._left(), _GONE)
        until(lambda: not self.claims(), _GONE)
        until(lambda: not [*self.scratch.glob("arena-stage-*")], _GONE)
        assert len(self.folders(owned=True)) <= sum(each.is_alive for each in self.workers)
        assert len(self.folders(owned=False)) <= len(self.killed)
        assert self.league.is_left_clean()

    def _left(self) -> list[int]:
        return [
            *self.league.processes(),
            *(pid for each in self.workers for pid in each.arena_workers()),
            *(pid for each in self.workers for pid in each.fork_servers()),
        ]

    def bots(self) -> list[int]:
        """Return the processes of bots at a pace, wherever they run."""
        token = self.league.token
        return [pid for pid, words in self.league.processes().items() if token in words]

    def claims(self) -> list[str]:
        """Return the claims to cores on the scheduler's host, if no other cluster is there."""
        if not self._host.words:
            return []
        assert self.cluster.scheduler is not None
        text = Path(f"/proc/{self.cluster.scheduler.pid}/net/unix").read_text()
        return re.findall("@bot-arena-core-[0-9]+", text)

    def folders(self, *, owned: bool) -> list[Path]:
        """Return the folders of bots whose owner lives, or those whose owner was killed."""
        return [path for path in self.scratch.glob("arena-bots-*") if is_locked(path) == owned]

    def age(self) -> None:
        """Let the folders of killed Dask workers be old enough to be swept."""
        for path in self.folders(owned=False):
            os.utime(path, (0, 0))

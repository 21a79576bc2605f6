"""Mutants tried: each written into a copy of the repository, where its tests are run."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Self

from tests.ci.history import History
from tests.mutants.drawing import ROOT
from tests.mutants.mutating import Mutant

EACH_SECONDS = 40.0
"""How long a test may take, on a busy machine too; none of them takes so long by itself."""
_LONG_AGO = 1_000_000_000
"""When mutants are said to be written, in seconds of UTC: each in another one."""


class Trial(NamedTuple):
    """A mutant, and by which tests it is tried."""

    mutant: Mutant
    tests: Sequence[str]
    seconds: float | None = None
    """CPU time for all of them; what did not fail in it has not failed."""


class Verdict(NamedTuple):
    """What became of a mutant."""

    is_killed: bool
    how: str
    """`failed`, or `stuck` in a test; `passed` all, or was `late`."""
    test: str
    """The test that failed, or was being run."""
    seconds: float


class Copy:
    """A copy of the repository that one mutant at a time is written into; a context manager.

    The working tree is never written to. Processes that tests start find the copy by PYTHONPATH,
    or beside the tests; one that heeds neither (`python -I`) runs the project as it is installed.

    Args:
        sound: what is known of tests that failed: whether they pass without a mutant.
        root: of the repository.

    """

    def __init__(self, sound: dict[str, bool], root: Path = ROOT) -> None:
        self._sound = sound
        self._root = root
        self._written = 0
        self._prepared: list[str] = []

    def __enter__(self) -> Self:
        self._home = Path(tempfile.mkdtemp(prefix="mutants-"))
        self._home.chmod(0o755)  # some tests are run as nobody
        self.folder = self._home / "copy"
        History(self._root).copy(self.folder)
        self._forker = subprocess.Popen(
            [*alone(), sys.executable, "-P", str(Path(__file__).with_name("forker.py"))],
            cwd=self.folder,
            env=os.environ | {"PYTHONPATH": str(self.folder)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        return self

    def __exit__(self, *error: object) -> None:
        self._forker.communicate()
        shutil.rmtree(self._home)

    def judge(self, trial: Trial) -> Verdict:
        """Try a mutant: a test kills it that passes without it, and fails with it twice."""
        self._prepare(trial)
        passed_by: list[str] = []
        anew = False
        while True:
            with self._mutated(trial.mutant):
                found = self._run(trial, mutant=trial.mutant, anew=anew, without=passed_by)
                test, is_stuck = found["test"], found["ended"] == "stuck"
                if found["ended"] == "failed" and "::" in test:
                    again = self._run(trial, mutant=trial.mutant, anew=anew, test=test)
                    if again["ended"] == "passed":
                        passed_by.append(test)
                        continue
            if found["ended"] == "unpatched":
                anew = True
            elif not is_stuck and found["ended"] != "failed":
                return Verdict(False, found["ended"], test, found["seconds"])
            elif self._is_sound(test, trial):
                return Verdict(True, found["ended"], test, found["seconds"])

    def _prepare(self, trial: Trial) -> None:
        """Have the tests collected, and run once if they are few, before a mutant is there."""
        if sorted(trial.tests) != self._prepared:
            is_room = trial.seconds is not None
            found = self._run(trial, test="none" if is_room else "", runs_all=not is_room)
            self._sound |= dict.fromkeys(found["failed"], False)
            self._prepared = sorted(trial.tests)

    def _is_sound(self, test: str, trial: Trial) -> bool:
        """Return whether a test passes in the repository as it is; files can be collected."""
        if "::" in test and test not in self._sound:
            self._sound[test] = self._run(trial, test=test)["ended"] == "passed"
        return self._sound.get(test, True)

    @contextmanager
    def _mutated(self, mutant: Mutant) -> Iterator[None]:
        file = self.folder / mutant.module
        before, times = file.read_bytes(), file.stat()
        self._written += 1
        file.write_text(mutant.text, encoding="utf-8")
        moment = _LONG_AGO + self._written  # Python compiles it anew: it looks at seconds and size
        os.utime(file, (moment, moment))
        yield
        file.write_bytes(before)
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))

    def _run(
        self,
        trial: Trial,
        *,
        mutant: Mutant | None = None,
        test: str = "",
        runs_all: bool = False,
        anew: bool = False,
        without: Sequence[str] = (),
    ) -> dict[str, Any]:
        job = {
            "all": runs_all,
            "anew": anew,
            "tests": trial.tests,
            "test": test,
            "without": [*without, *(each for each in [*self._sound] if not self._sound[each])],
            "patched": mutant.module if mutant else "",
            "texts": [mutant.original, mutant.text] if mutant else [],
            "each": EACH_SECONDS,
            "most": trial.seconds if mutant else None,
            "folder": str(self._home),
        }
        assert self._forker.stdin is not None
        assert self._forker.stdout is not None
        self._forker.stdin.write(json.dumps(job) + "\n")
        self._forker.stdin.flush()
        found: dict[str, Any] = json.loads(self._forker.stdout.readline())
        if not found:
            output = (self._home / "output").read_text(encoding="utf-8", errors="replace")
            raise SystemExit(f"{output}\nthese tests cannot be run: {' '.join(trial.tests)}")
        return found


def alone() -> Sequence[str]:
    """Return the words before a command for which the machine has no other processes.

    Code that ends processes may, with a change, end whatever it can: as root that is all there is.
    """
    words = ("unshare", "--pid", "--fork", "--mount-proc", "--kill-child")
    if os.geteuid() == 0 and shutil.which("unshare"):
        is_granted = subprocess.run([*words, "true"], capture_output=True).returncode == 0
        return words if is_granted else ()
    return ()

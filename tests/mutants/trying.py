"""Mutants tried: each written into a copy of the repository, where its tests are run."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple, Self

from tests.ci.history import History
from tests.mutants.drawing import ROOT
from tests.mutants.mutating import Mutant
from tests.mutants.watching import PROFILE, TOLD

EACH_SECONDS = 40.0
"""How long a test may take, on a busy machine too; none of them takes so long by itself."""
_PASSED = (0, 5)
"""What pytest exits with; 5 where there was no test."""
_LONG_AGO = 1_000_000_000
"""When mutants are said to be written, in seconds of UTC: each in another one."""


class Trial(NamedTuple):
    """A mutant, and by which tests it is tried."""

    mutant: Mutant
    tests: Sequence[str]
    seconds: float | None = None
    """For all of them, on the wall; what did not fail in it has not failed."""


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

    def __enter__(self) -> Self:
        self._home = Path(tempfile.mkdtemp(prefix="mutants-"))
        self._home.chmod(0o755)  # some tests are run as nobody
        self.folder = self._home / "copy"
        History(self._root).copy(self.folder)
        return self

    def __exit__(self, *error: object) -> None:
        shutil.rmtree(self._home)

    def judge(self, trial: Trial) -> Verdict:
        """Try a mutant: a test kills it that passes without it, and fails with it twice."""
        began = time.monotonic()
        passed_by: list[str] = []
        while True:
            with self._mutated(trial.mutant):
                how, test = self._run(trial.tests, trial.seconds, passed_by)
                if how == "failed" and "::" in test and self._run([test])[0] == "passed":
                    passed_by.append(test)
                    continue
            if how == "failed" and not test:  # nothing could be imported: is it the mutant's doing?
                self._check_importable(trial.tests)
            if how in ("passed", "late"):
                return Verdict(False, how, test, time.monotonic() - began)
            if self._is_sound(test):
                return Verdict(True, how, test, time.monotonic() - began)

    def _check_importable(self, tests: Sequence[str]) -> None:
        """Raise SystemExit, with what was printed, if tests cannot be collected as they are."""
        if self._run(tests, None, (), "--collect-only") == ("failed", ""):
            text = (self._home / "output").read_text(encoding="utf-8", errors="replace")
            raise SystemExit(f"{text}\nthese tests cannot be run: {' '.join(tests)}")

    def _is_sound(self, test: str) -> bool:
        """Return whether a test passes in the repository as it is; files can be collected."""
        if "::" in test and test not in self._sound:
            self._sound[test] = self._run([test])[0] == "passed"
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
        tests: Sequence[str],
        seconds: float | None = None,
        without: Sequence[str] = (),
        *more: str,
    ) -> tuple[str, str]:
        """Run tests until one fails; return how that ended, and by which test, if any was run.

        `more` are further words for pytest.
        """
        told = self._home / "told"
        told.write_text("")
        left_out = [*without, *(each for each, is_sound in self._sound.items() if not is_sound)]
        words = [*alone(), sys.executable, "-P", "-m", "pytest", "-x", "-q"]
        words += ["-p", "no:cacheprovider", "-p", "tests.mutants.watching"]
        words += ["-m", "not slow and not soak", f"--hypothesis-profile={PROFILE}"]
        words += [f"--basetemp={self._home / 'tests'}", *more, *tests]
        words += [word for each in left_out if each not in tests for word in ("--deselect", each)]
        places = os.pathsep.join(map(str, (self.folder, ROOT)))
        began = time.monotonic()
        with (self._home / "output").open("w") as output:
            process = subprocess.Popen(
                words,
                cwd=self.folder,
                env=os.environ | {"PYTHONPATH": places, TOLD: str(told)},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        ended, since, heard = "", began, ""
        while not ended:
            with suppress(subprocess.TimeoutExpired):
                ended = "passed" if process.wait(0.1) in _PASSED else "failed"
            now = time.monotonic()
            if heard != (heard := told.read_text(encoding="utf-8")):
                since = now
            elif not ended and now - since > EACH_SECONDS:
                ended = "stuck"
            if not ended and seconds is not None and now - began > seconds:
                ended = "late"
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        lines = [line.partition(" ") for line in heard.splitlines()]
        failed = [test for what, _, test in lines if what == "fails"]
        return ended, "" if ended == "passed" else [*failed, *(lines[-1][2:] if lines else [""])][0]


def alone() -> Sequence[str]:
    """Return the words before a command for which the machine has no other processes.

    Code that ends processes may, with a change, end whatever it can: as root that is all there is.
    """
    words = ("unshare", "--pid", "--fork", "--mount-proc", "--kill-child")
    if os.geteuid() == 0 and shutil.which("unshare"):
        is_granted = subprocess.run([*words, "true"], capture_output=True).returncode == 0
        return words if is_granted else ()
    return ()

"""Runs tests again and again, each time in a fork of a process that is ready for it.

It is run as a script in a copy of the repository, and reads what to run from its standard input, an
object of JSON a line; it answers in the same way. There are two ways:

- Tests that were collected once: of the module `patched`, whose file has changed since, functions
  are given their new code. That takes a tenth of the time, and does only for changes within them.
- `anew`: from a process that has pytest and what we use, but none of ours, so that all is imported
  as it is in the file.
"""

import ctypes
import gc
import importlib
import inspect
import json
import os
import select
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, TextIO

import pytest

_OTHERS = (
    *("pytest", "_pytest.assertion.rewrite", "xdist.plugin", "hypothesis.strategies", "anyio"),
    *("click.testing", "jinja2", "msgspec", "multiprocess", "networkx", "packaging.requirements"),
    *("playwright.sync_api", "tabulate", "tomlkit", "trueskill", "h11", "jsonschema"),
    *("starlette.applications", "uvicorn", "websockets.sync.client", "asyncio", "sqlite3"),
)
_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER
PROFILE = "mutants"
_AT_LEAST, _TIMES = 5.0, 20.0
UNPATCHED = 71
"""The exit code where a change is not within functions."""


class Watch:
    """Writes which test begins, and which one fails, into a pipe."""

    def __init__(self, pipe: int) -> None:
        self._pipe = pipe

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._write("begins", nodeid)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self._write("ends", nodeid)

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            self._write("fails", report.nodeid)

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self._write("fails", report.nodeid)

    def _write(self, what: str, test: str) -> None:
        os.write(self._pipe, (json.dumps([what, test]) + "\n").encode())


def options(folder: Path) -> list[str]:
    """Return the options of pytest."""
    from hypothesis import Phase, settings

    settings.register_profile(
        PROFILE,
        deadline=None,
        derandomize=True,
        database=None,
        phases=(Phase.explicit, Phase.generate),  # a failure is enough, and need not be small
    )
    return [
        *("-x", "-q", "-p", "no:cacheprovider", "-m", "not slow and not soak"),
        *(f"--hypothesis-profile={PROFILE}", f"--basetemp={folder / 'tests'}"),
        *("-W", "ignore::pytest.PytestAssertRewriteWarning"),  # plugins are imported already
    ]


def quietly(folder: Path) -> None:
    """Let this process be a session of its own, and write into a file."""
    os.setsid()
    output = os.open(folder / "output", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    null = os.open(os.devnull, os.O_RDONLY)
    for number, file in enumerate((null, output, output)):
        os.dup2(file, number)


@contextmanager
def leaving() -> Iterator[None]:
    """Leave the process at the end, with the exit code that was raised."""
    code = 70
    try:
        yield
    except SystemExit as found:
        code = int(found.code or 0)
    except BaseException:  # noqa: BLE001 - nothing leads out of here but the end of the process
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def run(job: dict[str, Any], kept: int = 0) -> dict[str, Any] | int:
    """Fork for a job; return how it ended, and by which test, or in the fork a pipe to write to.

    All that it has started is killed, but for the process `kept` of others.
    """
    began = time.monotonic()
    ours, theirs = os.pipe()
    child = os.fork()
    if not child:
        os.close(ours)
        return theirs
    os.close(theirs)
    found = watch(child, ours, began, job)
    os.close(ours)
    clean(child, kept)
    shutil.rmtree(Path(job["folder"]) / "tests", ignore_errors=True)
    return {**found, "seconds": round(time.monotonic() - began, 2)}


def run_anew(job: dict[str, Any], kept: int) -> dict[str, Any]:
    """Run the tests of a job where none of ours was imported before."""
    found = run(job, kept)
    if isinstance(found, dict):
        return found
    with leaving():
        quietly(Path(job["folder"]))
        words = [*options(Path(job["folder"])), *([job["test"]] if job["test"] else job["tests"])]
        words += [word for each in job["without"] for word in ("--deselect", each)]
        raise SystemExit(pytest.main(words, plugins=[Watch(found)]))


class Collected:
    """Tests that were collected, in a process that runs them in forks of itself.

    Args:
        job: whose tests they are.

    """

    def __init__(self, job: dict[str, Any]) -> None:
        self.tests = sorted(job["tests"])
        asked, ask = os.pipe()
        answer, answered = os.pipe()
        self.process = os.fork()
        if not self.process:
            os.close(ask)
            os.close(answer)
            with leaving():
                self._serve(Path(job["folder"]), asked, answered)
        os.close(asked)
        os.close(answered)
        self._ask, self._answer = os.fdopen(ask, "w"), os.fdopen(answer)

    def _serve(self, folder: Path, asked: int, answered: int) -> None:
        quietly(folder)
        be_subreaper()
        lender = Lender(os.fdopen(asked), os.fdopen(answered, "w"))
        raise SystemExit(pytest.main([*options(folder), *self.tests], plugins=[lender]))

    def ask(self, job: dict[str, Any]) -> dict[str, Any]:
        """Return how a job ended; `{}` if the tests cannot be collected."""
        self._ask.write(json.dumps(job) + "\n")
        self._ask.flush()
        found: dict[str, Any] = json.loads(self._answer.readline() or "{}")
        return found

    def close(self) -> None:
        """End it."""
        with suppress(BrokenPipeError):
            self._ask.close()
        self._answer.close()
        with suppress(ChildProcessError):
            os.waitpid(self.process, 0)


class Lender:
    """Answers jobs where pytest would run what it has collected, and runs that in each fork."""

    def __init__(self, asked: TextIO, answered: TextIO) -> None:
        self._asked = asked
        self._answered = answered

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        if session.testsfailed:
            return True
        took: dict[str, float] = {}
        for line in self._asked:
            job = {**json.loads(line), "took": took}
            found = run(job)
            if isinstance(found, int):
                quietly(Path(job["folder"]))
                session.config.pluginmanager.register(Watch(found))
                session.config.option.maxfail *= not job["all"]
                session.items[:] = chosen(session.items, job)
                patch(job)
                return None
            if job["all"]:
                took |= found["took"]
            self._answered.write(json.dumps(found) + "\n")
            self._answered.flush()
        return True


def chosen(items: list[pytest.Item], job: dict[str, Any]) -> list[pytest.Item]:
    """Return the tests of a job, the quickest first, or in the order of its files."""
    files = job["tests"]
    found = [item for item in items if item.nodeid not in job["without"]]
    if job["test"]:
        found = [item for item in found if item.nodeid == job["test"]]
    if job["took"]:
        return sorted(found, key=lambda item: job["took"].get(item.nodeid, 0.0))
    return sorted(found, key=lambda item: files.index(item.nodeid.partition("::")[0]))


def patch(job: dict[str, Any]) -> None:
    """Give functions the code that their file has now, where that differs."""
    if not job["patched"]:
        return
    path = str(Path.cwd() / job["patched"])
    changed = dict(differing(*(compile(text, path, "exec") for text in job["texts"])))
    left = {*changed}
    for found in gc.get_objects():
        if isinstance(found, FunctionType) and found.__code__ in changed:
            left.discard(found.__code__)
            found.__code__ = changed[found.__code__]
    if left:
        os._exit(UNPATCHED)


def differing(before: CodeType, after: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """Yield the functions of a module that differ; it must be the same outside of them."""
    same = (before.co_code, before.co_names) == (after.co_code, after.co_names)
    if not same or len(before.co_consts) != len(after.co_consts):
        os._exit(UNPATCHED)
    for one, other in zip(before.co_consts, after.co_consts, strict=True):
        if not isinstance(one, CodeType):
            if (type(one), one) != (type(other), other):
                os._exit(UNPATCHED)
        elif not one.co_flags & inspect.CO_OPTIMIZED:
            yield from differing(one, other)
        elif one != other:
            if one.co_freevars != other.co_freevars:
                os._exit(UNPATCHED)
            yield one, other


def watch(child: int, pipe: int, began: float, job: dict[str, Any]) -> dict[str, Any]:
    """Follow a child to its end, or to that of its time."""
    process = os.pidfd_open(child)
    test, failed, heard = "", [], b""
    test_began, took = began, {}
    try:
        while True:
            now = time.monotonic()
            if now > test_began + limit(test, job):
                return {"ended": "stuck", "test": test, "failed": [*failed, test], "took": took}
            if job["most"] and used(child) > job["most"]:
                return {"ended": "late", "test": test}
            ready, _, _ = select.select([process, pipe], [], [], 0.5)
            if pipe in ready and (more := os.read(pipe, 1 << 16)):
                *lines, heard = (heard + more).split(b"\n")
                for what, name in map(json.loads, lines):
                    if what == "begins":
                        test, test_began = name, time.monotonic()
                    elif what == "ends":
                        took[name] = time.monotonic() - test_began
                    else:
                        failed.append(name)
            elif process in ready:
                break
    finally:
        os.close(process)
    _, status = os.waitpid(child, 0)
    code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else -1
    if code in (0, 5, UNPATCHED):
        ended = "unpatched" if code == UNPATCHED else "passed"
        return {"ended": ended, "test": "", "failed": [], "took": took}
    return {"ended": "failed", "test": [*failed, test][0], "failed": failed, "took": took}


def used(pid: int) -> float:
    """Return the CPU seconds of a process, and of those that it has waited for."""
    return sum(map(int, fields(pid)[11:15])) / os.sysconf("SC_CLK_TCK")


def limit(test: str, job: dict[str, Any]) -> float:
    """Return how many seconds a test may take: many times what it took before, if that is known."""
    if test in job.get("took", ()):
        return float(min(job["each"], _AT_LEAST + _TIMES * job["took"][test]))
    return float(job["each"])


def clean(child: int, kept: int) -> None:
    """Kill all that is left of a child: what has lost its parent is ours."""
    with suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        left = [pid for pid in descendants(kept) if state(pid) != "Z"]
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if not left:
            return
        time.sleep(0.01)


def descendants(kept: int) -> list[int]:
    """Return all processes below this one, but for one that is kept and those below it."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and entry.name != str(kept):
            with suppress(OSError):
                parents[int(entry.name)] = int(fields(int(entry.name))[1])
    found, below = [], [os.getpid()]
    while below:
        parent = below.pop()
        more = [pid for pid, above in parents.items() if above == parent]
        found += more
        below += more
    return found


def fields(pid: int) -> list[str]:
    """Return what the kernel says of a process, its state first."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def state(pid: int) -> str:
    """Return the state of a process; Z if it has ended."""
    try:
        return fields(pid)[0]
    except OSError:
        return "Z"


def be_subreaper() -> None:
    """Become the parent of whatever below this process loses its own."""
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)


def main() -> None:
    """Answer each line."""
    be_subreaper()
    for name in _OTHERS:
        with suppress(ImportError):
            importlib.import_module(name)
    collected = None
    for line in sys.stdin:
        job = json.loads(line)
        if job["anew"]:
            answer = run_anew(job, collected.process if collected else 0)
        else:
            if collected is None or collected.tests != sorted(job["tests"]):
                if collected is not None:
                    collected.close()
                collected = Collected(job)
            answer = collected.ask(job)
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
    if collected is not None:
        collected.close()


if __name__ == "__main__":
    main()

"""The fork server: what it cannot start, what a bot is given, and what is told of its end."""

import json
import os
import re
import resource
import subprocess
import sys
from itertools import count
from pathlib import Path

import pytest

from referee.limits import Limits
from referee.sandbox import Launcher, MachineError, StartError
from referee.sandbox.kinds import THREAD_COUNTS
from tests.referee.process_watch import children, descriptors, fields, gone, until
from tests.referee.raw_programs import ENOUGH, SH, TRUE, here, output, python, read_all, sleeper

# What cannot be started


@pytest.mark.parametrize(
    ("text", "mode", "words", "reason"),
    [
        (None, 0, ("{here}/script",), "{here}/script: No such file or directory"),
        ("#!/bin/sh\n", 0o644, ("{here}/script",), "{here}/script: Permission denied"),
        ("print('hi')\n", 0o755, ("{here}/script",), "./script is no program: it lacks a first"),
        ("", 0o755, ("{here}/script",), "./script is empty"),
        ("#!/no/such\n", 0o755, ("{here}/script",), "./script: its interpreter /no/such is not"),
        (None, 0, ("{here}",), "{here}: Permission denied"),
        (None, 0, (*TRUE, "a\0b"), "embedded null"),
    ],
    ids=["missing", "not executable", "text", "empty", "interpreter", "folder", "argument"],
)
def test_what_cannot_be_started_is_named_and_the_next_is_started(
    launcher: Launcher,
    tmp_path: Path,
    text: str | None,
    mode: int,
    words: tuple[str, ...],
    reason: str,
) -> None:
    if text is not None:
        (tmp_path / "script").write_text(text)
        (tmp_path / "script").chmod(mode)
    before = descriptors()
    with pytest.raises(StartError, match=re.escape(reason.format(here=tmp_path))):
        launcher.start(here(tmp_path, *(word.format(here=tmp_path) for word in words)), ENOUGH)
    assert descriptors() == before
    assert output(launcher, here(tmp_path, "/bin/echo", "still here")) == "still here\n"


def test_a_missing_working_folder_is_named(launcher: Launcher, tmp_path: Path) -> None:
    """And not the program, which is there."""
    gone = tmp_path / "gone"
    with pytest.raises(StartError, match=f"^{gone}: No such file or directory$"):
        launcher.start(here(gone, *TRUE), ENOUGH)


def test_a_lack_of_descriptors_is_told_and_survived(launcher: Launcher, tmp_path: Path) -> None:
    """A lack of processes or memory would be as good, and harder to bring about."""
    server, idle = launcher._server.pid, sleeper(tmp_path)
    running = [launcher.start(idle, ENOUGH) for _ in range(4)]
    before = resource.prlimit(server, resource.RLIMIT_NOFILE)
    resource.prlimit(server, resource.RLIMIT_NOFILE, (12, before[1]))
    try:
        with pytest.raises(MachineError, match=r"Too many open files.*ulimit -n"):
            running.extend(launcher.start(idle, ENOUGH) for _ in range(12))
    finally:
        resource.prlimit(server, resource.RLIMIT_NOFILE, before)
    for child in running:
        launcher.stop(child)
    assert output(launcher, here(tmp_path, "/bin/echo", "still here")) == "still here\n"
    assert children(server) == set()


# What a bot is given


def test_the_environment_is_built_and_not_inherited(
    launcher: Launcher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_SECRET", "the seed of the deal")
    lines = output(launcher, here(tmp_path, "/usr/bin/env")).splitlines()
    assert sorted(lines) == sorted(
        [
            *(f"PATH={os.environ['PATH']}", "LANG=C.UTF-8", "PYTHONHASHSEED=0"),
            *("PYTHONDONTWRITEBYTECODE=1", "PYTHONUNBUFFERED=1"),
            *(f"{name}=1" for name in THREAD_COUNTS),
        ]
    )


def test_arguments_and_folder_are_passed_as_they_are(launcher: Launcher, tmp_path: Path) -> None:
    folder = tmp_path / "mañana und ‘Morgen’"
    folder.mkdir()
    said = output(launcher, here(folder, SH, "-c", 'pwd; printf "%s|" "$@"', "sh", "", "a b", "ü*"))
    assert said == f"{folder}\n|a b|ü*|"


def test_there_are_three_pipes_and_no_other_descriptor(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.set_inheritable(writing, True)
    try:
        with Launcher("none") as launcher:
            first = launcher.start(sleeper(tmp_path), ENOUGH)
            found = json.loads(output(launcher, python(tmp_path, LIST_DESCRIPTORS)))
            launcher.stop(first)
    finally:
        os.close(reading)
        os.close(writing)
    assert sorted(found) == ["0", "1", "2"]
    assert all(target.startswith("pipe:") for target in found.values())
    assert len(set(found.values())) == 3


LIST_DESCRIPTORS = """
import json, os
found = {}
for name in os.listdir("/proc/self/fd"):
    try:
        found[name] = os.readlink(f"/proc/self/fd/{name}")
    except OSError:
        pass  # the listing's own
print(json.dumps(found))
"""


def test_no_signal_is_blocked_or_ignored_and_no_rights_are_gained(
    launcher: Launcher, tmp_path: Path
) -> None:
    """Python ignores SIGPIPE and SIGXFSZ; its children would, too.

    As root's program, `su` say, a bot could not be killed by an ordinary user's referee.
    """
    status = output(launcher, here(tmp_path, "/bin/cat", "/proc/self/status"))
    masks = dict(line.split(":\t") for line in status.splitlines() if line.startswith("Sig"))
    of_the_c_library = 0b11 << 31  # signals 32 and 33: nobody else can set them
    assert int(masks["SigBlk"], 16) == int(masks["SigIgn"], 16) & ~of_the_c_library == 0
    assert "NoNewPrivs:\t1" in status.splitlines()


SCHEDULING = """
import ctypes, struct
attributes = ctypes.create_string_buffer(48)
assert ctypes.CDLL(None).syscall(315, 0, attributes, 48, 0) == 0
_, policy, _, nice, _, runtime, _, _ = struct.unpack("=IIQiIQQQ", attributes.raw)
print(policy, nice, runtime)
"""
"""Prints how the kernel schedules a process, as `sched_getattr` tells it: its slice last."""


def test_a_bot_may_run_as_soon_as_it_is_asked(launcher: Launcher, tmp_path: Path) -> None:
    """Its slice of a core is the shortest; kernels before 6.12 have none and tell 0."""
    own = subprocess.check_output((sys.executable, "-c", SCHEDULING), text=True)
    policy, nice, runtime = output(launcher, python(tmp_path, SCHEDULING)).split()
    assert [policy, nice] == own.split()[:2]
    assert runtime == ("0" if own.split()[2] == "0" else "100000")


def test_a_bot_is_scheduled_as_the_arena_otherwise(tmp_path: Path) -> None:
    before = os.sched_getscheduler(0)
    os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
    try:
        with Launcher("none") as launcher:
            policy, _, _ = output(launcher, python(tmp_path, SCHEDULING)).split()
    finally:
        os.sched_setscheduler(0, before, os.sched_param(0))
    assert int(policy) == os.SCHED_BATCH


def test_a_bot_leads_its_own_session(launcher: Launcher, tmp_path: Path) -> None:
    """The Ctrl-C of a terminal does not reach it."""
    child = launcher.start(sleeper(tmp_path), ENOUGH)
    group, session = fields(child.pid)[2:4]
    assert group == session == str(child.pid)
    launcher.stop(child)


def test_files_of_a_bot_are_its_own_and_no_core_is_dumped(
    launcher: Launcher, tmp_path: Path
) -> None:
    assert output(launcher, here(tmp_path, SH, "-c", "umask; ulimit -c")).split() == ["0077", "0"]


def test_the_memory_limit_holds(launcher: Launcher, tmp_path: Path) -> None:
    take = "bytearray(200 * 2**20)"
    assert output(launcher, python(tmp_path, take), Limits(sandbox="none", memory_mb=300)) == ""
    child = launcher.start(python(tmp_path, take), Limits(sandbox="none", memory_mb=100))
    assert "MemoryError" in read_all(child.stderr)
    assert str(launcher.wait(child)) == "exited with code 1"


# How a bot ended


def test_the_end_is_told_to_those_it_belongs_to(launcher: Launcher, tmp_path: Path) -> None:
    ends = {
        ":": "exited with code 0",
        "kill -SEGV $$": "was killed by SIGSEGV",
        "kill -40 $$": "was killed by signal 40",
        **{f"exit {number}": f"exited with code {number}" for number in range(2, 9)},
    }
    running = {how: launcher.start(here(tmp_path, SH, "-c", how), ENOUGH) for how in ends}
    for how in sorted(ends):
        assert str(launcher.wait(running[how])) == ends[how]


def test_a_bot_that_ended_by_itself_can_be_stopped(launcher: Launcher, tmp_path: Path) -> None:
    child = launcher.start(here(tmp_path, SH, "-c", "exit 3"), ENOUGH)
    until(lambda: gone(child.pid))
    assert str(launcher.stop(child)) == "exited with code 3"


def test_what_was_used_is_told(launcher: Launcher, tmp_path: Path) -> None:
    idle = launcher.wait(launcher.start(here(tmp_path, *TRUE), ENOUGH))
    work = "import time\ntaken = b'x' * (100 * 2**20)\nwhile time.process_time() < 0.3: pass"
    busy = launcher.wait(launcher.start(python(tmp_path, work), ENOUGH))
    assert 0 <= idle.cpu < 0.1
    assert 0.3 <= busy.cpu < 0.6
    assert 0 < idle.memory < 50 * 2**20
    assert 100 * 2**20 <= busy.memory < 200 * 2**20


# Many


def test_a_hundred_starts_leak_nothing(launcher: Launcher, tmp_path: Path) -> None:
    before = descriptors()
    server = launcher._server.pid
    resource.prlimit(server, resource.RLIMIT_NOFILE, (30, 30))  # it would run out of them
    for _ in range(50):
        launcher.wait(launcher.start(here(tmp_path, *TRUE), ENOUGH))
        launcher.stop(launcher.start(here(tmp_path, "/bin/sleep", "600"), ENOUGH))
    assert descriptors() == before
    assert children(server) == set()


def test_pipes_never_block_the_referee(launcher: Launcher, tmp_path: Path) -> None:
    child = launcher.start(sleeper(tmp_path), ENOUGH)
    with pytest.raises(BlockingIOError):
        os.read(child.stdout, 1)
    with pytest.raises(BlockingIOError):
        sum(os.write(child.stdin, b"x" * 65536) for _ in count())
    launcher.stop(child)

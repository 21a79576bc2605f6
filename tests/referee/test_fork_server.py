"""The fork server: what it cannot start, what a bot is given, its end, and what ends with it."""

import json
import os
import re
import resource
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from referee.sandbox import Ended, Launcher, MachineError, StartError
from referee.sandbox.launcher import FORK_SERVER
from tests.referee.process_watch import children, descriptors, gone, state, until
from tests.referee.raw_programs import ENOUGH, SH, TRUE, here, output, python, sleeper


@pytest.mark.parametrize(
    ("mode", "words", "reason"),
    [
        (0o755, ("{here}/none",), "{here}/none: No such file or directory"),
        (0o644, ("{here}/script",), "{here}/script: Permission denied"),
        (0o755, ("{here}/script",), "./script is no program: it lacks a first"),
        (0o755, ("{here}",), "{here}: Permission denied"),
        (0o755, (*TRUE, "a\0b"), "embedded null"),
    ],
    ids=["missing", "not executable", "text", "folder", "argument"],
)
def test_what_cannot_be_started_is_named_and_the_next_is_started(
    launcher: Launcher, tmp_path: Path, mode: int, words: tuple[str, ...], reason: str
) -> None:
    (tmp_path / "script").write_text("print('hi')\n")
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


def test_arguments_and_folder_are_passed_as_they_are(launcher: Launcher, tmp_path: Path) -> None:
    folder = tmp_path / "mañana und ‘Morgen’"
    folder.mkdir()
    said = output(launcher, here(folder, SH, "-c", 'pwd; printf "%s|" "$@"', "sh", "", "a b", "ü*"))
    assert said == f"{folder}\n|a b|ü*|"


SCHEDULING = """
import ctypes, struct
attributes = ctypes.create_string_buffer(48)
assert ctypes.CDLL(None).syscall(315, 0, attributes, 48, 0) == 0
_, policy, _, nice, _, runtime, _, _ = struct.unpack("=IIQiIQQQ", attributes.raw)
print(policy, nice, runtime)
"""
"""Prints how the kernel schedules a process, as `sched_getattr` tells it: its slice last."""


@pytest.mark.parametrize("policy", [os.SCHED_OTHER, os.SCHED_BATCH])
def test_a_bot_may_run_as_soon_as_it_is_asked_and_is_scheduled_as_the_arena_otherwise(
    tmp_path: Path, policy: int
) -> None:
    """Its slice of a core is the shortest; kernels before 6.12 have none and tell 0."""
    before = os.sched_getscheduler(0)
    os.sched_setscheduler(0, policy, os.sched_param(0))
    try:
        own = subprocess.check_output((sys.executable, "-c", SCHEDULING), text=True).split()
        with Launcher("none") as launcher:
            found = output(launcher, python(tmp_path, SCHEDULING)).split()
    finally:
        os.sched_setscheduler(0, before, os.sched_param(0))
    assert own[0] == str(policy)
    assert found == [*own[:2], "0" if own[2] == "0" else "100000"]


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


def test_a_hundred_starts_leak_nothing(launcher: Launcher, tmp_path: Path) -> None:
    before = descriptors()
    server = launcher._server.pid
    resource.prlimit(server, resource.RLIMIT_NOFILE, (30, 30))  # it would run out of them
    for _ in range(50):
        launcher.wait(launcher.start(here(tmp_path, *TRUE), ENOUGH))
        launcher.stop(launcher.start(here(tmp_path, "/bin/sleep", "600"), ENOUGH))
    assert descriptors() == before
    assert children(server) == set()


ROOT = Path(__file__).parents[2]


def killed(ended: Ended) -> bool:
    return str(ended) == "was killed by SIGKILL"


def test_a_bot_that_ignores_every_signal_it_can_is_killed_though_it_is_stopped(
    launcher: Launcher, tmp_path: Path
) -> None:
    text = """
        import signal, time
        for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(number, signal.SIG_IGN)
        print("deaf", flush=True)
        while True: time.sleep(600)
    """
    for is_stopped in (False, True):
        child = launcher.start(python(tmp_path, text), ENOUGH)
        until(lambda pid=child.pid: state(pid) == "S")  # type: ignore[misc]
        if is_stopped:
            os.kill(child.pid, signal.SIGSTOP)
            until(lambda pid=child.pid: state(pid) == "T")  # type: ignore[misc]
        assert killed(launcher.stop(child))
        assert gone(child.pid)


def test_a_whole_tree_dies_with_its_bot_the_stopped_too(launcher: Launcher, tmp_path: Path) -> None:
    tree = "for i in 1 2 3; do (for j in 1 2 3; do sleep 600 & done; wait) & done; echo up; wait"
    bot = launcher.start(here(tmp_path, SH, "-c", tree), ENOUGH)
    until(lambda: len(children(bot.pid)) == 3)
    pids = {bot.pid} | children(bot.pid)
    until(lambda: all(len(children(pid)) == 3 for pid in pids))
    grandchildren = {grandchild for pid in pids - {bot.pid} for grandchild in children(pid)}
    os.kill(min(grandchildren), signal.SIGSTOP)
    launcher.stop(bot)
    until(lambda: gone(*pids, *grandchildren))


def test_closing_ends_everything(tmp_path: Path) -> None:
    before = descriptors()
    with Launcher("none") as launcher:
        running = [launcher.start(sleeper(tmp_path), ENOUGH) for _ in range(10)]
        os.kill(running[0].pid, signal.SIGSTOP)
        server = launcher._server.pid
    assert gone(server, *(child.pid for child in running))
    for child in running:
        for descriptor in (child.pidfd, child.stdin, child.stdout, child.stderr):
            os.close(descriptor)
    assert descriptors() == before


OWNER = """
import json, os, sys, time
from pathlib import Path
from referee.sandbox import Launcher, Program
from tests.referee.raw_programs import ENOUGH, sleeper, started
folder = Path(sys.argv[1])
launcher = Launcher("none")
pids = {"server": launcher._server.pid}
for name in ("child", "daemon"):
    bot, left = started(folder, launcher, name)
    pids |= {f"bot with a {name}": bot.pid, name: left}
pids["bot"] = launcher.start(sleeper(folder), ENOUGH).pid
pids["frozen"] = launcher.start(sleeper(folder), ENOUGH).pid
os.kill(pids["frozen"], 19)
print(json.dumps(pids), flush=True)
time.sleep(600)
"""


@contextmanager
def owner(folder: Path) -> Iterator[tuple["subprocess.Popen[bytes]", dict[str, int]]]:
    """Run a process that owns a launcher and bots of every kind; yield it and their pids."""
    with subprocess.Popen(
        [sys.executable, "-c", OWNER, str(folder)], cwd=ROOT, stdout=subprocess.PIPE
    ) as process:
        try:
            assert process.stdout is not None
            yield process, json.loads(process.stdout.readline())
        finally:
            process.kill()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM])
def test_when_the_owner_dies_everything_goes(tmp_path: Path, number: signal.Signals) -> None:
    with owner(tmp_path) as (process, pids):
        assert not any(gone(pid) for pid in pids.values())
        process.send_signal(number)
        process.wait()
        until(lambda: gone(*pids.values()), 5)


def test_when_the_fork_server_dies_the_bots_go(tmp_path: Path) -> None:
    """Their children stay, with nobody left to know them; that is said in the documentation."""
    with owner(tmp_path) as (_, pids):
        os.kill(pids.pop("server"), signal.SIGKILL)
        left = pids.pop("child"), pids.pop("daemon")
        until(lambda: gone(*pids.values()), 5)
        for pid in left:
            os.kill(pid, signal.SIGKILL)


def test_when_the_fork_server_dies_its_owner_is_told(launcher: Launcher, tmp_path: Path) -> None:
    child = launcher.start(sleeper(tmp_path), ENOUGH)
    os.kill(launcher._server.pid, signal.SIGKILL)
    with pytest.raises(ConnectionError):
        launcher.wait(child)
    with pytest.raises(ConnectionError):
        launcher.stop(child)
    with pytest.raises(ConnectionError):
        launcher.start(here(tmp_path, *TRUE), ENOUGH)
    for descriptor in (child.pidfd, child.stdin, child.stdout, child.stderr):
        os.close(descriptor)


def test_the_ctrl_c_of_a_terminal_does_not_reach_the_fork_server(launcher: Launcher) -> None:
    """Not even while it starts, before it can ignore it."""
    server = launcher._server.pid
    assert os.getpgid(server) == server
    assert os.getsid(server) == os.getsid(0)


def test_the_fork_server_ends_only_with_its_owner(launcher: Launcher, tmp_path: Path) -> None:
    """It still has to clean up after the others."""
    assert output(launcher, here(tmp_path, "/bin/echo", "up")) == "up\n"
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        os.kill(launcher._server.pid, number)
    assert output(launcher, here(tmp_path, "/bin/echo", "still here")) == "still here\n"


def test_what_cannot_be_removed_keeps_nothing_else_from_going(public: Path) -> None:
    """A folder that no path can name is none of ours: it stands for one that fails."""
    folders = [public / name for name in ("before", "after", "group")]
    for folder in folders:
        folder.mkdir()
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    words = [sys.executable, "-I", "-S", str(FORK_SERVER), str(there.fileno())]
    with here, there:
        server = subprocess.Popen(words, pass_fds=[there.fileno()], stderr=subprocess.PIPE)
        for stage in (str(folders[0]), "\0", str(folders[1])):
            here.send(json.dumps({"stage": stage}).encode())
        here.send(json.dumps({"cgroup": str(folders[2])}).encode())
    _, said = server.communicate(timeout=30)
    assert b"embedded null" in said
    assert not any(folder.exists() for folder in folders)

"""Bots in cgroups of their own, where one is delegated to whoever runs the tests.

`make cgroup` runs these in a machine that has version 2, as root and as an ordinary user.
"""

import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from protocol.messages import TimeControl
from referee.limits import Limits
from referee.sandbox import SANDBOXES, Child, Launcher, MachineError, Program, prove
from referee.sandbox.bot_cgroup import write
from referee.sandbox.cgroup import ALLOWANCE, delegated
from referee.sandbox.errors import SandboxError
from referee.turn.answer import BotError
from referee.turn.bot_process import BotProcess
from referee.turn.clock import Clock
from tests.referee.process_watch import until
from tests.referee.sandbox.sandboxed import need

pytestmark = pytest.mark.slow

MIB = 1 << 20
PATIENCE = 120.0  # seconds: an emulated machine is slow
WAITS = "print('there', flush=True)\ninput()\n"
CHILDREN = """
import os
input()
for _ in range(6):
    if os.fork() == 0:
        kept = bytearray(40 << 20)
        print("full", flush=True)
        input()
print(flush=True)
input()
"""
"""Starts six children, none of which has more than a process may have."""
RUN = """
import sys
from pathlib import Path
from referee.sandbox import Launcher
from tests.referee.sandbox.test_cgroup_real import WAITS, limits_of, made
launcher = Launcher("{sandbox}")
child = launcher.start(made(Path("{folder}"), WAITS), limits_of(launcher))
print(launcher._server.pid, flush=True)
input()
"""


@pytest.fixture(autouse=True)
def divided() -> Iterator[Path]:
    """The cgroup that is delegated to us; nothing of a test may be left in it."""
    try:
        parent = delegated()
    except SandboxError as error:
        pytest.skip(f"CGROUPS ARE NOT TESTED HERE: {error.what}")
    before = left(parent)
    yield parent
    assert left(parent) <= before


@pytest.fixture(params=[name for name in SANDBOXES if name != "uid" or os.getuid() == 0])
def sandbox(request: pytest.FixtureRequest) -> str:
    need(request.param)
    return str(request.param)


@pytest.fixture
def launcher(sandbox: str) -> Iterator[Launcher]:
    with Launcher(sandbox) as found:
        yield found


def left(parent: Path) -> set[str]:
    return {path.name for path in parent.glob("bot-arena-bots-*")}


def made(folder: Path, text: str) -> Program:
    path = folder / "bot.py"
    path.write_text(text)
    path.chmod(0o644)
    return Program(("{python}", "-S", "-E", "bot.py"), str(folder), ("bot.py",))


def limits_of(launcher: Launcher) -> Limits:
    sandbox = launcher.sandbox.name.split()[0]
    return Limits(sandbox=sandbox, memory_mb=64, cgroup=True)  # type: ignore[arg-type]


def heard(child: Child) -> bytes:
    assert select.select([child.stdout], [], [], PATIENCE)[0]
    return os.read(child.stdout, 100)


def all_lines(process: BotProcess, clock: Clock) -> None:
    """Hear a bot out; raises what its end does."""
    process.ask(b"\n", clock)
    while True:
        process.read_line()


def folder_of(child: Child) -> Path:
    assert child.cgroup is not None
    return Path(child.cgroup["folder"])


def test_a_bot_is_in_a_cgroup_with_its_bounds_and_the_arena_is_elsewhere(
    launcher: Launcher, public: Path, divided: Path
) -> None:
    limits = limits_of(launcher)
    prove(launcher, limits)
    child = launcher.start(made(public, WAITS), limits)
    assert heard(child) == b"there\n"
    folder = folder_of(child)
    inside = (folder / "cgroup.procs").read_text().split()
    assert str(child.pid) in inside
    assert not {str(os.getpid()), str(launcher._server.pid)} & {*inside}
    assert {"memory", "pids"} <= {*(divided / "cgroup.subtree_control").read_text().split()}
    files = 16 * MIB if limits.sandbox == "bwrap" else 0  # its scratch folder
    tasks = {"landlock": "128", "bwrap": "34", "uid": "128", "none": "max"}[limits.sandbox]
    found = {name: (folder / name).read_text().strip() for name in child.cgroup["limits"]}  # type: ignore[index]
    assert found == {
        "memory.max": str(64 * MIB + files + ALLOWANCE),
        "memory.swap.max": "0",
        "memory.oom.group": "1",
        "pids.max": tasks,
    }
    if limits.sandbox == "landlock":  # the limit of a process comes first, and is told by languages
        assert f" {64 * MIB} " in Path(f"/proc/{child.pid}/limits").read_text()
    before = child.peak()
    assert 0 < before < 64 * MIB
    ended = launcher.stop(child)
    assert ended.peak is not None
    assert ended.peak >= before
    assert not ended.starved
    assert not folder.exists()


def test_children_together_are_bounded_and_the_fault_is_memory(public: Path) -> None:
    need("bwrap")
    with Launcher("bwrap") as launcher:
        limits = limits_of(launcher)
        process = BotProcess(launcher, launcher.start(made(public, CHILDREN), limits), limits)
        control = TimeControl(judge="wall", move_time=PATIENCE, bank=0.0, increment=0.0)
        with pytest.raises(BotError) as caught:
            all_lines(process, Clock(control, 1))
        assert caught.value.kind == "memory"
        assert "its processes together had no memory left: 64 MiB allowed" in str(caught.value)
        assert 64 * MIB < process.measured().memory_peak <= (64 + 17) * MIB + ALLOWANCE


@pytest.mark.parametrize("is_server_killed", [False, True])
def test_what_a_killed_run_leaves_is_removed(
    sandbox: str, public: Path, divided: Path, *, is_server_killed: bool
) -> None:
    text = RUN.format(sandbox=sandbox, folder=public)
    run = subprocess.Popen(
        [sys.executable, "-c", text], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert run.stdout is not None
    server = int(run.stdout.readline())
    assert len(left(divided)) == 1
    if is_server_killed:  # first, so that it removes nothing
        os.kill(server, signal.SIGKILL)
    run.kill()
    run.communicate()
    if is_server_killed:
        assert len(left(divided)) == 1
        [folder] = divided.glob("bot-arena-bots-*")
        until(lambda: "populated 0" in (folder / "cgroup.events").read_text(), seconds=PATIENCE)
        with Launcher(sandbox) as launcher:
            launcher.cgroups()
            assert len(left(divided)) == 1
    until(lambda: not left(divided), seconds=PATIENCE)


def test_runs_beside_each_other_leave_each_other_alone(
    launcher: Launcher, public: Path, divided: Path
) -> None:
    first = launcher.start(made(public, WAITS), limits_of(launcher))
    with Launcher(launcher.sandbox.name.split()[0]) as other:
        second = other.start(made(public, WAITS), limits_of(other))
        assert len(left(divided)) == 2
        assert folder_of(first).parent != folder_of(second).parent
    assert heard(first) == b"there\n"
    assert first.peak() > 0


def test_a_cgroup_that_was_removed_stops_the_run_in_a_line(
    launcher: Launcher, public: Path
) -> None:
    program, limits = made(public, WAITS), limits_of(launcher)
    launcher.stop(launcher.start(program, limits))
    Path(launcher.cgroups().folder).rmdir()
    with pytest.raises(MachineError, match="was taken away during the run") as caught:
        launcher.start(program, limits)
    assert "\n" not in str(caught.value)


def test_so_does_one_that_lost_its_controller_or_its_bound_while_a_bot_runs(
    launcher: Launcher, public: Path
) -> None:
    program, limits = made(public, WAITS), limits_of(launcher)
    child = launcher.start(program, limits)
    write(str(folder_of(child) / "memory.max"), "max")
    with pytest.raises(MachineError, match=r"memory.max was changed during the run, from \d+ to"):
        child.peak()
    write(f"{launcher.cgroups().folder}/cgroup.subtree_control", "-memory")
    for act in (child.peak, lambda: launcher.start(program, limits)):
        with pytest.raises(MachineError, match="lost its memory controller"):
            act()
    launcher.stop(child)
    with pytest.raises(MachineError, match="lost its memory controller"):
        child.peak()

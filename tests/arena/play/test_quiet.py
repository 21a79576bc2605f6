"""How quiet a machine is: what its kernel shows, and a fixed job that is measured."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from arena.play.quiet import Condition, conditions, noise
from referee.sandbox import own_cores

SWAPS = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"
CORES = own_cores()
CPU = "sys/devices/system/cpu"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A machine that shows next to nothing."""
    write(tmp_path, "proc/self/cgroup", "0::/box\n")
    write(tmp_path, "proc/swaps", SWAPS)
    return tmp_path


def write(root: Path, path: str, text: str) -> None:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def of_cores(root: Path, path: str, *texts: str) -> None:
    for at, core in enumerate(CORES):
        write(root, f"{CPU}/cpu{core}/{path}", texts[at % len(texts)] + "\n")


def found(root: Path, name: str) -> Condition:
    (condition,) = [each for each in conditions(root) if each.name == name]
    return condition


def test_what_is_hidden_is_said_to_be_hidden_and_spoils_nothing(root: Path) -> None:
    said = {each.name: each.value for each in conditions(root)}
    assert {name for name, value in said.items() if value == "not shown here"} == {
        *("load", "SMT", "frequency", "boost", "mixed cores", "clock")
    }
    assert said["swap"] == said["CPU quota"] == "none"
    assert not any(each.spoils for each in conditions(root))
    (root / "proc/self/cgroup").unlink()
    assert found(root, "CPU quota").value == "none"


UNREAD = "cannot be read here"
CLOCK = "sys/devices/system/clocksource/clocksource0/current_clocksource"
SWAP = f"{SWAPS}/dev/sda2 partition 2097148 0 -2\n"
FILE = "/swap file 1048576 10240 -3\n"
GOVERNOR = f"{CPU}/cpu{{}}/cpufreq/scaling_governor"  # of each core


@pytest.mark.parametrize(
    ("name", "path", "text", "value", "spoils"),
    [
        ("swap", "proc/swaps", SWAP, "0 of 2,048 MiB used", False),
        ("swap", "proc/swaps", f"{SWAP}{FILE}", "10 of 3,072 MiB used", True),
        ("swap", "proc/swaps", f"{SWAPS}/dev/sda2 partition much 0 -2\n", UNREAD, False),
        ("swap", "proc/swaps", f"{SWAPS}/dev/sda2\n", UNREAD, False),
        ("load", "proc/loadavg", "0.10 3.00 9.00 1/80 99", "", False),
        ("load", "proc/loadavg", "0.26 0 0 1/80 9", "", True),
        ("load", "proc/loadavg", "garbage", UNREAD, False),
        ("load", "proc/loadavg", "\udcff\udcfe", UNREAD, False),
        ("CPU quota", "sys/fs/cgroup/box/cpu.max", "\n", UNREAD, False),
        ("CPU quota", "sys/fs/cgroup/box/cpu.max", "100000 0\n", UNREAD, False),
        ("CPU quota", "proc/self/cgroup", "", "none", False),
        ("CPU quota", "proc/self/cgroup", "0\n", "none", False),
        ("CPU quota", "proc/self/cgroup", "0::/a\n\n1:\n", "none", False),
        ("boost", f"{CPU}/cpufreq/boost", "1\n", "on", True),
        ("boost", f"{CPU}/cpufreq/boost", "0\n", "off", False),
        ("boost", f"{CPU}/intel_pstate/no_turbo", "0\n", "on", True),
        ("boost", f"{CPU}/intel_pstate/no_turbo", "1\n", "off", False),
        ("clock", CLOCK, "tsc\n", "tsc", False),
        ("clock", CLOCK, "arch_sys_counter\n", "arch_sys_counter", False),
        ("clock", CLOCK, "hpet\n", "hpet", True),
        ("clock", CLOCK, "\udcff\n", UNREAD, False),
        ("frequency", GOVERNOR, "performance\n", "performance", False),
        ("frequency", GOVERNOR, "schedutil\n", "schedutil", True),
        ("mixed cores", f"{CPU}/cpu{CORES[0]}/cpu_capacity", "fast\n", UNREAD, False),
    ],
)
def test_what_a_kernel_says_spoils_or_not_and_stops_nothing(
    root: Path, name: str, path: str, text: str, value: str, spoils: bool
) -> None:
    for core in CORES:
        write(root, path.format(core), "")
        (root / path.format(core)).write_bytes(text.encode(errors="surrogateescape"))
    condition = found(root, name)
    assert (condition.value if value else "", condition.spoils) == (value, spoils)
    if name == "boost":
        assert path.removeprefix(f"{CPU}/") in condition.remedy
    if value == UNREAD:
        assert condition == Condition(name, UNREAD, spoils=False)


def test_the_smallest_quota_of_the_groups_around_us_counts(root: Path) -> None:
    write(root, "sys/fs/cgroup/box/cpu.max", "max 100000\n")
    assert found(root, "CPU quota").value == "none"
    write(root, "sys/fs/cgroup/cpu.max", "50000 100000\n")
    quota = found(root, "CPU quota")
    assert quota.value.startswith("0.5 of ")
    assert quota.spoils
    first = "sys/fs/cgroup/cpu/box/cpu.cfs_"  # of control groups' first version
    write(root, "sys/fs/cgroup/cpu.max", "max 100000\n")
    write(root, "proc/self/cgroup", "4:cpu,cpuacct:/box\n0::/box\n")
    write(root, f"{first}quota_us", "-1\n")
    write(root, f"{first}period_us", "100000\n")
    assert found(root, "CPU quota").value == "none"
    write(root, f"{first}quota_us", f"{100_000 * len(CORES)}\n")
    assert not found(root, "CPU quota").spoils


@pytest.mark.skipif(len(CORES) < 2, reason="a single core is of one kind")
def test_cores_of_two_kinds_and_two_threads_of_one_core_spoil(root: Path) -> None:
    of_cores(root, "topology/thread_siblings_list", *map(str, CORES))
    assert not found(root, "SMT").spoils
    of_cores(root, "topology/thread_siblings_list", "0-1")
    smt = found(root, "SMT")
    assert (smt.value, smt.spoils) == (f"{len(CORES)} threads of 1 core", True)
    assert "--workers 1" in smt.remedy
    for path in ("cpu_capacity", "cpufreq/cpuinfo_max_freq"):
        of_cores(root, path, "1000", "990")
        assert found(root, "mixed cores")[1:3] == ("all alike", False)
        of_cores(root, path, "1000", "430")
        mixed = found(root, "mixed cores")
        assert mixed[1:3] == ("2 kinds", True)
        assert f"taskset -c {','.join(map(str, CORES[::2]))} " in mixed.remedy
        for core in CORES:
            (root / CPU / f"cpu{core}" / path).unlink()


@pytest.mark.slow
def test_who_shares_the_core_is_noticed() -> None:
    core, parent = CORES[0], os.getpid()
    spin = f"os.sched_setaffinity(0, [{core}])\nwhile os.getppid() == {parent}: pass"
    with subprocess.Popen([sys.executable, "-c", f"import os\n{spin}"]) as other:
        shared = noise(1, CORES[:1])
        other.kill()
    assert shared.waited > 0.25
    assert shared.apart == 0


def test_the_noise_is_measured_and_the_thread_moved_back(monkeypatch: pytest.MonkeyPatch) -> None:
    before = os.sched_getaffinity(0)
    found = noise(0.01, CORES)
    assert os.sched_getaffinity(0) == before
    assert 20 < found.job < 50_000
    assert 0 <= found.waited < 1
    assert found.spread > 0
    real = time.thread_time_ns
    monkeypatch.setattr(time, "thread_time_ns", lambda: real() // 10_000_000 * 10_000_000)
    assert noise(0.05, CORES[:1]).spread >= 0  # a clock of coarse steps shows what it can
    monkeypatch.setattr(time, "thread_time_ns", lambda: 0)
    assert noise(0.05, CORES[:1]).waited == 1

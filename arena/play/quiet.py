"""How quiet this machine is: what spoils measured times here, and how much a fixed job varies."""

import hashlib
import os
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import fmean, median, quantiles
from typing import NamedTuple, TypeAlias

from arena.play.control_groups import control_groups
from arena.store.timing import MOST, Noise, Timing
from arena.text import counted
from referee.sandbox import own_cores

LONG_SECONDS = 4.0
"""How long `arena doctor --timing` measures the noise."""
NOISY = 0.05
"""A job that varies by more, or is kept waiting for more of its time, is named as noise."""
_RUN_SECONDS = 0.04  # for which a run measures the noise before it plays
_ROUNDS = 1000  # of the fixed job: half a millisecond, a short decision
_FEWEST = 20  # jobs on a core, of which a twentieth can be told from the rest
_MOST_CORES = 4  # measured by a run
_BUSY = 0.25  # of a core at work for others, on the average of the last minute


class Condition(NamedTuple):
    """Something that may spoil measured times."""

    name: str
    value: str
    """How it is here."""
    spoils: bool
    remedy: str = ""
    """What to do about it, as a sentence."""


def timing() -> Timing:
    """Look at this machine, and measure its noise for as long as a run does."""
    found = conditions()
    return Timing(
        machine=os.uname().nodename,
        spoilt=[each.name for each in found if each.spoils],
        noise=noise(_RUN_SECONDS, own_cores()[:_MOST_CORES]),
    )


def conditions(root: Path = Path("/")) -> list[Condition]:
    """Return what may spoil times on the machine whose /proc and /sys lie in a folder.

    Of what a virtual machine or a container hides, the value says that it is not shown.
    """
    machine = _Machine(root, own_cores())
    return [_seen(name, look, machine) for name, look in _LOOKS.items()]


class _Machine:
    """The files of a machine's kernel, and the cores that we may use."""

    def __init__(self, root: Path, cores: Sequence[int]) -> None:
        self.root = root
        self.cores = cores

    def read(self, path: str) -> str:
        """Return what a file says; nothing if it is not there."""
        try:
            return (self.root / path).read_text().strip()
        except OSError:
            return ""

    def of_cores(self, path: str) -> list[str]:
        """Return what a file of each core says, of those that have it."""
        said = (self.read(f"sys/devices/system/cpu/cpu{core}/{path}") for core in self.cores)
        return [each for each in said if each]


_Sight: TypeAlias = tuple[str, bool, str] | None
"""How something is, whether that spoils times, and what to do then; None if it is not shown."""


def _seen(name: str, look: Callable[[_Machine], _Sight], machine: _Machine) -> Condition:
    """Return a condition; a kernel that says what nobody expects stops no run."""
    try:
        found = look(machine)
    except (ValueError, IndexError, ZeroDivisionError):
        return Condition(name, "cannot be read here", spoils=False)
    return Condition(name, *found) if found else Condition(name, "not shown here", spoils=False)


def _swap(machine: _Machine) -> _Sight:
    lines = [line.split() for line in machine.read("proc/swaps").splitlines()[1:]]
    if not lines:
        return "none", False, ""
    size, used = (sum(int(line[at]) for line in lines) / 1024 for at in (2, 3))
    remedy = "A bot in swap answers late: `swapoff -a`."
    return f"{used:,.0f} of {size:,.0f} MiB used", used > 0, remedy


def _load(machine: _Machine) -> _Sight:
    said = machine.read("proc/loadavg").split()
    if not said:
        return None
    remedy = "Other programs work: stop them, or wait a minute."
    return f"{said[0]} in the last minute", float(said[0]) > _BUSY, remedy


def _quota(machine: _Machine) -> _Sight:
    allowed = min(_quotas(machine.root), default=None)
    if allowed is None:
        return "none", False, ""
    remedy = "All stop when it is used up: give whole cores instead (a cpuset), or --workers."
    cores = len(machine.cores)
    return f"{allowed:g} of {counted(cores, 'core')}", allowed < cores, remedy


def _quotas(root: Path) -> Iterator[float]:
    """Yield how many cores' time each control group around us may use, of those that say it."""
    for group in control_groups("cpu", root):
        try:
            if group.is_second:
                most, period = (group.folder / "cpu.max").read_text().split()
            else:
                names = ("cpu.cfs_quota_us", "cpu.cfs_period_us")
                most, period = ((group.folder / name).read_text().strip() for name in names)
        except OSError:
            continue  # it bounds none, or is not shown
        if most not in ("max", "-1"):
            yield int(most) / int(period)


def _siblings(machine: _Machine) -> _Sight:
    lists = machine.of_cores("topology/thread_siblings_list")
    if not lists:
        return None
    cores = len(set(lists))
    if cores == len(lists):
        return "no two threads of a core", False, ""
    remedy = f"Matches slow each other on one core: --workers {cores}, or `nosmt`."
    return f"{len(lists)} threads of {counted(cores, 'core')}", True, remedy


def _frequency(machine: _Machine) -> _Sight:
    governors = sorted(set(machine.of_cores("cpufreq/scaling_governor")))
    if not governors:
        return None
    remedy = "An idle core is slow at first: `cpupower frequency-set -g performance`."
    return ", ".join(governors), governors != ["performance"], remedy


def _boost(machine: _Machine) -> _Sight:
    boost = machine.read("sys/devices/system/cpu/cpufreq/boost")
    no_turbo = machine.read("sys/devices/system/cpu/intel_pstate/no_turbo")
    if not boost + no_turbo:
        return None
    is_on = boost == "1" or no_turbo == "0"
    file = "intel_pstate/no_turbo" if no_turbo else "cpufreq/boost"
    remedy = f"Cores are faster while few work: turn it off in /sys/devices/system/cpu/{file}."
    return "on" if is_on else "off", is_on, remedy


def _kinds(machine: _Machine) -> _Sight:
    """Look for cores of several kinds: by what they can do, or by their highest frequency."""
    for path in ("cpu_capacity", "cpufreq/cpuinfo_max_freq"):
        said = machine.of_cores(path)
        if not said:
            continue
        kinds = sorted(set(said), key=int)
        alike = int(kinds[0]) >= (1 - NOISY) * int(kinds[-1])  # a favoured core is a little faster
        fast = [core for core, each in zip(machine.cores, said, strict=False) if each == kinds[-1]]
        remedy = f"Use one kind: `taskset -c {','.join(map(str, fast))} arena run …`."
        return "all alike" if alike else f"{len(kinds)} kinds", not alike, remedy
    return None


def _clock(machine: _Machine) -> _Sight:
    source = machine.read("sys/devices/system/clocksource/clocksource0/current_clocksource")
    if not source:
        return None
    is_slow = source.startswith(("hpet", "acpi_pm", "jiffies", "refined-jiffies"))
    return source, is_slow, "It is slow to read: see `clocksource=` among the kernel's parameters."


_LOOKS = {
    "swap": _swap,
    "load": _load,
    "CPU quota": _quota,
    "SMT": _siblings,
    "frequency": _frequency,
    "boost": _boost,
    "mixed cores": _kinds,
    "clock": _clock,
}


def noise(seconds: float, cores: Sequence[int]) -> Noise:
    """Do a fixed job again and again on each of some cores; return how much its time varied.

    The job hashes, needs next to no memory, and takes half a millisecond. All cores together take
    about so many seconds; each does the job at least a few times.
    """
    before = os.sched_getaffinity(0)
    cpu: list[list[int]] = []
    took = 0
    try:
        for core in cores:
            os.sched_setaffinity(0, {core})
            end = time.perf_counter() + seconds / len(cores)
            mine: list[int] = []
            while len(mine) < _FEWEST or time.perf_counter() < end:
                wall, used = time.perf_counter_ns(), time.thread_time_ns()
                hashlib.pbkdf2_hmac("sha256", b"arena", b"noise", _ROUNDS)
                mine.append(time.thread_time_ns() - used)
                took += time.perf_counter_ns() - wall
            cpu.append(mine)
    finally:
        os.sched_setaffinity(0, before)
    cuts = [quantiles(mine, n=20) for mine in cpu]
    middle = [median(mine) or fmean(mine) or 1 for mine in cpu]  # a coarse clock shows most as 0
    return Noise(
        job=round(median(middle) / 1000),
        spread=min(
            MOST, max((cut[-1] - cut[0]) / mid for cut, mid in zip(cuts, middle, strict=True))
        ),
        apart=min(MOST, max(middle) / min(middle) - 1),
        waited=max(0.0, 1 - sum(map(sum, cpu)) / max(took, 1)),
    )

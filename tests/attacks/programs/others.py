"""Hostile programs against other processes: those that the facts name as victims, and no others."""

import array
import ctypes
import os
import resource
import signal
import struct
import time
from collections.abc import Iterator

from common import Facts, attempt, call, main, raw, say, show

F_SETOWN, F_SETSIG = 8, 10
FIOSETOWN = 0x8901
SPARED = 0  # kill(-1) is never tried as root, for which it reaches the whole machine


def victims(facts: Facts) -> Iterator[int]:
    """Yield the pids of the victims."""
    for victim in facts["victims"]:
        yield victim["pid"]


def kill_victim(facts: Facts) -> None:
    for pid in victims(facts):
        attempt(os.kill, pid, signal.SIGKILL)


def kill_group(facts: Facts) -> None:
    for pid in victims(facts):
        attempt(os.kill, -pid, signal.SIGKILL)


def stop_victim(facts: Facts) -> None:
    for pid in victims(facts):
        attempt(os.kill, pid, signal.SIGSTOP)


def kill_server(facts: Facts) -> None:
    attempt(os.kill, facts["server"], signal.SIGKILL)
    if os.getppid() == facts["server"]:
        attempt(os.kill, os.getppid(), signal.SIGKILL)


def kill_all(facts: Facts) -> None:
    if os.getuid() == SPARED:
        say("not tried as root")
        return
    attempt(os.kill, -1, signal.SIGURG)


def queue_signal(facts: Facts) -> None:
    for pid in victims(facts):
        info = struct.pack("iii", signal.SIGKILL, 0, -1) + bytes(116)
        attempt(raw, "rt_sigqueueinfo", pid, int(signal.SIGKILL), info)
        attempt(raw, "rt_tgsigqueueinfo", pid, pid, int(signal.SIGKILL), info)


def thread_signal(facts: Facts) -> None:
    for pid in victims(facts):
        attempt(raw, "tkill", pid, int(signal.SIGKILL))
        attempt(raw, "tgkill", pid, pid, int(signal.SIGKILL))


def pidfd_signal(facts: Facts) -> None:
    for pid in victims(facts):
        descriptor = attempt(os.pidfd_open, pid)
        if descriptor is None:
            descriptor = attempt(os.open, f"/proc/{pid}", os.O_RDONLY)
        if descriptor is not None:
            attempt(signal.pidfd_send_signal, descriptor, signal.SIGKILL)


def owner_signal(facts: Facts) -> None:
    """Have the kernel send the signal: to the owner of a pipe that has something to read."""
    import fcntl

    for pid in victims(facts):
        reading, writing = os.pipe()
        attempt(fcntl.fcntl, reading, F_SETOWN, pid)
        attempt(fcntl.ioctl, reading, FIOSETOWN, array.array("i", [pid]))
        attempt(fcntl.fcntl, reading, F_SETSIG, int(signal.SIGKILL))
        attempt(fcntl.fcntl, reading, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
        os.write(writing, b"!")


def set_limits(facts: Facts) -> None:
    for pid in victims(facts):
        hard = attempt(resource.prlimit, pid, resource.RLIMIT_NOFILE)
        if hard:
            attempt(resource.prlimit, pid, resource.RLIMIT_NOFILE, (17, hard[1]))


def pin(facts: Facts) -> None:
    for pid in victims(facts):
        now = attempt(os.sched_getaffinity, pid) or set()
        for core in range(os.cpu_count() or 1):
            if now != {core} and attempt(os.sched_setaffinity, pid, {core}) is None:
                break


def renice(facts: Facts) -> None:
    for pid in victims(facts):
        attempt(os.setpriority, os.PRIO_PROCESS, pid, 7)


def renice_user(facts: Facts) -> None:
    """Change the niceness of a group of processes, not of one."""
    for pid in victims(facts):
        attempt(os.setpriority, os.PRIO_PGRP, pid, 7)


def reschedule(facts: Facts) -> None:
    for pid in victims(facts):
        attempt(os.sched_setscheduler, pid, os.SCHED_BATCH, os.sched_param(0))


def input_priority(facts: Facts) -> None:
    for pid in victims(facts):
        attempt(raw, "ioprio_set", 1, pid, 3 << 13)


def choose_for_death(facts: Facts) -> None:
    """Make the kernel end the victim first when memory runs out."""

    def write(pid: int) -> None:
        with open(f"/proc/{pid}/oom_score_adj", "w") as file:
            file.write("567")

    for pid in victims(facts):
        attempt(write, pid)


def trace(facts: Facts) -> None:
    for pid in victims(facts):
        attempt(call, "ptrace", 16, pid, None, None)
        attempt(call, "ptrace", 0x4206, pid, None, None)


def read_memory(facts: Facts) -> None:
    class Vector(ctypes.Structure):
        _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))

    for victim in facts["victims"]:
        mine = ctypes.create_string_buffer(64)
        here = Vector(ctypes.addressof(mine), 64)
        there = Vector(victim["address"], 64)
        vectors = (ctypes.byref(here), 1, ctypes.byref(there), 1, 0)
        attempt(call, "process_vm_readv", victim["pid"], *vectors)
        say(mine.value.decode(errors="replace"))


def memory_by_proc(facts: Facts) -> None:
    def read(pid: int, address: int) -> None:
        descriptor = os.open(f"/proc/{pid}/mem", os.O_RDONLY)
        say(os.pread(descriptor, 64, address).decode(errors="replace"))

    for victim in facts["victims"]:
        attempt(read, victim["pid"], victim["address"])


def read_environment(facts: Facts) -> None:
    for pid in (*victims(facts), os.getppid()):
        show(f"/proc/{pid}/environ")


def read_command(facts: Facts) -> None:
    for pid in (*victims(facts), os.getppid()):
        show(f"/proc/{pid}/cmdline")


def read_descriptors(facts: Facts) -> None:
    for victim in facts["victims"]:
        pid = victim["pid"]
        say(str(attempt(os.readlink, f"/proc/{pid}/cwd")))
        show(f"/proc/{pid}/fd/{victim['descriptor']}")


def steal_descriptor(facts: Facts) -> None:
    for victim in facts["victims"]:
        process = attempt(os.pidfd_open, victim["pid"])
        if process is not None:
            stolen = attempt(raw, "pidfd_getfd", process, victim["descriptor"], 0)
            if stolen is not None:
                say(os.pread(stolen, 4096, 0).decode(errors="replace"))


def forge(facts: Facts) -> None:
    """Write into a rival's pipes: a false question, and a false answer."""
    for pid in victims(facts):
        for number in (0, 1):
            descriptor = attempt(os.open, f"/proc/{pid}/fd/{number}", os.O_WRONLY)
            if descriptor is not None:
                os.write(descriptor, f"forged {facts['token']}\n".encode())
    time.sleep(0.05)


def cpu_clock(facts: Facts) -> None:
    """Read how long a rival has thought."""
    for pid in victims(facts):
        say(f"clock {attempt(time.clock_gettime_ns, (~pid << 3) | 2)}")


if __name__ == "__main__":
    main(globals())

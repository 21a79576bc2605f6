"""Hostile programs that go on while they are frozen: they say done, and use what CPU they get."""

import array
import ctypes
import fcntl
import mmap
import os
import signal
import struct
import time
from collections.abc import Callable
from contextlib import suppress

from common import LIFETIME, Facts, attempt, call, checked, child, libc, main, raw, say

CONT = int(signal.SIGCONT)
F_SETOWN, F_SETSIG, FIOSETOWN = 8, 10, 0x8901
CLONE_PARENT = 0x8000  # and the end sends what the end of who clones would
PTRACE_SEIZE, PTRACE_CONT = 0x4206, 7
HUGE = 1 << 40
MADV_POPULATE_READ = 22
MAP_POPULATE, MAP_NORESERVE = 0x8000, 0x4000
MILLISECOND = 0.001


def burn() -> None:
    """Use the CPU."""
    deadline = time.monotonic() + LIFETIME
    while time.monotonic() < deadline:
        pass


def arm(trick: Callable[[], object]) -> None:
    """Try a trick, tell that everything is ready for the freeze, and use the CPU."""
    attempt(trick)
    say("done")
    burn()


def until_killed(act: Callable[[], object]) -> None:
    """Do something every millisecond, whatever comes of it."""
    deadline = time.monotonic() + LIFETIME
    while time.monotonic() < deadline:
        with suppress(OSError):
            act()
        time.sleep(MILLISECOND)


def away(act: Callable[[], object]) -> int:
    """Start a child that leaves its session, or its group, if it can, and then acts."""

    def leave() -> None:
        if attempt(os.setsid) is None:
            attempt(os.setpgid, 0, 0)
        act()

    return child(leave)


def timer(facts: Facts) -> None:
    """Have timers send SIGCONT: one that was about to when SIGSTOP came is lost."""

    def trick() -> None:
        signal.signal(signal.SIGCONT, lambda *_: None)  # what nobody handles is sent but once
        event = struct.pack("qii", 0, CONT, 0) + bytes(48)
        for at in range(1, 30):
            number = ctypes.c_int()
            raw("timer_create", time.CLOCK_MONOTONIC, event, ctypes.byref(number))
            step = struct.pack("qqqq", 0, at * 700_000, 0, at * 700_000)
            call("timer_settime", ctypes.c_void_p(number.value), 0, step, None)

    arm(trick)


def interval_timer(facts: Facts) -> None:
    """Have the older timers send their signals, with handlers that use the CPU."""

    def trick() -> None:
        for which, number in ((0, signal.SIGALRM), (1, signal.SIGVTALRM), (2, signal.SIGPROF)):
            signal.signal(number, lambda *_: None)
            signal.setitimer(which, MILLISECOND, MILLISECOND)

    arm(trick)


def every_signal(facts: Facts) -> None:
    """Ignore, handle and block whatever can be."""

    def trick() -> None:
        for number in range(1, 65):
            with suppress(OSError, ValueError):
                signal.signal(number, lambda *_: None)
        signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))

    arm(trick)


def session(facts: Facts) -> None:
    """Have a child that leaves the session, and the group, do the work."""

    def leave() -> None:
        attempt(os.setsid)
        burn()

    arm(lambda: child(leave))


def group(facts: Facts) -> None:
    """Have a child that leaves the group do the work."""

    def leave() -> None:
        attempt(os.setpgid, 0, 0)
        burn()

    arm(lambda: child(leave))


def moved_group(facts: Facts) -> None:
    """Put a child into a group of its own, from outside the child."""

    def trick() -> None:
        pid = child(burn)
        os.setpgid(pid, pid)

    arm(trick)


def wake(number: int) -> None:
    os.kill(number, CONT)


def woken_by_child(facts: Facts) -> None:
    me = os.getpid()
    arm(lambda: away(lambda: until_killed(lambda: wake(me))))


def woken_by_thread_signals(facts: Facts) -> None:
    me = os.getpid()

    def wake_thread() -> None:
        with suppress(OSError):
            raw("tkill", me, CONT)
        raw("tgkill", me, me, CONT)

    arm(lambda: away(lambda: until_killed(wake_thread)))


def woken_by_queued_signals(facts: Facts) -> None:
    me = os.getpid()
    info = struct.pack("iii", CONT, 0, -1) + bytes(116)

    def wake_by_queue() -> None:
        with suppress(OSError):
            raw("rt_sigqueueinfo", me, CONT, info)
        raw("rt_tgsigqueueinfo", me, me, CONT, info)

    arm(lambda: away(lambda: until_killed(wake_by_queue)))


def woken_by_group(facts: Facts) -> None:
    """Wake everybody in the group, of which nobody must have left it."""
    group = os.getpgid(0)
    arm(lambda: away(lambda: until_killed(lambda: os.killpg(group, CONT))))


def woken_by_ends(facts: Facts) -> None:
    """Have children whose end sends SIGCONT to their parent, and somebody who makes them."""

    def one() -> None:
        if raw("clone", CLONE_PARENT, 0, 0, 0, 0) == 0:
            os._exit(0)

    def trick() -> None:
        if raw("clone", CONT, 0, 0, 0, 0) == 0:
            attempt(os.setsid)
            until_killed(one)
            os._exit(0)

    arm(trick)


def woken_by_pipe(facts: Facts) -> None:
    """Have a pipe send SIGCONT to its owner, and a child that writes into it."""

    def trick() -> None:
        reading, writing = os.pipe()
        attempt(fcntl.fcntl, reading, F_SETOWN, os.getpid())
        attempt(fcntl.ioctl, reading, FIOSETOWN, array.array("i", [os.getpid()]))
        attempt(fcntl.fcntl, reading, F_SETSIG, CONT)
        fcntl.fcntl(reading, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
        os.set_blocking(writing, False)
        away(lambda: until_killed(lambda: (os.write(writing, b"!"), os.read(reading, 1))))

    arm(trick)


def wake_each_other(facts: Facts) -> None:
    """Have several wake each other on and on, so that not all are frozen at once."""
    family = [os.getpid()]

    def wake_all() -> None:
        deadline = time.monotonic() + LIFETIME
        while time.monotonic() < deadline:
            for number in family:
                with suppress(OSError):
                    wake(number)

    def trick() -> None:
        for _ in range(3):
            family.append(child(wake_all))

    arm(trick)


def traced(facts: Facts) -> None:
    """Have a child that traces its parent, and keeps from it that it is to stop."""
    me = os.getpid()
    libc.prctl(0x59616D61, -1, 0, 0, 0)  # where Yama asks who may

    def trace() -> None:
        checked(libc.ptrace(PTRACE_SEIZE, me, None, None))

        def swallow() -> None:
            os.waitpid(me, 0)
            libc.ptrace(PTRACE_CONT, me, None, None)

        until_killed(swallow)

    arm(lambda: (away(trace), time.sleep(0.1)))


def fork_storm(facts: Facts) -> None:
    """Be somebody else at every moment."""

    def run() -> None:
        deadline = time.monotonic() + LIFETIME / 5
        while time.monotonic() < deadline:
            if os.fork():
                os._exit(0)

    arm(lambda: [child(run) for _ in range(3)])


def reserved(flags: int) -> int:
    """Map a terabyte that takes no memory when it is read."""
    kind = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE
    none, size = ctypes.c_void_p(None), ctypes.c_size_t(HUGE)
    address = libc.mmap(none, size, mmap.PROT_READ, kind | flags, -1, ctypes.c_long(0))
    checked(-1 if address == ctypes.c_void_p(-1).value else 0)
    return address


def long_advice(facts: Facts) -> None:
    """Be in a call that takes long, which no freeze ends."""
    address = reserved(0)
    say("done")
    while time.monotonic() > 0:
        checked(libc.madvise(ctypes.c_void_p(address), ctypes.c_size_t(HUGE), MADV_POPULATE_READ))


def long_mapping(facts: Facts) -> None:
    """The same, by a mapping that is filled at once."""
    say("done")
    reserved(MAP_POPULATE)


if __name__ == "__main__":
    main(globals())

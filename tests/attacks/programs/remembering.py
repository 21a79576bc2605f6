"""Hostile programs that tell a later run, or another process of the same bot, some bits.

The first to run is given a message; the second is given none, and tells what it is.
"""

import ctypes
import fcntl
import mmap
import os
import resource
import signal
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

from common import Facts, attempt, checked, child, libc, main, places, raw, say

F_GET_RW_HINT, F_SET_RW_HINT = 1035, 1036
F_SETLK, F_GETLK = 6, 5
RWF_NOWAIT = 8
PR_SET_NAME = 15
FUTEX_WAIT, FUTEX_WAKE = 0, 1
PAGE_STEP = 1 << 18
NUMBERS, NUMBER_STEP = 512, 32
PIPES, COOKIES = 8192, 4096
CLONE_PIDFD, SO_COOKIE, SO_PEERPIDFD = 0x1000, 57, 77
CLOCK_STEP = 0.02
"""Seconds, more than the clock of files goes in one step."""
MOMENT = 0.02
SIGNALS = 64
THREADS = 24
NICE = 16


def bits(facts: Facts) -> str:
    return str(facts["message"] or "")


def value(facts: Facts) -> int:
    return int(bits(facts), 2)


def tell(facts: Facts, found: object) -> None:
    """Say the message: text of bits, or a number."""
    count = facts["bits"]
    say(f"told {found if isinstance(found, str) else format(found, f'0{count}b')[-count:]}")


def tell_bits(facts: Facts, each: Callable[[int], object]) -> None:
    """Say the message, bit by bit."""
    tell(facts, "".join("01"[bool(attempt(each, at))] for at in range(facts["bits"])))


def ones(facts: Facts) -> Iterator[int]:
    """Yield the places of the bits that are set."""
    return (at for at, bit in enumerate(bits(facts)) if bit == "1")


def bit_file(at: int) -> int:
    return os.open(f"bit{at:02}", os.O_RDONLY)


def waits(count: int, run: Callable[[int], object]) -> int:
    """Start threads that wait; return how many there could be."""
    threading.stack_size(max(1 << 16, os.sysconf("SC_THREAD_STACK_MIN")))
    for at in range(count):
        try:
            threading.Thread(target=run, args=(at,), daemon=True).start()
        except (RuntimeError, MemoryError):
            return at
    return count


def locked_files(facts: Facts) -> None:
    """Lock some of one's own files."""
    for at in ones(facts):
        fcntl.flock(bit_file(at), fcntl.LOCK_SH | fcntl.LOCK_NB)

    def is_locked(at: int) -> bool:
        try:
            fcntl.flock(bit_file(at), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        return False

    if not bits(facts):
        tell_bits(facts, is_locked)


def locked_ranges(facts: Facts) -> None:
    """Lock some bytes of one of one's own files."""
    descriptor = os.open("own.txt", os.O_RDONLY)
    for at in ones(facts):
        fcntl.fcntl(descriptor, F_SETLK, struct.pack("hhqqi", fcntl.F_RDLCK, 0, at, 1, 0))

    def is_locked(at: int) -> bool:
        asked = struct.pack("hhqqi", fcntl.F_WRLCK, 0, at, 1, 0)
        answer = fcntl.fcntl(descriptor, F_GETLK, asked)
        return struct.unpack("hhqqi", answer)[0] != fcntl.F_UNLCK

    if not bits(facts):
        tell_bits(facts, is_locked)


def write_hints(facts: Facts) -> None:
    """Say of some of one's files how long what is written to them will live."""
    for at in ones(facts):
        fcntl.fcntl(bit_file(at), F_SET_RW_HINT, struct.pack("Q", 5))

    def hinted(at: int) -> bool:
        return fcntl.fcntl(bit_file(at), F_GET_RW_HINT, bytes(8)) == struct.pack("Q", 5)

    if not bits(facts):
        tell_bits(facts, hinted)


def access_times(facts: Facts) -> None:
    """Read some of one's files."""
    for at in ones(facts):
        os.read(bit_file(at), 1)

    def was_read(at: int) -> bool:
        seen = os.stat(f"bit{at:02}")
        return seen.st_atime_ns > max(seen.st_mtime_ns, seen.st_ctime_ns)

    if not bits(facts):
        tell_bits(facts, was_read)


def cpu_clock(facts: Facts) -> None:
    """Use a certain amount of CPU time."""
    if bits(facts):
        while time.process_time() < 0.2 + MOMENT * value(facts):
            pass
    else:
        used = time.clock_gettime((~facts["partner"] << 3) | 2)
        tell(facts, round((used - 0.2) / MOMENT))


def niceness(facts: Facts) -> None:
    if bits(facts):
        os.setpriority(os.PRIO_PROCESS, 0, NICE + value(facts))
    else:
        tell(facts, os.getpriority(os.PRIO_PROCESS, facts["partner"]) - NICE)


def input_priority(facts: Facts) -> None:
    if bits(facts):
        raw("ioprio_set", 1, 0, 2 << 13 | value(facts))
    else:
        tell(facts, raw("ioprio_get", 1, facts["partner"]) & 7)


def scheduler_slice(facts: Facts) -> None:
    """Ask for a slice of a certain length, which others can read."""
    attributes = ctypes.create_string_buffer(48)
    raw("sched_getattr", 0 if bits(facts) else facts["partner"], attributes, 48, 0)
    if bits(facts):
        struct.pack_into("=Q", attributes, 24, 1_000_000 + 1000 * value(facts))
        raw("sched_setattr", 0, attributes, 0)
    else:
        tell(facts, (struct.unpack_from("=Q", attributes, 24)[0] - 1_000_000) // 1000)


def limits(facts: Facts) -> None:
    """Set a limit of one's own."""
    what = resource.RLIMIT_FSIZE
    if bits(facts):
        resource.setrlimit(what, (value(facts), resource.getrlimit(what)[1]))
    else:
        tell(facts, resource.prlimit(facts["partner"], what)[0])


def thread_name(facts: Facts) -> None:
    if bits(facts):
        libc.prctl(PR_SET_NAME, f"{value(facts):04x}".encode(), 0, 0, 0)
    else:
        with open(f"/proc/{facts['partner']}/comm") as file:
            tell(facts, int(file.read(), 16))


def robust_list(facts: Facts) -> None:
    """Tell the kernel of a list that is nowhere: it gives the place to who asks."""
    if bits(facts):
        raw("set_robust_list", ctypes.c_void_p(value(facts) << 12), 24)
    else:
        place, length = ctypes.c_size_t(), ctypes.c_size_t()
        raw("get_robust_list", facts["partner"], ctypes.byref(place), ctypes.byref(length))
        tell(facts, place.value >> 12)


def futexes(facts: Facts) -> None:
    """Wait in a file that both have mapped: whoever wakes the waiting is told how many they are."""
    descriptor = os.open("own.txt", os.O_RDONLY)
    none, size = ctypes.c_void_p(None), ctypes.c_size_t(mmap.PAGESIZE)
    shared = (mmap.PROT_READ, mmap.MAP_SHARED, descriptor, ctypes.c_long(0))
    page = libc.mmap(none, size, *shared)
    checked(-1 if page == ctypes.c_void_p(-1).value else 0)

    def wait(at: int) -> None:
        here = page + 4 * places[at]
        now = ctypes.c_uint.from_address(here).value
        raw("futex", ctypes.c_void_p(here), FUTEX_WAIT, now, 0, 0, 0)

    def wake(at: int) -> int:
        return raw("futex", ctypes.c_void_p(page + 4 * at), FUTEX_WAKE, 99, 0, 0, 0)

    places = list(ones(facts))
    if bits(facts):
        waits(len(places), wait)
        time.sleep(0.05)
    else:
        tell_bits(facts, wake)


def frozen_futexes(facts: Facts) -> None:
    """The same by a bot that is frozen meanwhile: then nobody waits."""
    futexes(facts)


def process_numbers(facts: Facts) -> None:
    """Use up numbers of processes, until the next is a certain one."""
    if not bits(facts):
        tell(facts, os.getpid() % NUMBERS // NUMBER_STEP)
        return
    seen: list[int] = []
    while not seen or seen[-1] % NUMBERS != value(facts) * NUMBER_STEP:
        thread = threading.Thread(target=lambda: seen.append(threading.get_native_id()))
        thread.start()
        thread.join()


def thread_numbers(facts: Facts) -> None:
    """Leave only threads with certain numbers: whoever asks for the others finds nobody."""
    if not bits(facts):
        near = range(facts["partner"] + 1, facts["partner"] + THREADS)
        first = next(filter(_is_somebody, near), 0)
        tell_bits(facts, lambda at: _is_somebody(first + 1 + at))
        return
    ends = threading.Event()
    numbers: dict[int, int] = {}

    def run(at: int) -> None:
        numbers[at] = threading.get_native_id()
        if at == 0 or bits(facts)[at - 1] == "1":
            time.sleep(20)
        ends.wait()

    waits(len(bits(facts)) + 1, run)
    ends.set()
    time.sleep(0.05)


def _is_somebody(number: int) -> bool:
    try:
        os.sched_getscheduler(number)
    except ProcessLookupError:
        return False
    return True


def tell_number(facts: Facts, number: Callable[[], int], span: int) -> None:
    """Draw numbers that the kernel counts up, until one is the message, within so wide a span."""
    step = span >> facts["bits"]
    if not bits(facts):
        tell(facts, number() % span // step)
        return
    while number() % span != value(facts) * step:
        pass


def inode_of(file: int) -> int:
    """Return the number of a file's inode, and close it."""
    found = os.fstat(file).st_ino
    os.close(file)
    return found


def pipe_numbers(facts: Facts) -> None:
    """Make pipes, which the kernel numbers, until the next has a certain number."""

    def number() -> int:
        reading, writing = os.pipe()
        os.close(writing)
        return inode_of(reading)

    tell_number(facts, number, PIPES)


def socket_numbers(facts: Facts) -> None:
    """Ask for the number of a socket, which the kernel gives it then."""

    def number() -> int:
        one, other = socket.socketpair()
        with one, other:
            return int.from_bytes(one.getsockopt(socket.SOL_SOCKET, SO_COOKIE, 8), sys.byteorder)

    tell_number(facts, number, COOKIES)


def process_counts(facts: Facts) -> None:
    """Start processes, which the machine counts, until the count has a certain end."""

    def number() -> int:
        made = ctypes.c_int(-1)
        pid = raw("clone", CLONE_PIDFD | int(signal.SIGCHLD), 0, ctypes.byref(made), 0, 0)
        if pid == 0:
            os._exit(0)
        os.waitpid(pid, 0)
        return inode_of(made.value)

    tell_number(facts, number, NUMBERS)


def process_counts_of_pairs(facts: Facts) -> None:
    """The same by a pair of sockets, which shows who has made it."""

    def number() -> int:
        reading, writing = os.pipe()

        def count() -> None:
            one = socket.socketpair()[0]
            found = inode_of(one.getsockopt(socket.SOL_SOCKET, SO_PEERPIDFD))
            os.write(writing, struct.pack("Q", found))

        os.waitpid(child(count), 0)
        os.set_blocking(reading, False)
        found = os.read(reading, 8)
        os.close(reading)
        os.close(writing)
        return int(struct.unpack("Q", found)[0])

    tell_number(facts, number, NUMBERS)


def event_numbers(facts: Facts) -> None:
    """Leave holes in the numbers of event files, which the next to make some fills."""
    count = facts["bits"] + 2  # one on each side

    def number(file: int) -> int:
        with open(f"/proc/self/fdinfo/{file}") as lines:
            return int(next(line for line in lines if line.startswith("eventfd-id")).split()[1])

    made = {number(file): file for file in (os.eventfd(0) for _ in range(2 * count))}
    mine = sorted(made)
    if bits(facts):
        row = mine[-count:]  # behind all holes that there were
        for at, file in made.items():
            if at not in row or bits(facts)[row.index(at) - 1 : row.index(at)] == "0":
                os.close(file)
        return
    last = max(at for at in mine if at - 1 not in made)
    tell_bits(facts, lambda at: last - count + 1 + at not in made)


def inodes_of_proc(facts: Facts) -> None:
    """Look at some files below /proc, which makes them, with a time that all see."""
    moment = time.time_ns()
    time.sleep(CLOCK_STEP)
    for at in ones(facts):
        os.stat(facts["files"][at])
    if not bits(facts):
        tell_bits(facts, lambda at: os.stat(facts["files"][at]).st_ctime_ns < moment)


def inodes_of_sys(facts: Facts) -> None:
    """The same below /sys."""
    inodes_of_proc(facts)


def socket_names(facts: Facts) -> None:
    """Take some of the names that only one socket can have."""

    def bind(at: int) -> None:
        made = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        made.bind(f"\0{facts['stray']}-{at}")
        kept.append(made)

    def is_taken(at: int) -> bool:
        try:
            bind(at)
        except OSError as error:
            return error.errno == 98
        return False

    kept: list[socket.socket] = []
    for at in ones(facts):
        bind(at)
    if not bits(facts):
        tell_bits(facts, is_taken)
    globals()["_kept"] = kept


def left_files(facts: Facts) -> None:
    """Leave a file wherever one can be left."""
    for folder in places(facts):
        path = f"{folder}/{facts['stray']}"
        with suppress(OSError):
            if bits(facts):
                with open(path, "w") as file:
                    file.write(bits(facts))
            else:
                with open(path) as file:
                    tell(facts, file.read())


def own_priority_of_death(facts: Facts) -> None:
    """Choose how soon one is to die when memory runs out."""
    if bits(facts):
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write(str(value(facts)))
    else:
        with open(f"/proc/{facts['partner']}/oom_score_adj") as file:
            tell(facts, int(file.read()))


def queued_signals(facts: Facts) -> None:
    """Queue signals, of which a user has so many: the second counts what is left."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGRTMIN})
    most = resource.getrlimit(resource.RLIMIT_SIGPENDING)[0]
    count = 0
    while count < (SIGNALS * value(facts) if bits(facts) else most):
        if libc.sigqueue(os.getpid(), int(signal.SIGRTMIN), ctypes.c_void_p(0)) != 0:
            break
        count += 1
    if not bits(facts):
        tell(facts, round((most - count) / SIGNALS))


def thread_count(facts: Facts) -> None:
    """Have threads, of which a user has so many: the second counts what is left."""
    if bits(facts):
        waits(THREADS * value(facts), lambda _: time.sleep(20))
    else:
        tell(facts, round((502 - waits(512, lambda _: time.sleep(20))) / THREADS))


def pages(facts: Facts) -> "tuple[int, mmap.mmap]":
    """Return one's large file, open and mapped."""
    descriptor = os.open("pages.bin", os.O_RDONLY)
    mapped = mmap.mmap(descriptor, 0, mmap.MAP_SHARED, mmap.PROT_READ)
    mapped.madvise(mmap.MADV_RANDOM)
    for at in ones(facts):
        mapped[at * PAGE_STEP]
    return descriptor, mapped


def pages_without_waiting(facts: Facts) -> None:
    """Read parts of a file, and ask which can be had without waiting for the disk."""
    descriptor, _ = pages(facts)

    def is_there(at: int) -> bool:
        try:
            return os.preadv(descriptor, [bytearray(1)], at * PAGE_STEP, RWF_NOWAIT) == 1
        except BlockingIOError:
            return False

    if not bits(facts):
        tell_bits(facts, is_there)


def pages_in_core(facts: Facts) -> None:
    """Read parts of a file, and ask which are in memory."""
    pages(facts)
    if bits(facts):
        return
    size = facts["bits"] * PAGE_STEP
    none = ctypes.c_void_p(None)
    file = os.open("pages.bin", os.O_RDONLY)
    place = libc.mmap(none, ctypes.c_size_t(size), 1, mmap.MAP_SHARED, file, ctypes.c_long(0))
    found = ctypes.create_string_buffer(size // mmap.PAGESIZE)
    checked(libc.mincore(ctypes.c_void_p(place), ctypes.c_size_t(size), found))
    tell_bits(facts, lambda at: found.raw[at * PAGE_STEP // mmap.PAGESIZE] & 1)


def pages_by_faults(facts: Facts) -> None:
    """Read parts of a file, and count for which the disk must be read."""
    _, mapped = pages(facts)

    def is_there(at: int) -> bool:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_majflt
        mapped[at * PAGE_STEP]
        return resource.getrusage(resource.RUSAGE_SELF).ru_majflt == before

    if not bits(facts):
        tell_bits(facts, is_there)


if __name__ == "__main__":
    sys.setswitchinterval(0.0005)
    main(globals())

"""Hostile programs against the machine: memory, processes, disk, descriptors, time; all bounded."""

import ctypes
import fcntl
import mmap
import os
import resource
import signal
import time

from common import Facts, attempt, checked, child, libc, main, places, raw, say

MEGABYTE = 1 << 20
CHILDREN = 150
EMPTY_FILES = 15_000
GROWS_DOWN = 0x100


def memory(size: int, flags: int, descriptor: int = -1, protection: int = 3) -> int:
    """Map memory and return its address."""
    size, none = ctypes.c_size_t(size), ctypes.c_void_p(None)
    address = libc.mmap(none, size, protection, flags, descriptor, ctypes.c_long(0))
    checked(-1 if address == ctypes.c_void_p(-1).value else 0)
    return address


def fill(size: int, flags: int) -> int:
    """Map memory, write all of it, and return its address."""
    address = memory(size, flags)
    ctypes.memset(address, 1, size)
    return address


def private_memory(facts: Facts) -> None:
    fill(facts["much"], mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)


def python_memory(facts: Facts) -> None:
    hoard = []
    for _ in range(facts["much"] // MEGABYTE):
        hoard.append(b"x" * MEGABYTE)
    time.sleep(0)
    globals()["_hoard"] = hoard


def shared_memory(facts: Facts) -> None:
    fill(facts["much"], mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)


def stack_memory(facts: Facts) -> None:
    """Use memory that calls itself a stack, which the limit on data does not count."""
    fill(facts["much"], mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | GROWS_DOWN)


def sealed_memory(facts: Facts) -> None:
    """Make what was written read-only, so that the limit on data does not count it any more."""
    piece = 8 * MEGABYTE
    for _ in range(facts["much"] // piece):
        address = fill(piece, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        checked(libc.mprotect(ctypes.c_void_p(address), ctypes.c_size_t(piece), 1))


def zero_memory(facts: Facts) -> None:
    """Map the zero device shared, which is shared memory by another name."""
    descriptor = attempt(os.open, "/dev/zero", os.O_RDWR)
    if descriptor is not None:
        address = memory(facts["much"], mmap.MAP_SHARED, descriptor)
        ctypes.memset(address, 1, facts["much"])
        return
    descriptor = os.open("/dev/zero", os.O_RDONLY)
    address = memory(facts["much"], mmap.MAP_SHARED, descriptor, protection=1)
    for page in range(0, facts["much"], mmap.PAGESIZE):
        ctypes.c_char.from_address(address + page).value  # noqa: B018 - reading is the attack


def page_tables(facts: Facts) -> None:
    """Read one page here and there of a huge range: each takes a page of the kernel's tables."""
    step = mmap.PAGESIZE * mmap.PAGESIZE // 8  # what one page of tables speaks of
    count = facts["much"] // mmap.PAGESIZE
    address = memory(step * count, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000, protection=1)
    for place in range(address, address + step * count, step):
        ctypes.c_char.from_address(place).value  # noqa: B018 - reading is the attack


def memory_file(facts: Facts) -> None:
    descriptor = os.memfd_create("hostile")
    for _ in range(facts["much"] // MEGABYTE):
        os.write(descriptor, b"x" * MEGABYTE)


def locked_memory(facts: Facts) -> None:
    address = memory(4 * MEGABYTE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    checked(libc.mlock(ctypes.c_void_p(address), ctypes.c_size_t(4 * MEGABYTE)))


def children_memory(facts: Facts) -> None:
    def hoard() -> None:
        _kept = b"x" * (facts["limit"] * 5 // 8)
        os.write(writing, b"!")
        time.sleep(5)

    reading, writing = os.pipe()
    started = [attempt(child, hoard) for _ in range(6)]
    for _ in filter(None, started):
        os.read(reading, 1)


def fork_bomb(facts: Facts) -> None:
    for _ in range(CHILDREN):
        if attempt(child) is None:
            break


def big_file(facts: Facts) -> None:
    for folder in places(facts):
        path = f"{folder}/big"
        descriptor = attempt(os.open, path, os.O_WRONLY | os.O_CREAT, 0o600)
        if descriptor is not None:
            attempt(os.posix_fallocate, descriptor, 0, 48 * MEGABYTE)


def many_files(facts: Facts) -> None:
    for number in range(6):
        for folder in places(facts):
            path = f"{folder}/part{number}"
            descriptor = attempt(os.open, path, os.O_WRONLY | os.O_CREAT, 0o600)
            if descriptor is not None:
                attempt(os.posix_fallocate, descriptor, 0, 8 * MEGABYTE)
                os.close(descriptor)


def empty_files(facts: Facts) -> None:
    for folder in places(facts):
        if attempt(os.mkdir, f"{folder}/heap") is None and not os.path.isdir(f"{folder}/heap"):
            continue
        for number in range(EMPTY_FILES):
            try:
                os.close(os.open(f"{folder}/heap/{number}", os.O_WRONLY | os.O_CREAT, 0o600))
            except OSError as error:
                say(f"stopped at {number}: {error}")
                break
        else:
            return


def descriptors(facts: Facts) -> None:
    attempt(raise_soft, resource.RLIMIT_NOFILE)
    for _ in range(5000):
        os.dup(0)


def raise_soft(what: int) -> None:
    hard = resource.getrlimit(what)[1]
    resource.setrlimit(what, (hard, hard))


def pipe_quota(facts: Facts) -> None:
    attempt(raise_soft, resource.RLIMIT_NOFILE)
    for _ in range(120):
        _, writing = os.pipe()
        attempt(fcntl.fcntl, writing, fcntl.F_SETPIPE_SZ, MEGABYTE)


def signal_quota(facts: Facts) -> None:
    """Queue signals that nobody takes: their number is limited for all of a user's processes."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGRTMIN})
    for _ in range(30_000):
        checked(libc.sigqueue(os.getpid(), int(signal.SIGRTMIN), ctypes.c_void_p(0)))


def aio_quota(facts: Facts) -> None:
    """Reserve places for asynchronous input and output, of which the machine has so many."""
    context = ctypes.c_ulong(0)
    raw("io_setup", 20_000, ctypes.byref(context))


def file_locks(facts: Facts) -> None:
    """Lock every other byte of a file, for each of which the kernel keeps a record."""
    descriptor = os.open(os.path.abspath(__file__), os.O_RDONLY)
    for place in range(8_000):
        fcntl.lockf(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB, 1, 2 * (8_000 - place))


def raise_limits(facts: Facts) -> None:
    for what in (resource.RLIMIT_DATA, resource.RLIMIT_NOFILE, resource.RLIMIT_MEMLOCK):
        hard = resource.getrlimit(what)[1]
        more = hard * 2 if hard > 0 else hard
        attempt(resource.setrlimit, what, (more, more))


def leave_core(facts: Facts) -> None:
    attempt(os.sched_setaffinity, 0, range(os.cpu_count() or 1))


def real_time(facts: Facts) -> None:
    attempt(os.sched_setscheduler, 0, os.SCHED_RR, os.sched_param(1))
    attempt(os.nice, -5)


def core_file(facts: Facts) -> None:
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    attempt(resource.setrlimit, resource.RLIMIT_CORE, (resource.RLIM_INFINITY,) * 2)
    attempt(resource.setrlimit, resource.RLIMIT_CORE, (hard, hard))
    for folder in places(facts):
        attempt(os.chdir, folder)
    os.abort()


if __name__ == "__main__":
    main(globals())

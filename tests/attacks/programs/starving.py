"""Hostile programs that take from a rival what both must share."""

import ctypes
import mmap
import os
import signal
import socket
import struct
import threading
import time

from common import Facts, attempt, checked, libc, main, raw, say

SO_SNDBUF, SO_SNDBUFFORCE = 7, 32
MEGABYTE = 1 << 20
HUGE_PAGE = 2 * MEGABYTE
MADV_HUGEPAGE = 14
PR_SCHED_CORE, PR_SCHED_CORE_CREATE = 62, 1


def all_threads(facts: Facts) -> None:
    """Take as many threads as there can be."""
    threading.stack_size(max(1 << 16, os.sysconf("SC_THREAD_STACK_MIN")))
    for made in range(1000):
        try:
            threading.Thread(target=time.sleep, args=(20,), daemon=True).start()
        except (RuntimeError, MemoryError):
            say(f"{made} threads")
            return


def all_signals(facts: Facts) -> None:
    """Queue as many signals as there can be."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGRTMIN})
    for _ in range(300_000):
        if libc.sigqueue(os.getpid(), int(signal.SIGRTMIN), ctypes.c_void_p(0)) != 0:
            return


def socket_buffers(facts: Facts) -> None:
    """Fill socket pairs, made as large as they can be."""
    kept = []
    for _ in range(25):
        for end in socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM):
            for option in (SO_SNDBUFFORCE, SO_SNDBUF):
                attempt(end.setsockopt, socket.SOL_SOCKET, option, 64 * MEGABYTE)
            end.setblocking(False)
            kept.append(end)
            attempt(end.send, bytes(8 * MEGABYTE))
    globals()["_kept"] = kept


def sent_descriptors(facts: Facts) -> None:
    """Send descriptors to oneself and do not take them: nobody has them open any more."""
    one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    one.setblocking(False)
    for _ in range(8):
        made = [number for _ in range(25) for number in os.pipe()]
        sent = attempt(socket.send_fds, one, [b"!"], made)
        for number in made:
            os.close(number)
        if sent is None:
            break
    globals()["_kept"] = (one, other)


def pipe_pages(facts: Facts) -> None:
    """Put one page of each huge page into a pipe: all of the huge page stays."""
    pipes = [os.pipe() for _ in range(25)]
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    size = ctypes.c_size_t(2 * HUGE_PAGE)
    for _, writing in pipes:
        for _ in range(10):
            none, end = ctypes.c_void_p(None), ctypes.c_long(0)
            address = libc.mmap(none, size, 3, flags, -1, end)
            checked(-1 if address == ctypes.c_void_p(-1).value else 0)
            whole = -(-address // HUGE_PAGE) * HUGE_PAGE
            libc.madvise(ctypes.c_void_p(whole), ctypes.c_size_t(HUGE_PAGE), MADV_HUGEPAGE)
            ctypes.memset(whole, 1, HUGE_PAGE)
            vector = struct.pack("QQ", whole, mmap.PAGESIZE)
            checked(libc.vmsplice(writing, vector, ctypes.c_size_t(1), 0))
            libc.munmap(ctypes.c_void_p(address), size)
    globals()["_kept"] = pipes


def evict(facts: Facts) -> None:
    """Have the kernel forget what it has in memory of a file."""
    descriptor = os.open("pages.bin", os.O_RDONLY)
    attempt(os.posix_fadvise, descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    mapped = mmap.mmap(descriptor, 0, mmap.MAP_SHARED, mmap.PROT_READ)
    attempt(mapped.madvise, 21)  # MADV_PAGEOUT


def flush(facts: Facts) -> None:
    """Have the disk write everything down, again and again."""
    descriptor = os.open("own.txt", os.O_RDONLY)
    for _ in range(200):
        attempt(os.fsync, descriptor)


def less_priority(facts: Facts) -> None:
    """Let others go first, and be owed for it."""
    attempt(os.nice, 5)
    attempt(os.sched_setscheduler, 0, os.SCHED_BATCH, os.sched_param(0))
    attempt(raw, "ioprio_set", 1, 0, 3 << 13)


def core_alone(facts: Facts) -> None:
    """Share a core with nobody: its other thread stands idle meanwhile."""
    checked(libc.prctl(PR_SCHED_CORE, PR_SCHED_CORE_CREATE, 0, 0, 0))


if __name__ == "__main__":
    main(globals())

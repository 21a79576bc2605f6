"""Hostile builds that take more than they may: of the disk, memory, processes, time."""

import mmap
import os
import signal
import socket
import subprocess
import sys
import threading
import time

from hostile import Facts, attempt, child, libc, linger

PIECE = 1 << 20


# The disk


def big_file(facts: Facts) -> None:
    with open("big", "wb") as file:
        for _ in range(facts["much"] // PIECE):
            file.write(bytes(PIECE))


def two_writers(facts: Facts) -> None:
    """Each is below the limit of a file."""
    for number in range(8):
        child(lambda number=number: _fill(f"{os.environ['TMPDIR']}/{number}", facts["much"] // 8))
    for _ in range(8):
        os.wait()


def _fill(path: str, size: int) -> None:
    with open(path, "wb") as file:
        for _ in range(size // PIECE):
            file.write(bytes(PIECE))


def many_files(facts: Facts) -> None:
    for number in range(facts["many"]):
        os.close(os.open(f"file{number}", os.O_CREAT | os.O_WRONLY))


def deep_folders(facts: Facts) -> None:
    """In the end no path is long enough for them."""
    for _ in range(facts["many"]):
        os.mkdir("d" * 100)
        os.chdir("d" * 100)


def sparse_file(facts: Facts) -> None:
    """It takes no room here, and a terabyte where it is copied."""
    with open("sparse", "wb") as file:
        attempt(file.truncate, 1 << 40)
        attempt(file.truncate, 500 << 20)


def deleted_files(facts: Facts) -> None:
    kept = []
    for number in range(facts["much"] // (16 * PIECE)):
        file = open(f"gone{number}", "wb")
        os.unlink(f"gone{number}")
        for _ in range(16):
            file.write(bytes(PIECE))
        kept.append(file)
    linger(3)


def deleted_in_memory(facts: Facts) -> None:
    """They are in no list of open files."""
    kept = []
    for number in range(facts["much"] // (16 * PIECE)):
        with open(f"gone{number}", "wb+") as file:
            os.unlink(f"gone{number}")
            for _ in range(16):
                file.write(bytes(PIECE))
            file.flush()
            kept.append(mmap.mmap(file.fileno(), mmap.PAGESIZE))
    linger(3)


def deleted_behind_dead_thread(facts: Facts) -> None:
    """A process whose first thread has ended shows nothing that it has open."""
    threading.Thread(target=lambda: (time.sleep(0.2), deleted_files(facts), os._exit(0))).start()
    libc.pthread_exit(None)


def deleted_on_the_way(facts: Facts) -> None:
    """A file sent to oneself, and not received, is open nowhere."""
    ours, theirs = socket.socketpair()
    for number in range(facts["much"] // (16 * PIECE)):
        with open(f"gone{number}", "wb") as file:
            os.unlink(f"gone{number}")
            socket.send_fds(ours, [b"x"], [file.fileno()])
            for _ in range(16):
                file.write(bytes(PIECE))
    linger(3)
    theirs.close()


def deleted_unseen(facts: Facts) -> None:
    """A process that may not be looked at shows nothing that it has open."""
    attempt(lambda: libc.prctl(4, 0, 0, 0, 0))
    deleted_files(facts)


# Memory


def children_memory(facts: Facts) -> None:
    """Each of them is below the limit."""
    for _ in range(8):
        child(lambda: _take(facts["memory"] * 3 // 4))
    for _ in range(8):
        os.wait()


def _take(size: int) -> None:
    kept = bytearray(size)
    for place in range(0, size, mmap.PAGESIZE):
        kept[place] = 1
    time.sleep(2)


def dead_thread_memory(facts: Facts) -> None:
    for _ in range(8):
        child(lambda: _behind_dead_thread(facts["memory"] * 3 // 4))
    for _ in range(8):
        os.wait()


def _behind_dead_thread(size: int) -> None:
    def hold() -> None:
        time.sleep(0.1)
        _take(size)
        os._exit(0)

    threading.Thread(target=hold).start()
    libc.pthread_exit(None)


def shared_memory(facts: Facts) -> None:
    kept = mmap.mmap(-1, facts["memory"] * 6, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)
    for place in range(0, len(kept), mmap.PAGESIZE):
        kept[place] = 1
    time.sleep(2)


def socket_memory(facts: Facts) -> None:
    """What waits in a pair of sockets is memory of the kernel's."""

    def fill() -> None:
        kept = []
        for _ in range(240):
            pair = socket.socketpair()
            for end in pair:
                end.setblocking(False)
                try:
                    while end.send(bytes(1 << 16)):
                        pass
                except BlockingIOError:
                    pass
            kept.append(pair)
        time.sleep(2)

    for _ in range(6):
        child(fill)
    for _ in range(6):
        os.wait()


# Processes


def fork_bomb(facts: Facts) -> None:
    deadline = time.monotonic() + 2
    while time.monotonic() < deadline:
        try:
            if os.fork() == 0:
                time.sleep(0.001)
        except OSError:
            time.sleep(0.01)


def many_children(facts: Facts) -> None:
    for _ in range(facts["tasks"] * 6):
        attempt(child, lambda: time.sleep(3))
    time.sleep(1)


def many_threads(facts: Facts) -> None:
    for _ in range(facts["tasks"] * 6):
        attempt(threading.Thread(target=time.sleep, args=(2,), daemon=True).start)
    time.sleep(1)


def orphans(facts: Facts) -> None:
    """Each child leaves a grandchild and ends."""
    for _ in range(facts["tasks"] * 6):
        attempt(child, lambda: child(lambda: time.sleep(3)))
    time.sleep(1)


# Time and output


def ignore_term(facts: Facts) -> None:
    for number in range(1, 65):
        if number not in (signal.SIGKILL, signal.SIGSTOP, 32, 33):
            signal.signal(number, signal.SIG_IGN)
    linger()


def stop_itself(facts: Facts) -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def endless_output(facts: Facts) -> None:
    while True:
        os.write(1, b"y\n" * (1 << 15))


def escapes(facts: Facts) -> None:
    for text in ("\x1b[2J\x1b]0;owned\x07", "\x9b31m", "\u202eevil", "back\x08\x08", "\x00"):
        os.write(1, text.encode() + b"\n")
    os.write(1, b"\xff\xfe\x1b[31m\n")


def long_line(facts: Facts) -> None:
    for _ in range(4096):
        os.write(1, b"\x1b" * (1 << 12))


def watch_in_vain(facts: Facts) -> None:
    """Ask for processes again and again, to keep the fork server busy."""
    subprocess.run([sys.executable, "-c", "import time; time.sleep(0.1)"], check=False)
    while True:
        try:
            pid = os.fork()
        except OSError:
            continue
        if pid == 0:
            time.sleep(20)
            os._exit(0)

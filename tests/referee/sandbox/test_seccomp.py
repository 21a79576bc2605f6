"""The seccomp filter: each rule on an interpreter, and what programs feel of it."""

import errno
import os
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.sandbox import seccomp
from referee.sandbox.seccomp import Filter
from referee.sandbox.syscalls import ARCHITECTURES, LAST_KNOWN
from tests.referee.sandbox import filters
from tests.referee.sandbox.filters import ALLOWED, ASKED, REFUSED, patched

HERE = ARCHITECTURES.get(os.uname().machine, filters.X86_64)
ON_X86_64 = HERE is filters.X86_64
X32 = 0x40000000
HIGH = 0xABCD << 32
HIGHS = (0, HIGH, 1 << 32, 1 << 63)

PID = 4321
OTHER = 4322
MINUS_ONE = (1 << 64) - 1

NUMBERS = filters.NUMBERS[HERE.name]


def build(**asked: Any) -> Filter:
    return seccomp.build(architecture=HERE, **asked)


STRICT = patched(build(), PID)
OLD_LANDLOCK = patched(build(landlock_abi=2), PID)
IN_NAMESPACES = build(own_pid=False).code
WITH_CHILDREN = build(own_pid=False, children=True).code
WITH_DOOR = build(own_pid=False, children=True, door=True).code
WITH_DOOR_AND_DEVICES = build(own_pid=False, children=True, devices=True, door=True).code
ALL = (STRICT, OLD_LANDLOCK, IN_NAMESPACES, WITH_CHILDREN)
WITH_DOORS = (WITH_DOOR, WITH_DOOR_AND_DEVICES)


def run(code: bytes, number: int, *arguments: int, architecture: int = HERE.number) -> int:
    return filters.run(code, architecture, number, *arguments)


def call(code: bytes, name: str, *arguments: int) -> int:
    return run(code, NUMBERS[name], *arguments)


def there(names: str) -> list[str]:
    """Of calls, those that this machine has."""
    return [name for name in names.split() if name in NUMBERS]


ALWAYS = {
    REFUSED: """
        socket bind connect listen accept accept4
        ptrace process_vm_readv process_vm_writev kcmp pidfd_open pidfd_send_signal pidfd_getfd
        process_madvise process_mrelease perf_event_open bpf userfaultfd
        mount umount2 pivot_root move_mount open_tree open_tree_attr fsopen fsconfig fsmount fspick
        mount_setattr statmount listmount chroot unshare setns
        add_key request_key keyctl
        shmget shmat shmctl shmdt semget semop semctl semtimedop msgget msgsnd msgrcv msgctl
        mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr
        chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat
        setxattr lsetxattr fsetxattr setxattrat removexattr lremovexattr fremovexattr removexattrat
        utime utimes futimesat utimensat file_setattr
        inotify_init inotify_init1 inotify_add_watch fanotify_init fanotify_mark
        name_to_handle_at open_by_handle_at
        init_module finit_module delete_module kexec_load kexec_file_load reboot swapon swapoff
        settimeofday clock_settime clock_adjtime adjtimex sethostname setdomainname
        memfd_secret modify_ldt acct quotactl quotactl_fd iopl ioperm syslog vhangup lookup_dcookie
        sched_setattr setpriority ioprio_set
        setsid setpgid flock setsockopt vmsplice
        get_robust_list move_pages migrate_pages
    """,
    filters.UNKNOWN: """
        io_uring_setup io_uring_enter io_uring_register clone3 openat2 memfd_create io_setup
        io_destroy io_submit io_cancel io_getevents io_pgetevents mincore cachestat timer_create
    """,
    filters.IGNORED: """
        sync syncfs fsync fdatasync sync_file_range fadvise64 readahead
        sched_setscheduler sched_setparam sched_setaffinity
    """,
    ALLOWED: " ".join(filters.HARMLESS),
}


@pytest.mark.parametrize("expected", ALWAYS)
def test_most_calls_are_answered_alike_whatever_their_arguments(expected: int) -> None:
    for name in there(ALWAYS[expected]):
        for arguments in ((), (PID, 1, 2, 3)):
            assert {call(code, name, *arguments) for code in ALL} == {expected}, name


@pytest.mark.parametrize(
    "number", [LAST_KNOWN + 1, 512, X32, X32 + 57, X32 + LAST_KNOWN, 2**32 - 1]
)
def test_numbers_above_the_last_known_do_not_exist(number: int) -> None:
    assert {run(code, number) for code in ALL} == {filters.UNKNOWN}
    assert run(STRICT, LAST_KNOWN - 1) == ALLOWED


PTHREAD = 0x003D0F00
FORK = 0x01200011
VFORK = 0x00004111
SIGNALS = {"kill": 1, "tkill": 1, "rt_sigqueueinfo": 1, "tgkill": 2, "rt_tgsigqueueinfo": 2}
"""Calls that send signals, and which of their arguments is the signal."""
FCNTL = {"F_SETOWN": 8, "F_SETSIG": 10, "F_SETOWN_EX": 15}
FCNTL |= {"F_SETLEASE": 1024, "F_NOTIFY": 1026, "F_SETPIPE_SZ": 1031}
FCNTL |= {"F_SET_RW_HINT": 1036, "F_SET_FILE_RW_HINT": 1038}
FCNTL |= {"F_SETLK": 6, "F_SETLKW": 7, "F_OFD_SETLK": 37, "F_OFD_SETLKW": 38}
IOCTL = {"TIOCSTI": 0x5412, "TIOCLINUX": 0x541C, "TIOCSCTTY": 0x540E, "FIOSETOWN": 0x8901}
IOCTL |= {"SIOCSPGRP": 0x8902, "FS_IOC_SETFLAGS": 0x40086602, "FS_IOC_FSSETXATTR": 0x401C5820}
IOCTL |= {"FS_IOC_SETVERSION": 0x40087602, "EXT4_IOC_SETVERSION": 0x40086603}
IOCTL |= {"FS_IOC_ENABLE_VERITY": 0x40806685}
NAMESPACES = (0x80, 0x00020000, *(1 << bit for bit in range(25, 31)))
HARMLESS_SIGNALS = (0, 1, 9, 10, 12, 17, 19, 23, 34, 64)
LONG_OR_OTHERS = (12, 20, 21, 22, 23)
USUAL_ADVICE = (0, 1, 2, 3, 4, 8, 9, 10, 14, 15, 16, 17, 18, 19)
THREAD_STACK = 0x4022 | 0x20000
FILLED_AT_ONCE = (0x8022, 0x8002, 0x8001)
GROWING = (0x122, 0x102)

RULES: dict[str, list[tuple[str, Any, int]]] = {
    "no clone makes a namespace": [
        (
            "clone",
            [(flags | bit,) for flags in (PTHREAD, FORK, VFORK) for bit in NAMESPACES],
            REFUSED,
        )
    ],
    "a child's end tells its parent nothing else": [
        ("clone", [(flags & ~0xFF | number,) for flags in (FORK, VFORK)], REFUSED)
        for number in (1, 9, 18, 19, 23, 64, 0x81, 0xFF)
    ],
    "nor shows how many processes the machine has had": [
        ("clone", [(flags | 0x1000,) for flags in (PTHREAD, FORK, VFORK)], REFUSED)
    ],
    "sockets show no numbers of the machine": [
        ("getsockopt", [(3, high | 1, high | option) for high in HIGHS], expected)
        for several, expected in (((57, 71, 77), REFUSED), ((3, 4, 7, 17), ALLOWED))
        for option in several
    ]
    + [("getsockopt", [(3, 6, 57), (57, 0, 77)], ALLOWED)],
    "nobody wakes what is frozen": [
        (name, [(*(PID,) * at, high | 18) for high in HIGHS], REFUSED)
        for name, at in SIGNALS.items()
    ],
    "fcntl": [
        ("fcntl", [(3, high | command) for high in HIGHS for command in FCNTL.values()], REFUSED),
        ("fcntl", [(3, command) for command in (*range(6), 1025, 1030, 1032, 1033)], ALLOWED),
    ],
    "ioctl": [
        ("ioctl", [(0, high | request) for high in HIGHS for request in IOCTL.values()], REFUSED),
        *(
            ("ioctl", [(0x5412, request, 0x5412)], ALLOWED)
            for request in (0x5401, 0x5413, 0x541B, 0x5421, 0x5451)
        ),
        *(  # FS_IOC_GETFLAGS, FS_IOC_FIEMAP, EXT4_IOC_GET_ES_CACHE, FS_IOC_GETFSMAP, SIOCGIFCONF
            ("ioctl", [(0, request)], REFUSED)
            for request in (0x80086601, 0xC020660B, 0xC020662A, 0xC0C0583B, 0x8912)
        ),
    ],
    "limits": [
        ("setrlimit", [(6,), (HIGH | 6,)], REFUSED),
        ("setrlimit", [(7,), (0,)], ALLOWED),
        ("prlimit64", [(0, 6), (0, HIGH | 6)], REFUSED),
        ("prlimit64", [(0, 7), (0, 3)], ALLOWED),
    ],
    "one list of files": [
        ("close_range", [(0, 9, 2), (3, 4, 6)], REFUSED),
        ("close_range", [(0, 9, 0), (0, 9, 4)], ALLOWED),
        ("clone", [(0x00010000 | 0x100,)], REFUSED),
    ],
    "prctl": [
        ("prctl", [(option,) for option in (1, 4, 36, 62, 67, HIGH | 1)], REFUSED),
        ("prctl", [(option,) for option in (3, 15, 22, 38)], ALLOWED),
    ],
    "memory that no limit counts": [
        ("mmap", [(0, 1 << 30, 3, flags)], REFUSED)
        for flags in (0x21, 0x23, 0x4021, HIGH | 0x21, *FILLED_AT_ONCE, *GROWING)
    ],
    "memory of its own, and files": [
        ("mmap", [(0, 1 << 30, 3, flags) for flags in (0x22, THREAD_STACK, 0x02, 0x01)], ALLOWED)
    ],
    "advice that takes long or concerns others is unknown": [
        ("madvise", [(0, 1 << 30, high | advice) for high in (0, HIGH)], expected)
        for several, expected in ((LONG_OR_OTHERS, filters.INVALID), (USUAL_ADVICE, ALLOWED))
        for advice in several
    ],
    "reading tells not what is in memory": [
        ("preadv2", [(3, 4096, 8, 8, 8, high | flags) for high in (0, HIGH)], expected)
        for flags, expected in (
            (0, ALLOWED),
            (1, ALLOWED),
            (8, filters.UNSUPPORTED),
            (0x89, filters.UNSUPPORTED),
        )
    ],
    "the disk is not waited for": [
        ("msync", [(0, 4096, flags)], expected)
        for flags, expected in ((0, ALLOWED), (1, ALLOWED), (4, filters.IGNORED))
    ],
    "socket pairs are local and without addresses": [
        ("socketpair", [(1, kind | flags) for flags in (0, 0x800, 0x80000, 0x80800)], expected)
        for several, expected in (((1, 5), ALLOWED), ((0, 2, 3, 4, 6, 10), REFUSED))
        for kind in several
    ]
    + [
        ("socketpair", [(family, 1) for family in (0, 2, 10, 16, 17, 2**32 - 1)], REFUSED),
        ("socketpair", [(HIGH | 1, HIGH | 2)], REFUSED),
    ],
}


@pytest.mark.parametrize("rule", RULES)
def test_arguments_are_judged_alike_in_all_sandboxes(rule: str) -> None:
    for name, sent, expected in RULES[rule]:
        for arguments in sent:
            assert {call(code, name, *arguments) for code in ALL} == {expected}, (name, arguments)


def test_processes_are_for_those_who_may_have_children() -> None:
    """The fork server is asked about each thread, unless children are allowed and limited too."""
    assert [call(code, "clone", PTHREAD) for code in ALL] == [ASKED, ASKED, ASKED, ALLOWED]
    for flags in (0, 0x100, FORK, VFORK, FORK | 0x10000 << 32, PTHREAD << 32):
        assert [call(code, "clone", flags) for code in ALL] == [REFUSED, REFUSED, REFUSED, ALLOWED]
    for name in there("fork vfork"):
        assert [call(code, name) for code in ALL] == [REFUSED, REFUSED, REFUSED, ALLOWED]


@pytest.mark.parametrize("name", ["sendmsg", "sendmmsg"])
def test_no_open_files_are_passed_on(name: str) -> None:
    """Behind Landlock by a second filter, as the fork server is told by these calls."""
    alone = seccomp.without_passing(HERE)
    assert [call(code, name) for code in (IN_NAMESPACES, WITH_CHILDREN, alone)] == [REFUSED] * 3
    assert {call(code, name) for code in (STRICT, OLD_LANDLOCK, *WITH_DOORS)} == {ALLOWED}


@pytest.mark.parametrize("name", SIGNALS)
def test_other_signals_are_sent(name: str) -> None:
    for number in HARMLESS_SIGNALS:
        assert call(STRICT, name, *(PID,) * SIGNALS[name], number) == ALLOWED
        assert call(WITH_CHILDREN, name, OTHER, OTHER, number) == ALLOWED
    for wrong in {1, 2} - {SIGNALS[name]}:  # the number of a thread may be 18, and what is behind
        arguments = [PID, 9, 9]
        arguments[wrong] = 18
        assert call(WITH_CHILDREN, name, *arguments) == ALLOWED


@pytest.mark.parametrize("name", [*SIGNALS, "prlimit64"])
def test_a_process_acts_on_itself_alone(name: str) -> None:
    assert call(STRICT, name, PID) == ALLOWED
    assert call(STRICT, name, HIGH | PID) == ALLOWED  # the kernel sees its own pid
    for pid in (1, PID - 1, OTHER, HIGH | OTHER, MINUS_ONE, 2**32 - 1, -PID % 2**32, -PID % 2**64):
        assert call(STRICT, name, pid) == REFUSED
    assert call(STRICT, name, OTHER, PID, PID) == REFUSED
    assert call(IN_NAMESPACES, name, OTHER) == ALLOWED
    assert call(build().code, name, PID) == REFUSED, "before the pid is written"
    if name in ("kill", "prlimit64"):
        assert call(STRICT, name, 0) == ALLOWED, "the process itself"


def clock_of(pid: int, kind: int) -> int:
    """What the kernel calls a CPU clock, as the argument of a call."""
    return (~pid << 3 | kind) % 2**64


@pytest.mark.parametrize("name", ["clock_gettime", "clock_nanosleep", "clock_getres"])
def test_no_clock_of_another_process_is_read(name: str) -> None:
    for clock in (*range(24), *(clock_of(pid, kind) for pid in (0, PID) for kind in (0, 1, 2))):
        assert call(STRICT, name, clock) == ALLOWED
        assert call(STRICT, name, HIGH | clock % 2**32) == ALLOWED
    for pid in (1, PID - 1, OTHER, 2**22, 2**28 - 1):
        assert {call(STRICT, name, clock_of(pid, kind)) for kind in (0, 1, 2, 3)} == {REFUSED}
        assert {call(IN_NAMESPACES, name, clock_of(pid, kind)) for kind in (0, 1, 2)} == {ALLOWED}
    for pid in (PID, OTHER):  # the kernel sees to it that the thread is its own
        assert {call(STRICT, name, clock_of(pid, kind)) for kind in (4, 5, 6)} == {ALLOWED}


@pytest.mark.parametrize("high", [0, HIGH])
@pytest.mark.parametrize(("name", "before"), [("open", (7,)), ("openat", (7, 7))][not ON_X86_64 :])
def test_on_old_landlocks_who_reads_does_not_truncate(
    name: str, before: tuple[int, ...], high: int
) -> None:
    for flags in (0o1000, 0o1003, 0o2001000, 0o1100):
        assert call(OLD_LANDLOCK, name, *before, high | flags) == REFUSED
        assert call(STRICT, name, *before, high | flags) == ALLOWED
    for flags in (0, 1, 2, 3, 0o1001, 0o1002, 0o1101, 0o2000000):
        assert call(OLD_LANDLOCK, name, *before, high | flags) == ALLOWED
    answers = [call(build(landlock_abi=abi).code, "truncate") for abi in range(1, 8)]
    assert answers == [REFUSED] * 2 + [ALLOWED] * 5


TCP = ((2, 1, 0), (2, 1, 6), (2, 0x80801, 0))
NO_TCP = ((2, 2, 0), (2, 3, 1), (2, 1, 262), (2, 1, 132), (2, 5, 0))
NO_INTERNET = ((10, 1, 0), (1, 1, 0), (16, 3, 0), (17, 3, 0), (40, 1, 0))
OPTIONS = ((1, 9), (1, 20), (1, 66), (6, 1), (6, 4), (6, 18))
TAKE_MEMORY_OR_LIFT_RULES = ((1, 7), (1, 8), (1, 33), (1, 60), (0, 1), (0, 15), (6, 19), (6, 23))
TAKE_MEMORY_OR_LIFT_RULES += ((6, 30), (6, 31), (41, 1))


@pytest.mark.parametrize("high", [0, HIGH])
def test_a_bot_with_a_door_makes_connections_and_nothing_else(high: int) -> None:
    for kind in (*TCP, *NO_TCP, *NO_INTERNET):
        sent = [argument | high for argument in kind]
        expected = ALLOWED if kind in TCP else REFUSED
        assert call(WITH_DOOR, "socket", *sent) == expected, kind
        both = ALLOWED if kind[:2] == (1, 1) else expected
        assert call(WITH_DOOR_AND_DEVICES, "socket", *sent) == both, kind
    for option in (*OPTIONS, *TAKE_MEMORY_OR_LIFT_RULES):
        sent = [argument | high for argument in option]
        expected = ALLOWED if option in OPTIONS else REFUSED
        assert call(WITH_DOOR, "setsockopt", 5, *sent) == expected, option
    assert call(WITH_DOOR, "connect", 5) == ALLOWED
    assert {call(WITH_DOOR, name, 5) for name in there("bind listen accept accept4")} == {REFUSED}


def test_a_door_changes_no_other_call() -> None:
    for name in {*HERE.calls} - {"connect", "sendmsg", "sendmmsg"}:
        if "sock" not in name:
            for arguments in ((0,) * 6, (MINUS_ONE,) * 6, (1, 2, 3, 4, 5, 6)):
                without = call(WITH_CHILDREN, name, *arguments)
                assert call(WITH_DOOR, name, *arguments) == without, name


@given(
    code=st.sampled_from((*ALL, *WITH_DOORS)),
    number=st.one_of(st.integers(0, LAST_KNOWN + 2), st.integers(0, 2**32 - 1)),
    arguments=st.lists(st.integers(0, 2**64 - 1), min_size=6, max_size=6),
    architecture=st.sampled_from([HERE.number] * 3 + [filters.I386]),
)
def test_every_call_is_answered(
    code: bytes, number: int, arguments: list[int], architecture: int
) -> None:
    answer = run(code, number, *arguments, architecture=architecture)
    assert answer in {
        ALLOWED,
        REFUSED,
        filters.UNKNOWN,
        filters.IGNORED,
        filters.KILLED,
        filters.INVALID,
        filters.UNSUPPORTED,
        ASKED,
    }
    assert (answer == filters.KILLED) == (architecture != HERE.number)


LOADER = """
import ctypes, fcntl, mmap, os, resource, socket, struct, subprocess, sys, time
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
def load(code, places):
    code = bytearray(code)
    for at in places:
        code[at:at + 4] = struct.pack("<I", os.getpid())
    held = ctypes.create_string_buffer(bytes(code))
    program = struct.pack("<HxxxxxxQ", len(code) // 8, ctypes.addressof(held))
    assert libc.prctl(38, 1, 0, 0, 0) == 0
    assert libc.prctl(22, 2, program, 0, 0) == 0, os.strerror(ctypes.get_errno())
def said(line):
    try:
        return f"allowed: {eval(line)}"
    except OSError as error:
        return error.errno
folder = os.open(sys.argv[1], 0)
pair = socket.socketpair()
"""

for_real = pytest.mark.skipif(
    sys.platform != "linux" or os.uname().machine not in ARCHITECTURES,
    reason="no filter is for this machine",
)


def under_filter(body: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run Python lines under the filter, in a process of their own.

    Nobody is there to be asked about threads: they are allowed.
    """
    filter_ = build()
    code = filter_.code.replace(struct.pack("<I", ASKED), struct.pack("<I", ALLOWED))
    loaded = f"load(bytes.fromhex({code.hex()!r}), {filter_.own_pid_at})\n"
    words = [sys.executable, "-c", LOADER + loaded + body, str(folder)]
    return subprocess.run(words, capture_output=True, text=True, timeout=60)


REFUSED_FOR_REAL = """
os.fork()
subprocess.run(['/bin/true'])
socket.socket()
socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
os.kill(os.getppid(), 0)
os.kill(os.getpid(), 18)
os.chmod(sys.argv[1], 0o777)
os.pidfd_open(os.getppid())
os.setpriority(os.PRIO_PROCESS, os.getppid(), 5)
resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE)
time.clock_gettime(~os.getppid() << 3 | 2)
fcntl.flock(folder, 1)
fcntl.fcntl(1, 1031, 1 << 16)
fcntl.ioctl(folder, 0x40086602, bytes(8))
pair[0].setsockopt(1, 7, 9999)
pair[0].getsockopt(1, 57, 8)
pair[0].getsockopt(1, 77, 4)
mmap.mmap(-1, 4096)
mmap.mmap(-1, 4096, 0x122, 3)
""".strip().splitlines()


@for_real
def test_a_process_is_refused_and_works_as_before(tmp_path: Path) -> None:
    done = under_filter(
        f"""
for line in {REFUSED_FOR_REAL}:
    assert said(line) == {errno.EPERM}, (line, said(line))
for number in ({NUMBERS["timer_create"]}, 435, 437, 425, 470, 0x40000000 + 39):  # new ones
    ctypes.set_errno(0)
    assert (libc.syscall(number, 0, 0), ctypes.get_errno()) == (-1, {errno.ENOSYS}), number
import signal, threading
seen = []
thread = threading.Thread(target=seen.append, args=(1,))
thread.start(); thread.join()
os.kill(os.getpid(), 0)
signal.signal(signal.SIGUSR1, lambda *_: seen.append(2))
signal.raise_signal(signal.SIGUSR1)
assert seen == [1, 2]
for pid in 0, os.getpid():
    resource.prlimit(pid, resource.RLIMIT_NOFILE)
os.sync()
before = os.sched_getaffinity(0), os.sched_getscheduler(0)
os.sched_setaffinity(0, {{min(before[0])}})
os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
assert before == (os.sched_getaffinity(0), os.sched_getscheduler(0))  # without effect
clock = time.clock_gettime(time.pthread_getcpuclockid(threading.get_ident()))
assert 0 < clock <= time.process_time() <= time.clock_gettime(~os.getpid() << 3 | 2)
pair[0].send(b"x")
assert pair[1].recv(1) == b"x"
print("done")
""",
        tmp_path,
    )
    assert (done.stdout, done.stderr, done.returncode) == ("done\n", "", 0)

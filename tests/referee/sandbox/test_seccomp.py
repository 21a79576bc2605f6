"""The seccomp filter: each rule on an interpreter, and what programs feel of it."""

import errno
import os
import shutil
import signal
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
from tests.referee.sandbox.filters import (
    ALLOWED,
    ARM,
    ASKED,
    I386,
    IGNORED,
    INVALID,
    KILLED,
    REFUSED,
    UNKNOWN,
    UNSUPPORTED,
    patched,
)

HERE = ARCHITECTURES.get(os.uname().machine, filters.X86_64)
ON_X86_64 = HERE is filters.X86_64
OTHER = (filters.AARCH64 if ON_X86_64 else filters.X86_64).number
X32 = 0x40000000
HIGH = 0xABCD << 32

PID = 4321
OTHER = 4322
MINUS_ONE = (1 << 64) - 1

NUMBERS = filters.NUMBERS[HERE.name]


def build(**asked: Any) -> Filter:
    """Return the filter for the machine that the tests are about."""
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
    """What the kernel would be answered."""
    return filters.run(code, architecture, number, *arguments)


def call(code: bytes, name: str, *arguments: int) -> int:
    """What a named call is answered."""
    return run(code, NUMBERS[name], *arguments)


def there(names: str) -> list[str]:
    """Of calls, those that this machine has."""
    return [name for name in names.split() if name in NUMBERS]


# Calls that are answered the same whatever their arguments

ALWAYS_REFUSED = """
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
    sched_setaffinity sched_setscheduler sched_setparam sched_setattr setpriority ioprio_set
    setsid setpgid flock setsockopt vmsplice
    get_robust_list move_pages migrate_pages
"""


@pytest.mark.parametrize("name", there(ALWAYS_REFUSED))
def test_refused(name: str) -> None:
    assert {call(code, name) for code in ALL} == {REFUSED}
    assert call(STRICT, name, PID, 1, 2, 3) == REFUSED


ALWAYS_MISSING = (
    "io_uring_setup io_uring_enter io_uring_register clone3 openat2 memfd_create io_setup "
    "io_destroy io_submit io_cancel io_getevents io_pgetevents mincore cachestat "
    "timer_create"
)


@pytest.mark.parametrize("name", there(ALWAYS_MISSING))
def test_missing(name: str) -> None:
    assert {call(code, name) for code in ALL} == {UNKNOWN}


WITHOUT_EFFECT = "sync syncfs fsync fdatasync sync_file_range fadvise64 readahead"


@pytest.mark.parametrize("name", there(WITHOUT_EFFECT))
def test_success_without_effect(name: str) -> None:
    assert {call(code, name) for code in ALL} == {IGNORED}


@pytest.mark.parametrize("name", filters.HARMLESS)
def test_allowed(name: str) -> None:
    assert {call(code, name) for code in ALL} == {ALLOWED}


@pytest.mark.parametrize("name", there("fork vfork"))
def test_forks_are_for_those_who_may_have_children(name: str) -> None:
    assert [call(code, name) for code in ALL] == [REFUSED, REFUSED, REFUSED, ALLOWED]


@pytest.mark.parametrize("architecture", [0, I386, ARM, OTHER, HERE.number + 1])
def test_another_architecture_kills(architecture: int) -> None:
    assert {run(code, 0, architecture=architecture) for code in ALL} == {KILLED}


@pytest.mark.parametrize(
    "number", [LAST_KNOWN + 1, 512, X32, X32 + 57, X32 + LAST_KNOWN, 2**32 - 1]
)
def test_numbers_above_the_last_known_do_not_exist(number: int) -> None:
    assert {run(code, number) for code in ALL} == {UNKNOWN}


def test_the_last_known_number_exists() -> None:
    assert run(STRICT, LAST_KNOWN - 1) == ALLOWED


# Calls that are judged by their arguments

NAMESPACES = (0x80, 0x00020000, *(1 << bit for bit in range(25, 31)))
PTHREAD = 0x003D0F00
FORK = 0x01200011
VFORK = 0x00004111


def test_threads_are_allowed() -> None:
    """The fork server is asked about each, but where children are allowed and limited as well."""
    assert [call(code, "clone", PTHREAD) for code in ALL] == [ASKED, ASKED, ASKED, ALLOWED]


@pytest.mark.parametrize("flags", [0, 0x100, FORK, VFORK, FORK | 0x10000 << 32, PTHREAD << 32])
def test_processes_are_for_those_who_may_have_children(flags: int) -> None:
    assert [call(code, "clone", flags) for code in ALL] == [REFUSED, REFUSED, REFUSED, ALLOWED]


@pytest.mark.parametrize("namespace", NAMESPACES)
def test_no_clone_makes_a_namespace(namespace: int) -> None:
    for flags in (PTHREAD, FORK, VFORK):
        assert {call(code, "clone", flags | namespace) for code in ALL} == {REFUSED}


@pytest.mark.parametrize("signal_", [1, 9, 18, 19, 23, 64, 0x81, 0xFF])
def test_a_childs_end_tells_its_parent_nothing_else(signal_: int) -> None:
    for flags in (FORK, VFORK):
        assert {call(code, "clone", flags & ~0xFF | signal_) for code in ALL} == {REFUSED}


@pytest.mark.parametrize("name", ["sendmsg", "sendmmsg"])
def test_no_open_files_are_passed_on(name: str) -> None:
    """Behind Landlock by a second filter, as the fork server is told by these calls."""
    alone = seccomp.without_passing(HERE)
    assert [call(code, name) for code in (IN_NAMESPACES, WITH_CHILDREN, alone)] == [REFUSED] * 3
    assert {call(code, name) for code in (STRICT, OLD_LANDLOCK, *WITH_DOORS)} == {ALLOWED}


SIGNALS = ["kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"]
WHICH = {"kill": 1, "tkill": 1, "rt_sigqueueinfo": 1, "tgkill": 2, "rt_tgsigqueueinfo": 2}


@pytest.mark.parametrize("high", [0, HIGH, 1 << 32])
@pytest.mark.parametrize("name", SIGNALS)
def test_nobody_wakes_what_is_frozen(name: str, high: int) -> None:
    before = (PID,) * WHICH[name]
    assert {call(code, name, *before, high | 18) for code in ALL} == {REFUSED}
    for number in (0, 1, 9, 10, 12, 17, 19, 23, 34, 64):
        assert call(STRICT, name, *before, number) == ALLOWED
        assert call(WITH_CHILDREN, name, OTHER, OTHER, number) == ALLOWED
    for wrong in {1, 2} - {WHICH[name]}:  # the number of a thread may be 18, and what is behind
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


@pytest.mark.parametrize("name", ["kill", "prlimit64"])
def test_zero_is_the_process_itself(name: str) -> None:
    assert call(STRICT, name, 0) == ALLOWED


CLOCKS = ["clock_gettime", "clock_nanosleep", "clock_getres"]


def clock_of(pid: int, kind: int) -> int:
    """What the kernel calls a CPU clock, as the argument of a call."""
    return (~pid << 3 | kind) % 2**64


@pytest.mark.parametrize("name", CLOCKS)
def test_no_clock_of_another_process_is_read(name: str) -> None:
    for clock in (*range(24), *(clock_of(pid, kind) for pid in (0, PID) for kind in (0, 1, 2))):
        assert call(STRICT, name, clock) == ALLOWED
        assert call(STRICT, name, HIGH | clock % 2**32) == ALLOWED
    for pid in (1, PID - 1, OTHER, 2**22, 2**28 - 1):
        assert {call(STRICT, name, clock_of(pid, kind)) for kind in (0, 1, 2, 3)} == {REFUSED}
        assert {call(IN_NAMESPACES, name, clock_of(pid, kind)) for kind in (0, 1, 2)} == {ALLOWED}
    for pid in (PID, OTHER):  # the kernel sees to it that the thread is its own
        assert {call(STRICT, name, clock_of(pid, kind)) for kind in (4, 5, 6)} == {ALLOWED}


@pytest.mark.parametrize("name", [*SIGNALS, "prlimit64"])
def test_before_the_pid_is_written_no_process_is_its_own(name: str) -> None:
    assert call(build().code, name, PID) == REFUSED


def test_the_own_pid_has_its_places() -> None:
    filter_ = build()
    assert len(filter_.own_pid_at) == 4
    assert all(filter_.code[at : at + 4] == bytes(4) for at in filter_.own_pid_at)
    assert build(own_pid=False).own_pid_at == ()


FCNTL = {"F_SETOWN": 8, "F_SETSIG": 10, "F_SETOWN_EX": 15}
FCNTL |= {"F_SETLEASE": 1024, "F_NOTIFY": 1026, "F_SETPIPE_SZ": 1031}
FCNTL |= {"F_SET_RW_HINT": 1036, "F_SET_FILE_RW_HINT": 1038}
FCNTL |= {"F_SETLK": 6, "F_SETLKW": 7, "F_OFD_SETLK": 37, "F_OFD_SETLKW": 38}
IOCTL = {"TIOCSTI": 0x5412, "TIOCLINUX": 0x541C, "TIOCSCTTY": 0x540E, "FIOSETOWN": 0x8901}
IOCTL |= {"SIOCSPGRP": 0x8902, "FS_IOC_SETFLAGS": 0x40086602, "FS_IOC_FSSETXATTR": 0x401C5820}
IOCTL |= {"FS_IOC_SETVERSION": 0x40087602, "EXT4_IOC_SETVERSION": 0x40086603}
IOCTL |= {"FS_IOC_ENABLE_VERITY": 0x40806685}


@pytest.mark.parametrize("high", [0, HIGH, 1 << 32, 1 << 63])
@pytest.mark.parametrize("command", FCNTL)
def test_fcntl(command: str, high: int) -> None:
    assert {call(code, "fcntl", 3, high | FCNTL[command]) for code in ALL} == {REFUSED}


@pytest.mark.parametrize("high", [0, HIGH, 1 << 32, 1 << 63])
@pytest.mark.parametrize("request_", IOCTL)
def test_ioctl(request_: str, high: int) -> None:
    assert {call(code, "ioctl", 0, high | IOCTL[request_]) for code in ALL} == {REFUSED}


@pytest.mark.parametrize("command", [0, 1, 2, 3, 4, 5, 1025, 1030, 1032, 1033])
def test_other_fcntl_commands_are_allowed(command: int) -> None:
    assert call(STRICT, "fcntl", 3, command) == ALLOWED


@pytest.mark.parametrize("request_", [0x5401, 0x5413, 0x541B, 0x5421, 0x5451, 0x80086601])
def test_other_ioctl_requests_are_allowed(request_: int) -> None:
    assert call(STRICT, "ioctl", 0x5412, request_, 0x5412) == ALLOWED


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        *((option, REFUSED) for option in (1, 4, 36, 62, 67, HIGH | 1)),
        *((option, ALLOWED) for option in (3, 15, 22, 38)),
    ],
)
def test_prctl(option: int, expected: int) -> None:
    assert {call(code, "prctl", option) for code in ALL} == {expected}


TCP = (2, 1, 0)


@pytest.mark.parametrize("high", [0, HIGH])
@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        *((kind, ALLOWED) for kind in (TCP, (2, 1, 6), (2, 0x80801, 0))),
        *((kind, REFUSED) for kind in ((2, 2, 0), (2, 3, 1), (2, 1, 262), (2, 1, 132), (2, 5, 0))),
        *((kind, REFUSED) for kind in ((10, 1, 0), (1, 1, 0), (16, 3, 0), (17, 3, 0), (40, 1, 0))),
    ],
)
def test_a_bot_with_a_door_makes_connections_and_nothing_else(
    kind: tuple[int, int, int], expected: int, high: int
) -> None:
    sent = [argument | high for argument in kind]
    assert call(WITH_DOOR, "socket", *sent) == expected
    assert call(WITH_CHILDREN, "socket", *sent) == REFUSED
    both = ALLOWED if kind[:2] == (1, 1) else expected
    assert call(WITH_DOOR_AND_DEVICES, "socket", *sent) == both


def test_a_bot_with_a_door_serves_nobody() -> None:
    assert call(WITH_DOOR, "connect", 5) == ALLOWED
    for name in ("bind", "listen", "accept", "accept4"):
        assert call(WITH_DOOR, name, 5) == REFUSED


@pytest.mark.parametrize("high", [0, HIGH])
@pytest.mark.parametrize(
    ("option", "expected"),
    [
        *((option, ALLOWED) for option in ((1, 9), (1, 20), (1, 66), (6, 1), (6, 4), (6, 18))),
        *((option, REFUSED) for option in ((1, 7), (1, 8), (1, 33), (1, 60), (0, 1), (0, 15))),
        *((option, REFUSED) for option in ((6, 19), (6, 23), (6, 30), (6, 31), (41, 1))),
    ],
)
def test_no_option_of_a_connection_takes_memory(
    option: tuple[int, int], expected: int, high: int
) -> None:
    sent = [argument | high for argument in option]
    assert call(WITH_DOOR, "setsockopt", 5, *sent) == expected
    assert call(WITH_CHILDREN, "setsockopt", 5, *sent) == REFUSED


@pytest.mark.parametrize("name", [name for name in HERE.calls if "sock" not in name])
def test_a_door_changes_no_other_call(name: str) -> None:
    if name not in ("connect", "bind", "listen", "accept", "accept4", "sendmsg", "sendmmsg"):
        for arguments in ((0,) * 6, (MINUS_ONE,) * 6, (1, 2, 3, 4, 5, 6)):
            assert call(WITH_DOOR, name, *arguments) == call(WITH_CHILDREN, name, *arguments)


@pytest.mark.parametrize("flags", [0, 0x800, 0x80000, 0x80800])
def test_socket_pairs_are_local_and_without_addresses(flags: int) -> None:
    assert call(STRICT, "socketpair", 1, 1 | flags) == ALLOWED
    assert call(STRICT, "socketpair", 1, 5 | flags) == ALLOWED
    for family in (0, 2, 10, 16, 17, 2**32 - 1):
        assert call(STRICT, "socketpair", family, 1 | flags) == REFUSED
    for kind in (0, 2, 3, 4, 6, 10):
        assert call(STRICT, "socketpair", 1, kind | flags) == REFUSED
        assert call(STRICT, "socketpair", HIGH | 1, HIGH | kind | flags) == REFUSED


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        (0x22, ALLOWED),  # private, anonymous
        (0x4022 | 0x20000, ALLOWED),  # a thread's stack
        (0x02, ALLOWED),  # a library
        (0x01, ALLOWED),  # a file, shared
        (0x21, REFUSED),
        (0x23, REFUSED),
        (0x4021, REFUSED),
        (HIGH | 0x21, REFUSED),
        (0x8022, REFUSED),  # filled at once
        (0x8002, REFUSED),
        (0x8001, REFUSED),
        (0x122, REFUSED),
        (0x102, REFUSED),
    ],
)
def test_memory_that_no_limit_counts(flags: int, expected: int) -> None:
    assert {call(code, "mmap", 0, 1 << 30, 3, flags) for code in ALL} == {expected}


@pytest.mark.parametrize("high", [0, HIGH])
def test_advice_that_takes_long_or_concerns_others_is_unknown(high: int) -> None:
    for advice in (12, 20, 21, 22, 23):
        assert {call(code, "madvise", 0, 1 << 30, high | advice) for code in ALL} == {INVALID}
    for advice in (0, 1, 2, 3, 4, 8, 9, 10, 14, 15, 16, 17, 18, 19):
        assert {call(code, "madvise", 0, 1 << 30, high | advice) for code in ALL} == {ALLOWED}


@pytest.mark.parametrize("high", [0, HIGH])
def test_reading_tells_not_what_is_in_memory(high: int) -> None:
    for flags, expected in ((0, ALLOWED), (1, ALLOWED), (8, UNSUPPORTED), (0x89, UNSUPPORTED)):
        read = (3, 4096, 8, 8, 8, high | flags)
        assert {call(code, "preadv2", *read) for code in ALL} == {expected}


@pytest.mark.parametrize(("flags", "expected"), [(0, ALLOWED), (1, ALLOWED), (4, IGNORED)])
def test_the_disk_is_not_waited_for(flags: int, expected: int) -> None:
    assert {call(code, "msync", 0, 4096, flags) for code in ALL} == {expected}


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


def test_truncate_is_refused_where_landlock_does_not_judge_it() -> None:
    answers = [call(build(landlock_abi=abi).code, "truncate") for abi in range(1, 8)]
    assert answers == [REFUSED] * 2 + [ALLOWED] * 5


# Every call there is


@given(
    code=st.sampled_from((*ALL, *WITH_DOORS)),
    number=st.one_of(st.integers(0, LAST_KNOWN + 2), st.integers(0, 2**32 - 1)),
    arguments=st.lists(st.integers(0, 2**64 - 1), min_size=6, max_size=6),
    architecture=st.sampled_from([HERE.number] * 3 + [I386]),
)
def test_every_call_is_answered(
    code: bytes, number: int, arguments: list[int], architecture: int
) -> None:
    answer = run(code, number, *arguments, architecture=architecture)
    assert answer in {ALLOWED, REFUSED, UNKNOWN, IGNORED, KILLED, INVALID, UNSUPPORTED, ASKED}
    assert (answer == KILLED) == (architecture != HERE.number)


@pytest.mark.parametrize("code", [*ALL, *WITH_DOORS])
def test_the_program_is_one_that_the_kernel_takes(code: bytes) -> None:
    program = list(struct.iter_unpack("<HBBI", code))
    assert len(code) % 8 == 0
    assert len(program) < 4096
    assert program[-1][0] == 0x06
    for at, (_, if_true, if_false, _) in enumerate(program):
        assert at + max(if_true, if_false) + 1 <= len(program)


# Real programs

LOADER = """
import ctypes, os, struct, sys
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
def refused(action, *arguments):
    try:
        result = action(*arguments)
    except OSError as error:
        return error.errno
    raise AssertionError(f"allowed: {result}")
def system_call(*arguments):
    ctypes.set_errno(0)
    return libc.syscall(*map(ctypes.c_long, arguments)), ctypes.get_errno()
"""

for_real = pytest.mark.skipif(
    sys.platform != "linux" or os.uname().machine not in ARCHITECTURES,
    reason="no filter is for this machine",
)


def under_filter(
    body: str, *arguments: str, filter_: Filter | None = None
) -> subprocess.CompletedProcess[str]:
    """Run Python lines under the filter, in a process of their own.

    Nobody is there to be asked about threads: they are allowed.
    """
    filter_ = filter_ or build()
    code = filter_.code.replace(struct.pack("<I", ASKED), struct.pack("<I", ALLOWED))
    loaded = f"load(bytes.fromhex({code.hex()!r}), {filter_.own_pid_at})\n"
    return subprocess.run(
        [sys.executable, "-c", LOADER + loaded + body, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
    )


def assert_runs(body: str, *arguments: str, filter_: Filter | None = None) -> None:
    """Run Python lines under the filter; none of them may raise."""
    done = under_filter(body + "\nprint('done')", *arguments, filter_=filter_)
    assert (done.stdout, done.stderr, done.returncode) == ("done\n", "", 0)


REFUSED_FOR_REAL = {
    "fork": "os.fork()",
    "posix_spawn": "os.posix_spawn('/bin/true', ['true'], {})",
    "subprocess": "__import__('subprocess').run(['/bin/true'])",
    "socket": "__import__('socket').socket()",
    "datagram pair": "s = __import__('socket'); s.socketpair(s.AF_UNIX, s.SOCK_DGRAM)",
    "kill the parent": "os.kill(os.getppid(), 0)",
    "kill everyone": "os.kill(-1, 0)",
    "limits of the parent": "r = __import__('resource'); r.prlimit(os.getppid(), r.RLIMIT_NOFILE)",
    "nice the parent": "os.setpriority(os.PRIO_PROCESS, os.getppid(), 5)",
    "nice": "os.nice(1)",
    "scheduler": "os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))",
    "wake itself": "os.kill(os.getpid(), 18)",
    "session": "os.setsid()",
    "group": "os.setpgid(0, 0)",
    "flock": "fd = os.open(sys.argv[1], 0); __import__('fcntl').flock(fd, 1)",
    "socket option": "a, b = __import__('socket').socketpair(); a.setsockopt(1, 7, 9999)",
    "the parent's clock": "time = __import__('time'); time.clock_gettime(~os.getppid() << 3 | 2)",
    "affinity": "os.sched_setaffinity(0, {0})",
    "chmod": "os.chmod(sys.argv[1], 0o777)",
    "chown": "os.chown(sys.argv[1], -1, -1)",
    "utime": "os.utime(sys.argv[1])",
    "xattr": "os.setxattr(sys.argv[1], 'user.x', b'')",
    "pidfd_open": "os.pidfd_open(os.getppid())",
    "shared memory": "__import__('mmap').mmap(-1, 4096)",
    "growing memory": "__import__('mmap').mmap(-1, 4096, 0x122, 3)",
    "attributes of a folder": "f = __import__('fcntl'); fd = os.open(sys.argv[1], 0);"
    " f.ioctl(fd, 0x40086602, bytes(8))",
    "pipe size": "__import__('fcntl').fcntl(1, 1031, 1 << 16)",
}


@for_real
@pytest.mark.parametrize("name", REFUSED_FOR_REAL)
def test_a_process_is_refused(name: str, tmp_path: Path) -> None:
    *before, last = REFUSED_FOR_REAL[name].split("; ")
    lines = [*before, f"assert refused(lambda: {last}) == {errno.EPERM}"]
    assert_runs("\n".join(lines), str(tmp_path))


@for_real
def test_a_process_works_as_before(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("read", encoding="utf-8")
    assert_runs(
        """
import resource, signal, socket, threading, time
assert open(sys.argv[1]).read() == "read"
seen = []
thread = threading.Thread(target=seen.append, args=(1,))
thread.start(); thread.join()
assert seen == [1]
os.kill(os.getpid(), 0)
signal.signal(signal.SIGUSR1, lambda *_: seen.append(2))
signal.raise_signal(signal.SIGUSR1)
assert seen == [1, 2]
resource.prlimit(0, resource.RLIMIT_NOFILE)
resource.prlimit(os.getpid(), resource.RLIMIT_NOFILE)
os.sync()
clock = time.clock_gettime(time.pthread_getcpuclockid(threading.get_ident()))
assert 0 < clock <= time.process_time() <= time.clock_gettime(~os.getpid() << 3 | 2)
one, other = socket.socketpair()
one.send(b"x")
assert other.recv(1) == b"x"
""",
        str(file),
    )


@for_real
def test_a_process_does_not_find_new_calls() -> None:
    assert_runs(
        f"""
assert refused(os.memfd_create, "x") == {errno.ENOSYS}
for number in ({NUMBERS["timer_create"]}, 435, 437, 425, 470, 0x40000000 + 39):
    assert system_call(number) == (-1, {errno.ENOSYS}), number
"""
    )


@for_real
def test_children_run_where_they_are_allowed() -> None:
    assert_runs(
        f"""
import subprocess
assert subprocess.run(["/bin/echo", "x"], capture_output=True).stdout == b"x\\n"
assert system_call({NUMBERS["unshare"]}, 0x10000000) == (-1, {errno.EPERM})
""",
        filter_=build(own_pid=False, children=True),
    )


@for_real
def test_a_filter_under_the_filter_narrows_it() -> None:
    allow = struct.pack("<HBBI", 0x06, 0, 0, ALLOWED).hex()
    assert_runs(
        f"""
load(bytes.fromhex({allow!r}), ())
assert refused(os.fork) == {errno.EPERM}
"""
    )


@for_real
@pytest.mark.skipif(not ON_X86_64, reason="on other machines a program cannot change its table")
def test_a_32_bit_call_kills() -> None:
    done = under_filter(
        r"""
import mmap
page = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, 7)
page.write(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3")  # getpid by int 0x80
ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
print("alive")
"""
    )
    assert done.stdout == ""
    assert done.returncode in {-signal.SIGSYS, -signal.SIGSEGV}  # the latter without 32-bit support


@for_real
@pytest.mark.parametrize(
    "argv",
    [
        ["python3", "-c", "print(1)"],
        ["node", "-e", "console.log(1)"],
        ["perl", "-e", "print '1', chr 10"],
        ["bash", "-c", "echo 1"],
    ],
    ids=lambda argv: str(argv[0]),
)
def test_runtimes_start(argv: list[str]) -> None:
    program = sys.executable if argv[0] == "python3" else shutil.which(argv[0])
    if program is None:
        pytest.skip(f"{argv[0]} is not installed")
    done = under_filter("os.execv(sys.argv[1], sys.argv[1:])", program, *argv[1:])
    assert (done.stdout, done.stderr, done.returncode) == ("1\n", "", 0)


@for_real
def test_a_compiled_program_starts(tmp_path: Path) -> None:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    source, program = tmp_path / "hello.c", tmp_path / "hello"
    source.write_text('#include <stdio.h>\nint main(void) { return puts("1") < 0; }\n', "utf-8")
    subprocess.run([compiler, "-o", program, source], check=True)
    done = under_filter("os.execv(sys.argv[1], sys.argv[1:])", os.fspath(program))
    assert (done.stdout, done.stderr, done.returncode) == ("1\n", "", 0)


@pytest.mark.slow
@for_real
def test_java_starts(tmp_path: Path) -> None:
    java, compiler = shutil.which("java"), shutil.which("javac")
    if java is None or compiler is None:
        pytest.skip("no Java")
    source = tmp_path / "Hello.java"
    source.write_text(
        "class Hello { public static void main(String[] a) { System.out.println(1); } }", "utf-8"
    )
    subprocess.run([compiler, source], check=True)
    options = ["-XX:-UsePerfData", "-XX:+UseSerialGC", "-cp", str(tmp_path), "Hello"]
    done = under_filter("os.execv(sys.argv[1], sys.argv[1:])", java, *options)
    assert (done.stdout, done.returncode) == ("1\n", 0)

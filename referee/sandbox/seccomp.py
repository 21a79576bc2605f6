"""The seccomp filter: which system calls a bot may make, as a program that the kernel runs.

Where a path leads is judged by Landlock, which cannot judge anything else; this judges the rest.
The kernel shows a filter numbers and not what they point at, so what is allowed here is allowed
whatever memory it is given.
"""

import errno
import os
import struct
import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final, NamedTuple

from referee.sandbox.errors import SandboxError
from referee.sandbox.syscalls import ARCHITECTURES, LAST_KNOWN, Architecture

# What a filter answers

ALLOW: Final = 0x7FFF0000
KILL: Final = 0x80000000
ANSWER: Final = 0x00050000  # and in the low bits an errno; with 0, success without effect
REFUSE: Final = ANSWER | errno.EPERM
UNKNOWN: Final = ANSWER | errno.ENOSYS
ASK: Final = 0x7FC00000  # the fork server, which knows how many threads there are

# Calls that are answered the same whatever their arguments

MISSING: Final = (
    "io_uring_setup io_uring_enter io_uring_register",
    "io_setup io_destroy io_submit io_cancel io_getevents io_pgetevents",  # a machine-wide quota
    "clone3 openat2 memfd_create",
    "timer_create",  # whose timers send any signal, SIGCONT too: `timeout` then uses an older one
    "mincore cachestat",  # whether a file was read: a memory that any process can ask
)
"""Programs that find these missing use an older call, whose arguments a filter can see, or none."""

IGNORED: Final = (
    "sync syncfs fsync fdatasync sync_file_range",  # the disk would be kept waiting for them
    "fadvise64 readahead",  # what is in memory of a file is everybody's
    "sched_setscheduler sched_setparam",  # Mono ends where it may not set what is already so
    "sched_setaffinity",  # and so does .NET: a bot stays on the core that it is pinned to
)

REFUSED: Final = {
    "sockets": "socket bind connect listen accept accept4",
    "other processes": "ptrace process_vm_readv process_vm_writev kcmp process_madvise"
    " process_mrelease pidfd_open pidfd_send_signal pidfd_getfd get_robust_list move_pages"
    " migrate_pages",
    "wide doors into the kernel": "perf_event_open bpf userfaultfd modify_ldt memfd_secret iopl"
    " ioperm syslog lookup_dcookie",
    "groups, which are frozen as one": "setsid setpgid",
    "priorities": "setpriority sched_setattr ioprio_set",
    "locks that others see": "flock",
    "memory that no limit counts": "setsockopt vmsplice",
    "mounts": "mount umount2 pivot_root move_mount open_tree open_tree_attr fsopen fsconfig"
    " fsmount fspick mount_setattr statmount listmount",
    "namespaces": "chroot unshare setns",
    "keys": "add_key request_key keyctl",
    "shared memory": "shmget shmat shmctl shmdt",
    "semaphores": "semget semop semctl semtimedop",
    "message queues": "msgget msgsnd msgrcv msgctl mq_open mq_unlink mq_timedsend"
    " mq_timedreceive mq_notify mq_getsetattr",
    "modes": "chmod fchmod fchmodat fchmodat2",
    "owners": "chown fchown lchown fchownat",
    "attributes": "setxattr lsetxattr fsetxattr setxattrat removexattr lremovexattr fremovexattr"
    " removexattrat file_setattr",
    "times": "utime utimes futimesat utimensat",
    "watches": "inotify_init inotify_init1 inotify_add_watch fanotify_init fanotify_mark",
    "handles": "name_to_handle_at open_by_handle_at",
    "the machine": "init_module finit_module delete_module kexec_load kexec_file_load reboot"
    " swapon swapoff acct quotactl quotactl_fd vhangup sethostname setdomainname",
    "the clock": "settimeofday clock_settime clock_adjtime adjtimex",
}

PASSING: Final = ("sendmsg sendmmsg",)
"""A file on its way to another process is in no list of open files, and a user has so many."""
FORKS: Final = ("fork vfork",)
TRUNCATES: Final = ("truncate",)

# Calls that are judged by their arguments

OWN_PID: Final = -1
"""Stands for the process's own pid, which is known only after the fork."""


@dataclass(frozen=True)
class Argument:
    """Holds if one argument of a call, reduced to the bits of `mask`, is one of `values`.

    Only the low 32 bits are seen, because the kernel takes all these arguments as 32 bits wide: the
    high bits could show a filter a different value than the kernel acts on.
    """

    index: int
    values: tuple[int, ...]
    mask: int = 0xFFFFFFFF
    clock: bool = False
    """Whether it names the CPU clock of a process, whose pid is then compared."""


@dataclass(frozen=True)
class Rule:
    """What calls are answered if all arguments hold, and what they are otherwise.

    None leaves them to the rules that follow.
    """

    calls: str
    arguments: tuple[Argument, ...]
    then: int
    otherwise: int | None


def only(calls: str, *arguments: Argument) -> Rule:
    """Return the rule that allows calls only with such arguments."""
    return Rule(calls, arguments, ALLOW, REFUSE)


def never(calls: str, *arguments: Argument) -> Rule:
    """Return the rule that refuses calls with such arguments."""
    return Rule(calls, arguments, REFUSE, ALLOW)


SIGCHLD: Final = 17
SIGCONT: Final = 18
NO_WAKING: Final = (
    Rule("kill tkill rt_sigqueueinfo", (Argument(1, (SIGCONT,)),), REFUSE, None),
    Rule("tgkill rt_tgsigqueueinfo", (Argument(2, (SIGCONT,)),), REFUSE, None),
)
"""A process that sends itself SIGCONT again and again is never frozen for long."""

CLONE_THREAD: Final = 0x00010000
NAMESPACES: Final = 0x7E020000 | 0x80  # the last is CLONE_NEWTIME
CLONE_PIDFD: Final = 0x00001000
"""For a descriptor whose inode has the number of all processes that the machine has ever had."""
EXIT_SIGNAL: Final = 0xFF
THREAD: Final = Rule(
    "clone",
    (Argument(0, (CLONE_THREAD,), mask=CLONE_THREAD | NAMESPACES | CLONE_PIDFD),),
    ASK,
    REFUSE,
)
CHILD: Final = only("clone", Argument(0, (0, SIGCHLD), NAMESPACES | CLONE_PIDFD | EXIT_SIGNAL))
"""The signal that a child's end sends to its parent could be SIGCONT."""

MAP_SHARED: Final = 0x01
MAP_ANONYMOUS: Final = 0x20
MAP_GROWSDOWN: Final = 0x100
MAP_POPULATE: Final = 0x8000
COUNTED_MEMORY: Final = only(
    "mmap",
    Argument(
        3,
        (0, MAP_SHARED, MAP_ANONYMOUS),
        MAP_SHARED | MAP_ANONYMOUS | MAP_GROWSDOWN | MAP_POPULATE,
    ),
)
"""RLIMIT_DATA counts neither shared anonymous memory nor what pretends to be a stack.

To fill memory at once may take seconds, in which nothing but death stops a process.
"""
DEVICE_MEMORY: Final = replace(
    COUNTED_MEMORY,
    arguments=(
        replace(
            COUNTED_MEMORY.arguments[0],
            values=(0, MAP_SHARED, MAP_ANONYMOUS, MAP_SHARED | MAP_ANONYMOUS),
        ),
    ),
)
"""The same with shared memory, which a driver maps and no limit counts."""
ADVICE: Final = Rule(
    "madvise",
    (Argument(2, (12, 20, 21, 22, 23)),),  # MADV_MERGEABLE, COLD, PAGEOUT, POPULATE_*
    ANSWER | errno.EINVAL,
    ALLOW,
)
"""As above, and what makes memory common with others or takes it away from them."""

AF_UNIX: Final = 1
SOCK_STREAM: Final = 1
SOCK_SEQPACKET: Final = 5
SOCK_TYPE_MASK: Final = 0xF
CLOSED_PAIR: Final = only(
    "socketpair",
    Argument(0, (AF_UNIX,)),
    Argument(1, (SOCK_STREAM, SOCK_SEQPACKET), SOCK_TYPE_MASK),
)
"""From a pair of datagram sockets, `sendto` reaches any unix socket that has a path."""

DRIVER_SOCKETS: Final = replace(CLOSED_PAIR, calls="socket")
"""Unix sockets, which lead nowhere from namespaces of its own: CUDA does not start without."""

RLIMIT_NPROC: Final = 6
OWN_PROCESSES: Final = (
    Rule("prlimit64", (Argument(1, (RLIMIT_NPROC,)),), REFUSE, None),
    Rule("setrlimit", (Argument(0, (RLIMIT_NPROC,)),), REFUSE, None),
)
"""By lowering it, a bot finds how many threads all bots of its user have."""

SOL_SOCKET: Final = 1
COUNTERS: Final = never(
    "getsockopt",
    Argument(1, (SOL_SOCKET,)),
    Argument(2, (57, 71, 77)),  # SO_COOKIE, SO_NETNS_COOKIE, and SO_PEERPIDFD: see CLONE_PIDFD
)
"""Numbers that the kernel draws for the whole machine, one after another."""

AF_INET: Final = 2
IPPROTO_TCP: Final = 6
DOOR_SOCKETS: Final = Rule(
    "socket",
    (
        Argument(0, (AF_INET,)),
        Argument(1, (SOCK_STREAM,), SOCK_TYPE_MASK),
        Argument(2, (0, IPPROTO_TCP)),
    ),
    ALLOW,
    None,
)
"""Connections over TCP, which in its own network lead to the door and nowhere else."""
SERVING: Final = "socket bind listen accept accept4"
"""Any other socket, and what makes a server of one."""
DOOR_OPTIONS: Final = (
    Rule(
        "setsockopt",
        (
            Argument(1, (SOL_SOCKET,)),
            Argument(2, (9, 20, 21, 66, 67)),  # SO_KEEPALIVE, SO_RCVTIMEO, SO_SNDTIMEO
        ),
        ALLOW,
        None,
    ),
    Rule(
        "setsockopt",
        (
            Argument(1, (IPPROTO_TCP,)),
            Argument(2, (1, 4, 5, 6, 12, 18)),  # TCP_NODELAY, when it is kept alive, QUICKACK
        ),
        ALLOW,
        None,
    ),
)
"""What clients of HTTP set of a connection; how much it may hold is not among it."""

FCNTL: Final = never(
    "fcntl",
    Argument(
        1,
        (
            8,  # F_SETOWN
            10,  # F_SETSIG
            15,  # F_SETOWN_EX
            1024,  # F_SETLEASE
            1026,  # F_NOTIFY
            1031,  # F_SETPIPE_SZ
            *(1036, 1038),  # F_SET_RW_HINT, F_SET_FILE_RW_HINT: which others can read
            *(6, 7, 37, 38),  # F_SETLK and its kin: the kernel keeps a record for each, uncounted
        ),
    ),
)
IOCTL: Final = never(
    "ioctl",
    Argument(
        1,
        (
            0x540E,  # TIOCSCTTY
            0x5412,  # TIOCSTI
            0x541C,  # TIOCLINUX
            0x8901,  # FIOSETOWN
            0x8902,  # SIOCSPGRP
            0x40086602,  # FS_IOC_SETFLAGS: what `file_setattr` does, on a file that is only read
            0x401C5820,  # FS_IOC_FSSETXATTR, the same
            0x40087602,  # FS_IOC_SETVERSION
            0x40086603,  # EXT4_IOC_SETVERSION
            0x40806685,  # FS_IOC_ENABLE_VERITY
        ),
    ),
)
BOT_IOCTL: Final = only(
    "ioctl",
    Argument(
        1,
        (
            *(0x5401, 0x802C542A),  # TCGETS, TCGETS2: whether it is a terminal
            0x540F,  # TIOCGPGRP
            0x5413,  # TIOCGWINSZ
            0x541B,  # FIONREAD
            0x5421,  # FIONBIO
            *(0x5450, 0x5451),  # FIONCLEX, FIOCLEX
        ),
    ),
)
"""What runtimes ask of pipes and files. Others tell of disks and networks, or leave marks there."""
PRCTL: Final = never(
    "prctl",
    Argument(
        0,
        (
            1,  # PR_SET_PDEATHSIG
            4,  # PR_SET_DUMPABLE: whose its files in /proc are, and whether the referee sees them
            36,  # PR_SET_CHILD_SUBREAPER
            62,  # PR_SCHED_CORE: a core whose other thread stands idle
            67,  # PR_SET_MEMORY_MERGE
        ),
    ),
)

RWF_NOWAIT: Final = 0x08
RWF_DONTCACHE: Final = 0x80
READING: Final = Rule(
    "preadv2",
    (Argument(5, (0,), RWF_NOWAIT | RWF_DONTCACHE),),
    ALLOW,
    ANSWER | errno.EOPNOTSUPP,
)
"""What can be read of a file without waiting shows whether it was read before."""

MS_SYNC: Final = 4
WAITING_FOR_DISK: Final = Rule("msync", (Argument(2, (MS_SYNC,), MS_SYNC),), ANSWER, ALLOW)

O_ACCMODE: Final = 3
O_TRUNC: Final = 0o1000
UNWRITTEN: Final = (O_TRUNC, O_TRUNC | O_ACCMODE)
"""Truncation without the right to write; both access bits at once ask for neither right."""
TRUNCATING_OPENS: Final = (
    never("open", Argument(1, UNWRITTEN, O_TRUNC | O_ACCMODE)),
    never("openat", Argument(2, UNWRITTEN, O_TRUNC | O_ACCMODE)),
)

ITSELF: Final = (0, OWN_PID)
TO_ITSELF: Final = (
    only("kill", Argument(0, ITSELF)),  # 0 is its group, and so the session that it leads
    only("tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo", Argument(0, (OWN_PID,))),
    only("prlimit64", Argument(0, ITSELF)),
)

OF_PROCESS: Final = 0x80000000
OF_THREAD: Final = 0x4
SET_ID: Final = 0o6000
O_CREAT: Final = 0o100
O_TMPFILE: Final = 0o20000000
S_IFREG: Final = 0o100000
S_IFIFO: Final = 0o010000
NO_SET_ID: Final = (
    *(
        Rule(
            call,
            (
                Argument(flags, (flag,), flag),
                Argument(flags + 1, (0o2000, 0o4000, SET_ID), SET_ID),
            ),
            REFUSE,
            None,
        )
        for call, flags in (("open", 1), ("openat", 2))
        for flag in (O_CREAT, O_TMPFILE)
    ),
    only("creat", Argument(1, (0,), SET_ID)),
)
"""No new program that runs as its owner or group."""
FILES_AND_FIFOS: Final = (
    only("mknod", Argument(1, (0, S_IFREG, S_IFIFO), 0o170000 | SET_ID)),
    only("mknodat", Argument(2, (0, S_IFREG, S_IFIFO), 0o170000 | SET_ID)),
)


def modes(then: int) -> tuple[Rule, ...]:
    """Return the rules that answer changes of modes, but for those of `NO_SET_ID`."""
    return (
        Rule("chmod fchmod", (Argument(1, (0,), SET_ID),), then, REFUSE),
        Rule("fchmodat", (Argument(2, (0,), SET_ID),), then, REFUSE),
    )


READ_CLOCKS: Final = "clock_gettime clock_nanosleep clock_getres"
OWN_CLOCKS: Final = (
    Rule(
        READ_CLOCKS,
        (Argument(0, (0, OF_THREAD, OF_PROCESS | OF_THREAD), OF_PROCESS | OF_THREAD),),
        ALLOW,
        None,
    ),
    only(READ_CLOCKS, Argument(0, ITSELF, clock=True)),
)
"""The kernel itself shows a process the clocks of no threads but its own."""

# The program


class Instruction(NamedTuple):
    """One `struct sock_filter`: a code, how far to jump if true or false, and an operand."""

    code: int
    if_true: int
    if_false: int
    operand: int


LOAD: Final = 0x20
AND: Final = 0x54
XOR: Final = 0xA4
SHIFT_RIGHT: Final = 0x74
JUMP_IF_EQUAL: Final = 0x15
JUMP_IF_ABOVE: Final = 0x25
RETURN: Final = 0x06

NUMBER_AT: Final = 0
ARCHITECTURE_AT: Final = 4
ARGUMENTS_AT: Final = 16

_ENCODED = struct.Struct("<HBBI")
_OPERAND_AT = 4

Program = list[Instruction]


def numbers(architecture: Architecture, *calls: str) -> list[int]:
    """Return the numbers of calls named in a text, or in several: of those that it has."""
    names = " ".join(calls).split()
    return [architecture.calls[name] for name in names if name in architecture.calls]


def load(offset: int) -> Instruction:
    """Return the instruction that loads 32 bits of what the kernel shows of a call."""
    return Instruction(LOAD, 0, 0, offset)


def answer(value: int) -> Instruction:
    """Return the instruction that ends the program."""
    return Instruction(RETURN, 0, 0, value)


def if_any(values: list[int], body: Program) -> Program:
    """Return the program that runs `body` if the loaded word is one of the values."""
    if not values:
        return []
    last = len(values) - 1
    tests = [
        Instruction(JUMP_IF_EQUAL, last - at, len(body) if at == last else 0, value)
        for at, value in enumerate(values)
    ]
    return tests + body


def unless(value: int, body: Program) -> Program:
    """Return the program that runs `body` if the loaded word is not the value."""
    return [Instruction(JUMP_IF_EQUAL, len(body), 0, value), *body]


def loaded(argument: Argument) -> Program:
    """Return the program that loads what an argument is judged by."""
    program = [load(ARGUMENTS_AT + 8 * argument.index)]
    if argument.clock:  # the kernel's `~pid << 3`, and what kind of clock
        program += [Instruction(XOR, 0, 0, 0xFFFFFFFF), Instruction(SHIFT_RIGHT, 0, 0, 3)]
    if argument.mask != 0xFFFFFFFF:
        program.append(Instruction(AND, 0, 0, argument.mask))
    return program


def judged(architecture: Architecture, rule: Rule) -> Program:
    """Return the program that answers calls by their arguments and passes all others on."""
    body = [answer(rule.then)]
    for argument in reversed(rule.arguments):
        body = [*loaded(argument), *if_any(list(argument.values), body)]
    body.append(load(NUMBER_AT) if rule.otherwise is None else answer(rule.otherwise))
    return if_any(numbers(architecture, rule.calls), body)


def entry(architecture: Architecture) -> Program:
    """Return the program that keeps out what has other numbers, and loads the number.

    Those are the machine's 32-bit calls. The x32 calls of x86_64 are the known ones with a
    high bit set, and so lie above the last known.
    """
    return [
        load(ARCHITECTURE_AT),
        *unless(architecture.number, [answer(KILL)]),
        load(NUMBER_AT),
        Instruction(JUMP_IF_ABOVE, 0, 1, LAST_KNOWN),
        answer(UNKNOWN),
    ]


@dataclass(frozen=True)
class Filter:
    """A filter as the kernel takes it, with the places for the process's own pid.

    The pid is written, as a little-endian 32-bit number, at each byte offset of `own_pid_at`;
    until then the filter takes no process for the bot itself.
    """

    code: bytes
    own_pid_at: tuple[int, ...]


def assembled(program: Program) -> Filter:
    """Return a program as bytes, with zeros for the own pid."""
    places = [at for at, instruction in enumerate(program) if instruction.operand == OWN_PID]
    code = b"".join(
        _ENCODED.pack(*instruction[:3], 0 if at in places else instruction.operand)
        for at, instruction in enumerate(program)
    )
    return Filter(code, tuple(_ENCODED.size * at + _OPERAND_AT for at in places))


POINTER_BYTES: Final = struct.calcsize("P")


def this_architecture() -> Architecture:
    """Return this machine's architecture; raise SandboxError where the filter was never run."""
    if sys.platform != "linux":
        raise SandboxError(
            f"no sandbox exists for {sys.platform}. Run in a Linux container or virtual machine."
        )
    name = os.uname().machine
    if name not in ARCHITECTURES:
        raise SandboxError(
            f"its filter of system calls was never run on {name}, only on "
            f"{' and '.join(ARCHITECTURES)}."
        )
    if POINTER_BYTES != 8:
        raise SandboxError(
            f"the arena runs with a Python of 32 bits, whose system calls no filter knows. Use a "
            f"Python for {name}."
        )
    return ARCHITECTURES[name]


MISSING_IN_BUILDS: Final = ("utime utimes futimesat fchmodat2",)
CLONE_FILES: Final = 0x00000400
CLOSE_RANGE_UNSHARE: Final = 2
ONE_LIST_OF_FILES: Final = (
    Rule("clone", (Argument(0, (CLONE_THREAD,), CLONE_THREAD | CLONE_FILES),), REFUSE, None),
    never("close_range", Argument(2, (CLOSE_RANGE_UNSHARE,), CLOSE_RANGE_UNSHARE)),
)
"""All threads of a process share one list of open files, which the referee reads."""
ALLOWED_IN_BUILDS: Final = ("modes", "times", "locks that others see")


def of_builds(
    *, landlock_abi: int | None, own_user: bool = False, architecture: Architecture | None = None
) -> Filter:
    """Return the filter of a build: it may have children and change its files.

    Without `landlock_abi` it is for namespaces, in which there is nothing else to change. Behind
    Landlock the fork server is asked, and `without_passing` comes after it. About signals it is
    asked only where neither Landlock, from its sixth ABI on, nor a user of its own (`own_user`)
    keeps them in the build. It is for this machine unless another is named.
    """
    asked = ALLOW if landlock_abi is None else ASK
    rules = [COUNTED_MEMORY, ADVICE]
    rules += [
        *ONE_LIST_OF_FILES,
        replace(CHILD, then=asked),
        *modes(asked),
        *NO_SET_ID,
        *FILES_AND_FIFOS,
    ]
    rules += [READING, WAITING_FOR_DISK, CLOSED_PAIR, COUNTERS, FCNTL, IOCTL, PRCTL]
    refused = [calls for why, calls in REFUSED.items() if why not in ALLOWED_IN_BUILDS]
    if landlock_abi is None:
        refused += PASSING
    else:
        rules += [*OWN_CLOCKS, only("prlimit64", Argument(0, (0,)))]
        rules.append(Rule("fork vfork utimensat", (), ASK, None))
        if landlock_abi < 6 and not own_user:
            rules.append(Rule("kill tkill tgkill", (), ASK, None))
            refused.append("rt_sigqueueinfo rt_tgsigqueueinfo")
        if landlock_abi < 3:
            rules += TRUNCATING_OPENS
            refused += TRUNCATES
    return _whole(architecture, rules, [*MISSING, *MISSING_IN_BUILDS], refused)


def without_passing(architecture: Architecture | None = None) -> bytes:
    """Return the filter that refuses to pass open files on, beside that of a bot or a build.

    Behind Landlock it is loaded last: the fork server has its end of the first filter by these
    calls.
    """
    architecture = architecture or this_architecture()
    passing = if_any(numbers(architecture, *PASSING), [answer(REFUSE)])
    return assembled([*entry(architecture), *passing, answer(ALLOW)]).code


def build(
    *,
    own_pid: bool = True,
    children: bool = False,
    devices: bool = False,
    door: bool = False,
    asks: bool = True,
    landlock_abi: int = 7,
    architecture: Architecture | None = None,
) -> Filter:
    """Return the filter of a bot, for this machine unless another is named.

    Without `own_pid` the calls that act on processes are left to a pid namespace. `children` lets
    a bot have child processes; `devices` lets it have what a GPU's driver needs, in namespaces of
    its own, and `door` connect over TCP in a network of its own; both need calls that pass open
    files on as well. Unless it `asks` the fork server about threads, something else bounds them; if
    it does, and acts by `own_pid`, `without_passing` comes after it. Below Landlock's third ABI, as
    where there is none (0), the filter also refuses truncation.
    """
    memory = DEVICE_MEMORY if devices else COUNTED_MEMORY
    rules = [memory, ADVICE, *(OWN_CLOCKS if own_pid else ())]  # called most often
    thread = THREAD if asks else replace(THREAD, then=ALLOW)
    rules += [*ONE_LIST_OF_FILES, READING, WAITING_FOR_DISK, CHILD if children else thread]
    rules += [CLOSED_PAIR, COUNTERS, FCNTL, IOCTL if devices else BOT_IOCTL, PRCTL, *NO_WAKING]
    rules += OWN_PROCESSES
    refused = dict(REFUSED)
    if own_pid:
        rules += TO_ITSELF
    if door:
        rules += [DOOR_SOCKETS, *DOOR_OPTIONS]
        refused["sockets"] = SERVING
    if devices:
        rules.append(DRIVER_SOCKETS)
        refused.pop("sockets", None)
    more = [] if children else [*FORKS]
    if not ((own_pid and asks) or door or devices):
        more += PASSING
    if landlock_abi < 3:
        rules += TRUNCATING_OPENS
        more += TRUNCATES
    return _whole(architecture, rules, MISSING, [*refused.values(), *more])


def _whole(
    architecture: Architecture | None,
    rules: Iterable[Rule],
    missing: Iterable[str],
    refused: Iterable[str],
) -> Filter:
    """Return the filter that judges by rules first; what none of all these names is allowed."""
    architecture = architecture or this_architecture()
    return assembled(
        [
            *entry(architecture),
            *chain.from_iterable(judged(architecture, rule) for rule in rules),
            *if_any(numbers(architecture, *missing), [answer(UNKNOWN)]),
            *if_any(numbers(architecture, *IGNORED), [answer(ANSWER)]),
            *if_any(numbers(architecture, *refused), [answer(REFUSE)]),
            answer(ALLOW),
        ]
    )

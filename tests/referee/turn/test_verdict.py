"""What is said of a bot that has ended or gives no answer, from traces of real runtimes."""

import signal
from dataclasses import replace
from typing import Any

import pytest

from referee.limits import Limits
from referee.sandbox import Ended
from referee.turn.verdict import beside, instead, last_word, verdict
from tests.golden import Golden

LANDLOCK, BWRAP, FREE = Limits(), Limits(sandbox="bwrap"), Limits(sandbox="none")
FRAMES = "".join(
    f"runtime.mallocgc(0x100000, 0x48a2a0, 0x1)\n\t/usr/lib/go/src/runtime/malloc.go:{line} +0x25\n"
    for line in range(200)
)
"""More than the last words that are looked at."""
GO_MEMORY = f"fatal error: runtime: out of memory\n\nruntime stack:\n{FRAMES}"
GO_THREADS = (
    "runtime: failed to create new OS thread (have 65 already; errno=11)\n"
    "runtime: may need to increase max user processes (ulimit -u)\n"
    f"fatal error: newosproc\n\nruntime stack:\n{FRAMES}"
)


def ended(code: int = 1) -> Ended:
    """Return the end of a process by a code, or minus the number of a signal."""
    return Ended(-code if code < 0 else code << 8, 0.1, 400 << 20)


def full(code: int) -> Ended:
    """Return the end of a process that used nearly all its memory."""
    return replace(ended(code), memory=500 << 20)


def small(code: int) -> Ended:
    """Return the end of a process that used little memory."""
    return replace(ended(code), memory=100 << 20)


def kind(stderr: str, limits: Limits = LANDLOCK) -> str:
    return verdict(ended(), stderr, limits)[0]


@pytest.mark.parametrize(
    ("stderr", "expected"),
    [
        ("MemoryError\n", "memory"),
        ("terminate called after throwing an instance of 'std::bad_alloc'\n", "memory"),
        (f"turn 1\nturn 2\n{GO_MEMORY}", "memory"),
        ("OSError: [Errno 24] Too many open files: 'book'\n", "files"),
        ("popen: Cannot allocate memory\n", "processes"),
        ("system: Operation not permitted\n", "processes"),
        ("the engine ./fish does not start: Operation not permitted\n", "processes"),
        ("Error: spawnSync /bin/sh EPERM\n", "processes"),
        ("the book: Cannot allocate memory\n", "memory"),
        ("unable to alloc 1000000016 bytes\n", "memory"),
        ("PHP Fatal error:  Allowed memory size of 134217728 bytes exhausted\n", "memory"),
        ("PHP Fatal error:  Out of memory (allocated 2097152) (tried to allocate 9)\n", "memory"),
        ("GC Warning: Failed to expand heap\nGC: Out of Memory! Trying to continue\n", "memory"),
        ("lua5.4: not enough memory\n", "memory"),
        ("Fatal error: exception Out_of_memory\n", "memory"),
        ("Heap exhausted, game over.\n", "memory"),
        ("Can't allocate 0x40000000 bytes for space 1\n", "memory"),
        ("eheap_alloc: Cannot allocate 1000 bytes of memory (of type 'heap').\n", "memory"),
        ("h: internal error: Unable to commit 1048576 bytes of memory\n", "memory"),
        ("FATAL UNHANDLED EXCEPTION: System.OutOfMemoryException: Insufficient memory\n", "memory"),
        ("Stack limit (1.0Gb) exceeded\n", "memory"),
        ("raised STORAGE_ERROR : s-memory.adb:64 heap exhausted\n", "memory"),
        ("Runtime error 203 at $0000000000401A30\n", "memory"),
        ("Fatal error: the limit on the number of open files is too low\n", "files"),
        ("KeyError: 'memory'\n", "crash"),
        ("ValueError: cannot allocate 3 armies\n", "crash"),
        ("", "crash"),
    ],
)
def test_the_limit_shows_in_what_the_runtime_says(stderr: str, expected: str) -> None:
    assert kind(stderr) == expected


def test_what_a_bot_says_early_and_survives_tells_nothing() -> None:
    assert kind("MemoryError, so a smaller table\n" + "turn\n" * 2000) == "crash"


POPEN, FORK = "engine: Cannot allocate memory\n", "sh: 1: Cannot fork\n"
TOLD: dict[str, tuple[Ended, str, Limits]] = {
    "a cgroup without memory, whatever the bot has said": (
        replace(ended(-signal.SIGKILL), peak=600 << 20, starved=True),
        "KeyError: 1\n",
        BWRAP,
    ),
    "memory, with what was allowed and used": (ended(), GO_MEMORY, LANDLOCK),
    "who used little memory may have lacked a process": (ended(), POPEN, LANDLOCK),
    "who used all of it did not": (full(1), POPEN, LANDLOCK),
    "a thread, of which Go tells": (ended(), GO_THREADS, LANDLOCK),
    "a thread, of which Python tells": (
        ended(),
        "RuntimeError: can't start new thread\n",
        LANDLOCK,
    ),
    "a process in Landlock": (ended(), FORK, LANDLOCK),
    "a process in bwrap": (ended(), FORK, BWRAP),
    "a file that is too large": (ended(-signal.SIGXFSZ), "", LANDLOCK),
    "a call that is forbidden": (ended(-signal.SIGSYS), "", LANDLOCK),
    "a signal near the limit is memory": (full(-signal.SIGSEGV), "", LANDLOCK),
    "who touches what it was not given may have half of it": (ended(-signal.SIGSEGV), "", LANDLOCK),
    "a signal far from it is not": (small(-signal.SIGSEGV), "", LANDLOCK),
    "a signal inside of bwrap": (small(139), "", BWRAP),
    "another one": (small(132), "", BWRAP),
    "a file in memory that has no room": (small(135), "", BWRAP),
    "a runtime whose own bound was reached": (
        small(1),
        "java.lang.OutOfMemoryError: Java heap space\n",
        LANDLOCK,
    ),
    "a thread, of which Node tells": (
        ended(),
        "Error: EAGAIN\n  code: 'ERR_WORKER_INIT_FAILED'\n",
        LANDLOCK,
    ),
    "a process without a sandbox": (ended(), FORK, FREE),
    "files without a sandbox": (ended(), "OSError: [Errno 24] Too many open files\n", FREE),
    "threads in bwrap": (small(1), "RuntimeError: can't start new thread\n", BWRAP),
    "a file that is too large for the scratch folder": (
        small(1),
        "OSError: [Errno 27] File too large\n",
        BWRAP,
    ),
    "a warning of Guile's that it always gives": (
        small(3),
        "GC Warning: Could not open /proc/stat\n",
        LANDLOCK,
    ),
    "a runtime that looks for /proc": (small(1), "failed to get self (2)\n", LANDLOCK),
    "a code is nothing": (ended(3), "", BWRAP),
    "the same code in Landlock is nothing": (ended(139), "", LANDLOCK),
}


@pytest.mark.parametrize("what", TOLD)
def test_what_ended_a_bot_is_told(what: str, golden: Golden) -> None:
    golden(": ".join(verdict(*TOLD[what])))


def of_python(line: str, error: str) -> str:
    return (
        f'Traceback (most recent call last):\n  File "bot.py", line 2, in m\n    {line}\n{error}\n'
    )


NO_NAME = "urllib.error.URLError: <urlopen error [Errno -3] Temporary failure in name resolution>"
SOCKET = of_python(
    "_socket.socket.__init__(self, family, type, proto, fileno)",
    "PermissionError: [Errno 1] Operation not permitted",
)
SANDBOXED = [
    (
        of_python(
            "tempfile.mkstemp()",
            "FileNotFoundError: [Errno 2] No usable temporary directory found in ['/tmp']",
        ),
        "it may write no file",
    ),
    (of_python("urlopen(url)", NO_NAME), "there is no network"),
    (SOCKET, "there is no network"),
    ("Error: getaddrinfo EAI_AGAIN example.com\n", "there is no network"),
    (
        of_python("_multiprocessing.SemLock(", "PermissionError: [Errno 13] Permission denied"),
        "allows threads alone",
    ),
    (
        of_python("open('log', 'w')", "PermissionError: [Errno 13] Permission denied: 'log'"),
        "it may read its own files alone, and write none",
    ),
    ("OSError: [Errno 30] Read-only file system: 'log'\n", "write no file"),
    (
        "PermissionError: [Errno 1] Operation not permitted\n",
        "something that the sandbox forbids",
    ),
]


@pytest.mark.parametrize(("stderr", "says"), SANDBOXED)
def test_what_the_sandbox_refused_is_said_to_be_its_doing(stderr: str, says: str) -> None:
    assert verdict(ended(), stderr, LANDLOCK)[0] == "crash"
    assert says in verdict(ended(), stderr, LANDLOCK)[1]
    assert verdict(ended(), stderr, Limits(sandbox="none"))[1] == ""


def test_who_sees_proc_is_not_told_that_it_is_hidden() -> None:
    refused = "PermissionError: [Errno 13] Permission denied: '/proc/stat'\n"
    assert "/proc, which is hidden" in verdict(ended(), refused, LANDLOCK)[1]
    assert "read its own files alone" in verdict(ended(), refused, Limits(proc=True))[1]


def test_what_a_bot_survived_is_not_said_to_have_ended_it() -> None:
    survived = SOCKET + "playing without the net\n"
    assert (
        verdict(ended(), survived + of_python("raise KeyError(7)", "KeyError: 7"), LANDLOCK)[1]
        == ""
    )


TRACES = {  # which line that is, is marked
    "python": of_python('raise NoBook("gone")', "»book.NoBook: gone"),
    "python, of another": of_python("x", "KeyError: 'x'\n")
    + "During handling of the above exception, another exception occurred:\n\n"
    + of_python("y", "»ValueError: no move\nat all"),
    "python, unread": '  File "bot.py", line 1\n    import,x\n          ^\n'
    "»SyntaxError: invalid syntax\n",
    "java": 'Exception in thread "main" java.lang.IllegalStateException: cannot play\n'
    "\tat Bot.main(Bot.java:1)\n"
    "»Caused by: java.lang.ArrayIndexOutOfBoundsException: Index 3\n\t... 1 more\n",
    "java, long": '»Exception in thread "main" java.lang.StackOverflowError\n'
    + "\tat java.base/x\n" * 99,
    "node": "/bot.js:1\nfunction f(){ throw new TypeError('x') }\n              ^\n\n"
    "»TypeError: no such move\n    at f (/bot.js:1:21)\n    at node:internal/main:28\n\n"
    "Node.js v20.20.2\n",
    "node, with a code": "»Error: Cannot find module './kit.js'\n    at x (node:internal) {\n"
    "  code: 'MODULE_NOT_FOUND'\n}\n\nNode.js v20.20.2\n",
    "node, without memory": "»FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap "
    "out of memory\n----- Native stack trace -----\n\n 1: 0xb7 node::OOMErrorHandler [node]\n",
    "go": "»panic: runtime error: index out of range [5] with length 0\n\n"
    "goroutine 1 [running]:\nmain.main()\n\t/bot.go:2 +0x3b\n",
    "go, without memory": f"»{GO_MEMORY}",
    "c++": "terminate called after throwing an instance of 'std::runtime_error'\n"
    "»  what():  no book\n",
    "a script with windows line ends": "»/usr/bin/env: 'python3\\r': No such file or directory\n"
    "/usr/bin/env: use -[v]S to pass options in shebang lines\n",
    "lua": "»lua5.4: bot.lua:4: attempt to index a nil value (local 'p')\n"
    "stack traceback:\n\tbot.lua:4: in main chunk\n\t[C]: in ?\n",
    "words of its own": "opening the book\n»no book here\n",
    "nothing but frames": "  one\n»  two\n",
}


@pytest.mark.parametrize("trace", TRACES.values(), ids=TRACES)
def test_of_a_trace_the_line_that_says_why_is_taken(trace: str) -> None:
    says = trace.partition("»")[2].partition("\n")[0]
    assert last_word(trace.replace("»", "")) == says.strip()


def test_of_rust_two_lines_are_taken_and_of_a_long_last_word_its_beginning() -> None:
    trace = (
        "thread 'main' (7) panicked at src/bot.rs:1:52:\nindex out of bounds: the len is 0\n"
        "stack backtrace:\n   0: __rustc::rust_begin_unwind\n"
        "note: Some details are omitted, run with `RUST_BACKTRACE=full`.\n"
    )
    assert last_word(trace) == (
        "thread 'main' (7) panicked at src/bot.rs:1:52: index out of bounds: the len is 0"
    )
    assert last_word("x" * 1000) == "x" * 120 + "…"
    assert last_word("") == ""


def did(half: bytes = b"", **seen: Any) -> str:
    """What is said of a bot that was idle and not yet ready, unless it was seen otherwise."""
    usual = {"has_unread": False, "is_idle": True, "is_ready": False, "waited": 0.0}
    return instead(half, **usual | seen)


INSTEAD: dict[str, dict[str, Any]] = {
    "it wrote half a line": {"half": b'{"id": 1, "move": {"action": "attack", "card": "7H"'},
    "it did not read": {"has_unread": True, "is_ready": True},
    "it did not begin to read": {"has_unread": True},
    "it may not flush its output": {},
    "it has flushed its ready, so it may sleep": {"is_ready": True},
    "it had no core": {"is_ready": True, "waited": 0.52},
    "it had no core to read": {"is_ready": True, "waited": 0.52, "has_unread": True},
    "it computed": {"is_idle": False, "has_unread": True},
    "it computed though it had no core": {"is_idle": False, "waited": 1.0},
}


@pytest.mark.parametrize("what", INSTEAD)
def test_what_it_did_instead_is_told(what: str, golden: Golden) -> None:
    golden(did(**INSTEAD[what]))


def test_a_line_that_is_no_answer_goes_before_a_last_word() -> None:
    assert beside(b"Welcome!", "no book") == " (it said Welcome!)"
    assert beside(b"", "no book") == " (no book)"
    assert "proc = true" in beside(b"Mono requires /proc to be mounted.", "")
    assert beside(b"\n", "") == ""
    assert beside(b"\nParse error: x\n", "") == " (it said Parse error: x)"
    assert "(memory_mb)" in beside(b"#\n# There is insufficient memory for the Java\n", "")
    assert "(processes)" in beside(b"[0.002s][warning][os,thread] Failed to start", "")
    assert beside(b"", "") == ""

"""What ended a bot or kept it from answering, as far as its traces show."""

import re
import signal
from typing import Literal

from referee.limits import Limits
from referee.process.procfs import signal_name
from referee.sandbox import Ended
from referee.sandbox.kinds import THREADS
from referee.turn.answer import shown

Verdict = Literal["crash", "memory", "files", "processes", "killed"]

_LAST_WORDS = 4096  # characters of the standard error that are looked at
_NO_MEMORY = "Cannot allocate memory"
"""What C says of ENOMEM, and glibc's popen whenever it gets no process, for whatever reason."""
_OWN_HEAP = (
    "Java heap space|Reached heap limit|[Hh]eap (exhausted|overflow)|Allowed memory size"
    "|Stack limit .* exceeded"
)
"""What runtimes say whose own bound was reached, or that of the sandbox."""
_MEMORY = (
    "MemoryError|bad_alloc|memory allocation of .* failed|Failed to reserve"
    f"|(?i:(out[ _]?of[ _]?|insufficient |not enough )memory)|{_NO_MEMORY}|{_OWN_HEAP}"
    "|STORAGE_ERROR|Runtime error 203|ENOMEM|rray buffer allocation failed"
    "|([Cc]an(not|'t)|[Ff]ailed to|[Uu]nable to) ((re)?alloc|commit).*(bytes|memory|space)"
    "|cannot allocate vector"
)
_SIGNS: tuple[tuple[Verdict, str], ...] = (
    ("processes", rf"\bpopen\b.*{_NO_MEMORY}"),
    ("memory", _MEMORY),
    ("files", "Too many open files|EMFILE|number of open files is too low"),
    (
        "processes",
        "can't start new thread|Resource temporarily unavailable|unable to create native thread"
        "|[Cc]annot fork|fork.*Operation not permitted|spawn(Sync)? .*EPERM|_fork_exec"
        r"|os\.(fork|posix_spawn)|\b(system|posix_spawnp?)(\(.*\))?: Operation not permitted"
        "|does not start: Operation not permitted|ERR_WORKER_INIT_FAILED|uv_thread_create",
    ),
)
_OPENINGS: tuple[tuple[Verdict, str], ...] = (
    ("memory", r"^fatal error: .*(out of memory|cannot allocate)"),
    ("processes", r"^runtime: failed to create new OS thread"),
)
"""Signs of traces so long that they may stand before the last words, as Go's."""
_BWRAP = 'write needs = { sandbox = "bwrap" } into its bot.toml, which an organizer grants'
_NO_PROCESSES = (
    f"it asked for another process, or for what processes share, and this sandbox allows threads "
    f"alone: use these, or {_BWRAP}"
)
_NO_FILES = (
    "it may write no file in this sandbox: keep it in memory, or print to standard error, "
    "which is kept"
)
_NO_PROC = (
    "it looks for /proc, which is hidden: an organizer can show it, but in uid, by proc = true"
)
_REFUSALS = (
    ("SemLock|multiprocessing", _NO_PROCESSES),
    (r"\bfailed to get self\b|/proc\b", _NO_PROC),
    ("(?i:temporary directory)|TempDir|Read-only file system|EROFS", _NO_FILES),
    (
        "No space left|ENOSPC|File too large|EFBIG|Failed to extract",
        "its scratch folder is too small: an organizer can give it more by scratch_mb",
    ),
    (
        r"name resolution|getaddrinfo|gethostby|socket|Network is unreachable|UnknownHost|dial tcp"
        "|EAI_AGAIN|ECONNREFUSED",
        "there is no network in this sandbox: what it needs must be among its files",
    ),
    (
        "Permission ?denied|permission denied|EACCES|AccessDenied",
        "in this sandbox it may read its own files alone, and write none",
    ),
    (
        "Operation not permitted|EPERM",
        "it asked for something that the sandbox forbids, as it does network, other processes "
        "and settings of the machine",
    ),
)
"""What errors mean that the sandbox causes, by signs in the last trace."""
_FATAL_SIGNALS = (-signal.SIGSEGV, -signal.SIGABRT, -signal.SIGTRAP)
_NEARLY = 0.9  # of the memory allowed: a bot that a signal kills there was refused more
_HALF = 0.4  # of it: so much was used by who then asks for as much again, and does not look
_BY_SIGNAL = 128  # what shells and bwrap add to a signal's number
_THREADS = "new thread|OS thread|native thread|ERR_WORKER_INIT_FAILED|uv_thread_create"
_TRACEBACK = "Traceback (most recent call last):\n"
_TELLING = re.compile(
    r"(?!\s|\d+: ).*(?:\b\w*(?:Error|Exception)\b|panic: |panicked at|(?i:fatal error))"
    r"|\s+what\(\):"
)
_HARMLESS = re.compile("^GC Warning: Could not open /proc.*$", re.MULTILINE)
"""What Guile says at each start."""
_BESIDE = re.compile(r"\s|$|note: |Node\.js v|\S*env: use |[]})]|stack (backtrace|traceback):")
"""How lines begin that say nothing by themselves: the frames of a trace are indented."""
_LONGEST_WORD = 120  # characters
_LONGEST_HALF = 40
_LONG_WAIT = 0.1  # seconds
_DENIED = re.compile(
    "Permission|permission|permitted|denied|Denied|resolution|getaddrinfo|unreachable|UnknownHost"
    "|failed to get self|/proc|(?i:temporary directory)|TempDir|Read-only|No space left|extract"
    "|File too large|EFBIG|EROFS|EACCES|EPERM|EAI_AGAIN|ECONNREFUSED|ENOSPC"
)
"""Signs of what a sandbox may refuse, in the line that says most."""


def verdict(ended: Ended, stderr: str, limits: Limits) -> tuple[Verdict, str]:
    """Return the kind of a bot's end, and what to say of it beside how it ended.

    The runtimes of most languages say what they lacked before they die of it.
    """
    code = ended.code
    if limits.sandbox == "bwrap" and code - _BY_SIGNAL in set(signal.Signals):
        code = _BY_SIGNAL - code
    if ended.starved:
        return "memory", (
            f"its processes together had no memory left: {limits.memory_mb} MiB allowed "
            f"(memory_mb), and all that they hold counts, by its cgroup"
        )
    if code == -signal.SIGXFSZ:
        return "crash", f"it wrote more than a file may hold: {limits.scratch_mb} MiB (scratch_mb)"
    if code == -signal.SIGSYS:
        return "crash", "it made a system call that the sandbox forbids"
    share = ended.memory / limits.memory
    if share > (_HALF if code == -signal.SIGSEGV else _NEARLY) and code in _FATAL_SIGNALS:
        return "memory", _told("memory", "", ended, limits)
    last_words = stderr[-_LAST_WORDS:]
    for kind, signs in _SIGNS:
        if found := re.search(signs, last_words):
            own = re.search(_OWN_HEAP, last_words) if kind == "memory" else None
            return kind, _told(kind, (own or found)[0], ended, limits)
    for kind, signs in _OPENINGS:
        if found := re.search(signs, stderr, re.MULTILINE):
            return kind, _told(kind, found[0], ended, limits)
    if ended.refused:
        return "processes", _told("processes", "", ended, limits)
    if code == -signal.SIGSEGV:
        return "crash", (
            f"it touched memory that is not its own, as does who asks for more than is allowed "
            f"(memory_mb: {limits.memory_mb} MiB) and does not look, or its stack was full"
        )
    if code == -signal.SIGBUS:
        return "crash", (
            f"it touched what is not there of a file: /scratch and /dev/shm hold "
            f"{limits.scratch_mb} MiB together (scratch_mb)"
            if limits.sandbox == "bwrap"
            else "it touched what is not there of a file"
        )
    if limits.sandbox != "none" and (why := _refusal(stderr, limits)):
        return "crash", why
    if code != ended.code:
        return "crash", f"which is how bwrap tells of {signal_name(-code)}"
    return "crash", ""


def _refusal(stderr: str, limits: Limits) -> str:
    """Return how the sandbox explains the end of a standard error; empty if it does not.

    The frames of a trace may say more than its last line.
    """
    stderr = _HARMLESS.sub("", stderr)
    if not _DENIED.search(last_word(stderr)):
        return ""
    trace = stderr[-_LAST_WORDS:].rpartition(_TRACEBACK)[2]
    found = (why for signs, why in _REFUSALS if re.search(signs, trace))
    return next((why for why in found if why != _NO_PROC or not limits.shows_proc), "")


def _told(kind: Verdict, sign: str, ended: Ended, limits: Limits) -> str:
    if kind == "memory":
        used = f"{ended.memory / 2**20:.0f} MiB used at the peak"
        if ended.memory < _NEARLY * limits.memory:  # of what is refused nothing is used
            used += ", and more asked for than was left"
            if re.search(_OWN_HEAP, sign):
                used += "; or its runtime's own bound was reached, such as -Xmx"
            if sign == _NO_MEMORY:
                used += "; or it called popen, which says so too where it gets no process"
        return f"it ran out of memory: {limits.memory_mb} MiB allowed (memory_mb), {used}"
    is_ours = limits.sandbox != "none"  # which sets neither of these limits
    if kind == "files":
        most = f"{limits.open_files} allowed (open_files)" if is_ours else "see ulimit -n"
        return f"it ran out of open files: {most}"
    if limits.sandbox in ("bwrap", "none"):
        most = f"{limits.processes} allowed (processes)" if is_ours else "see ulimit -u"
        why = f"it lacked a process or thread: {most}"
        if re.search(_THREADS, sign):
            why += f"; or its stacks took the memory: {limits.memory_mb} MiB allowed (memory_mb)"
        return why
    if ended.refused:
        return f"it asked for more than {THREADS} threads, and was refused {ended.refused}"
    if re.search(_THREADS, sign):
        most = f"{THREADS} are allowed, and " if limits.sandbox == "uid" else ""
        return (
            f"it could not start as many threads as it wanted: {most}their stacks count as memory, "
            f"of which {limits.memory_mb} MiB are allowed (memory_mb)"
        )
    return (
        f"it lacked a process: --sandbox {limits.sandbox} allows threads alone. A start script "
        f"must exec its program; or {_BWRAP}"
    )


def last_word(stderr: str) -> str:
    """Return the line of a standard error that says most of why a program ended; empty if none.

    Of a Python traceback, that is what follows its frames; of other traces the last line that
    speaks of an error or a panic, with the next if it ends in a colon; or else the last that is
    neither indented nor known to say nothing.
    """
    _, is_traceback, rest = stderr.rpartition(_TRACEBACK)
    lines = rest.splitlines()
    plain = [line for line in lines if not _BESIDE.match(line)]
    telling = [at for at, line in enumerate(lines) if _TELLING.match(line)]
    if is_traceback and plain:
        found = plain[0]
    elif telling:
        found = lines[telling[-1]]
        if found.endswith(":"):
            found = " ".join(lines[telling[-1] :][:2])
    else:
        found = plain[-1] if plain else "".join(lines[-1:])
    return _cut(found.strip(), _LONGEST_WORD)


def instead(half: bytes, *, has_unread: bool, is_idle: bool, is_ready: bool, waited: float) -> str:
    """Return what a bot did that gave no answer, in parentheses, as far as that shows.

    `half` is the beginning of a line that it wrote; `is_idle` if it used next to no CPU, though
    it had `waited` for a core so many seconds; `is_ready` once it has said so, and flushed that.
    """
    if half:
        return f" (it wrote {_cut(shown(half), _LONGEST_HALF)} and no newline)"
    if not is_idle:
        return ""
    if waited >= _LONG_WAIT:
        return f" (the machine was busy: it waited {waited:.1f} s for a core, which is taken off)"
    if has_unread and not is_ready:
        return (
            " (it did not read `hello`: does it wait for something else, or did its runtime not "
            "get the threads or the memory to start (processes, memory_mb)?)"
        )
    if has_unread:
        return " (it did not read all that it was sent)"
    if is_ready:
        return (
            " (it read the ask and was idle: does it sleep, wait for a child or for more than one "
            "line, or keep its answer unflushed?)"
        )
    return (
        ' (it was idle: does it answer `hello` with {"type":"ready"}, read one line at a time, and '
        "flush its output after each?)"
    )


def beside(line: bytes, last_word: str) -> str:
    """Return, in parentheses, what was no answer or else a program's last word, if any.

    Of several lines the first counts that says something, as some begin with an empty one.
    """
    if line.strip():
        lines = line.splitlines()
        text = shown(next((each for each in lines if each.strip(b"# \t")), lines[0]))
        why = f"; {_NO_PROC}" if "/proc" in text else ""
        if re.search(_MEMORY, text):
            why = "; it ran out of memory (memory_mb), or is to ask for less, as by -Xmx64m"
        if "[os,thread]" in text:
            why = "; it lacked a thread (processes), or memory for its stack (memory_mb)"
        return f" (it said {_cut(text, _LONGEST_WORD)}{why})"
    return f" ({last_word})" if last_word else ""


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}…"

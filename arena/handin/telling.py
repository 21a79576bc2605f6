"""Telling a hook: a command that is run, or an address that is sent to, within limits."""

import os
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic

from arena.handin.database import now, written
from arena.handin.hooks import LOG, Message
from arena.handin.post import ADDRESS
from arena.league.contest import is_url
from arena.league.file import FILE
from arena.text import safe, safe_lines
from referee.process.procfs import signal_name

SECONDS = 10.0
"""How long a hook may take."""
_OUTPUT = 4096  # bytes of what it prints that are kept
_LOG_BYTES = 256 << 10
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR")


class RunningHook:
    """The process of a hook, if one runs: it leads a group of its own."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        """Held from before it begins until its number is here, so that none is missed."""
        self.pid = 0

    def kill(self) -> None:
        """End it with its group, if there is one; no other begins from now on."""
        self.lock.acquire()  # for ever
        if self.pid:
            with suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)


def tell(hook: Sequence[str], message: Message, league: Path, running: RunningHook) -> str:
    """Tell a hook a message, and log it; return why it could not be told, or nothing.

    A command has the message on its standard input, a fixed environment, and the league's folder
    to work in.
    """
    words, environment = list(hook), {"PATH": _PATH, "LANG": "C.UTF-8"}
    if is_url(words):
        environment[ADDRESS] = words[0]
        environment |= {name: os.environ[name] for name in _CERTIFICATES if name in os.environ}
        words = [sys.executable, "-P", "-m", "arena.handin.post"]
    problem, output = _run(words, message, league, environment, running)
    lines = safe_lines(output.decode(errors="replace")).strip().splitlines()
    if is_url(list(hook)) and problem.startswith("it exited") and lines:
        problem = lines.pop()
    said = f"{written(now())} {message.number} {message.event}: {problem or 'told'}"
    _log(league / LOG, [safe(said), *(f"  {line}" for line in lines)])
    return problem


def unfit(hook: Sequence[str], league: Path) -> str:
    """Return why a hook cannot be run that is a command, before it has to be; nothing if it can."""
    word = hook[0]
    is_path = "/" in word
    if is_url(list(hook)) or shutil.which(league / word if is_path else word, path=_PATH):
        return ""
    where = f"beside {FILE} or at that path" if is_path else f"in {_PATH}"
    return f"the hook cannot be run: there is no program {safe(word)!r} {where}."


def _run(
    words: Sequence[str],
    message: Message,
    league: Path,
    environment: dict[str, str],
    running: RunningHook,
) -> tuple[str, bytes]:
    """Run a command to its end, or to that of its time; return what was wrong, and its output."""
    with tempfile.TemporaryFile() as given:  # one that does not read cannot hold us up
        given.write(message.body.encode() + b"\n")
        given.seek(0)
        try:
            with running.lock:
                process = subprocess.Popen(
                    words,
                    stdin=given,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    cwd=league,
                    env=environment,
                    start_new_session=True,
                )
                running.pid = process.pid
        except (OSError, ValueError) as error:
            return (
                f"{safe(words[0])} cannot be run: {getattr(error, 'strerror', None) or error}",
                b"",
            )
    assert process.stdout is not None
    try:
        output, is_late = _read(process.pid, process.stdout.fileno())
    finally:
        with suppress(ProcessLookupError):  # before it is reaped: the group is still its own
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        running.pid = 0
        process.stdout.close()
    if is_late:
        return f"it ran longer than {SECONDS:g} s", output
    code = process.returncode
    if code < 0:
        return f"it was ended by {signal_name(-code)}", output
    return (f"it exited with code {code}" if code else ""), output


def _read(pid: int, pipe: int) -> tuple[bytes, bool]:
    """Return the beginning of what a process prints until it ends, and whether it is late."""
    deadline, output = monotonic() + SECONDS, b""
    end = os.pidfd_open(pid)
    os.set_blocking(pipe, False)
    try:
        with selectors.DefaultSelector() as selector:
            selector.register(end, selectors.EVENT_READ)
            selector.register(pipe, selectors.EVENT_READ)
            while (left := deadline - monotonic()) > 0:
                ready = {key.fd for key, _ in selector.select(left)}
                if pipe in ready:
                    piece = os.read(pipe, 1 << 16)
                    output = (output + piece)[:_OUTPUT]
                    if not piece:
                        selector.unregister(pipe)
                elif end in ready:
                    return output, False
    finally:
        os.close(end)
    return output, True


def _log(file: Path, lines: Sequence[str]) -> None:
    """Add lines to a log, whose older half goes once it is too long."""
    new = "".join(f"{line}\n" for line in lines).encode()
    before = file.read_bytes() if file.exists() else b""
    if len(before) + len(new) > _LOG_BYTES:
        before = before[-_LOG_BYTES // 2 :].partition(b"\n")[2]
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
    with os.fdopen(os.open(file, flags, 0o600), "wb") as log:
        log.write(before + new)

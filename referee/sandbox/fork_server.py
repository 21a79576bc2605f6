"""The fork server: a small process that starts bots for one referee, and leaves none behind.

It is run as `python -I -S fork_server.py FD`, FD being a SEQPACKET socket, and imports nothing of
the project. Forking it costs a millisecond however large the referee is, and a bot's parent is
then a single-threaded process that does nothing but wait: it reaps every bot, kills what is left
of its process group, and as a subreaper inherits whatever a bot orphaned. When the referee dies,
by any death, the socket ends and everything goes.

A request is a JSON object. `{"start": {argv, cwd, env, memory}}` comes with three descriptors for
the bot's 0, 1 and 2, and is answered by `{"pid": n}` with a pidfd, or `{"error": reason}`.
`{"stop": pid}` ends a bot. Either way a bot's end is told once: `{"ended": pid, "status": wait
status, "cpu": seconds, "memory": bytes at its peak}`.
"""

import ctypes
import errno
import json
import os
import resource
import select
import signal
import socket
import sys
import time
from typing import Any

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
REQUEST_LIMIT = 1 << 17
END_SECONDS = 3.0

Request = dict[str, Any]

libc = ctypes.CDLL(None, use_errno=True)
DEFAULT_SIGNALS = (
    signal.SIGPIPE,
    signal.SIGXFSZ,
    signal.SIGINT,
    signal.SIGHUP,
    signal.SIGTERM,
    signal.SIGQUIT,
    signal.SIGCHLD,
)


def prctl(option: int, value: int) -> None:
    """Set a property of this process; raise OSError if the kernel refuses."""
    if libc.prctl(option, value, 0, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def become_bot(request: Request, descriptors: list[int], server: int) -> None:
    """Turn the forked child into the bot; never returns."""
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number, inheritable=True)
    os.setsid()
    os.umask(0o077)
    for number in DEFAULT_SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    prctl(PR_SET_DUMPABLE, 1)
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    prctl(PR_SET_NO_NEW_PRIVS, 1)  # or a set-uid program could not be killed
    if os.getppid() != server:
        os._exit(126)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_DATA, (request["memory"], request["memory"]))
    os.chdir(request["cwd"])
    os.execve(request["argv"][0], request["argv"], request["env"])


def explained(error: BaseException) -> str:
    """Return what went wrong, and with which file."""
    if not isinstance(error, OSError):
        return repr(error)
    return f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror)


def start(request: Request, descriptors: list[int]) -> tuple[int, int]:
    """Fork a bot; return its pid and a pidfd, or raise OSError if it could not be started.

    The end of the status pipe proves that the program was executed.
    """
    if len(descriptors) < 3:  # the kernel drops those that there is no room for
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
    server = os.getpid()
    status, told = os.pipe()
    with open(status, "rb", buffering=0) as answer:
        try:
            pid = os.fork()
            if pid == 0:
                try:
                    become_bot(request, descriptors, server)
                except BaseException as error:  # the child may do nothing but tell and go
                    os.write(told, explained(error).encode()[:500])
                finally:
                    os._exit(126)
        finally:
            os.close(told)
        reason = answer.read(500).decode(errors="replace")
    if reason:
        os.waitpid(pid, 0)
        raise OSError(0, reason)
    try:
        return pid, os.pidfd_open(pid)
    except OSError:
        end(pid)
        raise


def kill(pid: int) -> None:
    """Kill a process, or with a negative number its group, if it is still there."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def end(pid: int) -> Request:
    """Kill and reap a bot with what is left of its process group; return the report."""
    kill(-pid)
    _, status, used = os.wait4(pid, 0)
    try:
        while True:
            kill(-pid)
            os.waitpid(-pid, 0)
    except ChildProcessError:
        pass
    return {
        "ended": pid,
        "status": status,
        "cpu": used.ru_utime + used.ru_stime,
        "memory": used.ru_maxrss * 1024,
    }


def reap_orphans(bots: dict[int, int]) -> None:
    """Reap orphans that ended by themselves; bots are reaped by `end` alone."""
    try:
        while found := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            if found.si_pid in bots:
                return
            os.waitpid(found.si_pid, 0)
    except ChildProcessError:
        pass


def children() -> list[int]:
    """Return the pids of all children, orphans inherited from bots included."""
    me = str(os.getpid())
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    parent = file.read().rpartition(b")")[2].split()[1]
            except OSError:
                continue
            if parent.decode() == me:
                found.append(int(name))
    return found


def end_all() -> None:
    """Kill and reap every descendant: orphans become children, until there are none.

    After a while a herd of them that forks faster than it dies is left to itself.
    """
    deadline = time.monotonic() + END_SECONDS
    while (left := children()) and time.monotonic() < deadline:
        for pid in left:
            kill(pid)
        for pid in left:
            os.waitpid(pid, 0)


def serve(link: socket.socket) -> None:
    """Answer requests until the referee's end of the socket is closed."""
    bots: dict[int, int] = {}  # pidfd by pid
    poll = select.poll()
    poll.register(link, select.POLLIN)

    def forget(pid: int) -> None:
        descriptor = bots.pop(pid)
        poll.unregister(descriptor)
        os.close(descriptor)
        link.send(json.dumps(end(pid)).encode())
        reap_orphans(bots)

    while True:
        ready = {descriptor for descriptor, _ in poll.poll()}
        for pid in [pid for pid, descriptor in bots.items() if descriptor in ready]:
            forget(pid)
        if link.fileno() not in ready:
            continue
        message, descriptors, _, _ = socket.recv_fds(link, REQUEST_LIMIT, 3)
        if not message:
            return
        for descriptor in descriptors:
            os.set_inheritable(descriptor, False)  # recv_fds cannot ask for it
        request = json.loads(message)
        if "stop" in request:
            if request["stop"] in bots:
                forget(request["stop"])
            continue
        try:
            pid, pidfd = start(request["start"], descriptors)
        except OSError as error:
            link.send(json.dumps({"error": explained(error)}).encode())
        else:
            bots[pid] = pidfd
            poll.register(pidfd, select.POLLIN)
            socket.send_fds(link, [json.dumps({"pid": pid}).encode()], [pidfd])
        for descriptor in descriptors:
            os.close(descriptor)


def main() -> None:
    """Serve on the socket named by the first argument."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # only the socket's end may stop the cleaning up
    prctl(PR_SET_DUMPABLE, 0)
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    link = socket.socket(fileno=int(sys.argv[1]))
    link.set_inheritable(False)
    try:
        serve(link)
    except (BrokenPipeError, ConnectionResetError):
        pass
    finally:
        end_all()


if __name__ == "__main__":
    main()

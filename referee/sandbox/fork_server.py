"""The fork server: a small process that starts bots for one referee, and leaves none behind.

It is run as `python -I -S fork_server.py FD`, FD being a SEQPACKET socket, and imports of the
project only its neighbours, which import nothing else of it. Forking it costs a millisecond however
large the referee is, and a bot's parent is then a single-threaded process that does nothing but
wait: it reaps every bot, kills what is left of its process group, and as a subreaper inherits
whatever a bot orphaned. When the referee dies, by any death, the socket ends and everything goes.

It hears each `ServerRequest` of `enclosure.py`, and says each `ServerAnswer`, as JSON objects.

The kernel counts processes and threads by user, so that one bot's could leave none to another of
the same user. Where the filter says so, it asks this server about every new thread instead.
"""

import base64
import contextlib
import ctypes
import errno
import fcntl
import json
import os
import resource
import select
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from referee.sandbox.enclosure import (
        BwrapGate,
        Enclosure,
        LoadedFilter,
        Ruleset,
        ServerAnswer,
        ServerRequest,
    )
if TYPE_CHECKING or __package__:
    from referee.sandbox import bot_cgroup, own_root
    from referee.sandbox.syscalls import ARCHITECTURES
else:
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import bot_cgroup
    import own_root
    from syscalls import ARCHITECTURES

    del sys.path[0]

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
PR_CAPBSET_DROP = 24
SECCOMP_SET_MODE_FILTER = 1
SECCOMP_FILTER_FLAG_NEW_LISTENER = 1 << 3
SECCOMP_IOCTL_NOTIF_RECV = 0xC0502100
SECCOMP_IOCTL_NOTIF_SEND = 0xC0182101
SECCOMP_USER_NOTIF_FLAG_CONTINUE = 1
NOTICE_SIZE = 80  # bytes of struct seccomp_notif, which begins with a number of 64 bits
CAPABILITY_VERSION_3 = 0x20080522
O_PATH = 0o10000000
UINT_MAX = 0xFFFFFFFF
LANDLOCK_RULE_PATH_BENEATH = 1
CALLS = ARCHITECTURES[os.uname().machine].calls if os.uname().machine in ARCHITECTURES else {}
"""The numbers of system calls here; where they are not known, there is no sandbox to make."""
CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
IP_FREEBIND = 15
MOST_DESCRIPTORS = 5  # that a bot has: three pipes, and two of a door
WAITING_CONNECTIONS = 8
CONNECTION_BYTES = "4096 65536 131072"  # least, usual and most that wait in a connection, each way
REQUEST_LIMIT = 1 << 17
END_SECONDS = 3.0
EVERYTHING = 0  # stands for the pids of all bots
REFUSALS_LIMIT = 1000  # of threads: a bot asking on costs others the time that it takes to answer
SLICE_NANOSECONDS = 100_000  # the least that the kernel takes

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


def prctl(option: int, value: int, more: object = 0) -> None:
    """Set a property of this process; raise OSError if the kernel refuses."""
    if libc.prctl(option, value, more, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def system_call(name: str, *arguments: object) -> int:
    """Make a system call that Python has no word for; raise OSError if the kernel refuses."""
    if name not in CALLS:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    result = libc.syscall(ctypes.c_long(CALLS[name]), *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return int(result)


def go_first() -> None:
    """Make bots run as soon as they are asked, before the referee goes on to wait for them.

    From 6.12 on, the kernel lets a woken process take the core of a process with a longer slice;
    how much of the core each has stays the same. Forked processes inherit it.
    """
    attributes = ctypes.create_string_buffer(48)  # struct sched_attr, first version
    try:
        system_call("sched_getattr", 0, attributes, len(attributes), 0)
        struct.pack_into("=Q", attributes, 24, SLICE_NANOSECONDS)
        system_call("sched_setattr", 0, attributes, 0)
    except OSError:
        pass  # where it is forbidden, a decision takes a little longer


def become_bot(
    request: "Enclosure",
    argv: list[str],
    descriptors: list[int],
    emptied: list[int],
    server: int,
    link: socket.socket,
) -> None:
    """Turn the forked child into the bot; never returns.

    `emptied` leads to where folders are. `link`, which execution closes, carries the descriptor by
    which the server answers the bot.

    The order matters: the ruleset is made with the referee's rights, the death signal is set
    after the change of user, which clears it, and the filter comes last of all.
    """
    if cgroup := request.get("cgroup"):
        try:
            bot_cgroup.enter(cgroup["folder"])
        except OSError as error:
            raise UnstartableError(explained(error)) from None
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number, inheritable=True)
    os.setsid()
    os.umask(0o077)
    for number in DEFAULT_SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    rules = request.get("landlock")
    ruleset = make_ruleset(rules) if rules else None
    if root := request.get("root"):
        own_root.enter(root)
    if emptied:
        go_where_cleared(*emptied)
    if (uid := request.get("uid")) is not None:
        drop_to_bots(uid)
    elif emptied:
        drop_capabilities()
    prctl(PR_SET_DUMPABLE, 1)
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != server:
        os._exit(126)
    for number, most in request["limits"]:
        bound(number, most)
    if cores := request.get("cores"):
        os.sched_setaffinity(0, cores)
    os.chdir(request["cwd"])
    prctl(PR_SET_NO_NEW_PRIVS, 1)  # or a set-uid program could not be killed
    if ruleset is not None:
        system_call("landlock_restrict_self", ruleset, 0)
    if filter_ := request.get("seccomp"):
        # the server's own, two for each bot, would leave the filter none below the limit
        os.closerange(len(descriptors), link.fileno())
        system_call("close_range", link.fileno() + 1, UINT_MAX, 0)
        listener = load_filter(filter_)
        if filter_["asks"]:
            socket.send_fds(link, [b"+"], [listener])
        if then := filter_["then"]:
            add_filter(base64.b64decode(then), 0)
    os.execve(argv[0], argv, request["env"])


def drop_to_bots(uid: int) -> None:
    """Become the user that a bot has; raise UnstartableError if that is refused."""
    try:
        drop_to(uid)
    except OSError as error:
        raise UnstartableError(
            f"they are to run as uid {uid}, which takes CAP_SETUID and CAP_SETGID, and that is "
            f"refused: {error.strerror}"
        ) from None


def bound(number: int, most: int) -> None:
    """Set a limit of this process; raise UnstartableError where it is above our own."""
    try:
        resource.setrlimit(number, (most, most))
    except ValueError:
        names = (each for each in dir(resource) if each.startswith("RLIMIT_"))
        name = next(each for each in names if getattr(resource, each) == number)
        own = resource.getrlimit(number)[1]
        raise UnstartableError(f"{name} is to be {most}, and the arena's own is {own}") from None


def make_ruleset(asked: "Ruleset") -> int:
    """Return the descriptor of a Landlock ruleset."""
    attributes = struct.pack("QQQ", asked["filesystem"], asked["network"], asked["scopes"])
    size = 24 if asked["scopes"] else 16 if asked["network"] else 8
    ruleset = system_call("landlock_create_ruleset", attributes, size, 0)
    for path, rights in asked["rules"]:
        beneath = os.open(path, O_PATH | os.O_CLOEXEC)
        rule = struct.pack("=Qi", rights, beneath)
        system_call("landlock_add_rule", ruleset, LANDLOCK_RULE_PATH_BENEATH, rule, 0)
        os.close(beneath)
    return ruleset


def drop_to(uid: int) -> None:
    """Become an ordinary user without groups and capabilities."""
    os.setgroups([])
    for capability in range(64):
        if libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
            break  # beyond the last one
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    if {*os.getresuid(), *os.getresgid()} != {uid}:  # the highest number stands for no change
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
    drop_capabilities()


def drop_capabilities() -> None:
    """Give up all rights that are more than a user's."""
    system_call("capset", struct.pack("=Ii", CAPABILITY_VERSION_3, 0), bytes(24))


def load_filter(asked: "LoadedFilter") -> int:
    """Load the filter of system calls, with this process's own pid written into it.

    Return the descriptor at which the kernel asks about what the filter leaves open. One that
    `asks` nobody leaves nothing open, and returns 0.
    """
    code = bytearray(base64.b64decode(asked["code"]))
    for offset in asked["own_pid_at"]:
        struct.pack_into("=I", code, offset, os.getpid())
    return add_filter(bytes(code), SECCOMP_FILTER_FLAG_NEW_LISTENER if asked["asks"] else 0)


def add_filter(code: bytes, flags: int) -> int:
    """Load a filter beside those that are loaded; return the kernel's answer."""
    text = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("@HP", len(code) // 8, ctypes.addressof(text))
    try:
        return system_call("seccomp", SECCOMP_SET_MODE_FILTER, flags, program)
    except OSError as error:
        raise OSError(error.errno, error.strerror, "seccomp") from None


class UnstartableError(Exception):
    """What keeps every bot from being started."""


class StartRefusedError(OSError):
    """What keeps this bot from being started."""


def explained(error: BaseException) -> str:
    """Return what went wrong, and with which file."""
    if not isinstance(error, OSError):
        return repr(error)
    return f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror)


class StartedBot:
    """A started bot: the child of this server and, in bwrap, the process inside."""

    def __init__(self, pid: int, listener: int, request: "Enclosure") -> None:
        self.pid = self.told = pid
        self.pidfd = self.told_pidfd = os.pidfd_open(pid)
        self.listener = listener
        self.at_door: list[int] = []  # what the referee is to have beside the pidfd
        self.threads = request.get("threads", 0)
        cgroup = request.get("cgroup")
        self.cgroup = cgroup["folder"] if cgroup else ""
        self.refused = 0
        self.reaped = 0.0  # CPU seconds of what was reaped before its end

    def goes_inside(self, pid: int) -> None:
        """Take `pid` for the bot's process from now on; raise OSError if it has ended already."""
        self.told_pidfd = os.pidfd_open(pid)
        self.told = pid

    def answer(self) -> None:
        """Let it start another thread, unless it has as many as it may have.

        Some that ask at the same moment may all be let through: at most twice as many.
        """
        notice = bytearray(NOTICE_SIZE)
        try:
            fcntl.ioctl(self.listener, SECCOMP_IOCTL_NOTIF_RECV, notice)
            fcntl.ioctl(self.listener, SECCOMP_IOCTL_NOTIF_SEND, self.reply(notice))
        except OSError:
            pass  # it has ended, or a signal came, after which it asks again
        if self.refused >= REFUSALS_LIMIT:
            kill(self.pid)

    def reply(self, notice: bytearray) -> bytes:
        """Return the reply to a notice, all of which are of new threads."""
        if self.tasks() < self.threads:
            return go_on(notice)
        self.refused += 1
        return refuse(notice, errno.EAGAIN)

    def tasks(self) -> int:
        """Return how many threads it has."""
        return os.stat(f"/proc/{self.pid}/task").st_nlink - 2

    def end(self) -> "ServerAnswer":
        """Kill and reap it with what is left of its process group; return the report."""
        if self.cgroup:
            bot_cgroup.kill(self.cgroup)
        report = end(self.pid)
        if self.told != self.pid:
            try:
                signal.pidfd_send_signal(self.told_pidfd, signal.SIGKILL)
                _, _, used = os.wait4(self.told, 0)  # orphaned, it has become our child
                report["cpu"] += used.ru_utime + used.ru_stime
                report["memory"] = max(report["memory"], used.ru_maxrss * 1024)
            except (ProcessLookupError, ChildProcessError):
                pass
            os.close(self.told_pidfd)
        os.close(self.pidfd)
        for number in (self.listener, *self.at_door):
            if number >= 0:
                os.close(number)
        report["ended"] = self.told
        report["refused"] = self.refused
        report["cpu"] += self.reaped
        if self.cgroup:
            report["peak"], report["starved"] = bot_cgroup.measured(self.cgroup)
            bot_cgroup.remove(self.cgroup)
        return report


def go_on(notice: bytearray) -> bytes:
    """Return the reply that lets the kernel do what it was asked for."""
    (number,) = struct.unpack_from("=Q", notice)
    return struct.pack("=QqiI", number, 0, 0, SECCOMP_USER_NOTIF_FLAG_CONTINUE)


def refuse(notice: bytearray, number: int) -> bytes:
    """Return the reply by which a call fails with an errno; with 0, it has succeeded."""
    return struct.pack("=QqiI", *struct.unpack_from("=Q", notice), 0, -number, 0)


def from_child(make: Callable[[], list[int]]) -> list[int]:
    """Return descriptors that a child makes, which may change what it is; raise OSError if not."""
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with here:
        with there:
            child = os.fork()
            if child == 0:
                try:
                    made = make()
                    socket.send_fds(there, [b"+" * len(made)], made)
                except BaseException as error:  # the child may do nothing but report and exit
                    number = error.errno if isinstance(error, OSError) else 0
                    there.send(f"{number or 0} {explained(error)}".encode()[:500])
                finally:
                    os._exit(0)
        message, sent, _, _ = socket.recv_fds(here, 1000, MOST_DESCRIPTORS)
    os.waitpid(child, 0)
    if message and message == b"+" * len(sent):
        for descriptor in sent:
            os.set_inheritable(descriptor, False)
        return list(sent)
    for descriptor in sent:  # the kernel dropped those for which there was no room
        os.close(descriptor)
    why, _, text = message.decode(errors="replace").strip("+").partition(" ")
    raise OSError(int(why or errno.EMFILE), text or os.strerror(errno.EMFILE))


def cleared(folders: Sequence[str]) -> list[int]:
    """Return what leads to where folders are empty; raise OSError if that cannot be had."""

    def make() -> list[int]:
        prctl(
            PR_SET_DUMPABLE, 1
        )  # or its own files in /proc, by which it says who it is, are root's
        return own_root.cleared(folders)

    return from_child(make)


def go_where_cleared(root: int, *spaces: int) -> None:
    """Enter namespaces that `cleared` led to; raise OSError if the kernel refuses.

    They know of no `chroot` that was done before, so that the root folder must be had back.
    """
    for space in spaces:
        system_call("setns", space, 0)
    os.fchdir(root)
    os.chroot(".")


def listener_inside(pid: int, uid: int | None, port: int) -> int:
    """Return a socket that listens on 127.0.0.1 in the network of a process; raise OSError if not.

    A child makes it, and enters that network as the user who has made its namespaces. There it
    bounds what connections may hold, which counts against no limit of a process. The network may
    not yet be up, and an address be bound before it is there.
    """
    try:
        (made,) = from_child(lambda: [listening(pid, uid, port).detach()])
    except OSError as error:
        raise OSError(error.errno, f"no door can be made: {error.strerror}") from None
    return made


def listening(pid: int, uid: int | None, port: int) -> socket.socket:
    """Go into the user and network namespaces of a process; return a socket that listens there."""
    inside = os.pidfd_open(pid)
    if uid is not None:
        drop_to(uid)
    system_call("setns", inside, CLONE_NEWUSER | CLONE_NEWNET)
    for name in ("tcp_rmem", "tcp_wmem"):
        with open(f"/proc/sys/net/ipv4/{name}", "w") as file:
            file.write(CONNECTION_BYTES)
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
    made.setsockopt(socket.IPPROTO_IP, IP_FREEBIND, 1)
    made.bind(("127.0.0.1", port))
    made.listen(WAITING_CONNECTIONS)
    return made


class Gate:
    """What holds a bot in bwrap back until its limits are set, and its door is there."""

    def __init__(self, asked: "BwrapGate", uid: int | None) -> None:
        self.limits = asked["limits"]
        self.port = asked["port"]
        self.uid = uid
        self.info, self.told = os.pipe()
        self.block, self.go = os.pipe()
        self.filter, writing = os.pipe()
        os.write(writing, base64.b64decode(asked["filter"]))
        os.close(writing)

    def passed(self, words: Sequence[str]) -> list[str]:
        """Return bwrap's words with the numbers of its descriptors, which it inherits."""
        numbers = {"{info}": self.told, "{block}": self.block, "{filter}": self.filter}
        for number in numbers.values():
            os.set_inheritable(number, True)
        return [str(numbers.get(word, word)) for word in words]

    def open(self, bot: StartedBot) -> None:
        """Learn the pid inside, set its limits, and let it go; raise OSError if bwrap failed."""
        for number in (self.told, self.block, self.filter):
            os.close(number)
        try:
            with open(self.info, "rb") as info:
                text = info.read()
            bot.goes_inside(json.loads(text or "{}")["child-pid"])
            for number, most in self.limits:
                resource.prlimit(bot.told, number, (most, most))
        except (KeyError, OSError):
            kill(bot.pid)  # before its gate is closed, which would open it
            os.close(self.go)
            raise StartRefusedError(0, "bwrap failed") from None
        try:
            if self.port is not None:
                bot.at_door.append(listener_inside(bot.told, self.uid, self.port))
            os.write(self.go, b"x")
        except OSError:
            kill(bot.pid)
            raise
        finally:
            os.close(self.go)


def start(
    request: "Enclosure", descriptors: list[int], emptied: list[int], kind: type[StartedBot]
) -> StartedBot:
    """Fork a bot, or raise StartRefusedError if it could not be started, OSError if none could.

    `emptied` leads to where folders are, if they are to be. The end of the link to the child proves
    that the program was executed.
    """
    if len(descriptors) < request["descriptors"]:  # the kernel drops what there is no room for
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
    if cgroup := request.get("cgroup"):
        bot_cgroup.make(cgroup)
    bwrap = request.get("bwrap")
    gate = Gate(bwrap, request.get("uid")) if bwrap else None
    server = os.getpid()
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener, reason = -1, ""
    with here:
        with there:
            pid = os.fork()
            if pid == 0:
                try:
                    argv = [*request["argv"]] if gate is None else gate.passed(request["argv"])
                    become_bot(request, argv, descriptors, emptied, server, there)
                except UnstartableError as error:
                    there.send(b"!" + str(error).encode())
                except BaseException as error:  # the child may do nothing but report and exit
                    there.send(explained(error).encode()[:500])
                finally:
                    os._exit(126)
        while True:
            message, sent, _, _ = socket.recv_fds(here, 1000, 1)
            if not message:
                break
            if sent:
                (listener,) = sent
            else:
                reason = message.decode(errors="replace")
    if listener >= 0:
        os.set_inheritable(listener, False)
    if reason:
        if listener >= 0:
            os.close(listener)
        os.waitpid(pid, 0)
        if cgroup:
            bot_cgroup.remove(cgroup["folder"])
        if reason.startswith("!"):
            raise OSError(0, reason[1:])
        raise StartRefusedError(0, reason)
    bot = kind(pid, listener, request)
    try:
        if gate is not None:
            gate.open(bot)
    except OSError:
        bot.end()
        raise
    return bot


def kill(pid: int) -> None:
    """Kill a process, or with a negative number its group, if it is still there."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def end(pid: int) -> "ServerAnswer":
    """Kill and reap a bot with what is left of its process group; return the report."""
    kill(-pid)
    _, status, used = os.wait4(pid, 0)
    cpu, memory = used.ru_utime + used.ru_stime, used.ru_maxrss
    try:
        while True:
            kill(-pid)
            _, _, used = os.wait4(-pid, 0)
            cpu += used.ru_utime + used.ru_stime
            memory = max(memory, used.ru_maxrss)
    except ChildProcessError:
        pass
    return report_of(pid, status, cpu, memory * 1024)


def report_of(pid: int, status: int, cpu: float = 0.0, memory: int = 0) -> "ServerAnswer":
    """Return the report of an end."""
    return {"ended": pid, "status": status, "cpu": cpu, "memory": memory, "refused": 0}


def reap_orphans(bots: set[int]) -> None:
    """Reap orphans that ended by themselves; `bots` are reaped by `end` alone."""
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

    After a while it gives up on descendants that fork faster than they die.
    """
    deadline = time.monotonic() + END_SECONDS
    while (left := children()) and time.monotonic() < deadline:
        for pid in left:
            kill(pid)
        for pid in left:
            try:
                os.waitpid(pid, 0)
            except ChildProcessError:
                pass  # another thread has reaped it


def remove(folder: str) -> None:
    """Remove a folder with all that is in it, as far as it is still there.

    However it was left: without rights for its owner, or nested deeper than a path can say. A
    folder in a folder is moved to the top before it is emptied, so that none is ever deep.
    """
    try:
        os.chmod(folder, 0o700)
        top = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return
    moved = 0
    left = os.listdir(top)
    while left:
        inner, name = top, left.pop()
        try:
            if is_removed(name, top):
                continue
            inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=top)
            for each in os.listdir(inner):
                if not is_removed(each, inner):
                    moved += 1
                    os.rename(each, f"removed-{moved}", src_dir_fd=inner, dst_dir_fd=top)
                    left.append(f"removed-{moved}")
            os.rmdir(name, dir_fd=top)
        except OSError:
            pass  # it has gone, or must stay
        finally:
            if inner != top:
                os.close(inner)
    os.close(top)
    try:
        os.rmdir(folder)
    except OSError:
        pass


def is_removed(name: str, folder: int) -> bool:
    """Remove a file; return False for a folder, which is then open to us."""
    try:
        os.unlink(name, dir_fd=folder)
    except IsADirectoryError:
        os.chmod(name, 0o700, dir_fd=folder)  # to move it, the kernel writes `..` in it
        return False
    return True


class Server:
    """Answers requests until the referee's end of the socket is closed."""

    def __init__(self, link: socket.socket, kind: type[StartedBot]) -> None:
        self.link = link
        self.kind = kind
        self.stages: list[str] = []
        self.cgroups: list[str] = []
        self.bots: dict[int, StartedBot] = {}  # by the pid that is reported
        self.emptied: list[int] = []  # what leads to where folders are
        self.poll = select.poll()
        self.poll.register(link, select.POLLIN)

    def serve(self) -> None:
        """Answer requests, and tell of ends."""
        while True:
            ready = {descriptor for descriptor, _ in self.poll.poll()}
            for pid in [pid for pid, bot in self.bots.items() if bot.pidfd in ready]:
                self.forget(pid)
            for bot in self.bots.values():
                if bot.listener in ready:
                    bot.answer()
            if self.link.fileno() not in ready:
                continue
            message, descriptors, _, _ = socket.recv_fds(self.link, REQUEST_LIMIT, MOST_DESCRIPTORS)
            if not message:
                return
            for descriptor in descriptors:
                os.set_inheritable(descriptor, False)  # recv_fds cannot ask for it
            self.heed(json.loads(message), descriptors)

    def heed(self, request: "ServerRequest", descriptors: list[int]) -> None:
        """Do what is asked for."""
        if "stop" in request:
            self.stop(request["stop"])
        elif "stage" in request:
            self.stages.append(request["stage"])
        elif "cgroup" in request:
            self.cgroups.append(request["cgroup"])
        elif "clear" in request:
            reason = ""
            try:
                self.emptied = cleared(request["clear"])
            except OSError as error:
                reason = str(error.strerror)
            self.say({"uncleared": reason})
        else:
            self.start(request["start"], request["number"], descriptors)
            for descriptor in descriptors:
                os.close(descriptor)

    def say(self, answer: "ServerAnswer", descriptors: Sequence[int] = ()) -> None:
        """Send an answer."""
        message = json.dumps(answer).encode()
        if descriptors:
            socket.send_fds(self.link, [message], descriptors)
        else:
            self.link.send(message)

    def forget(self, pid: int) -> None:
        """End a bot, and tell of it."""
        bot = self.bots.pop(pid)
        self.poll.unregister(bot.pidfd)
        if bot.listener >= 0:
            self.poll.unregister(bot.listener)
        self.say(bot.end())
        reap_orphans({bot.pid for bot in self.bots.values()})

    def stop(self, pid: int) -> None:
        """End a bot, or all, and tell of it also where it had ended."""
        if pid == EVERYTHING:
            for each in [*self.bots]:
                self.forget(each)
        if pid in self.bots:
            self.forget(pid)
        else:
            self.say(report_of(pid, signal.SIGKILL))

    def start(self, asked: "Enclosure", number: int, descriptors: list[int]) -> None:
        """Start a bot, and tell its pid, or why there is none."""
        try:
            emptied = self.emptied if asked.get("cleared") else []
            bot = start(asked, descriptors, emptied, self.kind)
        except OSError as error:
            answer: ServerAnswer = {"error": explained(error), "number": number}
            if not isinstance(error, StartRefusedError):
                answer["machine"] = error.errno
            self.say(answer)
            return
        self.bots[bot.told] = bot
        self.poll.register(bot.pidfd, select.POLLIN)
        if bot.listener >= 0:
            self.poll.register(bot.listener, select.POLLIN)
        told = [bot.told_pidfd, *bot.at_door]
        self.say({"pid": bot.told, "number": number, "descriptors": len(told)}, told)
        for each in bot.at_door:
            os.close(each)
        bot.at_door.clear()


def main(kind: type[StartedBot] = StartedBot) -> None:
    """Serve on the socket named by the first argument."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # only the socket's end may stop the cleaning up
    prctl(PR_SET_DUMPABLE, 0)
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    if kind is StartedBot:
        go_first()
    given = int(sys.argv[1])
    link = socket.socket(fileno=fcntl.fcntl(given, fcntl.F_DUPFD_CLOEXEC, MOST_DESCRIPTORS))
    os.close(given)
    for taken in range(3, MOST_DESCRIPTORS):  # a bot's: nothing of ours is to get these numbers
        os.dup2(0, taken, inheritable=False)
    server = Server(link, kind)
    try:
        server.serve()
    except (BrokenPipeError, ConnectionResetError):
        pass
    finally:
        with contextlib.ExitStack() as last:  # from the last to the first, whichever fails
            for folder in server.cgroups:
                last.callback(bot_cgroup.remove, folder)
            for folder in server.stages:
                last.callback(remove, folder)
            last.callback(end_all)


if __name__ == "__main__":
    main()

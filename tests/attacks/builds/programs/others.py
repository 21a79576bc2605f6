"""Hostile builds that reach for other processes and the network, or stay after their end."""

import ctypes
import os
import resource
import shlex
import signal
import socket
import subprocess
import sys
import time

from hostile import Facts, attempt, child, libc, linger, say, show

CLONE = 220 if os.uname().machine == "aarch64" else 56
PTRACE_ATTACH, PTRACE_SEIZE = 16, 0x4206


# The network


def tcp_connect(facts: Facts) -> None:
    attempt(lambda: socket.create_connection(("127.0.0.1", facts["tcp"]), 2).send(b"x"))


def udp_send(facts: Facts) -> None:
    def send() -> None:
        made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        made.sendto(b"x", ("127.0.0.1", facts["udp"]))

    attempt(send)


def unix_connect(facts: Facts) -> None:
    def connect(address: str) -> None:
        made = socket.socket(socket.AF_UNIX)
        made.connect(address)

    attempt(connect, facts["unix"])
    attempt(connect, "\0" + facts["abstract"])


def pair_send(facts: Facts) -> None:
    """From a pair of datagram sockets to somebody else."""

    def send() -> None:
        ours, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        ours.sendto(b"x", facts["datagram"])

    attempt(send)


def resolve(facts: Facts) -> None:
    """Ask a server of names, as a program in another language does."""
    words = ["bash", "-c", f"echo x > /dev/udp/127.0.0.1/{facts['udp']}"]
    attempt(lambda: subprocess.run(words, check=False))
    attempt(lambda: socket.getaddrinfo("localhost", facts["tcp"]))
    words = ["bash", "-c", f"echo x > /dev/tcp/localhost/{facts['tcp']}"]
    attempt(lambda: subprocess.run(words, check=False))


# Other processes


def kill_victim(facts: Facts) -> None:
    for number in (signal.SIGKILL, signal.SIGSTOP):
        attempt(os.kill, facts["victim"], number)
        attempt(lambda: os.pidfd_open(facts["victim"]))


def kill_all(facts: Facts) -> None:
    if child(lambda: os.kill(-1, signal.SIGKILL)):
        time.sleep(0.5)


def kill_server(facts: Facts) -> None:
    attempt(os.kill, os.getppid(), signal.SIGKILL)
    attempt(os.kill, facts["server"], signal.SIGKILL)


def trace_victim(facts: Facts) -> None:
    for request in (PTRACE_SEIZE, PTRACE_ATTACH):
        if libc.ptrace(request, facts["victim"], None, None) == 0:
            say("traces")


def read_victim(facts: Facts) -> None:
    for name in ("environ", "cmdline", "maps"):
        show(f"/proc/{facts['victim']}/{name}")
        show(f"/proc/{facts['server']}/{name}")
        show(f"/proc/{facts['referee']}/{name}")


def through_victim(facts: Facts) -> None:
    for name in ("cwd", "root" + os.path.dirname(facts["secret"])):
        show(f"/proc/{facts['victim']}/{name}/{os.path.basename(facts['secret'])}")
        show(f"/proc/{facts['referee']}/{name}/{os.path.basename(facts['secret'])}")


def limit_victim(facts: Facts) -> None:
    attempt(resource.prlimit, facts["victim"], resource.RLIMIT_CORE, (17, 17))


# Outliving


def daemon(facts: Facts) -> None:
    """Fork twice, with a session of its own."""

    def twice() -> None:
        attempt(os.setsid)
        child()

    child(twice)
    os.wait()


def setsid(facts: Facts) -> None:
    """A session, or a group, of its own."""
    attempt(lambda: subprocess.run(["setsid", "-f", *_sleeper(facts)], check=False))
    child(lambda: (attempt(os.setsid), attempt(os.setpgid, 0, 0), linger()))


def nohup(facts: Facts) -> None:
    words = shlex.join(_sleeper(facts))
    subprocess.run(["sh", "-c", f"nohup {words} >/dev/null 2>&1 &"], check=False)


def _sleeper(facts: Facts) -> list[str]:
    return [sys.executable, "-c", "import time; time.sleep(25)", facts["token"]]


def holds_output(facts: Facts) -> None:
    """Whoever waits for the end of the output waits for this one."""
    child()


def sibling(facts: Facts) -> None:
    """A child of one's parent, which is the fork server."""
    if libc.syscall(ctypes.c_long(CLONE), ctypes.c_long(0x8000 | 17), 0, 0, 0, 0) == 0:
        linger()
        os._exit(0)


def orphaned(facts: Facts) -> None:
    """Be there when the referee is killed."""
    for _ in range(3):
        child(lambda: (attempt(os.setsid), linger()))
    say("waiting")
    linger()

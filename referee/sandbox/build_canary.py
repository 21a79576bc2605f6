"""A program that does what a build does and tries what none may do, and prints what went wrong.

It is run in a workshop as `python build_canary.py SECRET TARGET PID`: a file that it may not read,
one that it may not write, and the referee's process.
"""

import os
import resource
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path


def main() -> None:
    """Try everything; print what is not as it should be, one a line, and the word done."""
    secret, target, referee = sys.argv[1], sys.argv[2], int(sys.argv[3])
    needed: dict[str, Callable[[], object]] = {
        "make folders and files": make,
        "start a child": lambda: subprocess.run(["/bin/sh", "-c", ":"], check=True),
        "change a file's mode": change_mode,
        "change a file's times": change_times,
        "signal its own children": signal_child,
    }
    forbidden: dict[str, Callable[[], object]] = {
        "read a file outside its folder": lambda: Path(secret).read_bytes(),
        "list a folder outside its own": lambda: os.listdir(os.path.dirname(secret)),
        "write a file outside its folder": lambda: Path(target).write_bytes(b"x"),
        "change the mode of a file outside": lambda: os.chmod(secret, 0o640),
        "change the times of a file outside": lambda: os.utime(secret),
        "link to a file outside": lambda: os.link(secret, "linked"),
        "open a socket": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
        "open a unix socket": lambda: socket.socket(socket.AF_UNIX, socket.SOCK_STREAM),
        "signal the referee": lambda: os.kill(referee, 0),
        "set the referee's limits": lambda: resource.prlimit(referee, resource.RLIMIT_CORE),
        "leave its group": os.setsid,
        "make a device": lambda: os.mknod("device", stat.S_IFCHR | 0o600, os.makedev(1, 3)),
        "make a program that runs as its owner": lambda: os.chmod(__file__, 0o4700),
    }
    for name, attempt in needed.items():
        try:
            attempt()
        except (OSError, subprocess.SubprocessError) as error:
            print(f"cannot {name} ({error})")
    for name, attempt in forbidden.items():
        try:
            attempt()
        except OSError:
            continue
        print(f"can {name}")
    print("done")


def make() -> None:
    """Make a file in a folder, and move it to another."""
    os.mkdir("made")
    Path("made/file").write_text("x")
    os.rename("made/file", "file")
    os.symlink("file", "link")


def change_mode() -> None:
    """Make a file executable, by its name and by its descriptor."""
    os.chmod("file", 0o700)
    if stat.S_IMODE(os.stat("file").st_mode) != 0o700:
        raise OSError("no effect")
    with open("file", "rb") as file:
        os.chmod(file.fileno(), 0o600)
    if stat.S_IMODE(os.stat("file").st_mode) != 0o600:
        raise OSError("no effect")


def change_times() -> None:
    """Set the time of a file."""
    os.utime("file", (1, 2))
    if os.stat("file").st_mtime != 2:
        raise OSError("no effect")


def signal_child() -> None:
    """Start a child and kill it."""
    child = subprocess.Popen(["/bin/sleep", "60"])
    child.kill()
    if child.wait() != -signal.SIGKILL:
        raise OSError("no effect")


main()

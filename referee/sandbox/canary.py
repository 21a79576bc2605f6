"""A program that tries what must fail, and prints what did not.

It is run in the sandbox before the first match, as `python canary.py SECRET TARGET PID`: a file
it may not read, a file it may not write, and the referee's process.
"""

import os
import resource
import socket
import sys
from collections.abc import Callable


def main() -> None:
    """Try everything; print the attempts that succeeded, one a line, and the word done."""
    secret, target, referee = sys.argv[1], sys.argv[2], int(sys.argv[3])
    attempts: dict[str, Callable[[], object]] = {
        "read a file outside its folder": lambda: open(secret, "rb").read(),
        "write a file": lambda: open(target, "wb").write(b"x"),
        "open a socket": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
        "start a child": fork,
        "signal the referee": lambda: os.kill(referee, 0),
        "change a file's mode": lambda: os.chmod(secret, 0o600),
        "set the referee's limits": lambda: resource.prlimit(referee, resource.RLIMIT_CORE),
        "see /proc": lambda: os.stat("/proc/self"),
    }
    for name in sys.argv[4:]:
        del attempts[name]
    for name, attempt in attempts.items():
        try:
            attempt()
        except OSError:
            continue
        print(name)
    print("done")


def fork() -> None:
    """Start a child that ends at once."""
    if os.fork() == 0:
        os._exit(0)


main()

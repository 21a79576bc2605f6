"""What all hostile builds share: `hostile.py PROGRAM.ACT TOKEN`, with the facts in facts.json."""

import ctypes
import importlib
import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

Facts = dict[str, Any]

LIFETIME = 25.0
"""Seconds after which whatever got away ends by itself."""

libc = ctypes.CDLL(None, use_errno=True)


def say(text: object) -> None:
    """Print a line, whatever Python thinks of the stream."""
    os.write(1, str(text).encode(errors="backslashreplace") + b"\n")


def attempt(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function; if that is refused, say why and return None."""
    try:
        return function(*arguments)
    except (OSError, MemoryError, RuntimeError, ValueError) as error:
        say(f"refused: {error!r}")
        return None


def show(path: str) -> None:
    """Print what a file holds."""
    attempt(lambda: say(open(path, "rb").read(1 << 16).decode(errors="replace")))


def write(path: str, text: str = "hostile") -> None:
    """Write a file."""

    def written() -> None:
        with open(path, "w") as file:
            file.write(text)

    attempt(written)


def checked(result: int) -> int:
    """Return the result of a call of the C library; raise OSError if it failed."""
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def linger(seconds: float = LIFETIME) -> None:
    """Stay for as long as anything that got away may."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        time.sleep(0.2)


def child(act: Callable[[], object] = linger) -> int:
    """Fork; let the child act and end; return its pid."""
    pid = os.fork()
    if pid == 0:
        try:
            act()
        except BaseException as error:
            say(f"child: {error!r}")
        finally:
            os._exit(0)
    return pid


if __name__ == "__main__":
    program, _, name = sys.argv[1].partition(".")
    with open("facts.json") as given:
        facts = json.load(given)
    try:
        getattr(importlib.import_module(program), name)(facts)
    except (OSError, MemoryError, RuntimeError, ValueError) as refused:
        say(f"refused: {refused!r}")
    except Exception as error:
        say(f"broken: {error!r}")
    say("done")

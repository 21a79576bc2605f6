"""What the first bytes of a program show, and why it was not executed."""

import errno
import os
import shutil
from pathlib import Path

from referee.sandbox.errors import MachineError
from referee.sandbox.program import Program
from referee.sandbox.sources import odd_kind
from referee.sandbox.temporary import is_noexec

_MARK = b"\xef\xbb\xbf"  # by which some editors on Windows begin a text in UTF-8
_FIRST_LINE = 256  # bytes of it that the kernel looks at
WINDOWS = "its first line ends in CR (Windows line ends). Save it with Unix line ends."
"""What to say of a script whose interpreter no kernel finds."""
OF_VENV = (
    "belongs to a virtual environment, and what that needs is not shown in a sandbox. Write "
    'python = "venv" in bot.toml, and command = ["{python}", ...] with the rest as it is; then '
    "`arena env build --fetch FOLDER`, with the bot's folder, makes an environment for it."
)
"""What follows the name of an interpreter that `is_of_venv`."""
_OPENINGS = {".py": "#!/usr/bin/env python3", ".js": "#!/usr/bin/env node"}


def opening(path: str) -> str:
    """Return a first line that a script of this name could have."""
    return _OPENINGS.get(Path(path).suffix, "#!/bin/sh")


def named_interpreter(path: str, search: str) -> str:
    """Return the interpreter in the first line of a script; empty if it has none.

    What `env` is to find is looked up on the path `search`. As for the kernel, the end of a line
    as Windows writes it is a part of the last word.
    """
    begins = _beginning(path)
    words = begins.partition(b"\n")[0][2:].replace(b"\t", b" ").split(b" ")
    names = [os.fsdecode(word) for word in words if word.strip()]
    if not begins.startswith(b"#!") or not names:
        return ""
    if Path(names[0]).name != "env" or len(names) == 1:
        return names[0]
    name = names[2] if names[1] == "-S" and len(names) > 2 else names[1]
    return shutil.which(name, path=search) or name


def is_of_venv(path: str) -> bool:
    """Return whether a path is that of an interpreter in a virtual environment."""
    return Path(path).parents[1].joinpath("pyvenv.cfg").is_file()


def is_link_of_venv(path: str) -> bool:
    """Return whether a path is the link to an interpreter in a virtual environment."""
    return os.path.islink(path) and is_of_venv(path)


def absent(interpreter: str) -> str:
    """Return what to say of an interpreter that is not there."""
    if interpreter.endswith("\r"):
        return WINDOWS
    return f"its interpreter {interpreter} is not there. Name the real one."


def unstarted(program: Program, why: str) -> str:
    """Return for its author why a program was not executed; `why` is its path and the reason."""
    path, word = program.argv[0], _word(program)
    begins = _beginning(path)
    if why == f"{path}: {os.strerror(errno.ENOEXEC)}":
        if not begins:
            return f"{word} is empty"
        if _is_binary(begins):
            return f"{word} was built for another kind of machine"
        if begins.removeprefix(_MARK).startswith(b"#!"):
            return f"{word} begins with a byte order mark: save it as UTF-8 without one"
        return f"{word} is no program: it lacks a first line such as {opening(path)}"
    interpreter = named_interpreter(path, os.defpath)
    is_ours = interpreter.startswith(("/usr/", "/bin/"))
    if why == f"{path}: {os.strerror(errno.EACCES)}" and interpreter and not is_ours:
        return (
            f"{word}: its interpreter {interpreter} lies where the sandbox shows nothing, as those "
            f"of version managers do. Name the one in /usr"
        )
    if why == f"{path}: {os.strerror(errno.ENOENT)}" and begins:
        if interpreter and not os.path.exists(interpreter):
            return f"{word}: {absent(interpreter).removesuffix('.')}"
        if word.startswith("./") and word.removeprefix("./") not in program.files:
            if is_of_venv(path):
                return f"{word} {OF_VENV}".removesuffix(".")
            return f"{word} is not among the bot's files: name it in files"
        if _is_binary(begins):
            return f"{word} was built for another system: its loader is not there"
    return why


def unfit(program: Program) -> str:
    """Return why no kernel can execute a program, whatever is around it; empty if one may."""
    return f"{_word(program)}: {WINDOWS}" if has_windows_line_ends(program.argv[0]) else ""


def _word(program: Program) -> str:
    """Return its path as its author writes it."""
    path, inside = program.argv[0], f"{program.folder}/"
    return f"./{path.removeprefix(inside)}" if path.startswith(inside) else path


def has_windows_line_ends(path: str) -> bool:
    """Return whether a file is a script whose first line ends as Windows writes it."""
    first, newline, _ = _beginning(path).partition(b"\n")
    return first.startswith(b"#!") and first.endswith(b"\r") and bool(newline)


def check_executable(program: Program, copies: str | None) -> None:
    """Raise MachineError for a program on a file system on which none may be executed.

    It is run from `copies` of its files, if there are any. If an interpreter from elsewhere runs
    it, the kernel refuses only a library or a program of its own, which the interpreter may be
    about to load or to execute.
    """
    path, place = program.argv[0], copies or program.folder
    if not path.startswith(f"{program.folder}/"):
        if os.path.isabs(path) and is_noexec(path):
            raise _unexecutable(path, "Move that program")
        if not any(_is_binary(_beginning(file)) for file in program.paths):
            return
    if is_noexec(place):
        raise _unexecutable(place, "Set TMPDIR to a folder where they may" if copies else "Move it")


def _unexecutable(path: str, remedy: str) -> MachineError:
    return MachineError(
        f"{path} is mounted noexec: programs may not be executed there, which is no fault of the "
        f"bot's. {remedy}; then run again."
    )


def is_program(path: str) -> bool:
    """Return whether a file begins as one that can be executed."""
    begins = _beginning(path)
    return begins.startswith(b"#!") or _is_binary(begins)


def _is_binary(begins: bytes) -> bool:
    return begins.startswith(b"\x7fELF")


def _beginning(path: str) -> bytes:
    try:
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return b"" if odd_kind(os.fstat(file).st_mode) else os.read(file, _FIRST_LINE)
    except OSError:
        return b""
    finally:
        os.close(file)

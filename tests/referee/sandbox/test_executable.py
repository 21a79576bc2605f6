"""Files that cannot be executed, and what their authors are told."""

import errno
import os
from pathlib import Path

import pytest

from referee.sandbox import Program
from referee.sandbox.executable import WINDOWS, absent, is_program, named_interpreter, unstarted

UNREADABLE, UNFOUND = os.strerror(errno.ENOEXEC), os.strerror(errno.ENOENT)


def told(
    folder: Path, name: str, content: bytes, why: str, files: tuple[str, ...] | None = None
) -> str:
    """Return what is said of a file that the kernel refused for a reason."""
    files = (name,) if files is None else files
    path = folder / name
    path.write_bytes(content)
    return unstarted(Program((str(path),), str(folder), files), f"{path}: {why}")


@pytest.mark.parametrize(
    ("name", "content", "why", "words"),
    [
        (
            "bot.sh",
            b"echo hi\n",
            UNREADABLE,
            "is no program: it lacks a first line such as #!/bin/sh",
        ),
        ("bot.py", b"print()\n", UNREADABLE, "a first line such as #!/usr/bin/env python3"),
        ("bot", b"", UNREADABLE, "./bot is empty"),
        ("bot", b"\x7fELF...", UNREADABLE, "./bot was built for another kind of machine"),
        ("bot", b"\x7fELF...", UNFOUND, "its loader is not there"),
        ("bot", b"#!/no/sh\n", UNFOUND, "./bot: its interpreter /no/sh is not there."),
        ("bot", b"#!/bin/sh\r\n", UNFOUND, "./bot: its first line ends in CR (Windows line"),
    ],
)
def test_the_beginning_of_a_file_tells_why_it_was_not_executed(
    tmp_path: Path, name: str, content: bytes, why: str, words: str
) -> None:
    said = told(tmp_path, name, content, why)
    assert words in said
    assert said.startswith(f"./{name}")
    assert not said.endswith(".")


def test_another_reason_stays_as_it_is_and_a_file_that_is_not_listed_is_named(
    tmp_path: Path,
) -> None:
    said = told(tmp_path, "bot", b"\x7fELF...", UNFOUND, files=("kit.py",))
    assert said == "./bot is not among the bot's files: name it in files"
    said = told(tmp_path, "bot", b"#!/bin/sh\n", "Permission denied")
    assert said == f"{tmp_path / 'bot'}: Permission denied"


@pytest.mark.parametrize(
    ("line", "interpreter"),
    [
        (b"#!/no/sh\n", "/no/sh"),
        (b"#! /no/sh -e\n", "/no/sh"),
        (b"#!\t/no/sh\t-e\n", "/no/sh"),
        (b"#!/no/sh\r\n", "/no/sh\r"),
        (b"#!/no/sh -e\r\n", "/no/sh"),
        (b"#!/usr/bin/env no_such\n", "no_such"),
        (b"#!/usr/bin/env no_such\r\n", "no_such\r"),
        (b"#!/usr/bin/env -S no_such -u\n", "no_such"),
        (b"#!/usr/bin/env sh\n", "/bin/sh"),
        (b"#!/usr/bin/env\n", "/usr/bin/env"),
        (b"#!/usr/bin/env -S\n", "-S"),
        (b"#!", ""),
        (b"#!\r\n", ""),
        (b"print()\n", ""),
        (b"", ""),
    ],
)
def test_the_interpreter_is_read_as_the_kernel_reads_it(
    tmp_path: Path, line: bytes, interpreter: str
) -> None:
    path = tmp_path / "bot"
    path.write_bytes(line)
    assert named_interpreter(str(path), "/bin") == interpreter


def test_an_interpreter_that_is_not_there_is_named_with_the_remedy() -> None:
    assert absent("/no/sh") == "its interpreter /no/sh is not there. Name the real one."
    assert absent("/bin/sh\r") == WINDOWS


def test_scripts_and_binaries_are_programs(tmp_path: Path) -> None:
    path = tmp_path / "bot"
    assert not is_program(str(path))
    for content, expected in ((b"#!/bin/sh\n", True), (b"\x7fELF", True), (b"int main()", False)):
        path.write_bytes(content)
        assert is_program(str(path)) == expected

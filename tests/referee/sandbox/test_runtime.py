"""Which program runs a bot."""

import hashlib
import os
import shutil
import sys
from pathlib import Path

import pytest

from referee.sandbox import PYTHON, Program, Runtime, runtime_of


def runtime(program: Program) -> Runtime | None:
    return runtime_of(program, "none", None)


def test_the_arena_s_own_python_is_the_real_one(tmp_path: Path) -> None:
    own = Path(os.path.realpath(sys.executable))
    digest = hashlib.sha256(own.read_bytes()).hexdigest()[:16]
    assert runtime(Program((PYTHON, "bot.py"), str(tmp_path))) == Runtime(str(own), digest)


@pytest.mark.parametrize("line", ["#!/bin/sh", "#!/usr/bin/env sh", "#!/usr/bin/env -S sh -e"])
def test_a_script_is_run_by_what_its_first_line_names(tmp_path: Path, line: str) -> None:
    bot = tmp_path / "bot"
    bot.write_text(f"{line}\n")
    found = runtime(Program((str(bot),), str(tmp_path)))
    assert found == runtime(Program(("/bin/sh", "bot"), str(tmp_path)))
    assert found is not None
    assert found.path == os.path.realpath("/bin/sh")


def test_an_executable_of_its_own_is_run_by_nothing(tmp_path: Path) -> None:
    bot = tmp_path / "bot"
    shutil.copy("/bin/true", bot)
    assert runtime(Program((str(bot),), str(tmp_path))) is None


def test_a_program_that_was_replaced_is_another(tmp_path: Path) -> None:
    program = tmp_path / "tools" / "interpreter"
    program.parent.mkdir()
    found = []
    for content in ("1", "22"):
        program.write_text(content)
        found.append(runtime(Program((str(program), "bot"), str(tmp_path / "bot"))))
    assert found[0] != found[1]


def test_one_that_is_not_there_is_none(tmp_path: Path) -> None:
    assert runtime(Program(("/nowhere/python", "bot.py"), str(tmp_path))) is None

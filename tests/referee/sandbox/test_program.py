"""Who can reach a program, and which Python runs the bots that ask for the arena's own."""

import hashlib
import os
import shutil
import sys
from pathlib import Path

import pytest

from referee.sandbox import PYTHON, Program, Runtime, program, runtime_of
from referee.sandbox.program import SYSTEM_PYTHON, barrier, interpreter

STRANGER = os.getuid() + 61234


@pytest.fixture
def tool(public: Path) -> Path:
    """A program that everybody can execute: PUBLIC/outer/inner/tool."""
    folder = public / "outer" / "inner"
    folder.mkdir(parents=True)
    path = folder / "tool"
    path.write_text("#!/bin/sh\n")
    for each in (folder.parent, folder, path):
        each.chmod(0o755)
    return path


OWNER = os.getuid()
BARRIERS = [  # modes of outer, inner and tool; who; what stands before it
    (0o755, 0o755, 0o755, STRANGER, ""),
    (0o750, 0o700, 0o600, STRANGER, "outer"),
    (0o755, 0o700, 0o600, STRANGER, "outer/inner"),
    (0o755, 0o755, 0o754, STRANGER, "outer/inner/tool"),
    (0o755, 0o711, 0o755, STRANGER, ""),  # it need not be listed to be entered
    (0o755, 0o770, 0o755, STRANGER, "outer/inner"),  # bots are run without any group
    (0o755, 0o755, 0o700, OWNER, ""),
    (0o755, 0o755, 0o677, OWNER, "outer/inner/tool"),
]


@pytest.mark.parametrize(("outer", "inner", "mode", "who", "expected"), BARRIERS)
def test_the_outermost_closed_folder_is_named(
    tool: Path, public: Path, outer: int, inner: int, mode: int, who: int, expected: str
) -> None:
    (link := public / "link").symlink_to(tool)
    tool.chmod(mode)
    tool.parent.chmod(inner)
    tool.parent.parent.chmod(outer)
    for path in (tool, link):  # which is judged by where it leads
        assert barrier(str(path), who) == (expected and str(public / expected))


def test_what_is_missing_is_its_own_barrier_and_so_is_a_loop(tool: Path, public: Path) -> None:
    assert barrier(str(tool.parent / "gone" / "tool"), STRANGER) == str(tool.parent / "gone")
    (public / "one").symlink_to("other")
    (public / "other").symlink_to("one")
    assert Path(barrier(str(public / "one"), STRANGER)).parent == public


def test_the_arenas_own_python_is_run_and_not_its_virtual_environment() -> None:
    assert interpreter(None) == os.path.realpath(sys.executable)


def test_another_user_gets_the_first_python_that_it_can_execute(
    tool: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert SYSTEM_PYTHON == "/usr/bin/python3"  # where distributions put it
    monkeypatch.setattr(sys, "executable", str(tool))
    assert interpreter(STRANGER) == str(tool)
    tool.parent.chmod(0o700)
    for python, found in (("/bin/sh", "/bin/sh"), (str(tool.parent / "no_python"), "")):
        monkeypatch.setattr(program, "SYSTEM_PYTHON", python)
        assert interpreter(STRANGER) == found


def runtime(*words: str, folder: Path) -> Runtime | None:
    return runtime_of(Program(words, str(folder)), "none", None)


def test_the_arena_s_own_python_is_the_real_one(tmp_path: Path) -> None:
    own = Path(os.path.realpath(sys.executable))
    digest = hashlib.sha256(own.read_bytes()).hexdigest()[:16]
    assert runtime(PYTHON, "bot.py", folder=tmp_path) == Runtime(str(own), digest)


@pytest.mark.parametrize("line", ["#!/bin/sh", "#!/usr/bin/env sh", "#!/usr/bin/env -S sh -e"])
def test_a_script_is_run_by_what_its_first_line_names(tmp_path: Path, line: str) -> None:
    bot = tmp_path / "bot"
    bot.write_text(f"{line}\n")
    found = runtime(str(bot), folder=tmp_path)
    assert found == runtime("/bin/sh", "bot", folder=tmp_path)
    assert found is not None
    assert found.path == os.path.realpath("/bin/sh")


def test_an_executable_of_its_own_is_run_by_nothing_nor_is_what_is_not_there(
    tmp_path: Path,
) -> None:
    shutil.copy("/bin/true", tmp_path / "bot")
    assert runtime(f"{tmp_path}/bot", folder=tmp_path) is None
    assert runtime("/nowhere/python", "bot.py", folder=tmp_path) is None


def test_a_program_that_was_replaced_is_another(tmp_path: Path) -> None:
    (program := tmp_path / "interpreter").write_text("1")
    before = runtime(str(program), "bot", folder=tmp_path / "bot")
    program.write_text("22")
    assert runtime(str(program), "bot", folder=tmp_path / "bot") != before

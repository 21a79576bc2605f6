"""Who can reach a program, and which Python runs the bots that ask for the arena's own."""

import os
import sys
from pathlib import Path

import pytest

from referee.sandbox import program
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


def test_nothing_stands_before_what_everybody_can_execute(tool: Path) -> None:
    assert barrier(str(tool), STRANGER) == ""


def test_the_outermost_closed_folder_is_named(tool: Path) -> None:
    tool.chmod(0o600)
    tool.parent.chmod(0o700)
    tool.parent.parent.chmod(0o750)
    assert barrier(str(tool), STRANGER) == str(tool.parent.parent)
    tool.parent.parent.chmod(0o755)
    assert barrier(str(tool), STRANGER) == str(tool.parent)


def test_a_file_that_others_cannot_execute_is_named(tool: Path) -> None:
    tool.chmod(0o754)
    assert barrier(str(tool), STRANGER) == str(tool)


def test_a_folder_need_not_be_listed_to_be_entered(tool: Path) -> None:
    tool.parent.chmod(0o711)
    assert barrier(str(tool), STRANGER) == ""


def test_an_owner_goes_by_the_owners_mode(tool: Path) -> None:
    owner = tool.stat().st_uid
    tool.chmod(0o700)
    assert barrier(str(tool), owner) == ""
    tool.chmod(0o677)
    assert barrier(str(tool), owner) == str(tool)


def test_groups_open_nothing(tool: Path) -> None:
    """Bots are run without any."""
    tool.parent.chmod(0o770)
    assert barrier(str(tool), STRANGER) == str(tool.parent)


def test_what_is_missing_is_its_own_barrier(tool: Path) -> None:
    assert barrier(str(tool.parent / "gone" / "tool"), STRANGER) == str(tool.parent / "gone")


def test_a_link_is_judged_by_where_it_leads(tool: Path, public: Path) -> None:
    link = public / "link"
    link.symlink_to(tool)
    assert barrier(str(link), STRANGER) == ""
    tool.parent.chmod(0o700)
    assert barrier(str(link), STRANGER) == str(tool.parent)


def test_a_loop_of_links_is_its_own_barrier(public: Path) -> None:
    (public / "one").symlink_to("other")
    (public / "other").symlink_to("one")
    assert Path(barrier(str(public / "one"), STRANGER)).parent == public


# The interpreter


def test_the_arenas_own_python_is_run_and_not_its_virtual_environment() -> None:
    assert interpreter(None) == os.path.realpath(sys.executable)


def test_another_user_gets_the_first_python_that_it_can_execute(
    tool: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(tool))
    assert interpreter(STRANGER) == str(tool)
    tool.parent.chmod(0o700)
    monkeypatch.setattr(program, "SYSTEM_PYTHON", "/bin/sh")
    assert interpreter(STRANGER) == "/bin/sh"


def test_another_user_may_find_none(tool: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", str(tool))
    monkeypatch.setattr(program, "SYSTEM_PYTHON", str(tool.parent / "no_python"))
    tool.parent.chmod(0o600)
    assert interpreter(STRANGER) == ""


def test_the_systems_python_is_where_distributions_put_it() -> None:
    assert SYSTEM_PYTHON == "/usr/bin/python3"

"""The manual page is what the help texts say, and other programs than ours can read it."""

import re
import shutil
import subprocess

import pytest

from arena.cli import main
from tests.docs.regenerate_man import PAGE, WIDTH, _safe, manual


def test_the_manual_is_what_the_help_texts_say() -> None:
    assert PAGE.read_text() == manual(), "run: python -m tests.docs.regenerate_man"


def test_no_line_of_a_help_text_is_a_command_of_roff() -> None:
    assert _safe(".bashrc's --all \\ `x`") == r"\&.bashrc\(aqs \-\-all \e \(gax\(ga"
    assert _safe("'tis") == r"\(aqtis"


def shown(program: str, *words: str) -> str:
    """Return what a program makes of the page; skip where there is none."""
    if shutil.which(program) is None:
        pytest.skip(f"THE MANUAL IS NOT TRIED HERE: {program} is not installed")
    settings = {"MANWIDTH": "80", "PATH": "/usr/bin:/bin"}
    words = (program, *words, str(PAGE))
    return subprocess.run(words, capture_output=True, text=True, env=settings).stdout


def test_mandoc_finds_nothing_wrong_with_it() -> None:
    told = shown("mandoc", "-T", "lint", "-W", "warning").splitlines()
    assert [line for line in told if "missing date" not in line] == []  # it is as old as its wheel


def test_man_shows_every_command_and_its_examples() -> None:
    text = re.sub(".\b", "", shown("man", "--local-file", "--pager=cat"))
    for name in main.commands:
        assert f"\n   {name}\n" in text
    assert "\n         arena rank cup\n" in text
    assert max(map(len, text.splitlines())) <= WIDTH


def test_the_page_has_no_long_line_and_no_entry_without_text() -> None:
    lines = PAGE.read_text().splitlines()
    examples = [line for line in lines if line.startswith("arena ") or "  arena " in line]
    assert len(examples) > 100
    assert [line for line in lines if len(line) > WIDTH and line not in examples] == []
    assert "" not in lines

"""Every page does what it says: its commands and programs, its files, its links."""

import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from arena.cli import main
from tests.docs.pages import PAGES, ROOT, NotRun, prose, read
from tests.docs.reader import Reader
from tests.referee.sandbox.sandboxed import need

MOST_NOT_RUN = 7

each_page = pytest.mark.parametrize("page", PAGES)


@pytest.mark.slow
@each_page
def test_a_page_does_what_it_says(page: str, tmp_path: Path) -> None:
    steps = read(page)
    if steps:
        need("landlock")
        reader = Reader(page, tmp_path)
        try:
            reader.follow(steps)
        finally:
            reader.end()


def test_little_is_not_run_and_each_time_for_a_reason() -> None:
    left_out = [
        f"{page}:{step.line}: {step.reason}"
        for page in PAGES
        for step in read(page)
        if isinstance(step, NotRun)
    ]
    assert all(len(line.split()) > 3 for line in left_out)
    assert len(left_out) <= MOST_NOT_RUN, "\n".join(left_out)


@each_page
def test_the_commands_in_its_lines_are_there(page: str) -> None:
    for words in code(page):
        if words[0] == "arena" and words[1:] and words[1][0].islower():
            assert words[1] in main.commands, words
            assert {word for word in words[2:] if word[:2] == "--"} <= options(words[1]), words
        elif words[0] == "make" and len(words) > 1:
            assert re.search(rf"^{words[1]}:", (ROOT / "Makefile").read_text(), re.MULTILINE), words
        elif words[:2] == ["python", "-m"]:
            assert importlib.util.find_spec(words[2]), words


@each_page
def test_its_links_lead_somewhere(page: str) -> None:
    folder = (ROOT / page).parent
    for target in links(page):
        path, _, anchor = target.partition("#")
        file = (folder / path).resolve() if path else ROOT / page
        assert file.exists(), target
        assert file.is_relative_to(ROOT), target
        if anchor:
            assert anchor in anchors(file), target


def code(page: str) -> Iterator[list[str]]:
    """Yield the words of each piece of code in the lines of a page."""
    for found in re.findall(r"(?<!`)`([^`]+)`(?!`)", prose((ROOT / page).read_text())):
        if words := found.split():
            yield words


def options(command: str) -> set[str]:
    """Return the long options of a command, or of all commands of a group."""
    # With the settings of `main`: click keeps the help option that it makes first
    context = click.Context(main, **main.context_settings)
    found = main.commands[command]
    inner = found.commands.values() if isinstance(found, click.Group) else ()
    own = [option for each in (found, *inner) for option in each.get_params(context)]
    return {"--help", *(word for option in own for word in (*option.opts, *option.secondary_opts))}


def links(page: str) -> Iterator[str]:
    """Yield where the links of a page lead, those into the world left out."""
    text = re.sub(r"`[^`]+`", "", prose((ROOT / page).read_text()))
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" not in target:
            yield target


def anchors(file: Path) -> set[str]:
    """Return the anchors of the headings of a page."""
    return {
        re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
        for heading in re.findall(r"^#+ (.*)$", prose(file.read_text()), re.MULTILINE)
    }

"""The one file of messages: what users are told, word for word, as tests saw it last.

A test says what holds, and gives the sentence to the fixture `golden`, which compares it with
`tests/messages.txt`. When words change, run the tests that fail with `--golden`, which writes what
they see, and read the difference before you commit it. A test that is no more leaves its entry to
`test_golden.py`.
"""

import os
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

FILE = Path(__file__).with_name("messages.txt")
_HEAD = re.compile(r"^== (tests/\S+\.py::.*)$", re.MULTILINE)

Golden = Callable[[str], None]
"""Compares a text with what the test saw at this place before."""


def entries(text: str) -> dict[str, str]:
    """Return what the file holds: the texts by test, and by their number within it."""
    _, *parts = _HEAD.split(text)
    return {
        key: body.removeprefix("\n").removesuffix("\n")
        for key, body in zip(parts[::2], parts[1::2], strict=True)
    }


def written(found: dict[str, str]) -> str:
    """Return the file that holds these texts."""
    return "".join(f"== {key}\n{found[key]}\n" for key in sorted(found, key=_place))


def _place(key: str) -> tuple[str, int]:
    """Return a test, and which of its texts it is."""
    test, _, number = key.rpartition(" ")
    return (test, int(number)) if number.isdigit() and test else (key, 1)


@pytest.fixture
def golden(request: pytest.FixtureRequest, tmp_path: Path) -> Golden:
    """Compare what is said with the file of messages; the test's own folder is TMP there."""
    write = request.config.getoption("--golden")
    assert not (write and "PYTEST_XDIST_WORKER" in os.environ), "--golden goes without -n"
    known = entries(FILE.read_text())
    name, seen = request.node.nodeid, 0

    def compare(said: str) -> None:
        nonlocal seen
        seen += 1
        key = f"{name} {seen}" if seen > 1 else name
        plain = said.replace(str(tmp_path), "TMP").replace(sys.executable, "PYTHON")
        lines = plain.strip("\n").split("\n")
        now = "\n".join(line.rstrip() for line in lines)
        if write:
            known[key] = now
            FILE.write_text(written(known))
        elif known.get(key) != now:
            pytest.fail(
                f"{FILE.name} has other words for {key}; if these are meant, write them with "
                f"--golden:\n{now}\n--- it has:\n{known.get(key)}",
                pytrace=False,
            )

    return compare

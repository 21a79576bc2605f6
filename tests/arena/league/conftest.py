"""What tests of bots have in common."""

from collections.abc import Callable
from pathlib import Path

import pytest

from protocol.errors import ArenaError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A bot's folder: a program, a table it reads, and what does not belong to it."""
    made = tmp_path / "clever"
    (made / "data").mkdir(parents=True)
    (made / "data" / "book.txt").write_text("e4")
    (made / "data" / ".notes").write_text("to do")
    (made / "run.sh").write_text("#!/bin/sh\n")
    (made / "run.sh").chmod(0o755)
    for hidden in (".git", "__pycache__"):
        (made / hidden).mkdir()
        (made / hidden / "junk").write_text("junk")
    return made


def refused(make: Callable[[], object]) -> str:
    """Return the message of the error, which is one line."""
    with pytest.raises(ArenaError) as caught:
        make()
    assert caught.value.exit_code == 2
    assert "\n" not in str(caught.value)
    return str(caught.value)

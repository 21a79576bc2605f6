"""A clone is enough: no file of the repository points to something outside it."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.ci.history import History

ROOT = Path(__file__).parents[1]
HERE = ROOT if len(ROOT.parts) > 2 else ROOT / "folder"  # /src alone might be anybody's
OUTSIDE = (
    rf"shared/(rules|design|originals)\b|{re.escape(str(HERE))}\b|\bDESIGN\.md|\bDESIGN,? §?[0-9]"
    r"|[Rr]ules page('s)?,? section [0-9]|War family's (rules )?page"
)
"""Where the exact rules and the design once lay, where this clone lies, and sections by numbers
that no page has."""
EXAMPLES = {
    "see shared/rules/duel.md",
    "../shared/design",
    f"cd {HERE}/docs",
    "DESIGN.md 4.2",
    "(DESIGN §7)",
    "(rules page, section 4)",
}


def tracked() -> list[Path]:
    """Return the files that git tracks, this one left out; skip where there is no git."""
    if not (ROOT / ".git").exists():
        pytest.skip("this is no clone: git cannot say which files belong to it")
    files = [ROOT / name for name in filter(None, History(ROOT).git("ls-files", "-z").split("\0"))]
    return [file for file in files if file.is_file() and file != Path(__file__)]


@pytest.mark.parametrize("text", sorted(EXAMPLES))
def test_what_points_outside_is_known(text: str) -> None:
    assert re.search(OUTSIDE, text)


def test_no_file_points_outside() -> None:
    tracked()
    own = f":!{Path(__file__).relative_to(ROOT)}"
    words = ["git", "grep", "-IonE", OUTSIDE, "--", ".", own]
    found = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    assert (found.returncode, found.stdout) == (1, "")


def test_no_link_leads_outside() -> None:
    outside = [
        str(file.relative_to(ROOT))
        for file in tracked()
        if file.is_symlink() and not file.resolve().is_relative_to(ROOT)
    ]
    assert not outside

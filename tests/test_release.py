"""`make release`, in clones made for it: what it refuses, and what it leaves in `dist/`."""

import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.ci.history import History, RefusedError
from tests.ci.records import PROVEN
from tests.docs.pages import pages_of
from tests.release import ROOT, changes, version_to_release

DATED = "## 0.1.0 - 2026-12-01\n\n### Added\n\n- All of it.\n"


@pytest.fixture
def clone(tmp_path: Path) -> History:
    """A clone of what is committed and changed here, with a section of the changelog."""
    if not (ROOT / ".git").exists():
        pytest.skip("this is no clone: there is nothing to release")
    folder = tmp_path / "clone"
    History(tmp_path).git("clone", "--quiet", "--no-tags", str(ROOT), str(folder))
    History(ROOT).copy(folder)
    made = History.begun(folder)
    made.add({"CHANGELOG.md": f"# Changelog\n\n## Unreleased\n\n{DATED}"})
    return made


@pytest.fixture
def small(tmp_path: Path) -> History:
    """A clone of little else than the version."""
    if not shutil.which("git"):
        pytest.skip("RELEASES ARE NOT TESTED HERE: git is not installed")
    made = History.begun(tmp_path)
    made.add({"pyproject.toml": (ROOT / "pyproject.toml").read_text(), "CHANGELOG.md": DATED})
    return made


def refused(clone: History) -> str:
    """Return why the command makes no release of a clone, in one line."""
    words = [sys.executable, "-m", "tests.release", "--root", str(clone.root)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    return done.stderr.removeprefix("Not released: ")


def test_a_tree_that_is_not_committed_is_refused_in_a_line(small: History) -> None:
    assert version_to_release(small.root) == "0.1.0"
    (small.root / "new.txt").touch()
    assert refused(small).startswith("not everything is committed (new.txt): commit it")


def test_a_version_that_has_a_tag_or_no_section_is_refused(small: History) -> None:
    for text in ("## Unreleased\n\n- x\n", "## 0.1.0 - 2026-12-01\n\n## 0.0.9\n"):
        small.add({"CHANGELOG.md": text})
        with pytest.raises(RefusedError, match=r"^CHANGELOG.md has no section '## 0\.1\.0 - YYYY"):
            version_to_release(small.root)
    small.git("tag", "v0.1.0")
    with pytest.raises(RefusedError, match=r"^the tag v0\.1\.0 exists: raise the version"):
        version_to_release(small.root)


def test_the_changes_of_a_version_end_at_the_next(tmp_path: Path) -> None:
    (tmp_path / "CHANGELOG.md").write_text(f"{DATED}\n## 0.0.9 - 2026-01-01\n\n- Older.\n")
    assert changes(tmp_path, "0.1.0") == "### Added\n\n- All of it."


def measured_now(clone: History) -> str:
    """Have all pages say that their figures are of the last commit; return the one that does."""
    last = clone.git("rev-parse", "HEAD").strip()
    texts = {page: (clone.root / page).read_text() for page in pages_of(clone.root)}
    mark = r"; at [0-9a-f]+(?=; of| -->)"
    return clone.add({page: re.sub(mark, f"; at {last}", text) for page, text in texts.items()})


@pytest.mark.slow
def test_a_release_is_built_tried_and_left_in_dist_of_what_is_proven(clone: History) -> None:
    clone.add({PROVEN: f"{measured_now(clone)} 2026-12-01: 1 passed\n"})
    later = clone.add({"x.txt": "x"})
    assert refused(clone).endswith("x.txt has changed since: do it again.\n")
    clone.add({PROVEN: f"{later} 2026-12-01: 1 passed\n"})
    words = [sys.executable, "-m", "tests.release", "--root", str(clone.root)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Built twice, with the same bytes." in done.stdout
    assert "  git tag --annotate v0.1.0" in done.stdout
    assert clone.git("tag") == ""  # it publishes nothing, and tags nothing
    dist = clone.root / "dist"
    names = sorted(path.name for path in dist.iterdir())
    assert names == ["bot_arena-0.1.0-py3-none-any.whl", "bot_arena-0.1.0.tar.gz"]
    inside = zipfile.ZipFile(dist / names[0]).namelist()
    assert "bot_arena-0.1.0.data/data/share/man/man1/arena.1" in inside

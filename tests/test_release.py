"""`make release`, in clones made for it: what it refuses, and what it leaves in `dist/`."""

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.ci.records import PROVEN
from tests.docs.pages import pages_of
from tests.release import ROOT, RefusedError, changes, check_is_proven, run, version_to_release

DATED = "## 0.1.0 - 2026-12-01\n\n### Added\n\n- All of it.\n"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone of what is committed and changed here, with a section of the changelog."""
    if not (ROOT / ".git").exists():
        pytest.skip("this is no clone: there is nothing to release")
    folder = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", "--no-tags", str(ROOT), str(folder))
    listed = git(ROOT, "ls-files", "-z", "--modified", "--others", "--exclude-standard")
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes((ROOT / name).read_bytes())
    git(folder, "config", "user.name", "tests")
    git(folder, "config", "user.email", "tests@localhost")
    (folder / "CHANGELOG.md").write_text(f"# Changelog\n\n## Unreleased\n\n{DATED}")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "all")
    return folder


def git(folder: Path, *words: str) -> str:
    return run(["git", *words], folder)


def measured_now(clone: Path) -> None:
    """Have all pages say that their figures are of the last commit."""
    last = git(clone, "rev-parse", "HEAD").strip()
    for page in pages_of(clone):
        text = (clone / page).read_text()
        (clone / page).write_text(re.sub(r"; at [0-9a-f]+(?=; of| -->)", f"; at {last}", text))
    git(clone, "commit", "--all", "--quiet", "--message", "measured")


def test_a_tree_that_is_not_committed_is_refused(clone: Path) -> None:
    assert version_to_release(clone) == "0.1.0"
    (clone / "new.txt").touch()
    with pytest.raises(RefusedError, match=r"^not everything is committed \(new\.txt\): commit it"):
        version_to_release(clone)


def test_a_version_that_has_a_tag_is_refused(clone: Path) -> None:
    git(clone, "tag", "v0.1.0")
    with pytest.raises(RefusedError, match=r"^the tag v0\.1\.0 exists: raise the version"):
        version_to_release(clone)


@pytest.mark.parametrize("text", ["## Unreleased\n\n- x\n", "## 0.1.0 - 2026-12-01\n\n## 0.0.9\n"])
def test_a_version_of_which_the_changelog_says_nothing_is_refused(clone: Path, text: str) -> None:
    (clone / "CHANGELOG.md").write_text(text)
    git(clone, "commit", "--all", "--quiet", "--message", "no section")
    with pytest.raises(RefusedError, match=r"^CHANGELOG.md has no section '## 0\.1\.0 - YYYY"):
        version_to_release(clone)


def test_the_changes_of_a_version_end_at_the_next(tmp_path: Path) -> None:
    (tmp_path / "CHANGELOG.md").write_text(f"{DATED}\n## 0.0.9 - 2026-01-01\n\n- Older.\n")
    assert changes(tmp_path, "0.1.0") == "### Added\n\n- All of it."


def test_a_refusal_is_one_line(clone: Path) -> None:
    (clone / "new.txt").touch()
    words = [sys.executable, "-m", "tests.release", "--root", str(clone)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("Not released: not everything is committed")
    assert done.stderr.count("\n") == 1


def test_a_commit_that_is_not_proven_is_refused(clone: Path) -> None:
    prove(clone)
    check_is_proven(clone)
    (clone / "CHANGELOG.md").write_text("x")
    git(clone, "commit", "--all", "--quiet", "--message", "later")
    with pytest.raises(RefusedError, match=r"CHANGELOG\.md has changed since: do it again\.$"):
        check_is_proven(clone)


def prove(clone: Path) -> None:
    """Record the last commit as proven, as `make long` does."""
    commit = git(clone, "rev-parse", "HEAD").strip()
    (clone / PROVEN).write_text(f"{commit} 2026-12-01: 1 passed\n")
    git(clone, "add", "--all")
    git(clone, "commit", "--quiet", "--message", "proven")


@pytest.mark.slow
def test_a_release_is_built_tried_and_left_in_dist(clone: Path) -> None:
    measured_now(clone)
    prove(clone)
    words = [sys.executable, "-m", "tests.release", "--root", str(clone)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Built twice, with the same bytes." in done.stdout
    assert "  git tag --annotate v0.1.0" in done.stdout
    assert git(clone, "tag") == ""  # it publishes nothing, and tags nothing
    names = sorted(path.name for path in (clone / "dist").iterdir())
    assert names == ["bot_arena-0.1.0-py3-none-any.whl", "bot_arena-0.1.0.tar.gz"]
    inside = zipfile.ZipFile(clone / "dist" / names[0]).namelist()
    assert "bot_arena-0.1.0.data/data/share/man/man1/arena.1" in inside

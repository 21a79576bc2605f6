"""What git knows of the repository: commits, their files, and which comes before which."""

import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path


class RefusedError(Exception):
    """Why something cannot be done, or is not as it must be, in a line."""


class History:
    """The clone in a folder, read by git and changed by nothing here."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def git(self, *words: str) -> str:
        """Return what git prints; raise RefusedError with what it said last if it fails."""
        done = self._done(*words)
        if done.returncode:
            said = done.stderr.strip().splitlines() or ["it said nothing"]
            raise RefusedError(f"git {words[0]}: {said[-1]}")
        return done.stdout

    def _done(self, *words: str) -> "subprocess.CompletedProcess[str]":
        try:
            return subprocess.run(
                ["git", *words], cwd=self.root, capture_output=True, text=True, check=False
            )
        except FileNotFoundError:
            raise RefusedError("git is not installed here, which knows what has changed.") from None

    def commit(self, name: str) -> str | None:
        """Return the whole name of a commit; None if there is none of this name here."""
        done = self._done("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
        return done.stdout.strip() or None

    def parents(self, commit: str) -> list[str]:
        """Return the commits that a commit was made on."""
        return self.git("rev-list", "--parents", "--max-count=1", commit).split()[1:]

    def is_ancestor(self, older: str, newer: str) -> bool:
        """Whether a commit is another one, or came before it."""
        return self._done("merge-base", "--is-ancestor", older, newer).returncode == 0

    def files(self, commit: str) -> list[str]:
        """Return the paths of all files of a commit."""
        return [*filter(None, self.git("ls-tree", "-r", "-z", "--name-only", commit).split("\0"))]

    def text(self, commit: str, path: str) -> str | None:
        """Return the text of a file in a commit; None if it has none of this path."""
        done = self._done("show", f"{commit}:{path}")
        return None if done.returncode else done.stdout

    def changed(self, older: str, newer: str) -> set[str]:
        """Return the paths of files that differ between two commits."""
        words = ("diff", "--name-only", "--no-renames", "-z", older, newer)
        return {*filter(None, self.git(*words).split("\0"))}

    def holding(self, commit: str, words: str, among: str) -> set[str]:
        """Return the paths, of those that a pattern finds in a commit, of files with some words."""
        how = ("grep", "--files-with-matches", "--fixed-strings", "-z", words, commit)
        found = self._done(*how, "--", f":(glob){among}").stdout.split("\0")
        return {path.partition(":")[2] for path in found if path}

    def uncommitted(self) -> list[str]:
        """Return the paths of files that are not committed as they are."""
        return [line[3:] for line in self.git("status", "--porcelain").splitlines()]

    def unpack(self, commit: str, folder: Path) -> None:
        """Write the files of a commit into a folder."""
        with tempfile.NamedTemporaryFile() as archive:
            self.git("archive", "--format=tar", "--output", archive.name, commit)
            with tarfile.open(archive.name) as files:
                files.extractall(folder, filter="data")

    def copy(self, folder: Path) -> None:
        """Copy all files that git knows or would take, as they are now."""
        words = ("ls-files", "-z", "--cached", "--others", "--exclude-standard")
        for name in filter(None, self.git(*words).split("\0")):
            if (self.root / name).exists():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(self.root / name, folder / name, follow_symlinks=False)

    # --- for histories that tests make

    @classmethod
    def begun(cls, root: Path) -> "History":
        """Make a repository of a folder, whose commits are by the tests."""
        made = cls(root)
        made.git("init", "--quiet", "--initial-branch", "main")
        made.git("config", "user.name", "tests")
        made.git("config", "user.email", "tests@localhost")
        return made

    def add(self, files: Mapping[str, str] | None = None) -> str:
        """Write files, commit all that is there, and return the commit."""
        for name, text in (files or {}).items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "x")
        return self.git("rev-parse", "HEAD").strip()

"""A cgroup that root delegates to another user, as systemd does."""

import os
import tempfile
from pathlib import Path

from referee.sandbox import bot_cgroup
from referee.sandbox.cgroup import _divide, delegated

_THEIRS = ("cgroup.procs", "cgroup.subtree_control", "cgroup.threads")


class Delegation:
    """A cgroup of a user; raises SandboxError where we have none ourselves."""

    def __init__(self, uid: int) -> None:
        parent = delegated()
        _divide(parent)
        self.folder = Path(tempfile.mkdtemp(prefix="delegated-", dir=parent))
        self.folder.chmod(0o755)
        for path in (self.folder, *(self.folder / name for name in _THEIRS)):
            os.chown(path, uid, uid)

    def take(self, pid: int) -> None:
        """Put a process into it."""
        bot_cgroup.write(f"{self.folder}/cgroup.procs", str(pid))

    def close(self) -> None:
        """Remove it, once all that was in it has ended."""
        assert bot_cgroup.remove(str(self.folder))

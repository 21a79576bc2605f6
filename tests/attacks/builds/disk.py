"""A disk for hostile builds, where root can make one: what they take of it is theirs alone."""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_OPTIONS = "size=3g,mode=1777"


@contextmanager
def own_disk() -> Iterator[None]:
    """Let TMPDIR be a new file system in memory, as root; else change nothing."""
    if os.getuid() != 0:
        yield
        return
    before = os.environ.get("TMPDIR")
    folder = Path(tempfile.mkdtemp(prefix="arena-disk-", dir="/tmp"))
    folder.chmod(0o755)
    subprocess.run(["mount", "-t", "tmpfs", "-o", _OPTIONS, "tmpfs", folder], check=True)
    os.environ["TMPDIR"] = str(folder)
    try:
        yield
    finally:
        os.environ.pop("TMPDIR")
        if before is not None:
            os.environ["TMPDIR"] = before
        subprocess.run(["umount", "-l", folder], check=True)
        folder.rmdir()

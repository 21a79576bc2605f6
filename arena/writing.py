"""Files that cannot be written, in words for those who can mend it."""

import errno
from pathlib import Path

from protocol.errors import ArenaError, RunError


def unwritten(path: Path, error: OSError) -> ArenaError:
    """Return what to say of a file that cannot be written: whether a name or a disk is to blame."""
    what = f"{path} cannot be written: {error.strerror}."
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return RunError(f"{what} Free some space there, then run again.")
    return ArenaError(what)

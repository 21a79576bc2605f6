"""A place with GPUs: other devices under their names, in a /dev of its own, and a library."""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

KEPT = ("null", "zero", "full", "random", "urandom", "tty", "shm", "mqueue", "fd")
"""What stays of /dev: terminals could not be opened."""
LIBRARY = "libcuda.so.1"


def driver(folder: Path) -> Path:
    """Put a library with the name of the driver's into a folder that all may enter; return it."""
    folder.mkdir()
    other = next(Path("/usr/lib").glob("*-linux-gnu/libutil.so.1"), None)
    shutil.copy(other or Path(sys.executable), folder / LIBRARY)
    (folder / LIBRARY).chmod(0o755)
    folder.chmod(0o755)
    return folder


def beside_gpus(count: int, driver: Path, *, as_root: bool) -> list[str]:
    """Return the words before a command that is to find so many GPUs, and this driver's library.

    What is opened in their place is /dev/full, and /dev/null for what they share.
    """
    words = ["bwrap", "--bind", "/", "/", "--tmpfs", "/dev", *_kept()]
    for name in ("nvidiactl", "nvidia-uvm"):
        words += ["--dev-bind", "/dev/null", f"/dev/{name}"]
    for number in range(count):
        words += ["--dev-bind", "/dev/full", f"/dev/nvidia{number}"]
    rights = ["--cap-add", "ALL"] if as_root else []
    return [*words, *rights, "--setenv", "LD_LIBRARY_PATH", str(driver), "--"]


def _kept() -> Iterator[str]:
    for name in KEPT:
        path = Path("/dev", name)
        if path.is_symlink():
            yield from ("--symlink", str(path.readlink()), str(path))
        elif path.exists():
            yield from ("--dev-bind", str(path), str(path))

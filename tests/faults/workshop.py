"""What all leagues of a session share: a folder, compiled programs, and who may run the arena."""

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import pytest

from tests.arena.conftest import ROOT
from tests.attacks.users import USER_ID
from tests.provider import Provider
from tests.referee.sandbox.sandboxed import python_of

HERE = Path(__file__).parent
_CA = "ca.pem"
PASS = ROOT / "tests" / "bots" / "programs" / "pass.c"


class Workshop:
    """A folder that every user may enter; a context manager that removes it."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="arena-faults-")).resolve()
        self.folder.chmod(0o755)
        self.compiler = shutil.which("cc")
        self._count = 0
        self._provided = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._provided.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    @cached_property
    def provider(self) -> Provider:
        """A provider of chat completions, which repeats the move that it was asked for."""
        provider = self._provided.enter_context(Provider())
        provider.behave("plays", seconds=0.005)
        shutil.copy(provider.ca, self.folder / _CA)
        (self.folder / _CA).chmod(0o644)
        return provider

    @property
    def token(self) -> str:
        """A word on the command line of every bot; the same in all leagues, as it is hashed."""
        return f"bot-of-{self.folder.name}"

    @cached_property
    def native_bot(self) -> Path | None:
        """A bot in C; None without a compiler."""
        return self._compiled(PASS, "pass", "-O1")

    @cached_property
    def jumping_clock(self) -> Path | None:
        """A library to be preloaded, under which the time of day jumps; None without a compiler."""
        return self._compiled(HERE / "jumping_clock.c", "jumping_clock.so", "-shared", "-fPIC")

    def home(self, name: str) -> Path:
        """Return where a new league may be made."""
        self._count += 1
        return self.folder / f"{self._count}-{name}"

    def runs_as(self, user: str) -> dict[str, Any]:
        """Return how to start a process as a user; skip, loudly, where none can be."""
        if user == "root" or os.getuid() != 0:
            return {}
        return {"user": USER_ID, "group": USER_ID, "extra_groups": []}

    def python(self, user: str) -> str:
        """Return a Python for a user; skip, loudly, where there is none."""
        return sys.executable if not self.runs_as(user) else self._foreign_python

    def environment(self, home: Path) -> dict[str, str]:
        """Return what a command finds in its environment; its temporary files go into `home`."""
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "PYTHONPATH": f"{ROOT}:{sysconfig.get_path('purelib')}",
            "TMPDIR": str(home / "tmp"),
            "HOME": str(home),
            "CHAT_KEY": "sk-nobody-elses-business",
            **({"SSL_CERT_FILE": str(ca)} if (ca := self.folder / _CA).exists() else {}),
        }

    @cached_property
    def _foreign_python(self) -> str:
        return python_of(USER_ID)

    def _compiled(self, source: Path, name: str, *flags: str) -> Path | None:
        if self.compiler is None:
            return None
        target = self.folder / name
        subprocess.run([self.compiler, *flags, "-o", target, source], check=True)
        target.chmod(0o755)
        return target


@contextmanager
def small_disk(folder: Path, kilobytes: int, *flags: str) -> Iterator[None]:
    """Put a disk of its own over a folder, which everybody may write; skip, loudly, without one."""
    need_root("a full disk")
    options = ",".join([f"size={kilobytes}k,mode=1777", *flags])
    words = ["mount", "-t", "tmpfs", "-o", options, "none", folder]
    mounted = subprocess.run(words, capture_output=True, text=True)
    if mounted.returncode != 0:
        pytest.skip(f"A FULL DISK IS NOT TESTED HERE: {mounted.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", folder], check=True)


def need_root(what: str) -> None:
    """Skip the test, loudly, unless root runs it."""
    if os.getuid() != 0:
        pytest.skip(f"{what.upper()} IS NOT TESTED HERE: only root can do that")

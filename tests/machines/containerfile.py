"""Does the steps of the Containerfile in a fresh Debian, one by one, without a container's tools.

    python -m tests.machines.containerfile

debootstrap unpacks the Debian that FROM names. Each stage has a copy of it, in which its steps are
done by chroot; the last one's user then runs `arena doctor` and a league of bundled bots. It takes
root, the network and some three minutes.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from tests.ci.history import History, RefusedError
from tests.machines.debian import MIRROR, UnavailableError, run, tool

ROOT = Path(__file__).parents[2]
FILE = ROOT / "Containerfile"
KNOWN = ("FROM", "RUN", "COPY", "ENV", "USER", "WORKDIR", "ENTRYPOINT", "CMD")
USES = (
    ["--version"],
    ["doctor"],
    ["init", "cup", "--game", "khan", "random", "quiet", "--deals", "2"],
    ["run", "cup"],
    ["verify", "cup"],
)
"""What is done with the image, as words after its entry point."""
_INSIDE = """\
set -e
mount --bind "$0" "$0"
mount -t proc proc "$0/proc"
mount --rbind /dev "$0/dev"
mount -t tmpfs -o mode=1777 tmpfs "$0/tmp"
cd "$0"; user=$1; shift
pivot_root . mnt
cd /
umount --lazy /mnt
exec chroot --userspec="$user" / /usr/bin/env -i "$@"
"""
"""Run with the folder of a root, a user, variables and a program; the mounts end with it.

The folder becomes the root of all mounts, as in a container: inside a mere chroot the kernel makes
no user namespaces, and root cannot mount over the root.
"""


class Step(NamedTuple):
    """An instruction of the file, in line `line`."""

    line: int
    word: str
    rest: str


def steps(text: str) -> Iterator[Step]:
    """Yield the instructions of a Containerfile; raise ValueError for one that is not known."""
    words, begun = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        if not words and (not line.strip() or line.startswith("#")):
            continue
        begun = begun if words else number
        words += line.removesuffix("\\")
        if line.endswith("\\"):
            continue
        word, _, rest = words.partition(" ")
        if word not in KNOWN:
            raise ValueError(f"Containerfile:{begun}: {word} is not among {', '.join(KNOWN)}")
        yield Step(begun, word, rest.strip())
        words = ""


@dataclass
class Stage:
    """A root in the making, and what its instructions have set so far."""

    root: Path
    variables: dict[str, str] = field(
        default_factory=lambda: {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
    )
    user: str = "root"
    folder: str = "/"
    entry: list[str] = field(default_factory=list)

    def run(self, words: Sequence[str], why: str) -> str:
        """Run a program in the root as its user; return what it prints."""
        return run(self.inside(words), why, stdin=subprocess.DEVNULL)

    def inside(self, words: Sequence[str]) -> list[str]:
        """Return the words of a command that runs a program in the root as its user."""
        variables = {**self.variables, "LC_ALL": "C.UTF-8", **_certificates(self.root)}
        pairs = [f"{name}={value}" for name, value in variables.items()]
        shell = ["sh", "-c", 'cd "$0" && exec "$@"', self.folder, *words]
        unshare = ["unshare", "--mount", "--pid", "--fork", "--kill-child"]
        enter = ["sh", "-c", _INSIDE, str(self.root), f"{self.user}:{self.user}", *pairs, *shell]
        return [*unshare, *enter]


def _certificates(root: Path) -> Mapping[str, str]:
    """Return how a program in a root trusts whom this machine trusts, if it has others."""
    own = os.environ.get("SSL_CERT_FILE")
    if not own:
        return {}
    shutil.copyfile(own, root / "etc" / "machine.crt")
    return {"PIP_CERT": "/etc/machine.crt"}


def debian(image: str, folder: Path) -> Path:
    """Return a folder with a fresh Debian of the release that an image is of."""
    if os.getuid() != 0:
        raise UnavailableError("it takes root to make a root for Debian")
    found = re.fullmatch(r"docker\.io/library/debian:(\w+)-slim", image)
    if not found:
        raise UnavailableError(f"FROM {image} is no Debian that debootstrap can make")
    program = tool("debootstrap", "which makes a fresh Debian")
    root = folder / "debian"
    if not root.exists():
        words = [program, "--variant=minbase", found[1], str(root), MIRROR]
        run(words, f"Debian {found[1]} cannot be made")
        shutil.copyfile("/etc/resolv.conf", root / "etc" / "resolv.conf")
    return root


def build(text: str, folder: Path) -> Stage:
    """Do all steps; return the last stage. Raises UnavailableError if one fails."""
    stages: dict[str, Stage] = {}
    stage = Stage(folder)
    for line, word, rest in steps(text):
        begun = time.monotonic()
        if word == "FROM":
            image, _, name = rest.partition(" AS ")
            base = debian(image, folder)
            stage = Stage(folder / f"stage-{line}")
            stages[name] = stage
            run(["cp", "-a", str(base), str(stage.root)], "the root cannot be copied")
        elif word == "RUN":
            stage.run(["sh", "-c", rest], f"Containerfile:{line}: RUN")
        elif word == "COPY":
            *options, source, target = shlex.split(rest)
            goal = stage.root / target.lstrip("/")
            if options:
                other = stages[options[0].removeprefix("--from=")].root / source.lstrip("/")
                run(["cp", "-a", str(other), str(goal)], f"COPY {rest}")
            else:
                History(ROOT).copy(goal)
        elif word == "ENV":
            name, _, value = rest.partition("=")
            stage.variables[name] = value
        elif word == "USER":
            stage.user = rest
        elif word == "WORKDIR":
            stage.folder = rest
            (stage.root / rest.lstrip("/")).mkdir(parents=True, exist_ok=True)
        elif word == "ENTRYPOINT":
            stage.entry = json.loads(rest)
        print(f"{time.monotonic() - begun:6.1f} s  {word} {rest[:60]}", flush=True)
    return stage


def try_all() -> None:
    """Do the steps, and use what they made; raise UnavailableError if anything fails."""
    with tempfile.TemporaryDirectory(prefix="arena-container-") as spare:
        folder = Path(spare)
        folder.chmod(0o755)
        made = build(FILE.read_text(), folder)
        if made.user == "root":
            raise UnavailableError("the image's user is root")
        for words in USES:
            told = made.run([*made.entry, *words], f"arena {' '.join(words)}")
            print(f"$ arena {' '.join(words)}\n{told}", flush=True)
        size = run(["du", "-sm", str(made.root)], "du").split()[0]
        print(f"The image has {size} MB; all steps were done, as the user {made.user}.")


def main() -> int:
    """Try all; return 1 after a line that says what failed."""
    try:
        try_all()
    except (UnavailableError, RefusedError) as error:
        print(f"The Containerfile was not done: {error}")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

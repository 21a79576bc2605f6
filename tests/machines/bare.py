"""Runs `make test` in a fresh Debian that has Python, `make` and nothing else that is optional.

    python -m tests.machines.bare [--user] [--skip]

debootstrap unpacks the Debian of the Containerfile, and apt installs `make`, `python3` and
`python3-venv` there. Nothing else is on that machine: no bwrap, no browser, no compiler, no git. It
takes root, the network, and two minutes more than the tests.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.ci.history import History, RefusedError
from tests.machines.containerfile import FILE, ROOT, Stage, debian, steps
from tests.machines.debian import UnavailableError

PACKAGES = ("ca-certificates", "make", "python3", "python3-venv")
"""What README asks for, and whom the index of Python's packages is trusted by."""
USER = "somebody"


def machine(folder: Path, user: str) -> Stage:
    """Return a bare Debian with a copy of this tree, which belongs to a user.

    Raises UnavailableError if it cannot be made.
    """
    image = next(step.rest for step in steps(FILE.read_text()) if step.word == "FROM")
    made = Stage(debian(image.partition(" AS ")[0], folder))
    install = ["apt-get", "install", "--yes", "--no-install-recommends", *PACKAGES]
    made.run(["apt-get", "update"], "the list of packages cannot be had")
    made.run(install, f"{' '.join(PACKAGES)} cannot be installed")
    if user != "root":
        made.run(["useradd", "--create-home", user], "there can be no user")
    made.folder = "/home/bot-arena"
    tree = made.root / made.folder.lstrip("/")
    tree.mkdir(parents=True)
    History(ROOT).copy(tree)
    made.run(["chown", "--recursive", f"{user}:{user}", "."], "the tree cannot be given away")
    made.user = user
    return made


def main() -> int:
    """Run the tests there; return the exit code of make, or 1 after a line that says why not."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.machines.bare",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--user", action="store_true", help="as an ordinary user, not as root")
    parser.add_argument("--skip", action="store_true", help="no failure if no Debian can be had")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="arena-bare-") as spare:
        folder = Path(spare)
        folder.chmod(0o755)
        try:
            made = machine(folder, USER if asked.user else "root")
        except (UnavailableError, RefusedError) as error:
            print(f"A BARE MACHINE IS NOT TESTED HERE: {error}.", flush=True)
            return 0 if asked.skip else 1
        return subprocess.run(
            made.inside(["make", "test"]), stdin=subprocess.DEVNULL, check=False
        ).returncode


if __name__ == "__main__":
    sys.exit(main())

"""A referee that is there to be killed: `owner KIND FOLDER TOKEN` runs a build that never ends."""

import sys
from pathlib import Path

from referee.sandbox.program import interpreter
from referee.sandbox.sources import Sources
from referee.sandbox.workshop import Workshop
from tests.attacks.builds import runner
from tests.attacks.builds.settings import EVERYTHING

assert runner.Unconfined  # `none` is a kind then


def main() -> None:
    """Say where the build works, who started it, and what it prints."""
    kind, folder, token = sys.argv[1:]
    names = [path.name for path in Path(folder).iterdir()]
    with Workshop(kind) as workshop, Sources(folder) as sources:
        sys.stdout.write(f"{workshop._starter.folder}\n{workshop._starter.pid}\n")
        python = interpreter(workshop._starter.uid)
        words = [python, "-S", "-E", "hostile.py", "others.orphaned", token]
        with workshop.work(words, sources, names, EVERYTHING, watch=_tell):
            pass


def _tell(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


if __name__ == "__main__":
    main()

"""What a new bot says of the packages that it is made with: in its files, and in its program."""

import tomllib
from collections.abc import Sequence
from pathlib import Path

from arena.environment.names import REQUIREMENTS
from protocol.errors import ArenaError

_IMPORT = "import kit\n"
_MAIN = '\nif __name__ == "__main__":\n'
"""Two lines of the starter in Python: what is added stands below each."""
_OTHERS = "# import here what you need of that, by the name that its documentation says.\n"


def requirements(packages: Sequence[str]) -> str:
    """Return the file that names packages; raise ArenaError for what is no package's name."""
    from arena.environment.requirements import plain  # here, as few bots need it

    for each in packages:
        try:
            plain(each)
        except ValueError as error:
            raise ArenaError(f"--with {each!r} {error}") from None
    return "".join(f"{each}\n" for each in packages)


def importing(program: str, packages: Sequence[str], known: Path) -> str:
    """Return the starter in Python with packages imported, and their versions printed.

    `known` is the file with the names that packages are imported by. One that is not in it is left
    to the author, in a comment.
    """
    modules = tomllib.loads(known.read_text(encoding="utf-8"))
    names = [_name(each) for each in packages]
    found = [modules[name] for name in dict.fromkeys(names) if name in modules]
    unknown = [name for name in dict.fromkeys(names) if name not in modules]
    imports = "".join(f"import {module}\n" for module in sorted(found))
    if unknown:
        imports += f"\n# {REQUIREMENTS} names {', '.join(unknown)} too:\n{_OTHERS}"
    printed = "".join(f'    print("{each}", {each}.__version__)\n' for each in found)
    assert program.count(_IMPORT) == program.count(_MAIN) == 1
    return program.replace(_IMPORT, _IMPORT + imports).replace(_MAIN, _MAIN + printed)


def _name(package: str) -> str:
    """Return the name of a package as all ways to write it are one."""
    from arena.environment.requirements import name_of, plain  # here, as few bots need it

    return name_of(plain(package))

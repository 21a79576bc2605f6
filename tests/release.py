"""Makes what a release consists of, and tries it; publishes nothing.

    python -m tests.release

refuses a tree that is not committed, a version that has a tag, one without a section in
CHANGELOG.md, pages whose figures are older than what they measure, and a commit that `make long`
has not proved. Then it builds wheel and source distribution of the last commit twice, compares them
byte for byte, checks their metadata, installs the wheel in a clean environment, and uses it in
another folder, as this user and, as root, as an ordinary one too. The files are left in `dist/`;
the last lines say what to type to publish them.
"""

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path

from referee.sandbox.program import SYSTEM_PYTHON, barrier
from tests.ci.history import History, RefusedError
from tests.ci.landings import check_proven
from tests.docs import figures
from tests.docs.pages import PageError

ROOT = Path(__file__).parents[1]
UV = (sys.executable, "-m", "uv")
NOBODY = 65534
"""The ordinary user as whom root tries what was installed."""
USES = (
    "arena --version",
    "arena doctor",
    "arena games khan --rules",
    "arena new mine --lang python --game khan",
    "arena check mine --game khan",
    "arena init cup --game khan ./mine random quiet --deals 2",
    "arena run cup",
    "arena rank cup",
    "arena verify cup",
    "arena export cup cup.jsonl",
    "arena completion bash",
)
"""What is done with the installed wheel, in an empty folder."""


def run(words: Sequence[object], folder: Path, **how: object) -> str:
    """Return what a program prints; raise RefusedError with its last line if it fails."""
    done = subprocess.run(  # type: ignore[call-overload]
        [*map(str, words)], cwd=folder, capture_output=True, text=True, check=False, **how
    )
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip() or "it said nothing").splitlines()
        raise RefusedError(f"{' '.join(map(str, words))}: {said[-1]}")
    return str(done.stdout)


def version_to_release(root: Path) -> str:
    """Return the version of a clone; raise RefusedError if it cannot be released as it is."""
    version = str(tomllib.loads((root / "pyproject.toml").read_text())["project"]["version"])
    history = History(root)
    if changed := history.uncommitted():
        names = ", ".join(changed[:3])
        more = ", ..." if len(changed) > 3 else ""
        raise RefusedError(f"not everything is committed ({names}{more}): commit it, or remove it.")
    if history.git("tag", "--list", f"v{version}"):
        raise RefusedError(
            f"the tag v{version} exists: raise the version in pyproject.toml, and in the "
            f"pages that name it."
        )
    if not changes(root, version):
        raise RefusedError(
            f"CHANGELOG.md has no section '## {version} - YYYY-MM-DD' that says something: rename "
            f"Unreleased, and put a new, empty one above it."
        )
    return version


def check_figures(root: Path) -> None:
    """Raise RefusedError if figures of the pages are older than the code that they measure."""
    stale = [mark for mark, _, changed in figures.aged(root) if changed]
    if stale:
        names = ", ".join(f"{mark.page}:{mark.line} ({mark.command})" for mark in stale)
        raise RefusedError(
            f"figures are older than the code that they measure: {names}. Measure them again: "
            f"python -m tests.docs.figures --commands"
        )


def changes(root: Path, version: str) -> str:
    """Return what the changelog says of a version; empty if it has no dated section of it."""
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    heading = rf"^## {re.escape(version)} - \d{{4}}-\d\d-\d\d\n(.*?)(?=^## |\Z)"
    found = re.search(heading, text, re.MULTILINE | re.DOTALL)
    return found[1].strip() if found else ""


def build(root: Path, folder: Path) -> list[Path]:
    """Return wheel and source distribution of the last commit of a clone, built in a folder."""
    folder.mkdir()
    source, built = folder / "source", folder / "dist"
    History(root).unpack("HEAD", source)
    committed = History(root).git("log", "-1", "--format=%ct").strip()
    environment = os.environ | {"SOURCE_DATE_EPOCH": committed}
    run([*UV, "build", "--quiet", "--out-dir", built, source], folder, env=environment)
    return sorted(path for path in built.iterdir() if path.suffix in (".gz", ".whl"))


def build_twice(root: Path, folder: Path) -> list[Path]:
    """Return wheel and source distribution; raise RefusedError if a second build differs."""
    one, other = (build(root, folder / name) for name in ("first", "second elsewhere"))
    for path, again in zip(one, other, strict=True):
        if path.read_bytes() != again.read_bytes():
            raise RefusedError(f"{path.name} has other bytes when it is built again.")
    return one


def check_metadata(files: Sequence[Path], version: str, folder: Path) -> None:
    """Raise RefusedError if an index would not take the files, or they name another version."""
    for file in files:
        if not re.match(rf"bot_arena-{re.escape(version)}[-.]", file.name):
            raise RefusedError(f"{file.name} is not of the version {version}.")
    run([*UV, "tool", "run", "twine", "check", "--strict", *files], folder)


def python_for_all() -> str:
    """Return a Python that every user can execute."""
    own = os.path.realpath(sys.executable)
    return own if os.getuid() != 0 or not barrier(own, NOBODY) else SYSTEM_PYTHON


def install(file: Path, folder: Path) -> Path:
    """Return the programs of a new environment with what was built in it, and nothing else."""
    run([*UV, "venv", "--quiet", "--no-project", "--python", python_for_all(), folder], file.parent)
    python = folder / "bin" / "python"
    run([*UV, "pip", "install", "--quiet", "--python", python, file], file.parent)
    return folder / "bin"


def use(programs: Path, version: str, folder: Path, uid: int) -> None:
    """Use what was installed, as a user in an empty folder; raise RefusedError if anything fails.

    Raises RefusedError too if the manual is missing, or the version is another.
    """
    folder.mkdir()
    os.chown(folder, uid, -1)
    environment = {"PATH": f"{programs}:/usr/bin:/bin", "COLUMNS": "80", "LC_ALL": "C.UTF-8"}
    environment |= dict.fromkeys(("HOME", "TMPDIR"), str(folder))
    other = {"user": uid, "group": uid, "extra_groups": []} if uid != os.getuid() else {}
    for words in USES:
        told = run(words.split(), folder, env=environment, stdin=subprocess.DEVNULL, **other)
        if words == "arena --version" and version not in told:
            raise RefusedError(f"{words} prints {told.strip()}, not {version}.")
    page = programs.parent / "share" / "man" / "man1" / "arena.1"
    if not page.is_file():
        raise RefusedError(f"the manual was not installed as {page.relative_to(programs.parent)}.")
    if shutil.which("man", path=environment["PATH"]):
        man = ["man", "--local-file", "--pager=cat", page]
        if "arena rank" not in run(man, folder, env=environment, **other):
            raise RefusedError("man shows no examples of the manual.")


def release(root: Path, say: Callable[[str], None]) -> None:
    """Make and try the files of a release in `dist/` of a clone; raise RefusedError, or say how."""
    version = version_to_release(root)
    check_figures(root)
    check_proven(History(root), "HEAD")
    say(f"Bot Arena {version}: all is committed and proven, the changelog has it, the tag is free.")
    with tempfile.TemporaryDirectory(prefix="arena-release-") as spare:
        top = Path(spare)
        top.chmod(0o755)
        files = build_twice(root, top)
        say("Built twice, with the same bytes.")
        check_metadata(files, version, top)
        say("An index would take them.")
        users = [os.getuid(), *([NOBODY] if os.getuid() == 0 else [])]
        for file in files:
            kind = "wheel" if file.suffix == ".whl" else "sdist"
            programs = install(file, top / kind)
            for uid in users:
                use(programs, version, top / f"{kind}-{uid}", uid)
                say(f"Installed from {file.name} and used in another folder by the user {uid}.")
        if len(users) == 1:
            say("Not tried as another user: that takes root.")
        dist = root / "dist"
        shutil.rmtree(dist, ignore_errors=True)
        dist.mkdir()
        for file in files:
            shutil.copyfile(file, dist / file.name)
            say(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  dist/{file.name}")
    say(
        f"Nothing was published. To publish it, type:\n"
        f'  git tag --annotate v{version} --message "Bot Arena {version}"\n'
        f"  git push --follow-tags\n"
        f"  .venv/bin/python -m uv publish dist/*"
    )


def main() -> int:
    """Release this clone; return 1 if it was refused, after a line that says why."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.release",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--root", type=Path, default=ROOT, help="the clone  [default: this one]")
    try:
        release(parser.parse_args().root.resolve(), lambda line: print(line, flush=True))
    except (RefusedError, PageError) as error:
        print(f"Not released: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

"""What is tried in the emulated machine, and told line by line to whoever has started it.

A line is `@` and a JSON object. The kernel is a distribution's own, and nothing is judged by time:
a program takes some fifty times as long as on the machine that emulates.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
import traceback
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from referee.limits import Limits
from referee.sandbox import Launcher, SandboxError, prove
from referee.sandbox.landlock import abi
from tests.attacks.catalogue import ATTACKS
from tests.attacks.delegation import Delegation
from tests.attacks.gaps import CLOSED_BY_CGROUPS, is_gap
from tests.attacks.users import USER_ID, RunnerProcess, Workshop
from tests.machines.leagues import Leagues

ASKED = Path("/machine/asked.json")
"""What is to be tried."""
SANDBOXES = ("landlock", "bwrap")
WHEN_PUT = "import os, sys; sys.stdin.readline(); os.execv(sys.argv[1], sys.argv[1:])"
"""Becomes a command as soon as it was put into its cgroup."""
TESTS = ("tests/referee/sandbox/test_cgroup_real.py",)
"""Those of cgroups, which need some that are delegated."""


def tell(**what: Any) -> None:
    """Write a line to whoever listens."""
    sys.stdout.write("@" + json.dumps(what) + "\n")
    sys.stdout.flush()


def about(_asked: dict[str, Any]) -> None:
    """Tell what machine this is."""
    seen, python = os.uname(), sys.version.split()[0]
    what = {"kernel": seen.release, "machine": seen.machine, "page": os.sysconf("SC_PAGE_SIZE")}
    tell(step="about", **what, python=python, landlock=abi())


def canaries(_asked: dict[str, Any]) -> None:
    """Tell what the self test of each sandbox says, as root and as an ordinary user."""
    for sandbox in SANDBOXES:
        try:
            with Launcher(sandbox) as launcher:
                prove(launcher, Limits(sandbox=sandbox))
                tell(step="canary", sandbox=launcher.sandbox.name, user="root", failed="")
        except SandboxError as error:
            tell(step="canary", sandbox=sandbox, user="root", failed=str(error))


def attacks(asked: dict[str, Any]) -> None:
    """Tell of each attack whether it had effect, and whether that was expected."""
    workshop = Workshop()
    try:
        for user in asked["users"]:
            with RunnerProcess(user, workshop, cgroup=asked["cgroups"]) as runner:
                for sandbox in asked["sandboxes"]:
                    failed = runner.broken or runner.probe(sandbox)
                    tell(step="canary", sandbox=sandbox, user=user, failed=failed)
                    if failed:
                        continue
                    for attack in ATTACKS:
                        if re.search(asked["only"], attack.slug):
                            outcome = runner.run(attack.slug, sandbox)
                            gap = sandbox == "none" or is_gap(attack.slug, sandbox, user, outcome)
                            if asked["cgroups"] and attack.slug in CLOSED_BY_CGROUPS:
                                gap = False
                            case = {"attack": attack.slug, "sandbox": sandbox, "user": user}
                            tell(step="attack", **case, gap=gap, **outcome)
    finally:
        workshop.close()


def cgroup(asked: dict[str, Any]) -> None:
    """Tell of each test of cgroups whether it passed."""
    for user in asked["users"]:
        with tempfile.TemporaryDirectory(prefix="cgroup-") as name, ExitStack() as stack:
            words = [sys.executable, "-m", "pytest", "-q", "--color=no", "-p", "no:cacheprovider"]
            words += ["--basetemp", f"{name}/tests", "--junitxml", f"{name}/told.xml", *TESTS]
            how: dict[str, Any] = {}
            if user == "user":
                os.chown(name, USER_ID, USER_ID)
                how = {"user": USER_ID, "group": USER_ID, "extra_groups": []}
                given = Delegation(USER_ID)
                stack.callback(given.close)
                words = [sys.executable, "-c", WHEN_PUT, *words]
            environment = {**os.environ, "HOME": name, "TMPDIR": "/tmp"}
            process = subprocess.Popen(
                words, stdin=subprocess.PIPE, env=environment, stdout=sys.stderr, **how
            )
            if user == "user":
                given.take(process.pid)
            process.communicate(b"go\n")
            for case in ElementTree.parse(f"{name}/told.xml").iter("testcase"):
                failed = " ".join(
                    f"{each.get('message')} {each.text or ''}"
                    for each in case
                    if each.tag in ("failure", "error", "skipped")
                )
                seconds = round(float(case.get("time", 0)), 1)
                tell(step="test", user=user, test=case.get("name"), failed=failed, seconds=seconds)


def leagues(asked: dict[str, Any]) -> None:
    """Tell what the league of each game exports."""
    with tempfile.TemporaryDirectory(prefix="leagues-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        made = Leagues(folder)
        for game, seats in asked["games"].items():
            began = time.monotonic()
            try:
                lines = made.export(game, seats)
            except SystemExit as error:
                tell(step="league", game=game, failed=str(error))
                continue
            seconds = round(time.monotonic() - began, 1)
            tell(step="league", game=game, failed="", seconds=seconds, lines=lines)


def main() -> None:
    """Try what is asked for."""
    asked = json.loads(ASKED.read_text())
    steps = {step.__name__: step for step in (about, canaries, attacks, leagues, cgroup)}
    for name in asked["steps"]:
        began = time.monotonic()
        try:
            steps[name](asked)
        except Exception:  # noqa: BLE001 - whatever it is, whoever listens is told
            tell(step="broken", what=name, failed=traceback.format_exc())
        tell(step="took", what=name, seconds=round(time.monotonic() - began, 1))


if __name__ == "__main__":
    main()

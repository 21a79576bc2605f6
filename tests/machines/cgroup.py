"""Tries cgroups of version 2 in a machine that has them: `make cgroup`, on x86_64.

    python -m tests.machines.cgroup [--steps cgroup] [--users root] [--only memory] [--skip]

Debian's kernel and programs run in a machine of QEMU's. Inside, root and an ordinary user to whom a
cgroup is delegated, run the tests of cgroups, and the attacks on what bots may use, by bots that
have a cgroup.
"""

import argparse
import sys

from tests.machines.debian import UnavailableError
from tests.machines.machine import X86_64, told
from tests.machines.report import Report


def main() -> int:
    """Try what is asked for; return 0 if all is as it should be."""
    parser = argparse.ArgumentParser(prog="python -m tests.machines.cgroup", description=__doc__)
    parser.add_argument("--steps", default="about,cgroup,attacks")
    parser.add_argument("--users", default="root,user", help="root, user or both")
    parser.add_argument("--sandboxes", default="landlock,bwrap", help="landlock, bwrap or both")
    parser.add_argument("--only", default="^resources", help="attacks whose names this finds")
    parser.add_argument("--skip", action="store_true", help="no failure if no machine can be had")
    asked = parser.parse_args()
    wanted = {
        "steps": asked.steps.split(","),
        "users": asked.users.split(","),
        "sandboxes": asked.sandboxes.split(","),
        "only": asked.only,
        "games": {},
        "cgroups": True,
    }
    report = Report(X86_64.name, lambda _: [], [])
    try:
        for each in told(X86_64, wanted, more=("pytest", "hypothesis")):
            report.take(each)
    except UnavailableError as error:
        if asked.skip:
            sys.stdout.write(f"CGROUPS ARE NOT TESTED HERE: {error}.\n")
            return 0
        sys.stderr.write(f"make cgroup: {error}.\n")
        return 1
    return report.end(wanted["steps"])


if __name__ == "__main__":
    raise SystemExit(main())

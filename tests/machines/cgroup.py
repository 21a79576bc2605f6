"""Tries cgroups of version 2 in a machine that has them: `make cgroup`, on x86_64.

    python -m tests.machines.cgroup [--steps cgroup] [--users root] [--only memory] [--skip]

Debian's kernel and programs run in a machine of QEMU's. Inside, root and an ordinary user to whom a
cgroup is delegated, run the tests of cgroups, and the attacks on what bots may use, by bots that
have a cgroup.
"""

from typing import Any

from tests.machines.machine import X86_64, command, told
from tests.machines.report import Report


def tried(asked: dict[str, Any]) -> int:
    """Boot the machine and return whether something was not as it should be."""
    report = Report(X86_64.name, lambda _: [], [])
    asked = {**asked, "games": {}, "cgroups": True}
    for each in told(X86_64, asked, more=("pytest", "hypothesis")):
        report.take(each)
    return report.end(asked["steps"])


if __name__ == "__main__":
    usual = {"steps": "about,cgroup,attacks", "users": "root,user", "sandboxes": "landlock,bwrap"}
    usual["only"] = "^resources"
    raise SystemExit(command("cgroup", __doc__, "CGROUPS ARE", usual, tried))

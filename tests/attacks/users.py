"""Who runs attacks: root, and an ordinary user without a name, a home or any other process."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Self

from referee.sandbox import SANDBOXES
from referee.sandbox.program import SYSTEM_PYTHON, barrier
from tests.attacks import arm
from tests.attacks.delegation import Delegation
from tests.attacks.gpus import beside_gpus, driver

PROJECT = Path(__file__).parents[2]
PROGRAMS = Path(__file__).parent / "programs"
WITHOUT_MOUNTS = "root without CAP_SYS_ADMIN"
"""Root as in a container: it may not mount. The sandbox `uid` alone is tried as this one."""
USER_ID = 61234
"""The ordinary user that root runs attacks as."""


def users() -> tuple[str, ...]:
    """Return the users that attacks can be run as here."""
    return ("root", "user") if os.getuid() == 0 else ("user",)


def attackers() -> tuple[str, ...]:
    """Return the same, and root as in a container."""
    return ("root", WITHOUT_MOUNTS, "user") if os.getuid() == 0 else ("user",)


def sandboxes_of(user: str) -> tuple[str, ...]:
    """Return the sandboxes that are tried as a user: those that are another thing for it."""
    if user == WITHOUT_MOUNTS:
        return ("uid",)
    return tuple(name for name in SANDBOXES if name != "uid" or user == "root")


class Workshop:
    """A readable copy of the project, and the hostile programs that must be compiled."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="arena-attacks-"))
        self.folder.chmod(0o755)
        self.native = self._compiled()
        self.set_uid = self._made_set_uid()
        self.driver = driver(self.folder / "driver")
        self._copy()

    def _compiled(self) -> str:
        """Return the path of the compiled program; empty without a compiler."""
        compiler = shutil.which("cc")
        if compiler is None:
            return ""
        target = self.folder / "native"
        subprocess.run([compiler, "-O1", "-o", target, PROGRAMS / "native.c"], check=True)
        target.chmod(0o755)
        if os.uname().machine == "aarch64":
            narrow = self.folder / "native-32"
            narrow.write_bytes(arm.program())
            narrow.chmod(0o755)
        return str(target)

    def _made_set_uid(self) -> str:
        """Return the path of a harmless set-uid program of root's, where root can make one."""
        if not self.native or os.getuid() != 0:
            return ""
        target = self.folder / "set-uid"
        shutil.copy("/bin/sleep", target)
        target.chmod(0o4755)
        return str(target)

    def _copy(self) -> None:
        """Copy what a runner imports: a user may not be able to enter the project's folder."""
        import msgspec

        ignore = shutil.ignore_patterns("__pycache__")
        for name in ("protocol", "referee", "arena", "tests/attacks"):
            shutil.copytree(PROJECT / name, self.folder / "code" / name, ignore=ignore)
        watch = self.folder / "code/tests/referee/process_watch.py"
        watch.parent.mkdir()
        shutil.copy(PROJECT / "tests/referee/process_watch.py", watch)
        package = Path(msgspec.__file__).parent
        shutil.copytree(package, self.folder / "code/msgspec", ignore=ignore)
        subprocess.run(["chmod", "-R", "a+rX", self.folder / "code"], check=True)

    def close(self) -> None:
        """Remove it."""
        shutil.rmtree(self.folder, ignore_errors=True)


class RunnerProcess:
    """A runner of attacks in a process of one user; with `gpus`, in bwrap the bots have one.

    With `door` every bot has a door, and with `cgroup` a cgroup.
    """

    def __init__(
        self,
        user: str,
        workshop: Workshop,
        module: str = "tests.attacks.runner",
        *,
        gpus: int = 0,
        door: bool = False,
        cgroup: bool = False,
    ) -> None:
        environment = {
            "PATH": os.environ.get("PATH", os.defpath),
            "PYTHONPATH": str(workshop.folder / "code"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "ATTACKS_NATIVE": workshop.native,
            "ATTACKS_SET_UID": workshop.set_uid,
        }
        for name in ("TMPDIR", "ATTACKS_SLOWNESS"):
            if name in os.environ:
                environment[name] = os.environ[name]
        other = user == "user" and os.getuid() == 0
        if other:
            environment["ATTACKS_OWN_USER"] = "yes"
        if door:
            environment["ATTACKS_WITH_DOOR"] = "yes"
        if cgroup:
            environment["ATTACKS_IN_CGROUPS"] = "yes"
        words = [_interpreter(other), "-m", module]
        if gpus:
            environment["ATTACKS_BESIDE_GPUS"] = str(gpus)
            words = [*beside_gpus(gpus, workshop.driver, as_root=user == "root"), *words]
        if user == WITHOUT_MOUNTS:
            words = [sys.executable, "-m", "tests.attacks.small_system", *words]
        self._process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            cwd=workshop.folder,
            text=True,
            user=USER_ID if other else None,
            group=USER_ID if other else None,
            extra_groups=[] if other else None,
        )
        self._given = Delegation(USER_ID) if cgroup and other else None
        if self._given is not None:
            self._given.take(self._process.pid)  # it divides its cgroup only when it is asked
        self.broken = self._broken()
        """Why it cannot run anything, if it cannot."""

    def _broken(self) -> str:
        """Return what kept the process from beginning; its first line says that it has begun."""
        assert self._process.stdout is not None
        if self._process.stdout.readline():
            return ""
        return f"its Python, {self._process.args[0]}, cannot import the project"

    def probe(self, sandbox: str) -> str:
        """Return why a sandbox does not work here; empty if it does."""
        outcome = self.run("", sandbox)
        return str(outcome.get("error") or outcome["unusable"])

    def run(self, attack: str, sandbox: str) -> dict[str, Any]:
        """Return the outcome of one attack."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"attack": attack, "sandbox": sandbox}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            return {"error": f"the runner has ended: {self._process.wait()}"}
        outcome: dict[str, Any] = json.loads(line)
        return outcome

    def close(self) -> None:
        """Let it clean up and end."""
        self._process.communicate()
        if self._given is not None:
            self._given.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _interpreter(other: bool) -> str:
    """Return the Python that runs a runner: for another user, one that it can execute."""
    own = os.path.realpath(sys.executable)
    if not other:
        return sys.executable
    return SYSTEM_PYTHON if barrier(own, USER_ID) else own

"""Runs hostile builds as one user: a line `{"attack": act, "sandbox": kind}` in, an outcome out."""

import contextlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from protocol.errors import ArenaError
from referee.limits import WorkLimits
from referee.process.output import PrintedText
from referee.process.procfs import children, family
from referee.sandbox import MachineError, SandboxError
from referee.sandbox import workshop as workshops
from referee.sandbox.area import Area
from referee.sandbox.build_kinds import BuildSandbox, environment
from referee.sandbox.enclosure import Enclosure
from referee.sandbox.program import interpreter
from referee.sandbox.sources import Sources
from referee.sandbox.usage import memory_of
from referee.sandbox.workshop import Work, Workshop
from tests.attacks.answering import Outcome, answer
from tests.attacks.builds.catalogue import BY_ACT, BuildAttack
from tests.attacks.builds.judges import Case, Samples
from tests.attacks.builds.scene import Scene
from tests.attacks.builds.settings import EVERYTHING, LIMITS, MANY, MUCH
from tests.referee.process_watch import until

LOOK_SECONDS = 0.01
FAR = 1 << 60
MOST_TASKS = 500
"""What the control may have, so that the machine can go on."""


class Unconfined(BuildSandbox):
    """The control: no sandbox at all, so that the judges can be seen to see."""

    name = "none"

    def begin(self, words: Any, area: Area, limits: WorkLimits, uid: int | None) -> Enclosure:
        return Enclosure(
            argv=words,
            env={**os.environ, **environment(self.path(uid), area)},
            cwd=area.work,
            limits=[(resource.RLIMIT_CORE, 0), (resource.RLIMIT_NPROC, MOST_TASKS)],
            threads=1 << 20,
            area=area.folder,
            uid=uid,
        )


class Raw(PrintedText):
    """What the control printed, as it came."""

    def _shown(self, text: str) -> str:
        return text


workshops.KINDS["none"] = Unconfined


class Watcher(threading.Thread):
    """Notes the most that a workshop's processes use."""

    def __init__(self, workshop: Workshop) -> None:
        super().__init__(daemon=True)
        self.samples = Samples()
        self._server = workshop._starter.pid
        self._folder = str(workshop._starter.folder)
        self._before = self._used()
        self._over = threading.Event()

    def _used(self) -> tuple[int, int]:
        found = os.statvfs(self._folder)
        return found.f_bfree * found.f_frsize, found.f_ffree

    def run(self) -> None:
        samples = self.samples
        while not self._over.wait(LOOK_SECONDS):
            try:
                size, files = self._used()
            except FileNotFoundError:
                return  # the fork server was killed, and the workshop given up
            samples.disk = max(samples.disk, self._before[0] - size)
            samples.files = max(samples.files, self._before[1] - files)
            pids = [pid for child in children(self._server) for pid in family(child)]
            samples.memory = max(samples.memory, memory_of(pids, None, FAR))
            tasks = 0
            for pid in pids:
                with contextlib.suppress(OSError):
                    tasks += Path(f"/proc/{pid}/task").stat().st_nlink - 2
            samples.tasks = max(samples.tasks, tasks)

    def end(self) -> Samples:
        self._over.set()
        self.join()
        return self.samples


class Runner:
    """The builds of one user."""

    def __init__(self) -> None:
        self._open = tempfile.TemporaryFile()  # noqa: SIM115 - it stays open on purpose
        os.set_inheritable(self._open.fileno(), True)

    def _leave_lying_about(self, secret: str) -> None:
        """Put a secret into the environment, and an inheritable descriptor to it."""
        os.environ["ARENA_SECRET"] = secret
        os.pwrite(self._open.fileno(), secret.encode(), 0)

    def probe(self, sandbox: str) -> Outcome:
        """Return why a sandbox does not work here, if it does not."""
        try:
            with Workshop(sandbox) as workshop:
                if sandbox != "none":
                    workshop.prove()
        except SandboxError as error:
            return {"unusable": str(error)}
        return {"unusable": ""}

    def run(self, attack: BuildAttack, sandbox: str) -> Outcome:
        """Run an attack; return whether it had effect."""
        if attack.act == "others.kill_all" and sandbox == "none" and os.getuid() != 0:
            return {"missing": "it would end those who watch"}
        if attack.act == "others.orphaned":
            return self._orphaned(attack, sandbox)
        with contextlib.ExitStack() as stack:
            tools = stack.enter_context(tempfile.TemporaryDirectory())
            workshop = stack.enter_context(Workshop(sandbox))
            free = workshop._starter._free
            scene = Scene(free[1] if free else None)
            stack.callback(scene.close)
            self._leave_lying_about(scene.secret)
            sources = stack.enter_context(Sources(scene.neighbour))
            names = ["token.txt", "bot.c"]
            words = ["/bin/sh", "-c", ":"]
            beside = stack.enter_context(workshop.work(words, sources, names, LIMITS))
            try:
                return self._judged(attack, workshop, scene, beside, Path(tools))
            except MachineError as error:
                return {"effect": True, "detail": str(error), "why": "the referee could not go on"}

    def _judged(
        self, attack: BuildAttack, workshop: Workshop, scene: Scene, beside: Work, target: Path
    ) -> Outcome:
        limits = EVERYTHING if workshop.name == "none" else LIMITS
        neighbour = Path(beside._area.work)
        if workshop.name == "none":
            subprocess.run(["chmod", "-R", "a+rwX", neighbour], check=True)
        taken = target / "taken"
        refused = ""
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        began = time.monotonic()
        watcher = Watcher(workshop)
        watcher.start()
        workshops.PrintedText = Raw if workshop.name == "none" else PrintedText
        with self._work(attack.act, workshop, scene, limits, str(neighbour)) as work:
            samples = watcher.end()
            area = work._area.folder
            left = list(_left(area)) if attack.group == "Leaving behind" else []
            links = scene.key.stat().st_nlink + scene.writable.stat().st_nlink
            try:
                if workshop.name == "none":
                    words = ["cp", "-rL", work._area.work, taken]
                    subprocess.run(words, check=False, capture_output=True)
                elif work.outcome.is_ok:
                    work.take(taken)
            except (OSError, ArenaError) as error:
                refused = str(error)
        case = Case(
            scene=scene,
            outcome=work.outcome,
            seconds=time.monotonic() - began,
            samples=samples,
            area=area,
            server=workshop._starter.pid,
            left=left,
            taken=taken,
            refused=refused,
            neighbour={path.name: path.read_text() for path in neighbour.iterdir()},
            links=links,
            grown=(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) << 10,
        )
        if attack.act == "files.poison":
            with self._work("files.look", workshop, scene, limits, "") as work:
                case.next_said = work.outcome.output
        told = f"{work.outcome.why or 'ended well'}; {refused or 'taken'}; {samples}"
        said = work.outcome.output[-300:]
        if "broken: " in work.outcome.output:
            return {"error": f"the program has a mistake: {said}"}
        if work.outcome.why.startswith("could not be started"):
            return {"error": work.outcome.why}
        return {"effect": attack.judge(case), "detail": f"{told}; {said}", "why": work.outcome.why}

    @contextlib.contextmanager
    def _work(self, act: str, workshop: Workshop, scene: Scene, limits: Any, beside: str) -> Any:
        facts = scene.facts() | {
            "neighbour": beside,
            "server": workshop._starter.pid,
            "much": MUCH,
            "many": MANY,
            "memory": LIMITS.memory_mb << 20,
            "tasks": LIMITS.processes,
        }
        (scene.mine / "facts.json").write_text(json.dumps(facts))
        words = [interpreter(workshop._starter.uid), "-S", "-E", "hostile.py", act, scene.token]
        names = [path.name for path in scene.mine.iterdir()]
        with (
            Sources(scene.mine) as sources,
            scene.input.open("rb") as stdin,
            workshop.work(words, sources, names, limits, stdin=stdin) as work,
        ):
            yield work

    def _orphaned(self, attack: BuildAttack, sandbox: str) -> Outcome:
        """Let a build run for a referee that is killed."""
        with contextlib.closing(Scene(None)) as scene:
            (scene.mine / "facts.json").write_text(json.dumps(scene.facts()))
            owner = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "tests.attacks.builds.owner",
                    sandbox,
                    scene.mine,
                    scene.token,
                ],
                stdout=subprocess.PIPE,
                text=True,
            )
            with owner:
                assert owner.stdout is not None
                folder = owner.stdout.readline().strip()
                server = int(owner.stdout.readline())
                said = ""
                while "waiting" not in said and (line := owner.stdout.readline()):
                    said += line
                owner.kill()
            if "waiting" not in said:
                return {"error": f"the build never began: {said}"}
            with contextlib.suppress(AssertionError):
                until(lambda: not scene.alive() and not Path(folder).exists(), 5)
            effect = bool(scene.alive()) or Path(folder).exists()
            return {"effect": effect, "detail": f"{scene.alive()} {folder} {server}", "why": ""}


def _left(area: str) -> Any:
    for here, folders, files in os.walk(area):
        for name in (*folders, *files):
            yield name, os.lstat(f"{here}/{name}").st_mode


def main() -> None:
    """Answer requests until there are no more."""
    runner = Runner()
    answer(lambda attack, sandbox: runner.run(BY_ACT[attack], sandbox), runner.probe)


if __name__ == "__main__":
    main()

"""Runs attacks as one user: a line `{"attack": slug, "sandbox": name}` in, an outcome out."""

import contextlib
import json
import os
import select
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from arena.league.bot import make_bot
from protocol.errors import ArenaError
from referee.sandbox import PYTHON, Child, Launcher, SandboxError, StartError, prove
from tests.attacks import judges as j
from tests.attacks import judges_resources as r
from tests.attacks import judges_sharing as s
from tests.attacks.answering import Outcome, answer
from tests.attacks.attack import Attack
from tests.attacks.catalogue import BY_SLUG
from tests.attacks.features import missing
from tests.attacks.judges import Case
from tests.attacks.judges_door import tcp_memory
from tests.attacks.pages import set_in_memory
from tests.attacks.scene import PAGES, Scene
from tests.attacks.seats import run_orphan, run_seat
from tests.attacks.settings import SLOWNESS, limits
from tests.attacks.two_runs import Exchange, run_two
from tests.attacks.victims import Victims
from tests.referee.process_watch import state

PATIENCE = 6.0 * SLOWNESS
"""Seconds that an attack may take."""
SETTLE = 0.03 * SLOWNESS
"""Seconds in which an effect may show after the bot has done what it can."""


class Runner:
    """The launchers of one user, and the attacks that it runs one after another."""

    def __init__(self) -> None:
        native = os.environ.get("ATTACKS_NATIVE", "")
        self._native = Path(native) if native else None
        self._launchers: dict[str, Launcher] = {}
        self._leave_lying_about()

    def _leave_lying_about(self) -> None:
        """Put a secret into the environment, and an inheritable descriptor to it."""
        self._secret = "secret-of-the-referee"
        os.environ["ARENA_SECRET"] = self._secret
        self._open = tempfile.TemporaryFile()  # noqa: SIM115 - it stays open on purpose
        self._open.write(self._secret.encode())
        self._open.flush()
        os.set_inheritable(self._open.fileno(), True)
        self._kept = tempfile.TemporaryDirectory(prefix="arena-kept-")
        Path(self._kept.name).chmod(0o755)
        os.environ["XDG_CACHE_HOME"] = self._kept.name

    def launcher(self, sandbox: str) -> Launcher:
        """Return the launcher for a sandbox, which keeps its bots on one core."""
        found = self._launchers.get(sandbox)
        if found is not None and state(found._server.pid) != "X":
            return found
        if found is not None:
            found.close()
        cores = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {min(cores)})
        try:
            self._launchers[sandbox] = Launcher(sandbox)
        finally:
            os.sched_setaffinity(0, cores)
        return self._launchers[sandbox]

    def probe(self, sandbox: str) -> Outcome:
        """Return why a sandbox does not work here, if it does not."""
        try:
            prove(self.launcher(sandbox), limits(sandbox))
        except SandboxError as error:
            return {"unusable": str(error)}
        return {"unusable": ""}

    def close(self) -> None:
        """End the launchers."""
        for launcher in self._launchers.values():
            launcher.close()
        self._open.close()
        self._kept.cleanup()

    def run(self, attack: Attack, sandbox: str) -> Outcome:
        """Run an attack; return whether it had effect, or why that cannot be known."""
        if reason := missing(attack.feature, sandbox):
            return {"missing": reason}
        with contextlib.closing(Scene(self._native)) as scene:
            if attack.kind == "orphan":
                return run_orphan(attack.act, sandbox, scene)
            words = ("./native",)
            if attack.program != "native":
                words = (PYTHON, "-S", "-E", f"{attack.program}.py")
            if "bits" in attack.props:
                scene.plant_bits()
            if "pages" in attack.props:
                scene.plant_pages()
            if "packages" in attack.props:
                scene.plant_packages()
            if "big file" in attack.props:
                scene.plant_big_file()
            command = (*words, attack.act, scene.token)
            program = make_bot("hostile", scene.mine, command, ["."]).program
            if "packages" in attack.props:
                program = replace(program, shared=(str(scene.package.parent),))
            if "links" in attack.props:
                scene.plant_links()
                with contextlib.suppress(ArenaError):  # then it plays as it was admitted before
                    program = make_bot("hostile", scene.mine, command, ["."]).program
            if "swap" in attack.props:
                scene.swap()
            if attack.kind == "seat":
                return run_seat(self.launcher(sandbox), program, sandbox, attack.act)
            if attack.kind == "memory":
                exchange = Exchange(self.launcher(sandbox), scene, program, limits(sandbox))
                return run_two(exchange, attack.bits, attack.props)
            try:
                return self._run_bot(attack, sandbox, scene, program)
            except (StartError, SandboxError) as error:
                if "swap" in attack.props:
                    return {"effect": False, "detail": f"not started: {error}"}
                return {"error": f"it did not start: {error}"}

    def _run_bot(self, attack: Attack, sandbox: str, scene: Scene, program: Any) -> Outcome:
        launcher = self.launcher(sandbox)
        with contextlib.ExitStack() as stack:
            both = None
            if "victims" in attack.props:
                both = Victims(scene, launcher, limits(sandbox))
                stack.callback(both.close)
            if "listeners" in attack.props:
                scene.listen()
            if "endpoint" in attack.props:
                scene.listen_as_endpoint()
            if "terminal" in attack.props:
                scene.open_terminal()
            self._note(scene)
            before: dict[str, object] = {"keys": r.key_counts(), "connections hold": tcp_memory()}
            child = launcher.start(program, limits(sandbox))
            run = BotRun(attack, scene, launcher, child, both, before)
            stack.callback(run.close)
            return run.outcome()

    def _note(self, scene: Scene) -> None:
        with contextlib.suppress(OSError):
            os.setxattr(scene.results, "user.note", scene.secret.encode())


class BotRun:
    """One bot from its first word until after its end."""

    def __init__(
        self,
        attack: Attack,
        scene: Scene,
        launcher: Launcher,
        child: Child,
        both: Victims | None,
        before: dict[str, object],
    ) -> None:
        self.attack = attack
        self.scene = scene
        self.launcher = launcher
        self.child = child
        victims = both.all if both is not None else []
        self.case = Case(scene, child.pid, scene.mine, launcher._server.pid, victims)
        self.case.child, self.case.rival = child, both.rival if both is not None else None
        self.case.before = before
        self._stopped = False
        self._clock = r.ClockWatch()

    def outcome(self) -> Outcome:
        """Let the bot do what it can; return whether that had effect."""
        if not self._hear(b"ready\n"):
            return {"error": f"the bot never got ready: {self._said()}"}
        self._remember()
        self._tell_facts()
        done = self._hear(b"done\n", stir=True)
        if "frozen" in self.attack.props:
            group = self.launcher.sandbox.name.startswith("bwrap")
            often = "often" in self.attack.props  # where chance decides
            runs = s.runs_when_frozen(self.scene, self.child, group=group, often=often)
            self.case.before["runs frozen"] = runs
        if "rival" in self.attack.props:
            self.case.before["rival"] = self._rival()
        effect = self._judged()
        if not effect:
            time.sleep(SETTLE)
            effect = self._judged()
        self._stop()
        effect = self._judged() or effect
        if b"broken: " in self.case.output:
            return {"error": f"the program has a mistake: {self._said()}"}
        return {"effect": effect, "detail": self._said(), "done": done}

    def _judged(self) -> bool:
        assert self.attack.judge is not None
        return self.attack.judge(self.case)

    def _remember(self) -> None:
        """Take down how everything is before the attack."""
        case = self.case
        case.pid = self.scene.bot_processes()[0]
        case.folder = Path(f"/proc/{case.pid}/cwd").readlink()
        case.before |= {
            "own": j._contents(case.folder),
            "marks": j.marks(case),
            "descriptors": {int(p.name) for p in Path(f"/proc/{case.pid}/fd").iterdir()},
            "namespaces": j.namespaces(case.pid),
            "limits": r.hard_limits(case.pid),
            "cores": r.cores(case.pid),
            "signals": r.signals_waiting(),
            "aio": r.aio_places(),
            "clock": self._clock,
            "files": s.open_files(),
            "available": s.anonymous_memory(),
            "flushes": s.flushes(),
            "priorities": s.priorities(case.pid),
        }
        j.shared_changed(case)  # notes how it is
        if "pages" in self.attack.props:
            set_in_memory(case.folder / PAGES, there=True)

    def _rival(self) -> str:
        """Let a rival take what it needs; return what it says of that."""
        words = (PYTHON, "-S", "-E", "rival.py")
        bot = make_bot("rival", self.scene.other, words, ["."])
        try:
            rival = self.launcher.start(bot.program, limits(self.launcher.sandbox.name.split()[0]))
        except (StartError, SandboxError) as error:
            return f"not started: {error}"
        said = b""
        os.write(rival.stdin, b"\n")
        while b"done" not in said and select.select([rival.stdout], [], [], PATIENCE)[0]:
            data = os.read(rival.stdout, 4096)
            if not data:
                said += b"not started"
                break
            said += data
        self.launcher.stop(rival)
        return said.decode()

    def _tell_facts(self) -> None:
        facts = self.scene.facts() | {
            "mine": str(self.case.folder),
            "own": str(self.case.folder / "own.txt"),
            "victims": [victim.facts() for victim in self.case.victims],
            "server": self.case.server,
            "limit": j.MEMORY,
            "much": j.MUCH_MEMORY,
            "set_uid": os.environ.get("ATTACKS_SET_UID", ""),
        }
        with contextlib.suppress(BrokenPipeError):
            os.write(self.child.stdin, json.dumps(facts).encode() + b"\n")

    def _hear(self, word: bytes, *, stir: bool = False) -> bool:
        """Listen until the bot has said a word or cannot speak any more."""
        deadline = time.monotonic() + PATIENCE
        while word not in self.case.output and time.monotonic() < deadline:
            if stir and b"watching" in self.case.output:
                (self.scene.data / f"{self.scene.secret}.new").touch()
            ready, _, _ = select.select([self.child.stdout, self.child.pidfd], [], [], 0.05)
            if self.child.stdout in ready:
                data = os.read(self.child.stdout, 65536)
                if not data:
                    return False
                self.case.output += data
            elif ready:
                return False
        return word in self.case.output

    def _said(self) -> str:
        with contextlib.suppress(OSError):
            self.case.output += os.read(self.child.stderr, 65536)
        return self.case.output[-500:].decode(errors="replace")

    def _stop(self) -> None:
        """End the game."""
        self._said()
        if state(self.case.server) != "X":
            self.launcher.stop(self.child)
            self._stopped = True
        self.case.over = True
        deadline = time.monotonic() + SLOWNESS  # what was killed may take a moment to be gone
        while self.scene.everything() and time.monotonic() < deadline:
            time.sleep(0.005)

    def close(self) -> None:
        """Give back what the bot held, if its end did not."""
        self._clock.close()
        if self._stopped:
            return
        with contextlib.suppress(ConnectionError):
            if state(self.case.server) != "X":
                self.launcher.stop(self.child)
                return
        child = self.child
        at_door = (*(child.door or ()), *([] if child.listener is None else [child.listener]))
        for descriptor in (child.pidfd, child.stdin, child.stdout, child.stderr, *at_door):
            os.close(descriptor)


def main() -> None:
    """Answer requests until there are no more."""
    runner = Runner()

    def run(attack: str, sandbox: str) -> Outcome:
        outcome = runner.run(BY_SLUG[attack], sandbox)
        return {**outcome, "sees_proc": bool(runner.launcher(sandbox).sandbox.uncleared)}

    answer(run, runner.probe)
    runner.close()


if __name__ == "__main__":
    main()

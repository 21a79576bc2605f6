"""Runs a stranger's command, such as a build, where it can do no harm, and takes out what it left.

The command runs in a fresh folder that it may write, in a sandbox: it reads the system's programs
and its own files, has no network, and reaches no other process. When it ends, or uses more than it
may, everything that it started is ended with it.
"""

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import BinaryIO, Literal, Self

from referee.limits import WorkLimits
from referee.process.output import PrintedText
from referee.sandbox.area import Area
from referee.sandbox.build_kinds import BuildSandbox, BwrapBuild, LandlockBuild
from referee.sandbox.errors import SandboxError, StartError
from referee.sandbox.self_test import BUILD_CANARY, build_canary, judge_build, why_unstarted
from referee.sandbox.sources import FILES_LIMIT, Amount, Sources
from referee.sandbox.working import BuildStarter, Watched

WorkshopKind = Literal["auto", "bwrap", "landlock"]
KINDS: dict[str, type[BuildSandbox]] = {"bwrap": BwrapBuild, "landlock": LandlockBuild}
"""The sandboxes for builds, the stronger first."""
_UNSTARTED = "could not be started: "


@dataclass(frozen=True)
class Outcome:
    """How a command ended, and what it used."""

    why: str
    """Nothing if it ended well; else what follows "the build": `exited with code 2`."""
    output: str
    """What it printed, standard output and error as they came, as printable text.

    If that was more than `output_kb`, it is the beginning and the end.
    """
    seconds: float
    """How long it ran, on the wall."""
    cpu: float
    """CPU seconds that its processes used."""
    memory: int
    """Bytes at the peak, as far as that was seen: of all its processes together."""

    @property
    def is_ok(self) -> bool:
        """Whether it ended well."""
        return not self.why


class Work:
    """A command that has ended, and what it left."""

    def __init__(self, outcome: Outcome, area: Area, limits: WorkLimits) -> None:
        self.outcome = outcome
        self._area = area
        self._most = Amount(FILES_LIMIT, limits.disk_mb << 20)

    def take(self, target: Path, most: Amount | None = None) -> list[str]:
        """Copy every file that was left into the new folder `target`; return their names, sorted.

        They are new files of ours, which keep of their modes only whether they can be executed.
        Links are followed as long as they lead inside. Raises OSError, with the file's name and
        what is wrong in words, for what is no file, for links that lead out, and for more than
        `most`, by default as many as a bot may have and as large as the command might write them;
        `target` is gone then.
        """
        return self._area.take(target, self._most if most is None else most)


class Workshop:
    """A sandbox for commands, one after another; as a context manager it ends with its block.

    Args:
        kind: `auto` is bwrap where that works, which is tried, and landlock elsewhere.
        uid: as root, the first of 64 users that nobody else uses, as which commands are run; 0
            for root itself.
        tools: folders outside of /usr that hold compilers. Commands may read them, and find the
            programs in `bin` there first.

    Raises SandboxError where no such sandbox can be had, with the reason for each. It is for one
    thread.

    Processes, output and the size of one file are limited by the kernel or by what answers it.
    Memory of all processes together, and room on the disk, are looked at every 50 ms: until a
    command is ended, its processes may have taken more, though no process more than all may have
    together. See docs/dev/sandbox-evidence.md for how much that is.

    """

    def __init__(
        self, kind: WorkshopKind = "auto", *, uid: int | None = None, tools: Sequence[str] = ()
    ) -> None:
        self._count = 0
        reasons = []
        for each in KINDS if kind == "auto" else (kind,):
            try:
                self._sandbox, self._starter = _opened(each, uid, tools)
                if kind == "auto":
                    self._prove_or_close()
                break
            except SandboxError as error:
                reasons.append(f"{each}: {error.what}")
        else:
            raise SandboxError(" ".join(reasons), "workshop")
        self.name = self._sandbox.name
        """The sandbox, with its version."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End whatever runs, and remove its folders."""
        self._starter.close()

    def prove(self) -> None:
        """Raise SandboxError unless a command can do what a build must, and nothing else."""
        with ExitStack() as undo:
            uid = self._starter.uid
            words = undo.enter_context(build_canary(str(self._starter.folder), uid))
            sources = undo.enter_context(Sources(BUILD_CANARY.parent))
            work = undo.enter_context(self.work(words, sources, [BUILD_CANARY.name], WorkLimits()))
        if work.outcome.why.startswith(_UNSTARTED):
            raise SandboxError(why_unstarted(work.outcome.why.removeprefix(_UNSTARTED)), "workshop")
        judge_build(work.outcome.why, work.outcome.output)

    def _prove_or_close(self) -> None:
        try:
            self.prove()
        except BaseException:  # Ctrl-C too: raised again once the fork server has ended
            self.close()
            raise

    @contextmanager
    def work(
        self,
        words: Sequence[str],
        sources: Sources | None,
        files: Sequence[str],
        limits: WorkLimits,
        *,
        stdin: BinaryIO | None = None,
        watch: Callable[[str], None] | None = None,
    ) -> Iterator[Work]:
        """Run a command to its end among copies of `files`, which are opened in `sources`.

        A copy of `stdin` is its standard input; else that is empty. `watch` is called with the
        lines that it prints, as they come. What the command left is there until the block ends.

        Raises OSError or StartError if a source cannot be read, MachineError if the machine is to
        blame: a full disk, no more processes, a fork server that was killed.
        """
        self._count += 1
        with ExitStack() as undo:
            uid = self._starter.take_user(undo)
            area = Area(f"{self._starter.folder}/build-{self._count}", uid)
            undo.callback(area.remove)
            undo.callback(self._starter.stop_all)
            if sources is not None:
                area.fill(sources, files)
            yield Work(self._run(list(words), area, uid, limits, stdin, watch), area, limits)

    def _run(
        self,
        words: Sequence[str],
        area: Area,
        uid: int | None,
        limits: WorkLimits,
        stdin: BinaryIO | None,
        watch: Callable[[str], None] | None,
    ) -> Outcome:
        """Run a command to its end."""
        printed = PrintedText(limits.output_kb << 10, area.names, watch)
        begun = monotonic()
        try:
            command = [self._found(words[0], area, uid), *words[1:]]
            around = self._sandbox.begin(command, area, limits, uid)
            with ExitStack() as given:
                copy = None if stdin is None else given.enter_context(area.copied(stdin))
                child = self._starter.begin(around, copy)
        except StartError as error:
            return Outcome(f"{_UNSTARTED}{error}", printed.text(), 0.0, 0.0, 0)
        watched = Watched(self._starter, child, area.folder, uid, limits, printed)
        why, ended = watched.to_its_end()
        memory = max(ended.memory, watched.memory)
        return Outcome(why, printed.text(), monotonic() - begun, ended.cpu, memory)

    def _found(self, word: str, area: Area, uid: int | None) -> str:
        """Return the path of a program; raise StartError if there is none."""
        if "/" in word:
            return str(Path(area.work, word))
        path = self._sandbox.path(uid)
        found = shutil.which(word, path=path)
        if found is None:
            raise StartError(f"there is no program {word!r} in {path}")
        return found


def _opened(kind: str, uid: int | None, tools: Sequence[str]) -> tuple[BuildSandbox, BuildStarter]:
    """Return a sandbox of a kind, with its fork server."""
    sandbox = KINDS[kind](tools)
    starter = BuildStarter(sandbox, uid=uid)
    try:
        sandbox.check_tools(starter.uid)
    except SandboxError:
        starter.close()
        raise
    return sandbox, starter

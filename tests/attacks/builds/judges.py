"""The judges: each looks at the host and says whether a hostile build has had effect."""

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from referee.sandbox.workshop import Outcome
from tests.attacks.builds.scene import Scene
from tests.attacks.builds.settings import LIMITS, MANY
from tests.referee.process_watch import fields, state

MIB = 1 << 20


@dataclass
class Samples:
    """What was seen while a build ran: the most of each."""

    disk: int = 0
    files: int = 0
    memory: int = 0
    tasks: int = 0


@dataclass
class Case:
    """One attack being judged."""

    scene: Scene
    outcome: Outcome
    seconds: float
    """From the first request to the end of the cleaning."""
    samples: Samples
    area: str
    server: int
    left: list[tuple[str, int]]
    """Names and modes of what lay in its folders at its end."""
    taken: Path
    """What was taken out, if it was."""
    refused: str
    """Why nothing was taken."""
    neighbour: dict[str, str] = field(default_factory=dict)
    """What the neighbour's files hold now."""
    next_said: str = ""
    """What the next build found."""
    links: int = 2
    """Names that two files outside had at its end."""
    grown: int = 0
    """Bytes of memory by which the referee itself grew."""


Judge = Callable[[Case], bool]


def leaked(case: Case) -> bool:
    """The build knows the secret, or what was taken holds it."""
    if case.scene.secret in case.outcome.output:
        return True
    taken = [path for path in case.taken.rglob("*") if path.is_file()]
    return any(case.scene.secret.encode() in path.read_bytes() for path in taken)


def strayed(case: Case) -> bool:
    """There is something outside, or a file there has changed."""
    return bool(case.scene.strays()) or case.scene.writable.read_text() != "as it was"


def tools_changed(case: Case) -> bool:
    """A tool that every build runs is another."""
    scene = case.scene
    mode = stat.S_IMODE(scene.tool.stat().st_mode)
    return bool(scene.strays()) or scene.tool.read_text() != "#!/bin/sh\n" or mode != 0o777


def input_changed(case: Case) -> bool:
    """The file that it was given to read has changed."""
    return case.scene.input.read_text() != "as it was"


def marked(case: Case) -> bool:
    """Mode or time of a file outside has changed."""
    found = case.scene.writable.stat()
    return stat.S_IMODE(found.st_mode) != 0o666 or found.st_mtime_ns != case.scene.moment


def linked(case: Case) -> bool:
    """A file outside has another name."""
    return case.links > 2 or leaked(case)


def neighbour_changed(case: Case) -> bool:
    """The files of another author are not as they were."""
    return case.neighbour != dict.fromkeys(("bot.c", "token.txt"), case.scene.secret)


def reached(*names: str) -> Judge:
    """Return the judge of whether listeners have heard the build."""
    return lambda case: any(case.scene.heard(name) for name in names)


def victim_hurt(case: Case) -> bool:
    """The victim has been killed or stopped."""
    return state(case.scene.victim.pid) in "XTt"


def victim_traced(case: Case) -> bool:
    """The kernel let it trace the victim, which only it can see."""
    return "traces" in case.outcome.output


def victim_limited(case: Case) -> bool:
    """A limit of the victim has changed."""
    text = Path(f"/proc/{case.scene.victim.pid}/limits").read_text()
    core = next(line for line in text.splitlines() if line.startswith("Max core"))
    return " 17 " in core


def server_dead(case: Case) -> bool:
    """The fork server has ended."""
    return state(case.server) == "X"


def outlives(case: Case) -> bool:
    """Something of the build lives on, or kept the referee waiting."""
    return any(case.scene.alive() for _ in range(4)) or late(case)


def late(case: Case) -> bool:
    """The end came much later than it should."""
    return case.seconds > LIMITS.seconds + 4


def disk_filled(case: Case) -> bool:
    """It had far more of the disk than it may have, or kept more at its end."""
    return case.samples.disk > 20 * LIMITS.disk_mb * MIB or _took(case) > LIMITS.disk_mb * MIB


def _took(case: Case) -> int:
    return sum(path.stat().st_size for path in case.taken.rglob("*") if path.is_file())


def many_files(case: Case) -> bool:
    """It had far more files than it may have, or they are there still."""
    return case.samples.files > MANY // 3 or case.outcome.is_ok or not_removed(case)


def not_removed(case: Case) -> bool:
    """Its folder is there after its end."""
    return os.path.lexists(case.area)


def memory_taken(case: Case) -> bool:
    """Its processes had far more memory together than they may have.

    How much they take between two looks depends on the machine, and not on the limit.
    """
    return case.samples.memory > (LIMITS.memory_mb + 512) * MIB


def held(case: Case) -> bool:
    """It had all that it wanted until it was done with it."""
    return case.outcome.output.count("done") > 1 or case.outcome.is_ok


def many_tasks(case: Case) -> bool:
    """It had far more processes and threads than it may have."""
    return case.samples.tasks > 3 * LIMITS.processes


def set_id(case: Case) -> bool:
    """There is a program that runs as its owner or group."""
    return any(mode & 0o6000 for _, mode in case.left) or any(
        path.lstat().st_mode & 0o6000 for path in case.taken.rglob("*")
    )


def made(*kinds: int) -> Judge:
    """Return the judge of whether there is something else than a file."""
    return lambda case: any(stat.S_IFMT(mode) in kinds for _, mode in case.left)


def odd_taken(case: Case) -> bool:
    """Something was taken out that is no file, no folder, or has a name that cannot be shown."""
    return any(
        not (path.is_file() or path.is_dir()) or path.is_symlink() or not path.name.isprintable()
        for path in case.taken.rglob("*")
    )


def too_much_taken(case: Case) -> bool:
    """More was taken out than a bot may have."""
    return _took(case) > 256 * MIB or len(list(case.taken.rglob("*"))) > 4000


def flooded(case: Case) -> bool:
    """Much more of the output was kept than should be, or the referee grew by it."""
    kept = len(case.outcome.output.encode())
    return kept > 8 * (LIMITS.output_kb << 10) or case.grown > 48 * MIB or late(case)


def escaped(case: Case) -> bool:
    """The output holds what a terminal obeys."""
    return any(not char.isprintable() and char not in "\n\t" for char in case.outcome.output)


def poisoned(case: Case) -> bool:
    """The next build has found what this one left."""
    return "poisoned" in case.next_said


def frozen(case: Case) -> bool:
    """A stopped build is there still, or kept the referee waiting."""
    return outlives(case) or fields(case.server)[:1] == []

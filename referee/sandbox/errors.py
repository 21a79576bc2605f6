"""What can stand in the way of a sandbox."""

import errno
import resource
from typing import Literal

from protocol.errors import ArenaError, RunError

Lack = Literal["", "sandbox", "workshop", "device", "cores", "cgroup"]
_WITHOUT = (
    " To run bots without any protection, say --sandbox none, or, for a league, sandbox = "
    '"none" in the [limits] of its league.toml.'
)
_OTHERS = " `arena doctor` shows which of landlock, bwrap and uid work here."
_AROUND: dict[Lack, tuple[str, str]] = {
    "": ("sandbox: ", _WITHOUT),
    "sandbox": ("sandbox: ", _OTHERS + _WITHOUT),
    "workshop": ("nothing can be built here: ", ""),
    "device": ("", ""),
    "cores": ("", ""),
    "cgroup": ("cgroup = true: ", ""),
}
"""What stands before and behind the message, by what is lacking."""


class SandboxError(ArenaError):
    """What bots or builds need of this machine and cannot have: why, and what to do.

    Args:
        message: what it is.
        lacks: nothing that every bot needs; a sandbox that works, whatever is run in it; one for
            builds; a device; cores for the threads of a bot; cgroups.

    """

    def __init__(self, message: str, lacks: Lack = "") -> None:
        before, behind = _AROUND[lacks]
        super().__init__(f"{before}{message}{behind}")
        self.what = message
        """The message alone."""
        self.lacks: Lack = lacks


class MachineError(RunError):
    """A failure for which the machine, and no bot, is to blame; the text says what to do."""

    def __init__(self, message: str, *, was_killed: bool = False) -> None:
        super().__init__(message)
        self.was_killed = was_killed
        """Whether a process of ours was killed, so that the same again may go well."""


class ServerDiedError(ConnectionError):
    """The fork server has died, so that nothing can be started: whoever needs it begins another."""

    def __str__(self) -> str:
        return "the fork server has died"


def unstartable(why: str, number: int | None) -> MachineError:
    """Return the error of a machine that starts no more processes, by its `errno`'s number."""
    if number in (errno.EMFILE, errno.ENFILE):
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        return MachineError(
            f"bots cannot be started: {why}. This shell lets a process have {most} (ulimit -n): "
            f"allow more, then run again."
        )
    return MachineError(f"bots cannot be started: {why}. Repair that, then run again.")


class StartError(Exception):
    """A program that could not be executed; the text says why."""

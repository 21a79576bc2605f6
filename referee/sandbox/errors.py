"""What can stand in the way of a sandbox."""

import errno
import resource

from protocol.errors import ArenaError, RunError

_WITHOUT = "To run bots without any protection, say --sandbox none."
_OTHERS = "`arena doctor` shows which of landlock, bwrap and uid work here."


class SandboxError(ArenaError):
    """A sandbox that cannot be had here, or not for this bot; the text says why and what to do."""

    def __init__(self, message: str) -> None:
        super().__init__(f"sandbox: {message} {_WITHOUT}")
        self.what = message
        """The message alone."""


class UnavailableError(SandboxError):
    """A sandbox that does not work here, whatever is run in it; the text says why and what to do.

    Which other would work, only a try shows.
    """

    def __init__(self, message: str) -> None:
        ArenaError.__init__(self, f"sandbox: {message} {_OTHERS} {_WITHOUT}")
        self.what = message


class WorkshopError(SandboxError):
    """A sandbox in which nothing can be built here; the text says why."""

    def __init__(self, message: str) -> None:
        ArenaError.__init__(self, f"nothing can be built here: {message}")
        self.what = message


class UnfitError(SandboxError):
    """A program that cannot be run in any sandbox, nor without one."""

    def __init__(self, message: str) -> None:
        ArenaError.__init__(self, message)
        self.what = message


class TooFewCoresError(SandboxError):
    """More threads for each bot than there are cores here; the text says what to do."""

    def __init__(self, message: str) -> None:
        ArenaError.__init__(self, message)
        self.what = message


class CgroupError(SandboxError):
    """Cgroups that cannot be had here for bots; the text says why and what to do."""

    def __init__(self, message: str) -> None:
        ArenaError.__init__(self, f"cgroup = true: {message}")
        self.what = message


class MachineError(RunError):
    """A failure for which the machine, and no bot, is to blame; the text says what to do."""


class ServerDiedError(ConnectionError):
    """The fork server has died, so that nothing can be started: whoever needs it begins another."""

    def __str__(self) -> str:
        return "the fork server has died"


class LostServerError(MachineError):
    """The process that starts programs in a sandbox has ended: it was killed."""


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

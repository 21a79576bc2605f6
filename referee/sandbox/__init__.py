"""The sandbox around a bot's process, and the one way to start it."""

from importlib import import_module
from typing import TYPE_CHECKING

from referee.sandbox.errors import (
    MachineError,
    SandboxError,
    ServerDiedError,
    StartError,
)
from referee.sandbox.executable import is_program, opening
from referee.sandbox.program import PYTHON, Program, check_cores, own_cores
from referee.sandbox.temporary import room_for, temporary_folder

if TYPE_CHECKING:
    from referee.sandbox.devices import gpus
    from referee.sandbox.launcher import Child, Ended, Launcher, Runtime, check_here, runtime_of
    from referee.sandbox.self_test import prove

SANDBOXES = ("landlock", "bwrap", "uid", "none")
"""The sandboxes there are; nothing ever goes from one to another by itself."""

__all__ = [
    "PYTHON",
    "SANDBOXES",
    "Child",
    "Ended",
    "Launcher",
    "MachineError",
    "Program",
    "Runtime",
    "SandboxError",
    "ServerDiedError",
    "StartError",
    "check_cores",
    "check_here",
    "gpus",
    "is_program",
    "opening",
    "own_cores",
    "prove",
    "room_for",
    "runtime_of",
    "temporary_folder",
]

_LATER = {
    **dict.fromkeys(
        ("Child", "Ended", "Launcher", "Runtime", "check_here", "runtime_of"), "launcher"
    ),
    "gpus": "devices",
    "prove": "self_test",
}
"""Names that only running bots needs, by module: commands that read a league load none."""


def __getattr__(name: str) -> object:
    """Return a public name whose module is loaded at first use."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
    return found

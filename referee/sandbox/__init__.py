"""The sandbox around a bot's process, and the one way to start it."""

from referee.sandbox.errors import MachineError, SandboxError, StartError
from referee.sandbox.executable import is_program, opening
from referee.sandbox.launcher import Child, Ended, Launcher
from referee.sandbox.program import PYTHON, Program
from referee.sandbox.prove import prove
from referee.sandbox.runtime import Runtime, runtime_of
from referee.sandbox.temporary import room_for, temporary_folder

SANDBOXES = ("landlock", "bwrap", "none")
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
    "StartError",
    "is_program",
    "opening",
    "prove",
    "room_for",
    "runtime_of",
    "temporary_folder",
]

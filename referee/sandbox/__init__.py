"""The walls around a bot's process, and the one way to start it."""

from referee.sandbox.errors import MachineError, SandboxError, StartError, unwritable
from referee.sandbox.executable import is_program, opening
from referee.sandbox.launcher import Child, Ended, Launcher
from referee.sandbox.program import PYTHON, Program
from referee.sandbox.prove import prove
from referee.sandbox.runtime import Runtime, runtime_of

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
    "runtime_of",
    "unwritable",
]

"""The walls around a bot's process, and the one way to start it."""

from referee.sandbox.launcher import Child, Ended, Launcher, Program, StartError

SANDBOXES = ("none",)
"""The sandboxes that exist; there is no default and no way from one to another."""

__all__ = ["SANDBOXES", "Child", "Ended", "Launcher", "Program", "StartError"]

"""The lock of a bot that asks for packages, made for an author who has not made it."""

from pathlib import Path

from arena.environment.names import LOCK, REQUIREMENTS
from arena.league.finding import BOT_FILE, asks_for_packages
from arena.play.building import Builder
from protocol.errors import ArenaError


def lock_packages(folder: Path, builder: Builder) -> str:
    """Make the lock of a bot that asks for packages, if it lacks one that fits; say what was done.

    Nothing is done for other bots. Raises PackagesError if the packages cannot be had.
    """
    try:
        if not (folder / BOT_FILE).is_file() or not asks_for_packages(folder):
            return ""
    except ArenaError:  # who reads the bot next says what is wrong with its file
        return ""
    if not (folder / REQUIREMENTS).exists() and (folder / LOCK).exists():
        return ""
    from arena.environment.existing import written_requirements  # here, as few bots need it

    said = (written_requirements(folder), builder.environments.locked(folder))
    return " ".join(filter(None, said))

"""The lock of a bot that asks for packages, made for an author who has not made it."""

from pathlib import Path

from arena.environment.names import LOCK, REQUIREMENTS
from arena.league.finding import BOT_FILE, asks_for_packages
from arena.play.building import Builder
from protocol.errors import ArenaError


def lock_packages(folder: Path, builder: Builder, *, own: bool = False) -> str:
    """Make the lock of a bot that asks for packages, if it lacks one that fits; say what was done.

    With `own`, it allows no wheels but those that the bot brings along, in place of which no others
    come then. Nothing is done for other bots. Raises PackagesError if the packages cannot be had.
    """
    try:
        if not (folder / BOT_FILE).is_file() or not asks_for_packages(folder):
            return ""
    except ArenaError:  # who reads the bot next says what is wrong with its file
        return ""
    said = []
    if (folder / REQUIREMENTS).exists() or not (folder / LOCK).exists():
        from arena.environment.existing import written_requirements  # here, as few bots need it

        said += [written_requirements(folder), builder.environments.locks.made(folder)]
    if own:
        said.append(builder.environments.locks.fix(folder))
    return " ".join(filter(None, said))

"""Where things are kept from run to run, for all leagues of a user: what is built, and shared."""

import os
from pathlib import Path

from protocol.errors import ArenaError

_OF_ROOT = "/var/cache"
"""Root's bots are other users, who cannot enter its home."""


def kept_folder() -> Path:
    """Return the folder: in XDG_CACHE_HOME, or else in the user's cache, or the system's for root.

    It need not be there yet. Raises ArenaError for a user who has no home.
    """
    home = os.environ.get("XDG_CACHE_HOME")
    if home:
        return Path(home) / "bot-arena"
    if os.geteuid() == 0:
        return Path(_OF_ROOT) / "bot-arena"
    try:
        return Path.home() / ".cache" / "bot-arena"
    except RuntimeError:
        raise ArenaError(
            "what is built is kept in the user's cache, and this user has no home folder: set "
            "XDG_CACHE_HOME to a folder for it."
        ) from None

"""Many matches: leagues, their schedule, their results and their tables."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from arena.library import (
        ArenaError,
        BotVerdict,
        Forfeiting,
        League,
        News,
        Problem,
        Ranking,
        RoundBegan,
        Running,
        Standing,
        Started,
        Stored,
        StoredMatch,
        Suspended,
    )

__all__ = [
    "ArenaError",
    "BotVerdict",
    "Forfeiting",
    "League",
    "News",
    "Problem",
    "Ranking",
    "RoundBegan",
    "Running",
    "Standing",
    "Started",
    "Stored",
    "StoredMatch",
    "Suspended",
    "trust",
]


def __getattr__(name: str) -> object:
    """Return a public name; its module is loaded at first use, so that no command loads it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from arena import library

    return getattr(library, name)

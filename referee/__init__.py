"""One match, from seats to places; and, to be imported from here, a loop for those who train."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from referee.local import (
        Choose,
        LocalAsk,
        RefusedMoveError,
        Rotation,
        Score,
        play,
        play_deals,
        points,
        score,
    )

__all__ = [
    "Choose",
    "LocalAsk",
    "RefusedMoveError",
    "Rotation",
    "Score",
    "play",
    "play_deals",
    "points",
    "score",
]


def __getattr__(name: str) -> object:
    """Return a public name; its module is loaded with the first of them, and not for a match."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from referee import local

    return getattr(local, name)

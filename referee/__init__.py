"""Plays one match, from seats to places; its public names are a loop for training bots."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from referee.training.local import (
        Choose,
        LocalAsk,
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
    "Rotation",
    "Score",
    "play",
    "play_deals",
    "points",
    "score",
]


def __getattr__(name: str) -> object:
    """Return a public name; its module is loaded at first use, so that a match never loads it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from referee.training import local

    return getattr(local, name)

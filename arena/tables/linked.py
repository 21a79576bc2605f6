"""What a reader must know of ratings whose versions are linked: facts and a note."""

from collections.abc import Iterator
from typing import Any

from arena.stats.ratings import Ratings
from arena.tables.field import Field


def facts_of(field: Field, ratings: Ratings) -> dict[str, Any]:
    """Return which versions are linked, each with the one before, and how tightly; if any are."""
    if ratings.step is None:
        return {}
    return {"linked": [list(link) for link in field.links], "step": ratings.step}


def notes_of(field: Field, ratings: Ratings) -> Iterator[str]:
    """Yield a sentence on how versions are linked, if any are."""
    if ratings.step is not None:
        changes = field.counted(len(field.links), "change")
        yield (
            f"Linked: a new version is taken for as good as the one before, give or take "
            f"{2 * ratings.step:.1f} (two errors, fitted to {changes} of version), until its own "
            f"deals say more."
        )

"""What a reader must know of ratings whose versions are linked: facts and a note."""

from arena.stats.ratings import Ratings
from arena.tables.facet import Facet
from arena.tables.field import Field


def linked(field: Field, ratings: Ratings) -> Facet | None:
    """Return which versions are linked, each with the one before, and how tightly; if any are."""
    if ratings.step is None:
        return None
    changes = field.words.counted(len(field.links), "change")
    return Facet(
        facts={"linked": [list(link) for link in field.links], "step": ratings.step},
        notes=(
            f"Linked: a new version is taken for as good as the one before, give or take "
            f"{2 * ratings.step:.1f} (two errors, fitted to {changes} of version), until its own "
            f"deals say more.",
        ),
    )

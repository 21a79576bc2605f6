"""What no rating can show: cycles of bots, and gaps whose width is a guess; facts and notes."""

from collections.abc import Iterator, Sequence

from arena.stats.encounters import cycles, encounters, never_crossed
from arena.stats.ratings import Ratings
from arena.tables.field import Field
from arena.tables.table import Row
from arena.text import counted

_NAMED_GAPS = 3


def facts_of(field: Field, ratings: Ratings, rows: Sequence[Row]) -> dict[str, list[list[str]]]:
    """Return what no rating can show: cycles of bots, and gaps whose width is a guess.

    A gap is named by the bots above and below it.
    """
    met = encounters(field.deals)
    gaps = [
        [above, below]
        for group in range(1, len(ratings.groups) + 1)
        for above, below in never_crossed(
            met, [row["bot"] for row in rows if row["group"] == group], duels=field.duels
        )
        if ratings.separated(above, below)
    ]
    found = cycles(met, [row["bot"] for row in rows])
    return {"cycles": [list(cycle) for cycle in found], "gaps": gaps}


def notes_of(circles: Sequence[Sequence[str]], gaps: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield what a reader must know of them."""
    if circles:
        first, second, third = circles[0]
        also = f", and {counted(len(circles) - 1, 'more cycle')}" if circles[1:] else ""
        yield (
            f"No rating can show that {first} surely beats {second}, {second} surely beats "
            f"{third}, and {third} surely beats {first}{also}: see `arena table`."
        )
    if gaps:
        named = "; ".join(f"{above} and {below}" for above, below in gaps[:_NAMED_GAPS])
        more = f", and {len(gaps) - _NAMED_GAPS} more" if gaps[_NAMED_GAPS:] else ""
        yield (
            f"The width of the gap is unknown between {named}{more}: no bot below ever beat a bot "
            f"above."
        )

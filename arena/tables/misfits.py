"""What no rating can show: cycles of bots, and gaps whose width is a guess; facts and notes."""

from collections.abc import Iterator, Sequence

from arena.stats.encounters import cycles, encounters, never_crossed
from arena.stats.ratings import Ratings
from arena.stats.standings import Standing
from arena.tables.facet import Facet
from arena.tables.field import Field
from arena.text import counted

_NAMED_GAPS = 3


def misfits(field: Field, ratings: Ratings, ranked: Sequence[Standing]) -> Facet:
    """Return what no rating can show, of bots in the order of their ranks.

    A gap is named by the bots above and below it.
    """
    met = encounters(field.deals)
    gaps = [
        [above, below]
        for group in range(1, len(ratings.groups) + 1)
        for above, below in never_crossed(
            met, [row.bot for row in ranked if row.group == group], duels=field.duels
        )
        if ratings.separated(above, below)
    ]
    circles = [list(cycle) for cycle in cycles(met, [row.bot for row in ranked])]
    return Facet(facts={"cycles": circles, "gaps": gaps}, notes=[*_notes(circles, gaps)])


def _notes(circles: Sequence[Sequence[str]], gaps: Sequence[Sequence[str]]) -> Iterator[str]:
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

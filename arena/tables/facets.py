"""Which facets the tables of a league have: those that all have, and those that are asked for."""

from collections.abc import Collection, Iterable
from typing import NamedTuple

from arena.tables.circumstances import entries, mirroring, sandboxes, wheels
from arena.tables.facet import Facet, FacetSource, ReadFacet
from arena.tables.usage import costs, quiet, spent_out, times, trips


class FacetOption(NamedTuple):
    """Facets that are read if somebody asks for them, as they take time and room."""

    name: str
    """The option of `arena rank`, without its dashes."""
    help: str
    read: tuple[ReadFacet, ...]


TIMES = FacetOption(
    "times",
    "Show the bots' decisions and their times; see `arena doctor --timing`.",
    (times, quiet, trips),
)
COST = FacetOption("cost", "Show what bots asked through their doors, and its cost.", (costs,))

OPTIONS = (TIMES, COST)
"""In the order of their columns."""
_ALWAYS: tuple[ReadFacet, ...] = (sandboxes, wheels, mirroring)
_OF_PRESENT_BOTS: tuple[ReadFacet, ...] = (entries, spent_out)


def facets(source: FacetSource, *, versions: bool) -> list[Facet]:
    """Return what a reader must know; with `versions`, old versions of bots are in the table."""
    return _read(source, _ALWAYS if versions else (*_ALWAYS, *_OF_PRESENT_BOTS))


def optional(source: FacetSource, asked: Collection[FacetOption]) -> list[Facet]:
    """Return what was asked for."""
    return _read(source, [read for each in OPTIONS if each in asked for read in each.read])


def _read(source: FacetSource, readers: Iterable[ReadFacet]) -> list[Facet]:
    return [facet for read in readers if (facet := read(source))]

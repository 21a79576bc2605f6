"""What is wrong with the pairs of a Swiss tournament: an account of its own of the criteria."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from networkx import Graph, max_weight_matching

from arena.schedule.rounds import Round


def breaches(past: Sequence[Round], seats: int = 2) -> list[str]:
    """Return what breaks the absolute criteria of FIDE's C.04.3, without need.

    Everybody in the field sits at one table, but for as few as must be. No two meet twice (C.1),
    for two seats. Whoever has a bye has had no other, nor won without playing (C.2), unless all
    have; a pair meets again only if there are no other pairs with such a bye.
    """
    found = []
    met: set[frozenset[str]] = set()
    byes: Counter[str] = Counter()
    walkovers: Counter[str] = Counter()
    for number, each in enumerate(past, 1):
        field = [bot.key for bot in each.field]
        tables = {tuple(bot.key for bot in deal.lineup) for deal in each.deals}
        sitting = [key for table in tables for key in table]
        free = set(field) - set(sitting)
        if len(set(sitting)) != len(sitting) or not set(sitting) <= set(field):
            found.append(f"round {number}: somebody sits twice, or is not in the field")
        if len(free) != len(field) % seats:
            found.append(f"round {number}: {len(free)} have a bye")
        had = {key: (byes[key], walkovers[key] if seats == 2 else 0) for key in field}
        least = sorted(had.values())[: len(free)]
        if sorted(had[key] for key in free) != least:
            found.append(f"round {number}: who has a bye had more than others")
        if seats == 2:
            pairs = {frozenset(table) for table in tables}
            again = pairs & met
            if again and _can_be_paired(field, met, {key for key in field if had[key] in least}):
                found.append(f"round {number}: {len(again)} pairs meet again")
        out = {bot.key for bot in each.out}
        byes.update(free - out)
        for table in tables:
            if out & set(table):
                walkovers.update(set(table) - out)
            else:
                met.add(frozenset(table))
    return found


def _can_be_paired(field: Sequence[str], met: set[frozenset[str]], may_be_free: set[str]) -> bool:
    graph = Graph()
    graph.add_edges_from(pair for pair in combinations(field, 2) if frozenset(pair) not in met)
    if len(field) % 2:
        graph.add_edges_from(("nobody", key) for key in may_be_free)
    return 2 * len(max_weight_matching(graph, maxcardinality=True)) == len(field) + len(field) % 2

"""Who sits with whom at the least cost: pairs exactly, larger tables by exchanges."""

from collections.abc import Callable, Sequence
from itertools import combinations, product
from typing import TypeVar

T = TypeVar("T")


def cheapest_pairs(bots: Sequence[T], cost: Callable[[T, T], int | None]) -> list[tuple[T, T]]:
    """Return pairs of all bots, as many as can be, whose summed cost is the least.

    A cost of None forbids a pair. A maximum-weight matching of a general graph (Edmonds'
    blossoms). What is equal falls by the order of the bots; each pair is in that order, too.
    """
    from networkx import Graph, max_weight_matching  # a tenth of a second, for those who pair

    costs = {
        (one, other): found
        for one, other in combinations(range(len(bots)), 2)
        if (found := cost(bots[one], bots[other])) is not None
    }
    top = max(costs.values(), default=0)
    graph = Graph()
    graph.add_nodes_from(range(len(bots)))
    graph.add_weighted_edges_from((*pair, top - found) for pair, found in costs.items())
    pairs = sorted(tuple(sorted(pair)) for pair in max_weight_matching(graph, maxcardinality=True))
    return [(bots[one], bots[other]) for one, other in pairs]


def exchanged(
    tables: Sequence[Sequence[T]], cost: Callable[[Sequence[T]], float]
) -> list[tuple[T, ...]]:
    """Return tables after all exchanges of two bots that lower the summed cost of their tables."""
    found = [list(table) for table in tables]
    costs = [cost(table) for table in found]
    improved = True
    while improved:
        improved = False
        for one, other in combinations(range(len(found)), 2):
            for here, there in product(range(len(found[one])), range(len(found[other]))):
                left, right = found[one].copy(), found[other].copy()
                left[here], right[there] = right[there], left[here]
                now = cost(left), cost(right)
                if sum(now) < costs[one] + costs[other]:
                    found[one], found[other] = left, right
                    costs[one], costs[other] = now
                    improved = True
    return [tuple(table) for table in found]

"""What bots asked through their doors in a match, decision by decision."""

from collections import Counter, defaultdict

from arena.store.rows import WholeMatch
from arena.text import safe
from referee.match.evidence import Exchange


def exchanges_of(opened: WholeMatch) -> dict[int, list[Exchange]]:
    """Return what was asked before each decision, by its place in the replay."""
    by_ask: defaultdict[tuple[int, int], list[Exchange]] = defaultdict(list)
    for exchange in opened.evidence.exchanges:
        by_ask[exchange.seat, exchange.ask].append(exchange)
    found: dict[int, list[Exchange]] = {}
    asks: Counter[int] = Counter()
    for number, entry in enumerate(opened.replay.entries if by_ask else ()):
        asks[entry.seat] += 1
        if its := by_ask.get((entry.seat, asks[entry.seat])):
            found[number] = its
    return found


def exchange_words(exchange: Exchange) -> str:
    """Return an exchange in a line."""
    tokens = f", {exchange.tokens_in:,} tokens in, {exchange.tokens_out:,} out"
    cost = f", cost {exchange.cost:.4g}" if exchange.cost else ""
    return safe(
        f"asked {exchange.method} {exchange.origin}{exchange.path}: status {exchange.status}"
        f"{tokens if exchange.tokens_in or exchange.tokens_out else ''}{cost}"
    )

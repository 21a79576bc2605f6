"""Bids, and which of two is higher."""

Bid = tuple[int, int]
"""So many dice of a face."""


def higher(last: Bid, bid: Bid) -> bool:
    """Return whether a bid is higher than the last: more dice, or as many of a higher face."""
    return bid > last

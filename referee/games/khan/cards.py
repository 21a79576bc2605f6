"""The cards and tokens of Khan: their order, what stands together and what beats what.

(Rules page, "Cards and tokens" and "A turn".)
"""

from collections.abc import Iterable, Sequence

COPIES = 3
ARMIES = "EBO"
"""The suits of the three armies: horsemen, raiders, archers."""
BEATS = {"E": "B", "B": "O", "O": "E"}
LEADERS = ("C10", "C11", "C12")
GUNPOWDER, POISON, CHAMPION, RETREAT = "O1", "C1", "B1", "E1"
SPECIALS = {
    GUNPOWDER: "gunpowder",
    POISON: "poison",
    CHAMPION: "the champion",
    RETREAT: "the retreat",
}
HIGHEST = {40: 7, 48: 9}
"""By the option `deck`, the highest number card."""
CARDS = (*(f"{suit}{rank}" for suit in ARMIES for rank in range(1, 10)), POISON, *LEADERS)
"""Every card of the larger deck once, in canonical order."""
ORDER = {card: number for number, card in enumerate(CARDS)}
RANK = {card: int(card[1:]) for card in CARDS}

KINDS = (
    "territory",
    "steel",
    "gold",
    "cloth",
    "wood",
    "cattle",
    "water",
    "horses",
    "captives",
)
COUNTED = 3
"""How many tokens of a kind count at most."""

ROUNDS = ("vanguard", "rear", "leader")
VANGUARD, REAR, LEADER = range(3)
SIZE = (3, 2, 1)
"""How many cards stand in the formation of each round."""


def names(deck: int) -> list[str]:
    """Return every card of a deck once, in canonical order."""
    return [card for card in CARDS if card[0] not in ARMIES or RANK[card] <= HIGHEST[deck]]


def in_order(cards: Iterable[str]) -> list[str]:
    """Return `cards` in canonical order: E, B, O, C, then by rank."""
    return sorted(cards, key=ORDER.__getitem__)


def without(cards: Iterable[str], gone: Iterable[str]) -> list[str]:
    """Return `cards` without one copy of each of `gone`."""
    left = list(cards)
    for card in gone:
        left.remove(card)
    return left


def tally(tokens: Sequence[str]) -> dict[str, int]:
    """Return how many tokens there are of each kind there is, the kinds in their order."""
    return {kind: tokens.count(kind) for kind in KINDS if kind in tokens}


def formations(hand: Sequence[str], stage: int, *, champion: bool) -> list[list[str]]:
    """Return what may be shown in round `stage`, nothing first, each in canonical order.

    `champion` is whether a champion in the hand may still be declared.
    """
    if stage == LEADER:
        return [[], *([card] for card in LEADERS if card in hand)]
    found: list[list[str]] = [[]]
    if len(hand) < SIZE[stage]:
        return found
    champion = champion and CHAMPION in hand
    for suit in ARMIES:
        ranks = {RANK[card] for card in hand if card[0] == suit} - {1}
        for low in sorted(ranks):
            found += _ladders(suit, low, ranks, stage)
            if champion:
                found += _with_champion(suit, low, ranks, stage)
    return found


def _ladders(suit: str, low: int, ranks: set[int], stage: int) -> list[list[str]]:
    run = range(low, low + SIZE[stage])
    return [[f"{suit}{rank}" for rank in run]] if ranks.issuperset(run) else []


def _with_champion(suit: str, low: int, ranks: set[int], stage: int) -> list[list[str]]:
    """Return the ladders of the champion and number cards from `low` upwards.

    There is always a missing rank for it: two neighbours have a further one on either side.
    """
    if stage == REAR:
        return [in_order((CHAMPION, f"{suit}{low}"))]
    others = [high for high in (low + 1, low + 2) if high in ranks]
    return [in_order((CHAMPION, f"{suit}{low}", f"{suit}{high}")) for high in others]


def prevails(attack: Sequence[str], defence: Sequence[str], stage: int) -> bool:
    """Return whether the attacker's formation wins round `stage`: all but a real win loses."""
    if not attack or not defence:
        return bool(attack)
    if stage == LEADER:
        return RANK[attack[0]] > RANK[defence[0]]
    return BEATS[army(attack)] == army(defence)


def army(ladder: Sequence[str]) -> str:
    """Return the suit a ladder fights as: that of the cards the champion stands beside."""
    return next((card for card in ladder if card != CHAMPION), CHAMPION)[0]

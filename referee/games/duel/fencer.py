"""Duel's cards and deck, and a fencer: attributes, a trait, the cards held and in play."""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from random import Random

from referee.rules.chance import Chance

ATTACKS = "BE"
DEFENCES = "OC"
SUITS = ATTACKS + DEFENCES
USE = {"B": "thrust", "E": "cut", "O": "parry", "C": "moulinet"}
DEXTERITY = {"B": 1, "E": 2, "O": 1, "C": 2}
"""What one attack or one defence of a suit costs in dexterity, however many its cards."""
FIGURES = (10, 11, 12)
HIGHEST = {40: 7, 48: 9}
"""By the option `deck`, the highest number card."""
COPIES = 2

Ladder = tuple[str, ...]


def kinds(deck: int) -> list[str]:
    """Return every different card, of which there are two each, in order."""
    ranks = [*range(1, HIGHEST[deck] + 1), *FIGURES]
    return [f"{suit}{rank}" for suit in SUITS for rank in ranks]


ORDER = {card: place for place, card in enumerate(kinds(max(HIGHEST)))}
"""Every card there may be, with its place in the order in which cards are shown."""
POTENTIATORS = frozenset(f"{suit}{rank}" for suit in SUITS for rank in FIGURES)

_SHIFT = {suit: 10 * place for place, suit in enumerate(SUITS)}
_RANKS = (1 << 10) - 1
_BIT = {card: 0 if card in POTENTIATORS else 1 << _SHIFT[card[0]] + int(card[1:]) for card in ORDER}


def in_order(cards: Iterable[str]) -> list[str]:
    """Return `cards` sorted by suit and rank."""
    return sorted(cards, key=ORDER.__getitem__)


def numbers(hand: Iterable[str]) -> int:
    """Return the number cards of `hand` as a set of bits, which `ladders` takes."""
    bits = 0
    for card in hand:
        bits |= _BIT[card]
    return bits


def ladders(suit: str, held: int) -> tuple[Ladder, ...]:
    """Return the ladders of one suit among the `numbers` held, the longest first."""
    return _ladders(suit, held >> _SHIFT[suit] & _RANKS)


@cache
def _ladders(suit: str, ranks: int) -> tuple[Ladder, ...]:
    found = []
    for first in range(1, max(HIGHEST.values()) + 1):
        last = first
        while ranks >> last & 1:
            found.append(tuple(f"{suit}{rank}" for rank in range(first, last + 1)))
            last += 1
    return tuple(sorted(found, key=len, reverse=True))


class Deck:
    """The cards that both seats draw from, with the discards that renew it."""

    __slots__ = ("_all", "_chance", "cards", "discards", "reshuffled", "reshuffles")

    def __init__(self, different: list[str], chance: Chance) -> None:
        self._chance = chance
        self._all = different * COPIES
        self.cards = chance.shuffled(self._all, "deck")
        """Those still to be drawn, the top one last."""
        self.discards: list[str] = []
        self.reshuffled: list[str] = []
        """What the deck was made of when the discards were last shuffled; empty before."""
        self.reshuffles = 0

    def draw(self, count: int) -> list[str]:
        """Return so many cards off the top, or as many as there are."""
        drawn: list[str] = []
        while len(drawn) < count and (self.cards or self._renew()):
            drawn.append(self.cards.pop())
        return drawn

    def exchanged(self, hand: Iterable[str], rng: Random) -> list[str]:
        """Return another hand, dealt together with the deck from the cards of both.

        What was not among the discards when they were last shuffled cannot lie in the deck.
        """
        unseen = Counter(hand) + Counter(self.cards)
        held = unseen - Counter(self.reshuffled) if self.reshuffled else Counter[str]()
        rest = [*(unseen - held).elements()]
        rng.shuffle(rest)
        size = len(self.cards)
        self.cards[:] = rest[:size]
        return [*held.elements(), *rest[size:]]

    def _renew(self) -> bool:
        """Shuffle the discards, if there are any; return whether there are cards again."""
        if self.discards:
            self.reshuffles += 1
            self.reshuffled = in_order(self.discards)
            event = ("reshuffle", self.reshuffles)
            self.cards = self._chance.arranged(self.discards, self._all, *event)
            self.discards = []
        return bool(self.cards)


START = 9
"""Stamina, dexterity and fencing before the trait."""
END = 4
"""The points between the middle of the line and either end."""
TRAITS = {
    1: "Trained",
    2: "Big",
    3: "Quick",
    4: "Brave",
    5: "Wary",
    6: "Versatile",
    7: "Lethal",
    8: "Veteran",
}
TRAINED, BIG, QUICK, BRAVE, WARY, VERSATILE, LETHAL, VETERAN = TRAITS


class Fencer:
    """One seat of a duel."""

    __slots__ = (
        "bonus",
        "dexterity",
        "fencing",
        "hand",
        "in_play",
        "max_dexterity",
        "max_stamina",
        "stamina",
        "trait",
    )

    def __init__(self) -> None:
        self.trait: int | None = None
        self.stamina = self.max_stamina = START
        self.dexterity = self.max_dexterity = START
        self.fencing = START
        self.hand: list[str] = []
        self.in_play: list[str] = []
        self.bonus = dict.fromkeys(SUITS, 0)
        """By suit, the cards that count besides those used: potentiators and trait."""

    def apply_trait(self) -> None:
        """Give the fencer what the trait chosen changes for good."""
        more = 1 if self.trait == VETERAN else 3
        if self.trait in (TRAINED, VETERAN):
            self.fencing += more
        if self.trait in (BIG, VETERAN):
            self.stamina = self.max_stamina = START + more
        if self.trait in (QUICK, VETERAN):
            self.dexterity = self.max_dexterity = START + more
        for suit in {BRAVE: ATTACKS, WARY: DEFENCES}.get(self.trait or 0, ""):
            self.bonus[suit] += 1

    def force(self, cards: Sequence[str]) -> int:
        """Return the strength or the guard of a ladder."""
        return len(cards) + self.bonus[cards[0][0]]

    def attacks(self) -> tuple[Ladder, ...]:
        """Return the thrusts and cuts whose dexterity can be paid."""
        return self._payable(ATTACKS)

    def defences(self) -> tuple[Ladder, ...]:
        """Return the parries and moulinets whose dexterity can be paid."""
        return self._payable(DEFENCES)

    def _payable(self, suits: str) -> tuple[Ladder, ...]:
        held = numbers(self.hand)
        cheap = ladders(suits[0], held)
        return cheap if self.dexterity < DEXTERITY[suits[1]] else cheap + ladders(suits[1], held)

    def potentiators(self) -> list[str]:
        """Return the different potentiators in the hand."""
        return in_order(POTENTIATORS.intersection(self.hand))

    def observe(self, card: str) -> None:
        """Put a potentiator of the hand into play."""
        self.hand.remove(card)
        self.in_play.append(card)
        self.bonus[card[0]] += 1

"""Casino War's shoe: the cards not dealt yet, and what was seen of the others."""

from collections.abc import Sequence
from random import Random

from referee.games.war_family.cards import RANKS, deck
from referee.rules.chance import Chance, Key

ORDER = {card: place for place, card in enumerate(deck())}
"""The cards of one deck, as they lie in a shoe."""

LEAST_PER_DECK = 13
"""With fewer cards left per deck, a shoe is shuffled."""


class Shoe:
    """Some decks, shuffled together.

    The cards lie in no order before they are drawn: a draw takes the card at a random place of
    those left, sorted by rank. That is as good as a shuffle, and where a war took five cards
    more out of the shoe, every later draw is still the same or nearly the same rank.
    """

    def __init__(self, cards: Sequence[str]) -> None:
        self.cards = [*cards]
        """Those left, sorted by rank; which comes next is not yet settled."""
        self.seen = dict.fromkeys(RANKS[:-1], 0)
        """By rank, how many were drawn face up."""
        self.burned: list[str] = []

    def draw(self, chance: Chance, *event: Key) -> str:
        """Return a card, seen by all."""
        card = self._take(chance, event)
        self.seen[card[0]] += 1
        return card

    def burn(self, chance: Chance, *event: Key) -> None:
        """Lay a card aside, seen by nobody."""
        self.burned.append(self._take(chance, event))

    def burn_anew(self, rng: Random) -> None:
        """Have other cards lie aside, of those that nobody has seen."""
        unseen = [*self.burned, *self.cards]
        rng.shuffle(unseen)
        burned = len(self.burned)
        self.burned, self.cards = unseen[:burned], sorted(unseen[burned:], key=ORDER.__getitem__)

    def _take(self, chance: Chance, event: tuple[Key, ...]) -> str:
        return self.cards.pop(chance.below(len(self.cards), *event))

"""A fencer of Duel: attributes, a trait and the cards held and in play."""

from collections.abc import Sequence

from referee.games.duel.cards import (
    ATTACKS,
    DEFENCES,
    DEXTERITY,
    POTENTIATORS,
    SUITS,
    Ladder,
    in_order,
    ladders,
    numbers,
)

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

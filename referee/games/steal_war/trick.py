"""Steal War's cards: packs and piles, the trick being played, thefts and the pack rule.

(Rules page, "Cards" and "A trick".)
"""

from collections.abc import Collection, Mapping
from random import Random
from typing import Any

from msgspec import Struct

from referee.games.war_family.cards import deal, deck, strength
from referee.rules.chance import Chance

JOKERS = 2
DECK = tuple(deck(jokers=JOKERS))
HEIGHT = {card: strength(card) for card in DECK}
DOWN = 3
"""Cards laid face down in a war, before the one that fights."""


class Theft(Struct, frozen=True):
    """A card sent to steal, as it is shown."""

    seat: int
    target: int
    card: str
    result: str
    """`stolen`; or `protected` or `slower`, and the card was played."""


class Trick:
    """The cards of one trick, from the first ones drawn to the seat that wins them all."""

    __slots__ = (
        "laid", "level", "number", "protected", "seats", "thefts", "top", "turn", "up", "war",
        "winner",
    )  # fmt: skip

    def __init__(self, number: int, seats: Collection[int]) -> None:
        self.number = number
        self.war = 0
        """How many wars there were in it so far."""
        self.turn = 0
        """How often thieves have drawn again since it began, or since the last war."""
        self.seats = [*seats]
        """Those that may still win it."""
        self.laid: dict[int, list[str]] = {seat: [] for seat in seats}
        """By seat, its cards in the order laid; every fourth, from the first on, is face up."""
        self.up: dict[int, str] = {}
        """By seat, the card it has played to be compared."""
        self.protected: set[int] = set()
        """The seats whose pile nobody can steal until everyone has played."""
        self.thefts: list[Theft] = []
        self.winner: int | None = None
        self.level: list[int] = []
        """The seats that share a drawn trick."""
        self.top: str | None = None
        """The card the winner put on top of its pile; None if the cards became its pack."""

    def highest(self) -> list[int]:
        """Return the seats that have played the highest card."""
        most = max(HEIGHT[card] for card in self.up.values())
        return [seat for seat in self.seats if HEIGHT[self.up[seat]] == most]

    def pot(self) -> list[str]:
        """Return all cards laid: the others' clockwise from the winner, then the winner's own."""
        winner = self.winner
        assert winner is not None
        around = sorted(self.laid, key=lambda seat: (seat <= winner, seat))
        around.remove(winner)
        return [card for seat in (*around, winner) for card in self.laid[seat]]


class Holdings:
    """The cards that the seats hold: all but those laid in the trick."""

    def __init__(self, seats: int, chance: Chance) -> None:
        self.chance = chance
        dealt = chance.shuffled(DECK, "deck")
        self.packs = deal(dealt, seats)
        """Face down, the top first."""
        self.piles: list[list[str]] = [[] for _ in range(seats)]
        """Face up, the top last."""
        self.drawn: list[str | None] = [None] * seats
        """The card that each seat looks at before it plays or steals."""
        self.aside = dealt[len(self.packs[0]) * seats :]
        """The cards left out, since all seats are dealt the same number."""

    def size(self, seat: int) -> int:
        """Return how many cards are in pack and pile."""
        return len(self.packs[seat]) + len(self.piles[seat])

    def draw(self, seat: int, trick: Trick) -> None:
        """Take the top card of the pack."""
        self.drawn[seat] = self.packs[seat].pop(0)
        self._turn_over(seat, trick, "draw")

    def lay(self, seat: int, count: int, trick: Trick) -> None:
        """Lay so many cards into the trick, face down and unseen."""
        for _ in range(count):
            trick.laid[seat].append(self.packs[seat].pop(0))
            self._turn_over(seat, trick, "lay")

    def targets(self, seat: int) -> list[int]:
        """Return the seats whose pile shows the rank of the card that `seat` has drawn."""
        card = self.drawn[seat]
        if card is None:
            return []
        return [
            other
            for other, pile in enumerate(self.piles)
            if pile and pile[-1][0] == card[0] and other != seat
        ]

    def could_steal_back(self, seat: int) -> bool:
        """Return whether the own pile of `seat` shows the rank of the card that it has drawn."""
        card, pile = self.drawn[seat], self.piles[seat]
        return card is not None and bool(pile) and pile[-1][0] == card[0]

    def holders(self) -> list[int]:
        """Return the seats that have drawn a card and not yet played it."""
        return [seat for seat, card in enumerate(self.drawn) if card]

    def deal_anew(self, trick: Trick, seat: int, rng: Random, *, lie_open: bool) -> None:
        """Exchange the cards that `seat` has not seen; those of the trick may all lie open."""
        places: list[tuple[Any, int]] = [
            *((pack, at) for pack in self.packs for at in range(len(pack))),
            *((self.aside, at) for at in range(len(self.aside))),
            *((self.drawn, each) for each in self.holders() if each != seat),
        ]
        if not lie_open:
            for cards in trick.laid.values():
                places += [(cards, at) for at in range(len(cards)) if at % (DOWN + 1)]
        unseen = [cards[at] for cards, at in places]
        rng.shuffle(unseen)
        for (cards, at), card in zip(places, unseen, strict=True):
            cards[at] = card

    def resolve(
        self, trick: Trick, aims: Mapping[int, int], waiting: Collection[int], *, protection: bool
    ) -> list[int]:
        """Carry out what the seats with a card do: those in `aims` steal, the others play.

        Those `waiting` keep their cards. Returns the thieves who have succeeded and draw again.
        """
        drawn = {seat: card for seat, card in enumerate(self.drawn) if card and seat not in waiting}
        if protection:
            trick.protected |= {
                seat
                for seat, card in drawn.items()
                if seat not in aims and self.piles[seat] and self.piles[seat][-1][0] == card[0]
            }
        thieves = self._steal(trick, aims) if aims else []
        for seat, card in drawn.items():
            self.drawn[seat] = None
            if seat not in thieves:
                trick.up[seat] = card
                trick.laid[seat].append(card)
        for seat in trick.seats:
            self._turn_over(seat, trick, "steal")
        return thieves

    def take(self, trick: Trick, pot: list[str], top: str) -> None:
        """Put the pot on the winner's pile, `top` uppermost; all is pack if there was none."""
        seat = trick.winner
        assert seat is not None
        self.piles[seat] += [card for card in reversed(pot) if card != top]
        self.piles[seat].append(top)
        if self.packs[seat]:
            trick.top = top
        else:
            self._turn_over(seat, trick, "win")

    def _steal(self, trick: Trick, aims: Mapping[int, int]) -> list[int]:
        quickest = self._lots(trick, aims)
        for seat, target in aims.items():
            card = self.drawn[seat]
            assert card is not None
            if target in trick.protected:
                result = "protected"
            else:
                result = "stolen" if quickest[target] == seat else "slower"
            trick.thefts.append(Theft(seat, target, card, result))
        stolen = {target: self.piles[target] for target in quickest}
        for target in quickest:
            self.piles[target] = []
        for target, seat in quickest.items():
            card = self.drawn[seat]
            assert card is not None
            self.piles[seat] = [*self.piles[seat], *stolen[target], card]
        return sorted(quickest.values())

    def _lots(self, trick: Trick, aims: Mapping[int, int]) -> dict[int, int]:
        """Return, by each pile that is stolen now, the thief who gets it."""
        rivals: dict[int, list[int]] = {}
        for seat, target in aims.items():
            if target not in trick.protected:
                rivals.setdefault(target, []).append(seat)
        return {
            target: seats[0]
            if len(seats) == 1
            else self.chance.choice(seats, "lot", trick.number, trick.war, trick.turn, target)
            for target, seats in rivals.items()
        }

    def _turn_over(self, seat: int, trick: Trick, step: str) -> None:
        """Shuffle the pile of `seat` into a new pack, if its pack is empty (the pack rule)."""
        pile = self.piles[seat]
        if pile and not self.packs[seat]:
            event = ("pack", trick.number, trick.war, trick.turn, step, seat)
            self.packs[seat] = self.chance.arranged(pile, DECK, *event)
            self.piles[seat] = []

"""War: the highest card takes all, ties go to war, and winners order what they pick up."""

from collections.abc import Collection, Mapping, Sequence
from itertools import chain, islice
from random import Random
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from referee.games.war_family.battle import Battle, war_by_value
from referee.games.war_family.cards import MOST_JOKERS, CardOrJoker, deck, strength
from referee.games.war_family.packs import ORDER, PackGame, PackOptions
from referee.rules.field import UNIQUE
from referee.rules.form import AnyForm, Form

HEIGHTS = {card: strength(card) for card in deck(jokers=MOST_JOKERS)}
JOKER = "X"
TWO_JOKERS = 2
EVEN_BY_JOKERS = (3, 9)
"""The numbers of seats that share an odd number of cards, and an even one with two jokers."""
MOST_CARDS = 60
"""With ten seats and a buried joker for each."""
TEN = 10


class WarOptions(PackOptions, frozen=True, kw_only=True):
    """The options of War."""

    war_length: Annotated[
        Literal[1, 3, "razboi"],
        Meta(
            description="Cards laid face down in a war; razboi: as many cards as the tied card"
            " says, the last one face up."
        ),
    ] = 1
    razboi_ace: Annotated[
        Literal[10, 1, 11], Meta(description="What a tied ace says, with razboi.")
    ] = 10
    jokers: Annotated[
        Literal["by_seats", "none", "shuffled", "buried", "two_buried"],
        Meta(
            description="Jokers: none, two shuffled in, one buried in each pack, or two buried in"
            " different packs; by_seats: two shuffled in with three or nine seats, else none."
        ),
    ] = "by_seats"


class PickUp(Form, forbid_unknown_fields=True):
    """The order in which the cards won go under one's pack."""

    order: Annotated[
        list[CardOrJoker],
        UNIQUE,
        Meta(description=ORDER, extra_json_schema={"minItems": 2, "maxItems": MOST_CARDS}),
    ]


class War(PackGame):
    """One play of War."""

    name = "war"
    title = "The highest card takes all; the winner orders what it picks up."
    seat_counts = range(2, 11)
    options_type = WarOptions
    decisions: ClassVar[Mapping[str, AnyForm]] = {"pickup": PickUp}
    typical_decisions = 440
    mirroring = 1.2
    score = "the cards at the end"

    options: WarOptions
    aim = "Whoever ends up with all the cards wins."

    def scores(self) -> list[int]:
        """Return the cards of each seat's pack."""
        return [len(pack) for pack in self.packs]

    def _jokers(self) -> str:
        """Return the option `jokers` with its default worked out."""
        if self.options.jokers == "by_seats":
            return "shuffled" if self.seats in EVEN_BY_JOKERS else "none"
        return self.options.jokers

    def _cards(self) -> list[str]:
        count = {"none": 0, "buried": self.seats}
        return deck(jokers=count.get(self._jokers(), TWO_JOKERS))

    def _deal(self) -> list[list[str]]:
        if self._jokers() == "buried":
            return self._buried(range(self.seats))
        if self._jokers() == "two_buried":
            return self._buried(self.chance.shuffled(range(self.seats), "jokers")[:TWO_JOKERS])
        return super()._deal()

    def _buried(self, holders: Collection[int]) -> list[list[str]]:
        """Return the packs with a joker in that of each of `holders`, but never on top."""
        jokers = iter(self.cards[-len(holders) :])
        shuffled = iter(self.chance.shuffled(self.cards[: -len(holders)], "deck"))
        packs = []
        for seat in range(self.seats):
            pack = [*islice(shuffled, len(self.cards) // self.seats - (seat in holders))]
            if seat in holders:
                pack.insert(self.chance.die(len(pack), "joker", seat), next(jokers))
            packs.append(pack)
        return packs

    def _kept(self, tops: Sequence[Sequence[str]], rng: Random) -> list[list[str]]:
        found = [[card for card in top if card[0] == JOKER] for top in tops]
        if self._jokers() == "two_buried":  # no two in one pack
            jokers = [*chain(*found)]
            holders = rng.sample([at for at, top in enumerate(tops) if top], len(jokers))
            moved = dict(zip(holders, jokers, strict=True))
            return [[moved[at]] if at in moved else [] for at in range(len(tops))]
        return found if self._jokers() == "buried" else super()._kept(tops, rng)

    def _heights(self, cards: Collection[str]) -> list[int]:
        return [HEIGHTS[card] for card in cards]

    def _war(self, battle: Battle, tied: list[int]) -> None:
        length = self.options.war_length
        if length == "razboi":
            war_by_value(battle, self._said_by(battle.up[tied[0]]))
        else:
            self._war_of(battle, tied, length)

    def _said_by(self, card: str) -> int:
        """Return how many cards each seat lays in a Război of this card."""
        return self.options.razboi_ace if card[0] == "A" else min(strength(card), TEN)

    def _ending(self) -> str:
        return "all_cards" if len(self.still_in()) == 1 else ""

"""Tod und Leben: sixteen pairs of cards, the higher takes what lies there; nobody decides."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Annotated, ClassVar, Self

from msgspec import Meta

from referee.games.war_family.cards import deal, deck, strength
from referee.rules.cards import french
from referee.rules.chance import Chance
from referee.rules.form import AnyForm
from referee.rules.game import Decision, Game, Move, Observation, Options, ranked, twin
from referee.rules.scene import Area, Card, Facts, Group, Row
from referee.rules.words import counted

NAMES = "AB"
PACK = tuple(deck("7"))
_PAIRS = 8
"""Pairs beside each other: so many cards that they fit on a narrow screen."""


class TodUndLebenOptions(Options, frozen=True, kw_only=True):
    """The options of Tod und Leben."""

    rounds: Annotated[
        int, Meta(ge=1, le=10_000, description="Rounds, each with a deal of its own.")
    ] = 1


class TodUndLeben(Game):
    """One play of Tod und Leben, which is over as soon as it is dealt."""

    name = "tod_und_leben"
    title = "Sixteen cards each, the higher card takes both: pure luck, and no decision at all."
    seat_counts = range(2, 3)
    options_type = TodUndLebenOptions
    decisions: ClassVar[Mapping[str, AnyForm]] = {}
    typical_decisions = 0
    score = "the rounds won"

    options: TodUndLebenOptions

    def __init__(self, *, seats: int, options: Options, chance: Chance) -> None:
        super().__init__(seats=seats, options=options, chance=chance)
        self.rounds_won = [0, 0]
        self.cards_won = [0, 0]
        """In the round played last."""
        self.packs: list[list[str]] = []
        """Of the round played last, the top first."""
        for number in range(1, self.options.rounds + 1):
            self.packs = deal(chance.shuffled(PACK, "deck", number), seats)
            self.cards_won = cards_won(self.packs)
            for seat in range(seats):
                self.rounds_won[seat] += self.cards_won[seat] > self.cards_won[1 - seat]
        self.reason = "rounds"

    def deciders(self) -> Sequence[int]:
        """Return nobody: nothing is ever asked."""
        return ()

    def decision(self, seat: int) -> Decision:
        """Raise LookupError: nothing is ever asked."""
        raise LookupError("nothing is asked in Tod und Leben")

    def view(self, seat: int) -> Observation:
        """Return all there is: the last round's cards, and who won how many rounds."""
        return {
            "game": self.name,
            "seat": seat,
            "decision": None,
            "round": self.options.rounds,
            "packs": self.packs,
            "cards_won": self.cards_won,
            "rounds_won": self.rounds_won,
        }

    def check(self, seat: int, move: Move) -> str | None:
        """Do nothing: there are no moves."""
        return None

    def apply(self, moves: Mapping[int, Move]) -> None:
        """Do nothing: there are no moves."""

    def default(self, seat: int) -> Move:
        """Return an empty move, which is never played."""
        return {}

    def sample(self, seat: int, rng: Random) -> Move:
        """Return an empty move, which is never played."""
        return {}

    def places(self) -> list[int]:
        """Return the places by rounds won."""
        return ranked([-won for won in self.rounds_won])

    def called(self, seat: int) -> str:
        """Return the letter of `seat`."""
        return NAMES[seat]

    def scene(self, seat: int | None = None) -> Sequence[Area]:
        """Return the score, and the pairs of the last round."""
        return areas(self.view(0))

    def scores(self) -> list[int]:
        """Return the rounds that each seat has won."""
        return self.rounds_won

    def resample(self, seat: int, rng: Random) -> Self:
        """Return a copy with other chance to come: nothing else is hidden."""
        return twin(self, rng)


def cards_won(packs: Sequence[Sequence[str]]) -> list[int]:
    """Return how many cards each seat wins in one round (rules page, "Rules")."""
    won, pot = [0, 0], 0
    for a, b in zip(*packs, strict=True):
        pot += 2
        ahead = strength(a) - strength(b)
        if ahead:
            won[ahead < 0] += pot
            pot = 0
    return [count + pot // 2 for count in won]


def areas(view: Observation) -> Sequence[Area]:
    """Return the score, then the cards in the order they met, A's above B's."""
    packs: Sequence[Sequence[str]] = view["packs"]
    score = [(str(view["cards_won"][seat]), str(view["rounds_won"][seat])) for seat in (0, 1)]
    label = f"After {counted(view['round'], 'round')}"
    return [
        Facts(label, ("Cards in the last", "Rounds won"), score, (0, 1)),
        *(
            _pairs([pack[first : first + _PAIRS] for pack in packs], first)
            for first in range(0, len(packs[0]), _PAIRS)
        ),
    ]


def _pairs(packs: Sequence[Sequence[str]], first: int) -> Group:
    rows = [Row("", _met(packs[seat], packs[1 - seat]), seat) for seat in (0, 1)]
    return Group(f"Pairs {first + 1} to {first + len(packs[0])}", rows)


def _met(own: Sequence[str], other: Sequence[str]) -> list[Card]:
    """Return a seat's cards; equal ones, which stay on the table, have no mark."""
    cards = []
    for card, met in zip(own, other, strict=True):
        ahead = strength(card) - strength(met)
        cards.append(french(card, "won" if ahead > 0 else "lost" if ahead else ""))
    return cards

"""Heights: play a secret card for its points, or roll a die; the most points after some rounds."""

from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Annotated, Any, ClassVar, Literal, Self

from msgspec import Meta

from referee.rules.chance import Chance
from referee.rules.form import AnyForm, Form
from referee.rules.game import Decision, Game, Move, Observation, Options, ranked, redealt

CARDS = [*range(1, 13)]
HAND = 2


class HeightsOptions(Options, frozen=True, kw_only=True):
    """The options of Heights."""

    rounds: Annotated[int, Meta(ge=1, le=50, description="Turns of each seat.")] = 8
    sides: Annotated[Literal[6, 8], Meta(description="The sides of the die.")] = 6


class Turn(Form, forbid_unknown_fields=True):
    """Play a card or roll the die."""

    action: Annotated[Literal["play", "roll"], Meta(description="What to do.")]
    card: Annotated[int | None, Meta(ge=1, le=12, description="The card to play; null to roll.")]


class Heights(Game):
    """One play of Heights."""

    name = "heights"
    title = "Play a card or roll the die: the most points win."
    seat_counts = range(2, 4)
    options_type = HeightsOptions
    decisions: ClassVar[Mapping[str, AnyForm]] = {"turn": Turn}
    typical_decisions = 15

    options: HeightsOptions

    def __init__(self, *, seats: int, options: Options, chance: Chance) -> None:
        super().__init__(seats=seats, options=options, chance=chance)
        self.deck = self.shuffled()
        self.hands = [[self.deck.pop() for _ in range(HAND)] for _ in range(seats)]
        self.discards: list[int] = []
        self.scores = [0] * seats
        self.last: list[list[Any]] = []
        self.turn = 0
        self.reshuffles = 0

    def shuffled(self) -> list[int]:
        return self.chance.shuffled(CARDS, "deck")

    @property
    def to_move(self) -> int:
        return self.turn % self.seats

    def deciders(self) -> Sequence[int]:
        return () if self.reason else (self.to_move,)

    def legal(self, seat: int) -> list[Move]:
        cards = [{"action": "play", "card": card} for card in self.hands[seat]]
        return [*cards, {"action": "roll", "card": None}]

    def decision(self, seat: int) -> Decision:
        return Decision("turn", legal=self.legal(seat))

    def view(self, seat: int) -> Observation:
        return {
            "game": self.name,
            "seat": seat,
            "decision": "turn" if seat in self.deciders() else None,
            "turn": self.turn,
            "hand": self.hands[seat],
            "deck": len(self.deck),
            "discards": self.discards,
            "scores": self.scores,
            "last": self.last[-self.seats :],
        }

    def check(self, seat: int, move: Move) -> str | None:
        card = move["card"]
        if move["action"] == "roll":
            return None if card is None else 'to roll, "card" is null'
        return None if card in self.hands[seat] else '"card" is a card of your hand'

    def apply(self, moves: Mapping[int, Move]) -> None:
        ((seat, move),) = moves.items()
        if move["action"] == "roll":
            points = self.roll(seat)
        else:
            points = move["card"]
            self.hands[seat].remove(points)
            self.hands[seat].sort()
            self.discards.append(points)
            self.hands[seat].append(self.draw())
        self.scores[seat] += points
        self.last.append([seat, move["action"], points])
        self.turn += 1
        if self.turn == self.seats * self.options.rounds:
            self.reason = "rounds"

    def roll(self, seat: int) -> int:
        return self.chance.die(self.options.sides, "roll", self.turn, seat)

    def draw(self) -> int:
        if not self.deck:
            self.reshuffles += 1
            self.deck = self.renewed()
            self.discards = []
        return self.deck.pop()

    def renewed(self) -> list[int]:
        return self.chance.arranged(self.discards, CARDS, "reshuffle", self.reshuffles)

    def default(self, seat: int) -> Move:
        return {"action": "roll", "card": None}

    def sample(self, seat: int, rng: Random) -> Move:
        return rng.choice(self.legal(seat))

    def places(self) -> list[int]:
        return ranked([-score for score in self.scores])

    def table(self) -> dict[str, Any]:
        return {"cards": [*CARDS]}

    def resample(self, seat: int, rng: Random) -> Self | None:
        def deal_anew(other: Heights, dice: Random) -> None:
            hands = [hand for each, hand in enumerate(other.hands) if each != seat]
            unseen = [*other.deck, *(card for hand in hands for card in hand)]
            dice.shuffle(unseen)
            for hand in hands:
                hand[:] = [unseen.pop() for _ in hand]
            other.deck = unseen

        return redealt(self, seat, rng, deal_anew)

    def all_moves(self) -> Iterable[tuple[str, list[Move]]]:
        plays = [{"action": "play", "card": card} for card in CARDS]
        yield "turn", [*plays, {"action": "roll", "card": None}]

    def describe(self, seat: int, move: Move) -> str:
        return f"seat {seat} rolls" if move["card"] is None else f"seat {seat} plays a card"

    def text(self, seat: int | None = None) -> str:
        lines = [f"Heights, turn {self.turn}; deck {len(self.deck)}; discards {self.discards}"]
        for each in range(self.seats):
            hand = self.hands[each] if seat in (None, each) else "? ?"
            lines.append(f"seat {each}: {self.scores[each]:3} points, hand {hand}")
        return "\n".join([*lines, f"last: {self.last[-self.seats :]}"])

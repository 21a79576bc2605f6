"""Liar's Dice: everybody rolls in secret, bids on all dice together, and may doubt a bid.

It says nothing of how its table looks: the fields of the view are shown.
"""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta

from referee.chance import Chance
from referee.form import AnyForm, Form
from referee.game import Decision, Game, Move, Observation, Options, ranked, redealt

from .bids import Bid, higher

FACES = 6


class LiarsDiceOptions(Options, frozen=True, kw_only=True):
    """The options of Liar's Dice."""

    dice: Annotated[int, Meta(ge=1, le=8, description="Dice of each seat at the start.")] = 5
    wild_ones: Annotated[bool, Meta(description="Whether a one counts as every face.")] = False


class Turn(Form):
    """What is said of the dice under all cups."""


class Raise(Turn, forbid_unknown_fields=True):
    """Bid more: more dice, or as many of a higher face."""

    action: Annotated[Literal["bid"], Meta(description="A higher bid.")]
    count: Annotated[int, Meta(ge=1, le=48, description="How many dice at least.")]
    face: Annotated[int, Meta(ge=1, le=FACES, description="Which face they show.")]


class Doubt(Turn, forbid_unknown_fields=True):
    """Doubt the last bid: all dice are shown, and who was wrong loses one."""

    action: Annotated[Literal["doubt"], Meta(description="The last bid is too high.")]


class LiarsDice(Game):
    """One play of Liar's Dice."""

    name = "liars_dice"
    title = "Roll in secret, bid on all dice together, and doubt; the last with dice wins."
    seat_counts = range(2, 7)
    options_type = LiarsDiceOptions
    decisions: ClassVar[Mapping[str, AnyForm]] = {"turn": Raise | Doubt}
    typical_decisions = 40
    measures: ClassVar[Mapping[str, str]] = {"rounds": "the rounds that were played"}

    options: LiarsDiceOptions

    def __init__(self, *, seats: int, options: Options, chance: Chance) -> None:
        super().__init__(seats=seats, options=options, chance=chance)
        self.left = [self.options.dice] * seats
        self.round = 0
        self.to_move = 0
        self.bids: list[dict[str, int]] = []
        self.last: dict[str, Any] | None = None
        self.out: list[int] = []
        """The seats without dice, in the order in which they lost their last."""
        self._roll()

    def deciders(self) -> Sequence[int]:
        """Return the seat in turn."""
        return () if self.reason else (self.to_move,)

    def decision(self, seat: int) -> Decision:
        """Return all higher bids, and the doubt of the last one."""
        return Decision("turn", legal=self._legal())

    def view(self, seat: int) -> Observation:
        """Return the own dice, how many the others have, and what was bid in this round."""
        return {
            "game": self.name,
            "seat": seat,
            "decision": None if self.reason or seat != self.to_move else "turn",
            "round": self.round,
            "to_move": self.to_move,
            "own": self.dice[seat],
            "left": self.left,
            "bids": self.bids,
            "last": self.last,
        }

    def check(self, seat: int, move: Move) -> str | None:
        """Return why the bid is not higher, or that there is nothing to doubt."""
        if move["action"] == "doubt":
            return None if self.bids else "there is no bid to doubt"
        if move["count"] > sum(self.left):
            return f"there are only {sum(self.left)} dice"
        if self._bid() is not None and not higher(self._bid(), (move["count"], move["face"])):
            count, face = self._bid()
            return f"{count} dice of {face} are bid; bid more, or as many of a higher face"
        return None

    def apply(self, moves: Mapping[int, Move]) -> None:
        """Take a bid, or show all dice; where only the doubt is left, it follows by itself."""
        move = moves[self.to_move]
        if move["action"] == "doubt":
            self._show()
            return
        self.bids.append({"seat": self.to_move, "count": move["count"], "face": move["face"]})
        self.to_move = self._next(self.to_move)
        if len(self._legal()) == 1:
            self._show()

    def default(self, seat: int) -> Move:
        """Return the doubt, or the least bid."""
        return self._legal()[0]

    def sample(self, seat: int, rng: Random) -> Move:
        """Return the doubt as often as any bid of the next twenty, or any other."""
        legal = self._legal()
        return rng.choice(legal[:20] if rng.random() < 0.9 else legal)

    def places(self) -> list[int]:
        """Return 1 for the last with dice, and the others by how long they lasted."""
        return ranked(
            [
                0 if self.left[seat] else -self.out.index(seat) + len(self.out)
                for seat in range(self.seats)
            ]
        )

    def numbers(self) -> dict[str, int | float]:
        """Return the rounds that were played."""
        return {"rounds": self.round}

    def resample(self, seat: int, rng: Random) -> "LiarsDice":
        """Return the game with the others' dice rolled anew."""

        def roll(game: LiarsDice, rng: Random) -> None:
            for other in range(game.seats):
                if other != seat:
                    game.dice[other] = sorted(rng.randint(1, FACES) for _ in game.dice[other])

        return redealt(self, seat, rng, roll)

    def describe(self, seat: int, move: Move) -> str:
        """Return what is said."""
        if move["action"] == "doubt":
            return f"seat {seat} doubts"
        return f"seat {seat} bids {move['count']} dice of {move['face']}"

    def _bid(self) -> Bid | None:
        return (self.bids[-1]["count"], self.bids[-1]["face"]) if self.bids else None

    def _legal(self) -> list[Move]:
        last, total = self._bid(), sum(self.left)
        bids = [
            {"action": "bid", "count": count, "face": face}
            for count in range(last[0] if last else 1, total + 1)
            for face in range(1, FACES + 1)
            if last is None or higher(last, (count, face))
        ]
        return [{"action": "doubt"}, *bids] if last else bids

    def _roll(self) -> None:
        self.round += 1
        self.bids = []
        self.dice = [
            sorted(self.chance.dice(count, FACES, "roll", self.round, seat)) if count else []
            for seat, count in enumerate(self.left)
        ]

    def _show(self) -> None:
        """Show all dice: who bid too much, or doubted wrongly, loses one."""
        bid = self.bids[-1]
        faces = {bid["face"], 1} if self.options.wild_ones else {bid["face"]}
        there = sum(die in faces for dice in self.dice for die in dice)
        loser = bid["seat"] if there < bid["count"] else self.to_move
        self.last = {"round": self.round, "dice": self.dice, "bid": bid, "loser": loser}
        self.left = [count - (seat == loser) for seat, count in enumerate(self.left)]
        if not self.left[loser]:
            self.out.append(loser)
        if len(self.out) == self.seats - 1:
            self.reason = "last"
            return
        self.to_move = loser if self.left[loser] else self._next(loser)
        self._roll()

    def _next(self, seat: int) -> int:
        order = [(seat + step) % self.seats for step in range(1, self.seats + 1)]
        return next(other for other in order if self.left[other])

"""Games as small as can be, so that a test of a match shows the match and not the rules."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Annotated, Any, ClassVar, Literal

import msgspec
from msgspec import Meta

from referee.rules.chance import Chance
from referee.rules.form import AnyForm, Form
from referee.rules.game import Decision, Game, Move, Observation, Options

NOTHING = 0
"""What a default reply takes; no bot may choose it."""
MOST = 3


class RoundsOptions(Options, frozen=True, kw_only=True):
    """How long to play."""

    rounds: Annotated[int, Meta(ge=1, le=100, description="Decisions of each seat.")] = 3


class Take(Form):
    """Take one, two or three."""

    take: Annotated[Literal[1, 2, 3], Meta(description="How many.")]


class Countdown(Game):
    """Each seat in turn takes 1 to 3, for some rounds; who has taken the most is first."""

    name = "countdown"
    title = "Take one, two or three; the most wins."
    seat_counts = range(1, 7)
    options_type = RoundsOptions
    decisions: ClassVar[Mapping[str, AnyForm]] = {"take": Take}
    typical_decisions = 6
    at_once: ClassVar[bool] = False

    options: RoundsOptions

    def __init__(self, *, seats: int, options: Options, chance: Chance) -> None:
        super().__init__(seats=seats, options=options, chance=chance)
        self.taken: list[list[int]] = [[] for _ in range(seats)]
        self.withdrawn: list[int] = []

    def deciders(self) -> Sequence[int]:
        least = min(map(len, self.taken))
        if least == self.options.rounds:
            return ()
        waiting = [seat for seat, taken in enumerate(self.taken) if len(taken) == least]
        return waiting if self.at_once else waiting[:1]

    def decision(self, seat: int) -> Decision:
        return Decision("take", legal=[{"take": number} for number in range(1, MOST + 1)])

    def view(self, seat: int) -> Observation:
        return {"taken": self.taken, "withdrawn": self.withdrawn}  # its own, as a game may

    def check(self, seat: int, move: Move) -> str | None:
        return None

    def apply(self, moves: Mapping[int, Move]) -> None:
        for seat, move in moves.items():
            self.taken[seat].append(move["take"])
        if not self.deciders():
            self.reason = "counted"

    def default(self, seat: int) -> Move:
        return {"take": NOTHING}

    def sample(self, seat: int, rng: Random) -> Move:
        return {"take": rng.randint(1, MOST)}

    def places(self) -> list[int]:
        totals = [sum(taken) for taken in self.taken]
        return [1 + sum(other > total for other in totals) for total in totals]

    def text(self, seat: int | None = None) -> str:
        return str(self.taken)

    def withdraw(self, seat: int) -> None:
        self.withdrawn.append(seat)


class AtOnce(Countdown):
    """The same, but in each round all seats take at once, sealed."""

    name = "at_once"
    at_once = True


class Lenient(Countdown):
    """The same in turn, but the rules have a sanction of their own for an illegal reply."""

    name = "lenient"
    illegal_is_sanctioned = True


class Counting(Countdown):
    """The same in turn, with what was taken as scores, and two numbers of the match."""

    name = "counting"
    score = "all that was taken"
    measures: ClassVar[Mapping[str, str]] = {
        "most": "the most taken at once",
        "mean": "the mean of what was taken",
    }

    def scores(self) -> list[int]:
        return [sum(taken) for taken in self.taken]

    def numbers(self) -> dict[str, int | float]:
        every = [each for taken in self.taken for each in taken]
        return {"mean": sum(every) / len(every), "most": max(every)}


def dealt(kind: type[Game], seats: int, seed: str = "a deal", **options: Any) -> Game:
    """Return a game as it begins."""
    chosen = msgspec.convert(options, kind.options_type)
    return kind(seats=seats, options=chosen, chance=Chance(seed))

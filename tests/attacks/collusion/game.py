"""A game without rules: whoever is written down is asked, and sees what is written for it."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta

from referee.rules.chance import Chance
from referee.rules.form import AnyForm, Form
from referee.rules.game import Decision, Game, Move, Observation, Options

Step = Mapping[int, dict[str, Any]]
"""The view of each seat that is asked."""


class NoOptions(Options, frozen=True, kw_only=True):
    """Nothing to choose."""


class Act(Form):
    """Say that it is done."""

    done: Annotated[Literal[1], Meta(description="Always 1.")]


class Whisper(Game):
    """Asks by a script."""

    name = "whisper"
    title = "Who is asked, and what, is written."
    seat_counts = range(1, 3)
    options_type = NoOptions
    decisions: ClassVar[Mapping[str, AnyForm]] = {"act": Act}
    typical_decisions = 2

    def __init__(self, *, seats: int, options: Options, chance: Chance) -> None:
        super().__init__(seats=seats, options=options, chance=chance)
        self.script: list[Step] = []

    def deciders(self) -> Sequence[int]:
        return tuple(self.script[0]) if self.script else ()

    def decision(self, seat: int) -> Decision:
        return Decision("act", legal=[{"done": 1}])

    def view(self, seat: int) -> Observation:
        return self.script[0][seat]

    def check(self, seat: int, move: Move) -> str | None:
        return None

    def apply(self, moves: Mapping[int, Move]) -> None:
        self.script = self.script[1:]
        if not self.script:
            self.reason = "told"

    def default(self, seat: int) -> Move:
        return {"done": 1}

    def sample(self, seat: int, rng: Random) -> Move:
        return {"done": 1}

    def places(self) -> list[int]:
        return [1] * self.seats

    def text(self, seat: int | None = None) -> str:
        return f"{len(self.script)} to be asked"

    def withdraw(self, seat: int) -> None:
        self.script = []
        self.reason = "withdrawn"

"""What all formats of ties share: they are told anew from the rounds that there are."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from arena.schedule.bracket import Bracket
from arena.schedule.bracket_standings import bracket_standings
from arena.schedule.course import Course, Steps, follow
from arena.schedule.deal import Entrant
from arena.schedule.rounds import Frame, Lineup, Over, Round, RoundTerms, Standings
from arena.schedule.seeding import seeds


class BracketFormat(ABC):
    """A format of ties. Who takes part, and what shapes the bracket, is asked of the first round.

    Raises ArenaError for options that cannot be meant.
    """

    title: str
    """What it is called in sentences."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame

    def next_round(
        self, past: Sequence[Round], field: Sequence[Entrant], terms: RoundTerms
    ) -> Sequence[Lineup] | Over:
        """Return the deals of all ties of a stage, or those that its undecided ties need more."""
        bracket, asked = self._followed(past, field, terms)
        return Over(bracket.over) if asked is None else asked

    def standings(
        self,
        past: Sequence[Round],
        field: Sequence[Entrant],
        terms: RoundTerms,
        name: Callable[[Entrant], str],
    ) -> Standings:
        """Return the places, a table for each stage and, where it has one, the bracket as text."""
        bracket, _ = self._followed(past, field, terms)
        course = Course(past, field, terms)
        return bracket_standings(bracket, course, name, self._picture(bracket, course, name))

    def _followed(
        self, past: Sequence[Round], field: Sequence[Entrant], terms: RoundTerms
    ) -> tuple[Bracket, Sequence[Lineup] | None]:
        self._check(terms.options, self._frame.seats)
        course, bracket = Course(past, field, terms), Bracket()
        return bracket, follow(self._steps(course, bracket), past)

    def _steps(self, course: Course, bracket: Bracket) -> Steps[None]:
        seats = self._frame.seats
        bracket.seeds = yield from seeds(course, self._frame, self.title)
        if len(bracket.seeds) < seats:
            bracket.over = (
                f"A {self.title} needs at least {seats} bots, and {len(bracket.seeds)} can play: "
                f"add bots."
            )
        else:
            yield from self._played(course, bracket, seats)

    @abstractmethod
    def _check(self, options: Any, seats: int) -> None:
        """Raise ArenaError for options that cannot be meant with so many seats."""

    @abstractmethod
    def _played(self, course: Course, bracket: Bracket, seats: int) -> Steps[None]:
        """Go through the stages of a bracket whose seeds are known."""

    def _picture(
        self, _bracket: Bracket, _course: Course, _name: Callable[[Entrant], str]
    ) -> tuple[str, ...]:
        return ()

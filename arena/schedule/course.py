"""The course of a tournament, told as if it were being played: a format asks, the past answers.

A format is written as a generator: it yields the line-ups of a round and gets the round when it is
over. To know what comes next, it is run again from the start and given the rounds there are, so
that nothing is ever kept but the rounds themselves.
"""

from collections.abc import Generator, Iterable, Sequence
from typing import TypeAlias, TypeVar

from arena.schedule.deal import Entrant
from arena.schedule.rounds import Lineup, Round, RoundTerms
from referee.rules.chance import Chance, Key

T = TypeVar("T")
Steps: TypeAlias = Generator[Sequence[Lineup], Round, T]
"""What a format does: it yields line-ups, is sent the round of them, and returns at its end."""

_DRAWN_FROM = 2**62  # numbers that bots draw; no two of a league will draw the same


class Course:
    """The rounds that are over and the present; a format that goes through it is always at one."""

    def __init__(self, past: Sequence[Round], field: Sequence[Entrant], terms: RoundTerms) -> None:
        self._fields = [*(each.field for each in past), tuple(field)]
        self._terms = [*(each.terms for each in past), terms]
        self._at = 0
        self.entrants = {entrant.key: entrant for some in self._fields for entrant in some}
        """All bots that ever could play, by key, as they were last."""

    @property
    def terms(self) -> RoundTerms:
        """What is asked of the round that is drawn next."""
        return self._terms[self._at]

    @property
    def first_terms(self) -> RoundTerms:
        """What was asked of the first round."""
        return self._terms[0]

    @property
    def field(self) -> dict[str, Entrant]:
        """Who can play in the round that is drawn next, by key."""
        return {entrant.key: entrant for entrant in self._fields[self._at]}

    @property
    def first_field(self) -> tuple[str, ...]:
        """Who could play in the first round, in the order of the league's file."""
        return tuple(entrant.key for entrant in self._fields[0])

    def ask(self, lineups: Iterable[Iterable[str]]) -> Steps[Round]:
        """Ask for a round of line-ups of bots that can play; return it when it is over."""
        field = self.field
        asked = yield [tuple(field[key] for key in sorted(lineup)) for lineup in lineups]
        self._at += 1
        return asked


def follow(steps: Steps[None], past: Sequence[Round]) -> Sequence[Lineup] | None:
    """Run a format through the past; return what it asks for next, None if it has come to an end.

    Rounds beyond its end are of no interest to it.
    """
    try:
        asked = next(steps)
        for each in past:
            asked = steps.send(each)
    except StopIteration:
        return None
    return asked


def drawn(chance: Chance, keys: Iterable[str], *event: Key) -> list[str]:
    """Return bots in an order that is drawn.

    Each draws a number by its key, so a bot more or less leaves the others in their order.
    """
    return sorted(keys, key=lambda key: (chance.below(_DRAWN_FROM, *event, key), key))

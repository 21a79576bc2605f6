"""Ties: bots that meet until it is known who of them goes on; tournaments of them as generators.

A format is written as a generator: it yields the line-ups of a round and gets the round when it is
over. To know what comes next, it is run again from the start and given the rounds there are, so
that nothing is ever kept but the rounds themselves.
"""

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Annotated, Literal, TypeAlias, TypeVar

import msgspec

from arena.schedule.deal import Entrant
from arena.schedule.rounds import Lineup, Round, RoundTerms, repeated
from arena.stats.sequential import Rates, SequentialTest
from protocol.errors import ArenaError

T = TypeVar("T")
Steps: TypeAlias = Generator[Sequence[Lineup], Round, T]
"""What a format does: it yields line-ups, is sent the round of them, and returns at its end."""


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


Seeding = Literal["drawn", "file", "rating"]
Decide = Literal["deals", "sure"]


class BracketOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The options of all formats that have a bracket."""

    seeding: Seeding = "drawn"
    """By lot, in the order of the league's file, or by a round-robin that is played first."""
    seeding_deals: Annotated[int, msgspec.Meta(ge=1)] = 1
    """How many deals of each line-up that round-robin has."""
    advance: Annotated[int, msgspec.Meta(ge=1)] = 1
    """How many of a table go on."""
    decide: Decide = "deals"
    """Whether a tie has so many deals, or as many as make sure who is better."""
    tiebreak_deals: Annotated[int, msgspec.Meta(ge=0)] | None = None
    """How many deals an equal tie plays beyond, one at a time; None for as many again."""
    most_deals: Annotated[int, msgspec.Meta(ge=1)] | None = None
    """How many deals `sure` plays at most; None for 20 times the deals of a tie."""


def check_bracket(options: BracketOptions, seats: int) -> None:
    """Raise ArenaError if no bracket of so many seats can have these options."""
    if options.advance >= seats:
        raise ArenaError(
            f"advance = {options.advance} lets all {seats} bots of a table go on: "
            f"it must be less than {seats}."
        )
    if options.seeding_deals != 1 and options.seeding != "rating":
        raise ArenaError(
            'seeding_deals is for seeding = "rating", which plays a round-robin: take it out.'
        )
    if options.decide == "sure" and seats != 2:
        raise ArenaError(
            f'decide = "sure" compares two bots; at tables of {seats} seats use decide = "deals".'
        )
    if options.decide == "sure" and options.tiebreak_deals is not None:
        raise ArenaError(
            'tiebreak_deals is for decide = "deals": take it out, or bound "sure" by most_deals.'
        )
    if options.most_deals is not None and options.decide != "sure":
        raise ArenaError(
            'most_deals bounds the deals of decide = "sure": take it out, or set tiebreak_deals.'
        )


How = Literal["", "bye", "walkover", "better seed"]
"""What else than points decided a tie."""

_MOST_BATCHES = 20  # that a tie decided by «sure» plays, where a league's file does not say


@dataclass
class Tie:
    """Bots at a table, and what they have played so far; a single one goes on without a deal."""

    bots: tuple[str, ...]
    """Their keys, the best seed first."""
    advance: int
    """How many go on."""
    deals: list[tuple[Fraction, ...]] = field(default_factory=list)
    """The shares of the points in each deal that counts, in the order of the bots."""
    gone: set[str] = field(default_factory=set)
    """Who was out, and so lost it."""
    order: tuple[str, ...] = ()
    """Those who are not gone, the best first, once it is decided."""
    on: tuple[str, ...] | None = None
    """Who goes on; None while it is undecided."""
    how: How = ""
    _agreed: int = 0  # the deals it was to have, before any tie-break
    _test: SequentialTest = field(default_factory=lambda: SequentialTest(Rates()))
    _tested: int = 0  # the deals that the test has seen

    @property
    def points(self) -> tuple[Fraction, ...]:
        """The sum of each bot's shares."""
        return tuple(
            sum((deal[at] for deal in self.deals), Fraction()) for at in range(len(self.bots))
        )

    @property
    def out(self) -> list[str]:
        """Who does not go on."""
        return [bot for bot in self.bots if bot not in (self.on or ())]

    @property
    def losers(self) -> list[str]:
        """Who played and does not go on."""
        return [bot for bot in self.out if bot not in self.gone]

    def wanted(self, course: Course) -> int:
        """Return how many deals it plays next; none once it is decided, which it may be now.

        What was played counts before who left since.
        """
        if self.on is not None:
            return 0
        wanted = 0
        if not self.gone and len(self.bots) > self.advance:
            wanted = self._undecided(course.terms)
            if not wanted:
                self._settle()
                return 0
        if not self.gone:
            self.gone = set(self.bots) - course.field.keys()
        if self.gone or not wanted:
            self._settle_without_play()
            return 0
        if not self.deals:
            self._agreed = wanted
        return wanted

    def _undecided(self, terms: RoundTerms) -> int:
        """Return how many deals more decide it, or may; none if points do."""
        options = terms.options
        if options.decide == "sure":
            most = options.most_deals
            most = _MOST_BATCHES * terms.deals if most is None else most
            return 0 if self.is_sure else max(0, min(terms.deals, most - len(self.deals)))
        if not self.deals:
            return terms.deals
        most = terms.deals if options.tiebreak_deals is None else options.tiebreak_deals
        return int(self.level and len(self.deals) - self._agreed < most)

    @property
    def level(self) -> bool:
        """Whether points leave open who goes on."""
        ranked = sorted(self.points, reverse=True)
        return ranked[self.advance - 1] == ranked[self.advance]

    @property
    def is_sure(self) -> bool:
        """Whether a test of the first two bots has come to a verdict."""
        for deal in self.deals[self._tested :]:
            self._test.add(float(deal[0]))
        self._tested = len(self.deals)
        return self._test.verdict is not None

    def take(self, played: Round) -> None:
        """Take in what was played of it in a round."""
        self.gone |= {entrant.key for entrant in played.out if entrant.key in self.bots}
        for deal in sorted(played.deals, key=lambda deal: deal.number):
            keys = [entrant.key for entrant in deal.lineup]
            if deal.matches is not None and set(keys) == set(self.bots):
                shares = dict(zip(keys, deal.shares(), strict=True))
                self.deals.append(tuple(shares[bot] for bot in self.bots))

    def _settle(self) -> None:
        self.order = self._ranked()
        self.on = self.order[: self.advance]
        if self.level:
            self.how = "better seed"

    def _settle_without_play(self) -> None:
        """Without the bots that are gone, nothing can be played: the others go on.

        If they have played before, points say who of them does.
        """
        self.order = tuple(bot for bot in self._ranked() if bot not in self.gone)
        self.on = self.order[: self.advance] if self.deals else self.order
        self.how = "walkover" if self.gone else "bye"

    def _ranked(self) -> tuple[str, ...]:
        points = dict(zip(self.bots, self.points, strict=True))
        return tuple(sorted(self.bots, key=lambda bot: -points[bot]))  # seeds stay in order


def play(ties: Sequence[Tie], course: Course) -> Steps[None]:
    """Have ties played until all are decided: each in as many rounds as it needs.

    The deals of a tie follow each other, as its bots' processes are then kept.
    """
    while True:
        wanted = [(tie, count) for tie in ties if (count := tie.wanted(course))]
        if not wanted:
            return
        played = yield from course.ask(repeated((tie.bots, count) for tie, count in wanted))
        for tie, _ in wanted:
            tie.take(played)

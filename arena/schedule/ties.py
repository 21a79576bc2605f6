"""Ties: bots that meet until it is known who of them goes on."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from arena.schedule.course import Course, Steps
from arena.schedule.rounds import Round, RoundTerms, repeated
from arena.stats.sequential import Rates, SequentialTest

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
    def losers(self) -> list[str]:
        """Who played and does not go on."""
        return [bot for bot in self.bots if bot not in (self.on or ()) and bot not in self.gone]

    def wanted(self, course: Course) -> int:
        """Return how many deals it plays next; none once it is decided, which it may be now.

        What was played counts before who left since.
        """
        if self.on is not None:
            return 0
        wanted = 0
        if not self.gone and len(self.bots) > self.advance:
            wanted = _WANTED[course.terms.options.decide](self, course.terms)
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

    @property
    def beyond(self) -> int:
        """How many deals were played beyond those agreed on."""
        return len(self.deals) - self._agreed

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


def _wanted_deals(tie: Tie, terms: RoundTerms) -> int:
    if not tie.deals:
        return terms.deals
    most = terms.options.tiebreak_deals
    return int(tie.level and tie.beyond < (terms.deals if most is None else most))


def _wanted_sure(tie: Tie, terms: RoundTerms) -> int:
    if tie.is_sure:
        return 0
    most = terms.options.most_deals
    most = _MOST_BATCHES * terms.deals if most is None else most
    return max(0, min(terms.deals, most - len(tie.deals)))


_WANTED = {"deals": _wanted_deals, "sure": _wanted_sure}


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

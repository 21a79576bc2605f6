"""What each bot has of the rounds of a Swiss tournament: points, opponents, byes."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Literal, NamedTuple

from arena.schedule.deal import Entrant
from arena.schedule.rounds import Round

HALF = Fraction(1, 2)

Kind = Literal["played", "bye", "walkover", "out", "missed"]
"""What a bot did in a round.

`walkover`: a bot of its table was out, so nothing was played. `missed`: it was not in the league.
"""


class SwissGain(NamedTuple):
    """What a bot has of one round."""

    kind: Kind
    gained: Fraction
    share: Fraction | None = None
    """The mean share of the points of the deals; None if none counts."""
    others: tuple[str, ...] = ()
    """Whom it played."""


@dataclass
class SwissScore:
    """What a bot has of all rounds."""

    key: str
    cells: list[SwissGain] = field(default_factory=list)

    @property
    def points(self) -> Fraction:
        """The sum of what it gained."""
        return sum((cell.gained for cell in self.cells), Fraction())

    @property
    def share(self) -> Fraction | None:
        """The mean of its shares of the points, in the rounds that it played."""
        shares = [cell.share for cell in self.cells if cell.share is not None]
        return sum(shares, Fraction()) / len(shares) if shares else None

    def count(self, kind: Kind) -> int:
        """Return how many rounds of a kind it has."""
        return sum(cell.kind == kind for cell in self.cells)


class SwissScores:
    """What all bots have of the rounds so far, by key; with `win`, a pairing won is one point."""

    def __init__(
        self, past: Sequence[Round], entrants: Sequence[Entrant], *, seats: int, win: bool
    ) -> None:
        known = {*entrants, *(entrant for each in past for entrant in each.field)}
        self.by_bot = {key: SwissScore(key) for key in sorted({entrant.key for entrant in known})}
        self._unplayed = Fraction(1) if seats == 2 else HALF  # the mean of a larger table
        self._win = win
        for each in past:
            cells = dict(self._cells(each))
            for key, score in self.by_bot.items():
                score.cells.append(cells.get(key, SwissGain("missed", Fraction())))

    def _cells(self, played: Round) -> Iterator[tuple[str, SwissGain]]:
        tables: dict[tuple[str, ...], list[tuple[Fraction, ...]]] = {}
        for deal in played.deals:
            found = tables.setdefault(tuple(entrant.key for entrant in deal.lineup), [])
            if deal.matches is not None:
                found.append(deal.shares())
        table_of = {key: table for table in tables for key in table}
        out = {entrant.key for entrant in played.out}
        for key in (entrant.key for entrant in played.field):
            table = table_of.get(key)
            if key in out:
                yield key, SwissGain("out", Fraction())
            elif table is None:
                yield key, SwissGain("bye", self._unplayed)
            elif not (deals := tables[table]):
                yield key, SwissGain("walkover", self._unplayed)
            else:
                at = table.index(key)
                share = sum((shares[at] for shares in deals), Fraction()) / len(deals)
                others = tuple(other for other in table if other != key)
                yield key, SwissGain("played", self._gained(share), share, others)

    def _gained(self, share: Fraction) -> Fraction:
        if not self._win:
            return share
        return Fraction(1) if share > HALF else HALF if share == HALF else Fraction()

    @cached_property
    def met(self) -> Counter[tuple[str, str]]:
        """How often two bots have played each other; both orders."""
        return Counter(
            (score.key, other)
            for score in self.by_bot.values()
            for cell in score.cells
            for other in cell.others
        )

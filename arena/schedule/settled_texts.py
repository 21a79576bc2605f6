"""What the format `settled` says: its last sentence, and how a tournament stands; pure."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from arena.schedule.goal import Compared, Findings, Measure, doubt
from arena.schedule.rounds import Standings, StandingsGrid

_MOST_NAMED = 12  # bots of a sentence
_MOST_ROWS = 40  # of open comparisons, the least sure first
_MOST_DEALS = 1_000_000  # that are told to be wanted: more are as good as endless
_HALVINGS = 40


@dataclass(frozen=True)
class Texts:
    """What is known of a goal, with all that is needed to say it."""

    found: Findings
    measure: Measure
    names: Sequence[str]
    """What the bots of the field are called."""
    confidence: float
    apart: bool
    deals: int
    """How many count so far."""

    @property
    def _allowed(self) -> float:
        return 1 - self.confidence

    @property
    def asked(self) -> str:
        """What was asked, as the beginning of a sentence."""
        goal, bots = self.found.goal, len(self.names)
        if goal.kind == "pair":
            one, other = (self.names[bot] for bot in self.found.pair)
            return f"Asked how {one} and {other} compare"
        if goal.kind == "order":
            return f"Asked for the order of {bots} bots"
        few = "best" if goal.count == 1 else f"top {goal.count}"
        return f"Asked for the {few} of {bots} bots"

    @property
    def claim(self) -> str:
        """The likeliest answer, as a part of a sentence."""
        goal, order = self.found.goal, [self.names[bot] for bot in self.found.order]
        most = f"{50 + 100 * self.measure.margin:g} % of the points"
        if goal.kind == "pair":
            one, other = (self.names[bot] for bot in self.found.pair)
            return {
                "equal": f"they are equal, as neither takes more than {most} against the other",
                "better": f"{one} is better than {other}",
                "worse": f"{other} is better than {one}",
            }[self.found.verdict]
        if goal.kind == "top" and goal.count >= len(order):
            return "these are all"
        if goal.kind == "order":
            whole, whom = f"it is {_listed(order, 'then')}", "who stands before it"
        elif goal.count == 1:
            whole, whom = f"it is {order[0]}", order[0]
        else:
            whole, whom = f"they are {_listed(order[: goal.count], 'and')}", "one of them"
        if self.apart:
            return f"{whole}; equals, told by neither taking more than {most}, may change places"
        if not self.measure.margin:
            return f"{whole}; no other is better than {whom}"
        return f"{whole}; no other takes more than {most} against {whom}"

    def answer(self) -> str:
        """Return the sentence of a goal that is known."""
        if self.found.goal.kind == "top" and self.found.goal.count >= len(self.names):
            return f"{self.asked}: {self.claim}."
        return (
            f"{self.asked}: {self.claim}. That is wrong with a chance of "
            f"{100 * self._allowed:.3g} % at most, after {self.deals:,} deals."
        )

    def unanswered(self, limit: int) -> str:
        """Return the sentence of a goal that is not known at the limit."""
        return (
            f"{self.asked}: not known for sure at the limit of {limit:,} deals, which a "
            f"round-robin would have had. {self._so_far()}"
        )

    def _so_far(self) -> str:
        if not self.deals:
            return "Nothing was played yet."
        least = self.found.open[-1]
        more = len(self.found.open) - 1
        also = f", and {more:,} more comparison{'s' * (more > 1)}" if more else ""
        return (
            f"Most likely, {self.claim}. Still open is how {self.names[least.better]} compares "
            f"with {self.names[least.other]}{also}."
        )

    def standings(self) -> Standings:
        """Return how it stands: what is open, and what is known."""
        note = f"{self.asked}. {self._so_far()}" if self.found.open else self.answer()
        ranks = {self.names[bot]: self._ranks(bot) for bot in self.found.order}
        grid = self._known(ranks)
        if not self.found.open:
            return Standings((grid,), notes=(note,), ranks=ranks)
        return Standings((grid, self._open()), notes=(note,), ranks=ranks)

    def _known(self, ranks: Mapping[str, tuple[int, int]]) -> StandingsGrid:
        rows = []
        for bot in self.found.order:
            deals = self.measure.ratings.bots[self.measure.names[bot]].deals
            first, last = ranks[self.names[bot]]
            rank = f"{first}" if first == last else f"{first}-{last}"
            rows.append((rank, self.names[bot], deals))
        return StandingsGrid("What is known", ("rank", "bot", "deals"), tuple(rows))

    def _ranks(self, bot: int) -> tuple[int, int]:
        """Return the first and the last rank that a bot may have."""
        above, below = self._separated(bot)
        return 1 + above, len(self.names) - below

    def _separated(self, bot: int) -> tuple[int, int]:
        """Return how many bots are surely better, and how many surely worse."""
        others = [other for other in self.found.order if other != bot]
        above = sum(self._is_sure(self.measure.compared(other, bot, 0.0)) for other in others)
        below = sum(self._is_sure(self.measure.compared(bot, other, 0.0)) for other in others)
        return above, below

    def _is_sure(self, comparison: Compared) -> bool:
        return comparison.doubt <= self._allowed

    def _open(self) -> StandingsGrid:
        rows = tuple(
            (
                self.names[each.better],
                self.names[each.other],
                each.lead,
                each.better_by_chance,
                self._wanted(each),
            )
            for each in self.found.open[: -_MOST_ROWS - 1 : -1]
        )
        headers = "bot", "other", "lead", "better", "more_deals"
        return StandingsGrid("Open comparisons, the least sure first", headers, rows)

    def _wanted(self, each: Compared) -> int | None:
        """Return about how many more deals the two have to play each; None for endless."""
        beyond = each.lead + each.needed
        if beyond <= 0 or not math.isfinite(each.error):
            return None
        low, high = 0.0, beyond
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            sure = doubt(beyond, middle) <= self.found.allowed
            low, high = (middle, high) if sure else (low, middle)
        wanted = each.deals * ((each.error / low) ** 2 - 1) if low else math.inf
        return max(1, math.ceil(wanted)) if wanted < _MOST_DEALS else None


def _listed(names: Sequence[str], last: str) -> str:
    """Return names as a part of a sentence, the first of very many."""
    if len(names) > _MOST_NAMED:
        return f"{', '.join(names[:_MOST_NAMED])} and so on"
    if len(names) == 1:
        return names[0]
    return f"{', '.join(names[:-1])} {last} {names[-1]}"

"""What was played according to a results file, of whatever form."""

import json
from collections import Counter, defaultdict
from collections.abc import Mapping

from arena.league.bot import check_name
from arena.stats.outcomes import Deals, Result
from arena.stats.scores import Scores, Seated
from arena.tables.results.lines import Lines
from protocol.errors import ArenaError
from referee.match.scoring import Number
from referee.rules.options import suggestion

MATCH = '{"places": {"A": 1, "B": 2}}'
"""How a match is written as JSON."""
_SHOWN = 40  # characters of somebody's text in a message


class Played:
    """What was played according to a file; equal results are kept once."""

    def __init__(self, lines: Lines, *, are_scores_kept: bool) -> None:
        self.named: frozenset[str] = frozenset()
        """All bots there are, if the file says so."""
        self.bots: set[str] = set()
        """The bots of the matches."""
        self.is_any_scored = False
        """Whether a match says what its bots scored."""
        self._are_scores_kept = are_scores_kept
        self._scored: defaultdict[str, list[Seated]] = defaultdict(list)
        """By deal; those of matches by themselves each under the number of its line."""
        self._error = lines.error
        self._results: dict[Result, Result] = {}
        self._alone: Counter[Result] = Counter()
        self._dealt: defaultdict[str, list[Result]] = defaultdict(list)

    def add(
        self, line: int, places: Mapping[str, int], deal: str, scores: Mapping[str, Number] | None
    ) -> None:
        """Count a match, which is a deal of its own unless it names one."""
        bots = tuple(sorted(places))
        result = Result(bots, tuple([places[bot] for bot in bots]))
        known = self._results.get(result)
        if known is None:
            if fault := self._fault(*result):
                raise self._error(fault, line)
            self._results[result] = known = result
        if scores is not None and scores.keys() != places.keys():
            one = min(scores.keys() ^ places.keys())
            raise self._error(
                f"{quoted(one)} has a place or a score, and not both; give scores to all bots of "
                f"a match, or to none.",
                line,
            )
        self.is_any_scored |= scores is not None
        if self._are_scores_kept:
            own = None if scores is None else tuple([scores[bot] for bot in bots])
            self._scored[f"deal {deal}" if deal else f"line {line}"].append((known.bots, own))
        if deal:
            self._dealt[deal].append(known)
        else:
            self._alone[known] += 1

    def deals(self) -> Deals:
        """Return the deals, named or not."""
        deals: Counter[tuple[Result, ...]] = Counter(
            {(result,): count for result, count in self._alone.items()}
        )
        deals.update(tuple(sorted(results)) for results in self._dealt.values())
        return deals

    def scores(self) -> Scores:
        """Return what was scored, if that is kept."""
        found = Scores()
        for matches in self._scored.values():
            found.add(matches)
        return found

    def name_bots(self, bots: list[str]) -> None:
        """Take the names of all bots, which are given once and first."""
        if self.named or self.bots:
            raise self._error("bots are named once, before the first match.")
        if not bots:
            raise self._error("bots are empty; name them, or leave the line out.")
        for bot in bots:
            if fault := self._fault_of_name(bot):
                raise self._error(fault)
        twice, count = Counter(bots).most_common(1)[0]
        if count > 1:
            raise self._error(f"two bots are called {twice!r}; give one another name.")
        self.named = frozenset(bots)

    def _fault(self, bots: tuple[str, ...], places: tuple[int, ...]) -> str | None:
        """Return what is wrong with a match; note its bots if nothing is."""
        if not bots:
            return f"places are empty; a match is written {MATCH}."
        for bot in bots:
            if fault := self._fault_of_name(bot):
                return fault
        if len(bots) == 1:
            return (
                f"a match of one bot, {bots[0]!r}, which is compared with nobody; add the others, "
                f"or take the match out."
            )
        (best, first), (worst, last) = (f(zip(places, bots, strict=True)) for f in (min, max))
        if best < 1:
            return no_place(first, best)
        if worst > len(bots):
            return (
                f"the place of {last!r} is {worst} among {len(bots)} bots; places go from 1, for "
                f"the best, to {len(bots)}, and are not points."
            )
        if best > 1:
            return f"the best place, of {first!r}, is {best}; places start at 1."
        self.bots.update(bots)
        return None

    def _fault_of_name(self, bot: str) -> str | None:
        if bot in self.bots:
            return None
        try:
            check_name(bot)
        except ArenaError as error:
            return str(error)
        if self.named and bot not in self.named:
            return f"there is no bot {bot!r} among those named. {suggestion(bot, self.named)}"
        return None


def no_place(bot: str, place: object) -> str:
    """Return the complaint about what is no place, whoever else played."""
    return (
        f"the place of {quoted(bot)} is {shown(place)}; places are whole numbers, 1 for the best."
    )


def no_score(bot: str, score: object) -> str:
    """Return the complaint about what is no score."""
    return f"the score of {quoted(bot)} is {shown(score)}; scores are numbers, such as 2.5 or -1."


def quoted(name: str) -> str:
    """Return a name in quotes, as much of it as a message needs."""
    return repr(name if len(name) <= _SHOWN else name[:_SHOWN] + "…")


def shown(value: object) -> str:
    """Return a value as JSON, as much of it as a message needs."""
    if isinstance(value, str) and len(value) > _SHOWN:
        value = value[:_SHOWN] + "…"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 2 * _SHOWN else text[:_SHOWN] + "…"

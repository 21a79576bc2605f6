"""Plain results files, for people who want nothing but a table."""

import sys
from collections import Counter, defaultdict
from pathlib import Path

from arena.league.bot import check_name
from arena.stats.outcomes import Deals, Result
from arena.tables.field import Field
from arena.tables.results_forms import MATCH, Lines, Named, Written, no_place, parts
from arena.text import safe
from protocol.errors import ArenaError
from referee.options import suggestion

STANDARD_INPUT = Path("-")
"""What is typed for a results file that comes through a pipe."""


def read_results(path: Path) -> Field:
    """Return the field of a results file, or of standard input for `-`.

    Raises ArenaError with the file, the line and the remedy if anything is wrong: no line is
    passed over.
    """
    name = "standard input" if path == STANDARD_INPUT else str(path)
    try:
        if path == STANDARD_INPUT:
            return _field(name, Lines(name, sys.stdin.buffer))
        with path.open("rb") as stream:
            return _field(name, Lines(name, stream))
    except FileNotFoundError:
        raise ArenaError(
            f"there is no league and no results file {name!r}: no such folder or file."
        ) from None
    except OSError as error:
        raise ArenaError(f"{name} cannot be read: {error.strerror}.") from None


def _field(name: str, lines: Lines) -> Field:
    played = _Played(lines)
    for part in parts(lines):
        if isinstance(part, Written):
            played.add(part)
        else:
            played.name_bots(part)
    if not lines.number:
        raise ArenaError(f"{name} is empty; a results file has lines such as {MATCH}.")
    if not played.bots:
        raise ArenaError(f"{name} holds no match, so there is nothing to rate.")
    bots = tuple(sorted(played.named or played.bots))
    return Field(name=safe(name), bots=bots, deals=played.deals(), by_seat=False)


class _Played:
    """What was played according to a file; equal results are kept once."""

    def __init__(self, lines: Lines) -> None:
        self.named: frozenset[str] = frozenset()
        """All bots there are, if the file says so."""
        self.bots: set[str] = set()
        """Those of the matches."""
        self._error = lines.error
        self._results: dict[Result, Result] = {}
        self._alone: Counter[Result] = Counter()
        self._dealt: defaultdict[str, list[Result]] = defaultdict(list)

    def add(self, match: Written) -> None:
        """Count a match, which is a deal of its own unless it names one."""
        line, places, deal = match
        bots = tuple(sorted(places))
        result = Result(bots, tuple([places[bot] for bot in bots]))
        known = self._results.get(result)
        if known is None:
            self._check(result, line)
            self._results[result] = known = result
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

    def name_bots(self, named: Named) -> None:
        """Take the names of all bots, which are given once and first."""
        if self.named or self.bots:
            raise self._error("bots are named once, before the first match.")
        if not named.bots:
            raise self._error("bots are empty; name them, or leave the line out.")
        for bot in named.bots:
            self._check_name(bot, named.line)
        twice, count = Counter(named.bots).most_common(1)[0]
        if count > 1:
            raise self._error(f"two bots are called {twice!r}; give one another name.")
        self.named = frozenset(named.bots)

    def _check(self, result: Result, line: int) -> None:
        bots, places = result
        if not bots:
            raise self._error(f"places are empty; a match is written {MATCH}.", line)
        for bot in bots:
            self._check_name(bot, line)
        if len(bots) == 1:
            raise self._error(
                f"a match of one bot, {bots[0]!r}, which is compared with nobody; add the others, "
                f"or take the match out.",
                line,
            )
        for bot, place in zip(bots, places, strict=True):
            if place < 1:
                raise self._error(no_place(bot, place), line)
        highest = max(places)
        if highest > len(bots):
            raise self._error(
                f"the place of {bots[places.index(highest)]!r} is {highest} among {len(bots)} "
                f"bots; places go from 1, for the best, to {len(bots)}, and are not points.",
                line,
            )
        if min(places) > 1:
            raise self._error(
                f"the best place, of {bots[places.index(min(places))]!r}, is {min(places)}; "
                f"places start at 1.",
                line,
            )
        self.bots.update(bots)

    def _check_name(self, bot: str, line: int) -> None:
        if bot in self.bots:
            return
        try:
            check_name(bot)
        except ArenaError as error:
            raise self._error(str(error), line) from None
        if self.named and bot not in self.named:
            raise self._error(
                f"there is no bot {bot!r} among those named. {suggestion(bot, self.named)}", line
            )

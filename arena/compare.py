"""Two bots compared: their deals, counted in order until a test has its verdict, in a sentence."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from arena.league.plan import LeaguePlan
from arena.play.forfeits import ForfeitRows
from arena.stats.elo import elo_of
from arena.stats.encounters import Share, encounters
from arena.stats.likelihood_ratio import Ratio
from arena.stats.outcomes import Result
from arena.stats.sequential import HALF, VERDICTS, Bounds, Rates, SequentialTest, Verdict
from arena.store.result import PlayedMatch
from arena.store.store import Store
from arena.store.suspensions import is_too_slow
from arena.tables.table import Table
from arena.text import counted
from referee.match.judging import BY_FORFEIT

REPEATS_IN_A_ROW = 50
"""After so many deals that were played like earlier ones, nothing new is waited for."""

Ending = Verdict | Literal["undecided", "stopped", "repeats", "suspended"]
"""Why a comparison is over: a verdict, or that there is none."""


class _Match(NamedTuple):
    """One match of a deal; lists go by seat."""

    rotation: int
    result: Result
    reason: str
    faults: tuple[Mapping[str, int], ...]
    forfeits: tuple[int, ...]
    moves: int


class Comparison:
    """What two bots of a league did against each other, deal by deal in the order of number.

    Deals come in any order and wait for those before them, so that what is counted is the same
    for any number of workers. Matches after the end are left out. Without chance, a deal that was
    played like an earlier one shows nothing new and is not counted.
    """

    def __init__(self, league: LeaguePlan, one: str, other: str, rates: Rates | Bounds) -> None:
        self.bots = (one, other)
        self.rates = rates
        self.test = SequentialTest(rates)
        self.ratio = Ratio(rates, _scores(league)) if isinstance(rates, Bounds) else None
        """What engine testers know, of a test of one side; no verdict rests on it."""
        self.share = Share()
        """The first bot's points against the second, by deal."""
        self.repeats = 0
        """How many deals were played like earlier ones."""
        self.ending: Ending | None = None
        self._league = league
        self._versions = {bot.name: bot.version for bot in league.bots}
        self._waiting: defaultdict[int, list[_Match]] = defaultdict(list)
        self._next = 0
        self._known: set[object] = set()
        self._repeats_in_a_row = 0
        self._rows = ForfeitRows()
        self._faults: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._forfeits: Counter[str] = Counter()
        self._suspended = ("", "")

    @property
    def matches(self) -> int:
        """How many matches the counted deals have."""
        return self.share.deals * self._league.rotation_count

    @property
    def has_begun(self) -> bool:
        """Whether any match was taken in."""
        return bool(self._next or self._waiting)

    def take(self, played: Iterable[PlayedMatch]) -> None:
        """Take in matches that were just played."""
        names = [bot.name for bot in self._league.bots]
        for each in played:
            result = each.result
            match = _Match(
                result.rotation,
                Result(tuple(names[bot] for bot in result.bots), tuple(result.places)),
                result.reason,
                tuple(result.faults),
                tuple(result.forfeits),
                result.moves,
            )
            self._add(result.number, match)

    def take_stored(self, store: Store) -> None:
        """Take in the matches that these versions of the bots played before."""
        for each in store.matches():
            if self.ending is not None:
                break
            if all(self._versions.get(bot.name) == bot.version for bot in each.bots):
                result = Result(tuple(bot.name for bot in each.bots), each.places)
                rest = each.reason, each.faults, each.forfeits, each.moves
                self._add(each.number, _Match(each.rotation, result, *rest))

    def suspend(self, bot: str, reason: str) -> None:
        """End because a bot takes no further part."""
        if self.ending is None:
            self.ending = "suspended"
            self._suspended = (bot, reason)

    def finish(self, *, stopped: bool) -> None:
        """End because no deals are left: those asked for were played, or the run was stopped."""
        if self.ending is None:
            self.ending = "stopped" if stopped else "undecided"

    def _add(self, number: int, match: _Match) -> None:
        if self.ending is not None or number >= self._league.deals:
            return
        self._waiting[number].append(match)
        whole = self._league.rotation_count
        while self.ending is None and len(self._waiting.get(self._next, ())) == whole:
            self._count(self._waiting.pop(self._next))
            self._next += 1

    def _count(self, matches: list[_Match]) -> None:
        """Count the next deal; a bot that keeps forfeiting is not to be judged by that."""
        self._note_forfeits(matches)
        if self.ending is not None:
            return
        if not self._league.game.has_chance and self._is_repeat(matches):
            self.repeats += 1
            self._repeats_in_a_row += 1
            if self._repeats_in_a_row == REPEATS_IN_A_ROW:
                self.ending = "repeats"
            return
        self._repeats_in_a_row = 0
        for match in matches:
            for bot, kinds in zip(match.result.bots, match.faults, strict=True):
                self._faults[bot].update(kinds)
            self._forfeits.update(match.result.bots[seat] for seat in match.forfeits)
        deal = tuple(sorted(match.result for match in matches))
        score = encounters({deal: 1})[self.bots].points.total
        self.share.add(score)
        self.test.add(float(score))
        if self.ratio is not None:
            self.ratio.add(float(score))
        self.ending = self.test.verdict

    def _note_forfeits(self, matches: list[_Match]) -> None:
        for match in sorted(matches, key=lambda match: match.rotation):
            for seat, bot in enumerate(match.result.bots):
                gone = seat in match.forfeits
                was_left = not gone and match.reason == BY_FORFEIT
                faults = match.faults[seat]
                if why := self._rows.note(bot, faults, forfeited=gone, was_left=was_left):
                    self.suspend(bot, why)

    def _is_repeat(self, matches: list[_Match]) -> bool:
        """Return whether a deal was played like an earlier one, all bots doing the same."""
        kind = tuple(sorted((self._programs(match.result), match.moves) for match in matches))
        is_known = kind in self._known
        self._known.add(kind)
        return is_known

    def _programs(self, result: Result) -> tuple[tuple[str, ...], tuple[int, ...]]:
        """Return who sat where with which place, not distinguishing copies of a third bot."""
        programs = (bot if bot in self.bots else self._versions[bot] for bot in result.bots)
        return tuple(programs), result.places

    def table(self) -> Table:
        """Return the end of it: sentences for people, a row with all numbers for programs."""
        return Table("comparison", (), [self._row()], notes=list(self._notes()), grids=())

    def status(self) -> str:
        """Return in a few words how things stand."""
        if not self.share.deals:
            return "no deal yet"
        nearest = max(self.test.verdicts, key=self.test.progress)
        said = "no difference" if nearest == "same" else nearest
        if self.ratio is not None:
            return (
                f"{counted(self.share.deals, 'deal')}: {self.bots[0]} has "
                f"{_percent(self.share.mean)}, {self.ratio}, "
                f"{100 * self.test.progress(nearest):.0f} % to «{said}»"
            )
        return (
            f"{counted(self.share.deals, 'deal')}: {self.bots[0]} has "
            f"{_percent(self.share.mean)} of the points, "
            f"{100 * self.test.progress(nearest):.0f} % of the way to «{said}»"
        )

    def _row(self) -> dict[str, Any]:
        one, other = self.bots
        low, high = self.share.interval
        rates = self.rates
        return {
            "bot": one,
            "other": other,
            "game": self._league.game.name,
            "verdict": self.ending,
            "deals": self.share.deals,
            "matches": self.matches,
            "repeats": self.repeats,
            "points": self.share.mean if self.share.deals else None,
            "low": low,
            "high": high,
            "alpha": rates.alpha,
            "beta": rates.beta,
            "margin": rates.margin if isinstance(rates, Rates) else None,
            "score0": rates.low if isinstance(rates, Bounds) else None,
            "score1": rates.high if isinstance(rates, Bounds) else None,
            "elo0": elo_of(rates.low) if isinstance(rates, Bounds) else None,
            "elo1": elo_of(rates.high) if isinstance(rates, Bounds) else None,
            "llr": self.ratio.value if self.ratio else None,
            "llr_low": self.ratio.thresholds.low if self.ratio else None,
            "llr_high": self.ratio.thresholds.high if self.ratio else None,
            "seed": str(self._league.settings.seed),
            "fresh": self._league.limits.fresh,
            "faults": dict(sorted(self._faults[one].items())),
            "forfeits": self._forfeits[one],
            "other_faults": dict(sorted(self._faults[other].items())),
            "other_forfeits": self._forfeits[other],
            "sentence": self._sentence(),
        }

    def _notes(self) -> Iterator[str]:
        yield self._sentence()
        if self.ratio is not None:
            low, high = map(elo_of, (self.ratio.bounds.low, self.ratio.bounds.high))
            yield (
                f"{self.ratio} [{low:.2f}, {high:.2f}] Elo: the log-likelihood ratio of the deals, "
                f"as fishtest and fastchess reckon it. The verdict does not rest on it."
            )
        game = self._league.game
        if game.is_pure_luck:
            yield f"Nobody decides anything in {game.name}: this is pure luck."
        if any(self._faults[bot] for bot in self.bots):
            yield (
                f"Faults in the matches that count: {'; '.join(map(self._fault_text, self.bots))}."
            )
        if any(self._forfeits[bot] for bot in self.bots):
            yield "A forfeit counts as the last place, and says nothing of how well a bot plays."

    def _fault_text(self, bot: str) -> str:
        kinds = [f"{count} {kind}" for kind, count in sorted(self._faults[bot].items())]
        if self._forfeits[bot]:
            kinds.append(f"forfeits {self._forfeits[bot]}")
        return f"{bot} {', '.join(kinds) or 'none'}"

    def _sentence(self) -> str:
        one, other = self.bots
        match self.ending:
            case "better" | "worse":
                winner, loser = self.bots if self.ending == "better" else (other, one)
                return (
                    f"{winner} is better than {loser}{self._condition()}: {self._points(winner)} "
                    f"Among equal bots, "
                    f"{_at_most(self.rates.alpha)} would end like this."
                )
            case "passed" | "failed":
                return self._one_sided()
            case "same":
                assert isinstance(self.rates, Rates)
                worth = round(100 * (HALF + self.rates.margin), 4)
                return (
                    f"Neither {one} nor {other} is worth {worth:g} % of the points against the "
                    f"other{self._condition()}: {one} took {self._points(one)} If one of them "
                    f"were, {_at_most(self.rates.beta)} would end like this."
                )
            case "repeats":
                return (
                    f"{one} and {other} play the same every time: {REPEATS_IN_A_ROW} deals in a "
                    f"row went like earlier ones. In those that differ, {one} took "
                    f"{_percent(self.share.mean)} of the points ({self._counted()}); "
                    + (
                        "there is nothing more to learn."
                        if self._league.opening is not None
                        else "there is more to learn only with openings: --opening-plies."
                    )
                )
            case "suspended":
                bot, reason = self._suspended
                remedy = (
                    "--limit move_time=SECONDS gives it more time"
                    if is_too_slow(reason)
                    else "`arena check` shows what is wrong with it"
                )
                return f"No verdict: {bot} {reason}. {remedy}."
            case _:
                yet = "yet " if self.ending == "stopped" else ""
                found = f": {one} took {self._points(one)}" if self.share.deals else "."
                return f"Not decided {yet}after {self._counted()}{found}"

    def _one_sided(self) -> str:
        """Return the verdict of a test of one side."""
        one, other = self.bots
        rates = self.rates
        assert isinstance(rates, Bounds)
        if self.ending == "passed":
            said, bound, rate = "passes", f"more than {_share(rates.low)}", rates.alpha
            doubt = f"{_percent_of(rates.low)} or less"
        else:
            said, bound, rate = "fails", f"less than {_share(rates.high)}", rates.beta
            doubt = f"{_percent_of(rates.high)} or more"
        return (
            f"{one} {said} against {other}{self._condition()}: it takes {bound}. It took "
            f"{self._points(one)} If it took {doubt}, {_at_most(rate)} would end like this."
        )

    def _condition(self) -> str:
        """Return what the verdict depends on where processes live on from match to match."""
        if self._league.limits.fresh:
            return ""
        return ", if no bot keeps anything from one match to the next (fresh = false)"

    def _points(self, bot: str) -> str:
        """Return a bot's share of the points, on how many deals, and its interval."""
        mean, (low, high) = self.share.mean, self.share.interval
        if bot != self.bots[0]:
            mean, low, high = 1 - mean, 1 - high, 1 - low
        is_verdict = self.ending in VERDICTS  # which says before what it rests on
        where = f" in {self._counted()}" if is_verdict else ""
        condition = "" if is_verdict else self._condition()
        return (
            f"{_percent(mean)} of the points{where}; 95 % interval {100 * low:.1f} to "
            f"{_percent(high)}{condition}."
        )

    def _counted(self) -> str:
        deals = counted(self.share.deals, "deal")
        matches = counted(self.matches, "match", "matches")
        return f"{deals} of {self._league.game.name} ({matches})"


def _scores(league: LeaguePlan) -> int:
    """Return how many scores a deal can have: each match gives 0, a half or 1."""
    return 2 * league.rotation_count + 1


def _share(share: float) -> str:
    """Return a share of the points, also as the lead of Elo that it stands for."""
    return f"{_percent_of(share)} of the points (Elo {elo_of(share):+.1f})"


def _percent_of(share: float) -> str:
    return f"{round(100 * share, 2):g} %"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _at_most(rate: float) -> str:
    """Return a share of all comparisons in words."""
    one_in = round(1 / rate)
    if abs(1 / rate - one_in) < 1e-6:
        return f"at most one comparison in {one_in}"
    return f"at most {100 * rate:g} % of the comparisons"

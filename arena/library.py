"""Leagues for programs: made, played and read, without the command line.

It is the public face of the package: `from arena import League`. docs/library.md shows its use.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from arena.archive.agreement import Agreement, agreement_needed
from arena.handin.gather import Workplace, gathered
from arena.league.entry import entries_of
from arena.league.file import with_game
from arena.league.games import agree, find_game, word_in
from arena.league.plan import LeaguePlan
from arena.league.settings import Settings
from arena.league.writing import make_league, seed_of
from arena.organize.entering import BotVerdict, Terms, entered
from arena.play.events import Forfeiting, Problem, RoundBegan, RunEvent, Started, Stored, Suspended
from arena.play.messages import News
from arena.play.missing import Part
from arena.play.run import Run, open_run
from arena.play.staffing import RunTerms
from arena.stats.likelihood import Ties
from arena.stats.ratings import Ratings, fit
from arena.stats.standings import Standing
from arena.store.choosing import MatchChoice
from arena.store.opening import open_store, read_league, read_played
from arena.store.rows import StoredMatch
from arena.store.store import Store
from arena.tables.cross_table import cross_table
from arena.tables.field import Field
from arena.tables.leaderboard import leaderboard, ranked_bots
from arena.tables.sources import read_field
from arena.tables.standings import read_ranking
from arena.tables.table import Table, render
from protocol.errors import ArenaError
from referee.catalog.finding import find_source
from referee.match.replay import Replay
from referee.rules.options import read_settings
from referee.sandbox import own_cores

__all__ = [
    "ArenaError",
    "BotVerdict",
    "Forfeiting",
    "League",
    "News",
    "Problem",
    "Ranking",
    "RoundBegan",
    "Running",
    "Standing",
    "Started",
    "Stored",
    "StoredMatch",
    "Suspended",
    "trust",
]


def trust(game: str) -> None:
    """Agree, once and for good, that the code of a game from a file or package may be executed.

    It runs with all your rights. Raises ArenaError if there is no such game.
    """
    agree(find_source(game))


def _rated(field: Field) -> Ratings:
    return fit(field.deals, bots=field.bots)


@dataclass(frozen=True)
class Ranking:
    """The leaderboard of a league; as text, it is the table that `arena rank` prints."""

    standings: tuple[Standing, ...]
    """A row for each bot, the best first."""
    missing: int
    """Matches that the league asks for and nobody has played."""
    notes: tuple[str, ...]
    """What a reader should know, in sentences: who was suspended, what no match says."""
    table: Table

    def __str__(self) -> str:
        """Return the table of `arena rank`, 80 columns wide."""
        return render(self.table, "simple")

    def _repr_html_(self) -> str:
        """Return the table for a notebook, which looks for a method of this name."""
        return render(self.table, "html")


class League:
    """A league: a folder with `league.toml`, what to play, and the results of what was played.

    Every method reads the folder anew, so that it sees what other programs have changed or played.
    All raise ArenaError, whose text says what is wrong, where, and what to do.
    """

    def __init__(self, folder: "str | PathLike[str]") -> None:
        """Open a league; raise ArenaError if there is none in the folder, or its file is wrong."""
        self.folder = Path(folder)
        read_played(self.folder)

    @classmethod
    def make(
        cls,
        folder: "str | PathLike[str]",
        game: str,
        bots: Sequence[str],
        *,
        options: Mapping[str, Any] | None = None,
        limits: Mapping[str, Any] | None = None,
        opening: Mapping[str, Any] | None = None,
        tournament_options: Mapping[str, Any] | None = None,
        seed: int | str | None = None,
        **settings: Any,
    ) -> "League":
        """Make a league as `arena init` does, and return it.

        A bot is the name of a bundled one, an executable, or a folder with a bot.toml; NAME=BOT
        calls it NAME. `settings` are those of the top level of `league.toml`, such as `deals` and
        `mirror`; without a `seed` a new one is drawn. `tournament_options` are those of the format,
        such as {"challengers": ["mine"]} of a gauntlet; `limits` holds seconds, MiB and the
        sandbox, by the names in `league.toml`; and `opening` is what deals begin with, such as
        {"plies": 4} or {"file": "book.epd"}. If anything is wrong, nothing is left.
        """
        kind, source = find_game(game)
        path = Path(folder)
        drawn = seed_of(seed) if seed is None or isinstance(seed, str) else seed
        usual = {"game": word_in(source, path), "seats": kind.seat_counts[0], "seed": drawn}
        asked: Settings = read_settings(Settings, {**usual, **settings}, "setting {}")
        entries = entries_of(bots, kind, path)
        make_league(
            path,
            asked,
            options or {},
            limits or {},
            entries,
            tournament_options or {},
            opening or {},
        )
        return cls(path)

    def add(
        self,
        *bots: "str | PathLike[str]",
        replace: bool = False,
        copy: bool = False,
        grant: bool = False,
        seconds: float = 5.0,
        sandbox_uid: int | None = None,
    ) -> list[BotVerdict]:
        """Check bots as `arena add` does, enter those that are fit, and return the verdicts.

        A bot is written as in `make`; a folder of bots stands for all of them. A check begins no
        more matches after so many `seconds`. With `replace`, a bot whose name is taken takes its
        place; with `copy`, copies are entered; with `grant`, a bot has what its bot.toml needs.
        """
        plan = with_game(read_played(self.folder))
        terms = Terms(seconds, sandbox_uid, copy, None, replace, grant)
        with Workplace(plan.folder, sandbox_uid) as place:
            found = gathered([str(bot) for bot in bots], plan.loaded, place).bots
            return list(entered(plan, found, terms, lambda _: None))

    @property
    def plan(self) -> LeaguePlan:
        """What its file asks for: game, seats, options, limits, bots."""
        return read_played(self.folder)

    @property
    def bots(self) -> list[str]:
        """The names of its bots."""
        return sorted(bot.name for bot in self.plan.bots)

    def run(
        self,
        *,
        workers: int | None = None,
        part: tuple[int, int] = (1, 1),
        cluster: str | None = None,
        sandbox_uid: int | None = None,
    ) -> "Running":
        """Return a run that plays whatever is missing, once it is iterated over.

        There are as many workers as have cores, unless it is said otherwise. `part` is (K, N) for
        the K-th of N parts; `cluster` is the address of a Dask scheduler.
        """
        number, of = part
        if not 1 <= number <= of:
            raise ArenaError(
                f"a part is (K, N), such as (1, 2) and (2, 2) for two machines, not {part}."
            )
        terms = RunTerms(workers, sandbox_uid, Part(number, of), cluster)
        return Running(self.folder, terms)

    def rank(self, *, draw_probability: float | None = None, ties: Ties = "unordered") -> Ranking:
        """Rate the bots by their whole deals."""
        field = read_field(self.folder)
        ratings = fit(field.deals, bots=field.bots, draw_probability=draw_probability, ties=ties)
        rows = ranked_bots(field, ratings)
        table = leaderboard(field, ratings)
        return Ranking(tuple(rows), field.missing, tuple(table.notes), table)

    def table(self) -> str:
        """Return the cross-table that `arena table` prints, 80 columns wide."""
        field = read_field(self.folder)
        return render(cross_table(field, _rated(field)), "simple")

    def tournament(self) -> str:
        """Return what `arena rank` prints of a format that goes by results: standings, ratings."""
        tables = read_ranking(self.folder, _rated, by_results=True)
        return "\n\n".join(render(table, "simple") for table in tables)

    def matches(self, *, bot: str | None = None, faulty: bool = False) -> Iterator[StoredMatch]:
        """Yield stored matches: all, those of a bot, or those with faults, of it or of anybody."""
        with open_store(read_played(self.folder)) as store:
            yield from store.matches(MatchChoice(bot=bot, faulty=faulty))

    def replay(self, match: str) -> Replay:
        """Return all decisions of a match, by its id, which may be shortened."""
        with open_store(read_played(self.folder)) as store:
            return _replay_of(store, store.find(match))

    def replays(self) -> Iterator[tuple[StoredMatch, Replay]]:
        """Yield every stored match with its decisions."""
        with open_store(read_played(self.folder)) as store:
            for match in store.matches():
                yield match, _replay_of(store, match)


class Running:
    """A run under way: iterate over it to have it play, and to see how it gets on.

    It ends when nothing is missing. To end it at once, close it or leave the loop: what was played
    is stored, and the next run goes on. One league has one run at a time.
    """

    def __init__(
        self,
        folder: Path,
        terms: RunTerms,
    ) -> None:
        self._folder = folder
        self._terms = terms
        self._run: Run | None = None

    def stop(self) -> None:
        """Let the matches that are being played be the last; a signal handler may call it too."""
        if self._run is not None:
            self._run.stop()

    def __iter__(self) -> Iterator[RunEvent]:
        """Play; yield whatever happens: a Stored for matches, and others."""
        plan = read_league(self._folder, "play" if self._terms.cluster is None else "send")
        if agreement_needed(plan):
            agreement = Agreement(plan, self._terms.workers or len(own_cores()))
            yield News(agreement.announcement)
            for _ in agreement.run():
                pass
        with open_run(plan, self._terms) as run:
            self._run = run
            try:
                if run.missing:
                    yield from run.play()
            finally:
                self._run = None


def _replay_of(store: Store, match: StoredMatch) -> Replay:
    return store.whole(match).replay

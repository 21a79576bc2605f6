"""A league's page made: what it shows, and the matches that can be stepped through."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from arena.league.file import with_game
from arena.league.plan import LeaguePlan
from arena.report.choice import Pick, candidates, in_turn, replays
from arena.report.page import page_of
from arena.report.summary import Summary, summary_of
from arena.store.opening import open_store, read_played
from arena.store.rows import BotVersion, StoredMatch, WholeMatch
from arena.text import counted
from protocol.errors import ArenaError
from referee.rules.game import Game


@dataclass(frozen=True)
class Page:
    """A page, and what is in it."""

    text: str
    match_count: int
    replay_count: int | None
    """Matches that can be stepped through; None if none were wanted."""

    @property
    def summary(self) -> str:
        """What it shows, in words."""
        said = f"{counted(self.match_count, 'match', 'matches')} in its tables"
        if self.replay_count is None:
            return said
        none = "" if self.replay_count else ", as there is none of that kind, or none that fits"
        return f"{said}, {self.replay_count} to step through{none}"


def made(folder: Path, room: int, picks: Collection[Pick], watch: Callable[[str], None]) -> Page:
    """Return the page of a league; `watch` is called now and then with what is being done.

    Matches to step through, picked for this, take at most `room` bytes. Raises ArenaError if
    nothing was played, or what was cannot be read.
    """
    league = read_played(folder)
    summary = summary_of(league, watch)
    text, count = None, None
    if room:
        text, count = _replays(league, summary, room, picks, watch) or (None, 0)
    watch("Writing the page")
    return Page(page_of(summary, text), summary.field.matches, count)


def _replays(
    league: LeaguePlan,
    summary: Summary,
    room: int,
    picks: Collection[Pick],
    watch: Callable[[str], None],
) -> tuple[str, int] | None:
    """Return the JSON of the matches there is room for, and how many they are, if any."""
    ratings = {
        BotVersion(row["bot"], row["version"]): row["rating"] for row in summary.standings.rows
    }
    opened = 0
    game = _game(league)

    with open_store(league) as store:
        watch("Choosing matches")
        chosen = in_turn(candidates(store.matches(ordered=False), ratings), picks)

        def open_match(match: StoredMatch) -> WholeMatch:
            nonlocal opened
            opened += 1
            watch(f"Playing match {opened} again")
            return store.whole(match)

        return replays(game, chosen, open_match, room)


def _game(league: LeaguePlan) -> type[Game]:
    """Return the game, by whose rules matches are played again; raise ArenaError as `with_game`."""
    try:
        return with_game(league).loaded
    except ArenaError as error:
        raise ArenaError(f"{error} Or say --replays 0: then the page has tables alone.") from None

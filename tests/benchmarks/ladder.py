"""Whether each of a game's own bots is better than the one a rung below it.

    python -m tests.benchmarks.ladder              # all games: three minutes
    python -m tests.benchmarks.ladder guerra khan  # some

Neighbours meet in a league of mirrored deals with real processes: one copy of the higher bot
against copies of the lower one, at the fewest seats the game has. The points are the
leaderboard's, the mean share of the other seats beaten, which is a half among equals. Matches
of one deal share its luck, so the error goes by deal. The run fails if a step is below
`LEAST` standard errors, if a bot is at fault, or if a game has no ladder.
"""

import math
import sys
import tempfile
import time
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from tabulate import tabulate

from arena.league.plan import LeaguePlan
from arena.league.settings import Settings
from arena.league.writing import make_league
from arena.play.events import Problem, Suspended
from arena.play.run import open_run
from arena.stats.encounters import Share, encounters
from arena.store.store import Store
from arena.tables.field import Field
from arena.tables.sources import field_of
from protocol.errors import ArenaError
from referee.games import GAMES

MEASURES = (
    "arena/stats/encounters.py bots/casino_war bots/cold_war bots/duel bots/guerra bots/khan "
    "bots/pyanitsa bots/steal_war bots/war bots/world_war referee/games"
)
FAIR = 0.5
LEAST = 2.0
HEADERS = ("game", "step", "deals", "matches", "points", "fair", "error", "sigma")


class Ladder(NamedTuple):
    """A game's bots, weakest first, and the deals each step is given."""

    bots: tuple[str, ...]
    deals: int


LADDERS = {
    "cold_war": Ladder(("random", "echo", "sensible", "diplomat"), 40),
    "guerra": Ladder(("random", "turtle", "rusher", "sensible", "general"), 100),
    "world_war": Ladder(("random", "cautious", "sensible", "marshal"), 30),
    "war": Ladder(("random", "highest", "sensible"), 200),
    "steal_war": Ladder(("random", "sensible"), 200),
    "pyanitsa": Ladder(("random", "lowest", "sensible"), 200),
    "casino_war": Ladder(("random", "cautious", "sensible"), 200),
    "khan": Ladder(("random", "quiet", "sensible", "warlord"), 300),
    "duel": Ladder(("random", "turtle", "sensible", "maestro"), 100),
}
"""Chosen so that a game takes less than a minute on two cores."""


class Step(NamedTuple):
    """What one copy of the higher bot did against the lower one."""

    deals: int
    matches: int
    points: float
    error: float
    faults: int

    @property
    def sigma(self) -> float:
        """How many standard errors the points are above the fair share."""
        lead = self.points - FAIR
        if lead and not self.error:
            return math.copysign(math.inf, lead)
        return lead and lead / self.error


def played_step(game: str, higher: str, lower: str, deals: int) -> Step:
    """Play one step; raise ArenaError if anything but a bot went wrong."""
    copies = [f"{lower} {number}" for number in range(1, GAMES[game].seat_counts[0])]
    bots = [{"name": higher, "shipped": higher}]
    bots += [{"name": copy, "shipped": lower} for copy in copies]
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(game=game, seed="ladder", deals=deals)
        league = make_league(Path(folder) / "league", settings, {}, {"sandbox": "none"}, bots)
        return measured(played(league), higher, copies)


def played(league: LeaguePlan) -> Field:
    """Play a league on all cores; return what was played."""
    with open_run(league) as run:
        for event in run.play():
            if isinstance(event, Problem | Suspended):
                raise ArenaError(str(event))
    with Store(league.database) as store:
        return field_of(league, store)


def measured(field: Field, bot: str, others: Sequence[str]) -> Step:
    """Return the points of `bot` against `others`, and their error by deal."""
    share = Share()
    for results, count in field.deals.items():
        met = encounters({results: 1})
        points = [met[bot, other].points.total for other in others]
        share.add(sum(points, Fraction()) / len(others), count)
    return Step(
        deals=share.deals,
        matches=field.matches,
        points=share.mean,
        error=share.error or 0.0,
        faults=sum(sum(kinds.values()) for kinds in (field.faults or {}).values()),
    )


def climbed(game: str) -> tuple[list[tuple[object, ...]], list[str]]:
    """Play all steps of a game; return the table's rows, and what is wrong."""
    ladder = LADDERS.get(game)
    if ladder is None and GAMES[game].decisions:
        return [(game, "no ladder")], [f"{game} has no ladder: give it one in LADDERS."]
    if ladder is None:
        return [(game, "pure luck")], []
    rows: list[tuple[object, ...]] = []
    wrong = []
    for lower, higher in zip(ladder.bots, ladder.bots[1:], strict=False):
        step = played_step(game, higher, lower, ladder.deals)
        name = f"{lower} -> {higher}"
        rows.append(
            (game, name, step.deals, step.matches, f"{step.points:.1%}", f"{FAIR:.0%}",
             f"{step.error:.1%}", f"{step.sigma:.1f}")
        )  # fmt: skip
        if step.sigma < LEAST:
            wrong.append(f"{game}: {name} is {step.sigma:.1f} standard errors, below {LEAST:g}.")
        if step.faults:
            wrong.append(f"{game}: {name} has {step.faults} faults.")
    return rows, wrong


def main(names: Sequence[str]) -> int:
    """Print the table of each game; return 1 if anything is wrong."""
    if unknown := [name for name in names if name not in GAMES]:
        print(f"There is no game {', '.join(unknown)}; there are {', '.join(GAMES)}.")
        return 1
    wrong = []
    for game in names or GAMES:
        began = time.monotonic()
        rows, problems = climbed(game)
        print(tabulate(rows, HEADERS, disable_numparse=True, stralign="right"))
        print(f"{time.monotonic() - began:.0f} s\n", flush=True)
        wrong += problems
    print("\n".join(wrong) or "Every step is a step up.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

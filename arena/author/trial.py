"""One match that a bot is tried in, in any seat, against functions that play at random."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from time import monotonic
from typing import NamedTuple

from arena.environment.settings import EnvironmentSettings
from arena.league.plan import LeaguePlan
from referee.door import DoorTerms
from referee.limits import Limits, WorkLimits
from referee.match.evidence import Played
from referee.match.match import Due, Match, bot_seeds, starts
from referee.match.replay import Entry
from referee.match.seat import FunctionSeat, ProcessSeat, Seat, play_match
from referee.rules.game import Game, Move, Options
from referee.rules.options import new_game, read_options
from referee.turn.bot_process import BotProcess

SEED = "check"
"""The usual seed of the deals in which bots are tried."""


class Setting(NamedTuple):
    """What a bot is checked for."""

    game: type[Game]
    options: Options
    limits: Limits
    seat_counts: Sequence[int]
    seed: str
    patience: float
    """Seconds after which no more of the first matches are begun."""
    build: WorkLimits = WorkLimits()
    """What a command may use that builds the bot."""
    environments: EnvironmentSettings = EnvironmentSettings()
    """How its packages are had."""
    door: DoorTerms | None = None
    """On which terms it may ask through a door, if it has one."""
    folder: Path | None = None
    """That of the league that it is to enter, where what it spends at the door is counted."""
    sandbox_uid: int | None = None
    """As for a `Launcher`."""
    given: str = ""
    """Who gave the time for it, if its author did not; else an option for more is named."""


def of_league(league: LeaguePlan, patience: float, sandbox_uid: int | None) -> Setting:
    """Return what a bot is checked for that is to enter a league, which was read with its game.

    The deals are never the league's own.
    """
    return Setting(
        game=league.loaded,
        options=read_options(league.loaded, league.options),
        limits=league.limits,
        seat_counts=[league.seats],
        seed=SEED,
        patience=patience,
        build=league.build,
        environments=league.environments,
        door=league.door,
        folder=league.folder,
        sandbox_uid=sandbox_uid,
    )


class Seating(NamedTuple):
    """One match to be played: its number from 0, how many seats, and the bot's."""

    number: int
    seats: int
    seat: int


@dataclass(frozen=True)
class Trial:
    """A match that was played by the bot, and functions in the other seats."""

    seating: Seating
    played: Played
    asked: Counter[str]
    seconds: float
    stderr_cut: bool
    """Whether its standard error was longer than what is kept."""
    outage: str
    """Why what it asked for at last failed by its provider's doing; empty if it did not."""

    @property
    def entries(self) -> list[Entry]:
        """The bot's own part of the replay."""
        return [entry for entry in self.played.replay.entries if entry.seat == self.seating.seat]

    @property
    def moves(self) -> list[Move | None]:
        """The moves that the bot answered."""
        return [entry.move for entry in self.entries]

    @property
    def faulty(self) -> tuple[int, Entry] | None:
        """The bot's first fault, and the number of the decision from 1."""
        entries = enumerate(self.entries, 1)
        return next(((at, entry) for at, entry in entries if entry.fault), None)

    @property
    def answers(self) -> int:
        """How many decisions it answered, before a fault if it had one."""
        faulty = self.faulty
        return len(self.entries) if faulty is None else faulty[0] - 1

    def longest(self, *, by_cpu: bool) -> int:
        """Return the longest time a decision took, in microseconds of its CPU or on the wall."""
        evidence = self.played.evidence
        times = evidence.cpu if by_cpu else evidence.wall
        owners = zip(self.played.replay.entries, times, strict=True)
        return max((time for entry, time in owners if entry.seat == self.seating.seat), default=0)

    def name(self) -> str:
        """Say which match it was."""
        return f"match {self.seating.number + 1}, seat {self.seating.seat} of {self.seating.seats}"


def play(setting: Setting, process: BotProcess, seating: Seating) -> Trial:
    """Play one match; the other seats answer at random, from seeds of their own."""
    seed = f"{setting.seed}-{seating.number}"
    game = new_game(setting.game, seating.seats, setting.options, seed)

    def random_seat(seat: int) -> FunctionSeat:
        rng = Random(f"{seed}-{seat}")  # noqa: S311 - a player, not a lock
        return FunctionSeat(lambda _decision, _view: game.sample(seat, rng))

    asked: Counter[str] = Counter()

    def note(due: Due) -> None:
        if due.seat == seating.seat:
            asked[due.decision.name] += 1

    seats: list[Seat] = [random_seat(seat) for seat in range(seating.seats)]
    seats[seating.seat] = ProcessSeat(process)
    control = setting.limits.time_control
    begun = starts(game, f"check-{seating.number}", control, bot_seeds(game))
    began = monotonic()
    played = play_match(Match(game, faults_allowed=0), seats, begun, note)
    seconds = monotonic() - began
    is_cut = process.stderr.dropped > 0
    return Trial(seating, played, asked, seconds, is_cut, process.outage)

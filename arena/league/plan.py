"""A league: what is to be played, by whom and under which limits; without files or results."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from arena.league.bot import Bot, DisqualifiedBot, LostBot
from arena.league.contest import HandIn
from arena.league.schedule import Entrant, Outline, Rotations, Schedule
from arena.league.seed import NEWEST, Derivation, league_key
from protocol.errors import ArenaError
from referee.game import Game
from referee.identity import GameFacts, code_of
from referee.limits import Limits, WorkLimits

DATABASE = "league.db"


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """The top level of `league.toml`, its tables aside."""

    game: str
    seed: int | str
    seats: Annotated[int, Meta(ge=2)] | None = None
    deals: Annotated[int, Meta(ge=1)] = 50
    format: Literal["round-robin"] = "round-robin"
    rotations: Rotations = "cyclic"
    share: Annotated[float, Meta(gt=0, le=1)] = 1.0


@dataclass(frozen=True)
class LeaguePlan:
    """What a league's file asks for; bots are in the order of the schedule's entrants."""

    folder: Path
    settings: Settings
    game: GameFacts
    """What is known of its game; where it is only to be read, without executing the game."""
    options: Mapping[str, Any]
    """All options of the game."""
    stored_options: Mapping[str, Any]
    """Those of them that are stored with the matches."""
    limits: Limits
    bots: tuple[Bot, ...]
    disqualified: tuple[DisqualifiedBot, ...] = ()
    """The bots that play and count no more, though they are in the file; in order of name."""
    derivation: Derivation = NEWEST
    """How its chance comes from its seed: as it did when the first match was played."""
    rules: type[Game] | None = None
    """The game itself, where it was loaded."""
    build: WorkLimits = field(default_factory=WorkLimits)
    """What a command may use that builds a bot."""
    hand_in: HandIn = field(default_factory=HandIn)
    """Who may hand in bots over a server, when, and how often."""

    @property
    def seats(self) -> int:
        """How many seats a match has."""
        if self.settings.seats is None and not self.game.seat_counts:
            raise ArenaError(
                f"{self.folder}: nothing is known yet of the game {self.settings.game!r}, whose "
                f"code is not executed to read a league: write seats into the league's file."
            )
        return self.settings.seats or self.game.seat_counts[0]

    @property
    def database(self) -> Path:
        """Where the results are."""
        return self.folder / DATABASE

    @property
    def lost(self) -> tuple[LostBot, ...]:
        """The bots that cannot be run; there are none in a league that was read to be played."""
        return tuple(bot for bot in self.bots if isinstance(bot, LostBot))

    @property
    def names(self) -> dict[str, str]:
        """The present names of all bots of the file, by the keys of their results."""
        playing = {bot.key: bot.name for bot in self.bots}
        return playing | {bot.key: bot.name for bot in self.disqualified}

    @cached_property
    def schedule(self) -> Schedule:
        """Everything that is to be played, by the key that the seed is stretched to."""
        key = league_key(self.game.name, str(self.settings.seed), self.derivation)
        versions = [bot.version for bot in self.bots]
        return Schedule(**self._extent(versions), game=self.game.name, key=key)

    @cached_property
    def outline(self) -> Outline:
        """How much is to be played: known without the key, unless a share is chosen by it."""
        return self.schedule if self.settings.share < 1 else self.check_extent()

    def check_extent(self) -> Outline:
        """Return how much there is to play or choose from; raise ArenaError if it is too much.

        The bots' files do not matter for that.
        """
        return Outline(**self._extent([""] * len(self.bots)))

    def _extent(self, versions: Sequence[str]) -> dict[str, Any]:
        entrants = (
            Entrant(bot.key, version) for bot, version in zip(self.bots, versions, strict=True)
        )
        return {
            "seats": self.seats,
            "deals": self.settings.deals,
            "rotations": self.settings.rotations,
            "share": self.settings.share,
            "entrants": tuple(entrants),
        }

    def fixed(self) -> dict[str, Any]:
        """Return what the file may not change once a match was played, by key."""
        settings = self.settings
        return {
            "game": self.game.name,
            "seats": self.seats,
            "seed": str(settings.seed),
            "format": settings.format,
            "rotations": settings.rotations,
            "options": dict(self.stored_options),
            "limits": msgspec.to_builtins(self.limits),
        }

    def conditions(self) -> dict[str, Any]:
        """Return all that is stored of how its matches are played, in a league with its game."""
        assert self.rules is not None
        return {
            **self.fixed(),
            "derivation": self.derivation,
            "facts": msgspec.to_builtins(self.game.portable()),
            "code": code_of(self.rules),
        }

"""A league: what is to be played, by whom and under which limits; without files or results."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from arena.environment.settings import EnvironmentSettings
from arena.league.bot import Bot, DisqualifiedBot, LostBot
from arena.league.contest import HandIn
from arena.league.seed import league_key
from arena.league.settings import Settings, anchor_of
from arena.schedule.asked import AskedDeals
from arena.schedule.deal import BotIndex, Entrant, Schedule, rotation_count
from arena.schedule.format_kinds import FormatTerms, InRounds, NoOptions, Plain
from arena.schedule.formats import FORMATS, USUAL_DEALS
from arena.schedule.rounds import Frame, RoundFormat, RoundTerms
from protocol.errors import ArenaError
from referee.catalog.identity import GameFacts, code_of
from referee.door import DoorTerms
from referee.limits import NO_GRANT, Grant, Limits, WorkLimits
from referee.match.opening import OpeningTerms, check_terms
from referee.rules.chance import Chance
from referee.rules.game import Game

DATABASE = "league.db"


@dataclass(frozen=True)
class LeaguePlan:
    """What a league's file asks for; bots are in the order of the schedule's entrants."""

    folder: Path
    settings: Settings
    game: GameFacts
    """What is known of its game; where it is only to be read, without executing the game."""
    options: Mapping[str, Any]
    """All options of the game."""
    limits: Limits
    bots: tuple[Bot, ...]
    disqualified: tuple[DisqualifiedBot, ...] = ()
    """The bots that play and count no more, though they are in the file; in order of name."""
    rules: type[Game] | None = None
    """The game itself, where it was loaded."""
    build: WorkLimits = field(default_factory=WorkLimits)
    """What a command may use that builds a bot."""
    environments: EnvironmentSettings = field(default_factory=EnvironmentSettings)
    """How the packages of bots are had, and what their environments may take."""
    door: DoorTerms | None = None
    """Whom its bots may ask, and on which terms; None if it has no door."""
    hand_in: HandIn = field(default_factory=HandIn)
    """Who may hand in bots over a server, when, and how often."""
    tournament_options: msgspec.Struct = field(default_factory=NoOptions)
    """The options of its format."""
    opening: OpeningTerms | None = None
    """What its deals begin with; None where they begin with the first decision."""
    unread_book: str = ""
    """Why the book of its openings could not be read, in a league that is only to be read."""
    order: tuple[str, ...] = ()
    """The names of the bots that play, in the order of its file."""

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
    def loaded(self) -> type[Game]:
        """The game itself, of a league that was read with its game."""
        assert self.rules is not None
        return self.rules

    def bot_named(self, name: str) -> Bot | None:
        """Return the bot that plays under a name, if there is one."""
        return next((bot for bot in self.bots if bot.name == name), None)

    def grant_of(self, name: str) -> Grant:
        """Return what a bot of a name is allowed in place of the limits; nothing for a new one."""
        bot = self.bot_named(name)
        return NO_GRANT if bot is None else bot.grant

    @property
    def cores(self) -> int:
        """How many cores a match gets: one for each thread of the bot that has most of them."""
        return max([self.limits.threads, *(self.limits_of(bot).threads for bot in self.bots)])

    def limits_of(self, bot: Bot) -> Limits:
        """Return what a bot is allowed in it."""
        return bot.grant.of(self.limits)

    @property
    def names(self) -> dict[str, str]:
        """The present names of all bots of the file, by the keys of their results."""
        playing = {bot.key: bot.name for bot in self.bots}
        return playing | {bot.key: bot.name for bot in self.disqualified}

    @property
    def rotation_count(self) -> int:
        """How many matches a deal has."""
        return rotation_count(self.settings.rotations, self.seats)

    @property
    def entrants(self) -> tuple[Entrant, ...]:
        """Its bots as the schedule knows them."""
        return tuple(Entrant(bot.key, bot.version, bot.is_bundled) for bot in self.bots)

    @cached_property
    def schedule(self) -> Schedule:
        """How its deals are called, dealt and seated, by the key that the seed is stretched to."""
        return Schedule(
            game=self.game.name,
            key=league_key(self.game.name, str(self.settings.seed)),
            seats=self.seats,
            rotations=self.settings.rotations,
            entrants=self.entrants,
        )

    def dealt_by_name(self) -> "LeaguePlan":
        """Return it with all bots dealt to as bundled ones, for an author who compares his own."""
        return replace(self, bots=tuple(replace(bot, known_bundled=True) for bot in self.bots))

    def is_mirrored(self, lineup: tuple[BotIndex, ...]) -> bool:
        """Return whether all rotations of a deal of these bots have the same cards.

        It follows from the league's file and the game alone, never from a machine. Where a game has
        no chance, there are no cards that a bot could know beforehand.
        """
        bots = [self.bots[index] for index in lineup]
        if not self.game.has_chance or all(bot.is_bundled for bot in bots):
            return True
        if self.settings.mirror == "even remote":
            return True
        return self.settings.mirror and not any(map(self._reaches_out, bots))

    def _reaches_out(self, bot: Bot) -> bool:
        """Return whether a bot may reach a memory that is outside of every sandbox."""
        limits = self.limits_of(bot)
        return bool(bot.remote_digest or limits.remote or limits.door or limits.devices)

    def check_openings(self) -> None:
        """Raise ArenaError unless matches can begin as it says, in a league with its game."""
        if self.opening is not None and self.rules is not None:
            options = msgspec.convert(dict(self.options), self.rules.options_type)
            check_terms(self.rules, self.seats, options, self.opening)

    @property
    def goes_by_results(self) -> bool:
        """Whether results say what is played next, round by round."""
        return isinstance(FORMATS[self.settings.tournament], InRounds)

    def check_format(self) -> None:
        """Raise ArenaError if too much is asked for, or its settings do not go together."""
        form = FORMATS[self.settings.tournament]
        if isinstance(form, InRounds):
            form.check(self.settings.tournament, self._format_terms, self.tournament_options)
        else:
            _ = self.asked

    @cached_property
    def asked(self) -> AskedDeals:
        """The deals that a league asks for that does not go by results.

        No key is stretched for them unless some are chosen by it. Raises as `check_format` does.
        """
        form = FORMATS[self.settings.tournament]
        assert isinstance(form, Plain)
        return form.asked(self._format_terms, self.tournament_options)

    @property
    def rounds(self) -> InRounds:
        """The format of a league that goes by results."""
        form = FORMATS[self.settings.tournament]
        assert isinstance(form, InRounds)
        return form

    @cached_property
    def round_format(self) -> RoundFormat:
        """It, with all that stays the same for its rounds."""
        return self.rounds.make(Frame(self.seats, self.rotation_count, lambda: self.schedule.key))

    @property
    def terms(self) -> RoundTerms:
        """What it asks of the next round, if its format goes by results."""
        keys = {bot.name: bot.key for bot in self.bots}
        return RoundTerms(self.deals, self.rounds.by_key(self.tournament_options, keys))

    @property
    def _format_terms(self) -> FormatTerms:
        settings = self.settings
        return FormatTerms(
            names=tuple(bot.name for bot in self.bots),
            first=next(iter(self.order), ""),
            seats=self.seats,
            matches_a_deal=self.rotation_count,
            deals=self.deals,
            says_deals=settings.deals is not None,
            share=settings.share,
            is_in_share=self._is_in_share,
            matches=settings.matches,
            matches_per_bot=settings.matches_per_bot,
            chance=lambda: Chance(self.schedule.key),
        )

    @property
    def anchor(self) -> tuple[str, float] | None:
        """The bot of known strength from which Elo is measured, and its points, if it has one."""
        return anchor_of(self.settings.anchor)

    @property
    def deals(self) -> int:
        """How many deals each line-up plays, unless they are drawn."""
        settings = self.settings
        return USUAL_DEALS[settings.tournament] if settings.deals is None else settings.deals

    def _is_in_share(self, lineup: tuple[BotIndex, ...], number: int, share: float) -> bool:
        return self.schedule.is_in_share(lineup, number, share)

    def fixed(self) -> dict[str, Any]:
        """Return what the file may not change once a match was played, by key.

        Whether openings were changed is not known if their book could not be read.
        """
        settings = self.settings
        opening = None if self.opening is None else msgspec.to_builtins(self.opening.fixed())
        return {
            **({} if self.unread_book else {"opening": opening}),
            "game": self.game.name,
            "seats": self.seats,
            "seed": str(settings.seed),
            "tournament": settings.tournament,
            "rotations": settings.rotations,
            "options": dict(self.options),
            "limits": self.limits.stored(),
        }

    def conditions(self) -> dict[str, Any]:
        """Return all that is stored of how its matches are played, in a league with its game."""
        assert self.rules is not None
        assert not self.unread_book
        return {
            **self.fixed(),
            "facts": msgspec.to_builtins(self.game.portable()),
            "code": code_of(self.rules),
        }

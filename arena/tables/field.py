"""A field of bots and what they played: all that a table is made of."""

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import msgspec

from arena.stats.elo import Anchor
from arena.stats.links import Succession
from arena.stats.outcomes import Deals, Result, results_of
from arena.stats.scores import Scores
from arena.store.result import Spent
from arena.store.timing import DatedTiming
from arena.tables import mirroring, sandboxes, wheels
from arena.tables.costs import Outlay
from arena.tables.mirroring import Mirroring
from arena.tables.sandboxes import Kinds
from arena.tables.wheels import Apart
from arena.text import counted, many
from referee.identity import GameFacts
from referee.limits import Grant

_NAMED = 5  # of the bots with several versions


@dataclass(frozen=True, kw_only=True)
class Field:
    """The bots of one league or results file, and the deals they played whole."""

    name: str
    """The league's folder or the file, as it was named."""
    bots: tuple[str, ...]
    """In order of name, also those that have played nothing."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """The version of each bot; empty for a file, which does not say."""
    links: tuple[Succession, ...] = ()
    """The versions of bots that came one after another; none if only present ones are here."""
    deals: Deals
    game: GameFacts | None = None
    """None for a file, which does not say."""
    by_seat: bool = True
    """Whether the results say who sat where."""
    asked: int = 0
    """The matches that the league asks for; of one that goes by results, as far as is known."""
    missing: int = 0
    """The matches that the league asks for and nobody has played."""
    remedy: str | None = ""
    """How they are to be got, where `arena run` is not the way; None where that is not said."""
    progress: str = ""
    """How far a league has come that goes by results, in a sentence."""
    suspended: Mapping[str, str] = field(default_factory=dict)
    """Why bots were suspended in the last run that they were to play in, in sentences."""
    disqualified: Mapping[str, str] = field(default_factory=dict)
    """Why bots were disqualified, by name, in the words of the organizer."""
    grants: Mapping[str, Grant] = field(default_factory=dict)
    """The limits that some bots have of their own, by name."""
    asides: tuple[str, ...] = ()
    """What is to be said of bots that are not there any more, or not as they played."""
    waiting: int = 0
    """The matches left out, because others of their deal are missing."""
    repeats: int = 0
    """The matches left out, because their deal repeated another move by move."""
    has_openings: bool = False
    """Whether its deals begin with openings already."""
    faults: Mapping[str, Mapping[str, int]] | None = None
    """How many of each kind, by bot, in all matches; None for a file, which does not say."""
    forfeits: Mapping[str, int] = field(default_factory=dict)
    """How many forfeits, by bot, in all matches."""
    unforfeited: Deals | None = None
    """The deals in which nobody forfeited; None if not asked for."""
    times: Mapping[str, Spent] | None = None
    """The times of each bot in all matches; None if not asked for or not known."""
    trips: Mapping[str, float] | None = None
    """The round trip to the machines of remote bots, in seconds; None if not asked for."""
    timings: Sequence[DatedTiming] | None = None
    """When runs began, and how quiet their machines were then; None if not asked for."""
    damaged_timings: int = 0
    """How many more of them cannot be read."""
    untimed: Mapping[str, int] = field(default_factory=dict)
    """The matches, by their machine, of which it is not known how quiet that was."""
    sandboxes: Mapping[Kinds, int] = field(default_factory=dict)
    """The matches in each kind of sandbox; empty where that is one, and no weaker than usual."""
    wheels: Apart = field(default_factory=dict)
    """The matches of bots that were run with different wheels."""
    mirroring: Mirroring = field(default_factory=Mirroring)
    """The deals of bots that are not bundled."""
    entries: Mapping[str, int] = field(default_factory=dict)
    """How many versions have played so far, by bot: of those with more than one."""
    costs: Mapping[str, Outlay] | None = None
    """What each bot has asked for through its door, in all matches; None if not asked for."""
    scores: Scores | None = None
    """What the bots scored in these deals; None if not asked for or not known."""
    anchor: Anchor | None = None
    """The bot of known strength that the league names, from which Elo is measured."""
    commas: bool = False
    """Whether numbers in sentences have commas between the thousands, as all on a page have."""

    @cached_property
    def results(self) -> Counter[Result]:
        """How many matches had each result."""
        return results_of(self.deals)

    @property
    def duels(self) -> bool:
        """Whether every match had two seats."""
        return all(len(result.bots) == 2 for result in self.results)

    @property
    def matches(self) -> int:
        """How many matches the deals have."""
        return self.results.total()

    @property
    def deal_count(self) -> int:
        """How many deals there are."""
        return sum(self.deals.values())

    @property
    def facts(self) -> dict[str, Any]:
        """What a table of the field says of the whole, for programs."""
        grants = {bot: grant.given for bot, grant in self.grants.items()}
        return {
            "game": self.game and self.game.name,
            "matches": self.matches,
            "deals": self.deal_count,
            "missing": self.missing,
            "waiting": self.waiting,
            "repeats": self.repeats,
            **({"disqualified": dict(self.disqualified)} if self.disqualified else {}),
            **({"grants": grants} if grants else {}),
            **sandboxes.facts_of(self.sandboxes),
            **wheels.facts_of(self.wheels),
            **mirroring.facts_of(self.mirroring),
            **({"versions_so_far": dict(self.entries)} if self.entries else {}),
        }

    @property
    def extent(self) -> str:
        """How much was played, as the beginning of a sentence."""
        game = f" of {self.game.name}" if self.game else ""
        whole = "whole " if self.by_seat else ""
        matches = self.counted(self.matches, "match", "matches")
        return f"{matches}{game} in {self.counted(self.deal_count, f'{whole}deal')}"

    def number(self, value: int) -> str:
        """Return a whole number as it stands in sentences."""
        return f"{value:,}" if self.commas else str(value)

    def counted(self, number: int, thing: str, plural: str = "") -> str:
        """Return a number of things in words."""
        return (many if self.commas else counted)(number, thing, plural)

    @property
    def remarks(self) -> list[str]:
        """What a reader of any table of the field should know, in sentences."""
        said = [*self.asides]
        if self.game and self.game.is_pure_luck:
            said.append(f"Nobody decides anything in {self.game.name}: this table is pure luck.")
        for bot, grant in self.grants.items():
            if grant.remote:
                said.append(
                    f"{bot} is remote: it runs on its author's machine, in no sandbox of this "
                    f"league, and the way there counts as its time."
                )
            own = msgspec.structs.replace(grant, remote=None)
            if own.given:
                said.append(f"{bot} has limits of its own: {own.words}.")
        said += sandboxes.notes_of(self.sandboxes, self.counted)
        said += wheels.notes_of(self.wheels, self.counted)
        said += mirroring.notes_of(self.mirroring, self.counted)
        if self.entries:
            named = sorted(self.entries.items(), key=lambda entry: (-entry[1], entry[0]))[:_NAMED]
            shown = ", ".join(f"{bot} {count}" for bot, count in named)
            others = len(self.entries) - len(named)
            rest = f" and of {self.counted(others, 'more bot')}" if others else ""
            said.append(
                f"Versions that have played so far: {shown}{rest}. The best of several owes more "
                f"to luck than a single one."
            )
        if self.repeats:
            more = self.counted(self.repeats, "more match repeats", "more matches repeat")
            said.append(
                f"{more} others move by move, as there is no chance in the game: their deals count "
                f"once."
            )
            if not self.has_openings:
                said.append(
                    "A new league with openings repeats less: `arena init --opening-plies`."
                )
        if self.waiting:
            more = self.counted(self.waiting, "more match counts", "more matches count")
            said.append(f"{more} only when the rest of the deal is played.")
        if self.faults and (self.waiting or self.repeats):
            said.append("Faults are those of all matches, also of those that do not count here.")
        if self.progress:
            said.append(self.progress)
        if self.progress and self.remedy is not None:
            said.append(f"`arena standings {shlex.quote(self.name)}` shows the rounds.")
        if self.missing or self.progress:
            for bot, why in self.suspended.items():
                missing = "" if self.progress else " Its matches are missing."
                said.append(f"{bot} was suspended: {why}{missing}")
        if self.missing and self.remedy is not None:
            is_missing = self.counted(self.missing, "match is", "matches are")
            remedy = self.remedy or f"`arena run {shlex.quote(self.name)}` plays what is missing"
            said.append(f"{is_missing} missing; {remedy}.")
        return said

"""A field of bots and what they played: all that a table is made of."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import msgspec

from arena.stats.elo import Anchor
from arena.stats.links import Succession
from arena.stats.outcomes import Deals, Result, results_of
from arena.stats.scores import Scores
from arena.store.suspensions import suspension
from arena.tables.facet import Facet
from arena.text import PLAIN, Words, quoted
from referee.catalog.identity import GameFacts
from referee.limits import Grant


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
    is_for_readers: bool = False
    """Whether its tables are for people who have no command line, as on a page."""
    progress: str = ""
    """How far a league has come that goes by results, in a sentence."""
    ranks: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """The first and the last rank of each bot, where the league's format tells bots apart."""
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
    facets: Sequence[Facet] = ()
    """What a reader of any of its tables must know, each matter by itself."""
    optional: Sequence[Facet] = ()
    """What was asked for, for its leaderboard."""
    scores: Scores | None = None
    """What the bots scored in these deals; None if not asked for or not known."""
    anchor: Anchor | None = None
    """The bot of known strength that the league names, from which Elo is measured."""
    words: Words = PLAIN
    """How numbers stand in sentences."""

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
    def out(self) -> Sequence[str]:
        """The bots that have no rank, as their matches are missing by their own doing."""
        return sorted(self.suspended) if self.missing else ()

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
            **{key: fact for facet in self.facets for key, fact in facet.facts.items()},
        }

    def on(self, fact: str) -> Facet:
        """Return what is to be known of a matter that has a fact; an empty facet if nothing is."""
        return next((facet for facet in self.facets if fact in facet.facts), Facet())

    @property
    def extent(self) -> str:
        """How much was played, as the beginning of a sentence."""
        game = f" of {self.game.name}" if self.game else ""
        whole = "whole " if self.by_seat else ""
        matches = self.words.counted(self.matches, "match", "matches")
        return f"{matches}{game} in {self.words.counted(self.deal_count, f'{whole}deal')}"

    @property
    def remarks(self) -> list[str]:
        """What a reader of any table of the field should know, in sentences, by weight."""
        return [*self.news, *self.circumstances]

    @property
    def news(self) -> Iterator[str]:
        """How far it is, and who is not in the table as others are, in sentences."""
        if self.progress:
            yield self.progress
        if self.missing or self.progress:
            for bot, why in self.suspended.items():
                missing = "" if self.progress else " Its matches are missing, so it has no rank."
                yield f"{suspension(bot, why)}{missing}"
        if self.missing and self.remedy is not None:
            is_missing = self.words.counted(self.missing, "match is", "matches are")
            remedy = self.remedy or f"`arena run {quoted(self.name)}` plays what is missing"
            yield f"{is_missing} missing{'' if self.is_for_readers else f'; {remedy}'}."
        if self.waiting:
            more = self.words.counted(self.waiting, "more match counts", "more matches count")
            yield f"{more} only when the rest of the deal is played."
        yield from self.asides

    @property
    def circumstances(self) -> Iterator[str]:
        """How its matches were played, where a reader should know it, in sentences."""
        if self.game and self.game.is_pure_luck:
            yield f"Nobody decides anything in {self.game.name}: this table is pure luck."
        if self.repeats:
            more = self.words.counted(self.repeats, "more match repeats", "more matches repeat")
            hint = "; in a new league, `arena init --opening-plies N` makes that rarer"
            is_hinted = not (self.has_openings or self.is_for_readers)
            yield f"{more} others move by move, and count once{hint * is_hinted}."
        for bot, grant in self.grants.items():
            if grant.remote:
                yield f"{bot} is remote: it runs on its author's machine, in no sandbox."
            own = msgspec.structs.replace(grant, remote=None)
            if own.given:
                yield f"{bot} has limits of its own: {own.words}."
        for facet in self.facets:
            yield from facet.notes

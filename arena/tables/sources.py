"""Where the field of a table comes from: a league's folder, or a file of results."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path

from arena.folders import player_of
from arena.league.files import is_of_a_league
from arena.league.plan import LeaguePlan
from arena.schedule.asked import AskedDeals
from arena.schedule.deal import BotIndex, Deal
from arena.stats.links import Succession
from arena.stats.outcomes import Result
from arena.stats.scores import Scores
from arena.store.opening import open_store, read_played
from arena.store.rows import BotVersion
from arena.store.store import Store
from arena.store.suspensions import suspensions
from arena.store.tournament import Tournament
from arena.store.unchanged import check_unchanged
from arena.store.versions import changed, disqualified, left
from arena.tables.facet import FacetSource
from arena.tables.facets import FacetOption, facets, optional
from arena.tables.field import Field
from arena.tables.results.file import read_results
from arena.text import PLAIN, Words, safe
from protocol.errors import ArenaError


def read_field(
    path: Path,
    asked: Collection[FacetOption] = (),
    *,
    versions: bool = False,
    scores: bool = False,
    forfeits: bool = False,
) -> Field:
    """Return the field of a league or a results file; raise ArenaError if it cannot be read.

    With `versions`, all versions of all bots that ever played are in it; with `forfeits`, it says
    which deals have none.
    """
    if not path.is_dir():
        known = {"versions": versions, "forfeits": forfeits}
        for name in (*(each.name for each in asked), *(name for name in known if known[name])):
            raise ArenaError(f"{path} is no league, and only leagues know {name}.")
        if is_of_a_league(path.name):
            raise ArenaError(f"{path} belongs to a league: name its folder, {path.parent}.")
        return read_results(path, scores=scores)
    league = read_played(path)
    with open_store(league) as store:
        field = field_of(league, store, asked, versions=versions, scores=scores, forfeits=forfeits)
        return replace(field, asides=asides_of(league, None if versions else store))


def asides_of(league: LeaguePlan, store: Store | None) -> tuple[str, ...]:
    """Return what is to be said of bots that are excluded or gone.

    With a `store`, also of those that are not as they played, and of those that have left.
    """
    said = [*disqualified(league, store), *(bot.remark for bot in league.lost)]
    if store:
        said += [*changed(league, store), *left(league, store)]
    return tuple(map(safe, said))


def field_of(
    league: LeaguePlan,
    store: Store,
    asked: Collection[FacetOption] = (),
    *,
    versions: bool = False,
    scores: bool = False,
    forfeits: bool = False,
    without: Collection[str] = (),
    words: Words = PLAIN,
) -> Field:
    """Return the field of the league's present bots, with their whole deals, and what is asked for.

    Other versions of them, and bots that have left, do not count unless they are asked for; those
    whose names are in `without` do not even then. The
    deal is the unit of statistics: half a deal would favour whoever sat better. Without chance,
    a deal that was played like another shows nothing new and counts once.
    """
    present = {BotVersion(bot.name, bot.version) for bot in league.bots}
    found = store.tallies.results()
    if found:
        check_unchanged(league, store)
    played_here = {bot for each in found.values() for bot in each.bots}
    titles = {bot: bot.name for bot in present}
    if versions:
        left_in = (bot for bot in played_here - present if bot.name not in without)
        titles |= {bot: title_of(bot) for bot in left_in}
    results = {
        number: Result(tuple(titles[bot] for bot in each.bots), each.places)
        for number, each in found.items()
        if titles.keys() >= set(each.bots)
    }
    own = {number for number, each in found.items() if present >= set(each.bots)}
    counted = _counted(league, store, results, own, scores=scores, forfeits=forfeits)
    faults, forfeited_by = _faults(store, results)
    source = FacetSource(league, store, titles, results, words)
    tournament = Tournament(league, store) if league.goes_by_results else None
    wanted = league.asked if tournament is None else tournament.asked
    return Field(
        name=safe(str(league.folder)),
        game=league.game,
        bots=tuple(sorted(titles.values())),
        versions={title: bot.version for bot, title in titles.items()},
        links=_links(store, titles) if versions else (),
        deals=counted.deals,
        asked=wanted.match_count,
        missing=_missing(league, store, wanted, counted.stored),
        progress="" if tournament is None else tournament.progress,
        ranks={} if tournament is None or versions else tournament.standings().ranks,
        remedy=remedy_of(league),
        suspended={bot: safe(why) for bot, why in suspensions(league, store).items()},
        disqualified={bot.name: bot.reason for bot in league.disqualified},
        grants={bot.name: bot.grant for bot in league.bots if bot.grant.given},
        waiting=counted.waiting,
        repeats=counted.repeats,
        has_openings=league.opening is not None or bool(league.unread_book),
        faults=faults,
        forfeits=forfeited_by,
        unforfeited=+counted.unforfeited if forfeits else None,
        facets=facets(source, versions=versions),
        optional=optional(source, asked),
        scores=counted.scores,
        anchor=league.anchor,
        words=words,
    )


@dataclass
class _Counted:
    """What the stored deals of a field come to."""

    scores: Scores | None
    deals: Counter[tuple[Result, ...]] = field(default_factory=Counter)
    unforfeited: Counter[tuple[Result, ...]] = field(default_factory=Counter)
    stored: int = 0
    """The matches of present bots."""
    waiting: int = 0
    repeats: int = 0


def _counted(
    league: LeaguePlan,
    store: Store,
    results: Mapping[int, Result],
    own: Collection[int],
    *,
    scores: bool,
    forfeits: bool,
) -> _Counted:
    """Return what the stored deals come to; `own` are the results of present bots alone."""
    has_chance = league.game.has_chance
    to = _Counted(Scores() if scores and league.game.score else None)
    played: set[str] = set()
    played_out: set[str] = set()
    for numbers, moves, kept, forfeited, count in store.tallies.deals(
        moves=not has_chance, scores=to.scores is not None, forfeits=forfeits
    ):
        if any(number not in results for number in numbers):
            continue  # of others, or stored by a run since
        to.stored += count * len(numbers) * (numbers[0] in own)
        if len(numbers) < league.rotation_count:
            to.waiting += count * len(numbers)
            continue
        deal = tuple(sorted(results[number] for number in numbers))
        new = count if has_chance else _new(moves, played)
        to.repeats += (count - new) * len(numbers)
        if new:
            to.deals[deal] += new
        if forfeits and not forfeited:
            to.unforfeited[deal] += count if has_chance else _new(moves, played_out)
        if new and to.scores is not None:
            bots = (results[number].bots for number in numbers)
            to.scores.add([*zip(bots, kept, strict=True)], new)
    return to


def _links(store: Store, titles: Mapping[BotVersion, str]) -> tuple[Succession, ...]:
    """Return the versions that came one after another, of those that are in a field."""
    lines: defaultdict[str, list[str]] = defaultdict(list)
    for bot in store.bots.entries():
        if bot in titles:
            lines[bot.name].append(titles[bot])
    known = {title for line in lines.values() for title in line}
    for bot, title in titles.items():
        if title not in known:  # it has not been to play yet
            lines[bot.name].append(title)
    return tuple(Succession(*pair) for line in lines.values() for pair in pairwise(line))


def _new(moves: str, played: set[str]) -> int:
    """Return 1 for moves that were not played before, which they are from now on; otherwise 0."""
    before = len(played)
    played.add(moves)
    return len(played) - before


def title_of(bot: BotVersion) -> str:
    """Return how a version of a bot is called that is not the present one."""
    return f"{bot.name} @{bot.version[:6]}"


def remedy_of(league: LeaguePlan) -> str:
    """Return how missing matches are got, in a clause; empty where `arena run` is the way."""
    user = player_of(league.folder)
    if user is not None and not user.is_server:
        return f"a run is going on (process {user.process})"
    if user is None and not any(bot.remote_digest for bot in league.bots):
        return ""
    return "`arena serve` plays what is missing"


def _missing(league: LeaguePlan, store: Store, asked: AskedDeals, stored: int) -> int:
    """Return how many matches a league asks for beyond the stored ones of its present bots."""
    entrants = {(bot.name, bot.version): BotIndex(index) for index, bot in enumerate(league.bots)}
    for number, lineup, matches in store.tallies.deal_sizes(asked.complete_below):
        bots = [(bot.name, bot.version) for bot in lineup]
        if entrants.keys() >= set(bots):
            deal = Deal(tuple(sorted(entrants[bot] for bot in bots)), number)
            if not asked.asks_for(deal):
                stored -= matches
    return asked.match_count - stored


def _faults(
    store: Store, results: Mapping[int, Result]
) -> tuple[dict[str, Counter[str]], Counter[str]]:
    faults: defaultdict[str, Counter[str]] = defaultdict(Counter)
    forfeits: Counter[str] = Counter()
    for number, kinds, seats, count in store.tallies.faults():
        if number in results:
            bots = results[number].bots
            for seat in seats:
                forfeits[bots[seat]] += count
            for bot, found in zip(bots, kinds, strict=False):
                for kind, times in found.items():
                    faults[bot][kind] += times * count
    return faults, forfeits

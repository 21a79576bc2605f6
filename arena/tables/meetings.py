"""What is stored of the matches of one bot against each other one, read from a league."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from arena.league.plan import LeaguePlan
from arena.store.choosing import Pairing, encountered, ending_of
from arena.store.opening import open_store, read_played
from arena.store.rows import BotVersion
from arena.store.store import Store
from arena.store.suspensions import not_playing
from arena.tables.field import Field
from arena.tables.sources import asides_of, field_of, read_field, title_of
from arena.tables.table import Table
from arena.tables.why import Meeting, Side, Subject, check_there, why_table
from arena.text import composed, safe


def read_why(path: Path, bot: str, against: str | None = None) -> Table:
    """Return why a bot of a league or a results file lost, against all or one of its rivals.

    Raises ArenaError if there is no such bot, or if it cannot be read.
    """
    bot = composed(bot)
    if not path.is_dir():
        found = read_field(path)
        check_there(found, bot, found.bots)
        return why_table(found, Subject(bot=bot, name=bot), against)
    league = read_played(path)
    with open_store(league) as store:
        return why_table(*_read(league, store, bot), against)


def _read(league: LeaguePlan, store: Store, name: str) -> tuple[Field, Subject]:
    """Return the field in which a bot is looked at, and the bot.

    It is that of the tables if the bot plays as it is now; otherwise that of all versions.
    """
    results = store.tallies.results()
    played = {bot for each in results.values() for bot in each.bots}
    present = {BotVersion(bot.name, bot.version) for bot in league.bots}
    its = _version(store, name, played, present)
    is_counted = its in present
    found = field_of(league, store, versions=not is_counted)
    titles = {bot: bot.name if bot in present else title_of(bot) for bot in played | present}
    if is_counted:
        titles = {bot: titles[bot] for bot in present}
    if its is None:
        check_there(found, name, {*league.names.values(), *(bot.name for bot in played)})
        its = BotVersion(name, "")  # which has not played, and does not
    rivals = sorted(titles.keys() - {its}, key=lambda bot: titles[bot])
    pairs = [*encountered(results, its, {bot: n for n, bot in enumerate(rivals)})]
    meetings = {titles[rivals[n]]: each for n, each in _meetings(store, pairs).items()}
    subject = Subject(
        bot=titles.get(its, name),
        name=its.name,
        version=its.version or None,
        reasons=[*map(safe, _reasons(league, store, its, found))],
        meetings=meetings,
        remote={titles[BotVersion(b.name, b.version)] for b in league.bots if b.grant.remote},
    )
    said = asides_of(league, store if is_counted else None)
    return replace(
        found,
        asides=tuple(each for each in said if each not in subject.reasons),
        suspended={bot: why for bot, why in found.suspended.items() if bot != its.name},
    ), subject


def _version(
    store: Store, name: str, played: Collection[BotVersion], present: Collection[BotVersion]
) -> BotVersion | None:
    """Return the version of a bot that is meant: as it is, or else the last one that played."""
    own = next((bot for bot in present if bot.name == name), None)
    if own is not None and (own in played or not any(bot.name == name for bot in played)):
        return own
    gone = {title_of(bot): bot for bot in played if bot not in present}
    if name in gone:
        return gone[name]
    last = [store.db.bot(*pair) for pair in store.bots.last_versions().items()]
    return next((bot for bot in last if bot.name == name), own)


def _reasons(league: LeaguePlan, store: Store, bot: BotVersion, found: Field) -> Iterator[str]:
    """Yield why a bot does not play, or not in the version that is looked at."""
    yield from (why for name, why in not_playing(league, store) if name == bot.name)
    now = league.bot_named(bot.name)
    if now is not None and now.version != bot.version:
        yield f"This is version {bot.version[:6]} of {bot.name}; another one plays now."
    elif now is not None and now.grant.remote and found.missing:
        yield (
            f"{now.name} is remote: it plays what is missing while `arena serve` runs here and its "
            f"author has it connected."
        )
    elif now is None and bot.name not in (each.name for each in league.disqualified):
        yield (
            f"{bot.name} left the league: its matches do not count. This is version "
            f"{bot.version[:6]}."
        )


def _meetings(store: Store, pairs: Sequence[Pairing]) -> dict[int, Meeting]:
    """Return what is stored of the matches of pairs, by the number of the rival."""
    by_result: defaultdict[int, list[Pairing]] = defaultdict(list)
    for pair in pairs:
        by_result[pair.result].append(pair)
    found: defaultdict[int, Meeting] = defaultdict(Meeting)
    for number, reason, decisions, count in store.tallies.lengths():
        for pair in by_result.get(number, ()):
            ending = ending_of(pair.lead)
            found[pair.rival].endings[reason][ending] += count
            found[pair.rival].decisions[ending] += count * decisions
    for number, kinds, forfeited, count in store.tallies.faults():
        for pair in by_result.get(number, ()):
            for side, seat in _sides(found[pair.rival], pair):
                side.faults.update({kind: n * count for kind, n in kinds[seat].items()})
                side.forfeits += count * (seat in forfeited)
    for number, clock in store.tallies.clocks(by_result):
        for pair in by_result[number]:
            for side, seat in _sides(found[pair.rival], pair):
                side.spent.add(clock[seat])
    for rival, what, match in store.examples(pairs):
        found[rival].examples[what] = match
    return found


def _sides(meeting: Meeting, pair: Pairing) -> tuple[tuple[Side, int], tuple[Side, int]]:
    return (meeting.own, pair.own), (meeting.other, pair.other)

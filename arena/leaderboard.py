"""The leaderboard of a league: its stored matches, rated and ranked, as a table."""

from collections import defaultdict
from collections.abc import Iterable

from arena.league import League
from arena.store import StoredMatch
from arena.tables import Column, Table


def whole_deals(league: League, matches: Iterable[StoredMatch]) -> list[StoredMatch]:
    """Return the matches between the league's present bots whose deal was played whole.

    The deal is the unit of statistics: half a deal would favour whoever sat better.
    """
    present = {(bot.name, bot.version) for bot in league.bots}
    deals: dict[str, list[StoredMatch]] = defaultdict(list)
    for match in matches:
        if all((bot.name, bot.version) in present for bot in match.bots):
            deals[match.deal].append(match)
    whole = league.schedule.rotation_count
    return [match for deal in deals.values() if len(deal) == whole for match in deal]


def leaderboard(league: League, matches: Iterable[StoredMatch]) -> Table:
    found = whole_deals(league, matches)
    pts = defaultdict(float)
    n = defaultdict(int)
    for m in found:
        for b, p in zip(m.bots, m.places):
            pts[b.name] += sum((q > p) + 0.5 * (q == p) for q in m.places) - 0.5
            n[b.name] += 1
    return Table(
        "standings",
        (Column("bot", "Bot"), Column("p", "Points", lambda v: f"{v:.2f}")),
        [{"bot": b, "p": pts[b] / n[b] / (len(m.places) - 1)} for b in sorted(n)],
    )

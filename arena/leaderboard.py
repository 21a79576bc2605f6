"""The leaderboard of a league: its stored matches, rated and ranked, as a table."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from arena.league import League
from arena.outcomes import Result
from arena.ratings import fit
from arena.schedule import Deal
from arena.standings import Standing, standings
from arena.store import StoredMatch
from arena.tables import Column, Row, Table


def leaderboard(league: League, matches: Iterable[StoredMatch], notes: Sequence[str] = ()) -> Table:
    """Return the table of the league's present bots, from their whole deals.

    Other versions of them, and bots that have left, do not count.
    """
    present = between_present(league, matches)
    whole = whole_deals(league, present)
    results = [Result(match.deal, _places(match)) for match in whole]
    ratings = fit(results, bots=[bot.name for bot in league.bots])
    rows = standings(results, ratings, faults=_faults(whole), forfeits=_forfeits(whole))
    facts = {
        "game": league.game.name,
        "matches": len(whole),
        "deals": len({match.deal for match in whole}),
        "missing": _missing(league, present),
        "draw_probability": ratings.draw_probability,
    }
    return Table(
        "standings",
        _columns(league),
        [_row(row) for row in rows],
        facts,
        [*_notes(league, facts), *notes],
    )


def between_present(league: League, matches: Iterable[StoredMatch]) -> list[StoredMatch]:
    """Return the matches in which only the league's present bots sat, in their versions."""
    present = {(bot.name, bot.version) for bot in league.bots}
    return [
        match for match in matches if all((bot.name, bot.version) in present for bot in match.bots)
    ]


def whole_deals(league: League, matches: Iterable[StoredMatch]) -> list[StoredMatch]:
    """Return the matches whose deal was played whole.

    The deal is the unit of statistics: half a deal would favour whoever sat better.
    """
    deals: dict[str, list[StoredMatch]] = defaultdict(list)
    for match in matches:
        deals[match.deal].append(match)
    whole = league.schedule.rotation_count
    return [match for deal in deals.values() if len(deal) == whole for match in deal]


def _missing(league: League, matches: Iterable[StoredMatch]) -> int:
    """Return how many matches the league asks for beyond these of its present bots."""
    schedule = league.schedule
    entrants = {bot.name: number for number, bot in enumerate(league.bots)}
    wanted = sum(
        schedule.asks_for(
            Deal(tuple(sorted(entrants[bot.name] for bot in match.bots)), match.number)
        )
        for match in matches
    )
    return schedule.deal_count() * schedule.rotation_count - wanted


def _places(match: StoredMatch) -> tuple[tuple[str, int], ...]:
    return tuple((bot.name, place) for bot, place in zip(match.bots, match.places, strict=True))


def _faults(matches: Iterable[StoredMatch]) -> dict[str, Counter[str]]:
    faults: dict[str, Counter[str]] = defaultdict(Counter)
    for match in matches:
        for bot, kinds in zip(match.bots, match.faults, strict=True):
            faults[bot.name].update(kinds)
    return faults


def _forfeits(matches: Iterable[StoredMatch]) -> Counter[str]:
    return Counter(match.bots[seat].name for match in matches for seat in match.forfeits)


def _row(standing: Standing) -> dict[str, Any]:
    return {
        "rank": list(standing.ranks),
        "bot": standing.bot,
        "rating": standing.mu,
        "error": standing.error,
        "matches": standing.matches,
        "deals": standing.deals,
        "points": standing.points,
        "wins": standing.wins,
        "draws": standing.draws,
        "losses": standing.losses,
        "mean_place": standing.mean_place,
        "faults": dict(standing.faults),
        "forfeits": standing.forfeits,
    }


def _columns(league: League) -> list[Column]:
    """Return the columns; two seats win, draw and lose, more have places."""
    if league.seats == 2:
        outcome = Column("W/D/L", _win_draw_loss, "right")
    else:
        outcome = Column("Mean place", _mean_place, "right")
    return [
        Column("Rank", _ranks, "right"),
        Column("Bot", "bot"),
        Column("Rating ± 2σ", _rating, "right"),
        Column("Matches", "matches", "right"),
        Column("Points", _points, "right"),
        outcome,
        Column("Faults", _fault_text, width=16),
    ]


def _ranks(row: Row) -> str:
    first, last = row["rank"]
    return str(first) if first == last else f"{first}-{last}"


def _rating(row: Row) -> str:
    return f"{row['rating']:.2f} ± {2 * row['error']:.2f}"


def _points(row: Row) -> str:
    return "-" if row["points"] is None else f"{100 * row['points']:.1f} %"


def _win_draw_loss(row: Row) -> str:
    return f"{row['wins']}/{row['draws']}/{row['losses']}"


def _mean_place(row: Row) -> str:
    return "-" if row["mean_place"] is None else f"{row['mean_place']:.2f}"


def _fault_text(row: Row) -> str:
    kinds = [f"{count} {kind}" for kind, count in row["faults"].items()]
    if row["forfeits"]:
        kinds.append(f"forfeits {row['forfeits']}")
    return ", ".join(kinds)


def _notes(league: League, facts: Mapping[str, Any]) -> list[str]:
    notes = [
        f"{facts['matches']} matches of {league.game.name} in {facts['deals']} whole deals; "
        f"rank: first to last among those not told apart."
    ]
    if not league.game.decisions:
        notes.append(f"Nobody decides anything in {league.game.name}: this table is pure luck.")
    if facts["missing"]:
        notes.append(
            f"{facts['missing']} matches are missing; `arena run {league.folder}` plays them."
        )
    return notes

"""The leaderboard of a field: its bots, rated and ranked, as a table."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias, get_args

from arena.stats.elo import Anchor
from arena.stats.encounters import cycles, encounters, never_crossed
from arena.stats.pairs import Neighbours, neighbours
from arena.stats.ratings import FEWEST_DEALS, SEPARATED, Ratings
from arena.stats.standings import Standing, standings
from arena.stats.together import errors_together
from arena.tables.cross_table import wins_text
from arena.tables.elo import anchor_in, on_elo, rating_column
from arena.tables.facet import Facet
from arena.tables.field import Field
from arena.tables.scores import by_score, scores
from arena.tables.table import NAME_WIDTH, Column, Row, Style, Table
from arena.tables.unforfeited import unforfeited
from arena.text import counted, first_few, quoted
from protocol.errors import ArenaError
from referee.turn.answer import Kind

By: TypeAlias = Literal["rating", "score"]
"""What a leaderboard may be sorted by."""
RANKS = "A rank is a range: bots that the results cannot separate share it."
"""What a reader must know of ranks."""
_TOGETHER = "Ranks hold for the whole table at once, not pair by pair."
_NAMED_GAPS = 3
_NAMED_RANGES = 4
_PAIR = 2
KEYS = (
    *("group", "rank", "bot", "version", "rating", "error", "matches", "deals", "points"),
    *("wins", "draws", "losses", "mean_place", "faults", "forfeits"),
)


def leaderboard(
    field: Field,
    ratings: Ratings,
    *,
    faults: bool = False,
    by: By = "rating",
    together: bool = False,
    anchor: Anchor | None = None,
    without: Ratings | None = None,
    more: bool = False,
) -> Table:
    """Return the table of a field's bots, with all that was asked for with the field.

    With `faults`, every kind of them has a column; otherwise all stand in one. Ranks hold pair by
    pair, or for all pairs `together`. With an `anchor`, by default the league's, ratings are shown
    on Elo's scale. `without` are the ratings of the deals without forfeits, to stand beside; with
    `more`, a note says how many more deals would settle ranks. Raises ArenaError if faults, the
    scores to sort by, or the anchor are asked for and not known.
    """
    if faults and field.faults is None:
        raise ArenaError(f"{field.name} is a file of results, which has no faults; name a league.")
    sort_key = by_score(field) if by == "score" else None
    anchor = anchor_in(field, ratings, anchor)
    ranked = ranked_bots(field, ratings, together=together)
    own = bool(field.ranks) and not together
    found = (
        on_elo(ratings, anchor),
        scores(field),
        unforfeited(field, ratings, without, anchor),
        None if own else more_deals(field, ratings, together=together, is_asked=more),
        misfits(field, ratings, ranked),
        linked(field, ratings),
        *field.optional,
    )
    facets = [facet for facet in found if facet]
    rows = [_row(field, standing, facets) for standing in ranked]
    many = len(ratings.groups) > 1
    fault_columns = _fault_columns(rows) if faults else [_FAULTS] * (field.faults is not None)
    columns = [
        *([Column("Group", _group, "right")] if many else []),
        *_columns(facets, rating_column(anchor), fault_columns, duels=field.duels),
    ]
    facts = {**field.facts, "draw_probability": ratings.draw_probability}
    facts |= {key: fact for facet in facets for key, fact in facet.facts.items()}
    said = [
        f"{field.extent}.{_settled(field, rows, is_hinted=not more)}",
        *field.news,
        *_notes(field, ratings, rows),
        *(note for facet in facets for note in facet.notes),
        *([_TOGETHER] if together else []),
        *field.circumstances,
    ]
    if sort_key:
        rows.sort(key=sort_key)
    keys = (*KEYS, *(key for facet in facets for key in facet.keys))
    fixed = 3 if many else 2
    return Table("standings", columns, rows, facts, said, keys, flat=flat, fixed=fixed)


def ranked_bots(field: Field, ratings: Ratings, *, together: bool = False) -> list[Standing]:
    """Return the bots of a field in their order, with the ranks of its format if that has some."""
    ranked = standings(
        field.deals,
        ratings,
        faults=field.faults,
        forfeits=field.forfeits,
        together=together,
        out=field.out,
    )
    if not field.ranks or together:
        return ranked
    return [replace(each, ranks=each.ranks and field.ranks.get(each.bot)) for each in ranked]


def _columns(
    facets: Sequence[Facet], rating: Column, faults: Sequence[Column], *, duels: bool
) -> list[Column]:
    """Return the columns of every leaderboard, and those of its facets in their places."""

    def of_facets(place: str) -> list[Column]:
        return [column for facet in facets if facet.place == place for column in facet.columns]

    result = (
        Column("W/D/L", wins_text, "right") if duels else Column("Mean place", _mean_place, "right")
    )
    return [
        Column("Rank", ranks_text, "right"),
        Column("Bot", "bot", width=NAME_WIDTH),
        *of_facets("before the rating"),
        rating,
        *of_facets("after the rating"),
        Column("Matches", "matches", "right"),
        Column("Points", _points, "right"),
        result,
        *faults,
        *of_facets("last"),
    ]


def _row(field: Field, standing: Standing, facets: Sequence[Facet]) -> dict[str, Any]:
    return {
        "group": standing.group,
        "rank": standing.ranks and list(standing.ranks),
        "bot": standing.bot,
        "version": field.versions.get(standing.bot),
        "rating": standing.mu,
        "error": standing.error,
        "matches": standing.matches,
        "deals": standing.deals,
        "points": standing.points,
        "wins": standing.wins,
        "draws": standing.draws,
        "losses": standing.losses,
        "mean_place": standing.mean_place,
        "faults": None if field.faults is None else dict(standing.faults),
        "forfeits": None if field.faults is None else standing.forfeits,
        **{key: value for facet in facets for key, value in facet.row(standing.bot).items()},
    }


def _group(row: Row) -> str:
    return str(row["group"] or "-")


def flat(row: Row) -> Row:
    """Return a row as CSV has it: the ends of its rank, and every kind of fault, by themselves."""
    cells: dict[str, Any] = {}
    for key, value in row.items():
        if key == "faults":
            none = None if value is None else 0  # None: it is not known
            cells |= {f"faults_{kind}": (value or {}).get(kind, none) for kind in get_args(Kind)}
        elif key == "rank":
            cells |= dict(zip(("rank_from", "rank_to"), value or (None, None), strict=True))
        else:
            cells[key] = value
    return cells


def ranks_text(row: Row) -> str:
    """Return the interval of a row's rank."""
    if row["rank"] is None:
        return "-"
    first, last = row["rank"]
    return str(first) if first == last else f"{first}-{last}"


def _points(row: Row) -> str:
    return "-" if row["points"] is None else f"{100 * row['points']:.1f} %"


def _mean_place(row: Row) -> str:
    return "-" if row["mean_place"] is None else f"{row['mean_place']:.2f}"


def faults_text(faults: Mapping[str, int], forfeits: int) -> str:
    """Return how many faults there were of each kind, and how many forfeits."""
    kinds = [f"{count} {kind}" for kind, count in faults.items()]
    return ", ".join([*kinds, *[f"forfeits {forfeits}"] * bool(forfeits)])


def _fault_style(row: Row) -> Style | None:
    return "warning" if row["faults"] or row["forfeits"] else None


_FAULTS = Column(
    "Faults",
    lambda row: faults_text(row["faults"], row["forfeits"]),
    width=16,
    style=_fault_style,
)


def _fault_columns(rows: Sequence[Row]) -> list[Column]:
    """Return a column for every kind of fault that there was, and one for forfeits."""

    def column(kind: str) -> Column:
        return Column(kind.capitalize(), lambda row: str(row["faults"].get(kind, 0)), "right")

    kinds = sorted({kind for row in rows for kind in row["faults"]})
    return [*map(column, kinds), Column("Forfeits", "forfeits", "right", style=_fault_style)]


def _settled(field: Field, rows: Sequence[Row], *, is_hinted: bool) -> str:
    """Return which ranks are not settled, and what settles them, as a sentence that follows one.

    Of a league that goes by results, that is no matter of more deals: it says itself how far it is.
    """
    ranked = [row for row in rows if row["rank"]]
    if field.progress or len(ranked) < _PAIR:
        return ""
    open_ranks: list[tuple[int, int]] = []
    for first, last in sorted({tuple(row["rank"]) for row in ranked if len({*row["rank"]}) > 1}):
        if open_ranks and first <= open_ranks[-1][1]:
            first, last = open_ranks[-1][0], max(last, open_ranks.pop()[1])
        open_ranks.append((first, last))
    if not open_ranks:
        return " All ranks are settled."
    has_groups = len({row["group"] for row in ranked}) > 1
    whole = open_ranks == [(1, len(ranked))]
    named = " and ".join(f"{first}-{last}" for first, last in open_ranks[:_NAMED_RANGES])
    more = f", and {len(open_ranks) - _NAMED_RANGES} more ranges" * bool(open_ranks[_NAMED_RANGES:])
    what = "No rank is settled" if whole else f"Ranks {named}{more} are not settled"
    if has_groups:
        what = "Not all ranks are settled"
    if not is_hinted or field.is_for_readers or field.faults is None:  # a file gets no more deals
        return f" {what}."
    return f" {what}: `arena rank {quoted(field.name)} --more-deals` says what that takes."


def _notes(field: Field, ratings: Ratings, rows: Sequence[Row]) -> Iterator[str]:
    """Yield what a reader must know of groups, of bots without a rank, and of forfeits."""
    if len(ratings.groups) > 1:
        yield (
            f"{len(ratings.groups)} groups of bots never met each other: ranks and ratings hold "
            f"within a group."
        )
    few = [row["bot"] for row in rows if row["rank"] and row["deals"] < FEWEST_DEALS]
    if few:
        yield f"Too few deals to be ranked above or below others: {first_few(few)}."
    alone = [bot for bot in ratings.bots if not any(bot in group for group in ratings.groups)]
    if alone and field.matches:
        yield f"Not ranked, having played no whole deal: {first_few(alone)}."
    if forfeited := [_forfeited(field, row) for row in rows if row["forfeits"]]:
        yield f"Lost by forfeit: {first_few(forfeited)}."


def _forfeited(field: Field, row: Row) -> str:
    """Return how many matches a bot forfeited, and of how many that it lost if these are them.

    Matches that are left out count among forfeits only, and where all forfeit it may be a draw.
    """
    forfeits, losses = row["forfeits"], row["losses"]
    is_part = not (field.waiting or field.repeats) and forfeits <= losses
    of = f" of its {field.words.number(losses)} losses" if is_part else ""
    return f"{row['bot']} {field.words.number(forfeits)}{of}"


def linked(field: Field, ratings: Ratings) -> Facet | None:
    """Return which versions are linked, each with the one before, and how tightly; if any are."""
    if ratings.step is None:
        return None
    changes = field.words.counted(len(field.links), "change")
    return Facet(
        facts={"linked": [list(link) for link in field.links], "step": ratings.step},
        notes=(
            f"Linked: a new version is taken for as good as the one before, give or take "
            f"{2 * ratings.step:.1f} (by {changes} of version), until its own deals say more.",
        ),
    )


def misfits(field: Field, ratings: Ratings, ranked: Sequence[Standing]) -> Facet:
    """Return what no rating can show, of bots in the order of their ranks.

    A gap is named by the bots above and below it.
    """
    met = encounters(field.deals)
    gaps = [
        [above, below]
        for group in range(1, len(ratings.groups) + 1)
        for above, below in never_crossed(
            met, [row.bot for row in ranked if row.group == group], duels=field.duels
        )
        if ratings.separated(above, below)
    ]
    circles = [list(cycle) for cycle in cycles(met, [row.bot for row in ranked])]
    return Facet(facts={"cycles": circles, "gaps": gaps}, notes=[*_misfit_notes(circles, gaps)])


def _misfit_notes(circles: Sequence[Sequence[str]], gaps: Sequence[Sequence[str]]) -> Iterator[str]:
    if circles:
        first, second, third = circles[0]
        also = f", and {counted(len(circles) - 1, 'more cycle')}" if circles[1:] else ""
        yield (
            f"A cycle, which no rating shows: {first} surely beats {second}, {second} {third}, and "
            f"{third} {first}{also}."
        )
    if gaps:
        named = "; ".join(f"{above} and {below}" for above, below in gaps[:_NAMED_GAPS])
        more = f", and {len(gaps) - _NAMED_GAPS} more" if gaps[_NAMED_GAPS:] else ""
        yield (
            f"How far apart these are is unknown, as no bot below ever beat one above: "
            f"{named}{more}."
        )


def more_deals(field: Field, ratings: Ratings, *, together: bool, is_asked: bool) -> Facet:
    """Return how many more deals each bot has to play until half of its neighbours are separated.

    Those are meant whom the ranks of the table do not separate; None stands for endless. A sentence
    says it if it is asked for.
    """
    close = neighbours(ratings, errors_together if together else lambda _: SEPARATED)
    if close is None:
        return Facet(facts={"more_deals": {"close": [], "more": 0, "more_from": 0, "more_to": 0}})
    facts = {
        "close": [[pair.bot, pair.other] for pair in close.pairs],
        "more": close.more,
        "more_from": close.more_from,
        "more_to": close.more_to,
    }
    notes = (_more_deals_note(field, close),) if is_asked else ()
    return Facet(facts={"more_deals": facts}, notes=notes)


def _more_deals_note(field: Field, close: Neighbours) -> str:
    """Return how many more deals would separate half of some neighbours, or that none would."""
    words, pair = field.words, close.pairs[0]
    whom = (
        f"{pair.bot} and {pair.other}"
        if len(close.pairs) == 1
        else f"half of the {len(close.pairs)} pairs of neighbours that are not separated"
    )
    if close.more is None or close.part is None:
        least = close.more_from and words.number(_about(close.more_from))
        else_ = f"; if they are not, that takes at least {least} more of each bot" if least else ""
        begun = whom if len(close.pairs) == 1 else f"H{whom[1:]}"
        return f"{begun} may be equals, which no number of deals separates{else_}."
    least = words.number(_about(close.more_from or 1))
    if close.more_to is None:
        doubt = f"It may take {least} or more; if they are equals, no number is enough."
    else:
        doubt = f"It may take {least} to {words.number(_about(close.more_to))} of each."
    matches = words.counted(_about(round(close.part * field.matches)), "more match", "more matches")
    return (
        f"About {words.counted(_about(close.more), 'more deal')} of each bot would separate "
        f"{whom}: {matches} in all. {doubt}"
    )


def _about(number: int) -> int:
    """Return a number to two figures."""
    return int(float(f"{number:.2g}"))

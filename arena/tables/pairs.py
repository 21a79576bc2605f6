"""Which of each two bots is better, how sure that is, and what it takes to be sure: a table."""

from dataclasses import asdict

from arena.stats.elo import Anchor, elo_lead
from arena.stats.pairs import Pair, pairs
from arena.stats.ratings import FEWEST_DEALS, Ratings
from arena.tables.elo import anchor_facts, anchor_in
from arena.tables.field import Field
from arena.tables.table import NAME_WIDTH, Column, Row, Style, Table, with_error

_KEYS = tuple(Pair.__dataclass_fields__)
_ELO_KEYS = ("elo_lead", "elo_lead_error")
_SUREST = 0.999


def pairs_table(field: Field, ratings: Ratings, *, anchor: Anchor | None = None) -> Table:
    """Return the table of all pairs of a field's bots that matches link, by their ratings.

    With an `anchor`, by default the league's, leads are shown on Elo's scale. Raises ArenaError if
    one is asked for that is no bot of the field.
    """
    anchor = anchor_in(field, ratings, anchor)
    rows = [{**asdict(pair), **(_elo(pair, ratings) if anchor else {})} for pair in pairs(ratings)]
    notes = [f"{field.extent}. More deals: about how many more of each of the two separate them."]
    if any(row["better"] is None for row in rows):
        notes.append(f"With fewer than {FEWEST_DEALS} deals, nothing is said of a bot.")
    columns = [
        Column("Bot", "bot", width=NAME_WIDTH),
        Column("Better than", "other", width=NAME_WIDTH),
        Column("Surely", _surely, "right", style=_style),
        Column("Elo lead ± 2σ" if anchor else "Lead ± 2σ", _lead, "right"),
        Column("More deals", _more, "right"),
    ]
    said = [*notes, *field.remarks]
    facts = {**field.facts, **anchor_facts(anchor)}
    keys = (*_KEYS, *(_ELO_KEYS if anchor else ()))
    return Table("pairs", columns, rows, facts, said, keys=keys, fixed=2)


def _elo(pair: Pair, ratings: Ratings) -> dict[str, float | None]:
    """Return a lead and its error in points of Elo."""
    found = elo_lead(pair.lead, pair.error, ratings.draw_probability)
    return dict(zip(_ELO_KEYS, found, strict=True))


def _surely(row: Row) -> str:
    better = row["better"]
    if better is None:
        return "?"
    return f"over {_percent(_SUREST)}" if better > _SUREST else f"{100 * better:.1f} %"


def _percent(share: float) -> str:
    return f"{100 * share:g} %"


def _style(row: Row) -> Style | None:
    return "good" if row["is_separated"] else None


def _lead(row: Row) -> str:
    if "elo_lead" in row:
        return with_error(row["elo_lead"], row["elo_lead_error"], ".0f")
    return with_error(row["lead"], row["error"])


def _more(row: Row) -> str:
    if row["is_separated"]:
        return "-"
    if row["better"] is None:
        return "?"
    about = "endless" if row["more"] is None else str(row["more"])
    end = "endless" if row["more_to"] is None else str(row["more_to"])
    return f"{about} ({row['more_from'] or 'endless'} to {end})"

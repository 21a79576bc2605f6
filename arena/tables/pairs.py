"""Which of each two bots is better, how sure that is, and what it takes to be sure: a table."""

from dataclasses import asdict

from arena.stats.pairs import Pair, pairs
from arena.stats.ratings import FEWEST_DEALS, Ratings
from arena.tables.field import Field
from arena.tables.table import NAME_WIDTH, Column, Row, Style, Table

_KEYS = tuple(Pair.__dataclass_fields__)
_SUREST = 0.999


def pairs_table(field: Field, ratings: Ratings) -> Table:
    """Return the table of all pairs of a field's bots that matches link, by their ratings."""
    rows = [asdict(pair) for pair in pairs(ratings)]
    notes = [
        f"{field.extent}. Surely: how likely the first bot of a row is the better one, pair by "
        f"pair.",
        "More deals: about how many more each of the two has to play until they are separated, if "
        "those tell as much as the ones before; five of six such numbers lie in the brackets.",
    ]
    if any(row["better"] is None for row in rows):
        notes.append(f"With fewer than {FEWEST_DEALS} deals, nothing is said of a bot.")
    columns = [
        Column("Bot", "bot", width=NAME_WIDTH),
        Column("Better than", "other", width=NAME_WIDTH),
        Column("Surely", _surely, "right", style=_style),
        Column("Lead ± 2σ", _lead, "right"),
        Column("More deals", _more, "right"),
    ]
    said = [*notes, *field.remarks]
    return Table("pairs", columns, rows, field.facts, said, keys=_KEYS, fixed=2)


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
    error = row["error"]
    return f"{row['lead']:.2f}" if error is None else f"{row['lead']:.2f} ± {2 * error:.2f}"


def _more(row: Row) -> str:
    if row["is_separated"]:
        return "-"
    if row["better"] is None:
        return "?"
    about = "endless" if row["more"] is None else str(row["more"])
    end = "endless" if row["more_to"] is None else str(row["more_to"])
    return f"{about} ({row['more_from'] or 'endless'} to {end})"

"""Ratings of a field, with a word on standard error where they take long."""

from arena.cli.progress import StatusLine
from arena.stats.likelihood import Ties
from arena.stats.outcomes import Deals
from arena.stats.propagation import Propagation
from arena.stats.ratings import Ratings, fit
from arena.tables.field import Field

_PATIENCE = 1.0  # seconds, before anything is said


def rated(
    field: Field,
    draw_probability: float | None = None,
    ties: Ties = "unordered",
    *,
    linked: bool = False,
) -> Ratings:
    """Return the ratings of a field's bots; say how it is getting on if that takes long.

    If they are `linked`, versions of a bot start from the rating of the one before.
    """
    return _fitted(field, field.deals, draw_probability, ties, linked=linked)


def rated_without_forfeits(
    field: Field,
    draw_probability: float | None = None,
    ties: Ties = "unordered",
    *,
    linked: bool = False,
) -> Ratings | None:
    """Return the ratings of the deals in which nobody forfeited, if the field knows them."""
    if field.unforfeited is None:
        return None
    return _fitted(field, field.unforfeited, draw_probability, ties, linked=linked)


def _fitted(
    field: Field, deals: Deals, draw_probability: float | None, ties: Ties, *, linked: bool
) -> Ratings:
    with StatusLine(patience=_PATIENCE) as line:
        return fit(
            deals,
            bots=field.bots,
            draw_probability=draw_probability,
            ties=ties,
            links=field.links if linked else (),
            watch=lambda state: line.show(lambda: _status(state)),
        )


def _status(state: Propagation) -> str:
    text = f"Rating {len(state.outcomes):,} different results: sweep {state.sweeps}"
    if state.sweeps == 1:
        return text
    return f"{text}; the last one moved ratings by at most {state.furthest:.2g}"

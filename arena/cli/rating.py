"""Ratings of a field, with a word on standard error where they take long."""

from typing import NamedTuple

from arena.cli.progress import StatusLine
from arena.stats.likelihood import Ties
from arena.stats.outcomes import Deals
from arena.stats.propagation import Propagation
from arena.stats.ratings import Ratings, fit
from arena.tables.field import Field

_PATIENCE = 1.0  # seconds, before anything is said


class Fitting(NamedTuple):
    """How ratings are fitted."""

    draw_probability: float | None = None
    """That of equal bots; None if it is fitted too."""
    ties: Ties = "unordered"
    linked: bool = False
    """Whether versions of a bot start from the rating of the one before."""

    @property
    def asked(self) -> dict[str, bool]:
        """Which of them are asked for, by name."""
        usual = Fitting()
        return {name: value != getattr(usual, name) for name, value in self._asdict().items()}


def rated(
    field: Field,
    how: Fitting = Fitting(),  # noqa: B008 - it cannot be changed
    deals: Deals | None = None,
) -> Ratings:
    """Return the ratings of a field's bots in all of its deals, or in some.

    Say how it is getting on if that takes long.
    """
    with StatusLine(patience=_PATIENCE) as line:
        return fit(
            field.deals if deals is None else deals,
            bots=field.bots,
            draw_probability=how.draw_probability,
            ties=how.ties,
            links=field.links if how.linked else (),
            watch=lambda state: line.show(lambda: _status(state)),
        )


def _status(state: Propagation) -> str:
    text = f"Rating {len(state.outcomes):,} different results: sweep {state.sweeps}"
    if state.sweeps == 1:
        return text
    return f"{text}; the last one moved ratings by at most {state.furthest:.2g}"

"""How many more deals would separate neighbours in a table, in a sentence and for programs."""

from collections.abc import Iterator
from typing import Any

from arena.stats.pairs import Neighbours, neighbours
from arena.stats.ratings import SEPARATED, Ratings
from arena.stats.together import errors_together
from arena.tables.field import Field


def still_close(ratings: Ratings, *, together: bool) -> Neighbours | None:
    """Return the neighbours whom the ranks of a table do not separate, if any."""
    return neighbours(ratings, errors_together if together else lambda _: SEPARATED)


def more_facts(close: Neighbours | None) -> dict[str, Any]:
    """Return how many more deals each bot has to play until half of some neighbours are separated.

    None stands for endless.
    """
    if close is None:
        return {"close": [], "more": 0, "more_from": 0, "more_to": 0}
    return {
        "close": [[pair.bot, pair.other] for pair in close.pairs],
        "more": close.more,
        "more_from": close.more_from,
        "more_to": close.more_to,
    }


def of_more(field: Field, close: Neighbours | None) -> Iterator[str]:
    """Yield how many more deals would separate half of some neighbours, or that none would."""
    if close is None:
        return
    pair = close.pairs[0]
    whom = (
        f"{pair.bot} and {pair.other}"
        if len(close.pairs) == 1
        else f"half of the {len(close.pairs)} pairs of neighbours that are not separated"
    )
    if close.more is None or close.part is None:
        least = close.more_from and field.number(_about(close.more_from))
        else_ = f"; if they are not, that takes at least {least} more of each bot" if least else ""
        begun = whom if len(close.pairs) == 1 else f"H{whom[1:]}"
        yield f"{begun} may be equals, which no number of deals separates{else_}."
        return
    least = field.number(_about(close.more_from or 1))
    if close.more_to is None:
        doubt = f"at least {least}; no number would, if they are equals"
    else:
        doubt = f"{least} to {field.number(_about(close.more_to))}"
    matches = field.counted(_about(round(close.part * field.matches)), "more match", "more matches")
    yield (
        f"About {field.counted(_about(close.more), 'more deal')} of each bot ({doubt}) would "
        f"separate {whom}: {matches} in all."
    )


def _about(number: int) -> int:
    """Return a number to two figures."""
    return int(float(f"{number:.2g}"))

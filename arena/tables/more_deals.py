"""How many more deals would separate neighbours in a table, in a sentence and for programs."""

from arena.stats.pairs import Neighbours, neighbours
from arena.stats.ratings import SEPARATED, Ratings
from arena.stats.together import errors_together
from arena.tables.facet import Facet
from arena.tables.field import Field


def more_deals(field: Field, ratings: Ratings, *, together: bool) -> Facet:
    """Return how many more deals each bot has to play until half of its neighbours are separated.

    Those are meant whom the ranks of the table do not separate; None stands for endless.
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
    return Facet(facts={"more_deals": facts}, notes=(_note(field, close),))


def _note(field: Field, close: Neighbours) -> str:
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
        doubt = f"at least {least}; no number would, if they are equals"
    else:
        doubt = f"{least} to {words.number(_about(close.more_to))}"
    matches = words.counted(_about(round(close.part * field.matches)), "more match", "more matches")
    return (
        f"About {words.counted(_about(close.more), 'more deal')} of each bot ({doubt}) would "
        f"separate {whom}: {matches} in all."
    )


def _about(number: int) -> int:
    """Return a number to two figures."""
    return int(float(f"{number:.2g}"))

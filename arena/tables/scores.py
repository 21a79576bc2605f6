"""What bots score in a match on average: a column of the leaderboard, and an order of its rows."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from arena.stats.encounters import Mean
from arena.stats.ratings import FEWEST_DEALS
from arena.stats.scores import Scores, shown_error
from arena.tables.facet import Facet
from arena.tables.field import Field
from arena.tables.table import Column, Row, with_error
from protocol.errors import ArenaError


def scores(field: Field) -> Facet | None:
    """Return the bots' mean scores, if the field has them."""
    if field.scores is None:
        return None
    means = field.scores.means()
    values = {bot: _values(means.get(bot, Mean())) for bot in field.bots}
    few = [bot for bot in field.bots if 0 < values[bot][2] < FEWEST_DEALS]
    return Facet(
        columns=(Column("Score ± 2σ", score_text, "right"),),
        place="before the rating",
        keys=("score", "score_error", "score_deals"),
        values=values,
        facts={
            "score": field.game.score if field.game else None,
            "less_is_better": _is_less_better(field),
            "scored": field.scores.matches,
            "unscored": field.scores.unscored,
            "scored_waiting": field.scores.waiting,
        },
        notes=[*_notes(field, field.scores, few)],
    )


def by_score(field: Field) -> Callable[[Row], Any]:
    """Return the key by which rows are sorted: within a group, the best score first.

    Raises ArenaError if there are matches, and no scores to sort by.
    """
    if field.scores is None:
        whose = field.game.name if field.game else field.name
        raise ArenaError(f"--by score: {whose} has no scores; leave it out to rank by rating.")
    if field.matches and not field.scores.matches:
        raise ArenaError(
            f"--by score: no whole deal of {field.name} has scores, as "
            f"{_unscored(field, field.scores)}; leave it out to rank by rating."
        )
    sign = 1 if _is_less_better(field) else -1

    def key(row: Row) -> tuple[float, bool, float, str]:
        group = row["group"] or math.inf  # who met nobody is in none
        return group, row["score"] is None, sign * (row["score"] or 0.0), row["bot"]

    return key


def score_text(row: Row, form: str = ".2f") -> str:
    """Return a row's mean score and what it may be off by."""
    return with_error(row["score"], row["score_error"], form)


def _values(mean: Mean) -> tuple[float | None, float | None, int]:
    return mean.mean if mean.deals else None, shown_error(mean), mean.deals


def _is_less_better(field: Field) -> bool:
    return field.game is not None and field.game.less_is_better


def _unscored(field: Field, found: Scores) -> str:
    """Return in a clause how many matches have no scores, and why."""
    count = field.words.counted(found.unscored, "match has", "matches have")
    return f"{count} none" + (" (a seat forfeited)" if field.game else "")


def _notes(field: Field, found: Scores, few: Sequence[str]) -> Iterator[str]:
    what = f"{field.game.score}; " if field.game else ""
    best = "less" if _is_less_better(field) else "more"
    yield (f"Score: {what}the mean of a match, {best} is better; ranks do not follow it.")
    if found.unscored:
        also = ""
        if found.waiting:
            more = field.words.counted(found.waiting, "other match", "other matches")
            also = f", and {more} of their deals"
        yield f"Left out of the scores: {_unscored(field, found)}{also}."
    if few:
        yield f"Scores without an error, from fewer than {FEWEST_DEALS} deals: {', '.join(few)}."

"""How a game ended, as it says itself: places, scores and numbers of the match; checked."""

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple, TypeAlias

from msgspec import Meta

from referee.match.judging import BY_FORFEIT, final_places
from referee.rules.game import Game, ranked

LIMIT = 1 << 53
"""The greatest number, up or down: every reader of JSON still knows it exactly."""

Number: TypeAlias = (
    Annotated[int, Meta(ge=-LIMIT, le=LIMIT)] | Annotated[float, Meta(ge=-LIMIT, le=LIMIT)]
)
"""What may be stored of a count."""


class Counted(NamedTuple):
    """What was counted in a match."""

    scores: list[Number] | None = None
    """By seat; None where there are none."""
    numbers: dict[str, Number] | None = None
    """The match's own, by the names of the game's `measures`; None where there are none."""


def ending(game: Game, forfeits: Mapping[int, int]) -> tuple[list[int], str, Counted]:
    """Return the places of a match, in a word why it ended, and what was counted.

    Its game is over, or all seats but one have forfeited: `forfeits` has the step by seat. Raises
    ValueError, naming the game, for anything that could not be stored.
    """
    over = not game.deciders()
    places = final_places(places_of(game) if over else None, forfeits, game.seats)
    found = Counted(_scores(game), _numbers(game)) if over and not forfeits else Counted()
    return places, game.reason if over else BY_FORFEIT, found


def places_of(game: Game) -> list[int]:
    """Return the places of a game that is over.

    Raises ValueError, naming the game, for anything that is no ranking of its seats.
    """
    found = game.places()
    if (
        not isinstance(found, list)
        or len(found) != game.seats
        or not all(type(place) is int for place in found)
        or found != ranked(found)
    ):
        raise ValueError(
            f"{game.name}: places() returned {found!r}; it must return {game.seats} whole numbers, "
            f"each 1 + the number of seats that are better."
        )
    return found


def _scores(game: Game) -> list[Number] | None:
    found = game.scores()
    if found is None:
        return None
    wanted = f"it must return {game.seats} finite numbers, one for each seat, or None"
    if not isinstance(found, list) or len(found) != game.seats:
        raise ValueError(f"{game.name}: scores() returned {found!r}; {wanted}.")
    for seat, score in enumerate(found):
        if not is_number(score):
            raise ValueError(f"{game.name}: the score of seat {seat} is {score!r}; {wanted}.")
    if not game.score:
        raise ValueError(
            f"{game.name}: scores() returned {found!r}, but `score` is empty: say there, in a few "
            f"words, what they count."
        )
    return [*found]


def _numbers(game: Game) -> dict[str, Number] | None:
    found = game.numbers()
    if not isinstance(found, dict) or found.keys() != game.measures.keys():
        names = ", ".join(game.measures) or "none"
        raise ValueError(
            f"{game.name}: numbers() returned {found!r}; it must return a number for each of the "
            f"names in `measures`: {names}."
        )
    for name, number in found.items():
        if not is_number(number):
            raise ValueError(
                f"{game.name}: the number {name!r} of the match is {number!r}; it must be finite."
            )
    return {name: found[name] for name in game.measures} or None


def is_number(value: Any) -> bool:
    """Return whether a value is a number that JSON holds, which a bool is not."""
    return type(value) in (int, float) and -LIMIT <= value <= LIMIT

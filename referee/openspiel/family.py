"""Which games of OpenSpiel can be played here, and why the others cannot."""

from collections.abc import Iterable
from functools import cache

from protocol.errors import ArenaError
from referee.catalog.finding import OPENSPIEL
from referee.catalog.loading import Listed
from referee.openspiel.act import Act
from referee.openspiel.chess import GAMES, ChessAct
from referee.openspiel.game import OpenSpielGame
from referee.openspiel.kind import Recipe, recipe_of
from referee.openspiel.library import kinds, release
from referee.openspiel.named import NAMED
from referee.openspiel.pgn import formats_of
from referee.rules.game import Game


class OpenSpiel:
    """The family of games that OpenSpiel has: `openspiel:go`, or `openspiel:go(board_size=9)`."""

    def names(self) -> Iterable[str]:
        """Return the names of all games that can be played."""
        return [each.name for each in self.listed() if not each.refusal]

    def listed(self) -> Iterable[Listed]:
        """Return all games of OpenSpiel, with the reason why some are refused."""
        for name in sorted({*kinds(), *NAMED}):
            recipe = recipe_of(name)
            seats = () if recipe.refusal else recipe.survey.seats
            yield Listed(name, seats, _title(recipe), recipe.refusal)

    def game(self, name: str) -> type[Game]:
        """Return the game of a name, which may hold parameters as OpenSpiel writes them.

        Raises KeyError for a name that no game has, and ArenaError for a game that is refused.
        """
        try:
            recipe = recipe_of(name)
        except ValueError as error:
            raise ArenaError(f"OpenSpiel has no game {name!r}: {error}.") from None
        if recipe.refusal:
            raise ArenaError(f"{OPENSPIEL}:{name} cannot be played here: {recipe.refusal}.")
        return _class_of(name)


@cache
def _class_of(name: str) -> type[Game]:
    recipe = recipe_of(name)
    kind, survey = recipe.kind, recipe.survey
    seats = range(survey.seats[0], survey.seats[-1] + 1)
    return type(
        f"OpenSpiel_{recipe.base}",
        (OpenSpielGame,),
        {
            "__module__": OpenSpielGame.__module__,
            "__doc__": f"One play of {kind.long_name}, by OpenSpiel's rules.",
            "name": f"{OPENSPIEL}:{name}",
            "title": f"{_title(recipe)}, as OpenSpiel has it.",
            "seat_counts": seats,
            "options_type": recipe.options_type(),
            "typical_decisions": survey.decisions,
            "has_chance": recipe.has_chance,
            "library": f"open_spiel {release()}",
            "recipe": recipe,
            "formats": formats_of(recipe),
            "decisions": {"act": ChessAct if recipe.name in GAMES else Act},
        },
    )


def _title(recipe: Recipe) -> str:
    return " ".join(recipe.kind.long_name.split()).rstrip(".")

"""A game of OpenSpiel before it is played: its parameters, its seats, or why it is refused."""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from protocol.errors import ArenaError
from referee.openspiel.clashes import check_together
from referee.openspiel.library import kind_of, load, spiel
from referee.openspiel.named import CHANCE, NAMED, REFUSED
from referee.openspiel.trial import check_survives
from referee.openspiel.written import Written, read
from referee.rules.game import Options
from referee.rules.options import read_settings

SEATS = ("players", "num_players", "numPlayers")
"""What games call the parameter that is the number of seats."""
COLOR = "ansi_color_output"
"""A parameter that has boards drawn for a terminal, which is no part of the rules."""
_MOST = 10_000
"""The greatest number that a parameter takes, unless its default is greater: OpenSpiel itself
takes any, and a board of a million rows."""
_TYPICAL = 100


class Survey(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What playing a game has shown: `python -m tests.benchmarks.openspiel_survey`."""

    seats: list[int]
    """The numbers of seats for which it can be played, its other parameters being at their
    defaults."""
    decisions: int
    """How many decisions a match takes."""
    observed: bool = False
    """Whether it has observations for one seat as JSON."""
    state: bool = False
    """Whether it has states as JSON, which are for games in which nothing is hidden."""
    options: Mapping[str, list[Any]] | None = None
    """Other values of its options with which a match ended; of whole numbers the least and most.

    None if nobody has tried.
    """


class Recipe(msgspec.Struct, frozen=True):
    """How a game is made, without its options."""

    name: str
    """What it is called, as in "openspiel:go(board_size=9)", without the prefix."""
    base: str
    """The name that OpenSpiel makes it by."""
    fixed: Mapping[str, Any]
    """Parameters that its name sets."""
    kind: Any
    """What OpenSpiel says of the game with all else at its defaults: its type."""
    parameters: Mapping[str, Any]
    """All its parameters with their defaults."""
    has_chance: bool = False
    survey: Survey = Survey([], _TYPICAL)
    refusal: str = ""
    """Why it cannot be played here, in words; empty if it can."""

    @property
    def seats_parameter(self) -> str | None:
        """The parameter that says how many seats there are, if there is one."""
        return next((each for each in SEATS if each in self.parameters), None)

    def made(self, options: Mapping[str, Any], seats: int) -> Any:
        """Return OpenSpiel's game; raise ValueError, mostly in its words, if it has no such one.

        It is not told of options at their defaults: for some, such as the first position of dark
        chess, it says an empty text and means another.
        """
        changed = {name: value for name, value in options.items() if value != self.parameters[name]}
        parameters = {**self.fixed, **changed, **_uncoloured(self.kind)}
        check_together(self.base, parameters, self.parameters, seats)
        if self.seats_parameter is not None:
            parameters[self.seats_parameter] = seats
        if changed:
            check_survives(self.base, parameters)
        try:
            game = load(self.base, parameters)
            is_sound = _begins(game.new_initial_state())
        except (ValueError, RuntimeError, MemoryError) as error:
            raise ValueError(f"OpenSpiel has no such game: {error}") from None
        if not is_sound:
            raise ValueError("OpenSpiel has no such game: nobody has a move at its beginning")
        if game.num_players() != seats:
            raise ValueError(f"with these options it is a game for {game.num_players()} seats")
        return game

    def check(self, options: Mapping[str, Any]) -> None:
        """Raise ValueError for options with which there is no game for any number of seats."""
        refused: ValueError | None = None
        for seats in self.survey.seats:
            try:
                self.made(options, seats)
            except ValueError as error:
                refused = refused or error
            else:
                return
        if refused is not None:
            raise refused

    def _is_option(self, name: str, default: Any) -> bool:
        """Return whether a parameter can be chosen: it is not fixed, and has values that work."""
        if name in (*SEATS, *CHANCE, COLOR, *self.fixed) or isinstance(default, dict):
            return False
        tried = None if self.survey.options is None else self.survey.options.get(name, ())
        return tried is None or not isinstance(default, int) or {*tried} - {default} != set()

    def options_type(self) -> type[Options]:
        """Return the game's options: its parameters but for seats, colours and what is fixed."""
        tried = self.survey.options or {}
        left = {
            name: default
            for name, default in sorted(self.parameters.items())
            if self._is_option(name, default)
        }
        recipe = self

        def check(options: Options) -> None:
            given = msgspec.to_builtins(options)
            if given != left:
                recipe.check(given)

        return msgspec.defstruct(  # type: ignore[return-value]
            f"{self.base.title().replace('_', '')}Options",
            [
                (_field(name), _typed(default, tried.get(name)), default)
                for name, default in left.items()
            ],
            bases=(Options,),
            frozen=True,
            kw_only=True,
            forbid_unknown_fields=True,
            rename={_field(name): name for name in left},
            namespace={"__post_init__": check, "__doc__": f"The parameters of {self.base}."},
        )


def _begins(state: Any) -> bool:
    """Return whether somebody, or chance, has a move in a first state."""
    if state.is_chance_node():
        return bool(state.chance_outcomes())
    return state.is_terminal() or any(
        state.legal_actions(seat)
        for seat in range(state.num_players())
        if state.is_simultaneous_node() or seat == state.current_player()
    )


def _field(name: str) -> str:
    """Return the name of a parameter as Python has it: one is called 50_move_rule."""
    return name if name.isidentifier() else f"p_{name}"


def _typed(default: Any, tried: Sequence[Any] | None) -> Any:
    """Return the type of a parameter, by its default and by what it was tried with."""
    about = "a parameter of OpenSpiel"
    if isinstance(default, bool | str):
        return Annotated[type(default), Meta(description=about)]
    if isinstance(default, int):
        least, most = tried or (min(0, default), max(_MOST, default))
        return Annotated[int, Meta(ge=least, le=most, description=about)]
    examples = [*(tried or ())]
    return Annotated[float, Meta(description=about, extra_json_schema={"examples": examples})]


@cache
def recipe_of(name: str) -> Recipe:
    """Return how the game of a name is made.

    Raises KeyError if no game has it, and ValueError, mostly in OpenSpiel's words, for parameters
    that it does not take.
    """
    written = read(NAMED.get(name, name))
    base, kind = written.base, kind_of(written.base)
    fixed = written.typed()
    recipe = Recipe(name, base, fixed, kind, kind.parameter_specification)
    survey = surveys().get(name) or surveys().get(base)
    if refusal := _refusal_of_kind(kind, fixed):
        return msgspec.structs.replace(recipe, refusal=refusal)
    if fixed and name not in NAMED:
        _check_fixed(written)
        check_survives(base, {**fixed, **_uncoloured(kind)})
    loaded = load(base, {**fixed, **_uncoloured(kind)})
    if survey is None or recipe.seats_parameter in fixed:
        survey = Survey([loaded.num_players()], survey.decisions if survey else _TYPICAL)
    return msgspec.structs.replace(
        recipe,
        kind=loaded.get_type(),
        has_chance=loaded.max_chance_outcomes() > 0,
        survey=survey,
        refusal=_refusal_of_type(loaded.get_type()),
    )


def _check_fixed(written: Written) -> None:
    """Raise ValueError for parameters in a name that would be refused as options, or as seats."""
    recipe = recipe_of(written.base)
    own = {name: text for name, text in written.parameters.items() if not isinstance(text, Written)}
    values = Written(written.base, own).typed()
    for nested in written.parameters.values():
        if isinstance(nested, Written):
            _check_fixed(nested)
    seats = values.pop(recipe.seats_parameter or "", None)
    if seats is not None and recipe.survey.seats and seats not in recipe.survey.seats:
        numbers = ", ".join(map(str, recipe.survey.seats))
        raise ValueError(f"{recipe.seats_parameter} is {seats}, and is to be one of {numbers}")
    kind = recipe.options_type()
    asked = {name: value for name, value in values.items() if name not in (*CHANCE, COLOR)}
    if strange := asked.keys() - {field.encode_name for field in msgspec.structs.fields(kind)}:
        raise ValueError(f"no match came to an end with another {min(strange)} than its usual one")
    try:
        read_settings(kind, asked, "parameter {}")
    except ArenaError as error:
        raise ValueError(str(error).rstrip(".")) from None


@cache
def surveys() -> Mapping[str, Survey]:
    """Return what was measured, by the name of the game."""
    text = (Path(__file__).parent / "surveys.json").read_bytes()
    return msgspec.json.decode(text, type=dict[str, Survey])


def _uncoloured(kind: Any) -> dict[str, Any]:
    return {COLOR: False} if COLOR in kind.parameter_specification else {}


def _refusal_of_kind(kind: Any, fixed: Mapping[str, Any]) -> str:
    """Return why no game of a kind can be played here; "" if it depends on the game."""
    if kind.dynamics == spiel().GameType.Dynamics.MEAN_FIELD:
        return "it is a mean-field game, of a crowd and not of players"
    if kind.max_num_players < 2:
        return "it is for one player"
    if not fixed and kind.short_name in REFUSED:
        return REFUSED[kind.short_name]
    if not kind.default_loadable and not fixed:
        return "it is made of another game, or of a file: name it with its parameters"
    return ""


def _refusal_of_type(kind: Any) -> str:
    """Return why a game of a type cannot be played here; "" if its type does not say so."""
    library = spiel().GameType
    if kind.chance_mode == library.ChanceMode.SAMPLED_STOCHASTIC:
        return "its chance is inside, so that no match of it could be verified"
    if kind.utility == library.Utility.IDENTICAL:
        return "all its players win or lose together"
    if not kind.provides_observation_string and not kind.provides_information_state_string:
        return "it says nothing of what a player sees"
    return ""

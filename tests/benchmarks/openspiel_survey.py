"""Plays OpenSpiel's games, and writes down for how many seats and with which options that works.

    python -m tests.benchmarks.openspiel_survey             # all, half an hour
    python -m tests.benchmarks.openspiel_survey chess hex   # some

It writes `referee/openspiel/surveys.json`. Every play is a process of its own, as OpenSpiel ends
the process for some parameters.
"""

import json
import os
import resource
import signal
import statistics
from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from typing import Any

import click

from referee.openspiel.kind import COLOR, SEATS, Recipe, recipe_of
from referee.openspiel.library import kinds
from referee.openspiel.named import NAMED
from tests.arena.conftest import ROOT

PAGE = ROOT / "referee" / "openspiel" / "surveys.json"
_PATIENCE = 10
"""Seconds that a play may take."""
_SHORT = 4
"""Seconds that a play may take with another value of an option."""
_MEMORY = 1 << 31
"""Bytes that it may take."""
_MOST = 10_000


def survey(name: str) -> dict[str, Any] | None:
    """Return what is found of a game; None for one that its type refuses."""
    recipe = recipe_of(name)
    if recipe.refusal:
        return None
    counts = list(_seat_counts(recipe))
    seats = [count for count in counts if alone(partial(play, recipe, {}, count)) is not None]
    if not seats:
        raise ValueError(f"no match of {name} comes to an end: name it in REFUSED")
    whole = [count for at, count in enumerate(seats) if count == seats[0] + at]
    found: dict[str, Any] = {
        "seats": whole,
        "decisions": alone(lambda: _median(recipe, whole[0])) or 0,
    }
    for what in ("state", "observed"):
        if alone(partial(_has, recipe, whole[0], what)):
            found[what] = True
    found["options"] = {
        option: values
        for option, default in sorted(recipe.parameters.items())
        if option not in (*SEATS, *recipe.fixed, COLOR)
        and (values := _values(recipe, whole[0], option, default))
    }
    return found


def _seat_counts(recipe: Recipe) -> Iterator[int]:
    if recipe.seats_parameter is None or recipe.seats_parameter in recipe.fixed:
        yield recipe.made({}, recipe.survey.seats[0]).num_players()
    else:
        yield from range(
            max(2, recipe.kind.min_num_players), min(10, recipe.kind.max_num_players) + 1
        )


def _values(recipe: Recipe, seats: int, option: str, default: Any) -> list[Any]:
    """Return other values of an option with which a match ends; the least and most of a number."""

    def ends(value: Any) -> bool:
        return alone(lambda: play(recipe, {option: value}, seats), _SHORT) is not None

    if isinstance(default, bool):
        return [not default] if ends(not default) else []
    if isinstance(default, float):
        return [value for value in (default / 2, default + 1.0) if ends(value)]
    if not isinstance(default, int):
        return []
    least = next(
        value for value in range(min(0, default), default + 1) if ends(value) or value == default
    )
    most = default
    while (more := max(1, min(_MOST, 2 * most + 1))) > most and ends(more):
        most = more
    return [least, most]


def play(recipe: Recipe, options: dict[str, Any], seats: int, seed: int = 1) -> int:
    """Play a match at random, look at what is seen, and return how many decisions it took."""
    rng = Random(seed)
    game = recipe.made(options, seats)
    state = game.new_initial_state()
    decisions = 0
    while not state.is_terminal():
        if state.is_chance_node():
            numbers, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(rng.choices(numbers, chances)[0])
            continue
        acting = range(seats) if state.is_simultaneous_node() else [state.current_player()]
        legal = {seat: state.legal_actions(seat) for seat in acting}
        chosen = [rng.choice(actions) if actions else 0 for actions in legal.values()]
        for seat in acting:
            _look(game, state, seat)
            if not decisions:  # names of moves may be no text where boards are large
                for action in legal[seat]:
                    state.action_to_string(seat, action)
        if state.is_simultaneous_node():
            state.apply_actions(chosen)
        else:
            state.apply_action(chosen[0])
        decisions += sum(len(actions) > 1 for actions in legal.values())
    return max(1, decisions)


def _look(game: Any, state: Any, seat: int) -> None:
    kind = game.get_type()
    if kind.provides_observation_string:
        state.observation_string(seat)
    if kind.provides_information_state_string:
        state.information_state_string(seat)


def _median(recipe: Recipe, seats: int) -> int:
    return round(statistics.median(play(recipe, {}, seats, seed) for seed in range(9)))


def _has(recipe: Recipe, seats: int, what: str) -> int:
    state = recipe.made({}, seats).new_initial_state()
    rng = Random(1)
    while state.is_chance_node():
        state.apply_action(rng.choice(state.chance_outcomes())[0])
    if what == "state":
        json.loads(state.to_json())
    else:
        json.loads(state.to_observation_struct(0).to_json())
    return 1


def alone(code: Callable[[], int], patience: int = _PATIENCE) -> int | None:
    """Return what `code` returns in a process of its own; None if it fails, or is too slow."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        signal.alarm(patience)
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        try:
            os.write(write, str(code()).encode())
        except BaseException:  # noqa: BLE001 - all of them mean that it is not played
            os._exit(1)
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        told = pipe.read()
    _, status = os.waitpid(child, 0)
    return int(told) if status == 0 and told else None


@click.command()
@click.argument("names", nargs=-1)
def main(names: tuple[str, ...]) -> None:
    """Survey all games, or some, and write what was found beside what is known of the others."""
    found = json.loads(PAGE.read_text()) if names else {}
    for name in names or sorted({*kinds(), *NAMED}):
        surveyed = survey(name)
        if surveyed is not None:
            found[name] = surveyed
        click.echo(f"{name}: {surveyed}")
    lines = [f"  {json.dumps(name)}: {json.dumps(found[name])}" for name in sorted(found)]
    PAGE.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()

"""What the conformance suite is made of: cases, ways to play, bad replies."""

import copy
import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Any

import msgspec
from jsonschema import Draft202012Validator

from referee import folder
from referee.chance import Chance, Key
from referee.game import Game, Move, plain
from referee.games import GAMES
from referee.match import samples_of

Choose = Callable[[Game, int], Move]
"""How a move is found for a seat."""

MOST_DECISIONS = 20_000
"""More than any game can take; a play that takes more never ends."""


@dataclass(frozen=True)
class Case:
    """A game with its number of seats and the options that are not left at their defaults."""

    game: str
    seats: int
    changed: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        changed = (f"{name}={value}" for name, value in self.changed.items())
        return "-".join((self.game, str(self.seats), *changed))

    def new(self, seed: str = "conformance", chance: type[Chance] = Chance) -> Game:
        """Return the game, dealt."""
        game = GAMES[self.game]
        options = msgspec.convert(dict(self.changed), game.options_type)
        return game(seats=self.seats, options=options, chance=chance(seed))


def option_schemas(game: type[Game]) -> dict[str, Any]:
    """Return the JSON Schema of each option."""
    (definition,) = msgspec.json.schema(game.options_type)["$defs"].values()
    return definition["properties"]


def alternatives(schema: Mapping[str, Any]) -> list[Any]:
    """Return the values to try of an option: all of a few, or the two least of many."""
    if schema.get("type") == "boolean":
        values: list[Any] = [False, True]
    elif schema.get("type") == "integer":
        values = [schema["minimum"], schema["minimum"] + 2]
    else:
        values = schema["enum"]
    return [value for value in values if value != schema["default"]]


def option_sets(game: type[Game]) -> list[dict[str, Any]]:
    """Return one change of every kind, alone and on top of a change of everything else."""
    tried = {name: alternatives(schema) for name, schema in option_schemas(game).items()}
    everything = {name: values[-1] for name, values in tried.items()}
    alone = [{name: value} for name, values in tried.items() for value in values]
    sets = [*alone, *(everything | change for change in alone), everything]
    distinct = [changed for at, changed in enumerate(sets) if changed not in sets[:at]]
    return [changed for changed in distinct if allowed_together(game, changed)]


def allowed_together(game: type[Game], changed: Mapping[str, Any]) -> bool:
    """Return whether the options do not contradict each other."""
    try:
        msgspec.convert(dict(changed), game.options_type)
    except msgspec.ValidationError:
        return False
    return True


def cases_of(name: str) -> list[Case]:
    """Return the defaults with every number of seats, then each option set with one of them."""
    counts = GAMES[name].seat_counts
    brief = folder.cases_of(GAMES[name]).brief
    cases = [Case(name, counts[0]), *(Case(name, seats, brief) for seats in counts[1:])]
    for at, changed in enumerate(option_sets(GAMES[name])):
        cases.append(Case(name, counts[at % len(counts)], {**brief, **changed}))
    return cases


CASES = [case for name in GAMES for case in cases_of(name)]


def sampling(seed: int = 1) -> Choose:
    """Return a chooser of random moves."""
    rng = Random(seed)
    return lambda game, seat: game.sample(seat, rng)


def defaulting(game: Game, seat: int) -> Move:
    """Return the move that stands in for a missing one."""
    return game.default(seat)


def mixing(seed: int = 1) -> Choose:
    """Return a chooser of random moves and defaults by turns."""
    rng = Random(seed)
    return lambda game, seat: rng.choice((game.sample(seat, rng), game.default(seat)))


def moments(game: Game, choose: Choose) -> Iterator[tuple[int, Move]]:
    """Play `game` to its end, yielding each seat and its move before the move is made."""
    taken = 0
    while seats := game.deciders():
        moves = {}
        for seat in seats:
            moves[seat] = choose(game, seat)
            yield seat, moves[seat]
        game.apply(moves)
        taken += len(moves)
        assert taken <= MOST_DECISIONS, "this play does not end"


def finish(game: Game, choose: Choose) -> None:
    """Play `game` to its end."""
    for _ in moments(game, choose):
        pass


def twin(game: Game) -> Game:
    """Return a copy of `game` that can go another way."""
    return copy.deepcopy(game, {id(game.chance): game.chance})


def snapshot(value: Any) -> str:
    """Return `value` as text, to compare it with what it is later."""
    return msgspec.json.encode(value).decode()


def everything(game: Game) -> str:
    """Return all that `game` shows to anybody."""
    seats = range(game.seats)
    shown = [
        [plain(game.view(seat)) for seat in seats],
        [game.text(seat) for seat in (None, *seats)],
    ]
    asked = [[seat, game.decision(seat), game.default(seat)] for seat in game.deciders()]
    return snapshot([shown, asked, game.places(), game.reason])


class RecordedChance(Chance):
    """Chance that remembers the name of every event it was asked for."""

    def __init__(self, seed: str) -> None:
        super().__init__(seed)
        self.events: list[tuple[Key, ...]] = []

    def _words(self, count: int, event: tuple[Key, ...]) -> list[int]:
        self.events.append(event)
        return super()._words(count, event)


def known(game: Game, seat: int, probes: list[Move]) -> str:
    """Return all that `seat` can find out at this moment, by asking or by trying `probes`."""
    facts = [plain(game.view(seat)), game.text(seat)]
    if seat in game.deciders():
        refusals = [game.refusal(seat, probe) for probe in probes]
        facts += [game.decision(seat), game.default(seat), samples_of(game, seat, 1, 4), refusals]
    return snapshot(facts)


JUNK: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 4, 2.0, 0.5, 10**20, "", "0", "\ud800", [], {}, [[]], [0], {"": 0},
)  # fmt: skip


@cache
def validator(name: str, decision: str) -> Draft202012Validator:
    """Return the validator of one decision's moves."""
    return Draft202012Validator(GAMES[name].schemas()[decision])


def spots(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every container within `value` with every key or index of it."""
    if isinstance(value, dict | list):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from spots(value[key])


def mutant(move: Move, rng: Random) -> Move:
    """Return `move` with one thing in it replaced, taken away, repeated or added."""
    changed = json.loads(json.dumps(move))
    container, key = rng.choice([*spots(changed), (changed, "extra")])
    change = rng.choice(("replace", "remove", "repeat"))
    if key == "extra" or change == "replace":
        container[key] = rng.choice(JUNK)
    elif change == "remove":
        del container[key]
    elif isinstance(container, list):
        container.append(container[key])
    else:
        container[key] = [container[key]]
    return changed


def misnumbered(move: Move) -> Iterator[Move]:
    """Yield `move` with each of its whole numbers as a float, or as true or false."""
    for at, (container, key) in enumerate(spots(move)):
        number = container[key]
        if type(number) is int:
            for wrong in (float(number), bool(number)):
                if wrong == number:
                    changed = copy.deepcopy(move)
                    inside, there = list(spots(changed))[at]
                    inside[there] = wrong
                    yield changed


def spoil(value: Any) -> None:
    """Change everything within `value` that can be changed."""
    for container, key in list(spots(value)):
        container[key] = "spoilt"


def is_plain(value: Any) -> bool:
    """Return whether `value` is JSON as it is: no tuples, no keys but text, no NaN."""
    if type(value) is dict:
        return all(type(key) is str and is_plain(entry) for key, entry in value.items())
    if type(value) is list:
        return all(map(is_plain, value))
    if type(value) is float:
        return math.isfinite(value)
    return value is None or type(value) in (str, int, bool)

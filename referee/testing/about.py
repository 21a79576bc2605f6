"""Steps about a game as a whole: its class, options and forms; how fast and how quiet it is."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import pairwise
from time import perf_counter
from typing import Any
from unittest import SkipTest

import msgspec

from referee.catalog.loading import wrong_with
from referee.rules.game import Game, Move
from referee.testing.flaw import Flaw, short
from referee.testing.schema import malformed, not_plain, snapshot, within
from referee.testing.trial import (
    Case,
    GameTrial,
    allowed_together,
    alternatives,
    mixing,
    option_schemas,
    sampling,
    schemas_of,
)

_PLAYS_FOR_EFFECT = 2
_PLAYS_FOR_RARE = 20


def fields(trial: GameTrial) -> str:
    """Check that the class says all that it has to."""
    kind: Any = trial.kind
    if not (isinstance(kind, type) and issubclass(kind, Game)):
        raise Flaw(f"{kind!r} is no subclass of referee.rules.game.Game")
    if wrong := wrong_with(kind):
        raise Flaw(f"the class{wrong}")
    if not kind.title.endswith("."):
        raise Flaw(f"title is {short(kind.title)}; it is to be a sentence on one line")
    return ""


def options(trial: GameTrial) -> str:
    """Check that options are described and can be changed."""
    try:
        usual = trial.kind.options_type()
    except TypeError as error:
        raise Flaw(f"not every option has a default: {error}") from None
    schemas = option_schemas(trial.kind)
    for option, schema in schemas.items():
        if not schema.get("description"):
            raise Flaw(f"option {option} is not described")
        if not alternatives(schema) and not (trial.kind.library and schema["type"] == "string"):
            raise Flaw(f"there is nothing to try option {option} with but its default")
    for case in trial.cases:
        game = trial.new(case)
        for chosen in (usual, game.options):
            if found := not_plain(msgspec.to_builtins(chosen), "the stored options"):
                raise Flaw(found)
    return f"{len(schemas)} options in {len(trial.cases)} cases"


def effect(trial: GameTrial) -> str:
    """Check that the game reads every option."""
    names = [*option_schemas(trial.kind)]
    if not names:
        raise SkipTest("the game has no options")
    read = set[str]()
    for number in range(_PLAYS_FOR_RARE):
        for case in trial.all_cases:
            if len(read & {*names}) < len(names):
                with _reads(case, read):
                    _look_on(trial, trial.new(case, f"{trial.seed} {number}"))
    if unread := [name for name in names if name not in read]:
        raise Flaw(f"option {unread[0]} is never read")
    idle = {*names}
    for case in trial.cases:
        idle -= {option for option in idle & {*case.changed} if _matters(trial, case, option)}
    seldom = f"; no difference seen in few plays: {', '.join(sorted(idle))}" if idle else ""
    return f"{len(names)} options{seldom}"


def _look_on(trial: GameTrial, game: Game) -> None:
    for seat, _ in trial.moments(game, mixing()):
        game.view(seat)
    game.text(0)


@contextmanager
def _reads(case: Case, read: set[str]) -> Iterator[None]:
    """Let the options note in `read`, within the block, which of them the game asks for."""
    kind: Any = case.kind
    usual = kind.options_type

    called = {field.name: field.encode_name for field in msgspec.structs.fields(usual)}

    def get(options: Any, name: str) -> Any:
        read.add(called.get(name, name))
        return super(usual, options).__getattribute__(name)

    members = {"__getattribute__": get, "__module__": usual.__module__}
    noting = type(usual)(usual.__name__, (usual,), members, frozen=True, kw_only=True)
    kind.options_type = noting
    try:
        yield
    finally:
        kind.options_type = usual


def _matters(trial: GameTrial, case: Case, option: str) -> bool:
    """Return whether plays of a case differ from those with an option at its default."""
    usual = {name: value for name, value in case.changed.items() if name != option}
    if not allowed_together(trial.kind, usual, case.seats):
        return False
    other = Case(case.kind, case.seats, usual)
    for number in range(_PLAYS_FOR_EFFECT):
        seed = f"{trial.seed} {number}"
        records = [trial.record(trial.new(each, seed), sampling(seed)) for each in (other, case)]
        if records[0] != records[1]:
            return True
    return False


def schemas(trial: GameTrial) -> str:
    """Check that the forms of moves are JSON Schemas, fields described."""
    for name, form in schemas_of(trial.kind).items():
        if found := not_plain(form, f"decisions[{name!r}]") or malformed(form):
            raise Flaw(f"in the schema of {name}: {found}")
        assert json.loads(json.dumps(form)) == form
        for where, inner in within(form):
            for field, described in (
                inner.get("properties", {}).items() if isinstance(inner, Mapping) else ()
            ):
                if described is not False and "description" not in described:
                    raise Flaw(f"in the schema of {name}: {where}.{field} is not described")
    return f"{len(trial.kind.decisions)} decisions"


def asked(trial: GameTrial) -> str:
    """Check that every declared decision is asked, and no other."""
    declared, found = {*trial.kind.decisions}, set[str]()
    for number in range(_PLAYS_FOR_RARE):
        for case in trial.all_cases:
            game = trial.new(case, f"{trial.seed} {number}")
            for seat, _ in trial.moments(game, sampling(number)):
                name = game.decision(seat).name
                if name not in declared:
                    raise Flaw(f"the decision {name!r} is asked and not declared")
                found.add(name)
        if number > 1 and found == declared:
            break
    if missing := sorted(declared - found):
        raise Flaw(f"the decision {missing[0]!r} is declared and was never asked")
    return ", ".join(sorted(found))


def table(trial: GameTrial) -> str:
    """Check that the constants of the start are plain and constant."""
    for case in trial.cases:
        game = trial.new(case)
        before = game.table()
        if found := not_plain(before, "table()"):
            raise Flaw(found)
        kept = snapshot(before)
        trial.finish(game, sampling())
        if snapshot(game.table()) != kept:
            raise Flaw("table() has changed in the course of a play")
    return f"{len(kept)} bytes" if trial.cases else ""


SLOW, LONG = 20, 2.0
"""Fewer decisions a second are slow, unless a match has so few that it takes no more seconds: else
a league of a thousand matches takes hours."""
_SECONDS = 0.5
_encode = msgspec.json.Encoder().encode


def speed(trial: GameTrial) -> str:
    """Check that the game is fast enough for a league."""
    taken = {"rules": 0.0, "decision": 0.0, "view": 0.0, "read": 0.0}
    decisions = number = 0
    while sum(taken.values()) < _SECONDS and number < 1000:
        case = trial.cases[number % len(trial.cases)]
        began = perf_counter()
        game = trial.new(case, f"{trial.seed} {number}")
        taken["rules"] += perf_counter() - began
        decisions += _timed(trial, game, taken, number)
        number += 1
    if not decisions:
        raise SkipTest("nothing is ever asked")
    total = sum(taken.values())
    limit = max(taken, key=taken.__getitem__)
    rate = decisions / total
    told = f"{rate:,.0f} decisions a second; {taken[limit] / total:.0%} of the time goes to {limit}"
    if rate < SLOW and total / number > LONG:
        raise Flaw(f"{told}; a match takes {total / number:.1f} s")
    return told


def _timed(trial: GameTrial, game: Game, taken: dict[str, float], number: int) -> int:
    """Play a game; add what each part takes, and return the number of decisions."""
    choose, decisions = sampling(number), 0
    while seats := game.deciders():
        moves: dict[int, Move] = {}
        for seat in seats:
            moves[seat] = choose(game, seat)
            times = [perf_counter()]
            _encode(game.decision(seat))
            times.append(perf_counter())
            _encode(game.view(seat))
            times.append(perf_counter())
            game.read(seat, moves[seat])
            times.append(perf_counter())
            for part, (begin, end) in zip(
                ("decision", "view", "read"), pairwise(times), strict=True
            ):
                taken[part] += end - begin
        trial.at(game, decisions, None)
        began = perf_counter()
        game.apply(moves)
        taken["rules"] += perf_counter() - began
        decisions += len(moves)
        if decisions > trial.most_decisions:
            break  # the steps on ends say so
    return decisions


def silent(trial: GameTrial) -> str:
    """Check that nothing is printed."""
    for game, seat, move in trial.plays(mixing):
        game.view(seat)
        game.text(seat)
        game.read(seat, move)
    if trial.printed.place:
        raise Flaw(f"{trial.printed.text!r} is printed at {trial.printed.place}")
    return ""

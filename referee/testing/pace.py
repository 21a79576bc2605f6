"""Steps about time and noise: how fast a game is, what limits it, and that it prints nothing."""

from itertools import pairwise
from time import perf_counter

import msgspec

from referee.rules.game import Game, Move
from referee.testing.flaw import Flaw, Skipped
from referee.testing.trial import GameTrial, mixing, sampling

SLOW, LONG = 20, 2.0
"""Fewer decisions a second are slow, unless a match has so few that it takes no more seconds: else
a league of a thousand matches takes hours."""
_SECONDS = 0.5
_encode = msgspec.json.Encoder().encode


def speed(trial: GameTrial) -> str:
    """Measure decisions a second, and what takes most of the time."""
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
        raise Skipped("nothing is ever asked")
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
    """Check that nothing is printed to standard output, in this step and in those before it."""
    for case in trial.cases:
        game = trial.new(case)
        for seat, move in trial.moments(game, mixing()):
            game.view(seat)
            game.text(seat)
            game.read(seat, move)
    if trial.printed.place:
        raise Flaw(f"{trial.printed.text!r} is printed at {trial.printed.place}")
    return ""

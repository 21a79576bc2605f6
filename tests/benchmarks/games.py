"""Decisions per second of every game, driven in this process by random choices.

    python -m tests.benchmarks.games            # all games: some minutes
    python -m tests.benchmarks.games khan duel  # some
    python -m tests.benchmarks.games openspiel:chess

`rules` is the loop of deciders, sample and apply; `asked` adds what the referee does for each
decision besides: decision, view and read. The next columns say where the time of `asked` goes. `cpu
us` is what a decision takes with its view as JSON, in microseconds of CPU: the deal is left out,
and the least of many short series is taken, which a busy machine hardly disturbs. `samples us` is
how many microseconds the samples of a decision take, if it lists no moves and a bot wants four.
Games take turns, so that a noisy machine disturbs all alike; of the rounds the best counts. Last
come matches per second of `referee.play`, all seats by chance, and the decisions of one.
"""

import sys
import time
from collections import Counter
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

from tabulate import tabulate

from protocol.lines import encode
from referee import play
from referee.catalog.loading import find_game
from referee.games import GAMES
from referee.match.match import samples_of
from referee.rules.game import Game, plain
from referee.rules.options import new_game, read_options

MEASURES = (
    "protocol/lines.py referee/rules/chance.py referee/rules/field.py referee/rules/form.py "
    "referee/games referee/training/local.py"
)
ROUNDS = 5
SECONDS = 0.6
"""The least time of one measurement."""
SERIES = 8
"""So many matches are one series."""
SAMPLES = 4
"""How many a bot wants that has a kit."""
PARTS = ("deciders", "decision", "view", "sample", "read_answer", "apply")


_found = cache(find_game)


def dealt(name: str, seed: int) -> Game:
    """Return a game with its fewest seats."""
    kind = _found(name)
    return new_game(kind, kind.seat_counts[0], read_options(kind, {}), str(seed))


def by_rules(game: Game, rng: Random) -> int:
    """Play a match with the rules alone; return its decisions."""
    taken = 0
    while seats := game.deciders():
        game.apply({seat: game.sample(seat, rng) for seat in seats})
        taken += len(seats)
    return taken


def asked(game: Game, rng: Random) -> int:
    """Play a match as the referee does, without bots and pipes; return its decisions."""
    taken = 0
    while seats := game.deciders():
        moves = {}
        for seat in seats:
            decision = game.decision(seat)
            plain(game.view(seat))
            moves[seat] = game.sample(seat, rng)
            game.read_answer(decision.name, seat, moves[seat])
        game.apply(moves)
        taken += len(seats)
    return taken


def rate(name: str, play: Callable[[Game, Random], int]) -> float:
    """Return decisions per second of CPU time, the dealing of matches included."""
    rng, taken, seed = Random(1), 0, 0
    began = time.process_time()
    while (spent := time.process_time() - began) < SECONDS:
        taken += play(dealt(name, seed), rng)
        seed += 1
    return taken / spent


def least_cpu(name: str) -> float:
    """Return the CPU seconds that a decision takes with its view as JSON, without the deal."""
    least, began = float("inf"), time.perf_counter()
    while time.perf_counter() - began < SECONDS:
        rng, taken, spent = Random(1), 0, 0.0
        for seed in range(SERIES):
            game = dealt(name, seed)
            before = time.process_time()
            while seats := game.deciders():
                moves: dict[int, Any] = {}
                for seat in seats:
                    decision = game.decision(seat)
                    encode(game.view(seat))
                    moves[seat] = game.read_answer(decision.name, seat, game.sample(seat, rng))
                game.apply(moves)
                taken += len(seats)
            spent += time.process_time() - before
        least = min(least, spent / taken)
    return least


def matches_rate(name: str) -> float:
    """Return matches per second of a game in which nobody decides."""
    seed, began = 0, time.perf_counter()
    while (spent := time.perf_counter() - began) < SECONDS:
        dealt(name, seed)
        seed += 1
    return seed / spent


def learning(name: str) -> tuple[float, float]:
    """Return matches per second of whoever trains a bot, and the decisions of one."""
    seats, matches, taken = _found(name).seat_counts[0], 0, 0
    began = time.process_time()
    while (spent := time.process_time() - began) < SECONDS:
        bots = [lambda ask: ask.rng.choice(ask.legal or ask.samples)] * seats
        taken += len(play(name, bots, seed=matches).entries)
        matches += 1
    return matches / spent, taken / matches


def shares(name: str) -> dict[str, float]:
    """Return which part of the time of `asked` each method takes."""
    spent: Counter[str] = Counter()

    def timed(game: Game, part: str) -> None:
        method: Callable[..., Any] = getattr(game, part)

        def call(*arguments: Any) -> Any:
            began = time.perf_counter()
            try:
                return method(*arguments)
            finally:
                spent[part] += time.perf_counter() - began  # type: ignore[assignment]

        setattr(game, part, call)

    rng, seed, began = Random(1), 0, time.perf_counter()
    while time.perf_counter() - began < SECONDS:
        game = dealt(name, seed)
        for part in PARTS:
            timed(game, part)
        asked(game, rng)
        seed += 1
    return {part: spent[part] / spent.total() for part in PARTS}


def samples_cost(name: str) -> float | None:
    """Return the seconds for the samples of a decision; None if all decisions list their moves."""
    rng, seed, drawn, spent = Random(1), 0, 0, 0.0
    began = time.perf_counter()
    while time.perf_counter() - began < SECONDS:
        game = dealt(name, seed)
        while seats := game.deciders():
            for seat in seats:
                if game.decision(seat).legal is None:
                    before = time.perf_counter()
                    samples_of(game, seat, drawn, SAMPLES)
                    spent += time.perf_counter() - before
                    drawn += 1
            game.apply({seat: game.sample(seat, rng) for seat in seats})
        seed += 1
    return spent / drawn if drawn else None


def main(names: list[str]) -> None:
    """Print the table."""
    chosen = names or list(GAMES)
    deciding = [name for name in chosen if _found(name).decisions]
    best: dict[tuple[str, str], float] = {}
    for _ in range(ROUNDS):
        for name in deciding:
            for way in (by_rules, asked):
                key = name, way.__name__
                best[key] = max(best.get(key, 0.0), rate(name, way))
    rows = []
    for name in deciding:
        parts = shares(name)
        rules, whole = best[name, "by_rules"], best[name, "asked"]
        samples = samples_cost(name)
        matches, decisions = learning(name)
        rows.append(
            [
                name,
                f"{rules:,.0f}",
                f"{whole:,.0f}",
                *(f"{100 * parts[part]:.0f}" for part in PARTS),
                f"{least_cpu(name) * 1e6:.1f}",
                "-" if samples is None else f"{samples * 1e6:.0f}",
                f"{matches:,.0f}",
                f"{decisions:,.0f}",
            ]
        )
    heads = (
        "game",
        "rules /s",
        "asked /s",
        *(f"{part} %" for part in PARTS),
        "cpu us",
        "samples us",
        "played /s",
        "decisions",
    )
    print(tabulate(rows, heads, colalign=("left", *("right",) * 12), disable_numparse=True))
    for name in chosen:
        if name not in deciding:
            print(f"{name}: no decisions; {matches_rate(name):,.0f} matches a second")


if __name__ == "__main__":
    main(sys.argv[1:])

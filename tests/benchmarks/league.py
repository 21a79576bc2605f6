"""Matches and decisions per second of a league, and the referee's own CPU time per decision.

Run it with `make bench`, for some minutes. Two copies of a bundled random bot play `guerra`; one
worker and two take turns, so that a noisy machine disturbs both alike. Read the ratios: the rates
belong to the machine.
"""

import os
import statistics
import time
from itertools import chain

import msgspec
from tabulate import tabulate

from arena.league.finding import bundled_bot
from arena.play.local import LocalWorkforce, usable_cores
from arena.play.messages import Results, Setup, Task
from arena.play.runner import Runner
from arena.schedule.deal import Entrant, Schedule
from arena.schedule.plain_formats import Lineups, RoundRobin
from referee.catalog.finding import Source
from referee.games import GAMES
from referee.limits import Limits
from referee.match.match import Match, starts
from referee.match.seat import FunctionSeat, ProcessSeat
from referee.match.seat import play_match as drive
from referee.rules.options import new_game, read_options
from referee.sandbox import Launcher
from referee.turn.starting import start_bot

MEASURES = (
    "arena/play/local.py arena/play/runner.py arena/play/worker.py arena/store/store.py "
    "bots/guerra/guerra_random.py protocol/lines.py referee/turn/bot_process.py "
    "referee/games/guerra referee/turn/lookout.py referee/match/match.py referee/process/pipes.py "
    "referee/match/seat.py referee/turn/turn_clock.py"
)
GAME = "guerra"
ROUNDS = 3
DEALS = 1000
MATCHES = 40
LIMITS = Limits(sandbox="none")


def league_rates(workers: int) -> tuple[float, float]:
    """Return the matches and decisions per second of a league, start-up of workers included."""
    bots = [bundled_bot(GAME, "random", name) for name in ("one", "other")]
    schedule = Schedule(
        game=GAME,
        key="benchmark",
        seats=2,
        rotations="cyclic",
        entrants=tuple(Entrant(bot.name, bot.version) for bot in bots if bot),
    )
    setup = Setup(
        game=Source(GAME, "bundled"),
        options=msgspec.to_builtins(GAMES[GAME].options_type()),
        limits=LIMITS,
        schedule=schedule,
        names=[bot.name for bot in bots if bot],
        programs=[bot.program for bot in bots if bot],
    )
    tasks = [
        Task(deal.lineup, deal.number, (0, 1))
        for deal in RoundRobin(Lineups(2, 2, 2), DEALS).plan()
    ]
    began = time.perf_counter()
    runner = Runner(setup, tasks, LocalWorkforce(setup, [], usable_cores(workers, each=1)))
    with runner.staffed():
        events = [each for each in chain.from_iterable(runner.run()) if isinstance(each, Results)]
    seconds = time.perf_counter() - began
    played = [each.result for event in events for each in event.matches]
    return len(played) / seconds, sum(result.decisions for result in played) / seconds


def own_cpu() -> tuple[float, float]:
    """Return microseconds of own CPU per decision: with processes, and with the rules alone.

    The first holds rules, codec, pipes, clock readings and bookkeeping; the bots' own time is
    theirs. In the second a function holds each seat and answers the same moves.
    """
    game = GAMES[GAME]
    options = read_options(game, {})
    bot = bundled_bot(GAME, "random")
    assert bot is not None
    used = decisions = 0.0
    replays = []
    with Launcher("none") as launcher:
        processes = [start_bot(launcher, bot.program, LIMITS, bot.name) for _ in range(2)]
        for number in range(-2, MATCHES):  # the first two warm up
            seats = [ProcessSeat(process) for process in processes]
            match = new_game(game, 2, options, str(number))
            began = time.process_time()
            played = drive(Match(match, 2), seats, starts(match, "x", LIMITS.time_control, [1, 2]))
            if number >= 0:
                used += time.process_time() - began
                decisions += len(played.replay.entries)
                replays.append(played.replay)
    alone = 0.0
    for replay in replays:
        moves = iter([entry.move for entry in replay.entries])
        seats = [FunctionSeat(lambda *_, moves=moves: next(moves)) for _ in range(2)]
        match = new_game(game, 2, options, replay.seed)
        began = time.process_time()
        drive(Match(match, 2), seats, starts(match, "x", LIMITS.time_control, [1, 2]))
        alone += time.process_time() - began
    return used / decisions * 1e6, alone / decisions * 1e6


def main() -> None:
    """Print the table."""
    rates = {1: [], 2: []}
    for _ in range(ROUNDS):
        for workers, found in rates.items():
            found.append(league_rates(workers))
    rows = [
        (
            f"{workers} worker{'s' * (workers > 1)}",
            *map(statistics.median, zip(*found, strict=True)),
        )
        for workers, found in rates.items()
    ]
    print(f"{GAME}, random v random, Python bots, {2 * DEALS} matches, sandbox none")
    print(tabulate(rows, headers=("", "matches/s", "decisions/s"), floatfmt=",.0f"))
    print(f"two workers: {rows[1][2] / rows[0][2]:.2f} x one")
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    whole, alone = own_cpu()
    print(
        f"the referee's own CPU per decision: {whole:.1f} us, of which rules and bookkeeping "
        f"{alone:.1f} us"
    )


if __name__ == "__main__":
    main()

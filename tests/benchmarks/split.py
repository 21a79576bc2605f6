"""Where the time of a decision goes in every real game, with bots in C that answer from a list.

    python -m tests.benchmarks.split                # all games, landlock, one core: some minutes
    python -m tests.benchmarks.split guerra --sandbox none --unpinned
    python -m tests.benchmarks.split --no-views         # what it would be if asks held no views
    python -m tests.benchmarks.split openspiel:chess    # a game from elsewhere

Matches are played once at random; then bots that do nothing but read and answer play them again
over the protocol. Microseconds of CPU for each decision: `rules` are the game's own methods and the
deal, each call timed in the run itself and an empty call taken off, `codec` encoding asks and
reading replies, `pipe` writing, waiting and reading the same bytes in a bare loop, `match` telling
the bots that a match begins and ends, `rest` clocks and bookkeeping: what is left of the referee's
own. The `bot` is in none of them: its CPU while it is asked, by the clock that judges it. Of the
rounds the least is taken, as whatever disturbs them only adds, and of several processes that of the
fastest referee, as it depends too on where things lie in memory.
"""

import argparse
import os
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from copy import deepcopy
from functools import cache, partial
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any, NamedTuple

from msgspec.structs import replace
from tabulate import tabulate

from protocol.lines import encode
from protocol.messages import Ask, End, Reply, read_reply
from referee.catalog.loading import find_game
from referee.games import GAMES
from referee.limits import Limits
from referee.match.match import Match, starts
from referee.match.seat import ProcessSeat
from referee.match.seat import play_match as drive
from referee.rules.game import Decision, Game, Observation, Options
from referee.rules.options import new_game, read_options
from referee.sandbox import Launcher, Program
from referee.turn.answer import Answer
from referee.turn.bot_process import BotProcess
from referee.turn.clock import Clock
from referee.turn.starting import end_processes, start_bot
from tests.benchmarks.c_programs import BOT, compiled
from tests.benchmarks.decision import Cost, Pipes, least, plain_bots, timed

MEASURES = (
    "protocol/lines.py protocol/messages.py referee/turn/bot_process.py referee/rules/chance.py "
    "referee/turn/clock.py referee/match/evidence.py referee/rules/field.py referee/rules/form.py "
    "referee/turn/freezer.py referee/rules/game.py referee/games referee/match/judging.py "
    "referee/turn/lookout.py referee/match/match.py referee/turn/meter.py referee/openspiel "
    "referee/process/pipes.py referee/process/polling.py referee/match/replay.py "
    "referee/match/seat.py referee/turn/turn_clock.py referee/turn/wire.py"
)
DECISIONS = 6000  # of a round, about
ROUNDS = 5
PROCESSES = 4
CONTROL = Limits().time_control
RULES = (
    *("deciders", "decision", "view", "check", "canonical"),
    *("default", "withdraw", "apply", "places"),
)
"""What the referee calls of a game."""


_found = cache(find_game)


class Script(NamedTuple):
    """Matches of one game, by their seeds, and what is said in them, in order."""

    game: str
    seeds: list[str]
    decisions: list[int]
    """Of each match."""
    seats: list[int]
    """Who is asked."""
    asks: list[Ask]
    replies: list[bytes]


def dealt(name: str, seed: str) -> Game:
    """Return a game with its fewest seats."""
    kind = _found(name)
    return new_game(kind, kind.seat_counts[0], _usual(kind), seed)


@cache
def _usual(kind: type[Game]) -> Options:
    """Return the options at their defaults, which a league reads once."""
    return read_options(kind, {})


def script_of(name: str) -> Script:
    """Play matches at random until there are decisions enough, and write down all that is said."""
    script = Script(name, [], [], [], [], [])
    clock = Clock(Limits().time_control, 1)
    while len(script.asks) < DECISIONS:
        seed = str(len(script.seeds))
        game, rng = dealt(name, seed), Random(seed)
        ids = [0] * game.seats
        before = len(script.asks)
        while seats := game.deciders():
            chosen = {}
            for seat in seats:
                ids[seat] += 1
                decision = game.decision(seat)
                chosen[seat] = move = game.sample(seat, rng)
                ask = Ask(
                    id=ids[seat],
                    decision=decision.name,
                    view=deepcopy(game.view(seat)),  # as it is encoded, not as it is read
                    legal=decision.legal,
                    limits=decision.limits,
                    clock=clock.left,
                )
                script.asks.append(ask)
                script.replies.append(encode(Reply(ids[seat], move)))
                script.seats.append(seat)
            game.apply(chosen)
        script.seeds.append(seed)
        script.decisions.append(len(script.asks) - before)
    return script


def noting(method: Callable[..., Any], note: Callable[[float], None]) -> Callable[..., Any]:
    """Return the method, with a note of the seconds that each call takes."""

    def call(*arguments: Any) -> Any:
        began = perf_counter()
        found = method(*arguments)
        note(perf_counter() - began)
        return found

    return call


def of_nothing() -> float:
    """Return the seconds that are noted of a call that does nothing."""
    noted: list[float] = []
    call = noting(lambda _: None, noted.append)
    for seat in range(1000):
        call(seat)
    return min(noted)


class Timed:
    """A game with a note of how long the deal and every call of the referee's took, in seconds."""

    def __init__(self, noted: list[float], name: str, seed: str) -> None:
        self._game = noting(dealt, noted.append)(name, seed)
        for method in RULES:
            setattr(self, method, noting(getattr(self._game, method), noted.append))

    def __getattr__(self, name: str) -> Any:
        """Return what is no call of the rules."""
        return getattr(self._game, name)


def play(
    script: Script,
    processes: Sequence[BotProcess],
    seat: type[ProcessSeat],
    deal: Callable[[str, str], Any] = dealt,
) -> float:
    """Play all matches over the protocol; return the bots' CPU seconds while they were asked."""
    before = sum(process.meter.on_turn for process in processes)
    for number, seed in enumerate(script.seeds):
        game = deal(script.game, seed)
        begun = starts(game, f"{number:016x}-0", CONTROL, range(game.seats))
        played = drive(Match(game, 0), [seat(process) for process in processes], begun)
        assert len(played.replay.entries) == script.decisions[number], "a bot answered otherwise"
    return sum(process.meter.on_turn for process in processes) - before


def rules_and_bot(
    script: Script, processes: Sequence[BotProcess], seat: type[ProcessSeat]
) -> tuple[float, float]:
    """Play all matches; return the microseconds that rules and bot took for each decision."""
    noted: list[float] = []
    used = play(script, processes, seat, partial(Timed, noted))
    rules = sum(noted) - len(noted) * of_nothing()
    return rules / len(script.asks) * 1e6, used / len(script.asks) * 1e6


def begin_and_end(script: Script, processes: Sequence[BotProcess], seat: type[ProcessSeat]) -> None:
    """Tell the bots that each match begins, and that it has ended."""
    game = dealt(script.game, script.seeds[0])
    end = End([1] * game.seats, "over")
    for number, _ in enumerate(script.seeds):
        begun = starts(game, f"{number:016x}-0", CONTROL, range(game.seats))
        seats = [seat(process) for process in processes]
        for each, start in zip(seats, begun, strict=True):
            each.start(start)
        for each in seats:
            each.end(end)


class Blindfold(ProcessSeat):
    """A seat that is asked without being shown anything; the view is made nonetheless."""

    def ask(self, decision: Decision, view: Observation) -> Answer:
        """Ask without the view."""
        return super().ask(decision, {})


def codec(script: Script) -> None:
    """Encode every ask and read every reply."""
    for ask, reply in zip(script.asks, script.replies, strict=True):
        encode(ask)
        read_reply(reply)


def pipe(script: Script, lines: Sequence[bytes], bots: Sequence[Pipes]) -> None:
    """Write the asks, and wait for each reply and read it."""
    for seat, line in zip(script.seats, lines, strict=True):
        stdin, stdout, poll, _ = bots[seat]
        os.write(stdin, line)
        poll(1000)
        os.read(stdout, 65536)


def commands(script: Script, bot: Path, folder: Path) -> list[list[Path]]:
    """Return what to run for each seat: the bot, with a file of its replies."""
    words = []
    for seat in range(_found(script.game).seat_counts[0]):
        file = folder / f"{script.game}-{seat}"
        said = zip(script.seats, script.replies, strict=True)
        file.write_bytes(b"".join(reply for own, reply in said if own == seat))
        words.append([bot, file])
    return words


def measured(
    name: str, bot: Path, folder: Path, sandbox: str, seat: type[ProcessSeat]
) -> dict[str, Cost]:
    """Return the least cost of each part in microseconds for each decision."""
    script = script_of(name)
    if seat is Blindfold:
        script = script._replace(asks=[replace(ask, view={}) for ask in script.asks])
    lines = [encode(ask) for ask in script.asks]
    argvs = commands(script, bot, folder)
    limits = Limits(sandbox=sandbox)  # type: ignore[arg-type]
    costs: dict[str, list[Cost]] = {}
    with Launcher(sandbox) as launcher, plain_bots(argvs) as bots:
        programs = [
            Program((str(bot), replies.name), str(folder), (bot.name, replies.name))
            for _, replies in argvs
        ]
        processes = [start_bot(launcher, program, limits, name) for program in programs]
        ways: dict[str, Callable[[], object]] = {
            "referee": lambda: play(script, processes, seat),
            "match": lambda: begin_and_end(script, processes, seat),
            "codec": lambda: codec(script),
            "pipe": lambda: pipe(script, lines, bots),
        }
        for _ in range(ROUNDS):
            for way, run in ways.items():
                costs.setdefault(way, []).append(timed(run, len(lines)))
            spent = rules_and_bot(script, processes, seat)
            for way, cost in zip(("rules", "bot"), spent, strict=True):
                costs.setdefault(way, []).append(Cost(cost, cost))
        end_processes(processes)
    return {way: least(each) for way, each in costs.items()}


def row(name: str, cost: dict[str, Cost]) -> tuple[str | float, ...]:
    """Return the row of a game."""
    parts = ("referee", "rules", "codec", "pipe", "match", "bot")
    whole, rules, codec, pipe, match, bot = (cost[part].cpu for part in parts)
    rest = whole - rules - codec - pipe - match
    rate = 1e6 / cost["referee"].wall
    return name, whole, rules, codec, pipe, match, rest, whole - rules, bot, rate


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.split")
    parser.add_argument("games", nargs="*", default=[n for n in GAMES if GAMES[n].decisions])
    parser.add_argument("--sandbox", default="landlock")
    parser.add_argument("--unpinned", action="store_true", help="let bots run on other cores")
    parser.add_argument("--processes", type=int, default=PROCESSES, help="try so many times")
    parser.add_argument("--no-views", action="store_true", help="ask with empty views")
    arguments = parser.parse_args()
    if not arguments.unpinned:
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        bot = compiled(folder, "bot", BOT)
        seat = Blindfold if arguments.no_views else ProcessSeat
        rows = []
        with ProcessPoolExecutor(1, max_tasks_per_child=1) as pool:
            for game in arguments.games:
                task = game, bot, folder, arguments.sandbox, seat
                tasks = [pool.submit(measured, *task) for _ in range(arguments.processes)]
                costs = [each.result() for each in tasks]
                rows.append(row(game, min(costs, key=lambda cost: cost["referee"].cpu)))
    where = "unpinned" if arguments.unpinned else "one core"
    print(
        f"CPU us for each decision, the referee's own and the bot's, {arguments.sandbox}, {where}"
    )
    shares = ("own", "rules", "codec", "pipe", "match", "rest", "not rules", "bot")
    headers = ("", *shares, "decisions/s")
    print(tabulate(rows, headers=headers, floatfmt=("", *[".1f"] * 8, ",.0f")))


if __name__ == "__main__":
    main()

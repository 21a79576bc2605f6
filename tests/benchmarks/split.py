"""Where the time of a decision goes in every real game, with bots in C that answer from a list.

    python -m tests.benchmarks.split                    # all games, landlock, one core
    python -m tests.benchmarks.split guerra --sandbox none --unpinned
    python -m tests.benchmarks.split --no-views         # what it would be if asks held no views

Random moves are played once by functions; then bots that do nothing but read and answer play the
same matches over the protocol. Microseconds of CPU for each decision: `rules` are deciders,
decision, view, check and apply, `codec` encoding asks and reading replies, `pipe` writing, waiting
and reading the same bytes in a bare loop, `rest` clocks and bookkeeping: what is left of the
referee's own. The bots' is in none of them. Matches are dealt and begun in the time measured. Of
the rounds the least is taken, as whatever disturbs them only adds.
"""

import argparse
import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from msgspec.structs import replace
from tabulate import tabulate

from protocol.lines import encode
from protocol.messages import Ask, Reply, read_reply
from referee.clock import Clock
from referee.game import Decision, Game, Move, Observation
from referee.games import GAMES
from referee.limits import Limits
from referee.match import Match, starts
from referee.options import new_game, read_options
from referee.sandbox import Launcher, Program
from referee.seat import Answer, FunctionSeat, ProcessSeat, Seat
from referee.starting import end_processes, start_bot
from tests.benchmarks.c_programs import BOT, compiled
from tests.benchmarks.decision import Cost, Pipes, least, plain_bots, timed

DECISIONS = 6000  # of a round, about
ROUNDS = 9
CONTROL = Limits().time_control


class Script(NamedTuple):
    """Matches of one game, by their seeds, and what is said in them, in order."""

    game: str
    seeds: list[str]
    moves: list[list[Move]]
    """Of each match."""
    seats: list[int]
    """Who is asked."""
    asks: list[Ask]
    replies: list[bytes]


def dealt(name: str, seed: str) -> Game:
    """Return a game with its fewest seats."""
    kind = GAMES[name]
    return new_game(kind, kind.seat_counts[0], read_options(kind, {}), seed)


def script_of(name: str) -> Script:
    """Play matches at random until there are decisions enough, and write down all that is said."""
    script = Script(name, [], [], [], [], [])
    clock = Clock(Limits().time_control)
    while len(script.asks) < DECISIONS:
        seed = str(len(script.seeds))
        game, rng = dealt(name, seed), Random(seed)
        ids = [0] * game.seats
        moves: list[Move] = []
        while seats := game.deciders():
            chosen = {}
            for seat in seats:
                ids[seat] += 1
                decision = game.decision(seat)
                chosen[seat] = move = game.sample(seat, rng)
                ask = Ask(
                    id=ids[seat],
                    decision=decision.name,
                    view=game.view(seat),
                    legal=decision.legal,
                    limits=decision.limits,
                    clock=clock.left,
                )
                script.asks.append(ask)
                script.replies.append(encode(Reply(ids[seat], move)))
                script.seats.append(seat)
                moves.append(move)
            game.apply(chosen)
        script.seeds.append(seed)
        script.moves.append(moves)
    return script


def play(script: Script, seats_of: Callable[[int], Sequence[Seat]]) -> None:
    """Play all matches; `seats_of` gives those of a match by its number."""
    for number, seed in enumerate(script.seeds):
        game = dealt(script.game, seed)
        begun = starts(game, f"{number:016x}-0", CONTROL, range(game.seats))
        played = Match(game, seats_of(number), 0).play(begun)
        assert len(played.replay.entries) == len(script.moves[number]), "a bot answered otherwise"


def functions(script: Script, number: int) -> Sequence[Seat]:
    """Return seats held by functions that answer from the list."""
    moves = iter(script.moves[number])

    def choose(_decision: Decision, _view: Observation) -> Move:
        return next(moves)

    return [FunctionSeat(choose) for _ in range(GAMES[script.game].seat_counts[0])]


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
    found = []
    for seat in range(GAMES[script.game].seat_counts[0]):
        file = folder / f"{script.game}-{seat}"
        said = zip(script.seats, script.replies, strict=True)
        file.write_bytes(b"".join(reply for own, reply in said if own == seat))
        found.append([bot, file])
    return found


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
    found: dict[str, list[Cost]] = {}
    with Launcher(sandbox) as launcher, plain_bots(argvs) as bots:
        programs = [
            Program((str(bot), replies.name), str(folder), (bot.name, replies.name))
            for _, replies in argvs
        ]
        processes = [start_bot(launcher, program, limits, name) for program in programs]
        ways: dict[str, Callable[[], object]] = {
            "referee": lambda: play(script, lambda _: [seat(p, ()) for p in processes]),
            "rules": lambda: play(script, lambda number: functions(script, number)),
            "codec": lambda: codec(script),
            "pipe": lambda: pipe(script, lines, bots),
        }
        for _ in range(ROUNDS):
            for way, run in ways.items():
                found.setdefault(way, []).append(timed(run, len(lines)))
        end_processes(processes)
    return {way: least(costs) for way, costs in found.items()}


def row(name: str, cost: dict[str, Cost]) -> tuple[str | float, ...]:
    """Return the row of a game."""
    whole, rules, codec, pipe = (cost[way].cpu for way in ("referee", "rules", "codec", "pipe"))
    wall = cost["referee"].wall
    rest = whole - rules - codec - pipe
    return name, whole, rules, codec, pipe, rest, whole - rules, wall, 1e6 / wall


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.split")
    parser.add_argument("games", nargs="*", default=[n for n in GAMES if GAMES[n].decisions])
    parser.add_argument("--sandbox", default="landlock")
    parser.add_argument("--unpinned", action="store_true", help="let bots run on other cores")
    parser.add_argument("--no-views", action="store_true", help="ask with empty views")
    arguments = parser.parse_args()
    if not arguments.unpinned:
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        bot = compiled(folder, "bot", BOT)
        seat = Blindfold if arguments.no_views else ProcessSeat
        rows = [
            row(game, measured(game, bot, folder, arguments.sandbox, seat))
            for game in arguments.games
        ]
    where = "unpinned" if arguments.unpinned else "one core"
    print(f"CPU us of the referee for each decision, sandbox {arguments.sandbox}, {where}")
    headers = ("", "own", "rules", "codec", "pipe", "rest", "not rules", "wall", "decisions/s")
    print(tabulate(rows, headers=headers, floatfmt=("", *[".1f"] * 7, ",.0f")))


if __name__ == "__main__":
    main()

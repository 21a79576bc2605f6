"""Write the golden playthroughs: one complete random match a file, every choice and view shown.

Run it when a game was changed on purpose, and read the difference before committing it::

    .venv/bin/python tests/playthroughs/regenerate.py            # all
    .venv/bin/python tests/playthroughs/regenerate.py guerra     # some
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

import msgspec

from referee.chance import Chance
from referee.folder import Playthrough, cases_of, module_of
from referee.game import Decision, Game, Move, plain
from referee.games import GAMES


class Match(NamedTuple):
    """A match to be kept as text, and the file that keeps it."""

    game: type[Game]
    play: Playthrough
    file: Path


def _matches() -> dict[str, Match]:
    found = {}
    for game in GAMES.values():
        folder = module_of(game).parent / "playthroughs"
        for name, play in cases_of(game).playthrough.items():
            found[name] = Match(game, play, folder / f"{name}.txt")
    return found


PLAYTHROUGHS = _matches()
"""By name, what the games' own cases ask for."""


def transcript(name: str) -> str:
    """Return the whole text of one playthrough."""
    kind, play, _ = PLAYTHROUGHS[name]
    options = msgspec.convert(play.options, kind.options_type)
    game = kind(seats=kind.seat_counts[0], options=options, chance=Chance(play.seed))
    return "\n".join([*_header(game), *_steps(game, Random(play.seed)), *_end(game), ""])


def _header(game: Game) -> Iterator[str]:
    yield f"game {game.name}"
    yield f"seats {game.seats}"
    yield f"options {_line(msgspec.to_builtins(game.options))}"
    yield f"seed {game.chance.seed}"


def _steps(game: Game, rng: Random) -> Iterator[str]:
    step = 0
    while seats := game.deciders():
        step += 1
        yield from ("", f"==== step {step}", game.text())
        moves = {seat: _choose(game, seat, rng) for seat in seats}
        for seat, move in moves.items():
            yield from _choice(game, seat, move)
        game.apply(moves)


def _choose(game: Game, seat: int, rng: Random) -> Move:
    """Return a random move, or now and then the default that stands in for a fault."""
    return game.default(seat) if rng.random() < 0.04 else game.sample(seat, rng)


def _choice(game: Game, seat: int, move: Move) -> Iterator[str]:
    decision = game.decision(seat)
    yield f"---- seat {seat}: {decision.name}"
    yield f"view {_line(plain(game.view(seat)))}"
    yield _offer(decision)
    yield f"move {_line(move)}"
    yield f"told {game.describe(seat, move)}"


def _offer(decision: Decision) -> str:
    if decision.legal is None:
        return f"limits {_line(msgspec.to_builtins(decision.limits))}"
    return f"legal {len(decision.legal)} moves"


def _end(game: Game) -> Iterator[str]:
    yield from ("", "==== end", game.text())
    yield from (f"view {_line(plain(game.view(seat)))}" for seat in range(game.seats))
    yield f"places {_line(game.places())}"
    yield f"reason {game.reason}"


def _line(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def main(names: list[str]) -> None:
    """Rewrite the files of `names`, or all."""
    for name in names or PLAYTHROUGHS:
        file = PLAYTHROUGHS[name].file
        file.parent.mkdir(exist_ok=True)
        file.write_text(transcript(name), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])

"""Write the golden playthroughs: a random match a file, told to be read and held to the byte.

A playthrough shows the last step of each kind of decision in full: the table, what
was shown and offered to whom, and the move. Every other step is a line: its moves in words. With
each step stands a digest of the table as everybody sees it, of all that was shown and offered, and
of the moves, so that no byte of the match changes unseen. A match has at most `STEPS` steps.

Run it when a game was changed on purpose, and read the difference before committing it::

    .venv/bin/python -m tests.playthroughs.regenerate            # all
    .venv/bin/python -m tests.playthroughs.regenerate guerra     # some
"""

import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

import msgspec

from referee.catalog.folder import Playthrough, cases_of, module_of
from referee.games import GAMES
from referee.rules.chance import Chance
from referee.rules.game import Decision, Game, Move, plain

STEPS = 200
"""The most steps of a match; an option in the game's `cases.toml` makes it shorter."""


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


class Step(NamedTuple):
    """A step of a match."""

    kinds: list[str]
    """The decisions that were made."""
    whole: list[str]
    """All that is to be read of it."""
    told: list[str]
    """The moves in words."""
    digest: str


def transcript(name: str) -> str:
    """Return the whole text of one playthrough."""
    game, rng = dealt(name)
    lines = [*_header(game)]
    steps = [*_steps(game, rng)]
    shown = {*{kind: at for at, step in enumerate(steps) for kind in step.kinds}.values()}
    for at, step in enumerate(steps):
        head = f"==== step {at + 1} {step.digest}"
        lines += ["", head, *step.whole] if at in shown else [f"{head} {' | '.join(step.told)}"]
    return "\n".join([*lines, *_end(game), ""])


def dealt(name: str) -> tuple[Game, Random]:
    """Return the game of a playthrough as it begins, and the dice by which its seats choose."""
    kind, play, _ = PLAYTHROUGHS[name]
    options = msgspec.convert(play.options, kind.options_type)
    game = kind(seats=play.seats or kind.seat_counts[0], options=options, chance=Chance(play.seed))
    return game, Random(play.seed)


def _header(game: Game) -> Iterator[str]:
    yield f"game {game.name}"
    yield f"seats {game.seats}"
    yield f"options {_line(msgspec.to_builtins(game.options))}"
    yield f"seed {game.chance.seed}"


def _steps(game: Game, rng: Random) -> Iterator[Step]:
    while seats := game.deciders():
        moves = {seat: _choose(game, seat, rng) for seat in seats}
        whole, told = [game.text()], []
        for seat, move in moves.items():
            whole += _choice(game, seat, move)
            told.append(game.describe(seat, move))
        yield Step([game.decision(seat).name for seat in seats], whole, told, _digest(game, whole))
        game.apply(moves)


def _digest(game: Game, lines: list[str]) -> str:
    """Return the digest of what is to be read, and of what each seat sees besides."""
    seen = [part for seat in range(game.seats) for part in (game.text(seat), _view(game, seat))]
    return hashlib.sha256("\n".join([*lines, *seen]).encode()).hexdigest()[:16]


def _choose(game: Game, seat: int, rng: Random) -> Move:
    """Return a random move, or now and then the default that stands in for a fault."""
    return game.default(seat) if rng.random() < 0.04 else game.sample(seat, rng)


def _choice(game: Game, seat: int, move: Move) -> Iterator[str]:
    decision = game.decision(seat)
    yield f"---- seat {seat}: {decision.name}"
    yield _view(game, seat)
    yield _offer(decision)
    yield f"move {_line(move)}"
    yield f"told {game.describe(seat, move)}"


def _offer(decision: Decision) -> str:
    if decision.legal is None:
        return f"limits {_line(msgspec.to_builtins(decision.limits))}"
    return f"legal {len(decision.legal)} moves"


def _end(game: Game) -> Iterator[str]:
    lines = [game.text(), *(_view(game, seat) for seat in range(game.seats))]
    yield from ("", f"==== end {_digest(game, lines)}", *lines)
    yield f"places {_line(game.places())}"
    yield f"reason {game.reason}"


def _view(game: Game, seat: int) -> str:
    return f"view {_line(plain(game.view(seat)))}"


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

"""Write the golden playthroughs: one complete random match a file, every choice and view shown.

Run it when a game was changed on purpose, and read the difference before committing it::

    .venv/bin/python tests/playthroughs/regenerate.py            # all
    .venv/bin/python tests/playthroughs/regenerate.py guerra     # some
"""

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import msgspec

from referee.chance import Chance
from referee.game import Decision, Game, Move, plain
from referee.games import GAMES

FOLDER = Path(__file__).parent


class Playthrough(NamedTuple):
    """A match to record, with the fewest seats."""

    game: str
    options: Mapping[str, Any] = {}
    seed: str = "1"


PLAYTHROUGHS: dict[str, Playthrough] = {name: Playthrough(name) for name in GAMES} | {
    "casino_war": Playthrough("casino_war", seed="129"),
    "casino_war_shoe": Playthrough(
        "casino_war", {"rounds": 30, "bankroll": 120, "reshuffle": "shoe", "decks": 1}, seed="36"
    ),
    "cold_war": Playthrough("cold_war", seed="31"),
    "cold_war_talk": Playthrough(
        "cold_war",
        {"talk": True, "talk_exchanges": 2, "max_rounds": 12, "cap_result": "lead"},
    ),
    "duel": Playthrough("duel", seed="672"),
    "duel_capped": Playthrough(
        "duel", {"deck": 48, "extra_action_cost": "instead", "max_turns": 6}, seed="3"
    ),
    "guerra": Playthrough("guerra", seed="7"),
    "khan": Playthrough("khan", seed="4297"),
    "pyanitsa": Playthrough("pyanitsa", seed="93"),
    "steal_war": Playthrough("steal_war", seed="912"),
    "tod_und_leben": Playthrough("tod_und_leben", {"rounds": 3}),
    "war": Playthrough("war", seed="19"),
    "war_hidden": Playthrough(
        "war",
        {"order_seen": "winner", "war_length": "razboi", "jokers": "buried"},
        seed="107",
    ),
    "world_war": Playthrough("world_war", {"max_rounds": 5, "max_attacks": 1}, seed="16"),
    "world_war_in_turn": Playthrough(
        "world_war",
        {
            "objective": "world",
            "setup": "in_turn",
            "setup_step": 13,
            "attack_mode": "single",
            "defence": "max",
            "safe_rounds": 0,
            "max_rounds": 4,
            "max_attacks": 1,
        },
        seed="244",
    ),
}
"""Each file's match; a file stays below 300 KB by options or a seed that shorten the match."""


def transcript(name: str) -> str:
    """Return the whole text of one playthrough."""
    record = PLAYTHROUGHS[name]
    kind = GAMES[record.game]
    options = msgspec.convert(dict(record.options), kind.options_type)
    game = kind(seats=kind.seat_counts[0], options=options, chance=Chance(record.seed))
    return "\n".join([*_header(game), *_steps(game, Random(record.seed)), *_end(game), ""])


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
        (FOLDER / f"{name}.txt").write_text(transcript(name), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])

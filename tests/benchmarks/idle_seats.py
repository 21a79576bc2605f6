"""How many seats of a match are never asked anything, with the fewest and the most of them.

    python -m tests.benchmarks.idle_seats    # some seconds

All seats play by chance, 30 matches each.
"""

from random import Random

from tabulate import tabulate

from referee.games import GAMES
from referee.rules.options import new_game, read_options

MEASURES = "referee/games"
MATCHES = 30


def asked(name: str, seats: int, seed: int) -> list[int]:
    """Play a match by chance; return by seat how often it was asked."""
    kind = GAMES[name]
    game, rng = new_game(kind, seats, read_options(kind, {}), f"idle {seed}"), Random(seed)
    counts = [0] * seats
    while deciders := game.deciders():
        for seat in deciders:
            counts[seat] += 1
        game.apply({seat: game.sample(seat, rng) for seat in deciders})
    return counts


def main() -> None:
    """Print the table."""
    rows = []
    for name, kind in GAMES.items():
        for seats in sorted({kind.seat_counts[0], kind.seat_counts[-1]} if kind.decisions else ()):
            found = [asked(name, seats, seed) for seed in range(MATCHES)]
            decisions = sum(map(sum, found)) / MATCHES
            idle = sum(counts.count(0) for counts in found) / MATCHES
            rows.append((name, seats, f"{decisions:.0f}", f"{idle:.1f}"))
    print(tabulate(rows, ("game", "seats", "decisions a match", "seats never asked")))


if __name__ == "__main__":
    main()

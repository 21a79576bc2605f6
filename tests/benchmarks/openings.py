"""Drawn openings: how many are open, what that costs, and how even real play from them is.

`python -m tests.benchmarks.openings [GAME...]` draws openings of OpenSpiel's games, and lets two
equal bots, which search a tree by random playouts, play from each of some.
"""

import argparse
import time
from statistics import fmean

import pyspiel

from referee.game import Game
from referee.loading import find_game
from referee.opening import DRAWS, PLAYOUTS, USUAL_MOST, Opening, _dice, _is_open, _random_opening
from referee.options import new_game, read_options

MEASURES = "referee/opening.py referee/openspiel"
GAMES = ("openspiel:connect_four", "openspiel:hex", "openspiel:breakthrough", "openspiel:othello")


def draws(kind: type[Game], plies: int, count: int) -> tuple[list[Opening], list[Opening], float]:
    """Return the openings that are open, the others, and the milliseconds that one took."""
    options = read_options(kind, {})
    found: tuple[list[Opening], list[Opening]] = ([], [])
    began = time.perf_counter()
    for number in range(count):
        seed = f"{number}"
        game = new_game(kind, 2, options, seed)
        opening = _random_opening(game, plies, _dice("opening", seed, 0))
        if opening is not None:
            is_open = _is_open(kind, 2, options, seed, opening, USUAL_MOST)
            found[not is_open].append(opening)
    return *found, 1000 * (time.perf_counter() - began) / count


def shares(name: str, openings: list[Opening], matches: int, searches: int) -> list[float]:
    """Return for each opening the share that the better seat has, among equal bots."""
    spiel = pyspiel.load_game(name)
    found = []
    for opening in openings:
        points = 0.0
        for seed in range(matches):
            state = spiel.new_initial_state()
            for _, move in opening.moves:
                state.apply_action(move["action"])
            rollouts = pyspiel.RandomRolloutEvaluator(n_rollouts=1, seed=seed)
            bot = pyspiel.MCTSBot(
                spiel, rollouts, 1.4, searches, 50, solve=True, seed=seed, verbose=False
            )
            while not state.is_terminal():
                state.apply_action(bot.step(state))
            points += (state.returns()[0] + 1) / 2
        found.append(max(points, matches - points) / matches)
    return found


def main() -> None:
    """Print a row for each game."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="*", default=GAMES)
    parser.add_argument("--plies", type=int, default=4)
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--openings", type=int, default=15, help="of each kind that are played")
    parser.add_argument("--matches", type=int, default=10)
    parser.add_argument("--searches", type=int, default=300)
    asked = parser.parse_args()
    print(f"{PLAYOUTS} random matches, open = {USUAL_MOST}, {DRAWS} draws at most")
    for name in asked.games:
        kind = find_game(name)
        fair, odd, cost = draws(kind, asked.plies, asked.draws)
        total = len(fair) + len(odd)
        print(f"{name}, {asked.plies} plies: {len(fair)} of {total} are open; {cost:.1f} ms each")
        for title, some in (("open", fair), ("not open", odd)):
            if some and asked.openings:
                spiel_name = name.partition(":")[2]
                found = shares(spiel_name, some[: asked.openings], asked.matches, asked.searches)
                lopsided = sum(share >= 0.9 for share in found)
                print(
                    f"  {title}: the better seat takes {100 * fmean(found):.0f} % of the points on "
                    f"average; 90 % or more in {lopsided} of {len(found)} openings"
                )


if __name__ == "__main__":
    main()

"""How long a bot needs to find the seed of its league from what it is told: before, and now.

`python -m tests.benchmarks.seed` takes the `start` of a league of each derivation. By the first,
it searches; by the second, which takes too long, it measures some guesses and multiplies.
"""

import hashlib
import itertools
import time
from collections.abc import Callable

from tabulate import tabulate

from arena.league.seed import Derivation, league_key

MEASURES = "arena/league/seed.py referee/chance.py"
GAME, MATCH, NAME = "guerra", "3f9a1c20b7e4d501-0", "mine"
NUMBER, WORD = "271828", "spring"
DRAWN = 2**53
"""Of so many numbers `arena init` draws one."""
COMMON = 10_000
"""The words in a list of those that everybody knows."""
_PATIENCE = {1: 200_000, 2: 20}  # guesses that are measured


def bot_seed(seed: str, derivation: Derivation) -> int:
    """Return what `start` says if this is the seed, as whoever guesses works it out."""
    key = league_key.__wrapped__(GAME, seed, derivation)
    text = "\0".join((GAME, key, "bot", MATCH, NAME))
    digest = hashlib.blake2b(text.encode(), digest_size=16).digest()
    return int.from_bytes(digest[:8], "little") >> 11


def place_of(word: str) -> int:
    """Return how many words of small letters, the short ones first, are tried until this one."""
    place = 0
    for letter in word:
        place = place * 26 + ord(letter) - ord("a") + 1
    return place


def seconds_of(work: Callable[[], object]) -> float:
    """Return the CPU time of it."""
    began = time.process_time()
    work()
    return time.process_time() - began


def a_guess(derivation: Derivation) -> float:
    """Return the CPU seconds of one guess."""
    guesses = [str(number) for number in range(_PATIENCE[derivation])]
    seconds = seconds_of(lambda: [bot_seed(guess, derivation) for guess in guesses])
    return seconds / len(guesses)


def search(seed: str) -> float:
    """Return the CPU seconds in which a number is found by the first derivation."""
    told = bot_seed(seed, 1)
    return seconds_of(
        lambda: next(each for each in itertools.count() if bot_seed(str(each), 1) == told)
    )


def in_words(seconds: float) -> str:
    """Return a time as people say it."""
    units = (("years", 365.25 * 86400), ("days", 86400), ("hours", 3600), ("min", 60))
    unit, size = next((each for each in units if seconds >= 2 * each[1]), ("s", 1))
    return f"{seconds / size:,.{1 if seconds < 10 * size else 0}f} {unit}"


def main() -> None:
    """Print the table."""
    costs = {1: a_guess(1), 2: a_guess(2)}
    print(f"A guess: {costs[1] * 1e6:.2f} µs before, {costs[2]:.3f} s now, of one core.")
    print(f"{NUMBER} was found by the derivation from before in {search(NUMBER):.2f} s.\n")
    guesses = {
        f"{NUMBER}, counting from 0": int(NUMBER) + 1,
        "any number of six digits": 10**6,
        f"{WORD}, in a list of common words": COMMON,
        f"{WORD}, among all words in small letters": place_of(WORD),
        "a drawn seed": DRAWN,
    }
    rows = [
        (what, f"{count:,}", *(in_words(count * cost) for cost in costs.values()))
        for what, count in guesses.items()
    ]
    print(tabulate(rows, ("seed", "guesses at most", "before", "now"), tablefmt="github"))


if __name__ == "__main__":
    main()

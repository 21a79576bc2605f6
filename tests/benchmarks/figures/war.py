"""The numbers of War's rules page: chances of a war, lengths of games, the guard."""

import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import comb, sqrt
from random import Random
from typing import Any

from referee.games.war.game import War
from referee.games.war_family.cards import strength
from referee.games.war_family.packs import PackGame
from referee.rules.chance import Chance
from tests.benchmarks.figures.figure import Figure, mean, share

Habit = Callable[[PackGame, Random], list[str]]
"""How a seat orders what it has won."""

GAMES = 1000
"""As many for each mean as the page has, the three of its first column apart."""
PAGE_ERROR = 3.0
"""Of those three, from 16,000 games."""
CYCLING_GAMES = 300
FIRST_BATTLES = 20_000

Length = tuple[int, int]
"""The battles of a game: the mean, and what 99 % stay below."""
LENGTHS: dict[str, tuple[dict[str, Any], Length, Length, Length]] = {
    "1 down, out": ({}, (444, 1784), (298, 1082), (241, 824)),
    "1 down, last_card": ({"out_of_cards": "last_card"}, (471, 2014), (324, 1206), (243, 824)),
    "3 down, out": ({"war_length": 3}, (236, 883), (186, 671), (137, 462)),
    "3 down, last_card": (
        {"war_length": 3, "out_of_cards": "last_card"},
        (274, 1057),
        (241, 968),
        (142, 468),
    ),
    "razboi": ({"war_length": "razboi"}, (115, 438), (106, 423), (78, 262)),
}
"""By war: its options; lengths when pots are shuffled, won first, and highest first."""
MANY = ("1 down, out", "1 down, last_card", "3 down, out")
"""The wars whose mean with shuffled pots is from 16,000 games."""


def highest(game: PackGame, rng: Random) -> list[str]:
    """Return the cards won, the highest first."""
    return sorted(game.won, key=strength, reverse=True)


def lowest(game: PackGame, rng: Random) -> list[str]:
    """Return the cards won, the lowest first."""
    return sorted(game.won, key=strength)


def others_first(game: PackGame, rng: Random) -> list[str]:
    """Return the cards of the others, then one's own."""
    return game.won


def own_first(game: PackGame, rng: Random) -> list[str]:
    """Return one's own cards, then those of the others."""
    assert game.asked is not None
    own = len(game.battles[-1].laid[game.asked])
    return game.won[-own:] + game.won[:-own]


def at_random(game: PackGame, rng: Random) -> list[str]:
    """Return the cards won in any order."""
    return rng.sample(game.won, len(game.won))


def dealt(kind: type[PackGame], seats: int, seed: str, **options: Any) -> PackGame:
    """Return a game at its first decision, or at its end."""
    return kind(seats=seats, options=kind.options_type(**options), chance=Chance(seed))


def played(
    kind: type[PackGame], habits: Sequence[Habit], count: int, **options: Any
) -> list[PackGame]:
    """Return so many games between these habits, finished; they change seats by turns."""
    games = []
    for number in range(count):
        game = dealt(kind, len(habits), f"figures {number}", **options)
        rng = Random(number)
        while game.asked is not None:
            habit = habits[(game.asked + number) % len(habits)]
            game.apply({game.asked: {"order": habit(game, rng)}})
        games.append(game)
    return games


def guarded(games: Sequence[PackGame]) -> int:
    """Return how many of the games reached the guard."""
    return sum(game.reason == "max_battles" for game in games)


def chance_of_war(cards: Sequence[str], seats: int) -> Fraction:
    """Return how likely the highest of the cards turned up is tied."""
    ranks = Counter(map(strength, cards))
    ways = sum(
        comb(count, tied) * comb(sum(n for low, n in ranks.items() if low < rank), seats - tied)
        for rank, count in ranks.items()
        for tied in range(2, seats + 1)
    )
    return Fraction(ways, comb(len(cards), seats))


def first_war(kind: type[PackGame], seats: int, page: Fraction, **options: Any) -> Iterator[Figure]:
    """Yield the chance that the first battle is a war, by counting and by dealing."""
    options |= {"max_battles": 1}
    cards = dealt(kind, seats, "any", **options).cards
    what = f"first war, {seats} seats, {len(cards)} cards"
    yield Figure(f"{what}, exact", float(page), float(chance_of_war(cards, seats)))
    wars = sum(
        len(dealt(kind, seats, f"first {number}", **options).battles[0].laid[0]) > 1
        for number in range(FIRST_BATTLES)
    )
    yield share(what, float(page), wars, FIRST_BATTLES)


def length(what: str, page: Length, games: Sequence[PackGame], many: bool = False) -> Figure:
    """Return the figure of the mean number of battles."""
    battles = [game.battle for game in games]
    error = PAGE_ERROR if many else statistics.stdev(battles) / sqrt(GAMES)
    return mean(f"{what}: battles", page[0], battles, error)


def below(what: str, page: Length, games: Sequence[PackGame]) -> Figure:
    """Return the figure of the games that stay below the page's 99 %."""
    short = sum(game.battle <= page[1] for game in games)
    return share(f"{what}: share up to {page[1]}", 0.99, short, len(games), GAMES)


def table(what: str, options: dict[str, Any], pages: Sequence[Length]) -> Iterator[Figure]:
    """Yield the figures of one row of the page's table."""
    columns: dict[str, tuple[Sequence[Habit], dict[str, Any]]] = {
        "shuffled": ((highest, highest), {"pickup": "shuffled"}),
        "won first": ((highest, highest), {"pickup": "won_first"}),
        "highest first": ((highest, highest), {}),
    }
    for (column, (habits, pickup)), page in zip(columns.items(), pages, strict=True):
        games = played(War, habits, GAMES, **options, **pickup)
        told = f"{what}, {column}"
        yield length(told, page, games, many=column == "shuffled" and what in MANY)
        yield below(told, page, games)
        yield share(f"{told}: A wins", 0.5, sum(g.places() == [1, 2] for g in games), GAMES)
        if column == "shuffled" and not options:
            yield share(f"{told}: at the guard", 0.0004, guarded(games), GAMES)
        elif column != "shuffled":
            yield Figure(f"{told}: at the guard", 0, guarded(games))


def shuffled_lengths() -> Iterator[Figure]:
    """Yield the lengths with jokers, and with bots that choose at random."""
    both = (highest, highest)
    for jokers, page in (("shuffled", 503), ("buried", 570)):
        games = played(War, both, GAMES, pickup="shuffled", jokers=jokers)
        yield length(f"jokers {jokers}, shuffled", (page, 0), games)
    games = played(War, (at_random, at_random), GAMES)
    yield length("1 down, out, two random bots", LENGTHS["1 down, out"][1], games, many=True)


def three_seats() -> Iterator[Figure]:
    """Yield how often three seats reach the guard, with 51 cards and with 54."""
    three = (highest,) * 3
    for what, page, options in (
        ("won first", 0.80, {"pickup": "won_first"}),
        ("highest first", 0.43, {}),
    ):
        games = played(War, three, CYCLING_GAMES, jokers="none", **options)
        told = f"3 seats, 51 cards, {what}: at the guard"
        yield share(told, page, guarded(games), len(games), CYCLING_GAMES)
        games = played(War, three, CYCLING_GAMES, **options)
        yield Figure(f"3 seats, 54 cards, {what}: at the guard", 0, guarded(games))


def different_habits() -> Iterator[Figure]:
    """Yield how often two bots of different habits reach the guard.

    The page gives a range for highest against lowest first: it is held against its nearer end.
    """
    games = played(War, (highest, lowest), CYCLING_GAMES)
    page = min(max(0.55, guarded(games) / len(games)), 0.69)
    yield share("highest v lowest first: at the guard", page, guarded(games), len(games))
    games = played(War, (own_first, others_first), CYCLING_GAMES)
    told = "own v others' cards first: at the guard"
    yield share(told, 0.85, guarded(games), len(games), CYCLING_GAMES)


def figures() -> Iterator[Figure]:
    """Yield each number of the page with what was found."""
    yield from first_war(War, 2, Fraction(1, 17), jokers="none")
    yield from first_war(War, 3, Fraction(37, 425), jokers="none")
    yield from first_war(War, 4, Fraction(97, 833), jokers="none")
    yield from first_war(War, 2, Fraction(79, 1431), jokers="shuffled")
    for what, (options, *pages) in LENGTHS.items():
        yield from table(what, options, pages)
    yield from shuffled_lengths()
    yield from three_seats()
    yield from different_habits()

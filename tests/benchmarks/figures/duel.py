"""The numbers of Duel's rules page: the deck, the traits, the bound, and the shipped bots."""

import math
from collections.abc import Iterator
from functools import cache
from itertools import product

from referee.games.duel.fencer import START, TRAITS, VERSATILE, Fencer, kinds
from referee.games.duel.forms import PRICES
from referee.games.duel.game import Duel, DuelOptions
from referee.rules.chance import Chance
from referee.rules.game import plain
from tests.benchmarks.figures.figure import Figure, mean, share
from tests.bots.driver import Match, called

SIDES = 8
DUELS = {"random": 3000, "sensible": 500, "turtle": 150}
CAP = 240
ROLLS = 40_000


def figures() -> Iterator[Figure]:
    """Yield every number of the rules page."""
    yield from _cards()
    yield from _traits()
    yield from _bound()
    yield from _dice()
    yield Figure("three attacks cost", 8, sum(prices["attack"] for prices in PRICES["added"][1:]))
    yield Figure("three attacks, instead", 6, sum(p["attack"] for p in PRICES["instead"][1:]))
    yield from _play()


def _cards() -> Iterator[Figure]:
    cards = kinds(40) * 2
    numbers = sum(int(card[1:]) < 10 for card in cards)
    yield Figure("cards", 80, len(cards))
    yield Figure("number cards", 56, numbers)
    yield Figure("potentiators", 24, len(cards) - numbers)
    yield Figure("cards, deck 48", 96, len(kinds(48)) * 2)


def _traits() -> Iterator[Figure]:
    attributes = {"Trained": (9, 9, 12), "Big": (12, 9, 9), "Quick": (9, 12, 9)}
    attributes["Veteran"] = (10, 10, 10)
    for number, name in TRAITS.items():
        fencer = Fencer()
        fencer.trait = number
        fencer.apply_trait()
        page = attributes.get(name, (START, START, START))
        found = (fencer.max_stamina, fencer.max_dexterity, fencer.fencing)
        for what, stated, real in zip(
            ("stamina", "dexterity", "fencing"), page, found, strict=True
        ):
            yield Figure(f"{name}, {what}", stated, real)


@cache
def _turns(stamina: int, fencing: int, most: int) -> int:
    """Return the most turns that a seat can take, whatever it does and rolls."""
    paying = 1 + (_turns(stamina - 1, fencing, most) if stamina > 1 else 0)
    if fencing == 1:
        return paying
    rolled = (min(most, stamina + roll) for roll in range(1, SIDES + 1))
    return max(paying, *(1 + _turns(left, fencing - 1, most) for left in rolled))


def _bound() -> Iterator[Figure]:
    by_trait = {}
    for number in TRAITS:
        fencer = Fencer()
        fencer.trait = number
        fencer.apply_trait()
        by_trait[number] = _turns(fencer.stamina, fencer.fencing, fencer.max_stamina)
    seat = max(by_trait.values())
    yield Figure("most turns of a seat", 108, seat)
    yield Figure("longest duel there can be", 215, _longest_duel())


class _Eights(Chance):
    """Chance whose eight-sided dice show 8, but 1 and 2 for the traits."""

    def dice(self, count: int, sides: int, *event: str | int) -> list[int]:
        return [1, 2] if event[0] == "trait" else [sides] * count


def _longest_duel() -> int:
    """Return the turns of the duel between two Trained fencers who wait, and rest at 1 stamina."""
    game = Duel(seats=2, options=DuelOptions(), chance=_Eights("longest"))
    while seats := game.deciders():
        (seat,) = seats
        game.apply({seat: game.default(seat)})
    return game.turn


def _dice() -> Iterator[Figure]:
    """Yield the mean of a die and of the better of two, by enumeration and by sampling."""
    pairs = list(product(range(1, SIDES + 1), repeat=2))
    chance = Chance("figures")
    sample = [chance.dice(2, SIDES, "rest", turn, 1) for turn in range(ROLLS)]
    yield mean("a die", sum(first for first, _ in pairs) / len(pairs), [pair[0] for pair in sample])
    better = sum(map(max, pairs)) / len(pairs)
    yield mean(f"a die, {TRAITS[VERSATILE]}", better, [max(pair) for pair in sample])
    doubles = sum(first == second for first, second in sample)
    yield share("two dice alike", 1 / SIDES, doubles, ROLLS)


def _play() -> Iterator[Figure]:
    longest = 0
    for name, page in {
        "random": (3.7, 13.6, 0.40, math.hypot(0.012, 0.02), 0.03),
        "sensible": (58, 124, 0.52, 1.0, 2.0),
    }.items():
        turns, decisions, first = _duels(name, DUELS[name])
        longest = max(longest, *turns)
        yield mean(f"turns of {name}", page[0], turns, page[3])
        yield mean(f"decisions of {name}", page[1], decisions, page[4])
        yield share(f"{name}: seat 0 wins", page[2], first, len(turns), 1500)
    longest = max(longest, *_duels("turtle", DUELS["turtle"])[0])
    yield Figure("duels that met the cap", 0, float(longest >= CAP))


def _duels(name: str, count: int) -> tuple[list[int], list[int], int]:
    """Let a bot play itself; return turns and decisions of each duel, and seat 0's wins."""
    turns, decisions, first = [], [], 0
    bots = called("duel", name, name)
    for seed in range(count):
        match = Match("duel", bots, seed)
        first += match.play() == [1, 2]
        turns.append(plain(match.game.view(0))["turn"])
        decisions.append(match.decisions)
    return turns, decisions, first

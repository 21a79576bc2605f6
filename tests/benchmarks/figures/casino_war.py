"""The numbers of Casino War's rules page: the odds, by counting and by playing."""

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from random import Random
from typing import NamedTuple

from referee.games.casino_war.game import CasinoWar, CasinoWarOptions
from referee.games.casino_war.round import Round
from referee.rules.chance import Chance
from tests.benchmarks.figures.figure import Figure, mean, share

RANKS = 13
SUITS = 4
ROUNDS = 200_000
SHOES = 3_000
BET = 2
RICH = 10**9
WARRIOR, COWARD, GAMBLER = range(3)
"""The seats: one always goes to war, one always surrenders, and one bets on ties besides."""


class Odds(NamedTuple):
    """What the page says for one number of decks."""

    tie: Fraction
    second_tie: Fraction
    war: Fraction
    surrender: Fraction
    tie_bet: Fraction


PAGE = {
    1: Odds(
        Fraction(1, 17),
        Fraction(73, 1225),
        Fraction(-503, 20825),
        Fraction(-1, 34),
        Fraction(-6, 17),
    ),
    6: Odds(
        Fraction(23, 311),
        Fraction(1181, 15965),
        Fraction(-142853, 4965115),
        Fraction(-23, 622),
        Fraction(-58, 311),
    ),
}
AHEAD = 0.5027
"""How often one who goes to war ends a round ahead, with six decks."""


def pairs(counts: Sequence[int]) -> Iterator[tuple[int, int, Fraction]]:
    """Yield player's and house's rank with the chance that these are dealt."""
    cards = sum(counts)
    for player, count in enumerate(counts):
        for house, other in enumerate(counts):
            ways = count * (other - (player == house))
            if ways:
                yield player, house, Fraction(ways, cards * (cards - 1))


def war_value(counts: Sequence[int]) -> Fraction:
    """Return what a war is worth for a bet of 1, with so many cards of each rank left."""
    return sum(
        (chance * (1 if player >= house else -2) for player, house, chance in pairs(counts)),
        Fraction(),
    )


def without(counts: Sequence[int], rank: int, taken: int) -> list[int]:
    """Return the counts without so many cards of a rank."""
    return [count - taken * (at == rank) for at, count in enumerate(counts)]


def counted(decks: int) -> tuple[Odds, Fraction]:
    """Return the exact odds of fresh decks, and the chance to end a round ahead.

    The burned cards are unseen, so they change nothing.
    """
    full = [SUITS * decks] * RANKS
    tie = second = war = ahead = Fraction()
    for player, house, chance in pairs(full):
        if player != house:
            war += chance if player > house else -chance
            ahead += chance * (player > house)
            continue
        rest = without(full, player, 2)
        tie += chance
        second += chance * sum(c for p, h, c in pairs(rest) if p == h)
        ahead += chance * sum(c for p, h, c in pairs(rest) if p >= h)
        war += chance * war_value(rest)
    return Odds(tie, second / tie, war, -tie / 2, 10 * tie - (1 - tie)), ahead


def told_decks(decks: int) -> str:
    """Return how many decks there are, in words."""
    return f"{decks} deck{'s' * (decks > 1)}"


def played(decks: int) -> list[Round]:
    """Return the rounds of one long game of the three seats."""
    options = CasinoWarOptions(rounds=ROUNDS, bankroll=RICH, min_bet=BET, decks=decks)
    game = CasinoWar(seats=3, options=options, chance=Chance(f"figures {decks}"))
    rounds = []
    while deciders := game.deciders():
        if game.asked == "bet":
            rounds.append(game.now)
            game.apply({seat: {"bet": BET, "tie_bet": int(seat == GAMBLER)} for seat in deciders})
        else:
            game.apply({s: {"action": "surrender" if s == COWARD else "war"} for s in deciders})
    return rounds


def sampled(decks: int, page: Odds) -> Iterator[Figure]:
    """Yield the odds as the game deals them."""
    rounds = played(decks)
    what = f"{told_decks(decks)}, {ROUNDS} rounds: "
    wars = [each.war for each in rounds if each.war]
    yield share(what + "tie", float(page.tie), len(wars), ROUNDS)
    ties = sum(player[0] == house[0] for player, house in wars)
    yield share(what + "second tie", float(page.second_tie), ties, len(wars))
    warrior = [each.change[WARRIOR] / BET for each in rounds]
    coward = [each.change[COWARD] / BET for each in rounds]
    on_tie = [float(each.change[GAMBLER] - each.change[WARRIOR]) for each in rounds]
    yield mean(what + "always war", float(page.war), warrior)
    yield mean(what + "always surrender", float(page.surrender), coward)
    yield mean(what + "tie bet", float(page.tie_bet), on_tie)
    if decks == 6:
        yield share(what + "ahead", AHEAD, sum(change > 0 for change in warrior), ROUNDS)


def whatever_is_left() -> Iterator[Figure]:
    """Yield how much better a war is than a surrender at worst, and where it is no better."""
    rng = Random(1)
    gains: Counter[bool] = Counter()
    least = Fraction(1)
    for _ in range(SHOES):
        most = rng.randint(1, 5)
        counts = [rng.randrange(most + 1) for _ in range(RANKS)]
        if sum(counts) < 2:
            continue
        gain = war_value(counts) + Fraction(1, 2)
        least = min(least, gain)
        gains[(gain == 0) == (max(counts) < 2)] += 1
    yield Figure("war less surrender, at worst", 0, float(least))
    yield Figure("shoes where only no pair left makes them equal", 1, gains[True] / gains.total())


def figures() -> Iterator[Figure]:
    """Yield each number of the page with what was found."""
    for decks, page in PAGE.items():
        exact, ahead = counted(decks)
        for what, told, found in zip(Odds._fields, page, exact, strict=True):
            yield Figure(f"{told_decks(decks)}, exact: {what}", float(told), float(found))
        if decks == 6:
            yield Figure("6 decks, exact: ahead, to four digits", AHEAD, round(float(ahead), 4))
        yield from sampled(decks, page)
    yield from whatever_is_left()

"""The numbers of Khan's rules page: the set-up counted and drawn, and games of the sensible bot."""

import statistics
from collections import Counter
from collections.abc import Iterator

from referee.games.khan.camp import KINDS
from referee.games.khan.game import Khan, KhanOptions
from referee.rules.chance import Chance
from tests.benchmarks.figures.figure import Figure, share
from tests.bots.driver import Match, called

DEALS = 3000
MATCHES = 120
"""Of each number of seats."""
PEACEFUL = 1000


def figures() -> Iterator[Figure]:
    """Yield every figure of the page."""
    yield from counted()
    yield from dealt()
    yield from played()
    yield from emptied()


def new_game(seed: object, seats: int = 2, **options: object) -> Khan:
    """Return a game as it begins."""
    return Khan(seats=seats, options=KhanOptions(**options), chance=Chance(f"figures {seed}"))


def counted() -> Iterator[Figure]:
    """Count the material and the most there can be."""
    for deck, page in ((40, 75), (48, 93)):
        game = new_game("cards", deck=deck)
        dealt = sum(len(camp.face_up) for camp in game.camps)
        yield Figure(f"cards with deck {deck}", page, len(game.deck) + dealt)
    game = new_game("five", 5)
    cards = Counter(game.deck + [card for camp in game.camps for card in camp.face_up])
    leaders = sum(cards[name] for name in ("C10", "C11", "C12"))
    specials = sum(cards[name] for name in ("E1", "B1", "O1", "C1"))
    yield Figure("number cards", 54, cards.total() - leaders - specials)
    yield Figure("leaders", 9, leaders)
    yield Figure("specials", 12, specials)
    yield Figure("cards left after dealing to five", 65, len(game.deck))
    yield Figure("tokens in the bag", 178, len(game.bag))
    camp = game.camps[0]
    camp.loot([kind for kind in KINDS for _ in range(game.options.tokens_per_kind)])
    yield Figure("points of everything", 33, camp.owned.points)


def dealt() -> Iterator[Figure]:
    """Draw the set-up again and again."""
    scarce, leaders, first = Counter[str](), 0, 0
    for deal in range(DEALS):
        game = new_game(deal, 5, first_player="random")
        scarce.update(game.scarce)
        leaders += game.camps[4].face_up[-1] in ("C10", "C11", "C12")
        first += game.to_move == 4
    for kind in KINDS:
        yield share(f"deals in which {kind} is scarce", 2 / 9, scarce[kind], DEALS)
    two = 1 - (66 * 65) / (75 * 74)
    yield share("two cards with a leader among them", two, leaders, DEALS)
    yield share("starts of seat 4 with a random starter", 1 / 5, first, DEALS)


def played() -> Iterator[Figure]:
    """Play the sensible bot against itself."""
    stopped = 0
    for seats in Khan.seat_counts:
        turns = []
        bots = called("khan", *["sensible"] * seats)
        for seed in range(MATCHES):
            match = Match("khan", bots, seed)
            match.play()
            game = match.game
            assert isinstance(game, Khan)
            turns.append(game.turn / seats)
            stopped += game.reason == "max_turns"
        yield within(f"turns of each of {seats} seats, 11 to 15", 11, 15, statistics.fmean(turns))
    yield Figure("sensible games that reach the guard", 0, stopped)


def emptied() -> Iterator[Figure]:
    """Let five seats do nothing but draw, which empties a bag most."""
    out = []
    for deal in range(PEACEFUL):
        game = new_game(deal, 5)
        while seats := game.deciders():
            game.apply({seat: game.default(seat) for seat in seats})
        out.append(178 - len(game.bag))
    yield Figure("peaceful games that empty the bag", 0, out.count(178))
    tenths = [max(out[start::10]) for start in range(10)]
    yield Figure("most tokens out of the bag", 93, max(out), statistics.stdev(tenths))


def within(what: str, low: float, high: float, found: float) -> Figure:
    """Return the figure of a number that the page gives as a range."""
    return Figure(what, min(max(found, low), high), found)

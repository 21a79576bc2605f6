"""Set up positions of Steal War in the notation of the rules page: ranks, suits as they come."""

from collections import Counter

from referee.games.steal_war.game import StealWar, StealWarOptions
from referee.games.steal_war.trick import DECK, Holdings
from referee.rules.chance import Chance
from referee.rules.game import Move

PLAY = {"action": "play"}
WAIT = {"action": "wait"}


def steal(target: int) -> Move:
    return {"action": "steal", "target": target}


def new_game(seats=2, seed="a deal", **options) -> StealWar:
    return StealWar(seats=seats, options=StealWarOptions(**options), chance=Chance(seed))


class Suits:
    """Names cards by their ranks: the first 9 is 9C, the second 9D."""

    def __init__(self) -> None:
        self.used: Counter[str] = Counter()

    def cards(self, ranks: str) -> list[str]:
        return [self.card(rank) for rank in ranks.split()]

    def card(self, rank: str) -> str:
        self.used[rank] += 1
        return rank + ("12" if rank == "X" else "CDHS")[self.used[rank] - 1]


def position(*seats: str, seed="a deal", **options) -> StealWar:
    """Return a game that begins with these cards: `9 5 | 2 3` is pack, top first, and pile."""
    suits = Suits()
    rows = [[suits.cards(part) for part in (*row.split("|"), "")[:2]] for row in seats]

    class Position(StealWar):
        def _deal(self) -> Holdings:
            held = super()._deal()
            held.packs = [pack for pack, _ in rows]
            held.piles = [pile for _, pile in rows]
            there = [card for row in rows for part in row for card in part]
            held.aside = [card for card in DECK if card not in there]
            return held

    return Position(seats=len(seats), options=StealWarOptions(**options), chance=Chance(seed))


def ranks(cards) -> str:
    return " ".join(card[0] for card in cards)


def piles(game: StealWar) -> list[str]:
    return [ranks(pile) for pile in game.held.piles]


def packs(game: StealWar) -> list[str]:
    return [ranks(pack) for pack in game.held.packs]


def up(game: StealWar) -> str:
    """Return the ranks played to be compared, in the order of the seats."""
    return ranks(game.trick.up[seat] for seat in sorted(game.trick.up))


def top_of_rank(game: StealWar, rank: str) -> Move:
    """Return the move that puts the first won card of this rank on top."""
    return {"top": next(card for card in game.won if card[0] == rank)}

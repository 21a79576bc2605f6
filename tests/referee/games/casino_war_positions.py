"""Set up rounds of Casino War: the money of each seat and the cards that come next."""

from referee.games.casino_war.game import CasinoWar, CasinoWarOptions
from referee.games.casino_war.shoe import Shoe
from referee.rules.chance import Chance
from referee.rules.game import Move

WAR = {"action": "war"}
SURRENDER = {"action": "surrender"}


def bet(stake: int, tie_bet: int = 0) -> Move:
    return {"bet": stake, "tie_bet": tie_bet}


def new_game(seats=2, seed="a deal", **options) -> CasinoWar:
    return CasinoWar(seats=seats, options=CasinoWarOptions(**options), chance=Chance(seed))


class Stacked(Shoe):
    """Deals the ranks given, in clubs."""

    def __init__(self, ranks: str) -> None:
        super().__init__(())
        self.next = iter(ranks.split())

    def draw(self, chance, *event):
        card = next(self.next) + "C"
        self.seen[card[0]] += 1
        return card

    def burn(self, chance, *event):
        """Burn nothing: only the cards that are seen are given."""


def position(cards: str, *money: int, **options) -> CasinoWar:
    """Return a game in which `cards` come next: player, house, and the same again in a war."""
    game = new_game(max(2, len(money)), **options)
    game.shoe = Stacked(cards)
    game.money[: len(money)] = money
    return game

"""A battle of War or P'yanitsa: who lays how many cards, who wins them, who runs out.

(War's rules page, "A battle" and "Too few cards for a war".)
"""

from collections import deque
from collections.abc import Collection, Sequence

Pack = deque[str]
"""A seat's face-down cards, the top first."""


class Battle:
    """The cards of one battle, from the first ones laid to the seat that wins them all."""

    __slots__ = ("down", "laid", "level", "number", "order", "packs", "up", "winner")

    def __init__(self, number: int, packs: Sequence[Pack], seats: Collection[int]) -> None:
        self.number = number
        self.packs = packs
        self.up = {seat: packs[seat].popleft() for seat in seats}
        """By each seat that may still win, its newest face-up card."""
        self.laid = {seat: [card] for seat, card in self.up.items()}
        """By seat, all its cards in the order laid."""
        self.down: list[str] = []
        """The cards among them that were laid face down."""
        self.winner: int | None = None
        self.level: list[int] = []
        """The seats that share a drawn battle."""
        self.order: list[str] | None = None
        """How the pot went under the winner's pack, once it has."""

    def lay(self, seat: int, count: int) -> None:
        """Lay so many cards of `seat`, the last one face up."""
        pack = self.packs[seat]
        cards = [pack.popleft() for _ in range(count)]
        self.laid[seat] += cards
        self.down += cards[:-1]
        self.up[seat] = cards[-1]

    def leave(self, seat: int) -> None:
        """Lay all that `seat` has left face down: it can win nothing any more."""
        cards = [*self.packs[seat]]
        self.packs[seat].clear()
        self.laid[seat] += cards
        self.down += cards
        del self.up[seat]

    def pot(self) -> list[str]:
        """Return all cards laid: the others' clockwise from the winner, then the winner's own."""
        assert self.winner is not None
        pot = []
        for seat in (*range(self.winner + 1, len(self.packs)), *range(self.winner + 1)):
            if seat in self.laid:
                pot += self.laid[seat]
        return pot


def war_or_out(battle: Battle, depth: int) -> None:
    """Lay `depth` cards face down and one face up; a seat with fewer is out of the game."""
    held = {seat: len(battle.packs[seat]) for seat in battle.up}
    able = [seat for seat, count in held.items() if count > depth]
    for seat in held:
        if seat not in able:
            battle.leave(seat)
    if len(able) > 1:
        for seat in able:
            battle.lay(seat, depth + 1)
        return
    most = max(held.values())
    _award(battle, able or [seat for seat, count in held.items() if count == most])


def war_to_last_card(battle: Battle, depth: int, tied: Sequence[int]) -> None:
    """Lay the same, or as many as there are; a seat without cards keeps its face-up card."""
    stocked = [seat for seat in battle.up if battle.packs[seat]]
    for seat in stocked:
        battle.lay(seat, min(depth + 1, len(battle.packs[seat])))
    if not stocked:
        _award(battle, tied)


def war_by_value(battle: Battle, count: int) -> None:
    """Lay `count` cards, the last one face up, or as many as the shortest pack that is not empty.

    A seat with an empty pack is out of the game.
    """
    before = [*battle.up]
    able = [seat for seat in before if battle.packs[seat]]
    for seat in before:
        if seat not in able:
            battle.leave(seat)
    if len(able) > 1:
        count = min(count, *(len(battle.packs[seat]) for seat in able))
        for seat in able:
            battle.lay(seat, count)
    else:
        _award(battle, able or before)


def _award(battle: Battle, seats: Sequence[int]) -> None:
    """End the battle: one seat wins it, several have drawn it."""
    if len(seats) == 1:
        battle.winner = seats[0]
    else:
        battle.level = [*seats]

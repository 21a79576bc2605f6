"""World War's armies on the board: who holds what, and where they may go."""

from collections.abc import Collection, Sequence

from referee.games.world_war.board import BONUS, BORDERS, CONTINENT, CONTINENTS, SIZE, TERRITORIES

Reach = list[tuple[int, list[int]]]
"""Territories to start from, each with those that can be reached from it."""

ONE_EACH = (1,) * len(TERRITORIES)
"""The armies at first."""


class Forces:
    """Owners and armies of all territories, in the board's order."""

    def __init__(self, owner: Sequence[int], seats: int, armies: Sequence[int] = ONE_EACH) -> None:
        self.owner = list(owner)
        self.armies = list(armies)
        self.count = [self.owner.count(seat) for seat in range(seats)]
        """By seat, how many territories it holds."""
        self._in_continent = [[0] * len(CONTINENTS) for _ in range(seats)]
        for territory, holder in enumerate(self.owner):
            self._in_continent[holder][CONTINENT[territory]] += 1
        self.holder: list[int | None] = [
            next((seat for seat in range(seats) if self._in_continent[seat][at] == size), None)
            for at, size in enumerate(SIZE)
        ]
        """By continent, the seat that holds it whole."""

    def own(self, seat: int) -> list[int]:
        """Return the territories of `seat`, in the board's order."""
        return [territory for territory, holder in enumerate(self.owner) if holder == seat]

    def total(self, seat: int) -> int:
        """Return the armies of `seat`."""
        return sum(n for n, holder in zip(self.armies, self.owner, strict=True) if holder == seat)

    def totals(self) -> list[int]:
        """Return the armies of every seat."""
        totals = [0] * len(self.count)
        for holder, n in zip(self.owner, self.armies, strict=True):
            totals[holder] += n
        return totals

    def strong(self, seat: int, least: int) -> int:
        """Return how many territories of `seat` have at least so many armies."""
        pairs = zip(self.armies, self.owner, strict=True)
        return sum(holder == seat and n >= least for n, holder in pairs)

    def continents(self, seat: int) -> list[str]:
        """Return the continents that `seat` holds whole."""
        pairs = zip(CONTINENTS, self.holder, strict=True)
        return [continent for continent, holder in pairs if holder == seat]

    def reinforcements(self, seat: int, minimum: int) -> int:
        """Return what territories, at least the `minimum`, and continents bring in a turn."""
        armies = max(minimum, self.count[seat] // 3)
        for bonus, holder in zip(BONUS, self.holder, strict=True):
            if holder == seat:
                armies += bonus
        return armies

    def take(self, territory: int, seat: int) -> None:
        """Make `seat` the owner of a territory of another."""
        loser, continent = self.owner[territory], CONTINENT[territory]
        self.owner[territory] = seat
        self.count[loser] -= 1
        self.count[seat] += 1
        self._in_continent[loser][continent] -= 1
        self._in_continent[seat][continent] += 1
        whole = self._in_continent[seat][continent] == SIZE[continent]
        self.holder[continent] = seat if whole else None

    def attacks(self, seat: int, shielded: Collection[int]) -> Reach:
        """Return where `seat` may attack from and whom, the `shielded` seats excepted."""
        owner, armies = self.owner, self.armies
        spared = {seat, *shielded}
        reach = []
        for territory, holder in enumerate(owner):
            if holder == seat and armies[territory] > 1:
                targets = [to for to in BORDERS[territory] if owner[to] not in spared]
                if targets:
                    reach.append((territory, targets))
        return reach

    def moves(self, seat: int) -> Reach:
        """Return where `seat` may move armies from and to."""
        owner, armies = self.owner, self.armies
        reach = []
        for territory, holder in enumerate(owner):
            if holder == seat and armies[territory] > 1:
                goals = [to for to in BORDERS[territory] if owner[to] == seat]
                if goals:
                    reach.append((territory, goals))
        return reach

    def move(self, source: int, goal: int, armies: int) -> None:
        """Take armies from one territory to another."""
        self.armies[source] -= armies
        self.armies[goal] += armies

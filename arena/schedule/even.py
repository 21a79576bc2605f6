"""As many deals for every bot: line-ups drawn so that all play as often, and meet as often."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, islice

from arena.schedule.deal import DEALS_LIMIT, BotIndex, Deal, first_bots
from protocol.errors import ArenaError
from referee.rules.chance import Chance

_LOOKS = 60  # bots that are thought of for a seat


@dataclass(frozen=True)
class Even:
    """Deals of which every bot plays as many, to within one.

    Bots play in rounds of all bots: each sits down once before any does again. Whoever has met the
    others at a table least often is seated next, so that after a round robin's worth of rounds
    all have met about as often. Raises ArenaError if they are too many.
    """

    bots: int
    seats: int
    matches_a_deal: int
    matches_a_bot: int
    chance: Callable[[], Chance]
    """What line-ups are drawn by; it is asked for when they are."""

    def __post_init__(self) -> None:
        if self.deal_count > DEALS_LIMIT:
            raise ArenaError(
                f"{self.bots} bots with {self.matches_a_bot} matches each make "
                f"{self.deal_count:,} deals; at most {DEALS_LIMIT:,} can be played."
            )

    @property
    def deal_count(self) -> int:
        """How many deals they are."""
        if self.bots < self.seats:
            return 0
        return self.bots * (self.matches_a_bot // self.matches_a_deal) // self.seats

    @property
    def match_count(self) -> int:
        """How many matches they have."""
        return self.deal_count * self.matches_a_deal

    @property
    def complete_below(self) -> int:
        """Nothing is promised of every line-up."""
        return 0

    def plan(self, most: int | None = None) -> Iterator[Deal]:
        """Yield them in the order of play; with `most`, those below that number."""
        return (deal for deal in self._deals if most is None or deal.number < most)

    def asks_for(self, deal: Deal) -> bool:
        """Return whether a deal is among them."""
        return deal in self._deals

    @cached_property
    def _deals(self) -> dict[Deal, None]:
        played: Counter[tuple[BotIndex, ...]] = Counter()
        deals: dict[Deal, None] = {}
        for lineup in islice(self._lineups(), self.deal_count):
            deals[Deal(lineup, played[lineup])] = None
            played[lineup] += 1
        return deals

    def _lineups(self) -> Iterator[tuple[BotIndex, ...]]:
        """Yield line-ups without end."""
        chance = self.chance()
        met: Counter[tuple[BotIndex, BotIndex]] = Counter()
        waiting: list[BotIndex] = []
        rounds = 0
        while True:
            table: list[BotIndex] = []
            while len(table) < self.seats:
                if not waiting:
                    waiting = chance.shuffled(first_bots(self.bots), f"even {rounds}")
                    waiting.sort(key=lambda bot: bot in table)  # who sits here comes later
                    rounds += 1
                free = [bot for bot in waiting[:_LOOKS] if bot not in table]
                bot = min(free, key=lambda bot: sum(met[_pair(bot, other)] for other in table))
                waiting.remove(bot)
                table.append(bot)
            for one, other in combinations(sorted(table), 2):
                met[one, other] += 1
            yield tuple(sorted(table))


def _pair(one: BotIndex, other: BotIndex) -> tuple[BotIndex, BotIndex]:
    return (one, other) if one < other else (other, one)

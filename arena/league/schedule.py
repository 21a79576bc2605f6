"""Which deals are played by whom in which seats: pure, seeded, and stable under additions."""

import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import (
    chain,
    combinations,
    combinations_with_replacement,
    islice,
    permutations,
    product,
)
from math import comb, factorial
from typing import Literal, NewType, Self

from protocol.errors import ArenaError
from referee.chance import Chance

Rotations = Literal["cyclic", "all", "one"]

PAIRS_LIMIT = 20_000_000
"""The most pairs of a line-up and a deal a league may choose among."""
DEALS_LIMIT = 2_000_000
"""The most of them that a league may play."""

LIVE_PROCESSES = 64
"""How many bot processes a worker keeps, and line-ups in a row need; a Python bot costs 5 MB."""

_ROUND = 10  # deals of each line-up in a round, at most
_SEED_BITS = 53  # of a bot's own seed: every language's numbers hold it


@dataclass(frozen=True)
class Entrant:
    """A bot as the schedule knows it: the key of its deals, and the version of its program."""

    key: str
    version: str


BotIndex = NewType("BotIndex", int)
"""A bot's place in a list of bots: that of a league's entrants, or of the bots of an import."""


def first_bots(count: int) -> tuple[BotIndex, ...]:
    """Return the indices of the first so many bots of a list."""
    return tuple(map(BotIndex, range(count)))


@dataclass(frozen=True)
class Deal:
    """One seed and one line-up, to be played once in every rotation of the seats.

    `lineup` holds indices of the league's entrants, in the order of their keys.
    """

    lineup: tuple[BotIndex, ...]
    number: int


@dataclass(frozen=True)
class Outline:
    """How much a round robin is: every line-up of `seats` entrants plays `deals` deals.

    Each is played in all rotations. No seed is needed to say so, unless a share is chosen by it.
    """

    seats: int
    deals: int
    rotations: Rotations
    share: float
    entrants: tuple[Entrant, ...]
    """Sorted by key, each key once; fewer than `seats` play nothing."""

    def __post_init__(self) -> None:
        pairs = comb(len(self.entrants), self.seats) * self.deals
        if pairs > PAIRS_LIMIT or pairs * self.share > DEALS_LIMIT:
            raise ArenaError(
                f"{len(self.entrants)} bots at {self.seats} seats with {self.deals} deals make "
                f"{pairs:,} deals. A share can be chosen among at most "
                f"{PAIRS_LIMIT:,}, and at most {DEALS_LIMIT:,} can be played: ask for fewer deals "
                f"or bots, or a smaller share."
            )

    @property
    def rotation_count(self) -> int:
        """How many matches a deal has."""
        counts = {"cyclic": self.seats, "all": factorial(self.seats), "one": 1}
        return counts[self.rotations]

    def plan(self) -> Iterator[Deal]:
        """Yield every deal, in rounds of all line-ups; line-ups of the same bots in a row."""
        for numbers in self._rounds():
            for lineup in self._lineups():
                for number in numbers:
                    if self._kept(lineup, number):
                        yield Deal(lineup, number)

    def _rounds(self) -> Iterator[range]:
        """Yield the numbers of the deals that each line-up plays in a row.

        Whenever a run is interrupted, all are to have played about as much. Where the bots'
        processes do not all live at once, rounds grow, as each starts them anew.
        """
        first, all_live = 0, len(self.entrants) * self.rotation_count <= LIVE_PROCESSES
        while first < self.deals:
            size = 1 if all_live else min(first + 1, _ROUND)
            yield range(first, min(first + size, self.deals))
            first += size

    def _lineups(self) -> Iterator[tuple[BotIndex, ...]]:
        """Yield every line-up, in parts that can be played by the processes that are at hand."""
        entrants = first_bots(len(self.entrants))
        size = max(1, LIVE_PROCESSES // (self.seats * self.rotation_count))
        if size == 1:  # and hardly any choice of groups is one of different bots
            yield from combinations(entrants, self.seats)
            return
        groups = [entrants[first : first + size] for first in range(0, len(entrants), size)]
        for chosen in combinations_with_replacement(groups, self.seats):
            parts = (combinations(group, many) for group, many in Counter(chosen).items())
            for each in product(*parts):
                yield tuple(chain.from_iterable(each))

    def asks_for(self, deal: Deal) -> bool:
        """Return whether a deal is in the plan."""
        return deal.number < self.deals and self._kept(deal.lineup, deal.number)

    @cached_property
    def deal_count(self) -> int:
        """How many deals the plan holds."""
        if self.share >= 1:
            return comb(len(self.entrants), self.seats) * self.deals
        return sum(1 for _ in self.plan())

    def _kept(self, _lineup: tuple[BotIndex, ...], _number: int) -> bool:
        """Return whether a deal is in the share that is played."""
        assert self.share >= 1, "a share is chosen by the key"
        return True


@dataclass(frozen=True)
class Schedule(Outline):
    """A round robin with all that is dealt in it.

    A deal's seed depends on the league's key, the keys of its line-up and its number alone, so
    adding a bot changes nothing for the others. `share` keeps a part of the pairs of a line-up
    and a deal, chosen by hash.
    """

    game: str
    key: str
    """What all chance comes from: made of the seed, which workers never get."""

    @classmethod
    def of_lineup(
        cls, game: str, key: str, rotations: Rotations, lineup: tuple[Entrant, ...]
    ) -> Self:
        """Return the schedule of a league in which one line-up plays, to look its deals up in.

        A deal's id, seed and seating are the same in every league of that key.
        """
        return cls(
            game=game,
            key=key,
            seats=len(lineup),
            deals=1,
            rotations=rotations,
            share=1.0,
            entrants=lineup,
        )

    def deal_seed(self, deal: Deal) -> str:
        """Return the seed of the deal's cards and dice."""
        return self._hash("deal", deal, versions=False).hex()

    def deal_id(self, deal: Deal) -> str:
        """Return the deal's name in the league; another version of a bot makes another."""
        return self._hash("id", deal, versions=True)[:8].hex()

    def match_id(self, deal: Deal, rotation: int) -> str:
        """Return the name of one match of a deal."""
        return f"{self.deal_id(deal)}-{rotation}"

    def seating(self, deal: Deal, rotation: int) -> tuple[BotIndex, ...]:
        """Return the entrants of a match by seat.

        The deal's first order is shuffled: the rotations of a sorted one would always seat the
        same bots behind each other.
        """
        order = Chance(self.deal_seed(deal)).shuffled(deal.lineup, "seats")
        if self.rotations == "all":
            return next(islice(permutations(order), rotation, None))
        return tuple(order[rotation:] + order[:rotation])

    def bot_seed(self, match: str, entrant: BotIndex) -> int:
        """Return the seed a bot is given for its own dice; it says nothing about the deal."""
        digest = self._digest("bot", match, self.entrants[entrant].key)
        return int.from_bytes(digest[:8], "little") >> (64 - _SEED_BITS)

    def _kept(self, lineup: tuple[BotIndex, ...], number: int) -> bool:
        """Return whether a deal is in the share that is played; asked of up to twenty millions."""
        if self.share >= 1:
            return True
        digest = _begun(self.game, self.key, "share", str(number)).copy()
        digest.update("".join([f"\0{self.entrants[index].key}" for index in lineup]).encode())
        return int.from_bytes(digest.digest()[:8], "little") < self.share * 2**64

    def _hash(self, purpose: str, deal: Deal, *, versions: bool) -> bytes:
        bots = [self.entrants[index] for index in deal.lineup]
        words = [f"{bot.key}\0{bot.version}" if versions else bot.key for bot in bots]
        return self._digest(purpose, str(deal.number), *words)

    def _digest(self, *words: str) -> bytes:
        text = "\0".join((self.game, self.key, *words))
        return hashlib.blake2b(text.encode(), digest_size=16).digest()


@lru_cache(maxsize=64)
def _begun(*words: str) -> hashlib.blake2b:
    """Return the hash of words that others are to follow."""
    return hashlib.blake2b("\0".join(words).encode(), digest_size=16)

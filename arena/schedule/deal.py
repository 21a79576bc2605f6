"""How a deal is called, dealt and seated: pure, seeded, and the same whatever else is played."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import islice, permutations
from math import factorial
from typing import Literal, NewType, TypeVar

from referee.rules.chance import Chance

_T = TypeVar("_T")
Rotations = Literal["cyclic", "all", "one"]

PAIRS_LIMIT = 20_000_000
"""The most pairs of a line-up and a deal a league may choose among; no deal's number reaches it."""
DEALS_LIMIT = 2_000_000
"""The most pairs of a line-up and a deal that a league, or a round of one, may play."""
LIVE_PROCESSES = 64
"""How many bot processes a worker keeps, and line-ups in a row need; a Python bot costs 5 MB."""

_SEED_BITS = 53  # of a bot's own seed: every language's numbers hold it


@dataclass(frozen=True)
class Entrant:
    """A bot as the schedule knows it: the key of its deals, and the version of its program."""

    key: str
    version: str
    is_bundled: bool = field(default=False, compare=False)
    """Whether it is dealt to by its key alone: nobody who could know its cards wrote it."""


BotIndex = NewType("BotIndex", int)
"""A bot's place in a list of bots: that of a league's entrants, or of the bots of an import."""


def first_bots(count: int) -> tuple[BotIndex, ...]:
    """Return the indices of the first so many bots of a list."""
    return tuple(map(BotIndex, range(count)))


def numbered(bots: Sequence[_T]) -> Iterator[tuple[BotIndex, _T]]:
    """Yield the bots of a list with their indices."""
    return zip(first_bots(len(bots)), bots, strict=True)


@dataclass(frozen=True)
class Deal:
    """One line-up and a number, to be played once in every rotation of the seats.

    `lineup` holds indices of the league's entrants, in the order of their keys.
    """

    lineup: tuple[BotIndex, ...]
    number: int
    is_mirrored: bool = field(default=True, compare=False)
    """Whether all rotations are dealt the same cards; or each its own."""


def rotation_count(rotations: Rotations, seats: int) -> int:
    """Return how many matches a deal has."""
    return {"cyclic": seats, "all": factorial(seats), "one": 1}[rotations]


@dataclass(frozen=True)
class Schedule:
    """What chance, names and seats a league's deals have.

    What is dealt depends on the league's key, the line-up and the deal's number alone, so adding a
    bot changes nothing for the others. Of a bundled bot, its key counts; of any other, its version
    too, so that no version is dealt what an earlier one may have written down. Where a deal is not
    mirrored, the rotation counts as well: no two matches have the same cards.
    """

    game: str
    key: str
    """What all chance comes from: made of the seed, which workers never get."""
    seats: int
    rotations: Rotations
    entrants: tuple[Entrant, ...]
    """Sorted by key, each key once."""

    @cached_property
    def rotation_count(self) -> int:
        """How many matches a deal has."""
        return rotation_count(self.rotations, self.seats)

    def seed(self, deal: Deal, rotation: int) -> str:
        """Return the seed of the cards and dice of one match of a deal."""
        what = ("deal",) if deal.is_mirrored else ("rotation", str(rotation))
        return self._digest(*what, str(deal.number), *self._dealt_to(deal)).hex()

    def order(self, deal: Deal) -> tuple[int, ...] | None:
        """Return the order in which the rotations of a mirrored deal are played; None of others.

        It is drawn apart from all that bots see. So a bot that does better in later rotations than
        in first ones has no other reason for it than that they are later.
        """
        if not deal.is_mirrored:
            return None
        drawn = Chance(self._digest("order", self.deal_id(deal)).hex())
        return tuple(drawn.shuffled(range(self.rotation_count), "rotations"))

    def deal_id(self, deal: Deal) -> str:
        """Return the deal's name in the league; another version of a bot makes another."""
        bots = [self.entrants[index] for index in deal.lineup]
        words = [f"{bot.key}\0{bot.version}" for bot in bots]
        return self._digest("id", str(deal.number), *words)[:8].hex()

    def match_id(self, deal: Deal, rotation: int) -> str:
        """Return the name of one match of a deal."""
        return f"{self.deal_id(deal)}-{rotation}"

    def seating(self, deal: Deal, rotation: int) -> tuple[BotIndex, ...]:
        """Return the entrants of a match by seat.

        The deal's first order is shuffled: the rotations of a sorted one would always seat the
        same bots behind each other.
        """
        words = str(deal.number), *self._dealt_to(deal)
        order = Chance(self._digest("deal", *words).hex()).shuffled(deal.lineup, "seats")
        if self.rotations == "all":
            return next(islice(permutations(order), rotation, None))
        return tuple(order[rotation:] + order[:rotation])

    def bot_seed(self, match: str, entrant: BotIndex) -> int:
        """Return the seed a bot is given for its own dice; it says nothing about the deal."""
        digest = self._digest("bot", match, self.entrants[entrant].key)
        return int.from_bytes(digest[:8], "little") >> (64 - _SEED_BITS)

    def is_in_share(self, lineup: tuple[BotIndex, ...], number: int, share: float) -> bool:
        """Return whether a deal is in a share of all; asked of up to twenty millions."""
        digest = _begun(self.game, self.key, "share", str(number)).copy()
        digest.update("".join([f"\0{self.entrants[index].key}" for index in lineup]).encode())
        return int.from_bytes(digest.digest()[:8], "little") < share * 2**64

    def _dealt_to(self, deal: Deal) -> list[str]:
        """Return what counts of the bots of a deal for what is dealt to them."""
        bots = [self.entrants[index] for index in deal.lineup]
        return [bot.key if bot.is_bundled else f"{bot.key}\0{bot.version}" for bot in bots]

    def _digest(self, *words: str) -> bytes:
        text = "\0".join((self.game, self.key, *words))
        return hashlib.blake2b(text.encode(), digest_size=16).digest()


@lru_cache(maxsize=64)
def _begun(*words: str) -> hashlib.blake2b:
    """Return the hash of words that others are to follow."""
    return hashlib.blake2b("\0".join(words).encode(), digest_size=16)

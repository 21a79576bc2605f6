"""Brackets: who meets whom in the next stage, for two seats and for larger tables."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from arena.schedule.ties import Tie

_UNPLAYED = (
    "All bots that were left for the final left.",
    "One bot is left: all others lost or left.",
    "The final table cannot be played, as a bot of it left.",
)
"""Why a tournament ends without its final, by how many bots are left; two stand for more."""


@dataclass(frozen=True)
class BracketStage:
    """Ties that are played at the same time."""

    title: str
    ties: tuple[Tie, ...]


@dataclass
class Bracket:
    """What is known of a tournament by ties after some rounds."""

    seeds: list[str] = field(default_factory=list)
    """Who takes part, the best seed first; empty before it is drawn."""
    stages: list[BracketStage] = field(default_factory=list)
    fallen: list[list[str]] = field(default_factory=list)
    """Those who went out together, the first to go out first."""
    champions: list[str] = field(default_factory=list)
    """Who is left at the end: one, unless the others cannot fill a table."""
    over: str = ""
    """Why nothing more is played, in a sentence; empty while something is."""

    def fell(self, bots: Sequence[str]) -> None:
        """Note bots that went out together."""
        if bots:
            self.fallen.append(self.by_seed(bots))

    def by_seed(self, bots: Sequence[str]) -> list[str]:
        """Return bots in the order of their seeds."""
        return sorted(bots, key=self.seeds.index)

    def end_of(self, final: Tie, played: str) -> None:
        """Note the places that the final gave; `played` is why nothing more is."""
        if final.deals and final.order:
            self.over = f"{played}: {final.order[0]} has won."
        else:
            self.over = _UNPLAYED[min(len(final.order), 2)]
        if not final.deals and len(final.order) > 1:
            self.fell(sorted(final.gone))
            self.champions = list(final.order)
            return
        self.fell(sorted(final.gone))
        points = dict(zip(final.bots, final.points, strict=True))
        groups: dict[object, list[str]] = {}
        for bot in final.order[1:]:
            groups.setdefault(points[bot], []).append(bot)
        for group in reversed(groups.values()):
            self.fell(group)
        self.champions = list(final.order[:1])


class Slots:
    """The bracket of two seats: the best seed meets the last; who wins a tie keeps its slot."""

    def __init__(self, seeds: Sequence[str]) -> None:
        order = [0]
        while len(order) < len(seeds):
            last = 2 * len(order) - 1
            order = [each for seed in order for each in (seed, last - seed)]
        self.slots = [seeds[seed] if seed < len(seeds) else None for seed in order]
        """The bot in each, or None."""
        self._rank = {bot: at for at, bot in enumerate(seeds)}

    @property
    def bots(self) -> list[str]:
        """Those who are left."""
        return [bot for bot in self.slots if bot is not None]

    def ties(self) -> list[Tie]:
        """Return the ties of its next stage; some may have one bot, or none."""
        pairs = zip(self.slots[::2], self.slots[1::2], strict=True)
        present = [[bot for bot in pair if bot is not None] for pair in pairs]
        return [Tie(tuple(sorted(pair, key=self._rank.__getitem__)), 1) for pair in present]

    def take(self, ties: Sequence[Tie]) -> None:
        """Set who won these ties, all of its stage, into the slots of the next."""
        self.slots = [tie.on[0] if tie.on else None for tie in ties]


def table_count(size: int, seats: int, advance: int) -> tuple[int, int]:
    """Return how many tables so many bots play in their next stage, and how many bots go out.

    They are brought to a full size: one at which all play, and the next full size goes on; the
    last is that of the final table. It may take more than one stage.
    """
    target = seats
    while target < (larger := target // advance * seats) < size:
        target = larger
    out = min(size - target, size // seats * (seats - advance))
    return -(-out // (seats - advance)), out


def snake(bots: Sequence[str], tables: int) -> list[tuple[str, ...]]:
    """Return tables of bots that are in order: first to last, then last to first, and so on."""
    found: list[list[str]] = [[] for _ in range(tables)]
    for at, bot in enumerate(bots):
        row, place = divmod(at, tables)
        found[tables - 1 - place if row % 2 else place].append(bot)
    return [tuple(table) for table in found]


def split_byes(
    bots: Sequence[str], playing: int, byes: Mapping[str, int]
) -> tuple[list[str], list[str]]:
    """Return who plays, and who has a bye: the better seeds of those with the fewest.

    `bots` are in the order of their seeds, and so are those returned.
    """
    free = sorted(bots, key=lambda bot: byes[bot])[: len(bots) - playing]
    return [bot for bot in bots if bot not in free], [bot for bot in bots if bot in free]


def table_ties(tables: Sequence[Sequence[str]], out: int, seats: int, advance: int) -> list[Tie]:
    """Return ties of tables at which so many go out in all; at the last it may be fewer."""
    ties = []
    for table in tables:
        leaving = min(out, seats - advance)
        ties.append(Tie(tuple(table), seats - leaving))
        out -= leaving
    return ties


def bye_ties(bots: Sequence[str], byes: Counter[str]) -> list[Tie]:
    """Return ties of bots that have a bye, and count it."""
    byes.update(bots)
    return [Tie((bot,), 1) for bot in bots]

"""Tournaments that are played out with results by chance."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import msgspec

from arena.schedule import rounds
from arena.schedule.deal import Entrant
from arena.schedule.rounds import Frame, Lineup, Over, Places, Round, RoundDeal, RoundTerms
from referee.rules.chance import Chance

Make = Callable[[Frame], rounds.RoundFormat]
KEY = "tournaments"
CHANCE = Chance(KEY)
_LONGEST = 2000


def entrants(count: int, first: int = 0) -> tuple[Entrant, ...]:
    """Return bots whose keys are in another order than they are."""
    return tuple(
        Entrant(f"{(number * 7919) % 9973:04}", "1") for number in range(first, first + count)
    )


@dataclass(frozen=True)
class Played:
    """A tournament after some rounds."""

    format: rounds.RoundFormat
    terms: RoundTerms
    field: tuple[Entrant, ...]
    past: tuple[Round, ...] = ()

    def next(self) -> Sequence[Lineup] | Over:
        return self.format.next_round(self.past, self.field, self.terms)

    def lineups(self) -> Sequence[Lineup]:
        asked = self.next()
        assert not isinstance(asked, Over), asked
        return asked

    def keyed(self) -> list[tuple[str, ...]]:
        return [tuple(bot.key for bot in lineup) for lineup in self.lineups()]

    @property
    def standings(self) -> rounds.Standings:
        return self.format.standings(self.past, self.field, self.terms, lambda bot: bot.key)

    def after(
        self,
        results: Callable[[Lineup], tuple[Places, ...]],
        *,
        out: frozenset[Entrant] = frozenset(),
        then: tuple[Entrant, ...] | None = None,
    ) -> "Played":
        """Return it after another round; `then` is the field after it, if that changes."""
        deals = []
        numbers: dict[Lineup, int] = {}
        for lineup in self.lineups():
            matches = None if out & set(lineup) else results(lineup)
            deals.append(RoundDeal(lineup, numbers.get(lineup, 0), matches))
            numbers[lineup] = numbers.get(lineup, 0) + 1
        over = Round(self.terms, self.field, tuple(deals), out)
        field = self.field if then is None else then
        return Played(self.format, self.terms, field, (*self.past, over))


def begun(make: Make, options: msgspec.Struct, bots: int, seats: int = 2, deals: int = 1) -> Played:
    return Played(
        make(Frame(seats, seats, lambda: KEY)), RoundTerms(deals, options), entrants(bots)
    )


def best_wins(lineup: Lineup) -> tuple[Places, ...]:
    """Return results in which the bot with the lowest key comes first, and so on."""
    return (tuple(range(1, len(lineup) + 1)),) * len(lineup)


def all_draw(lineup: Lineup) -> tuple[Places, ...]:
    return ((1,) * len(lineup),) * len(lineup)


@dataclass
class Luck:
    """Results, and who is out or comes late, by chance."""

    seed: int
    draws: float = 0.2
    out: float = 0.0
    """How often a bot is out in a round; half of those come back at once."""
    late: float = 0.0
    """How often a bot more comes after a round."""
    rng: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)

    def results(self, lineup: Lineup) -> tuple[Places, ...]:
        seats = range(1, len(lineup) + 1)
        return tuple(
            (1,) * len(lineup)
            if self.rng.random() < self.draws
            else tuple(self.rng.sample(seats, len(lineup)))
            for _ in seats
        )

    def round(self, played: Played) -> Played:
        out = frozenset(bot for bot in played.field if self.rng.random() < self.out)
        back = frozenset(bot for bot in out if self.rng.random() < 0.5)
        then = tuple(bot for bot in played.field if bot not in out - back)
        if self.rng.random() < self.late:
            then += entrants(1, first=100 + len(played.past))
        return played.after(self.results, out=out, then=then)

    def whole(self, played: Played) -> Played:
        """Return a tournament after its last round; fail if it does not end."""
        while not isinstance(asked := played.next(), Over):
            assert asked, "nothing is played, and yet it goes on"
            seats = len(asked[0])
            for lineup in asked:
                assert len({bot.key for bot in lineup}) == len(lineup) == seats
                assert list(lineup) == sorted(lineup, key=lambda bot: bot.key)
                assert set(lineup) <= set(played.field)
            played = self.round(played)
            assert len(played.past) < _LONGEST
        return played

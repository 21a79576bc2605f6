"""Brackets: their seeds, who meets whom in the next stage, how they stand, and their formats."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, groupby
from math import comb

from arena.schedule.deal import DEALS_LIMIT, Entrant
from arena.schedule.rounds import (
    Frame,
    Lineup,
    Over,
    Round,
    RoundTerms,
    Standings,
    StandingsGrid,
    drawn,
)
from arena.schedule.ties import Course, Steps, Tie, follow, play
from protocol.errors import ArenaError
from referee.rules.words import letters, width

WIDTH = 80
"""Columns that a bracket has at most."""
_LONGEST = 14  # columns of a name: five of them, those of 16 bots, and their lines fit
_ON = {"": "goes on", "bye": "bye", "walkover": "walkover", "better seed": "better seed"}
_FINAL = {**_ON, "": "wins"}
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
        self.fell([*final.gone])
        if not final.deals:
            self.champions = list(final.order)
            return
        points = dict(zip(final.bots, final.points, strict=True))
        for _, alike in groupby(reversed(final.order[1:]), points.__getitem__):
            self.fell([*alike])
        self.champions = list(final.order[:1])

    def play(self, title: str, ties: Sequence[Tie], course: Course) -> Steps[None]:
        """Have the ties of its next stage played."""
        self.stages.append(BracketStage(title, tuple(ties)))
        yield from play(ties, course)


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


def seeds(course: Course, frame: Frame, event: str) -> Steps[list[str]]:
    """Return the bots in the order of their seeds, the best first; of those that left, none.

    A rating by a full round-robin, such as Bradley and Terry's, has the order of the points in it;
    equal ones are drawn. Raises ArenaError if that has too many deals.
    """
    options, keys = course.first_terms.options, course.first_field
    order = drawn(frame.chance, keys, event, "seed")
    if options.seeding == "file":
        order = list(keys)
    elif options.seeding == "rating" and len(keys) >= frame.seats:
        count = comb(len(keys), frame.seats) * options.seeding_deals
        if count > DEALS_LIMIT:
            raise ArenaError(
                f"the round-robin of {len(keys)} bots for their seeds has {count:,} deals; at most "
                f'{DEALS_LIMIT:,} can be played: use seeding = "drawn" or "file".'
            )
        lineups = combinations(sorted(keys), frame.seats)
        played = yield from course.ask(
            lineup for lineup in lineups for _ in range(options.seeding_deals)
        )
        shares = _shares(played)
        order.sort(key=lambda key: -shares.get(key, Fraction(-1)))
    return [key for key in order if key in course.field]


def _shares(played: Round) -> dict[str, Fraction]:
    """Return the mean share of the points of each bot that has played."""
    sums: dict[str, Fraction] = {}
    deals: Counter[str] = Counter()
    for deal in played.deals:
        if deal.matches is not None:
            for entrant, share in zip(deal.lineup, deal.shares(), strict=True):
                sums[entrant.key] = sums.get(entrant.key, Fraction()) + share
                deals[entrant.key] += 1
    return {key: total / deals[key] for key, total in sums.items()}


def bracket_standings(
    bracket: Bracket,
    course: Course,
    name: Callable[[Entrant], str],
    picture: tuple[str, ...],
) -> Standings:
    """Return the places, and a table for each stage; the notes say who takes no part."""

    def named(bot: str) -> str:
        return name(course.entrants[bot])

    seed = {bot: at + 1 for at, bot in enumerate(bracket.seeds)}
    rows = [(place, seed[bot], named(bot)) for place, bot in _places(bracket)]
    places = StandingsGrid("Places", ("place", "seed", "bot"), tuple(rows))
    won, last = bracket.champions, bracket.stages[-1] if bracket.over and bracket.stages else None
    stages = [_stage(stage, seed, named, won if stage is last else ()) for stage in bracket.stages]
    notes = []
    for bot in sorted(course.entrants.keys() - seed.keys() if seed else ()):
        why = "left before" if bot in course.first_field else "came after"
        notes.append(f"{named(bot)} takes no part: it {why} the bracket was drawn.")
    if len(bracket.champions) > 1:
        notes.append("Those who were left could fill no table: they share the first place.")
    return Standings((places, *stages) if seed else (), picture, tuple(notes))


def _places(bracket: Bracket) -> Iterator[tuple[str, str]]:
    """Yield the bots, best first, each with the places that it may still come to."""
    fallen = {bot for group in bracket.fallen for bot in group}
    left = bracket.champions or [bot for bot in bracket.seeds if bot not in fallen]
    best = 1
    for group in (left, *reversed(bracket.fallen)):
        last = best + len(group) - 1
        for bot in group:
            yield (str(best) if best == last else f"{best}-{last}"), bot
        best = last + 1


def _stage(
    stage: BracketStage,
    seed: Mapping[str, int],
    named: Callable[[str], str],
    champions: Sequence[str],
) -> StandingsGrid:
    played = [tie for tie in stage.ties if tie.bots]
    rows = [
        (
            at + 1,
            seed[bot],
            named(bot),
            round(float(points), 3) if tie.deals else None,
            len(tie.deals),
            _result(tie, bot) if bot not in champions else _FINAL[tie.how],
        )
        for at, tie in enumerate(played)
        for bot, points in zip(tie.bots, tie.points, strict=True)
    ]
    return StandingsGrid(
        stage.title, ("tie", "seed", "bot", "points", "deals", "result"), tuple(rows)
    )


def _result(tie: Tie, bot: str) -> str:
    if bot in tie.gone:
        return "left"
    if tie.on is None:
        return ""
    return _ON[tie.how] if bot in tie.on else "loses"


def drawing(bracket: Bracket, course: Course, name: Callable[[Entrant], str]) -> tuple[str, ...]:
    """Return the bracket of two seats in lines of at most `WIDTH` columns, once it is drawn.

    The longer names are shortened so that it fits.
    """
    if not bracket.stages:
        return ()
    columns = [[bot for tie in bracket.stages[0].ties for bot in _slots(tie)]]
    columns += [[tie.on[0] if tie.on else None for tie in stage.ties] for stage in bracket.stages]
    while len(columns[-1]) > 1:
        columns.append([None] * (len(columns[-1]) // 2))
    room = (WIDTH - 2 * (len(columns) - 1)) // len(columns)
    names = {bot: name(course.entrants[bot]) for bot in bracket.seeds}
    most = min(room, _LONGEST, max(map(width, names.values())))
    names = {bot: _shortened(text, most) for bot, text in names.items()}
    lines = [""] * (2 * len(columns[0]) - 1)
    for stage, column in enumerate(columns):
        last = stage == len(columns) - 1
        for row in range(len(lines)):
            at, between = divmod(row + 1 - 2**stage, 2 ** (stage + 1))
            if between == 0:
                bot = column[at]
                lines[row] += _end(names.get(bot or "", ""), most, last=last)
            elif not last:
                inside = at % 2 == 0 and 0 <= at < len(column)
                lines[row] += " " * (most + 1) + ("|" if inside else " ")
    return tuple(line.rstrip() for line in lines)


def _slots(tie: Tie) -> tuple[str | None, str | None]:
    """Return the bots of a tie of the first stage, of which the better seed stands above."""
    above, below, *_ = (*tie.bots, None, None)
    return above, below


def _end(text: str, most: int, *, last: bool) -> str:
    if last:
        return text
    line = f"{text} " if text else ""
    return line + "-" * (most + 1 - width(line)) + "+"


def _shortened(text: str, most: int) -> str:
    if width(text) <= most:
        return text
    short = ""
    for letter in letters(text):
        if width(short + letter) > most - 1:
            break
        short += letter
    return f"{short}…"


class BracketFormat(ABC):
    """A format of ties. The first round says who takes part, and what shapes the bracket."""

    title: str
    """What it is called in sentences."""
    has_drawing = False
    """Whether its bracket of two seats is one that can be drawn as text."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame

    def next_round(
        self, past: Sequence[Round], field: Sequence[Entrant], terms: RoundTerms
    ) -> Sequence[Lineup] | Over:
        """Return the deals of all ties of a stage, or those that its undecided ties need more."""
        bracket, asked = self._followed(past, field, terms)
        return Over(bracket.over) if asked is None else asked

    def standings(
        self,
        past: Sequence[Round],
        field: Sequence[Entrant],
        terms: RoundTerms,
        name: Callable[[Entrant], str],
    ) -> Standings:
        """Return the places, a table for each stage and, where it has one, the bracket as text."""
        bracket, _ = self._followed(past, field, terms)
        course = Course(past, field, terms)
        is_drawn = self.has_drawing and self._frame.seats == 2
        picture = drawing(bracket, course, name) if is_drawn else ()
        return bracket_standings(bracket, course, name, picture)

    def _followed(
        self, past: Sequence[Round], field: Sequence[Entrant], terms: RoundTerms
    ) -> tuple[Bracket, Sequence[Lineup] | None]:
        course, bracket = Course(past, field, terms), Bracket()
        return bracket, follow(self._steps(course, bracket), past)

    def _steps(self, course: Course, bracket: Bracket) -> Steps[None]:
        seats = self._frame.seats
        bracket.seeds = yield from seeds(course, self._frame, self.title)
        if len(bracket.seeds) < seats:
            bracket.over = (
                f"A {self.title} needs at least {seats} bots, and {len(bracket.seeds)} can play: "
                f"add bots."
            )
        else:
            yield from self._played(course, bracket, seats)

    @abstractmethod
    def _played(self, course: Course, bracket: Bracket, seats: int) -> Steps[None]:
        """Go through the stages of a bracket whose seeds are known."""

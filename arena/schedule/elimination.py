"""Knockout and double elimination: who loses once, or twice, is out, until one bot is left."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations

from arena.schedule.bracket import (
    Bracket,
    BracketFormat,
    BracketStage,
    Slots,
    bye_ties,
    snake,
    split_byes,
    table_count,
    table_ties,
)
from arena.schedule.format_kinds import InRounds
from arena.schedule.matching import cheapest_pairs, exchanged
from arena.schedule.ties import BracketOptions, Course, Steps, Tie, check_bracket, play
from protocol.errors import ArenaError
from referee.rules.words import counted

_ABOVE, _BELOW = "Winners'", "Losers'"


class Knockout(BracketFormat):
    """The knockout. Two seats: a bracket of pairs; more: tables of which some go on."""

    title = "knockout"
    has_drawing = True

    def _played(self, course: Course, bracket: Bracket, seats: int) -> Steps[None]:
        if seats == 2:
            yield from _pairs(course, bracket)
        else:
            yield from self._tables(course, bracket)

    def _tables(self, course: Course, bracket: Bracket) -> Steps[None]:
        seats, advance = self._frame.seats, course.first_terms.options.advance
        alive, byes = bracket.seeds, Counter[str]()
        while len(alive) > seats:
            count, out = table_count(len(alive), seats, advance)
            playing, free = split_byes(alive, count * seats, byes)
            ties = table_ties(snake(playing, count), out, seats, advance)
            ties += bye_ties(free, byes)
            yield from bracket.play(f"Stage {len(bracket.stages) + 1}", ties, course)
            on = {bot for tie in ties for bot in tie.on or ()}
            bracket.fell([bot for bot in alive if bot not in on])
            alive = [bot for bot in alive if bot in on and bot in course.field]
            bracket.fell([bot for bot in bracket.seeds if bot in on and bot not in alive])
        yield from final_table(course, bracket, alive, seats)


def _pairs(course: Course, bracket: Bracket) -> Steps[None]:
    slots = Slots(bracket.seeds)
    while len(slots.slots) > 1:
        ties = slots.ties()
        yield from bracket.play(_stage_title(len(slots.slots)), ties, course)
        if len(ties) == 1:
            bracket.end_of(ties[0], "The final of the knockout is played")
            return
        bracket.fell([bot for tie in ties for bot in tie.out])
        slots.take(ties)


def final_table(course: Course, bracket: Bracket, alive: Sequence[str], seats: int) -> Steps[None]:
    """Have the last bots play for the places, if they fill a table; note who came where."""
    if len(alive) < seats:
        bracket.champions = list(alive)
        bracket.over = (
            f"{counted(len(alive), 'bot')} are left, and a table needs {seats}: the others left."
            if len(alive) != 1
            else "One bot is left: all others lost or left."
        )
        return
    final = Tie(tuple(alive), 1)
    yield from bracket.play("Final", [final], course)
    bracket.end_of(final, "The final table is played")


def _stage_title(slots: int) -> str:
    titles = {2: "Final", 4: "Semi-finals", 8: "Quarter-finals"}
    return titles.get(slots, f"Round of {slots}")


class DoubleEliminationOptions(BracketOptions, frozen=True, kw_only=True):
    """The table `[double-elimination]` of a league's file."""

    reset: bool = True
    """Whether the final is played again if it is the first tie that its loser lost; two seats."""


def check_double_elimination(options: DoubleEliminationOptions, seats: int) -> None:
    """Raise ArenaError for options that cannot be meant with so many seats."""
    check_bracket(options, seats)
    if not options.reset and seats != 2:
        raise ArenaError(
            "reset = false is for games of two: larger tables play one final; take it out."
        )


class DoubleElimination(BracketFormat):
    """Double elimination: the knockout with a second bracket for those who lost once.

    The losers' bracket plays whenever it can, the winners' bracket when the losers' is no larger:
    for two seats this is the usual order. At larger tables the last bots play one final table,
    and before, bots of both brackets share a table when neither can fill one.
    """

    title = "double elimination"

    def _played(self, course: Course, bracket: Bracket, seats: int) -> Steps[None]:
        if seats == 2:
            yield from _Pairs(course, bracket).steps()
        else:
            yield from _Tables(course, bracket, seats).steps()


class _Brackets:
    """What both kinds of double elimination know: who has lost once, who met, who had byes."""

    def __init__(self, course: Course, bracket: Bracket) -> None:
        self.course = course
        self.bracket = bracket
        self.losers: list[str] = []
        self.byes: Counter[str] = Counter()
        self.met: Counter[tuple[str, str]] = Counter()
        self._stages: Counter[str] = Counter()

    def play(self, brackets: Mapping[str, Sequence[Tie]]) -> Steps[None]:
        """Have ties played of one or more brackets, by their names in the standings."""
        for title, ties in brackets.items():
            if any(len(tie.bots) > 1 for tie in ties):
                self._stages[title] += 1
                heading = f"{title} stage {self._stages[title]}"
                self.bracket.stages.append(BracketStage(heading, tuple(ties)))
        yield from play([tie for ties in brackets.values() for tie in ties], self.course)
        for ties in brackets.values():
            for tie in ties:
                self.met.update(combinations(sorted(tie.bots), 2))

    def present(self, bots: Sequence[str]) -> list[str]:
        """Return those of some bots that can play, in the order of seeds; the others go out."""
        here = [bot for bot in bots if bot in self.course.field]
        self.bracket.fell([bot for bot in bots if bot not in here])
        return self.bracket.by_seed(here)

    def present_losers(self) -> list[str]:
        """Return who has lost once and can play; the others go out."""
        self.losers = self.present(self.losers)
        return self.losers

    def beaten(self, ties: Sequence[Tie]) -> list[str]:
        """Return who lost and goes on with one life less, also those whose files have changed."""
        back = {bot for tie in ties for bot in tie.gone if bot in self.course.field}
        return [bot for tie in ties for bot in tie.bots if bot in tie.losers or bot in back]

    def left(self, ties: Sequence[Tie]) -> list[str]:
        """Return who was out and cannot play again."""
        return [bot for tie in ties for bot in tie.gone if bot not in self.course.field]

    def met_at(self, table: Sequence[str]) -> int:
        """Return how often bots of a table met before."""
        return sum(self.met[pair] for pair in combinations(sorted(table), 2))


class _Pairs(_Brackets):
    """Two seats."""

    def steps(self) -> Steps[None]:
        winners = Slots(self.bracket.seeds)
        while len(winners.slots) > 1 or len(self.present_losers()) > 1:
            unbeaten, losers = len(winners.bots), self.present_losers()
            below = self._losers_ties(losers) if len(losers) > 1 else []
            above = winners.ties() if len(losers) <= unbeaten and len(winners.slots) > 1 else []
            if not above and not below:  # those who had not lost have left
                above = winners.ties()
            yield from self.play({_ABOVE: above, _BELOW: below})
            if above:
                winners.take(above)
            beaten = self.beaten(above)
            out = [bot for tie in below for bot in tie.out]
            self.bracket.fell([*out, *self.left(above)])
            self.losers = [bot for bot in losers if bot not in out] + beaten
        yield from self._final(winners.bots + self.losers)

    def _losers_ties(self, losers: Sequence[str]) -> list[Tie]:
        playing, free = split_byes(losers, len(losers) // 2 * 2, self.byes)
        last = len(playing) - 1
        place = {bot: at for at, bot in enumerate(playing)}
        again = len(playing) ** 3  # more than all else that a pairing can cost

        def cost(one: str, other: str) -> int:
            # The best against the last, as far as they have not met.
            return again * self.met_at((one, other)) + (place[one] + place[other] - last) ** 2

        pairs = cheapest_pairs(playing, cost)
        return [*(Tie(pair, 1) for pair in pairs), *bye_ties(free, self.byes)]

    def _final(self, bots: list[str]) -> Steps[None]:
        """Play the final of one who is unbeaten and one who is not; none, if only one is left."""
        if len(bots) < 2:
            yield from final_table(self.course, self.bracket, bots, 2)
            return
        final = Tie(tuple(bots), 1)
        yield from self.bracket.play("Final", [final], self.course)
        if self.course.first_terms.options.reset and bots[0] in final.losers:
            final = Tie(tuple(bots), 1)
            yield from self.bracket.play("Final again", [final], self.course)
        self.bracket.end_of(final, "The final of the double elimination is played")


class _Tables(_Brackets):
    """More than two seats."""

    def __init__(self, course: Course, bracket: Bracket, seats: int) -> None:
        super().__init__(course, bracket)
        self._seats = seats
        self._advance: int = course.first_terms.options.advance
        self._winners = list(bracket.seeds)

    def steps(self) -> Steps[None]:
        while True:
            winners = self._winners = self.present(self._winners)
            losers = self.present_losers()
            if len(winners) + len(losers) <= self._seats:
                break
            most = len(winners) + len(losers) - self._seats  # who may go out, or the final is short
            below = self._losers_ties(losers, most) if len(losers) >= self._seats else []
            above = []
            if len(losers) <= len(winners) and len(winners) >= self._seats:
                count = len(winners) // self._seats
                above = self._ties(winners, count, count * (self._seats - self._advance))
            if above or below:
                yield from self.play({_ABOVE: above, _BELOW: below})
                self._take(above, below)
            else:
                mixed = Tie((*winners[len(losers) - self._seats :], *losers), self._advance)
                yield from self.play({"Mixed": [mixed]})
                self._take_mixed(mixed, most)
        alive = self.bracket.by_seed(self._winners + self.losers)
        yield from final_table(self.course, self.bracket, alive, self._seats)

    def _losers_ties(self, losers: Sequence[str], most: int) -> list[Tie]:
        leaving = self._seats - self._advance
        out = min(len(losers) // self._seats * leaving, most)
        return self._ties(losers, -(-out // leaving), out)

    def _ties(self, bots: Sequence[str], count: int, out: int) -> list[Tie]:
        playing, free = split_byes(bots, count * self._seats, self.byes)
        tables = exchanged(snake(playing, count), self.met_at)
        in_order = [self.bracket.by_seed(table) for table in tables]
        ties = table_ties(in_order, out, self._seats, self._advance)
        return [*ties, *bye_ties(free, self.byes)]

    def _take(self, above: Sequence[Tie], below: Sequence[Tie]) -> None:
        beaten, gone = self.beaten(above), self.left(above)
        out = [bot for tie in below for bot in tie.out]
        self.bracket.fell([*out, *gone])
        self._winners = [bot for bot in self._winners if bot not in {*beaten, *gone}]
        self.losers = [bot for bot in self.losers if bot not in out] + beaten

    def _take_mixed(self, tie: Tie, most: int) -> None:
        """Who lost for the first time joins the losers; of the others, so many go out."""
        beaten = [bot for bot in tie.losers if bot in self._winners]
        twice = [bot for bot in reversed(tie.order) if bot in tie.losers and bot in self.losers]
        out = twice[: max(0, most - len(tie.gone))]
        tie.on = tuple(bot for bot in tie.order if bot not in {*beaten, *out})
        self.bracket.fell([*out, *tie.gone])
        left = {*beaten, *out, *tie.gone}
        self._winners = [bot for bot in self._winners if bot not in left]
        self.losers = [bot for bot in self.losers if bot not in left] + beaten


DOUBLE_ELIMINATION = InRounds(
    DoubleEliminationOptions, check_double_elimination, DoubleElimination, "for each tie"
)
KNOCKOUT = InRounds(BracketOptions, check_bracket, Knockout, "for each tie")

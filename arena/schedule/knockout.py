"""The knockout: who loses a tie is out, until one bot is left."""

from collections import Counter
from collections.abc import Callable, Sequence

from arena.schedule.bracket import (
    Bracket,
    BracketStage,
    Slots,
    bye_ties,
    snake,
    split_byes,
    table_count,
    table_ties,
)
from arena.schedule.bracket_options import BracketOptions, check_bracket
from arena.schedule.bracket_standings import bracket_standings, drawing
from arena.schedule.course import Course, Steps, follow
from arena.schedule.deal import Entrant
from arena.schedule.rounds import Frame, Lineup, Over, Round, RoundTerms, Standings
from arena.schedule.seeding import seeds
from arena.schedule.ties import Tie, play
from referee.words import counted


class KnockoutOptions(BracketOptions, frozen=True, kw_only=True):
    """The table `[knockout]` of a league's file."""


class Knockout:
    """The knockout. Two seats: a bracket of pairs; more: tables of which some go on.

    What shapes the bracket is asked of the first round's options, and who takes part of its field.
    Raises ArenaError for options that cannot be meant.
    """

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
        """Return the places, a table for each stage and, for two seats, the bracket as text."""
        bracket, _ = self._followed(past, field, terms)
        course = Course(past, field, terms)
        picture = drawing(bracket, course, name) if self._frame.seats == 2 else ()
        return bracket_standings(bracket, course, name, picture)

    def _followed(
        self, past: Sequence[Round], field: Sequence[Entrant], terms: RoundTerms
    ) -> tuple[Bracket, Sequence[Lineup] | None]:
        check_bracket(terms.options, self._frame.seats)
        course, bracket = Course(past, field, terms), Bracket()
        return bracket, follow(self._steps(course, bracket), past)

    def _steps(self, course: Course, bracket: Bracket) -> Steps[None]:
        seats = self._frame.seats
        bracket.seeds = yield from seeds(course, self._frame, "knockout")
        if len(bracket.seeds) < seats:
            bracket.over = too_few("knockout", seats, len(bracket.seeds))
        elif seats == 2:
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
            bracket.stages.append(BracketStage(f"Stage {len(bracket.stages) + 1}", tuple(ties)))
            yield from play(ties, course)
            on = {bot for tie in ties for bot in tie.on or ()}
            bracket.fell([bot for bot in alive if bot not in on])
            alive = [bot for bot in alive if bot in on and bot in course.field]
            bracket.fell([bot for bot in bracket.seeds if bot in on and bot not in alive])
        yield from final_table(course, bracket, alive, seats)


def _pairs(course: Course, bracket: Bracket) -> Steps[None]:
    slots = Slots(bracket.seeds)
    while len(slots.slots) > 1:
        ties = slots.ties()
        stage = BracketStage(_stage_title(len(slots.slots)), tuple(ties))
        bracket.stages.append(stage)
        yield from play(ties, course)
        if len(ties) == 1:
            bracket.end_of(ties[0], "The final of the knockout is played")
            return
        bracket.fell([bot for tie in ties for bot in tie.bots if bot not in (tie.on or ())])
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
    bracket.stages.append(BracketStage("Final", (final,)))
    yield from play([final], course)
    bracket.end_of(final, "The final table is played")


def too_few(what: str, seats: int, bots: int) -> str:
    """Return the sentence that says that a tournament cannot begin."""
    return f"A {what} needs at least {seats} bots, and {bots} can play: add bots."


def _stage_title(slots: int) -> str:
    titles = {2: "Final", 4: "Semi-finals", 8: "Quarter-finals"}
    return titles.get(slots, f"Round of {slots}")

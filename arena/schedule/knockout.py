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
from arena.schedule.bracket_format import BracketFormat
from arena.schedule.bracket_options import BracketOptions, check_bracket
from arena.schedule.bracket_standings import drawing
from arena.schedule.course import Course, Steps
from arena.schedule.deal import Entrant
from arena.schedule.format_kinds import InRounds
from arena.schedule.ties import Tie, play
from referee.rules.words import counted


class KnockoutOptions(BracketOptions, frozen=True, kw_only=True):
    """The table `[knockout]` of a league's file."""


class Knockout(BracketFormat):
    """The knockout. Two seats: a bracket of pairs; more: tables of which some go on."""

    title = "knockout"

    def _check(self, options: KnockoutOptions, seats: int) -> None:
        check_bracket(options, seats)

    def _played(self, course: Course, bracket: Bracket, seats: int) -> Steps[None]:
        if seats == 2:
            yield from _pairs(course, bracket)
        else:
            yield from self._tables(course, bracket)

    def _picture(
        self, bracket: Bracket, course: Course, name: Callable[[Entrant], str]
    ) -> tuple[str, ...]:
        return drawing(bracket, course, name) if self._frame.seats == 2 else ()

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


def _stage_title(slots: int) -> str:
    titles = {2: "Final", 4: "Semi-finals", 8: "Quarter-finals"}
    return titles.get(slots, f"Round of {slots}")


KNOCKOUT = InRounds(KnockoutOptions, check_bracket, Knockout, "for each tie")

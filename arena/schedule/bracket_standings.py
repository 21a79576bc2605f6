"""How a tournament by ties stands: its places, its stages, and its bracket as text."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from arena.schedule.bracket import Bracket, BracketStage
from arena.schedule.course import Course
from arena.schedule.deal import Entrant
from arena.schedule.rounds import Standings, StandingsGrid
from arena.schedule.ties import Tie
from referee.rules.words import letters, width

WIDTH = 80
"""Columns that a bracket has at most."""
_LONGEST = 14  # columns of a name: five of them, those of 16 bots, and their lines fit
_ON = {"": "goes on", "bye": "bye", "walkover": "walkover", "better seed": "better seed"}
_FINAL = {**_ON, "": "wins"}


def bracket_standings(
    bracket: Bracket,
    course: Course,
    name: Callable[[Entrant], str],
    picture: tuple[str, ...] = (),
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

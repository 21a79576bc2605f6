"""How a Swiss tournament stands: its table, and its crosstable by round."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from arena.schedule.rounds import Standings, StandingsGrid
from arena.schedule.swiss_scores import HALF, SwissGain, SwissScore, SwissScores

_NOTE_PAIRS = (
    "Equal points are parted by the sum of the opponents' points (Buchholz), then by the points of "
    "those beaten and half of those drawn with (SB: Sonneborn-Berger), then by the mean share of "
    "the points; who is equal in all shares a rank. For a round won without play, an opponent with "
    "as many points as one's own is counted."
)
_NOTE_TABLES = (
    "Equal points are parted by the opponents' points (Buchholz: for each round the mean of the "
    "table), then by the mean share of the points; who is equal in all shares a rank. For a round "
    "without play, opponents with as many points as one's own are counted."
)
_WORDS = {"bye": "bye", "walkover": "walkover", "out": "out", "missed": ""}


@dataclass(frozen=True)
class _Line:
    """A bot of the table; the best have the highest `order`."""

    score: SwissScore
    buchholz: Fraction
    sonneborn_berger: Fraction

    @property
    def order(self) -> tuple[Fraction, Fraction, Fraction, Fraction]:
        share = self.score.share
        mean = Fraction(-1) if share is None else share
        return self.score.points, self.buchholz, self.sonneborn_berger, mean


def swiss_standings(
    scores: SwissScores, field: Sequence[str], name: Callable[[str], str], seats: int
) -> Standings:
    """Return the table of all bots that ever played, and who met whom in each round."""
    points = {key: score.points for key, score in scores.by_bot.items()}
    lines = [_line(score, points, seats) for score in scores.by_bot.values()]
    lines.sort(key=lambda line: line.order, reverse=True)  # of equal ones, keys stay in order
    orders = [line.order for line in lines]
    rows = [_row(line, orders.index(line.order) + 1, name, seats) for line in lines]
    number = {line.score.key: at + 1 for at, line in enumerate(lines)}
    rounds = len(lines[0].score.cells) if lines else 0
    crossed: list[tuple[str | int, ...]] = [
        (
            number[line.score.key],
            name(line.score.key),
            *(_crossed(cell, number) for cell in line.score.cells),
        )
        for line in lines
    ]
    notes = [_NOTE_PAIRS if seats == 2 else _NOTE_TABLES]
    if gone := [name(key) for key in number if key not in field]:
        notes.append(f"Not in the field now: {', '.join(gone)}.")
    breaks = ("buchholz", "sb") if seats == 2 else ("buchholz",)
    headers = ("rank", "bot", "points", *breaks, "share", "rounds")
    table = StandingsGrid("Standings", headers, tuple(rows))
    numbers = (str(at + 1) for at in range(rounds))
    return Standings(
        (table, StandingsGrid("Rounds", ("no.", "bot", *numbers), tuple(crossed))),
        (),
        tuple(notes),
    )


def _line(score: SwissScore, points: dict[str, Fraction], seats: int) -> _Line:
    own = points[score.key]
    buchholz = sonneborn_berger = Fraction()
    for cell in score.cells:
        if cell.kind in ("bye", "walkover"):
            met = own
        elif cell.kind == "played":
            met = sum((points[other] for other in cell.others), Fraction()) / len(cell.others)
        else:
            continue
        buchholz += met
        if seats == 2:
            sonneborn_berger += met * cell.gained
    return _Line(score, buchholz, sonneborn_berger)


def _row(
    line: _Line, rank: int, name: Callable[[str], str], seats: int
) -> tuple[str | int | float | None, ...]:
    score = line.score
    breaks = (line.buchholz, line.sonneborn_berger) if seats == 2 else (line.buchholz,)
    share = score.share
    return (
        rank,
        name(score.key),
        _shown(score.points),
        *map(_shown, breaks),
        None if share is None else _shown(share),
        score.count("played"),
    )


def _crossed(cell: SwissGain, number: dict[str, int]) -> str:
    """Return what a bot did in a round: +3 won against the third; at larger tables, its share."""
    if cell.share is None:
        return _WORDS[cell.kind]
    others = " ".join(str(number[other]) for other in sorted(cell.others, key=number.__getitem__))
    if len(cell.others) > 1:
        return f"{_shown(cell.share):.2f}: {others}"
    return f"{'+' if cell.share > HALF else '=' if cell.share == HALF else '-'}{others}"


def _shown(number: Fraction) -> float:
    return round(float(number), 3)

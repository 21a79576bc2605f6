"""Why a bot lost: what it did against each rival, how, and which matches to look at; pure."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from arena.stats.encounters import Encounter, encounters, seated_in
from arena.store.choosing import Ending
from arena.store.result import Spent
from arena.store.rows import StoredMatch
from arena.tables.cross_table import KEYS, encounter_row, lead_column
from arena.tables.field import Field
from arena.tables.head_to_head import SEAT, share_columns
from arena.tables.leaderboard import faults_text
from arena.tables.match_list import MatchList
from arena.tables.table import NAME_WIDTH, Column, Row, Sheet, Table
from arena.tables.usage import TIME_COLUMNS, TIME_KEYS, time_values
from arena.text import composed, quoted
from protocol.errors import ArenaError
from referee.rules.options import suggestion

_ENDINGS: tuple[Ending, ...] = ("won", "drawn", "lost")
_EXAMPLES = {
    "closest": "Closest lost",
    "clearest": "Clearest lost",
    "faulty": "With a fault",
}
"""What a match may be an example of, and the title of that."""
_NAMED = 3  # rivals to which most points were lost


@dataclass
class Side:
    """What one of two bots did in all their matches."""

    faults: Counter[str] = field(default_factory=Counter)
    forfeits: int = 0
    spent: Spent = field(default_factory=Spent.nothing)


@dataclass
class Meeting:
    """All stored matches of a bot and one rival, of whole deals and of others."""

    own: Side = field(default_factory=Side)
    other: Side = field(default_factory=Side)
    endings: defaultdict[str, Counter[Ending]] = field(default_factory=lambda: defaultdict(Counter))
    """How many ended so, by the game's word for it."""
    decisions: Counter[Ending] = field(default_factory=Counter)
    """Of all matches that ended so."""
    examples: dict[str, StoredMatch] = field(default_factory=dict)
    """Matches to look at, by what they are examples of."""

    def length(self, ending: Ending) -> float | None:
        """Return the mean decisions of the matches that ended so; None if none did."""
        matches = sum(each[ending] for each in self.endings.values())
        return self.decisions[ending] / matches if matches else None


@dataclass(frozen=True, kw_only=True)
class Subject:
    """A bot that somebody asks about, and what is known of its matches."""

    bot: str
    """As the field calls it."""
    name: str
    """As the league calls it, in whichever version."""
    version: str | None = None
    reasons: Sequence[str] = ()
    """Why it does not play, or not as it is here, in sentences."""
    meetings: Mapping[str, Meeting] | None = None
    """By rival; None for a file of results, which does not say."""
    remote: Collection[str] = ()
    """The bots whose CPU time nobody sees."""


def why_table(found: Field, subject: Subject, against: str | None = None) -> Table:
    """Return why a bot of a field lost: a row for each rival that it met, the worst one first.

    Raises ArenaError if it did not meet the rival that is asked for.
    """
    bot, meetings = subject.bot, subject.meetings
    own = seated_in(found.deals, bot)
    seats = sorted({result.bots.index(bot) for deal in own for result in deal})
    met = _against(encounters(own), bot)
    sat = {s: _against(encounters(seated_in(own, bot, s)), bot) for s in seats * found.by_seat}
    rows = [
        {
            **_share(bot, other, met.get(other)),
            "seats": [
                {"seat": s, **_share(bot, other, sat[s][other])} for s in sat if other in sat[s]
            ],
            **(_meeting_row(meetings[other], subject, other) if meetings is not None else {}),
        }
        for other in {*met, *(meetings or ())}
    ]
    rows.sort(key=lambda row: (row["points"] is None, row["points"], row["other"]))
    lead_in = [*subject.reasons, _summary(bot, met)]
    if against is not None:
        against = composed(against)
        _check_met(found, bot, against, rows)
        rows = [row for row in rows if row["other"] == against]
        lead_in[-1] = _summary(bot, {each: met[each] for each in met if each == against})
    grids = _detail(found, subject, rows[0]) if against else _overview(found, subject, rows)
    return Table(
        "rivals",
        columns=(),
        rows=rows,
        facts={
            **found.facts,
            "bot": bot,
            "version": subject.version or found.versions.get(bot),
            "reasons": list(subject.reasons),
        },
        notes=[*_notes(found, subject, rows)],
        keys=(*KEYS, "seats", *(_MEETING_KEYS if meetings is not None else ())),
        grids=[*grids],
        lead_in=lead_in,
    )


def _against(found: Mapping[tuple[str, str], Encounter], bot: str) -> dict[str, Encounter]:
    return {other: each for (one, other), each in found.items() if one == bot}


def check_there(found: Field, bot: str, known: Collection[str]) -> None:
    """Raise ArenaError, with the name that may be meant, for a bot that is not among the known."""
    if bot not in known:
        raise ArenaError(f"{found.name} has no bot {bot!r}. {suggestion(bot, known)}")


def _check_met(found: Field, bot: str, other: str, rows: Sequence[Row]) -> None:
    met = [row["other"] for row in rows]
    if other == bot:
        raise ArenaError(f"--against {other}: name another bot; none plays against itself.")
    check_there(found, other, {*found.bots, *met})
    if other not in met:
        raise ArenaError(f"{bot} and {other} have not met yet in {found.name}.")


def _share(bot: str, other: str, encounter: Encounter | None) -> dict[str, Any]:
    """Return the row of an encounter with its error; of None, as no whole deal was played."""
    if encounter is None:
        return dict.fromkeys((*KEYS, "error")) | {"bot": bot, "other": other, "matches": 0}
    return {**encounter_row((bot, other), encounter), "error": encounter.points.error}


def _meeting_row(meeting: Meeting, subject: Subject, other: str) -> dict[str, Any]:
    """Return what a row has for programs of all matches against a rival."""
    return {
        **{f"length_{ending}": meeting.length(ending) for ending in _ENDINGS},
        "endings": {
            reason: {ending: count[ending] for ending in _ENDINGS}
            for reason, count in sorted(meeting.endings.items())
        },
        **_side_row(meeting.own, "", is_remote=subject.bot in subject.remote),
        **_side_row(meeting.other, "other_", is_remote=other in subject.remote),
        **{what: getattr(meeting.examples.get(what), "id", None) for what in _EXAMPLES},
    }


def _side_row(side: Side, prefix: str, *, is_remote: bool) -> dict[str, Any]:
    times = zip(TIME_KEYS, time_values(side.spent, is_remote=is_remote), strict=True)
    row = {"faults": dict(sorted(side.faults.items())), "forfeits": side.forfeits, **dict(times)}
    return {f"{prefix}{key}": value for key, value in row.items()}


def _keys() -> tuple[str, ...]:
    of_side = ("faults", "forfeits", *TIME_KEYS)
    lengths = (f"length_{ending}" for ending in _ENDINGS)
    return *lengths, "endings", *of_side, *(f"other_{key}" for key in of_side), *_EXAMPLES


_MEETING_KEYS = _keys()


def _summary(bot: str, met: Mapping[str, Encounter]) -> str:
    """Return in a sentence how many points a bot lost, and to whom."""
    lost = {other: each.matches * (1 - each.points.mean) for other, each in met.items()}
    total = sum(each.matches for each in met.values())
    if not total:
        return f"No deal of {bot} was played whole: there are no points yet."
    most = sorted((other for other in lost if lost[other]), key=lambda other: (-lost[other], other))
    if not most:
        return f"{bot} lost none of {total} points."
    named = ", ".join(f"{_points(lost[other])} to {other}" for other in most[:_NAMED])
    more = ", …" * (len(most) > _NAMED)
    return f"{bot} lost {_points(sum(lost.values()))} of {total} points: {named}{more}."


def _points(points: float) -> str:
    return f"{points:.1f}".removesuffix(".0")


_RIVAL = Column("Against", "other", width=NAME_WIDTH)
_FAULTS = Column(
    "Faults",
    lambda row: faults_text(row["faults"], row["forfeits"]),
    width=16,
    style=lambda row: "warning" if row["faults"] or row["forfeits"] else None,
)


_TIMES = [
    replace(each, title=each.title.replace("Longest ", "Longest\n").replace(" each", "\neach"))
    for each in TIME_COLUMNS
]


def _points_text(row: Row) -> str:
    return "{:.1f} ({:.0f} to {:.0f})".format(
        *(100 * row[key] for key in ("points", "low", "high"))
    )


def _overview(found: Field, subject: Subject, rows: Sequence[Row]) -> Iterator[Sheet]:
    """Yield tables with a line for each rival."""
    met = [row for row in rows if row["matches"]]
    if met:
        yield Sheet([_RIVAL, *share_columns(found)], met)
    sat = {(row["other"], each["seat"]): each for row in met for each in row["seats"]}
    if seats := sorted({seat for _, seat in sat}):
        columns = [lead_column(f"Seat {seat}", seat, sat, _points_text) for seat in seats]
        theirs = [{**row, "bot": row["other"]} for row in met]
        yield Sheet(
            [_RIVAL, *columns], theirs, title=f"Points (and 95 %) by the seat of {subject.bot}"
        )
    if subject.meetings is not None and rows:
        lengths = [
            Column(f"Length\n{ending}", _length(f"length_{ending}"), "right")
            for ending in _ENDINGS
            if any(row[f"length_{ending}"] is not None for row in rows)
        ]
        yield Sheet(
            [_RIVAL, *lengths, _FAULTS, *_TIMES[1:3]], rows, title="Lengths, faults and times"
        )
        looks = [Column(title, _cell(what)) for what, title in _EXAMPLES.items()]
        yield Sheet([_RIVAL, *looks], rows, title="Matches to look at")


def _length(key: str) -> Callable[[Row], str]:
    return lambda row: "-" if row[key] is None else f"{row[key]:.1f}"


def _cell(key: str) -> Callable[[Row], str]:
    return lambda row: row[key] or "-"


def _detail(found: Field, subject: Subject, row: Row) -> Iterator[Sheet]:
    """Yield tables on one rival."""
    if row["matches"]:
        seats = [{**row, "seat": None}, *row["seats"]]
        yield Sheet([SEAT, *share_columns(found)], seats)
    if subject.meetings is None:
        return
    meeting = subject.meetings[row["other"]]
    counts = [Column(each.capitalize(), each, "right") for each in _ENDINGS]
    ended = [{"reason": reason, **count} for reason, count in row["endings"].items()]
    yield Sheet([Column("Ended", "reason"), *counts], ended, title="How the matches ended")
    sides = [
        {"bot": bot, **_side_row(side, "", is_remote=bot in subject.remote)}
        for bot, side in ((subject.bot, meeting.own), (row["other"], meeting.other))
    ]
    bot = Column("Bot", "bot", width=NAME_WIDTH)
    yield Sheet([bot, _FAULTS, *_TIMES], sides, title="Faults and times of both")
    if found.game and meeting.examples:
        listed = MatchList(found.game, lambda _: "")
        examples = [match for what in _EXAMPLES if (match := meeting.examples.get(what))]
        present = {(each.name, each.version) for match in examples for each in match.bots}
        titles = [title for what, title in _EXAMPLES.items() if what in meeting.examples]
        shown = listed.rows(examples, present)
        looks = [{"what": what, **its} for what, its in zip(titles, shown, strict=True)]
        columns = [Column("What", "what"), *listed.columns]
        yield Sheet(columns, looks, fixed=2, title="Matches to look at")


def _notes(found: Field, subject: Subject, rows: Sequence[Row]) -> Iterator[str]:
    bot, name = quoted(subject.name), quoted(found.name)
    if any(row["matches"] for row in rows):
        yield (
            "Points: in whole deals, 1 for the better place of the two and half for the same; 95 "
            "%, + and - go by deal, as in `arena table`."
        )
        if not found.duels:
            yield (
                "W/D/L and lengths go by the places of the two. Place: the mean place among all "
                "bots of those matches."
            )
    if subject.meetings is not None and rows:
        yield (
            f"Lengths are mean numbers of decisions. They, faults and times are those of all "
            f"stored matches of the two; `arena rank {name} --times` says what times are."
        )
        count = "what was scored" if found.game and found.game.score else "places"
        yield (
            f"Closest and clearest go by {count}, then by length. `arena show {name} MATCH` shows "
            f"a match, and `arena matches {name} --bot {bot} --lost --closest` lists more."
        )
    yield from found.remarks

"""Shows a match: as text, move by move, and as a table for programs."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, get_args

import msgspec

from arena.archive.asked import exchange_words, exchanges_of
from arena.store.rows import WholeMatch
from arena.store.store import Store
from arena.tables.match_list import number_text
from arena.tables.table import WIDTH, Column, Row, Table, render
from arena.text import fold, safe
from arena.text import width as columns_of
from protocol.errors import ArenaError
from referee.catalog.loading import GAME_ERRORS
from referee.catalog.loading import told as told_error
from referee.limits import MatchLimits
from referee.match.replay import Entry, Replay, opening_in_words, steps, withdrawn
from referee.rules.game import Game
from referee.turn.answer import Fault
from referee.turn.verdict import Verdict, last_word

_BUSY = 100_000  # microseconds of lag from which on the machine is called busy
_INDENT = " " * 6
_ENDS = frozenset(get_args(Verdict))
"""The kinds of fault with which a process ends, once a match, for a reason of its own."""


LoadGame: TypeAlias = Callable[[], type[Game]]
"""Loads the game of a match; raises ArenaError if it cannot, or may not."""


def open_match(store: Store, prefix: str) -> WholeMatch:
    """Return the match of an id that may be shortened; raise ArenaError if it is not there."""
    return store.whole(store.find(prefix))


def move_line(game: Game, entry: Entry, names: Sequence[str]) -> str:
    """Return one decision in words, with the name of the bot that took it or failed to."""
    assert entry.move is not None
    line = _by(names, entry, game.describe(entry.seat, entry.move))
    return f"{line}   note: {entry.note}" if entry.note else line


def result(opened: WholeMatch, width: int = WIDTH) -> Iterator[str]:
    """Yield how a match ended, best place first, with the faults of each seat.

    It says why a process ended where a line of `width` columns has room for that.
    """
    yield _ended(opened)
    for row in _by_place(opened):
        score = f", score {number_text(row['score'])}" if "score" in row else ""
        line = f"  {row['place']}. {safe(row['bot'])} (seat {row['seat']}){score}"
        faults = _faults(row)
        if faults:
            longer = f"{line}: {_faults(row, safe(last_word(row['stderr'])))}"
            line = longer if columns_of(longer) <= width else f"{line}: {faults}"
        yield line


def told(
    opened: WholeMatch,
    game: LoadGame,
    *,
    seat: int | None = None,
    tables: bool = False,
    width: int = WIDTH,
) -> Iterator[str]:
    """Yield the lines of a match: who, every move with its times, how it ended, what was said.

    With `seat`, only what concerns that one. With `tables`, the table is drawn before each step.
    Text is folded to `width` columns and safe for a terminal; what was exchanged with a bot and
    what it wrote to its standard error keep their lines, however long.
    """
    match, replay, past = opened.match, opened.replay, opened.circumstances
    if opened.limits is None:
        yield f"Match {match.id}: {replay.game}, deal {match.number}, rotation {match.rotation}"
    else:
        yield from folded(f"Match of {replay.game}, seed {replay.seed}", "", width)
    options = ", ".join(f"{name} {value}" for name, value in replay.options.items())
    if options:
        yield from folded(f"Options: {options}", "  ", width)
    if limits := _changed(opened.limits):
        yield from folded(f"Limits: {limits}", "  ", width)
    yield from folded(
        f"Played {past.played_at} on {past.machine}, sandbox {past.sandbox}, {past.seconds:.3f} s",
        "  ",
        width,
    )
    if "bwrap" in past.sandbox:
        yield from folded("In bwrap, only a bot's wall time is measured.", "  ", width)
    words = _Words(replay, game, tables, seat)
    if begun := opening_row(opened, words.opening, seat):
        moves = (f"[{each['bot']}] {each['words']}" for each in begun["moves"])
        position = [f"position {begun['position']}"] if begun["position"] else []
        said = ", ".join([*position, *moves])
        yield from folded(f"Opening, before the first decision: {said}", "  ", width)
    yield ""
    yield from _moves(opened, words, seat, width)
    yield ""
    yield _ended(opened)
    yield from render(_summary(opened, seat), "simple", width=width).splitlines()
    yield from _remains(opened, seat)


def as_table(opened: WholeMatch, game: LoadGame, seat: int | None = None) -> Table:
    """Return a match as a table for programs: its decisions, and as facts all the rest.

    Times are in microseconds. With `seat`, only what concerns that one.
    """
    match, replay, past = opened.match, opened.replay, opened.circumstances
    words = _Words(replay, game)
    of_league = opened.limits is None
    facts = {
        "match": match.id if of_league else None,
        "deal": match.number if of_league else None,
        "rotation": match.rotation if of_league else None,
        "game": replay.game,
        "rules": replay.rules,
        "options": replay.options,
        "seed": replay.seed,
        **({} if replay.opening is None else {"opening": opening_row(opened, words.opening, seat)}),
        **({} if opened.limits is None else {"limits": msgspec.structs.asdict(opened.limits)}),
        "reason": replay.reason,
        **({} if match.numbers is None else {"numbers": match.numbers}),
        "played_at": past.played_at,
        "machine": past.machine,
        "sandbox": past.sandbox,
        "seconds": past.seconds,
        "problem": words.problem or None,
        "seats": seat_rows(opened, seat),
    }
    asked = {
        number: [msgspec.structs.asdict(each) for each in found]
        for number, found in exchanges_of(opened).items()
    }
    rows = [
        {
            "decision": number + 1,
            "seat": entry.seat,
            "bot": opened.names[entry.seat],
            "move": entry.move,
            "words": None if words.problem else words.moves[number],
            "fault": None if entry.fault is None else fault_row(entry.fault),
            "note": entry.note,
            "cpu_us": opened.evidence.cpu[number],
            "wall_us": opened.evidence.wall[number],
            "lag_us": opened.evidence.lag[number],
            **({"exchanges": asked[number]} if number in asked else {}),
        }
        for number, entry in enumerate(replay.entries)
        if seat in (None, entry.seat)
    ]
    return Table("decisions", [], rows, facts, keys=_ROW_KEYS)


_ROW_KEYS = (
    *("decision", "seat", "bot", "move", "words", "fault", "note"),
    *("cpu_us", "wall_us", "lag_us", "exchanges"),
)


def opening_row(
    opened: WholeMatch, words: Sequence[str] | None, seat: int | None = None
) -> dict[str, Any] | None:
    """Return what a match began with, for programs; None if with the first decision.

    Without `words`, the moves are called as they were recorded. With `seat`, only its moves.
    """
    opening = opened.replay.opening
    if opening is None:
        return None
    called = words or [json.dumps(move, ensure_ascii=False) for _, move in opening.moves]
    return {
        "position": opening.position,
        "moves": [
            {"seat": by, "bot": opened.names[by], "move": move, "words": text}
            for (by, move), text in zip(opening.moves, called, strict=True)
            if seat in (None, by)
        ],
    }


def fault_row(fault: Fault) -> dict[str, Any]:
    """Return a fault for programs."""
    return {key: getattr(fault, key) for key in ("kind", "reason", "line", "forfeit")}


def _changed(limits: MatchLimits | None) -> str:
    """Return the limits that are not the usual ones; the sandbox is shown elsewhere."""
    if limits is None:
        return ""
    usual = msgspec.structs.asdict(MatchLimits())
    found = msgspec.structs.asdict(limits).items()
    return ", ".join(
        f"{name} {value}" for name, value in found if value != usual[name] and name != "sandbox"
    )


def seat_rows(opened: WholeMatch, only: int | None = None) -> list[dict[str, Any]]:
    """Return a row for each seat: who sat there, what its clock said, what was kept of it."""
    evidence, scores = opened.evidence, opened.match.scores
    rows = []
    for seat, bot in enumerate(opened.match.bots):
        spent = opened.clock[seat]
        own = [n for n, entry in enumerate(opened.replay.entries) if entry.seat == seat]
        longest = max(own, key=evidence.wall.__getitem__) if spent.decisions else None
        rows.append(
            {
                "seat": seat,
                "bot": bot.name,
                "version": bot.version or None,
                "place": opened.match.places[seat],
                **({} if scores is None else {"score": scores[seat]}),
                "asked": spent.decisions,
                "cpu_us": spent.cpu,
                "wall_us": spent.wall,
                "longest_us": 0 if longest is None else evidence.wall[longest],
                "longest_at": None if longest is None else longest + 1,
                "faults": dict(opened.match.faults[seat]),
                "forfeited": seat in opened.match.forfeits,
                "burner": seat in evidence.burners,
                "charged_us": evidence.charged.get(seat, 0),
                "unfrozen_us": evidence.unfrozen.get(seat, 0),
                "round_trip_us": evidence.trips.get(seat, 0),
                "memory_peak": evidence.memory_peak.get(seat),
                "last_lines": evidence.conversations[seat],
                "stderr": evidence.stderr[seat],
            }
        )
    return [row for row in rows if only in (None, row["seat"])]


def _by_place(opened: WholeMatch, only: int | None = None) -> list[dict[str, Any]]:
    return sorted(seat_rows(opened, only), key=lambda row: (row["place"], row["seat"]))


def _ended(opened: WholeMatch) -> str:
    """Return how a match ended, with the numbers that its game counted."""
    numbers = opened.match.numbers or {}
    told = "".join(f", {safe(name)} {number_text(value)}" for name, value in numbers.items())
    return f"Ended: {safe(opened.match.reason)}{told}"


def _summary(opened: WholeMatch, seat: int | None) -> Table:
    scores = [Column("Score", lambda row: number_text(row["score"]), "right")]
    columns = (
        Column("Place", "place", "right"),
        Column("Bot", lambda row: safe(row["bot"]), width=12),
        Column("Seat", "seat", "right"),
        *([] if opened.match.scores is None else scores),
        Column("Asked", "asked", "right"),
        Column("CPU ms", lambda row: _ms(row["cpu_us"]), "right"),
        Column("Max wall", lambda row: _ms(row["longest_us"]), "right"),
        Column("At", lambda row: str(row["longest_at"] or ""), "right"),
        *([Column("Peak MiB", _mib, "right")] if opened.evidence.memory_peak else []),
        Column("Faults", _faults, width=12),
    )
    return Table("seats", columns, _by_place(opened, seat))


def _faults(row: Row, why: str = "") -> str:
    """Return a seat's faults in words; `why` says why its process ended, if it did."""
    ended = f" ({why})" if why else ""
    words = [
        f"{kind}{ended}" if kind in _ENDS else f"{count} {kind}"
        for kind, count in row["faults"].items()
    ]
    return ", ".join([*words, *(["forfeits"] if row["forfeited"] else [])])


def _mib(row: Row) -> str:
    """Return the most memory that a bot had, where that was measured."""
    return "" if row["memory_peak"] is None else f"{row['memory_peak'] / 2**20:.0f}"


def _ms(microseconds: int) -> str:
    ms = microseconds / 1000
    return f"{ms:.2f}" if ms < 99.995 else f"{ms:.0f}"


@dataclass
class _Words:
    """Every move of a replay in words, as far as the rules here can follow it."""

    replay: Replay
    game: LoadGame
    tables: bool = False
    seat: int | None = None
    moves: list[str] = field(default_factory=list)
    """By entry; the recorded moves themselves where the rules cannot follow."""
    drawn: dict[int, str] = field(default_factory=dict)
    """The table before the entry of that index, if wanted, and the last one."""
    opening: list[str] = field(default_factory=list)
    """Those of the opening; none where the rules cannot follow."""
    problem: str = ""
    """Why the rules cannot follow."""

    def __post_init__(self) -> None:
        entries = self.replay.entries
        self.moves += [""] * withdrawn(self.replay)
        try:
            self.opening += [words for _, words in opening_in_words(self.replay, self.game())]
            for game, step in steps(self.replay, self.game()):
                seats = [entry.seat for entry in step]
                if not step or (self.tables and (self.seat is None or self.seat in seats)):
                    self.drawn[len(self.moves)] = game.text(self.seat)
                self.moves += [
                    game.describe(entry.seat, entry.move)
                    for entry in step
                    if entry.move is not None
                ]
        except GAME_ERRORS as error:  # whatever a game's code makes of a record
            self.problem = str(error) if isinstance(error, ArenaError) else told_error(error)
            self.moves += [
                json.dumps(entry.move, ensure_ascii=False) for entry in entries[len(self.moves) :]
            ]


def _moves(opened: WholeMatch, words: "_Words", seat: int | None, width: int) -> Iterator[str]:
    if words.problem:
        yield from folded(f"Moves as they were recorded: {words.problem}", "", width)
        yield ""
    asked = exchanges_of(opened)
    yield f"{'':4}{'cpu':>7}{'wall':>7}{'lag':>7}  ms"
    for number, entry in enumerate(opened.replay.entries):
        if number in words.drawn:
            yield from _drawn(words, number)
            yield ""
        if seat in (None, entry.seat):
            yield from _entry(opened, number, words.moves[number], width)
            for exchange in asked.get(number, ()):
                yield from folded(exchange_words(exchange), _INDENT, width)
    yield from _drawn(words, len(opened.replay.entries))


def _drawn(words: _Words, number: int) -> Iterator[str]:
    if number in words.drawn:
        yield ""
        yield from map(safe, words.drawn[number].splitlines())


def _entry(opened: WholeMatch, number: int, move: str, width: int) -> Iterator[str]:
    entry, evidence = opened.replay.entries[number], opened.evidence
    if entry.move is not None:
        asked = evidence.wall[number] > 0
        times = (evidence.cpu[number], evidence.wall[number], evidence.lag[number])
        columns = "".join(f"{_ms(time) if asked else '-':>7}" for time in times)
        line = safe(_by(opened.names, entry, move))
        start = f"{number + 1:4}{columns}  "
        first, *rest = fold(line, max(width - len(start), 20))
        yield start + first
        yield from (" " * len(start) + part for part in rest)
    if (waited := evidence.waited.get(number, 0)) >= _BUSY:
        yield f"{_INDENT}it waited {waited / 1000:.0f} ms for a core, or at its door: not counted"
    if entry.note:
        yield from folded(f"note: {entry.note}", _INDENT, width)
    if entry.fault is not None:
        end = "; it forfeits the match" if entry.fault.forfeit else ""
        name = opened.names[entry.seat]
        word = last_word(evidence.stderr[entry.seat]) if entry.fault.kind in _ENDS else ""
        why = f" ({word})" if word else ""
        text = f"FAULT of {name}: {entry.fault.kind}: {entry.fault.reason}{why}{end}"
        yield from folded(text, _INDENT, width)
        if entry.fault.line:
            yield f"{_INDENT}its line: {safe(entry.fault.line)}"
        lag = evidence.lag[number]
        if entry.fault.kind == "late" and lag >= _BUSY:
            yield f"{_INDENT}the machine was busy: lag {lag / 1000:.0f} ms before this ask"


def _by(names: Sequence[str], entry: Entry, move: str) -> str:
    default = "by default: " if entry.fault is not None else ""
    return f"[{names[entry.seat]}] {default}{move}"


def folded(text: str, indent: str = "", width: int = WIDTH) -> Iterator[str]:
    """Yield text, made safe for a terminal, as lines of a width that begin with an indent.

    Those after the first are two columns further in.
    """
    first, *rest = fold(safe(text), max(width - len(indent) - 2, 20))
    yield indent + first
    yield from (f"{indent}  {line}" for line in rest)


def _remains(opened: WholeMatch, only: int | None) -> Iterator[str]:
    for row in seat_rows(opened, only):
        who = f"{safe(row['bot'])} (seat {row['seat']})"
        if row["burner"]:
            yield f"{who} used the CPU off turn and was frozen between its turns."
        if row["charged_us"]:
            charged = f"{row['charged_us'] / 1e6:.3f} s more CPU off turn than is free"
            yield f"{who} used {charged}: its next decisions were charged."
        if row["unfrozen_us"]:
            yield f"{who} used {row['unfrozen_us'] / 1e6:.3f} s of CPU while it was frozen."
        if row["round_trip_us"]:
            yield f"{who} is remote: {row['round_trip_us'] / 1000:.3g} ms there and back."
        if row["last_lines"]:
            yield f"Last lines before the first fault of {who}:"
            yield from (f"  {safe(line)}" for line in row["last_lines"])
        if row["stderr"]:
            yield f"Standard error of {who}:"
            yield from (f"  {safe(line)}" for line in row["stderr"].splitlines())

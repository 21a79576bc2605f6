"""The list of matches: its columns by name, and a row for each match."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from arena.store.rows import StoredMatch
from arena.tables.circumstances import Kinds, sandboxes_facet
from arena.tables.table import Column, Row, Style
from arena.text import PLAIN, UNBROKEN, safe
from protocol.errors import ArenaError
from referee.catalog.identity import GameFacts

Present = Collection[tuple[str, str]]
"""The names and versions of the bots that are in the league now."""

_GONE = "*: a bot, or a version of one, that is no longer in the league."


class MatchList:
    """The matches of a game in some columns, which are named as CSV names them."""

    def __init__(
        self, game: GameFacts, sandbox_of: Callable[[StoredMatch], str], names: str | None = None
    ) -> None:
        """Choose the usual columns, or those that are named with commas between them.

        `sandbox_of` returns the sandbox of a match. Raises ArenaError for a name that no column
        has, or that is there twice.
        """
        known = _columns(game, sandbox_of)
        usual = [name for name in known if name in _ALWAYS or name in _COUNTED]
        chosen = usual if names is None else [name.strip() for name in names.split(",")]
        for number, name in enumerate(chosen):
            if name not in known:
                raise ArenaError(
                    f"--columns: there is no column {name!r} in matches of {game.name}; there are "
                    f"{', '.join(known)}."
                )
            if name in chosen[:number]:
                raise ArenaError(f"--columns: {name!r} is there twice; take one out.")
        self._known = known
        self._is_asked = names is not None
        self.facts: dict[str, Any] = {}
        self._choose(chosen)
        self.notes = [
            *([f"Scores by seat: {game.score}."] if "scores" in chosen else []),
            *(f"{name}: {words}." for name, words in game.measures.items() if name in chosen),
        ]

    def _choose(self, names: Sequence[str]) -> None:
        self.keys = tuple(names)
        self.columns = [
            self._known[name].column
            for name in names
            if self._is_asked or name not in _FOR_PROGRAMS
        ]
        self._values = {name: self._known[name].value for name in names}

    def tell_sandboxes(self, found: Mapping[Kinds, int]) -> None:
        """Say in which kinds of sandbox the matches were played, if a reader should know.

        Where they differ, each match says it, unless columns were asked for.
        """
        facet = sandboxes_facet(found, PLAIN, "all these matches")
        if facet is None:
            return
        self.facts |= facet.facts
        self.notes += facet.notes
        if len(found) > 1 and not self._is_asked:
            self._choose([*self.keys, _SANDBOX])

    def rows(self, matches: Iterable[StoredMatch], present: Present) -> Iterator[Row]:
        """Yield the rows of matches; note what `*` means if bots are in them that left."""
        is_any_gone = False
        for match in matches:
            row = {name: value(match, present) for name, value in self._values.items()}
            is_any_gone |= not all(seat["present"] for seat in row.get("seats", ()))
            yield row
        if is_any_gone:
            self.notes.append(_GONE)


class _Known(NamedTuple):
    """A column, and what stands there of a match."""

    value: Callable[[StoredMatch, Present], Any]
    column: Column


def _columns(game: GameFacts, sandbox_of: Callable[[StoredMatch], str]) -> dict[str, _Known]:
    """Return all columns that matches of a game can have."""
    sandbox = Column("Sandbox", lambda row: safe(row[_SANDBOX]), width=12)
    known = {**_ALWAYS, _SANDBOX: _Known(lambda match, _: sandbox_of(match), sandbox)}
    if game.score:
        known["scores"] = _COUNTED["scores"]
    if game.measures:
        known["numbers"] = _COUNTED["numbers"]
    return known | {name: _measure(name) for name in game.measures if name not in known}


def _measure(name: str) -> _Known:
    column = Column(name.capitalize(), lambda row: number_text(row[name]), "right")
    return _Known(lambda match, _: (match.numbers or {}).get(name), column)


def _seats(match: StoredMatch, present: Present) -> list[dict[str, Any]]:
    return [
        {
            "bot": bot.name,
            "version": bot.version,
            "present": (bot.name, bot.version) in present,
            "place": place,
        }
        for bot, place in zip(match.bots, match.places, strict=True)
    ]


def _seats_text(row: Row) -> str:
    return ", ".join(
        f"{seat['place']}{UNBROKEN}{seat['bot']}{'' if seat['present'] else '*'}"
        for seat in row["seats"]
    )


def _faults(match: StoredMatch, _: Present) -> dict[str, dict[str, int]]:
    return {str(seat): dict(kinds) for seat, kinds in enumerate(match.faults) if kinds}


def _fault_style(row: Row) -> Style | None:
    return "warning" if row["faults"] else None


def _faults_text(row: Row) -> str:
    return "; ".join(
        f"seat {seat}: " + ", ".join(f"{count} {kind}" for kind, count in kinds.items())
        for seat, kinds in row["faults"].items()
    )


def number_text(value: float | None) -> str:
    """Return a score, or a number of a match, as people read it."""
    return "-" if value is None else f"{value:.10g}"


def _scores_text(row: Row) -> str:
    return "-" if row["scores"] is None else ", ".join(map(number_text, row["scores"]))


def _numbers_text(row: Row) -> str:
    numbers = row["numbers"] or {}
    return ", ".join(f"{name} {number_text(value)}" for name, value in numbers.items()) or "-"


_ALWAYS: Mapping[str, _Known] = {
    "match": _Known(lambda match, _: match.id, Column("Match", "match")),
    "deal": _Known(lambda match, _: match.number, Column("Deal", "deal", "right")),
    "rotation": _Known(lambda match, _: match.rotation, Column("Rotation", "rotation", "right")),
    "seats": _Known(_seats, Column("Places by seat", _seats_text, width=28)),
    "reason": _Known(lambda match, _: match.reason, Column("Ended", "reason")),
    "decisions": _Known(
        lambda match, _: match.decisions, Column("Decisions", "decisions", "right")
    ),
    "faults": _Known(_faults, Column("Faults", _faults_text, width=16, style=_fault_style)),
}
_COUNTED: Mapping[str, _Known] = {
    "scores": _Known(lambda match, _: match.scores, Column("Scores", _scores_text, width=12)),
    "numbers": _Known(lambda match, _: match.numbers, Column("Numbers", _numbers_text, width=20)),
}
_SANDBOX = "sandbox"
_FOR_PROGRAMS = ("rotation", "numbers")
"""Columns that people see only where they ask for them."""

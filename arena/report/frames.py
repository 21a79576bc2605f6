"""A stored match as frames for the page: the table before every step, as each seat saw it.

The frames come from the rules themselves, which play the replay again; the page only draws them.
"""

import base64
import gzip
import json
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from arena.archive.show import fault_row, seat_rows
from arena.report.boards import board_of
from arena.report.scene import Area, Board, Fixed
from arena.store.rows import WholeMatch
from protocol.errors import ArenaError
from referee.game import Game, Observation, plain
from referee.replay import Entry, steps, withdrawn

_encode = msgspec.json.Encoder().encode


_NOTE, _LINE, _STDERR = 300, 1000, 4000
"""Characters that are shown of what a bot says; `arena show` has them all."""


class _Areas:
    """All different areas of a match, by number; most boards share most of theirs."""

    def __init__(self) -> None:
        self.json: list[msgspec.Raw] = []
        self._numbers: dict[bytes, int] = {}

    def numbers(self, board: Sequence[Area]) -> list[int]:
        """Return the numbers of a board's areas."""
        return [self._number(_encode(area)) for area in board]

    def _number(self, area: bytes) -> int:
        number = self._numbers.setdefault(area, len(self.json))
        if number == len(self.json):
            self.json.append(msgspec.Raw(area))
        return number


def packed(opened: WholeMatch, game: type[Game]) -> str:
    """Return all that the page shows of a match: JSON, compressed, in letters of base 64."""
    data = _encode(frames_of(opened, game))
    return base64.b64encode(gzip.compress(data, 9, mtime=0)).decode()


def frames_of(opened: WholeMatch, game: type[Game]) -> dict[str, Any]:
    """Return all that the page shows of a match, as JSON.

    Where the rules here cannot follow the record, there are no boards, and the moves are those
    that were recorded.
    """
    areas = _Areas()
    problem = None
    try:
        frames = list(_frames(opened, game, areas))
    except ArenaError as error:
        problem = str(error)
        areas = _Areas()
        entries = [
            _entry(
                opened,
                number,
                "",
                "" if entry.move is None else json.dumps(entry.move, ensure_ascii=False),
            )
            for number, entry in enumerate(opened.replay.entries)
        ]
        frames = [{"all": [], "seats": [[] for _ in opened.names], "entries": entries}]
    return {
        "areas": areas.json,
        "problem": problem,
        "seats": [
            row
            | {
                "last_lines": [_beginning(line, _LINE) for line in row["last_lines"]],
                "stderr": _end(row["stderr"], _STDERR),
            }
            for row in seat_rows(opened)
        ],
        "frames": frames,
    }


def _frames(opened: WholeMatch, kind: type[Game], areas: _Areas) -> Iterator[dict[str, Any]]:
    replay, names = opened.replay, opened.names
    number = withdrawn(replay)
    early = [_entry(opened, each, "", "") for each in range(number)]  # out before the first step
    board, fixed = board_of(replay.game), None
    for game, step in steps(replay, kind):
        fixed = fixed or Fixed(game.table(), msgspec.to_builtins(game.options))
        views = [plain(game.view(seat)) for seat in range(replay.seats)]
        yield {
            **_seen(board, views, names, fixed, areas),
            "entries": early + _entries(opened, game, step, number, views),
        }
        early = []
        number += len(step)


def _seen(
    board: Board,
    views: Sequence[Observation],
    names: Sequence[str],
    fixed: Fixed,
    areas: _Areas,
) -> dict[str, Any]:
    """Return the table with all eyes open, and with each seat's alone."""
    alone = (
        [view if seat == own else None for seat, view in enumerate(views)]
        for own in range(len(views))
    )
    return {
        "all": areas.numbers(board(views, names, fixed)),
        "seats": [areas.numbers(board(seen, names, fixed)) for seen in alone],
    }


def _entries(
    opened: WholeMatch, game: Game, step: Sequence[Entry], first: int, views: Sequence[Observation]
) -> list[dict[str, Any]]:
    return [
        _entry(
            opened,
            first + place,
            views[entry.seat]["decision"] or "",
            "" if entry.move is None else game.describe(entry.seat, entry.move),
        )
        for place, entry in enumerate(step)
    ]


def _entry(opened: WholeMatch, number: int, decision: str, words: str) -> dict[str, Any]:
    entry, evidence = opened.replay.entries[number], opened.evidence
    return {
        "number": number + 1,
        "seat": entry.seat,
        "decision": decision,
        "words": words,
        "fault": None if entry.fault is None else fault_row(entry.fault),
        "note": entry.note and _beginning(entry.note, _NOTE),
        "cpu_us": evidence.cpu[number],
        "wall_us": evidence.wall[number],
        "lag_us": evidence.lag[number],
    }


def _beginning(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}… ({len(text) - most} characters more)"


def _end(text: str, most: int) -> str:
    return text if len(text) <= most else f"({len(text) - most} characters before) …{text[-most:]}"

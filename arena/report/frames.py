"""A stored match as frames for the page: the table before every step, as each seat saw it.

The frames come from the rules themselves, which play the replay again; the page only draws them.
"""

import base64
import gzip
import json
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from arena.archive.show import fault_row, opening_row, seat_rows
from arena.store.rows import WholeMatch
from protocol.errors import ArenaError
from referee.catalog.loading import GAME_ERRORS, told
from referee.match.replay import Entry, opening_in_words, steps, withdrawn
from referee.rules.game import Game
from referee.rules.scene import Area, Group, Row, Text

_encode = msgspec.json.Encoder().encode


_NOTE, _LINE, _STDERR = 300, 1000, 4000
"""Characters that are shown of what a bot says; `arena show` has them all."""


class Areas:
    """All different areas of a match, by number; most boards share most of theirs."""

    def __init__(self) -> None:
        self.json: list[msgspec.Raw] = []
        self._numbers: dict[bytes, int] = {}

    def numbers(self, scene: Sequence[Area]) -> list[int]:
        """Return the numbers of a scene's areas, without those that the page leaves out."""
        return [self._number(_encode(short)) for area in scene if (short := shortened(area))]

    def _number(self, area: bytes) -> int:
        number = self._numbers.setdefault(area, len(self.json))
        if number == len(self.json):
            self.json.append(msgspec.Raw(area))
        return number


def shortened(area: Area) -> Area | None:
    """Return an area as the page draws it, which shows every step; None if it is left out."""
    match area:
        case Group():
            inner = [short for each in area.areas if (short := shortened(each))]
            return msgspec.structs.replace(area, areas=inner)
        case Row(most=most, items=items) if most:
            if len(items) > most:
                top, count = items[most - 1], sum(item.count for item in items[most - 1 :])
                items = [*items[: most - 1], msgspec.structs.replace(top, count=count)]
            return msgspec.structs.replace(area, items=items, most=0)
        case Text():
            first = 0 if area.most is None else max(0, len(area.lines) - area.most)
            if first == len(area.lines):
                return None
            lines = [_beginning(line, _LINE) for line in area.lines[first:]]
            return msgspec.structs.replace(area, lines=lines, seats=area.seats[first:], most=None)
    return area


def packed(frames: dict[str, Any]) -> str:
    """Return all that the page shows of a match: JSON, compressed, in letters of base 64."""
    data = _encode(frames)
    return base64.b64encode(gzip.compress(data, 9, mtime=0)).decode()


def frames_of(opened: WholeMatch, game: type[Game]) -> dict[str, Any]:
    """Return all that the page shows of a match, as JSON.

    Where the rules here cannot follow the record, there are no boards, and the moves are those
    that were recorded.
    """
    areas = Areas()
    problem, table = None, dict[str, Any]()
    begun: list[str] = []
    try:
        begun += [words for _, words in opening_in_words(opened.replay, game)]
        frames = list(_frames(opened, game, areas, table))
    except GAME_ERRORS as error:  # whatever a game's code makes of a record
        problem = str(error) if isinstance(error, ArenaError) else told(error)
        areas = Areas()
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
        **table,
        "areas": areas.json,
        "problem": problem,
        **({} if opened.replay.opening is None else {"opening": opening_row(opened, begun)}),
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


def _frames(
    opened: WholeMatch, kind: type[Game], areas: Areas, table: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    """Yield the frames; put what is the same in all of them into `table`."""
    replay = opened.replay
    number = withdrawn(replay)
    early = [_entry(opened, each, "", "") for each in range(number)]  # out before the first step
    for game, step in steps(replay, kind):
        table["called"] = [game.called(seat) for seat in range(replay.seats)]
        table["ground"] = game.ground
        yield {
            "all": areas.numbers(game.scene()),
            "seats": [areas.numbers(game.scene(seat)) for seat in range(replay.seats)],
            "entries": early + _entries(opened, game, step, number),
        }
        early = []
        number += len(step)


def _entries(
    opened: WholeMatch, game: Game, step: Sequence[Entry], first: int
) -> list[dict[str, Any]]:
    return [
        _entry(
            opened,
            first + place,
            game.view(entry.seat).get("decision") or "",
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

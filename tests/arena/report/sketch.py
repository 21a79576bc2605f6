"""Boards as texts for the file of messages: a line an area, and a line for whatever lies in it."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from referee.scene import Area


def sketch(areas: Sequence[Area]) -> str:
    """Return all that areas say, but for what is as usual."""
    return "\n".join(_lines(msgspec.to_builtins(areas), ""))


def _lines(areas: list[dict[str, Any]], indent: str) -> Iterator[str]:
    for area in areas:
        kind, items = area.pop("t"), area.pop("items", ())
        inner = area.pop("areas", ())
        words = (f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in area.items())
        yield f"{indent}{kind} {' '.join(words)}"
        for item in items:
            told = ", ".join(f"{key} {value}" for key, value in item.items())
            yield f"{indent}    {told or 'a back'}"
        yield from _lines(inner, f"{indent}  ")

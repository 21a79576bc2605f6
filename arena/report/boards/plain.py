"""The board of a game that has none of its own: what each seat sees, field by field."""

import json
from collections.abc import Sequence

from arena.report.boards.cards import called
from arena.report.scene import Area, Facts, Fixed, Views

_SAID_ELSEWHERE = ("game", "seat", "decision")


def board(views: Views, names: Sequence[str], _fixed: Fixed) -> Sequence[Area]:
    """Return a table for each seat whose eyes are open."""
    return [
        Facts(
            f"What {called(seat, names)} sees",
            ("Field", "Value"),
            [
                (field, json.dumps(value, ensure_ascii=False))
                for field, value in view.items()
                if field not in _SAID_ELSEWHERE
            ],
        )
        for seat, view in enumerate(views)
        if view is not None
    ]

"""Results files, for people who want nothing but a table."""

import sys
from contextlib import nullcontext
from pathlib import Path

from arena.tables.field import Field
from arena.tables.results import csv_rows, json_lines, pgn
from arena.tables.results.lines import Lines
from arena.tables.results.played import MATCH, Played
from arena.text import safe
from protocol.errors import ArenaError

STANDARD_INPUT = Path("-")
"""What is typed for a results file that comes through a pipe."""


FORMS = (pgn, json_lines, csv_rows)
"""All forms: a module for each, whose `begins` is asked of a file's first line, and whose `read`
reads the file. The last takes what no other does."""


def read_results(path: Path, *, scores: bool = False) -> Field:
    """Return the field of a results file, or of standard input for `-`, perhaps with scores.

    Raises ArenaError with the file, the line and the remedy if anything is wrong: no line is
    passed over.
    """
    name = "standard input" if path == STANDARD_INPUT else str(path)
    try:
        with nullcontext(sys.stdin.buffer) if path == STANDARD_INPUT else path.open("rb") as stream:
            return _field(name, Lines(name, stream), scores=scores)
    except FileNotFoundError:
        raise ArenaError(
            f"there is no league and no results file {name!r}: no such folder or file."
        ) from None
    except OSError as error:
        raise ArenaError(f"{name} cannot be read: {error.strerror}.") from None


def _field(name: str, lines: Lines, *, scores: bool) -> Field:
    first = lines.first()
    if not first:
        raise ArenaError(f"{name} is empty; a results file has lines such as {MATCH}.")
    played = Played(lines, are_scores_kept=scores)
    next(form for form in FORMS if form.begins(first)).read(lines, played)
    if not played.bots:
        raise ArenaError(f"{name} holds no match, so there is nothing to rate.")
    return Field(
        name=safe(name),
        bots=tuple(sorted(played.named or played.bots)),
        deals=played.deals(),
        by_seat=False,
        scores=played.scores() if scores and played.is_any_scored else None,
    )

"""The command that shows which programs of different authors are alike: author similar."""

from pathlib import Path
from typing import Any

import click
import msgspec

from arena.cli.left_out import ArenaCommand
from arena.cli.options import league_argument, output_format
from arena.cli.saying import show
from arena.handin.compared import similar_in
from arena.organize.similar import LEAST_SHARE
from arena.store.opening import read_played
from arena.tables.table import NAME_WIDTH, Column, Table
from arena.text import counted, safe


@click.command("similar", cls=ArenaCommand)
@league_argument
@output_format
def show_similar(league: Path, form: str) -> None:
    """Show which bots of different authors are the same, or share much of a program.

    Names, numbers, texts and comments make no difference, nor do the kits, starters and bundled
    bots that all are given. A share is the part of a program's fingerprints that the other one has
    too. It shows, and judges nobody: look at both programs, and ask their authors.

    \b
    arena author similar cup
    """
    found = similar_in(read_played(league))
    rows = [msgspec.to_builtins(pair) for pair in found.pairs]
    columns = (
        Column("Bot", lambda row: _said(row["one"]), width=NAME_WIDTH),
        Column("And", lambda row: _said(row["other"]), width=NAME_WIDTH),
        Column("Alike", "how"),
        Column("Share", lambda row: f"{row['one']['share']:.0%}", "right"),
        Column("Of the other", lambda row: f"{row['other']['share']:.0%}", "right"),
    )
    notes = [
        f"{counted(found.programs, 'version')} of {counted(found.authors, 'author')} were compared."
    ]
    if not rows:
        notes.append(f"No two of different authors share {LEAST_SHARE:.0%} or more.")
    if found.more:
        notes.append(f"{counted(found.more, 'more pair')} like these.")
    show(Table("pairs", columns, rows, {"league": str(league)}, notes), form)


def _said(side: dict[str, Any]) -> str:
    """Return whose version a side is."""
    of = f" of {side['author']}, {side['number']}" if side["number"] else ""
    left = f" ({counted(side['left'], 'file')} not compared)" if side["left"] else ""
    return safe(f"{side['bot']}{of}{left}")

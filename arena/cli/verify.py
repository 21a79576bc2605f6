"""The command that plays stored matches again: verify."""

from pathlib import Path
from time import monotonic

import click

from arena.archive.verify import Verification
from arena.cli import main
from arena.cli.common import default_workers, league_argument, output_format, show
from arena.cli.progress import StatusLine
from arena.text import counted
from protocol.errors import ArenaError, RunError


@main.command()
@league_argument
@click.option("--workers", type=int, help="Processes that verify.  [default: one for each core]")
@output_format
def verify(league: Path, workers: int | None, form: str) -> None:
    """Play every stored match again by the rules, and name those that differ.

    Everything that is a result is compared: seeds, seats, moves, places, faults, times. The exit
    code is 1 if anything differs.

    \b
    arena verify cup
    arena verify cup --format json
    """
    if workers is not None and workers < 1:
        raise ArenaError("there must be at least one worker.")
    verification = Verification(league, workers or default_workers())
    began = monotonic()

    def status() -> str:
        pace = verification.done / max(monotonic() - began, 1e-9)
        return f"{verification.done} of {verification.matches} matches, {pace:.0f}/s"

    with StatusLine(patience=1.0) as line:
        for _ in verification.run():
            line.show(status)
    show(verification.table(), form)
    if verification.problems:
        problems = counted(verification.problems, "problem")
        raise RunError(f"{problems} in {league}, above; {verification.remedy}")

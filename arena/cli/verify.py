"""The command that plays stored matches again: verify."""

import re
from pathlib import Path
from time import monotonic

import click

from arena.archive.agreement import Agreement, agreement_needed
from arena.archive.verify import Verification
from arena.cli import main
from arena.cli.options import default_workers, league_argument, output_format, trust_option
from arena.cli.progress import StatusLine
from arena.cli.saying import say, show
from arena.league.plan import LeaguePlan
from arena.text import counted, league_words
from protocol.errors import ArenaError, RunError


def agree(league: LeaguePlan, workers: int | None) -> None:
    """Play the matches of a league again if the code of its game has changed since.

    Raises RunError with the first match that does not come out as it did.
    """
    if not agreement_needed(league):
        return
    agreement = Agreement(league, workers or default_workers())
    say(agreement.announcement)
    with StatusLine(patience=1.0) as line:
        for _ in agreement.run():
            line.show(lambda: f"{agreement.done} of {agreement.matches} matches played again")
    say("All of them come out as they did.")


@main.command()
@league_argument
@click.option("--workers", type=int, help="Processes that verify.  [default: one for each core]")
@click.option(
    "--sealed",
    metavar="SHA256",
    help="Check that its seed is the one of which this was published before the contest.",
)
@output_format
@trust_option
def verify(league: Path, workers: int | None, sealed: str | None, form: str) -> None:
    """Play every stored match again by the rules, and name those that differ.

    Everything that is a result is compared: seeds, seats, moves, places, faults, times. The exit
    code is 1 if anything differs.

    \b
    arena verify cup
    arena verify cup --format json
    arena verify final --sealed 5b1f0c...
    """
    if workers is not None and workers < 1:
        raise ArenaError("there must be at least one worker.")
    if sealed is not None:
        sealed = sealed.strip().lower()
        if not re.fullmatch("[0-9a-f]{64}", sealed):
            raise ArenaError(f"--sealed takes 64 hexadecimal digits, not {sealed!r}.")
    verification = Verification(league, workers or default_workers(), sealed=sealed)
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
        raise RunError(f"{problems} in {league_words(league)}, above; {verification.remedy}")

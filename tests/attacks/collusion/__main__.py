"""Print what bots can tell each other by each channel, in twelve minutes.

`--write` puts it into docs/dev/sandbox-evidence.md.
"""

import argparse
import sys
from pathlib import Path

from tests.attacks.collusion.channels import CHANNELS
from tests.attacks.collusion.measuring import measured, runner_of
from tests.attacks.collusion.table import BEGIN, COLUMNS, END, FAILED, Column, mark, table
from tests.attacks.users import RunnerProcess, Workshop, attackers
from tests.docs.written import rewrite

MEASURES = "referee/turn/bot_process.py referee/turn/freezer.py referee/sandbox"
PAGE = Path(__file__).parents[3] / "docs" / "dev" / "sandbox-evidence.md"
BITS = 96


def every_mark(bits: int) -> tuple[dict[tuple[str, str, Column], str], list[str]]:
    """Measure every channel; return the signs, and what went wrong."""
    marks: dict[tuple[str, str, Column], str] = {}
    troubles: list[str] = []
    workshop = Workshop()
    try:
        for user in attackers():
            with runner_of(user, workshop) as runner:
                for sandbox, whose in COLUMNS:
                    if whose == user:
                        troubles += _fill(runner, (sandbox, user), bits, marks)
    finally:
        workshop.close()
    sys.stderr.write("\r\033[K")
    return marks, troubles


def _fill(
    runner: RunnerProcess,
    column: Column,
    bits: int,
    marks: dict[tuple[str, str, Column], str],
) -> list[str]:
    """Measure every channel for one column; return what went wrong."""
    sandbox, user = column
    if reason := runner.broken or runner.probe(sandbox):
        return [f"{sandbox}, {user}: {reason}"]
    troubles = []
    for channel in CHANNELS:
        for meeting in channel.meetings:
            sys.stderr.write(f"\r\033[K{sandbox}, {user}: {channel.slug}, {meeting}")
            outcome = measured(runner, channel, meeting, sandbox, user, bits)
            sign = marks[channel.slug, meeting, column] = mark(outcome)
            if sign == FAILED:
                troubles.append(f"{sandbox}, {user}, {channel.slug}: {outcome['error']}")
    return troubles


def main() -> None:
    """Measure and tell."""
    parser = argparse.ArgumentParser(prog="python -m tests.attacks.collusion", description=__doc__)
    parser.add_argument("--write", action="store_true", help="rewrite the table in its page")
    parser.add_argument("--bits", type=int, default=BITS, help="how many are said of each channel")
    arguments = parser.parse_args()
    marks, troubles = every_mark(arguments.bits)
    columns = [each for each in COLUMNS if any(column == each for _, _, column in marks)]
    text = table(columns, marks)
    sys.stdout.write(f"{text}\n")
    for trouble in troubles:
        sys.stderr.write(f"{trouble}\n")
    if arguments.write:
        rewrite(PAGE, BEGIN, END, f"\n{text}\n")


if __name__ == "__main__":
    main()

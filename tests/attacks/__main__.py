"""Print the table of all attacks (twelve minutes).

`--write` puts it into docs/dev/sandbox-evidence.md.
"""

import argparse
import sys
from pathlib import Path

from referee.sandbox import SANDBOXES
from tests.attacks.catalogue import ATTACKS
from tests.attacks.table import BEGIN, END, FAILED, NOT_RUN, Column, mark, table
from tests.attacks.users import RunnerProcess, Workshop, attackers, sandboxes_of
from tests.docs.written import rewrite

MEASURES = "referee/turn/bot_process.py referee/turn/freezer.py referee/sandbox"
PAGE = Path(__file__).parents[2] / "docs" / "dev" / "sandbox-evidence.md"


def measured() -> tuple[list[Column], dict[tuple[str, Column], str], list[str]]:
    """Run every attack; return the columns, the signs, and what went wrong."""
    columns: list[Column] = []
    marks: dict[tuple[str, Column], str] = {}
    troubles: list[str] = []
    workshop = Workshop()
    try:
        for user in attackers():
            with RunnerProcess(user, workshop) as runner:
                for sandbox in reversed(sandboxes_of(user)):
                    column = (sandbox, user)
                    columns.append(column)
                    troubles += _fill(runner, column, marks)
    finally:
        workshop.close()
    order = ("none", *SANDBOXES)
    return sorted(columns, key=lambda column: order.index(column[0])), marks, troubles


def _fill(runner: RunnerProcess, column: Column, marks: dict[tuple[str, Column], str]) -> list[str]:
    """Run every attack for one column; return what went wrong."""
    sandbox, user = column
    reason = runner.broken or runner.probe(sandbox)
    troubles = [f"{sandbox}, {user}: {reason}"] if reason else []
    for attack in ATTACKS:
        sys.stderr.write(f"\r\033[K{sandbox}, {user}: {attack.slug}")
        outcome = {"missing": reason} if reason else runner.run(attack.slug, sandbox)
        sign = marks[attack.slug, column] = mark(outcome)
        if sign in (FAILED, NOT_RUN) and not reason:
            why = outcome.get("error") or outcome.get("missing")
            troubles.append(f"{sandbox}, {user}, {attack.slug}: {why}")
    sys.stderr.write("\r\033[K")
    return troubles


def main() -> None:
    """Measure and tell."""
    parser = argparse.ArgumentParser(prog="python -m tests.attacks", description=__doc__)
    parser.add_argument("--write", action="store_true", help="rewrite the table in its page")
    arguments = parser.parse_args()
    columns, marks, troubles = measured()
    text = table(columns, marks)
    sys.stdout.write(f"{text}\n")
    for trouble in troubles:
        sys.stderr.write(f"{trouble}\n")
    if arguments.write:
        rewrite(PAGE, BEGIN, END, f"\n{text}\n")


if __name__ == "__main__":
    main()

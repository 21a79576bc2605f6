"""Print the table of all hostile builds (five minutes).

`--write` puts it into docs/dev/sandbox-evidence.md.
"""

import argparse
import sys
from pathlib import Path

from tests.attacks.builds.catalogue import ATTACKS
from tests.attacks.builds.disk import own_disk
from tests.attacks.builds.table import BEGIN, END, KINDS, runner_of, table
from tests.attacks.table import FAILED, Column, mark
from tests.attacks.users import Workshop, users
from tests.docs.written import rewrite

MEASURES = "referee/sandbox referee/sandbox/working.py referee/sandbox/workshop.py"
PAGE = Path(__file__).parents[3] / "docs" / "dev" / "sandbox-evidence.md"


def measured() -> tuple[list[Column], dict[tuple[str, Column], str], list[str]]:
    """Run every attack; return the columns, the signs, and what went wrong."""
    marks: dict[tuple[str, Column], str] = {}
    troubles: list[str] = []
    columns = [(kind, user) for kind in KINDS for user in users()]
    workshop = Workshop()
    try:
        with own_disk():
            for user in users():
                with runner_of(user, workshop) as runner:
                    for kind in KINDS:
                        reason = runner.broken or runner.probe(kind)
                        for attack in ATTACKS:
                            sys.stderr.write(f"\r\033[K{kind}, {user}: {attack.act}")
                            missing = {"missing": reason}
                            outcome = missing if reason else runner.run(attack.act, kind)
                            sign = marks[attack.act, (kind, user)] = mark(outcome)
                            if sign == FAILED:
                                why = outcome["error"]
                                troubles.append(f"{kind}, {user}, {attack.act}: {why}")
                        if reason:
                            troubles.append(f"{kind}, {user}: {reason}")
    finally:
        workshop.close()
    sys.stderr.write("\r\033[K")
    return columns, marks, troubles


def main() -> None:
    """Measure and tell."""
    parser = argparse.ArgumentParser(prog="python -m tests.attacks.builds", description=__doc__)
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

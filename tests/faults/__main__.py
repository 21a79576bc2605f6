"""Kill leagues at random instants, any number of times, and tell what they lost by it."""

import argparse
import sys
from time import monotonic

from tests.faults.lanes import strike_all
from tests.faults.tally import Tally

MEASURES = "arena/play arena/store"


def main() -> None:
    """Strike one league after another until there were kills enough."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--kills", type=int, default=200, help="at least so many [%(default)s]")
    parser.add_argument("--seed", type=int, default=1, help="of all instants [%(default)s]")
    arguments = parser.parse_args()
    tally = Tally()
    began = monotonic()
    try:
        strike_all(arguments.seed, tally, arguments.kills)
    finally:
        for line in [*tally.lines(), f"{monotonic() - began:.0f} seconds"]:
            sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    main()

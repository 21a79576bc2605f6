"""Kill leagues at random instants, any number of times, and tell what they lost by it."""

import argparse
import sys
from time import monotonic

import pytest

from tests.faults.campaign import Campaign
from tests.faults.leagues import arrangements
from tests.faults.tally import Tally
from tests.faults.workshop import Workshop

_A_LEAGUE = 12  # kills at most
_BOTS_TOO = 4  # times as many leagues without bots killed as with


def main() -> None:
    """Strike one league after another until there were kills enough."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--kills", type=int, default=200, help="at least so many [%(default)s]")
    parser.add_argument("--seed", type=int, default=1, help="of all instants [%(default)s]")
    arguments = parser.parse_args()
    tally = Tally()
    began = monotonic()
    with Workshop() as workshop:
        campaign = Campaign(workshop, arguments.seed, tally)
        strike_all(campaign, arguments.kills)
    for line in [*tally.lines(), f"{monotonic() - began:.0f} seconds"]:
        sys.stdout.write(f"{line}\n")


def strike_all(campaign: Campaign, kills: int) -> None:
    """Strike leagues of every arrangement that can be had, in turn."""
    left = arrangements()
    number = 0
    while left and campaign.tally.kills.total() < kills:
        arrangement = left[number % len(left)]
        number += 1
        sys.stderr.write(f"\r\033[K{campaign.tally.kills.total()} kills; {arrangement}")
        try:
            campaign.strike_until_complete(arrangement, _A_LEAGUE)
            if number % _BOTS_TOO == 0:
                campaign.kill_bots(arrangement, _A_LEAGUE)
        except pytest.skip.Exception as skipped:
            left.remove(arrangement)
            sys.stderr.write(f"\r\033[K{skipped}\n")
    sys.stderr.write("\r\033[K")


if __name__ == "__main__":
    main()

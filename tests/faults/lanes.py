"""Many leagues struck, two at a time: most of a league's time its bots sleep."""

import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from threading import Lock

import pytest

from tests.faults.campaign import Campaign
from tests.faults.leagues import Arrangement, arrangements
from tests.faults.tally import Tally
from tests.faults.workshop import Workshop

_LANES = 2
_A_LEAGUE = 12  # kills at most
_BOTS_TOO = 5  # in one league of so many, bots are killed

_reading = Lock()


def strike_all(seed: int, tally: Tally, kills: int) -> None:
    """Strike leagues of every arrangement that can be had until there were so many kills."""
    every = arrangements()
    goal = tally.kills.total() + kills
    with ExitStack() as stack:
        workshops = [stack.enter_context(Workshop()) for _ in range(_LANES)]
        pool = stack.enter_context(ThreadPoolExecutor(_LANES))
        lanes = [
            pool.submit(
                _strike, Campaign(workshop, seed + lane, tally, _reading), every[lane::_LANES], goal
            )
            for lane, workshop in enumerate(workshops)
        ]
        for lane in lanes:
            lane.result()
    sys.stderr.write("\r\033[K")


def _strike(campaign: Campaign, every: Sequence[Arrangement], goal: int) -> None:
    left = [*every]
    number = 0
    while left and not campaign.tally.given_up and campaign.tally.kills.total() < goal:
        arrangement = left[number % len(left)]
        number += 1
        sys.stderr.write(f"\r\033[K{campaign.tally.kills.total()} kills; {arrangement}")
        try:
            if number % _BOTS_TOO == 0:
                campaign.kill_bots(arrangement, _A_LEAGUE)
            else:
                campaign.strike_until_complete(arrangement, _A_LEAGUE)
        except pytest.skip.Exception as skipped:
            left.remove(arrangement)
            sys.stderr.write(f"\r\033[K{skipped}\n")
        except BaseException:
            campaign.tally.given_up = True
            raise

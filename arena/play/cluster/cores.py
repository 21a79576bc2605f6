"""Which cores of a machine a Dask worker may play on, each for one match, whoever else is there."""

import os
import socket

from dask.system import cpu_count

_NAME = "\0bot-arena-core-{}"  # an abstract socket, which goes with its owner


class Cores:
    """Cores that no other process asking this way has, until they are given back.

    Args:
        most: how many at most.
        each: how many of them a match needs; what is too few for a match is given back at once.

    """

    def __init__(self, most: int, each: int) -> None:
        own = sorted(os.sched_getaffinity(0))
        self.is_shared = cpu_count() < len(own)
        """Whether only a share of the cores' time is ours, as in a container with a quota."""
        self.had = min(cpu_count(), len(own))
        """How many there are for all."""
        self.places: list[tuple[int, ...]] = []
        """The cores to be pinned to for each match; none where they share their time."""
        self._claims: list[socket.socket] = []
        numbers: list[int] = []
        for number in own:
            if len(numbers) == min(most, self.had) // each * each:
                break
            claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            try:
                claim.bind(_NAME.format(number))
            except OSError:
                claim.close()
                continue  # another Dask worker of this machine plays there
            self._claims.append(claim)
            numbers.append(number)
        for at in range(0, len(numbers) - each + 1, each):
            self.places.append(() if self.is_shared else tuple(numbers[at : at + each]))
        for claim in self._claims[len(self.places) * each :]:
            claim.close()
        del self._claims[len(self.places) * each :]

    def give_back(self) -> None:
        """Give the cores back."""
        for claim in self._claims:
            claim.close()
        self._claims.clear()

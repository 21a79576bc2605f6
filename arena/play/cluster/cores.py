"""Which cores of a machine a Dask worker may play on: one match on each, whoever else is there."""

import os
import socket

from dask.system import cpu_count

_NAME = "\0bot-arena-core-{}"  # an abstract socket, which goes with its owner


class Cores:
    """Cores that no other process asking this way has, until they are given back."""

    def __init__(self, most: int) -> None:
        own = sorted(os.sched_getaffinity(0))
        self.is_shared = cpu_count() < len(own)
        """Whether only a share of the cores' time is ours, as in a container with a quota."""
        self.had = min(cpu_count(), len(own))
        """How many there are for all."""
        self.numbers: list[int | None] = []
        """The cores to be pinned to; None for one of those that share their time."""
        self._claims: list[socket.socket] = []
        for number in own:
            if len(self.numbers) == min(most, self.had):
                break
            claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            try:
                claim.bind(_NAME.format(number))
            except OSError:
                claim.close()
                continue  # another Dask worker of this machine plays there
            self._claims.append(claim)
            self.numbers.append(None if self.is_shared else number)

    def give_back(self) -> None:
        """Give the cores back."""
        for claim in self._claims:
            claim.close()
        self._claims.clear()

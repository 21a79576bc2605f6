"""What the kernel shows of processes that change while it is read."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from referee.process.procfs import Waits, WaitsInside, cores_of, identity, open_files, open_in_none

MOVES = """
import os, time
os.write(2, b".")
while True:
    for here, there in ((1, 9), (9, 1)):
        os.dup2(here, there)
        os.close(here)
        time.sleep(0.0001)
"""
"""A process that often gives its output another number, as kits do once."""


@contextmanager
def running(program: str) -> Iterator["subprocess.Popen[bytes]"]:
    """Run a Python program until the block is left; begin when it has said something."""
    command = [sys.executable, "-c", program]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stderr is not None
        process.stderr.read(1)
        try:
            yield process
        finally:
            process.kill()


def test_a_file_under_another_number_is_not_closed() -> None:
    with running(MOVES) as process:
        assert process.stdout is not None
        output = {identity(os.fstat(process.stdout.fileno()))}
        assert not any(open_in_none([process.pid], output) for _ in range(2000))
        assert not all(output <= open_files(process.pid) for _ in range(2000))


def test_of_a_process_that_has_ended_nothing_is_said() -> None:
    with running("import os; os.write(2, b'.')") as process:
        assert process.stdout is not None
        output = {identity(os.fstat(process.stdout.fileno()))}
    assert cores_of(process.pid) == set()
    assert open_in_none([process.pid], output) == set()
    assert Waits(process.pid, 1).seconds() == 0.0
    assert WaitsInside(process.pid, {0}).seconds() == 0.0

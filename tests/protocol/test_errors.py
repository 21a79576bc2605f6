"""Errors that come out of another process, as those of `arena verify` do."""

import pickle

import pytest

from protocol.errors import ArenaError, Refusal, RunError
from referee.sandbox.errors import MachineError, SandboxError


@pytest.mark.parametrize(
    "error",
    [
        RunError("it was killed."),
        Refusal(503, "too much is asked.", "Try again.", after=2.0),
        SandboxError("a controller is lacking.", "cgroup"),
        MachineError("a process has ended.", was_killed=True),
    ],
)
def test_an_error_says_the_same_after_it_was_sent(error: ArenaError) -> None:
    sent = pickle.loads(pickle.dumps(error))
    assert (type(sent), str(sent), vars(sent)) == (type(error), str(error), vars(error))

"""One channel behind one sandbox: measured, and once more where that would be a finding."""

from typing import Any

from tests.attacks.answering import Outcome
from tests.attacks.collusion.channels import Channel
from tests.attacks.collusion.gaps import gap_of
from tests.attacks.users import RunnerProcess

MOST_BITS = 1.0
"""A second: what no channel may carry that is not named."""
TRIES = 3
"""Of a control, which others on the machine may disturb."""


def runner_of(user: str, workshop: Any) -> RunnerProcess:
    """Return the process that measures as a user."""
    return RunnerProcess(user, workshop, "tests.attacks.collusion.runner")


def allowed(channel: Channel, meeting: str, sandbox: str, user: str) -> float | None:
    """Return the most bits a second that are named for this; None if that is not bounded."""
    if sandbox == "none" or channel.is_timing:
        return None
    gap = gap_of(channel.slug, meeting, sandbox, user)
    return MOST_BITS if gap is None else float(gap.most)


def measured(
    runner: RunnerProcess, channel: Channel, meeting: str, sandbox: str, user: str, bits: int
) -> Outcome:
    """Return what a channel carries.

    More than is allowed counts only if it is seen twice. Without a sandbox, nothing counts only if
    it is seen again and again.
    """
    most = allowed(channel, meeting, sandbox, user)
    outcome: Outcome = {}
    for _ in range(TRIES if sandbox == "none" else 2):
        outcome = runner.run(f"{channel.slug}@{meeting}@{bits}", sandbox)
        carried = outcome.get("bits", 0.0)
        if sandbox == "none":
            if carried or "bits" not in outcome or channel.is_timing:
                break
        elif most is None or carried <= most:
            break
    return outcome

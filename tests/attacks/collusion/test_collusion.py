"""What bots can tell each other by channels that no game has, behind every sandbox.

At most one bit a second, unless the channel is named in `gaps.py` with its rate, or is nothing but
the time that things take on shared hardware. Without a sandbox each channel must carry something,
or nobody knows whether it is one.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.attacks.collusion.channels import BY_SLUG, CHANNELS, MEETINGS, Meeting
from tests.attacks.collusion.gaps import GAPS, UNAIDED
from tests.attacks.collusion.measuring import MOST_BITS, allowed, measured, runner_of
from tests.attacks.users import Workshop, attackers, sandboxes_of, users

BITS = 48


@pytest.fixture(scope="module", params=attackers())
def runner(request: pytest.FixtureRequest, workshop: Workshop) -> Iterator[tuple[str, Any]]:
    """A user with the process that measures as that user."""
    with runner_of(request.param, workshop) as process:
        if process.broken:
            pytest.skip(f"nothing can be measured as {request.param} here: {process.broken}")
        yield request.param, process


@pytest.mark.soak
@pytest.mark.parametrize("sandbox", ["landlock", "bwrap", "uid"])
@pytest.mark.parametrize("slug", BY_SLUG)
def test_no_channel_carries_more_than_is_named(
    runner: tuple[str, Any], slug: str, sandbox: str
) -> None:
    user, process = runner
    if sandbox not in sandboxes_of(user):
        pytest.skip(f"{sandbox} is not tried as {user}")
    if reason := process.probe(sandbox):
        pytest.skip(f"{sandbox} does not work as {user} here: {reason}")
    channel = BY_SLUG[slug]
    for meeting in channel.meetings:
        outcome = measured(process, channel, meeting, sandbox, user, BITS)
        if "missing" in outcome:
            pytest.skip(f"n/a here: {outcome['missing']}")
        assert "error" not in outcome, outcome["error"]
        if "refused" in outcome:
            return  # and so it is however they meet
        most = allowed(channel, meeting, sandbox, user)
        assert most is None or outcome["bits"] <= most, (channel.name, meeting, outcome)
        if most is None or most > MOST_BITS:
            return  # named as open, and no wider however they meet


@pytest.mark.soak
@pytest.mark.parametrize("runner", [users()[-1]], indirect=True)
@pytest.mark.parametrize("slug", BY_SLUG)
def test_a_channel_is_one_where_there_is_no_sandbox(runner: tuple[str, Any], slug: str) -> None:
    """As an ordinary user, whom quotas are for."""
    user, process = runner
    channel = BY_SLUG[slug]
    outcome: dict[str, Any] = {}
    for meeting in channel.meetings:
        outcome = measured(process, channel, meeting, "none", user, BITS)
        if "missing" in outcome:
            pytest.skip(f"n/a here: {outcome['missing']}")
        assert "error" not in outcome, outcome["error"]
        if outcome["bits"] > 0:
            return
    assert channel.is_timing or slug in UNAIDED, (channel.name, outcome)


def test_the_list_of_channels_is_whole() -> None:
    assert len(BY_SLUG) == len(CHANNELS) >= 35
    assert {gap.channel for gap in GAPS} | set(UNAIDED) <= set(BY_SLUG)
    names: set[tuple[str, Meeting]] = set()
    for channel in CHANNELS:
        names |= {(channel.name, meeting) for meeting in channel.meetings}
        assert set(channel.meetings) <= set(MEETINGS)
        assert not channel.is_timing or not any(gap.channel == channel.slug for gap in GAPS)
    assert len(names) == sum(len(channel.meetings) for channel in CHANNELS)


def test_every_program_of_a_channel_is_in_the_list() -> None:
    for path in (Path(__file__).parent / "programs").glob("*.py"):
        text = path.read_text()
        for line in text.splitlines():
            name = line.removeprefix("class ").partition("(")[0]
            is_end = line.startswith("class ") and f"({name})" not in text and "(" in line
            if is_end and path.stem != "whisper":
                assert f"{path.stem}.{name}" in BY_SLUG, (path, name)

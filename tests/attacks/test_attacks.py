"""Every hostile bot behind every sandbox, as root and as an ordinary user; `none` is the control.

What has effect and is no expected gap fails, and so does a gap that is none any more. Behind
`none` an attack must have effect, or nobody knows whether its judge can see.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.sandbox import SANDBOXES
from referee.sandbox.cgroup import delegated
from referee.sandbox.errors import SandboxError
from tests.attacks.catalogue import ATTACKS, BY_SLUG
from tests.attacks.catalogue_door import DOOR
from tests.attacks.gaps import (
    BESIDE_DOOR,
    BESIDE_GPUS,
    CLOSED_BY_CGROUPS,
    GAPS,
    SEEING_PROC,
    UNAIDED,
    is_gap,
)
from tests.attacks.users import (
    WITHOUT_MOUNTS,
    RunnerProcess,
    Workshop,
    attackers,
    sandboxes_of,
    users,
)

pytestmark = pytest.mark.soak

GROUPS = {
    "Files",
    "Network",
    "Resources",
    "Lifting a freeze",
    "Starving a rival",
    "Remembering",
    "Outliving the game",
    "Other processes",
    "Leaks and leftovers",
    "Privilege",
    "Protocol",
}
_TRIES = 3
BESIDE_ALL = {"user": "landlock", "root": "bwrap", WITHOUT_MOUNTS: "uid"}
"""The sandbox in which each user tries all attacks with a door: what it adds is alike for all."""


@pytest.fixture(scope="module", params=attackers())
def runner(request: pytest.FixtureRequest, workshop: Workshop) -> Iterator[tuple[str, Any]]:
    """A user with the process that runs attacks as that user."""
    with RunnerProcess(request.param, workshop) as process:
        if process.broken:
            pytest.skip(f"no attack can be run as {request.param} here: {process.broken}")
        yield request.param, process


@pytest.fixture(scope="module", params=users())
def beside_gpus(request: pytest.FixtureRequest, workshop: Workshop) -> Iterator[tuple[str, Any]]:
    """A user with the process that runs attacks by bots in bwrap that were granted a GPU."""
    with RunnerProcess(request.param, workshop, gpus=1) as process:
        if reason := process.broken or process.probe("bwrap"):
            pytest.skip(f"bots can have no GPU as {request.param} here: {reason}")
        yield request.param, process


@pytest.fixture(scope="module", params=attackers())
def at_door(request: pytest.FixtureRequest, workshop: Workshop) -> Iterator[tuple[str, Any]]:
    """A user with the process that runs attacks by bots that have a door."""
    with RunnerProcess(request.param, workshop, door=True) as process:
        if process.broken:
            pytest.skip(f"no attack can be run as {request.param} here: {process.broken}")
        yield request.param, process


@pytest.fixture(scope="module", params=users())
def in_cgroup(request: pytest.FixtureRequest, workshop: Workshop) -> Iterator[tuple[str, Any]]:
    """A user with the process that runs attacks by bots that have a cgroup each."""
    try:
        delegated()
    except SandboxError as error:
        pytest.skip(f"BOTS IN CGROUPS ARE NOT TESTED HERE: {error.what}")
    with RunnerProcess(request.param, workshop, cgroup=True) as process:
        if process.broken:
            pytest.skip(f"no attack can be run as {request.param} here: {process.broken}")
        yield request.param, process


@pytest.fixture(scope="module", params=SANDBOXES)
def arrangement(request: pytest.FixtureRequest, runner: tuple[str, Any]) -> tuple[str, str, Any]:
    """A sandbox, a user and the user's runner."""
    user, process = runner
    skip_unless_tried(user, request.param, process)
    return request.param, user, process


def skip_unless_tried(user: str, sandbox: str, process: Any) -> None:
    """Skip a test in a sandbox that is not for a user, or does not work here."""
    if sandbox not in sandboxes_of(user):
        pytest.skip(f"{sandbox} is not tried as {user}")
    if reason := process.probe(sandbox):
        pytest.skip(f"{sandbox} does not work as {user} here: {reason}")


@pytest.mark.parametrize("attack", [attack.slug for attack in ATTACKS])
def test_attack(arrangement: tuple[str, str, Any], attack: str) -> None:
    sandbox, user, process = arrangement
    has_effect = sandbox == "none" and (attack, user) not in UNAIDED
    for _ in range(_TRIES if has_effect else 1):  # some need luck
        outcome = process.run(attack, sandbox)
        if outcome.get("effect"):
            break
    if "missing" in outcome:
        pytest.skip(f"n/a here: {outcome['missing']}")
    assert "error" not in outcome, outcome["error"]
    said = f"{BY_SLUG[attack].name}: {outcome['detail']}"
    if sandbox == "none":
        assert outcome["effect"] or not has_effect, f"no effect without a sandbox: {said}"
    elif is_gap(attack, sandbox, user, outcome):
        assert outcome["effect"], f"no longer a gap: remove it: {said}"
    else:
        assert not outcome["effect"], f"not contained: {said}"


@pytest.mark.parametrize(
    "attack",
    [attack.slug for attack in ATTACKS if attack.group in ("Network", "Resources", "Privilege")],
)
def test_a_gpu_opens_nothing_else(beside_gpus: tuple[str, Any], attack: str) -> None:
    user, process = beside_gpus
    outcome = process.run(attack, "bwrap")
    if "missing" in outcome:
        pytest.skip(f"n/a here: {outcome['missing']}")
    assert "error" not in outcome, outcome["error"]
    expected = attack in BESIDE_GPUS or (attack, "bwrap", user) in GAPS
    assert outcome["effect"] == expected, f"{BY_SLUG[attack].name}: {outcome['detail']}"


@pytest.mark.parametrize("sandbox", [name for name in SANDBOXES if name != "none"])
@pytest.mark.parametrize("attack", [attack.slug for attack in ATTACKS])
def test_a_cgroup_closes_gaps_and_opens_none(
    in_cgroup: tuple[str, Any], attack: str, sandbox: str
) -> None:
    user, process = in_cgroup
    skip_unless_tried(user, sandbox, process)
    outcome = process.run(attack, sandbox)
    if "missing" in outcome:
        pytest.skip(f"n/a here: {outcome['missing']}")
    assert "error" not in outcome, outcome["error"]
    expected = is_gap(attack, sandbox, user, outcome) and attack not in CLOSED_BY_CGROUPS
    assert outcome["effect"] == expected, f"{BY_SLUG[attack].name}: {outcome['detail']}"


@pytest.mark.parametrize("sandbox", SANDBOXES)
@pytest.mark.parametrize("attack", [attack.slug for attack in DOOR])
def test_attack_by_a_bot_with_a_door(at_door: tuple[str, Any], attack: str, sandbox: str) -> None:
    user, process = at_door
    skip_unless_tried(user, sandbox, process)
    outcome = process.run(attack, sandbox)
    assert "error" not in outcome, outcome["error"]
    said = f"{BY_SLUG[attack].name}: {outcome['detail']}"
    assert outcome["effect"] == (sandbox == "none"), said


@pytest.mark.parametrize("attack", [attack.slug for attack in ATTACKS])
def test_a_door_opens_nothing_else(at_door: tuple[str, Any], attack: str) -> None:
    user, process = at_door
    sandbox = BESIDE_ALL[user]
    skip_unless_tried(user, sandbox, process)
    outcome = process.run(attack, sandbox)
    if "missing" in outcome:
        pytest.skip(f"n/a here: {outcome['missing']}")
    assert "error" not in outcome, outcome["error"]
    more = sandbox == "bwrap" and attack in BESIDE_DOOR
    expected = more or is_gap(attack, sandbox, user, outcome)
    assert outcome["effect"] == expected, f"{BY_SLUG[attack].name}: {outcome['detail']}"


def test_the_catalogue_is_whole() -> None:
    assert len(BY_SLUG) == len(ATTACKS) + len(DOOR) >= 70
    assert {attack.group for attack in ATTACKS} == GROUPS
    assert {slug for slug, _, _ in GAPS} | {slug for slug, _ in UNAIDED} <= set(BY_SLUG)
    assert {sandbox for _, sandbox, _ in GAPS} <= set(SANDBOXES)
    assert {*BESIDE_GPUS, *BESIDE_DOOR, *(slug for slug, _ in SEEING_PROC)} <= set(BY_SLUG)
    assert {slug for slug, _, _ in GAPS} >= CLOSED_BY_CGROUPS


def test_every_hostile_function_is_in_the_catalogue() -> None:
    for path in (Path(__file__).parent / "programs").glob("*.py"):
        for line in path.read_text().splitlines():
            if line.startswith("def ") and line.endswith("(facts: Facts) -> None:"):
                act = line[4:].partition("(")[0]
                known = BY_SLUG.values()
                assert any((a.program, a.act) == (path.stem, act) for a in known), (path, act)

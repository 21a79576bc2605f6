"""Every hostile build behind every sandbox, as root and as an ordinary user; `none` is the control.

Behind `none` an attack must have effect, or nobody knows whether its judge can see.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.attacks.builds.catalogue import ATTACKS, BY_ACT, QUICK, UNAIDED
from tests.attacks.builds.disk import own_disk
from tests.attacks.builds.table import KINDS, runner_of
from tests.attacks.users import Workshop, users


@pytest.fixture(scope="module")
def workshop() -> Iterator[Workshop]:
    """What the runners need."""
    workshop = Workshop()
    with own_disk():
        yield workshop
    workshop.close()


@pytest.fixture(scope="module", params=users())
def runner(request: pytest.FixtureRequest, workshop: Workshop) -> Iterator[tuple[str, Any]]:
    """A user with the process that runs hostile builds as that user."""
    with runner_of(request.param, workshop) as process:
        if process.broken:
            pytest.skip(f"no build can be run as {request.param} here: {process.broken}")
        yield request.param, process


@pytest.fixture(scope="module", params=KINDS)
def arrangement(request: pytest.FixtureRequest, runner: tuple[str, Any]) -> tuple[str, str, Any]:
    """A sandbox, a user and the user's runner."""
    user, process = runner
    if reason := process.probe(request.param):
        pytest.skip(f"{request.param} does not work as {user} here: {reason}")
    return request.param, user, process


def check(arrangement: tuple[str, str, Any], act: str) -> None:
    sandbox, user, process = arrangement
    outcome = process.run(act, sandbox)
    if "missing" in outcome:
        pytest.skip(f"n/a here: {outcome['missing']}")
    assert "error" not in outcome, outcome["error"]
    said = f"{BY_ACT[act].name}, as {user}: {outcome['detail']}"
    if sandbox == "none":
        assert outcome["effect"] or act in UNAIDED, f"no effect without a sandbox: {said}"
    else:
        assert not outcome["effect"], f"not contained: {said}"


@pytest.mark.slow
@pytest.mark.parametrize("act", QUICK)
def test_a_hostile_build_has_no_effect(arrangement: tuple[str, str, Any], act: str) -> None:
    check(arrangement, act)


@pytest.mark.soak
@pytest.mark.parametrize("act", [attack.act for attack in ATTACKS])
def test_no_hostile_build_has_effect(arrangement: tuple[str, str, Any], act: str) -> None:
    check(arrangement, act)


def test_the_catalogue_of_builds_is_whole() -> None:
    assert len(BY_ACT) == len(ATTACKS) >= 25
    assert UNAIDED.keys() | set(QUICK) <= BY_ACT.keys()
    for path in (Path(__file__).parent / "programs").glob("*.py"):
        for line in path.read_text().splitlines():
            name = line[4:].partition("(")[0]
            if line.endswith("(facts: Facts) -> None:") and line.startswith("def "):
                assert f"{path.stem}.{name}" in BY_ACT or name == "look", (path, name)

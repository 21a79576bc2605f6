"""A sound game passes every step; of each deliberate fault, the step that finds it."""

from collections.abc import Sequence

import pytest

from referee.testing import STEPS, GameError, check_game, check_steps
from tests.referee.testing.faulty import FAULTS, Fault
from tests.referee.testing.heights import Heights

QUICK = {"most_decisions": 500, "seconds": 1.0}


def each(faults: Sequence[Fault]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("fault", faults, ids=lambda fault: fault.words)


@pytest.mark.slow
def test_a_sound_game_passes() -> None:
    results = check_game(Heights)
    assert [result.step for result in results] == [*STEPS]
    skipped = [result.step for result in results if result.state == "skipped"]
    assert skipped == []


@pytest.mark.quick(1)
@each(FAULTS)
def test_the_step_finds_the_fault(fault: Fault) -> None:
    with pytest.raises(GameError) as caught:
        check_game(fault.game, only=[fault.step], **QUICK)
    (result,) = caught.value.results
    assert result.failure is not None
    assert result.failure.remedy
    assert fault.step in str(caught.value)


@pytest.mark.slow
@each([fault for fault in FAULTS if fault.step != "speed"])  # which takes minutes for all steps
def test_no_step_before_it_finds_it(fault: Fault) -> None:
    """So the first step that fails, which is told in full, is the one that fits."""
    failed = (
        result.step for result in check_steps(fault.game, **QUICK) if result.state == "failed"
    )
    assert next(failed) == fault.step

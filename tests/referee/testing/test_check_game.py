"""Each step finds its fault; what is said of a flaw, what may be chosen, what is left as it was."""

import re
import signal
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter

import pytest

from protocol.errors import ArenaError
from referee.rules.chance import Chance
from referee.rules.game import Move, Options
from referee.testing import StepResult, check_game, check_steps, told
from referee.testing.trial import Case, cases_of
from tests.referee.testing import faulty
from tests.referee.testing.faulty import FAULTS, Fault
from tests.referee.testing.heights import Heights, HeightsOptions

QUICK = {"most_decisions": 500, "seconds": 1.0}


def each(faults: Sequence[Fault]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("fault", faults, ids=lambda fault: fault.words)


@pytest.mark.quick(1)
@each(FAULTS)
def test_the_step_finds_the_fault(fault: Fault) -> None:
    (result,) = check_steps(fault.game, only=[fault.step], **QUICK)
    assert result.failure is not None
    assert result.failure.remedy
    assert f"Step {fault.step} (" in "\n".join(told(result))


@pytest.mark.slow
@each([fault for fault in FAULTS if fault.step != "speed"])  # which takes minutes for all steps
def test_no_step_before_it_finds_it(fault: Fault) -> None:
    """So the first step that fails, which is told in full, is the one that fits."""
    failed = (
        result.step for result in check_steps(fault.game, **QUICK) if result.state == "failed"
    )
    assert next(failed) == fault.step


def failed(game: type[Heights], step: str, **more: object) -> tuple[StepResult, str]:
    (result,) = check_steps(game, only=[step], **more)  # type: ignore[arg-type]
    return result, "\n".join(told(result))


def test_a_flaw_is_told_with_its_position_and_can_be_found_there_again() -> None:
    result, words = failed(faulty.LeakInView, "hidden")
    assert result.failure is not None
    position = result.failure.position
    assert position is not None
    game = Case(faulty.LeakInView, position.seats, position.options).new(position.seed)
    assert position.table.splitlines()[0].startswith(f"Heights, turn {position.decisions}; ")
    assert position.seat is not None
    assert isinstance(game.chance, Chance)
    for part in (f"seed {position.seed!r}", f"{position.seats} seats", position.table, "Remedy: "):
        assert part in words


@pytest.mark.slow
def test_an_endless_loop_is_named_by_its_line() -> None:
    usual = signal.getsignal(signal.SIGALRM)
    result, words = failed(faulty.EndlessLoop, "ends-random", seconds=0.5)
    assert result.detail == "a call of the game has not returned for 0.5 seconds"
    assert "faulty.py:" in words
    assert " in draw: " in words
    assert signal.getsignal(signal.SIGALRM) is usual
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_the_place_of_an_exception_a_print_and_a_forbidden_call_is_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    result, words = failed(faulty.Raises, "ends-random")
    assert result.detail == "IndexError: list index out of range"
    assert result.failure is not None
    assert result.failure.frames[-1].startswith("faulty.py:")
    assert " in apply: self.scores[self.seats] += 1" in words
    for game, step, place in (
        (faulty.Prints, "silent", "roll"),
        (faulty.OwnGenerator, "world", "__init__"),
    ):
        result, _ = failed(game, step)
        assert re.search(f"faulty.py:.*in {place}", result.detail)
    assert capsys.readouterr().out == ""
    assert sys.getprofile() is None


def test_an_unknown_step_is_refused_by_name() -> None:
    with pytest.raises(ArenaError, match="there is no step 'hiden'"):
        check_game(Heights, only=["hiden"])


def test_outside_of_the_main_thread_it_says_so() -> None:
    with ThreadPoolExecutor(1) as pool:
        checked = pool.submit(check_game, Heights, ["ends-random"])
        with pytest.raises(AssertionError, match="in the main thread"):
            checked.result()


def test_a_needed_step_that_fails_leaves_the_others_untried() -> None:
    states = {result.step: result for result in check_steps(faulty.Raises)}
    assert states["ends-random"].state == "failed"
    assert states["hidden"].detail == "step ends-random has to be mended first"


def test_a_play_may_take_so_many_decisions_and_no_more() -> None:
    check_game(Heights, only=["ends-random"], most_decisions=24)
    result, _ = failed(Heights, "ends-random", most_decisions=23, seats=[3])
    assert result.detail == "a play is not over after 23 decisions"


def test_the_seed_chooses_the_deals() -> None:
    one, other = (check_game(Heights, only=["hidden"], seed=seed)[0].detail for seed in "12")
    assert one != other
    assert check_game(Heights, only=["hidden"], seed="1")[0].detail == one


class OnlyForTwo(Heights):
    """Heights, in which more than two may not change the rounds."""

    @classmethod
    def check_seats(cls, options: Options, seats: int) -> None:
        assert isinstance(options, HeightsOptions)
        if options.rounds != HeightsOptions().rounds and seats > 2:
            raise ValueError("the rounds are for two")


def test_options_are_tried_with_a_number_of_seats_that_they_are_for() -> None:
    cases = cases_of(OnlyForTwo)
    assert {case.seats for case in cases} == {2, 3}
    assert {case.seats for case in cases if "rounds" in case.changed} == {2}
    assert [case.changed for case in cases] == [case.changed for case in cases_of(Heights)]
    assert not [case for case in cases_of(OnlyForTwo, [3]) if "rounds" in case.changed]


class Unhurried(Heights):
    """Heights with few turns, each of which takes long."""

    def apply(self, moves: Mapping[int, Move]) -> None:
        super().apply(moves)
        until = perf_counter() + 0.12
        while perf_counter() < until:
            pass


@pytest.mark.slow
def test_few_decisions_a_second_do_where_a_match_is_short() -> None:
    def case(rounds: int) -> list[Case]:
        return [Case(Unhurried, 2, {"rounds": rounds})]

    check_game(Unhurried, only=["speed"], cases=case(2))
    result, _ = failed(Unhurried, "speed", cases=case(9))
    assert re.search(r"\d decisions a second; .* rules; a match takes [2-9]\.\d s", result.detail)

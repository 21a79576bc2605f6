"""Which machines stand out, by what their workers report."""

import random
from collections.abc import Mapping
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from arena.play.cluster.standouts import MachineComparison
from arena.play.messages import Results
from arena.store.result import PlayedMatch
from tests.arena.play.test_workforce import played
from tests.golden import Golden

ASKED = 100  # times in a match, both seats together
PARTS = 25  # reports, when a machine's matches come in several
USUAL = {"lag": 20e-6, "wall": 350e-6, "cpu": 300, "faulty": 0, "matches": 100, "bots": [0, 1]}
"""A machine like others: lag and time on the wall in seconds and CPU time in microseconds for each
ask, and matches."""


def report(**given: Any) -> Results:
    """Return the report of a machine that is as usual but for what is given."""
    facts = USUAL | given
    matches, seat = facts["matches"], ASKED // 2
    both: dict[str, Any] = {
        "lineup": facts["bots"],
        "seconds": facts["wall"] * ASKED,
        "decisions": ASKED,
        "clock": str([[seat, *[seat * facts["cpu"]] * 3]] * 2),
    }
    late = [[{"late": 1} if number < facts["faulty"] else {}, {}] for number in range(matches)]
    return Results(
        matches=[played(number, 0, faults=each, **both) for number, each in enumerate(late)],
        lag=facts["lag"] * ASKED * matches,
    )


def add(comparison: MachineComparison, name: str, **given: Any) -> None:
    whole = report(**given)
    for part in range(min(PARTS, len(whole.matches))):
        matches = whole.matches[part::PARTS]
        lag = whole.lag * len(matches) / len(whole.matches)
        comparison.add(name, Results(matches=matches, lag=lag))


def compared(**machines: Mapping[str, Any]) -> MachineComparison:
    """Return a comparison of machines, given in what they are unlike usual ones."""
    comparison = MachineComparison()
    for name, unlike in machines.items():
        add(comparison, name, **unlike)
    return comparison


def standouts(**machines: Mapping[str, Any]) -> list[str]:
    return list(compared(**machines).standouts())


def test_who_lags_is_held_up_is_slow_or_sees_faults_is_named(golden: Golden) -> None:
    for machines in (
        {"ant": {}, "bee": {"lag": 400e-6}, "cat": {}},
        {"ant": {}, "bee": {"wall": 3500e-6}, "cat": {}},  # bots wait for a core that others have
        {"ant": {}, "bee": {}, "cat": {"cpu": 900}},
        {"ant": {"faulty": 30}, "bee": {"faulty": 1}, "cat": {}},
    ):
        (sentence,) = standouts(**machines)
        golden(sentence)
    (sentence,) = standouts(ant={}, bee={"cpu": 700})  # one of two can stand out
    assert sentence.startswith("bee is slow")
    said = standouts(ant={"lag": 1e-3, "cpu": 900, "faulty": 50}, bee={}, cat={})
    assert [sentence.split()[1] for sentence in said] == ["lags:", "is", "sees"]


def test_each_is_named_once_for_the_same():
    comparison = compared(ant={}, bee={"cpu": 900})
    assert len(list(comparison.standouts())) == 1
    assert list(comparison.standouts()) == []
    add(comparison, "bee", cpu=900, faulty=60)
    (sentence,) = comparison.standouts()
    assert sentence.startswith("bee sees more faults")


few = settings(max_examples=15)
machines = st.integers(1, 6)
unlike = st.fixed_dictionaries(
    {},
    optional={"lag": st.floats(0, 1), "cpu": st.integers(0, 10**6), "faulty": st.integers(0, 100)},
)


@few
@given(count=machines, alike=unlike)
def test_machines_that_are_alike_do_not_stand_out_nor_one_alone(
    count: int, alike: dict[str, Any]
) -> None:
    assert standouts(**{f"m{number}": alike for number in range(count)}) == []


@few
@given(odd=unlike)
def test_few_matches_say_nothing(odd):
    """Nobody is named for them, and nobody is compared with them."""
    assert (
        standouts(ant={}, bee={**odd, "matches": 5, "faulty": min(5, odd.get("faulty", 0))}) == []
    )


@few
@given(noises=st.lists(st.floats(0.6, 1.1), min_size=2, max_size=6))
def test_noise_is_not_told(noises):
    noisy = (
        {"lag": 20e-6 * each, "cpu": int(300 * each), "faulty": int(9 * each)} for each in noises
    )
    assert standouts(**{f"m{number}": each for number, each in enumerate(noisy)}) == []


def test_a_little_is_not_told():
    for bee in (
        {"lag": 59e-6},  # which is common
        {"lag": 99e-6},  # which disturbs nobody
        {"cpu": 590},  # which is not twice as slow
        {"faulty": 4},
    ):
        assert standouts(ant={}, bee=bee, cat={}) == []
    comparison = compared(ant={}, bee={})
    for name, cpu in (("ant", 1000), ("bee", 10**5)):  # of a bot that has hardly played there
        add(comparison, name, matches=3, bots=[2, 3], cpu=cpu, wall=cpu * 1.2e-6)
    assert list(comparison.standouts()) == []


def test_bots_that_fail_everywhere_are_no_machine_s_fault():
    """Of 100 matches 40 on one and 60 on the other are not by chance, but 45 and 55 may be.

    Matches without a decision, as of a game of pure luck, are compared in nothing.
    """
    assert standouts(ant={"faulty": 45}, bee={"faulty": 55}) == []
    assert standouts(ant={"faulty": 100}, bee={"faulty": 100}) == []
    comparison = MachineComparison()
    for name in ("ant", "bee"):
        comparison.add(name, report(matches=0))
    assert list(comparison.standouts()) == []
    comparison = compared(ant={"cpu": 10}, bee={"cpu": 10})  # but one that is slow with one bot is
    for name, cpu in (("ant", 1000), ("bee", 3000)):
        add(comparison, name, cpu=cpu, wall=cpu * 1.2e-6, bots=[2, 3])
    (sentence,) = comparison.standouts()
    assert sentence.startswith("bee is slow: the bots need 3.0 times")


def test_a_bot_that_only_one_machine_can_run_is_no_oddity_of_that_machine():
    """The others play without it, and what they play looks better."""
    for odd in ({"cpu": 10**5}, {"faulty": 100}):
        comparison = compared(ant={}, bee={})
        add(comparison, "ant", **odd, bots=[2, 3])
        assert list(comparison.standouts()) == []


@few
@given(shares=st.lists(st.integers(2, 60), min_size=2, max_size=6))
def test_who_has_more_of_the_slow_and_faulty_bots_does_not_stand_out(shares):
    comparison = MachineComparison()
    for number, share in enumerate(shares):
        name = f"m{number}"
        add(comparison, name, cpu=10**5, wall=0.1, faulty=share, matches=share, bots=[2, 3])
        add(comparison, name, matches=62 - share)
    assert list(comparison.standouts()) == []


@few
@given(
    lags=st.lists(st.floats(0, 1e-2), min_size=2, max_size=6),
    cpus=st.lists(st.integers(1, 10**5), min_size=6, max_size=6),
)
def test_most_machines_never_stand_out_together(lags, cpus):
    """Each is compared with the others' median: more than half of them cannot exceed it."""
    odd = [{"lag": lag, "cpu": cpu} for lag, cpu in zip(lags, cpus, strict=False)]
    said = standouts(**{f"m{number}": each for number, each in enumerate(odd)})
    for word in ("lags", "is slow"):
        assert sum(word in sentence for sentence in said) <= len(odd) / 2


DECISIONS = 40  # of each bot in a match


def varied(chance: random.Random, spread: float, speed: float = 1.0) -> PlayedMatch:
    cpu = [int(2000 * speed * chance.lognormvariate(0, spread)) for _ in range(2)]
    wall = sum(cpu) * 1e-6 + 2 * DECISIONS * 50e-6
    clock = str([[DECISIONS, each, each, each] for each in cpu])
    return played(chance.getrandbits(60), 0, (0, 1), wall, decisions=ASKED, clock=clock)


def said_of_a_split(chance: random.Random, spread: float, **speeds: float) -> set[str]:
    """Return who is said to be what, of machines that share out matches by chance."""
    comparison, said = MachineComparison(), set()
    for _ in range(150):
        name = chance.choice([*speeds])
        matches = [varied(chance, spread, speeds[name]) for _ in range(10)]
        comparison.add(name, Results(matches=matches, lag=20e-6 * 10 * 2 * DECISIONS))
        said |= {" ".join(each.split()[:3]) for each in comparison.standouts()}
    return said


def test_a_slow_machine_is_named_and_none_for_a_bot_whose_matches_differ():
    """Spread is that of the logarithm of a match's CPU time: e^3 is 20 times as much or little."""
    said = said_of_a_split(random.Random(1), 1.0, ant=1.0, bee=3.0, cat=1.0)
    assert said == {"bee is slow:"}
    for seed in range(8):
        assert said_of_a_split(random.Random(seed), 3.0, ant=1.0, bee=1.0) == set()

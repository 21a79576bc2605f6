"""Which units a landing runs, by what has changed, what was deferred, and its share."""

import ast
from pathlib import Path

import pytest

from tests.ci.plan import PLANNED, SHARES, State, cost, plan, shares
from tests.ci.units import ATTACKS, Unit, catalogue, kind_of, owned_by, touched_by

SOAK = "tests/faults/test_kills.py"
FILES = (
    *("arena/play/worker.py", "referee/sandbox/landlock.py", "tests/conftest.py"),
    *("tests/arena/play/test_runs.py", "tests/arena/play/cluster/test_cores.py", SOAK),
    *("tests/arena/test_compare.py", "tests/arena/terminal.py", "tests/arena/handin/test_rates.py"),
    *("tests/arena/environment/test_locks.py", "tests/attacks/test_attacks.py"),
    *("tests/attacks/builds/test_build_attacks.py", "tests/attacks/collusion/test_capacity.py"),
    *("tests/bots/test_kit.py", "tests/docs/test_pages.py", "tests/referee/door/test_turns.py"),
    *("tests/referee/sandbox/test_kinds.py", "tests/test_clone.py", "tests/places/test_places.py"),
)
UNITS = catalogue(FILES, {SOAK}, "")
NAMES = [unit.name for unit in UNITS]
ALL_ATTACKS = {name for name in NAMES if kind_of(name) in ("attacks", "builds")}


def seconds(most: float) -> dict[str, float]:
    """Return seconds for all units but one, none alike and none over `most`."""
    return {name: most * (1 + n) / len(NAMES) for n, name in enumerate(NAMES) if n}


BELOW_ARENA = {name for name in NAMES if name.startswith("slow:arena")}


@pytest.mark.parametrize(
    ("path", "touched"),
    [
        ("arena/play/worker.py", {"slow:arena/play", "soak:faults"}),
        ("arena/compare.py", {"slow:arena"}),
        ("bots/templates/python/bot.py", {"slow:bots"}),
        ("README.md", {"slow:docs", "slow:repository"}),
        (
            "tests/attacks/collusion/test_capacity.py",
            {"attacks:collusion", "slow:attacks/collusion"},
        ),
        ("tests/arena/terminal.py", BELOW_ARENA),  # what helps tests touches all below it
        ("tests/arena/test_compare.py", {"slow:arena"}),
        ("tests/provider.py", {unit.name for unit in UNITS if unit.room}),
        ("pyproject.toml", {*NAMES}),
        ("tests/conftest.py", {*NAMES}),
    ],
)
def test_a_file_touches_the_tests_that_mirror_it_or_need_it(path: str, touched: set[str]) -> None:
    assert len(BELOW_ARENA) == 5
    assert touched_by(path, UNITS) == touched


@pytest.mark.parametrize(
    ("path", "own"),
    [
        ("referee/sandbox/fork_server.py", {*ALL_ATTACKS, "slow:referee/sandbox"}),
        ("referee/door/endpoint.py", {"attacks:door", "slow:referee/door"}),
        ("arena/handin/unpack.py", {"builds", "slow:arena/handin"}),
        ("arena/environment/unpack_wheels.py", {"builds", "slow:arena/environment"}),
        ("arena/play/worker.py", set()),
    ],
)
def test_attacks_on_what_has_changed_are_never_deferred(path: str, own: set[str]) -> None:
    state = State(1, NAMES, NAMES, owned_by(path, UNITS), dict.fromkeys(NAMES, PLANNED))
    made = plan(state, carried=["slow:docs"])
    assert {*made.own} == own
    assert {*made.own, *made.deferred} == {*NAMES}


def test_every_test_of_attacks_is_in_one_unit() -> None:
    """What is in none of the table is in the unit of the others, which leaves out only these."""
    file = Path(__file__).parents[1] / "attacks" / "test_attacks.py"
    tests = {each.name for each in ast.parse(file.read_text()).body if hasattr(each, "name")}
    known = [test for names in ATTACKS.values() for test in names]
    assert {*known} <= tests
    assert len({*known}) == len(known)
    [others] = [unit for unit in UNITS if unit.name == "attacks:others"]
    left_out = {word.rpartition("::")[2] for word in others.words if "::" in word}
    assert left_out == {*known}


def test_six_landings_in_a_row_run_every_unit_once() -> None:
    recorded = seconds(30)
    plans = [plan(State(number, NAMES, seconds=recorded)) for number in range(46, 46 + SHARES)]
    assert not any(made.deferred for made in plans)
    assert sorted(name for made in plans for name in made.share) == sorted(NAMES)
    assert {made.always[3] for made in plans} == {
        *("python:3.11:lowest", "python:3.12:newest", "python:3.13:newest")
    }


def test_shares_take_about_as_long_and_a_new_unit_changes_none() -> None:
    recorded = seconds(300)
    mine = shares(NAMES, recorded)
    filled = [cost([n for n in mine if mine[n] == share], recorded) for share in range(SHARES)]
    assert max(filled) - min(filled) < 300
    assert shares([*NAMES[1:], "slow:new"], recorded).items() > {
        (name, mine[name]) for name in NAMES[1:]
    }


def test_what_a_touched_room_runs_is_not_run_again() -> None:
    made = plan(State(46, NAMES, ["slow:bots", "slow:docs"]), carried=["slow:docs", "gone"])
    assert (made.carried, made.touched) == (("slow:docs",), ("slow:bots",))
    assert len({*made.run()}) == len(made.run())


def test_what_is_deferred_comes_first_in_the_next_plan_and_nothing_waits_for_ever() -> None:
    """All is touched at every landing, and an eighth of it fits."""
    recorded = seconds(500)
    ran: set[str] = set()
    made = plan(State(46, NAMES, NAMES, (), recorded))
    assert made.deferred
    for number in range(47, 56):
        ran |= {*made.run()}
        after = plan(State(number, NAMES, NAMES, (), recorded), made.deferred)
        assert after.carried[0] == made.deferred[0]
        assert after.cost <= PLANNED
        made = after
    assert ran == {*NAMES}


def test_landings_with_the_same_changes_begin_elsewhere() -> None:
    first, second = (plan(State(number, NAMES, NAMES, (), seconds(500))) for number in (46, 47))
    assert first.touched[0] != second.touched[0]


def test_units_that_wait_take_no_time_beside_others() -> None:
    recorded = {"builds": 100.0, "attacks:door": 60.0, "slow:docs": 7.0}
    assert cost(recorded, recorded) == 107


def test_ratios_are_a_unit_where_the_makefile_has_them() -> None:
    assert Unit("ratios", ("make", "ratios")) in catalogue((), (), "x:\n\nratios: y\n")

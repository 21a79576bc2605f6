"""Landings in real histories: their plans, how they are made, and what lint refuses."""

import json
import shutil
from pathlib import Path

import pytest

from tests.ci.history import History, RefusedError
from tests.ci.landings import check, check_proven, planned, raised
from tests.ci.proving import PASSED, passed_before
from tests.ci.records import LANDING, OLDER, PROVEN, SECONDS, Landing

TESTS = ("arena/play/test_runs.py", "arena/stats/test_ratings.py", "bots/test_kit.py")


@pytest.fixture
def history(tmp_path: Path) -> History:
    """A clone with four rooms, of which nothing is recorded."""
    if not shutil.which("git"):
        pytest.skip("LANDINGS ARE NOT TESTED HERE: git is not installed")
    made = History.begun(tmp_path)
    made.add({f"tests/{name}": "" for name in (*TESTS, "test_clone.py")})
    return made


def proof(commit: str) -> dict[str, str]:
    return {PROVEN: f"{commit} 2026-11-28: 7 passed\n"}


def rooms(history: History, commit: str = "HEAD") -> set[str]:
    """Return the rooms whose slow tests count as touched."""
    made = planned(history, commit)
    return {name for name in (*made.own, *made.touched) if name.startswith("slow:")}


EVERY = {"slow:arena/play", "slow:arena/stats", "slow:bots", "slow:repository"}


def test_only_what_has_changed_since_the_proven_commit_is_touched(history: History) -> None:
    assert rooms(history) == EVERY  # without one, all is
    history.add(proof(history.add({"arena/stats/ratings.py": "1"})))
    assert rooms(history) == set()
    history.add({"arena/play/worker.py": "1"})
    history.add({"x.txt": ""})
    assert rooms(history) == {"slow:arena/play", "slow:repository"}


def test_a_proven_commit_that_is_no_ancestor_proves_nothing(history: History) -> None:
    for commit in (beside(history), "0" * 40):
        history.add(proof(commit))
        assert rooms(history) == EVERY


def beside(history: History) -> str:
    """Return a commit that is not on main."""
    history.git("checkout", "--quiet", "-b", "other")
    commit = history.add({"y.txt": ""})
    history.git("checkout", "--quiet", "main")
    return commit


def landed(history: History, number: int, base: str, **files: str) -> str:
    """Commit a landing, as its last commit; return it."""
    parent = history.add({"x.txt": f"{number}"})
    return history.add({LANDING: Landing(number, base, parent).line(), **files})


LONG = {SECONDS: "1300 slow:bots\n1200 slow:arena/play\n1100 slow:arena/stats\n"}


def test_what_a_landing_deferred_is_run_by_the_next(history: History) -> None:
    first = landed(history, 1, "0" * 40, **LONG)
    deferred = planned(history, first).deferred
    assert len([name for name in deferred if name in EVERY]) == 3
    history.add({SECONDS: "300 slow:bots\n200 slow:arena/play\n1100 slow:arena/stats\n"})
    made = planned(history, landed(history, 2, first))
    assert made.carried[0] == deferred[0]
    assert {*made.carried} >= {"slow:arena/play", "slow:bots"}
    assert not {*made.carried} & {*made.touched, *made.share}
    history.add(proof(first))  # over which nothing is carried
    assert planned(history, "HEAD").carried == ()


def test_attacks_on_a_change_must_be_run_by_its_own_landing(history: History) -> None:
    history.add(proof(history.add({"arena/stats/ratings.py": "1"})))
    base = landed(history, 1, "0" * 40)
    history.add({"referee/sandbox/seccomp.py": "1"})
    first = landed(history, 2, base)
    own = {*planned(history, first).own}
    assert own > {"attacks:sandboxes", "attacks:door", "builds"}
    later = planned(history, landed(history, 3, first))
    assert later.own == ()
    assert {*later.touched} > own


# --- making a landing, and checking it


@pytest.fixture
def main(history: History) -> str:
    """Landing 46, on main as others know it."""
    base = history.git("rev-parse", "HEAD").strip()
    landing = history.add({LANDING: Landing(46, base, base).line()})
    known(history)
    return landing


def known(history: History, commit: str = "HEAD") -> None:
    history.git("update-ref", "refs/remotes/origin/main", commit)


def refused(history: History, *, lands: bool = True) -> str:
    with pytest.raises(RefusedError) as raised:
        check(history, lands=lands)
    return str(raised.value)


def test_a_landing_is_raised_on_top_of_main_by_the_last_commit(history: History, main: str) -> None:
    top = history.add({"x.txt": "1"})
    known(history)  # as in a clone of what is to land, where the raise was forgotten
    assert refused(history).startswith(f"HEAD did not raise the number in {LANDING}, 46")
    assert check(history, lands=False).startswith("landing 46 and later commits")
    known(history, main)
    assert raised(history, None) == Landing(47, main, top)
    assert check(history, lands=True) == f"landing 47, on top of {main[:8]}"
    known(history)
    assert check(history, lands=True)
    history.add({"x.txt": "mended"})
    known(history, main)
    assert raised(history, None).number == 47  # which has not landed yet
    assert check(history, lands=True)


def test_a_number_that_is_not_the_next_is_refused(history: History, main: str) -> None:
    for number in (45, 46, 48):
        landed(history, number, main)
        assert f"46 at {main[:8]}, which it is on top of: it must be 47" in refused(history)
        assert refused(history, lands=False)


def test_a_landing_on_top_of_another_main_is_refused(history: History, main: str) -> None:
    elsewhere = beside(history)
    landed(history, 47, main)
    known(history)
    landed(history, 47, main)
    assert "rebase, or merge it, and do `make landing`" in refused(history)
    landed(history, 47, "0" * 40)
    assert "is not here: fetch the whole history" in refused(history)
    landed(history, 47, elsewhere)
    assert "is no ancestor: do `make landing`" in refused(history)


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        (LANDING, "47\n", "is not one line with a number and two whole commits"),
        (PROVEN, "all is well\n", "is not one line, commit, date and figures"),
        (SECONDS, "  3 lint\nsoon test\n", "seconds:2: 'soon test' is not seconds and a unit"),
    ],
)
def test_a_record_that_says_nothing_is_refused(
    history: History, main: str, file: str, text: str, said: str
) -> None:
    history.add({file: text})
    assert said in refused(history, lands=False)


def test_a_landing_is_not_made_of_what_is_not_committed_or_not_on_top(
    history: History, main: str
) -> None:
    with pytest.raises(RefusedError, match="HEAD is not on top of origin/main"):
        raised(history, None)
    with pytest.raises(RefusedError, match=r"there is no commit nowhere here.*ON="):
        raised(history, "nowhere")
    (history.root / "new.txt").touch()
    with pytest.raises(RefusedError, match=r"not everything is committed \(new\.txt\)"):
        raised(history, None)


def test_only_records_may_differ_from_what_is_proven(history: History) -> None:
    with pytest.raises(RefusedError, match="no commit before this one is proven"):
        check_proven(history, "HEAD")
    proven = history.git("rev-parse", "HEAD").strip()
    history.add(proof(proven))
    history.add({LANDING: Landing(1, proven, proven).line(), SECONDS: "1 lint\n"})
    check_proven(history, "HEAD")
    history.add({"x.txt": ""})
    with pytest.raises(RefusedError, match=r"x\.txt has changed since: do it again"):
        check_proven(history, "HEAD")


@pytest.mark.slow  # git reads the whole history
def test_the_records_of_this_clone_are_as_they_must_be() -> None:
    root = Path(__file__).parents[2]
    if not (root / ".git").exists() or not shutil.which("git"):
        pytest.skip("this is no clone: there are no landings")
    assert planned(History(root), "HEAD").always


def test_what_passed_of_an_older_commit_counts_if_nothing_touches_it(history: History) -> None:
    (history.root / ".gitignore").write_text("build\n")
    first = history.add()
    ran = {name: (1.0, 2, 3, []) for name in ("test", "bare", "slow:arena/play", "slow:bots")}
    (history.root / "build").mkdir()
    (history.root / PASSED).write_text(json.dumps({"of": first, "ran": ran, "older": []}))
    assert passed_before(history, first) == (ran, [])
    mended = history.add({"tests/bots/test_kit.py": "1"})
    assert passed_before(history, mended).older == ["slow:arena/play"]
    assert passed_before(history, history.parents(first)[0]) == ({}, [])
    all_older = history.add({"arena/play/worker.py": "1"})
    assert passed_before(history, all_older) == ({}, [])


def test_a_release_takes_no_proof_of_units_that_passed_before(history: History) -> None:
    proven = history.git("rev-parse", "HEAD").strip()
    history.add({PROVEN: f"{proven} 2026-11-28: 7 passed; {OLDER} 3 of 7 units\n"})
    with pytest.raises(RefusedError, match="and not at it: do `make long` in a new clone"):
        check_proven(history, "HEAD")

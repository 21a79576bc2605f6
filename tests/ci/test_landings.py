"""Landings in real histories: their plans, how they are made, and what lint refuses."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.ci.history import History
from tests.ci.landings import RefusedError, check, check_proven, planned, raised
from tests.ci.records import LANDING, PROVEN, SECONDS, Landing

TESTS = (
    "arena/play/test_runs.py",
    "arena/stats/test_ratings.py",
    "bots/test_kit.py",
    "test_clone.py",
)
Commit = Callable[..., str]


@pytest.fixture
def history(tmp_path: Path) -> History:
    """A clone with four rooms, of which nothing is recorded."""
    if not shutil.which("git"):
        pytest.skip("LANDINGS ARE NOT TESTED HERE: git is not installed")
    git = History(tmp_path).git
    git("init", "--quiet", "--initial-branch", "main")
    git("config", "user.name", "tests")
    git("config", "user.email", "tests@localhost")
    return History(tmp_path)


@pytest.fixture
def commit(history: History) -> Commit:
    """Return a function that commits files with their texts."""

    def do(files: dict[str, str]) -> str:
        for name, text in files.items():
            (history.root / name).parent.mkdir(parents=True, exist_ok=True)
            (history.root / name).write_text(text)
        history.git("add", "--all")
        history.git("commit", "--quiet", "--allow-empty", "--message", "x")
        return history.git("rev-parse", "HEAD").strip()

    do({f"tests/{name}": "" for name in TESTS})
    return do


def proof(commit: str) -> dict[str, str]:
    return {PROVEN: f"{commit} 2026-11-28: 7 passed\n"}


def rooms(history: History, commit: str = "HEAD") -> set[str]:
    """Return the rooms whose slow tests count as touched."""
    made = planned(history, commit)
    return {name for name in (*made.own, *made.touched) if name.startswith("slow:")}


EVERY = {"slow:arena/play", "slow:arena/stats", "slow:bots", "slow:repository"}


def test_without_a_proven_commit_all_is_touched(history: History, commit: Commit) -> None:
    assert rooms(history) == EVERY


def test_since_the_proven_commit_only_what_has_changed_is(history: History, commit: Commit) -> None:
    commit(proof(commit({"arena/stats/ratings.py": "1"})))
    assert rooms(history) == set()
    commit({"arena/play/worker.py": "1"})
    commit({"x.txt": ""})
    assert rooms(history) == {"slow:arena/play", "slow:repository"}


def test_a_proven_commit_that_is_no_ancestor_proves_nothing(
    history: History, commit: Commit
) -> None:
    history.git("checkout", "--quiet", "-b", "other")
    elsewhere = commit({"x.txt": ""})
    history.git("checkout", "--quiet", "main")
    commit(proof(elsewhere))
    assert rooms(history) == EVERY
    commit(proof("0" * 40))
    assert rooms(history) == EVERY


def landed(history: History, commit: Commit, number: int, base: str, **files: str) -> str:
    """Commit a landing, as its last commit; return it."""
    parent = commit({"x.txt": f"{number}"})
    return commit({LANDING: Landing(number, base, parent).line(), **files})


LONG = {SECONDS: "1300 slow:bots\n1200 slow:arena/play\n1100 slow:arena/stats\n"}


def test_what_a_landing_deferred_is_run_by_the_next(history: History, commit: Commit) -> None:
    first = landed(history, commit, 1, "0" * 40, **LONG)
    deferred = planned(history, first).deferred
    assert len([name for name in deferred if name in EVERY]) == 3
    commit({SECONDS: "300 slow:bots\n200 slow:arena/play\n1100 slow:arena/stats\n"})
    second = landed(history, commit, 2, first)
    made = planned(history, second)
    assert made.carried[0] == deferred[0]
    assert {*made.carried} >= {"slow:arena/play", "slow:bots"}
    assert not {*made.carried} & {*made.touched, *made.share}


def test_nothing_is_carried_over_a_proven_commit(history: History, commit: Commit) -> None:
    first = landed(history, commit, 1, "0" * 40, **LONG)
    assert planned(history, first).deferred
    commit(proof(first) | {SECONDS: "1 slow:bots\n1 slow:arena/play\n1 slow:arena/stats\n"})
    landed(history, commit, 2, first)
    assert planned(history, "HEAD").carried == ()


def test_attacks_on_a_change_must_be_run_by_its_own_landing(
    history: History, commit: Commit
) -> None:
    commit(proof(commit({"arena/stats/ratings.py": "1"})))
    base = landed(history, commit, 1, "0" * 40)
    commit({"referee/sandbox/seccomp.py": "1"})
    first = landed(history, commit, 2, base)
    own = {*planned(history, first).own}
    assert own > {"attacks:sandboxes", "attacks:door", "builds"}
    later = planned(history, landed(history, commit, 3, first))
    assert later.own == ()
    assert {*later.touched} > own


# --- making a landing, and checking it


@pytest.fixture
def main(history: History, commit: Commit) -> str:
    """Landing 46, on main as others know it."""
    base = history.git("rev-parse", "HEAD").strip()
    commit({LANDING: Landing(46, base, base).line()})
    known(history)
    return history.git("rev-parse", "HEAD").strip()


def known(history: History, commit: str = "HEAD") -> None:
    history.git("update-ref", "refs/remotes/origin/main", commit)


def refused(history: History, *, lands: bool = True) -> str:
    with pytest.raises(RefusedError) as raised:
        check(history, lands=lands)
    return str(raised.value)


def test_a_landing_is_raised_on_top_of_main_by_the_last_commit(
    history: History, commit: Commit, main: str
) -> None:
    top = commit({"x.txt": "1"})
    assert raised(history, None) == Landing(47, main, top)
    assert check(history, lands=True) == f"landing 47, on top of {main[:8]}"
    known(history)  # as in a clone of what is to land
    assert check(history, lands=True)
    commit({"x.txt": "mended"})
    known(history, main)
    assert raised(history, None).number == 47  # which has not landed yet
    assert check(history, lands=True)


def test_a_forgotten_raise_is_refused_in_a_clone_that_knows_no_other_main(
    history: History, commit: Commit, main: str
) -> None:
    commit({"x.txt": "1"})
    known(history)
    assert refused(history).startswith(f"HEAD did not raise the number in {LANDING}, 46")
    assert check(history, lands=False).startswith("landing 46 and later commits")


@pytest.mark.parametrize("number", [45, 46, 48])
def test_a_number_that_is_not_the_next_is_refused(
    history: History, commit: Commit, main: str, number: int
) -> None:
    landed(history, commit, number, main)
    assert f"46 at {main[:8]}, which it is on top of: it must be 47" in refused(history)
    assert refused(history, lands=False)


def test_a_landing_on_top_of_an_older_main_is_refused(
    history: History, commit: Commit, main: str
) -> None:
    landed(history, commit, 47, main)
    known(history)
    landed(history, commit, 47, main)
    assert "rebase, or merge it, and do `make landing`" in refused(history)


def test_a_base_that_is_no_ancestor_or_not_here_is_refused(
    history: History, commit: Commit, main: str
) -> None:
    landed(history, commit, 47, "0" * 40)
    assert "is not here: fetch the whole history" in refused(history)
    history.git("checkout", "--quiet", "-b", "other", main)
    elsewhere = commit({"y.txt": ""})
    history.git("checkout", "--quiet", "main")
    landed(history, commit, 47, elsewhere)
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
    history: History, commit: Commit, main: str, file: str, text: str, said: str
) -> None:
    commit({file: text})
    assert said in refused(history, lands=False)


def test_a_landing_is_not_made_of_what_is_not_committed_or_not_on_top(
    history: History, commit: Commit, main: str
) -> None:
    with pytest.raises(RefusedError, match="HEAD is not on top of origin/main"):
        raised(history, None)
    with pytest.raises(RefusedError, match=r"there is no commit nowhere here.*ON="):
        raised(history, "nowhere")
    (history.root / "new.txt").touch()
    with pytest.raises(RefusedError, match=r"not everything is committed \(new\.txt\)"):
        raised(history, None)


def test_only_records_may_differ_from_what_is_proven(history: History, commit: Commit) -> None:
    with pytest.raises(RefusedError, match="no commit before this one is proven"):
        check_proven(history, "HEAD")
    proven = history.git("rev-parse", "HEAD").strip()
    commit(proof(proven))
    landed_on = Landing(1, proven, proven)
    commit({LANDING: landed_on.line(), SECONDS: "1 lint\n"})
    check_proven(history, "HEAD")
    commit({"x.txt": ""})
    with pytest.raises(RefusedError, match=r"x\.txt has changed since: do it again"):
        check_proven(history, "HEAD")


def test_the_records_of_this_clone_are_as_they_must_be() -> None:
    root = Path(__file__).parents[2]
    if not (root / ".git").exists() or not shutil.which("git"):
        pytest.skip("this is no clone: there are no landings")
    assert planned(History(root), "HEAD").always

"""Landings of a real history: the plan of one, how one is made, and which are refused."""

from collections.abc import Iterator

from tests.ci.history import History, RefusedError
from tests.ci.plan import Plan, State, plan
from tests.ci.records import (
    LANDING,
    OLDER,
    PROVEN,
    RECORDS,
    SECONDS,
    Landing,
    landing_of,
    proven_of,
    seconds_of,
)
from tests.ci.units import Unit, catalogue, owned_by, touched_by

MAIN = "origin/main"


def landing_at(history: History, commit: str) -> Landing | None:
    """Return the landing recorded in a commit, if there is one; RefusedError if it is no record."""
    text = history.text(commit, LANDING)
    return None if text is None else landing_of(text)


def proven_before(history: History, commit: str) -> str | None:
    """Return the commit that is recorded as proven; None if it is no ancestor, or there is none."""
    text = history.text(commit, PROVEN)
    if text is None:
        return None
    proven = proven_of(text)
    return proven if history.is_ancestor(proven, commit) else None


def units_at(history: History, commit: str) -> list[Unit]:
    """Return the units of a commit of which landings run shares."""
    soaking = history.holding(commit, "mark.soak", "tests/**/test_*.py")
    return catalogue(history.files(commit), soaking, history.text(commit, "Makefile") or "")


def state_at(history: History, commit: str) -> State:
    """Return what the plan of a commit depends on, besides what the one before deferred."""
    units = units_at(history, commit)
    landing, proven = landing_at(history, commit), proven_before(history, commit)
    changed = _changed(history, proven, commit)
    new = _changed(history, next(_since_proven(history, commit), proven), commit)
    touched = {name for path in changed for name in touched_by(path, units) | owned_by(path, units)}
    return State(
        landing.number if landing else 0,
        [unit.name for unit in units],
        touched if proven else {unit.name for unit in units},
        {name for path in new for name in owned_by(path, units)},
        seconds_of(history.text(commit, SECONDS) or ""),
    )


def _changed(history: History, since: str | None, commit: str) -> set[str]:
    """Return the paths of files that have changed since a commit; all of them if there is none."""
    changed = history.changed(since, commit) if since else {*history.files(commit)}
    return changed - RECORDS


def planned(history: History, commit: str) -> Plan:
    """Return the plan of a commit, with what the landings before it deferred.

    Nothing is carried over the commit that is proven: all was run there.
    """
    carried: tuple[str, ...] = ()
    for each in reversed([*_since_proven(history, commit)]):
        carried = plan(state_at(history, each), carried).deferred
    return plan(state_at(history, commit), carried)


def _since_proven(history: History, commit: str) -> Iterator[str]:
    """Yield the landings on top of which a commit is, newest first, since all was run."""
    proven = proven_before(history, commit)
    while landing := landing_at(history, commit):
        base = landing.base
        if not history.is_ancestor(base, commit) or base == commit:
            return
        if proven and history.is_ancestor(base, proven):
            return
        if landing_at(history, base) is None:
            return
        yield base
        commit = base


# --- making one


def raised(history: History, on: str | None) -> Landing:
    """Commit a record of the next landing, on top of a commit where the one before landed.

    That is origin/main unless a commit is named. Raises RefusedError if it cannot be.
    """
    if names := history.uncommitted():
        raise RefusedError(f"not everything is committed ({names[0]}): commit it, or remove it.")
    base, head = history.commit(on or MAIN), history.commit("HEAD")
    if base is None:
        raise RefusedError(f"there is no commit {on or MAIN} here: name it, `make landing ON=...`.")
    if head is None or head == base or not history.is_ancestor(base, head):
        raise RefusedError(f"HEAD is not on top of {on or MAIN}: rebase, or merge it.")
    before, here = landing_at(history, base), landing_at(history, head)
    number = before.number + 1 if before else here.number if here else 1
    landing = Landing(number, base, head)
    (history.root / LANDING).write_text(landing.line())
    history.git("add", LANDING)
    message = f"Raise the landing to {number}, on top of {base[:8]}"
    history.git("commit", "--quiet", "--message", message, "--", LANDING)
    return landing


# --- what lint refuses


def check(history: History, *, lands: bool) -> str:
    """Return a line on the records of HEAD; raise RefusedError if one is not as it must be.

    With `lands`, HEAD is to land: it must be the commit that raised the number.
    """
    head = history.commit("HEAD")
    if head is None:
        raise RefusedError("there is no commit here.")
    if (text := history.text(head, PROVEN)) is not None:
        proven_of(text)
    seconds_of(history.text(head, SECONDS) or "")
    landing = landing_at(history, head)
    if landing is None:
        raise RefusedError(f"{LANDING} is missing: `make landing` writes it.")
    _check_base(history, head, landing)
    if landing.parent in history.parents(head):
        _check_main(history, head, landing)
        return f"landing {landing.number}, on top of {landing.base[:8]}"
    if lands:
        raise RefusedError(
            f"HEAD did not raise the number in {LANDING}, {landing.number}: whoever lands does "
            f"`make landing` last."
        )
    return f"landing {landing.number} and later commits: whoever lands raises it by `make landing`"


def _check_base(history: History, head: str, landing: Landing) -> None:
    """Raise RefusedError if a number is not the one after that of the commit it is on top of."""
    if history.commit(landing.base) is None:
        raise RefusedError(
            f"{LANDING} is on top of {landing.base[:8]}, which is not here: fetch the whole "
            f"history."
        )
    if head == landing.base or not history.is_ancestor(landing.base, head):
        raise RefusedError(
            f"{LANDING} is on top of {landing.base[:8]}, which is no ancestor: do `make landing`."
        )
    try:
        before = landing_at(history, landing.base)
    except RefusedError as error:
        raise RefusedError(f"at {landing.base[:8]}, {error}") from error
    if before and landing.number != before.number + 1:
        raise RefusedError(
            f"{LANDING} has {landing.number}, and {before.number} at {landing.base[:8]}, which it "
            f"is on top of: it must be {before.number + 1}. Do `make landing`."
        )


def _check_main(history: History, head: str, landing: Landing) -> None:
    """Raise RefusedError for a landing that is to be on top of main as it was, not as it is."""
    main = history.commit(MAIN)
    if main is None or history.is_ancestor(head, main):
        return  # this is main, as in a clone of it, or was
    if main != landing.base:
        raise RefusedError(
            f"{LANDING} is on top of {landing.base[:8]}, and {MAIN} is {main[:8]} by now: rebase, "
            f"or merge it, and do `make landing`."
        )


def check_proven(history: History, commit: str) -> None:
    """Raise RefusedError unless all was run at a commit: records alone are different since."""
    proven = proven_before(history, commit)
    if proven is None:
        raise RefusedError("no commit before this one is proven: do `make long`, and commit that.")
    if names := sorted(history.changed(proven, commit) - RECORDS):
        raise RefusedError(
            f"`make long` proved {proven[:8]}, and {names[0]} has changed since: do it again."
        )
    if OLDER in (history.text(commit, PROVEN) or ""):
        raise RefusedError(
            f"some units passed before {proven[:8]}, and not at it: do `make long` in a new clone."
        )

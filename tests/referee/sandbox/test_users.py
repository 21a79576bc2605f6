"""The users that bots are run as: nobody else's."""

import grp
import os
import subprocess
import sys
from pathlib import Path

import pytest

from referee.sandbox.users import USERS, claim_uids


@pytest.fixture
def user(root_only: None) -> int:
    """A user that nobody is, and no other test takes."""
    return 1_000_000 + os.getpid() * 4 * USERS


def users_from(first: int) -> range:
    """Return the users that a referee gets who asks for those from `first` on."""
    found, claim = claim_uids(first)
    claim.close()
    return range(found, found + USERS)


def test_a_claim_that_begins_between_has_no_user_in_common(user: int) -> None:
    found, claim = claim_uids(user)
    with claim:
        assert found == user
        for first in (user - USERS + 1, user - 1, user, user + 1, user + USERS - 1):
            assert not {*users_from(first)} & {*range(user, user + USERS)}
    assert users_from(user).start == user


def test_another_network_namespace_has_no_user_in_common(user: int) -> None:
    script = f"from referee.sandbox.users import claim_uids; print(claim_uids({user})[0])"
    words = ["unshare", "--net", sys.executable, "-c", script]
    _, claim = claim_uids(user)
    with claim:
        ran = subprocess.run(words, capture_output=True, text=True, cwd=Path(__file__).parents[3])
    if ran.stderr.startswith("unshare"):
        pytest.skip(f"ANOTHER NETWORK IS NOT TRIED HERE: {ran.stderr}")
    assert ran.stdout == f"{user + USERS}\n", ran.stderr


def test_a_user_without_a_name_who_runs_something_is_not_taken(user: int) -> None:
    busy = user + 5
    with subprocess.Popen(["/bin/sleep", "60"], user=busy, group=busy, extra_groups=[]) as process:
        try:
            assert busy not in users_from(user)
        finally:
            process.kill()
    assert busy in users_from(user)


def test_nor_is_the_number_of_a_group(user: int, monkeypatch: pytest.MonkeyPatch) -> None:
    known = grp.getgrgid
    monkeypatch.setattr(grp, "getgrgid", lambda number: known(0 if number == user else number))
    assert user not in users_from(user)

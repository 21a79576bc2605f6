"""The self test: a sandbox that holds passes it, and a part that is missing refuses the run."""

import tempfile
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from referee.limits import Limits
from referee.sandbox import Launcher, Program, SandboxError, prove, seccomp
from referee.sandbox.bwrap import BwrapSandbox
from referee.sandbox.kinds import LandlockSandbox, Request, Sandbox
from referee.sandbox.uid import UidSandbox
from tests.referee.process_watch import children, descriptors
from tests.referee.sandbox.sandboxed import limits, need_mounts

Breaking = Callable[[type[Sandbox], Callable[[Request], None]], None]


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> Breaking:
    """Leave out a part of what one kind of sandbox asks for."""

    def broken(kind: type[Sandbox], leave_out: Callable[[Request], None]) -> None:
        whole: Any = kind.around

        def around(self: Sandbox, program: Program, allowed: Limits, uid: int | None) -> Request:
            request: Request = whole(self, program, allowed, uid)
            leave_out(request)
            return request

        monkeypatch.setattr(kind, "around", around)

    return broken


def refusal(launcher: Launcher) -> str:
    """Return why the self test refuses; nothing may be left of it."""
    open_before = descriptors()
    with pytest.raises(SandboxError) as caught:
        prove(launcher, limits(launcher))
    assert not list(Path(launcher.folder or "").glob("canary-*"))
    assert descriptors() == open_before
    assert children(launcher._server.pid) == set()
    return caught.value.what


def test_a_sandbox_that_holds_passes(sandboxed: Launcher) -> None:
    open_before = descriptors()
    prove(sandboxed, limits(sandboxed))
    assert not list(Path(sandboxed.folder or "").glob("canary-*"))
    assert descriptors() == open_before
    assert children(sandboxed._server.pid) == set()


def test_without_a_sandbox_there_is_nothing_to_prove() -> None:
    with Launcher("none") as launcher:
        prove(launcher, Limits(sandbox="none"))


def test_a_missing_filter_is_noticed(in_landlock: Launcher, broken: Breaking) -> None:
    broken(LandlockSandbox, lambda request: request.update(seccomp=None))
    assert refusal(in_landlock) == (
        "the self test failed: a sandboxed process could open a socket. No match was played."
    )


def test_a_missing_ruleset_is_noticed(in_landlock: Launcher, broken: Breaking) -> None:
    broken(LandlockSandbox, lambda request: request.update(landlock=None))
    what = refusal(in_landlock)
    assert "could read a file outside its folder" in what or "could write a file" in what


def test_no_sandbox_at_all_is_noticed(in_landlock: Launcher, broken: Breaking) -> None:
    broken(LandlockSandbox, lambda request: request.update(landlock=None, seccomp=None))
    assert "the self test failed" in refusal(in_landlock)


def test_a_ruleset_that_opens_too_much_is_noticed(in_landlock: Launcher, broken: Breaking) -> None:
    readable = (tempfile.gettempdir(), 1 << 2)
    broken(LandlockSandbox, lambda request: request["landlock"]["rules"].append(readable))
    assert "could read a file outside its folder" in refusal(in_landlock)


def test_a_filter_that_allows_children_is_noticed(
    in_landlock: Launcher, broken: Breaking, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seccomp, "PASSING", ())  # by which the fork server has its end of a filter
    lax = seccomp.build(own_pid=False, children=True)
    code = {"code": b64encode(lax.code).decode(), "own_pid_at": lax.own_pid_at}
    broken(LandlockSandbox, lambda request: request.update(seccomp=code))
    assert "could start a child" in refusal(in_landlock)


def test_a_bwrap_that_shows_the_temporary_folder_is_noticed(
    in_bwrap: Launcher, broken: Breaking
) -> None:
    folder = tempfile.gettempdir()

    def bind(request: Request) -> None:
        request["argv"][1:1] = ["--ro-bind", folder, folder]

    broken(BwrapSandbox, bind)
    assert "could read a file outside its folder" in refusal(in_bwrap)


def test_a_bwrap_without_the_filter_is_noticed(in_bwrap: Launcher, broken: Breaking) -> None:
    def drop(request: Request) -> None:
        at = request["argv"].index("--seccomp")
        del request["argv"][at : at + 2]

    broken(BwrapSandbox, drop)
    assert "could open a socket" in refusal(in_bwrap)


@pytest.mark.parametrize(
    ("part", "what"),
    [("root", "could write a file"), ("seccomp", "could open a socket")],
)
def test_a_part_of_uid_that_is_missing_is_noticed(
    part: str, what: str, in_uid: Launcher, broken: Breaking
) -> None:
    broken(UidSandbox, lambda request: request.update({part: None}))
    assert what in refusal(in_uid)


def test_a_root_of_uid_that_shows_too_much_is_noticed(in_uid: Launcher, broken: Breaking) -> None:
    need_mounts()
    folder = tempfile.gettempdir()
    broken(UidSandbox, lambda request: request["root"]["shown"].append(("bind", folder, "")))
    assert "could read a file outside its folder" in refusal(in_uid)


def test_a_canary_that_cannot_be_started_refuses(in_landlock: Launcher, broken: Breaking) -> None:
    broken(LandlockSandbox, lambda request: request.update(argv=["/no/such/python"]))
    assert refusal(in_landlock) == (
        "the self test could not be started: /no/such/python: No such file or directory."
    )


def test_a_canary_that_does_not_finish_refuses(in_landlock: Launcher, broken: Breaking) -> None:
    broken(LandlockSandbox, lambda request: request.update(argv=["/bin/sh", "-c", ":"]))
    assert refusal(in_landlock) == "the self test did not end: it said nothing."


def test_a_canarys_own_failure_is_told(in_landlock: Launcher, broken: Breaking) -> None:
    words = ["/bin/sh", "-c", "echo no Python here >&2"]
    broken(LandlockSandbox, lambda request: request.update(argv=words))
    assert refusal(in_landlock) == "the self test did not end: no Python here."


def test_the_refusal_says_how_to_do_without(in_landlock: Launcher, broken: Breaking) -> None:
    broken(LandlockSandbox, lambda request: request.update(seccomp=None))
    with pytest.raises(SandboxError, match="To run bots without any protection, say --sandbox"):
        prove(in_landlock, limits(in_landlock))


def test_the_canary_writes_nothing_into_the_package(sandboxed: Launcher) -> None:
    folder = Path(prove.__code__.co_filename).parent
    before = sorted(folder.iterdir())
    prove(sandboxed, limits(sandboxed))
    assert sorted(folder.iterdir()) == before

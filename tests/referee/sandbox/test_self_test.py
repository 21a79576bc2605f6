"""The self test: a sandbox that holds passes it, and a part that is missing refuses the run."""

import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from referee.limits import Limits
from referee.sandbox import Launcher, SandboxError, StartError, prove, seccomp
from referee.sandbox.bwrap import BwrapSandbox
from referee.sandbox.enclosure import Enclosure, loaded
from referee.sandbox.kinds import LandlockSandbox, Sandbox
from referee.sandbox.uid import UidSandbox
from tests.referee.process_watch import children, descriptors
from tests.referee.sandbox.sandboxed import limits, need, need_mounts

Breaking = Callable[[type[Sandbox], Callable[[Enclosure], None]], None]


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> Breaking:
    """Leave out a part of what one kind of sandbox asks for."""

    def broken(kind: type[Sandbox], leave_out: Callable[[Enclosure], None]) -> None:
        whole: Any = kind.around

        def around(*asked: Any) -> Enclosure:
            found: Enclosure = whole(*asked)
            leave_out(found)
            return found

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


def test_a_sandbox_that_holds_passes_and_nothing_is_left(sandboxed: Launcher) -> None:
    package = Path(prove.__code__.co_filename).parent
    before = {*package.iterdir(), package / "__pycache__"}  # which is the fork server's
    open_before = descriptors()
    prove(sandboxed, limits(sandboxed))
    assert not list(Path(sandboxed.folder or "").glob("canary-*"))
    assert descriptors() == open_before
    assert children(sandboxed._server.pid) == set()
    assert {*package.iterdir()} <= before


def test_without_a_sandbox_there_is_nothing_to_prove() -> None:
    with Launcher("none") as launcher:
        prove(launcher, Limits(sandbox="none"))


SOCKET = "could open a socket"
OUTSIDE = "could read a file outside its folder"
FAILED = f"^the self test failed: a sandboxed process {SOCKET}. No match was played.$"
NO_PYTHON = "^the self test could not be started: /no/such/python: No such file or directory.$"
KINDS = {"landlock": LandlockSandbox, "bwrap": BwrapSandbox, "uid": UidSandbox}


def instead(**parts: Any) -> Callable[[Enclosure], None]:
    """Return what puts other parts into an enclosure."""

    def put(around: Enclosure) -> None:
        around.update(parts)  # type: ignore[typeddict-item]

    return put


def said(text: str) -> Callable[[Enclosure], None]:
    """Return what runs a line of shell in place of the self test."""
    return instead(argv=["/bin/sh", "-c", text])


def show(around: Enclosure) -> None:
    folder = tempfile.gettempdir()
    first, *more = around["argv"]
    if root := around.get("root"):
        need_mounts()
        root["shown"] = [*root["shown"], ("bind", folder, "")]
    elif ruleset := around.get("landlock"):
        ruleset["rules"].append((folder, 1 << 2))
    else:
        around["argv"] = [first, "--ro-bind", folder, folder, *more]


def drop_filter(around: Enclosure) -> None:
    at = around["argv"].index("--seccomp")
    around["argv"] = [*around["argv"][:at], *around["argv"][at + 2 :]]


@pytest.mark.parametrize(
    ("sandbox", "leave_out", "says"),
    [
        ("landlock", instead(seccomp=None), FAILED),
        ("landlock", instead(landlock=None), f"{OUTSIDE}|could write a file"),
        ("landlock", instead(landlock=None, seccomp=None), "the self test failed"),
        ("landlock", instead(argv=["/no/such/python"]), NO_PYTHON),
        ("landlock", said(":"), "^the self test did not end: it said nothing.$"),
        ("landlock", said("echo no Python >&2"), "^the self test did not end: no Python.$"),
        ("landlock", show, OUTSIDE),
        ("bwrap", show, OUTSIDE),
        ("bwrap", drop_filter, SOCKET),
        ("uid", instead(root=None), "could write a file"),
        ("uid", instead(seccomp=None), SOCKET),
        ("uid", show, OUTSIDE),
    ],
    indirect=["sandbox"],
)
def test_what_is_missing_or_opens_too_much_is_noticed(
    sandboxed: Launcher,
    sandbox: str,
    broken: Breaking,
    leave_out: Callable[[Enclosure], None],
    says: str,
) -> None:
    broken(KINDS[sandbox], leave_out)
    assert re.search(says, refusal(sandboxed))


def test_a_filter_that_allows_children_is_noticed(
    in_landlock: Launcher, broken: Breaking, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seccomp, "PASSING", ())  # by which the fork server has its end of a filter
    lax = seccomp.build(own_pid=False, children=True)
    broken(LandlockSandbox, instead(seccomp=loaded(lax)))
    assert "could start a child" in refusal(in_landlock)


@pytest.mark.parametrize(
    ("reason", "remedy"),
    [
        ("bwrap failed: bwrap: setting up uid map: Permission denied", "AppArmor profile"),
        ("bwrap failed: bwrap: No permissions to create new namespace", "`arena doctor` shows"),
        ("Exec format error", "could not be started: Exec format error"),
    ],
)
def test_why_the_canary_did_not_start_is_told_with_the_remedy(
    in_landlock: Launcher, reason: str, remedy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise StartError(reason)

    monkeypatch.setattr(in_landlock, "start", refuse)
    with pytest.raises(SandboxError) as error:
        prove(in_landlock, Limits())
    for words in (reason, remedy, "To run bots without any protection, say --sandbox none"):
        assert words in str(error.value)


SUPERVISED = """
import ctypes, struct
libc = ctypes.CDLL(None, use_errno=True)
allow = ctypes.create_string_buffer(struct.pack("<HBBI", 0x06, 0, 0, 0x7FFF0000), 8)
program = struct.pack("@HP", 1, ctypes.addressof(allow))
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.syscall(317, 1, 1 << 3, program) >= 0  # a filter with a listener

from referee.limits import Limits
from referee.sandbox import Launcher, SandboxError, prove
with Launcher("landlock", uid=0) as launcher:
    try:
        prove(launcher, Limits())
    except SandboxError as error:
        print(error)
"""


def test_a_supervisor_of_system_calls_that_is_there_already_is_named() -> None:
    need("landlock")
    done = subprocess.run([sys.executable, "-c", SUPERVISED], capture_output=True, text=True)
    assert done.stderr == ""
    assert "another program already supervises system calls" in done.stdout
    assert "Switch it off. `arena doctor` shows" in done.stdout

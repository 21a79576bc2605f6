import subprocess
import sys

import pytest

from referee.limits import Limits
from referee.sandbox import Launcher, SandboxError, StartError, prove
from tests.referee.sandbox.sandboxed import need


@pytest.mark.parametrize(
    ("reason", "remedy"),
    [
        ("bwrap failed: bwrap: setting up uid map: Permission denied", "AppArmor profile"),
        ("bwrap failed: bwrap: No permissions to create new namespace", "`arena doctor` shows"),
        ("Exec format error", "could not be started: Exec format error"),
    ],
)
def test_why_the_canary_did_not_start_is_told_with_the_remedy(
    reason: str, remedy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise StartError(reason)

    with Launcher("landlock") as launcher:
        monkeypatch.setattr(launcher, "start", refuse)
        with pytest.raises(SandboxError) as error:
            prove(launcher, Limits())
    assert reason in str(error.value)
    assert remedy in str(error.value)
    assert "--sandbox none" in str(error.value)


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

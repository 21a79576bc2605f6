import pytest

from referee.limits import Limits
from referee.sandbox import Launcher, SandboxError, StartError, prove


@pytest.mark.parametrize(
    ("reason", "remedy"),
    [
        ("bwrap failed: bwrap: setting up uid map: Permission denied", "AppArmor profile"),
        ("bwrap failed: bwrap: No permissions to create new namespace", "--sandbox landlock"),
        ("/tmp/x: Permission denied", "set TMPDIR"),
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

"""A bot in bwrap gets ready by the wall: no clock shows what its children use."""

from pathlib import Path

import pytest

from referee.limits import Limits
from referee.sandbox import PYTHON, Launcher, Program
from referee.starting import StartupError, start_bot
from tests.referee.sandbox.sandboxed import need


def test_a_bot_in_bwrap_is_waited_for_as_long_as_the_limit_says(tmp_path: Path) -> None:
    need("bwrap")
    (tmp_path / "bot.py").write_text("import time; time.sleep(60)")
    program = Program((PYTHON, "bot.py"), str(tmp_path), ("bot.py",))
    limits = Limits(sandbox="bwrap", startup=0.4)  # whose cap, were CPU judged, is over a second
    with (
        Launcher(limits.sandbox) as launcher,
        pytest.raises(StartupError, match=r"no answer after 0\.\d+ s; 0\.400 s allowed"),
    ):
        start_bot(launcher, program, limits, "bot")
    assert limits.startup_cap == 0.4

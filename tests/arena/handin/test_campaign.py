"""An intake that is killed again and again."""

import tempfile
from pathlib import Path

import pytest

from tests.arena.handin.campaign import kill_at_random


@pytest.mark.slow
def test_nothing_is_lost_stuck_or_doubled_by_thirty_kills() -> None:
    with tempfile.TemporaryDirectory() as folder:  # which other users can enter, unlike tmp_path
        Path(folder).chmod(0o755)
        counts = kill_at_random(Path(folder), kills=30, seed=1)
    assert counts["playing"]

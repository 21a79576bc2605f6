"""What holds of environments when root runs the arena holds for an ordinary user."""

import os
import re
from pathlib import Path

import msgspec
import pytest

from tests.referee.sandbox.sandboxed import as_user, python_of

STRANGER = 61234
HERE = Path(__file__).parent
ROOT = HERE.parents[2]
CHOSEN = "each_sandbox or nobody_may_write or made_once or leads_elsewhere or nothing_of_a_wheel"


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="WHAT ROOT DOES IS NOT TESTED HERE: run as root, too")
def test_an_ordinary_user_has_the_same_environments(public: Path) -> None:
    public.chmod(0o777)
    words = [
        *(python_of(STRANGER), "-m", "pytest", "-q", "-p", "no:cacheprovider"),
        *("-p", "no:hypothesispytest", "-c", str(ROOT / "pyproject.toml"), f"--rootdir={ROOT}"),
        *(f"--basetemp={public / 'b'}", str(HERE), "-k", CHOSEN),
    ]
    done = as_user(STRANGER, words, f"{ROOT}:{Path(msgspec.__file__).parents[1]}")
    assert done.returncode == 0, f"{done.stdout[-4000:]}\n{done.stderr}"
    assert re.search(r"[1-9]\d* passed", done.stdout)

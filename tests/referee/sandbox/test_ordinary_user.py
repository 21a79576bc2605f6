"""What holds when root runs the arena holds for an ordinary user: the same tests, run as one."""

import re
from pathlib import Path

import msgspec
import pytest

from tests.referee.sandbox.sandboxed import as_user, python_of

STRANGER = 61234
HERE = Path(__file__).parent
ROOT = HERE.parents[2]


@pytest.mark.slow
@pytest.mark.usefixtures("root_only")
@pytest.mark.parametrize(
    "module",
    [
        *("test_kinds", "test_self_test", "test_languages", "test_stage", "test_door"),
        "test_workshop",
    ],
)
def test_an_ordinary_user_has_the_same_sandbox(module: str, public: Path) -> None:
    public.chmod(0o777)
    python = python_of(STRANGER)
    words = [
        *(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:hypothesispytest"),
        *("-c", str(ROOT / "pyproject.toml"), f"--rootdir={ROOT}", f"--basetemp={public / 'b'}"),
        *("-k", "not at_any_step", str(HERE / f"{module}.py")),
    ]
    done = as_user(STRANGER, words, f"{ROOT}:{Path(msgspec.__file__).parents[1]}")
    assert done.returncode == 0, f"{done.stdout[-4000:]}\n{done.stderr}"
    assert re.search(r"[1-9]\d* passed", done.stdout)

"""GPUs for bots: what is let through, one for each launcher, and where there is none.

The machine need have no GPU: other devices stand under their names, in a /dev of its own. What
CUDA itself needs was tried on a machine that has one; see docs/sandbox.md.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from referee.limits import Limits
from referee.sandbox import Launcher, Program, SandboxError
from referee.sandbox.devices import Devices, gpus
from tests.attacks.gpus import beside_gpus, driver
from tests.referee.sandbox.sandboxed import ROOT, need

pytestmark = pytest.mark.skipif(bool(gpus()), reason="there is a true GPU here")
HERE = Path(__file__).parent
PROJECT = HERE.parents[2]


def found(folder: Path, count: int, act: str) -> list[dict[str, str]]:
    """Return what the bots of a script could do where there are so many GPUs."""
    before = beside_gpus(count, driver(folder / "driver"), as_root=ROOT)
    script = [sys.executable, "-m", "tests.referee.sandbox.with_gpus", act, str(folder)]
    ran = subprocess.run(
        [*before, *script], cwd=PROJECT, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    return [json.loads(line) for line in ran.stdout.splitlines()]


def test_a_bot_gets_the_files_of_one_gpu_and_no_other_device(public: Path) -> None:
    need("bwrap")
    one, other, without = found(public, 2, "bots")
    for bot, gpu, not_its in ((one, "nvidia0", "nvidia1"), (other, "nvidia1", "nvidia0")):
        assert bot[f"open {gpu}"] == "done"
        assert bot["open nvidiactl"] == bot["open nvidia-uvm"] == "done"
        assert bot[f"open {not_its}"] == "FileNotFoundError"
        assert bot["open zero"] == bot["open kmsg"] == "FileNotFoundError"
        assert bot["load the library"] == bot["name a thread"] == bot["a unix socket"] == "done"
        assert bot["shared memory"] == "done"
        assert bot["a datagram socket"] == bot["the network"] == "PermissionError"
        assert bot["write to /proc/sys"] == bot["write to /proc/pressure"] == "OSError"
    assert without["open nvidia0"] == without["open nvidiactl"] == "FileNotFoundError"
    assert without["load the library"] == "OSError"
    assert without["name a thread"] == "FileNotFoundError"
    assert without["a unix socket"] == without["shared memory"] == "PermissionError"


def test_gpus_are_shared_evenly(public: Path) -> None:
    need("bwrap")
    (claimed,) = found(public, 2, "claims")
    assert claimed == {"three": ["nvidia0", "nvidia1", "nvidia0"], "again": "nvidia1"}


GONE = "MachineError: /dev/nvidia0, a device that bots may use, is gone. See whether nvidia-smi "
GONE += "works, and run again."
NONE = "SandboxError: no GPU can be used: "


@pytest.mark.parametrize(
    ("act", "why"),
    [
        ("gone", GONE),
        (
            "closed",
            f"{NONE}bots, which run as uid N and on, may not open /dev/nvidia0. Open it to ",
        ),
        (
            "library",
            f"{NONE}libcuda.so.1 is not here, which neither the linker knows (ldconfig -p) nor ",
        ),
        (
            "memory",
            f"{NONE}there is no /dev/nvidia-uvm here. `nvidia-modprobe -u -c 0` makes it, as root",
        ),
    ],
)
def test_what_is_missing_or_goes_is_named(public: Path, act: str, why: str) -> None:
    need("bwrap")
    (said,) = found(public, 1, act)
    assert re.sub(r"uid \d+", "uid N", said["error"]).startswith(why)


def test_where_there_is_none_it_is_said_and_none_is_claimed() -> None:
    need("bwrap")
    program = Program((sys.executable, "with_gpus.py"), str(HERE), ("with_gpus.py",))
    limits = Limits(sandbox="bwrap", devices=("nvidia",))
    with (
        Launcher("bwrap") as launcher,
        pytest.raises(SandboxError, match="there is no /dev/nvidiactl"),
    ):
        launcher.check(program, limits)
    Devices().close()

"""Machines that show less of /proc than others: systemd's ProcSubset=pid, containers, a chroot."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.arena.conftest import ROOT
from tests.faults.workshop import need_root

pytestmark = pytest.mark.slow

LESS = {
    "only processes": "mount -t proc -o subset=pid proc /proc",
    "an empty meminfo": "mount --bind /dev/null /proc/meminfo",
    "no /sys": "mount -t tmpfs none /sys",
    "none": "mount -t tmpfs none /proc",
}


@pytest.mark.parametrize("pace", ["fast", "slow"])
@pytest.mark.parametrize("less", LESS)
def test_a_league_is_played_whole_or_refused_before_its_first_match(
    tmp_path: Path, less: str, pace: str
) -> None:
    need_root("another /proc")
    words = ["init", "cup", "--game", "guerra", "random", "rusher", "--deals", "2"]

    def arena(*words: str, before: str = "true") -> "subprocess.CompletedProcess[str]":
        line = f'{before} && exec "$@"'
        return subprocess.run(
            ["unshare", "-m", "sh", "-c", line, "sh", sys.executable, "-m", "arena", *words],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )

    assert arena(*words, "--limit", f"pace={pace}").returncode == 0
    done = arena("run", "cup", before=LESS[less])
    doctor = arena("doctor", "--format", "json", before=LESS[less])
    assert (doctor.returncode, "Traceback" in doctor.stderr) == (0, False), doctor.stderr
    found = {row["what"]: row["value"] for row in json.loads(doctor.stdout)["doctor"]}
    if less == "none":
        said = "arena: there is no /proc here, by which bots are watched: mount -t proc proc /proc"
        assert done.stderr.splitlines()[-1] == said
        assert found["sandbox landlock"] == "does not work"
        return
    assert done.returncode == 0, done.stderr
    assert found["sandbox landlock"] == "works"
    table = json.loads(arena("rank", "cup", "--format", "json").stdout)
    assert (table["matches"], table["missing"]) == (4, 0)

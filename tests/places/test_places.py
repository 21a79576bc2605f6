"""Which sandboxes work in containers, emulated by the profiles that their engines publish.

The page docs/sandbox.md has the same in a table.
"""

import itertools
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.places.emulated import PLACES
from tests.referee.sandbox.sandboxed import need, need_mounts

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        os.getuid() != 0 or platform.machine() != "x86_64",
        reason="CONTAINERS ARE NOT TRIED HERE: only root on x86_64 can emulate them",
    ),
]

WORKING = ("landlock (ABI ", "bwrap 0.", "uid (chroot)", "uid (mount namespace)")
LANDLOCK, BWRAP, CHROOT, MOUNTS = WORKING
_NAMESPACES = "bwrap may not create user namespaces here"
_BLOCKED = "the container's seccomp profile blocks Landlock"
_NO_KERNEL = "this kernel has no Landlock"
_NEITHER = "uid needs root's rights to change the user and to have another root"
_ENDLESS = "as root, bots run as users of their own, and their processes cannot be ended here"
FOUND = {
    "docker": (LANDLOCK, _NAMESPACES, CHROOT),
    "docker-2021": (_BLOCKED, _NAMESPACES, CHROOT),
    "podman": (LANDLOCK, "bwrap cannot make its namespaces here", CHROOT),
    "cri-o": (_BLOCKED, _NAMESPACES, _NEITHER),
    "like-gvisor": (_NO_KERNEL, _NAMESPACES, CHROOT),
    "no-listener": ("the filter of system calls cannot be loaded", _NAMESPACES, CHROOT),
    "no-landlock": (_NO_KERNEL, BWRAP, MOUNTS),
    "no-setuid": (_BLOCKED, "bots cannot be started: they are to run as uid", _NEITHER),
    "no-kill": (_ENDLESS, _ENDLESS, _ENDLESS),
}
"""How the remark on each sandbox begins: its name, or why it does not work."""
PYTHON = [sys.executable, "-m", "arena"]
ARENA = " ".join(PYTHON)


def inside(
    place: str, *words: str, folder: Path | None = None
) -> "subprocess.CompletedProcess[str]":
    """Run a command in an emulated place."""
    need_mounts()
    command = [sys.executable, "-m", "tests.places.emulated", place, *words]
    root = Path(__file__).parents[2]
    env = {**os.environ, "PYTHONPATH": str(root)}
    ran = subprocess.run(
        command, capture_output=True, text=True, cwd=folder or root, env=env, timeout=300
    )
    assert "Traceback" not in ran.stderr
    return ran


@pytest.mark.parametrize("place", FOUND)
def test_the_doctor_says_which_sandboxes_work(place: str) -> None:
    need("landlock")
    need("bwrap")
    ran = inside(place, *PYTHON, "doctor", "--format", "json")
    assert ran.returncode == 0, ran.stderr
    found = {row["what"].removeprefix("sandbox "): row for row in json.loads(ran.stdout)["doctor"]}
    for sandbox, begins in zip(("landlock", "bwrap", "uid"), FOUND[place], strict=True):
        row = found[sandbox]
        assert row["remark"].startswith(begins), row
        assert (row["value"] == "works") == (begins in WORKING), row
        assert "\n" not in row["remark"]
        assert "--sandbox" not in row["remark"], "none may name another that works no better"
        assert ("/proc seen" in row["remark"]) == (begins == LANDLOCK), "without mount namespaces"


def test_every_emulated_place_is_tried() -> None:
    assert {place for place, made in PLACES.items() if made.is_root} == set(FOUND)


@pytest.mark.parametrize(
    ("place", "sandbox"),
    [
        *itertools.product(("docker", "podman"), ("landlock", "uid")),
        *(("like-gvisor", "uid"), ("no-landlock", "bwrap"), ("no-landlock", "uid")),
    ],
)
def test_a_league_is_played(place: str, sandbox: str, tmp_path: Path) -> None:
    need(sandbox)
    script = (
        f"{ARENA} init cup --game khan random sensible --deals 1 --sandbox {sandbox} && "
        f"{ARENA} run cup > /dev/null && {ARENA} matches cup --format json"
    )
    ran = inside(place, "/bin/sh", "-c", script, folder=tmp_path)
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout[ran.stdout.index("{") :])
    assert len(told["matches"]) == 2, ran.stderr
    shown = inside(place, *PYTHON, "show", "cup", told["matches"][0]["match"], folder=tmp_path)
    assert re.search(rf"sandbox {sandbox}\b", shown.stdout), shown.stdout
    shutil.rmtree(tmp_path / "cup")


def test_a_sandbox_that_is_not_there_is_refused_and_no_other_taken(tmp_path: Path) -> None:
    script = f"{ARENA} init cup --game khan random sensible --deals 1 && {ARENA} run cup"
    ran = inside("like-gvisor", "/bin/sh", "-c", script, folder=tmp_path)
    assert ran.returncode != 0
    last = ran.stderr.strip().splitlines()[-1]
    assert "sandbox: this kernel has no Landlock" in last
    assert "`arena doctor` shows which of landlock, bwrap and uid work here" in last


def test_a_league_for_a_sandbox_that_is_not_there_is_made_with_a_warning(tmp_path: Path) -> None:
    words = ("init", "cup", "--game", "khan", "random", "sensible", "--sandbox", "uid")
    ran = inside("cri-o", *PYTHON, *words, folder=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert "It cannot be played here: sandbox: uid needs root's rights" in ran.stderr


PLAY = (*PYTHON, "play", "duel", "random", "random", "--sandbox")


@pytest.mark.parametrize("sandbox", ["landlock", "bwrap", "uid"])
def test_root_that_could_not_end_bots_is_told_so(sandbox: str) -> None:
    ran = inside("no-kill", *PLAY, sandbox)
    assert ran.returncode == 2
    assert "cannot be ended here without CAP_KILL. Give the container" in ran.stderr


def test_root_of_a_user_namespace_that_knows_no_other_user_is_told_so() -> None:
    need_mounts()
    ran = subprocess.run(
        ["unshare", "--user", "--map-root-user", *PLAY, "landlock"], capture_output=True, text=True
    )
    if ran.stderr.startswith("unshare"):
        pytest.skip(f"NO USER NAMESPACE IS TRIED HERE: {ran.stderr}")
    assert ran.returncode == 2
    assert "are free and known to this user namespace" in ran.stderr
    assert "Traceback" not in ran.stderr

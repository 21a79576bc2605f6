"""Which cgroup is ours to divide, and why there is none: read from folders made like the kernel's.

Bots in real cgroups are in test_cgroup_real.py.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from referee.limits import Limits
from referee.sandbox import Launcher, MachineError, bot_cgroup, cgroup, prove
from referee.sandbox.cgroup import BotCgroup, delegated
from referee.sandbox.errors import CgroupError
from tests.attacks.users import USER_ID
from tests.referee.sandbox.sandboxed import ROOT

PROJECT = Path(__file__).parents[3]
FILES = (
    *("cgroup.kill", "cgroup.type", "memory.max", "memory.oom.group", "memory.peak"),
    *("memory.swap.max", "pids.max", "cgroup.procs", "cgroup.subtree_control"),
)


class Kernel:
    """What a kernel would show of a process, in a folder; its cgroup is `own`."""

    def __init__(self, folder: Path, own: str = "/user/mine") -> None:
        self.proc = folder / "proc"
        self.proc.mkdir()
        self.top = folder / "cgroups"
        self.own = self.top / own.lstrip("/")
        self.own.mkdir(parents=True)
        for name in FILES:
            (self.own / name).touch()
        self.controllers("cpu memory pids")
        (self.proc / "cgroup").write_text(f"0::{own}\n")
        self.mount("cgroup2")

    def controllers(self, names: str) -> None:
        (self.own / "cgroup.controllers").write_text(f"{names}\n")

    def mount(self, kind: str, part: str = "/", where: str = "") -> None:
        place = where or str(self.top)
        (self.proc / "mountinfo").write_text(
            f"29 23 0:26 / /sys rw shared:1 - sysfs sysfs rw\n"
            f"30 29 0:27 {part} {place} rw,nosuid shared:4 master:1 - {kind} {kind} rw\n"
        )

    def refusal(self) -> str:
        """Return why there is no cgroup: one line."""
        with pytest.raises(CgroupError) as caught:
            delegated(self.proc)
        said = str(caught.value)
        assert said.startswith("cgroup = true: ")
        assert "\n" not in said
        return said


@pytest.fixture
def kernel(public: Path) -> Kernel:
    """A kernel that shows a cgroup that is delegated."""
    return Kernel(public)


# --- found


def test_our_own_cgroup_is_divided(kernel: Kernel) -> None:
    assert delegated(kernel.proc) == kernel.own


def test_in_the_leaf_of_another_run_it_is_the_one_around(public: Path) -> None:
    kernel = Kernel(public, "/user/mine/bot-arena-itself")
    kernel.own = kernel.own.parent
    for name in FILES:
        (kernel.own / name).touch()
    kernel.controllers("memory pids")
    assert delegated(kernel.proc) == kernel.own


def test_in_a_container_a_part_of_the_hierarchy_is_shown(public: Path) -> None:
    kernel = Kernel(public, "/")
    (kernel.proc / "cgroup").write_text("0::/docker/4711\n")
    kernel.mount("cgroup2", part="/docker/4711")
    assert delegated(kernel.proc) == kernel.top


def test_a_path_may_have_a_space(public: Path) -> None:
    folder = public / "with space"
    folder.mkdir()
    kernel = Kernel(folder)
    kernel.mount("cgroup2", where=str(kernel.top).replace(" ", "\\040"))
    assert delegated(kernel.proc) == kernel.own


ODD = (
    b"",
    b"\n \n29 23 0:26\n29 23 0:26 / /sys rw -\n29 23 0:26 / /sys rw shared:1 cgroup2 rw\n",
    b"28 1 0:25 / /mnt/\xff\x0b\r\xe2\x80\xa8 rw - cgroup2x none rw\n",
    b"28 1 0:25 / /mnt/a\\999 rw - tmpfs none rw\n28 1 0:25 / /mnt/a\\777 rw - tmpfs none rw\n",
)


@pytest.mark.parametrize("odd", ODD)
def test_odd_mounts_and_lines_that_are_none_are_passed_over(kernel: Kernel, odd: bytes) -> None:
    table = kernel.proc / "mountinfo"
    table.write_bytes(odd + table.read_bytes() + odd)
    assert delegated(kernel.proc) == kernel.own


def test_a_mount_may_have_a_name_of_any_bytes(public: Path) -> None:
    kernel = Kernel(public)
    where = os.fsencode(public) + b"/\xff\r\x0b\xe2\x80\xa8 1\\999"
    Path(os.fsdecode(where)).symlink_to(kernel.top)
    escaped = where.replace(b"\\", b"\\134").replace(b" ", b"\\040")
    table = b"30 29 0:27 / " + escaped + b" rw - cgroup2 cgroup2 rw\n"
    (kernel.proc / "mountinfo").write_bytes(table)
    assert delegated(kernel.proc) == Path(os.fsdecode(where)) / "user/mine"


# --- refused


@pytest.mark.parametrize("text", [b"", b"\n\n", b"\xff\xfe\x00", b"0::\n0:\n::\n", b"0::/a\0b\n"])
def test_a_list_of_cgroups_that_names_none_is_told(kernel: Kernel, text: bytes) -> None:
    (kernel.proc / "cgroup").write_bytes(text)
    assert "there is no cgroup v2 here" in kernel.refusal()


@pytest.mark.parametrize("name", ["cgroup", "mountinfo"])
def test_what_the_kernel_does_not_show_is_named(kernel: Kernel, name: str) -> None:
    path = kernel.proc / name
    path.unlink()
    said = kernel.refusal()
    assert f"{path} cannot be read: No such file or directory. /proc must be mounted" in said


def test_one_that_has_gone_is_told(kernel: Kernel) -> None:
    (kernel.proc / "cgroup").write_text("0::/user/mine/gone (deleted)\n")
    assert "gone (deleted) cannot be read: No such file or directory. Start" in kernel.refusal()


@pytest.mark.parametrize("path", ["/..", "/../../user/mine"])
def test_one_outside_of_its_namespace_is_named(kernel: Kernel, path: str) -> None:
    (kernel.proc / "cgroup").write_text(f"0::{path}\n")
    assert f"{path}, is outside of its cgroup namespace" in kernel.refusal()
    kernel.mount("cgroup2", part="/..")  # as that of whoever made the namespace
    (kernel.proc / "cgroup").write_text("0::/\n")
    assert f"{kernel.top} shows cgroups from outside of the arena's cgroup" in kernel.refusal()


def test_without_cgroup_v2_it_says_how_to_mount_it(kernel: Kernel) -> None:
    kernel.mount("tmpfs")
    assert "there is no cgroup v2 here: none is mounted. Mount it, as root: mount -t cgroup2" in (
        kernel.refusal()
    )


@pytest.mark.parametrize(
    ("lines", "there", "words"),
    [
        ("4:memory:/\n3:pids:/\n", "cpu", "the controllers memory and pids belong to cgroup v1"),
        ("4:cpu,memory:/\n", "pids", "the controller memory belongs to cgroup v1"),
    ],
)
def test_controllers_of_cgroup_v1_are_named(
    kernel: Kernel, lines: str, there: str, words: str
) -> None:
    (kernel.proc / "cgroup").write_text(f"{lines}0::/user/mine\n")
    kernel.controllers(there)
    said = kernel.refusal()
    assert words in said
    assert "cgroup_no_v1=all" in said


def test_a_controller_that_is_not_passed_on_is_named_with_the_command(kernel: Kernel) -> None:
    kernel.controllers("pids")
    said = kernel.refusal()
    assert f"{kernel.own} lacks the controller memory. Start the arena in a cgroup of its own" in (
        said
    )
    user = "" if ROOT else "--user "
    assert f"systemd-run {user}--scope -p Delegate=yes arena run" in said
    assert "cgroup_enable=memory" in said


def test_one_that_may_not_be_written_is_not_delegated(kernel: Kernel) -> None:
    for path in (kernel.own, kernel.own / "cgroup.procs", kernel.own / "cgroup.subtree_control"):
        path.chmod(0o555 if path.is_dir() else 0o444)
    text = (
        "import sys; from pathlib import Path; from referee.sandbox.cgroup import delegated\n"
        "try: delegated(Path(sys.argv[1]))\n"
        "except Exception as error: print(type(error).__name__, error)"
    )
    other = {"user": USER_ID, "group": USER_ID, "extra_groups": []} if ROOT else {}
    python = "/usr/bin/python3" if ROOT else sys.executable
    import msgspec

    words = [python, "-c", text, str(kernel.proc)]
    path = f"{PROJECT}:{Path(msgspec.__file__).parents[1]}"
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(words, capture_output=True, text=True, env=environment, **other)  # type: ignore[call-overload]
    assert done.stdout.startswith(
        f"CgroupError cgroup = true: {kernel.own} is not delegated: you may not write to "
        f"{kernel.own}. Start the arena in a cgroup of its own: systemd-run --user --scope"
    ), done.stderr


def test_as_root_one_of_systemds_must_be_delegated_too(
    kernel: Kernel, root_only: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cgroup, "_SYSTEMD", str(kernel.top))
    assert f"{kernel.own} is systemd's, and not delegated. Start" in kernel.refusal()
    os.setxattr(kernel.own, "user.delegate", b"1")
    assert delegated(kernel.proc) == kernel.own


def test_an_older_kernel_is_named(kernel: Kernel) -> None:
    (kernel.own / "memory.peak").unlink()
    said = kernel.refusal()
    assert f"has no memory.peak in {kernel.own}. It must be Linux 5.19 or newer" in said


def test_one_that_is_not_shown_is_named(kernel: Kernel) -> None:
    kernel.mount("cgroup2", part="/elsewhere")
    assert "/user/mine, is not shown in" in kernel.refusal()


def test_where_there_is_none_no_bot_is_started() -> None:
    """Here, or in a cgroup that is full of what is not ours, as most are."""
    try:
        delegated()
    except CgroupError as error:
        why = str(error)
    else:
        pytest.skip("there is a cgroup here: test_cgroup_real.py")
    limits = Limits(sandbox="none", cgroup=True)
    with Launcher("none") as launcher:
        with pytest.raises(CgroupError) as caught:
            prove(launcher, limits)
        assert str(caught.value) == why


def test_a_cgroup_that_cannot_be_used_is_removed(public: Path) -> None:
    """A folder of ours, where no file of a cgroup comes by itself, as without controllers."""
    with pytest.raises(CgroupError, match="lacks a controller"):
        cgroup._claimed(public)
    assert list(public.iterdir()) == []


# --- measured


@pytest.fixture
def bot(public: Path) -> BotCgroup:
    """The cgroup of a bot that holds 3,000 bytes."""
    (public / "memory.peak").write_text("3000\n")
    (public / "memory.max").write_text("4096\n")
    (public / "memory.events").write_text("low 0\nmax 7\noom 0\noom_kill 1\n")
    return BotCgroup(str(public), {"memory.max": "4096"})


def test_the_peak_is_read(bot: BotCgroup) -> None:
    assert bot.peak() == 3000


def test_one_that_was_taken_away_is_told_in_a_line(bot: BotCgroup) -> None:
    Path(bot.folder, "memory.peak").unlink()
    with pytest.raises(MachineError, match="was taken away during the run") as caught:
        bot.peak()
    assert "\n" not in str(caught.value)


def test_so_is_another_bound(bot: BotCgroup) -> None:
    Path(bot.folder, "memory.max").write_text("max\n")
    with pytest.raises(MachineError, match="from 4096 to max"):
        bot.peak()


def test_what_another_limit_has_killed_did_not_lack_memory_of_its_own(bot: BotCgroup) -> None:
    assert bot_cgroup.measured(bot.folder) == {"peak": 3000, "starved": False}
    Path(bot.folder, "memory.events").write_text("low 0\nmax 7\noom 1\noom_kill 1\n")
    assert bot_cgroup.measured(bot.folder) == {"peak": 3000, "starved": True}
    Path(bot.folder, "memory.peak").unlink()
    assert bot_cgroup.measured(bot.folder) == {"peak": None, "starved": False}


def test_a_cgroup_goes_with_those_in_it(public: Path) -> None:
    (public / "one" / "inner").mkdir(parents=True)
    assert bot_cgroup.remove(str(public / "one"))
    assert not (public / "one").exists()
    assert bot_cgroup.remove(str(public / "one"))

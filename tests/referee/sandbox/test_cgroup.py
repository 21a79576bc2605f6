"""Which cgroup is ours to divide, and why there is none: read from folders made like the kernel's.

Bots in real cgroups are in test_cgroup_real.py.
"""

import os
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from referee.limits import Limits
from referee.sandbox import Launcher, MachineError, bot_cgroup, cgroup, prove
from referee.sandbox.cgroup import delegated, peak_of
from referee.sandbox.enclosure import OwnCgroup
from referee.sandbox.errors import SandboxError
from tests.attacks.users import USER_ID
from tests.referee.sandbox.sandboxed import ROOT, as_user, python_of

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
        self.process(f"0::{own}\n")
        self.mount("cgroup2")

    def process(self, cgroups: str, controllers: str = "cpu memory pids") -> None:
        (self.proc / "cgroup").write_bytes(cgroups.encode("latin-1"))
        self.controllers(controllers)

    def controllers(self, names: str) -> None:
        (self.own / "cgroup.controllers").write_text(f"{names}\n")

    def mount(self, kind: str, part: str = "/", where: str = "") -> None:
        place = where or str(self.top)
        (self.proc / "mountinfo").write_text(
            f"29 23 0:26 / /sys rw shared:1 - sysfs sysfs rw\n"
            f"30 29 0:27 {part} {place} rw,nosuid shared:4 master:1 - {kind} {kind} rw\n"
        )

    def refusal(self) -> str:
        with pytest.raises(SandboxError) as caught:
            delegated(self.proc)
        said = str(caught.value)
        assert said.startswith("cgroup = true: ")
        assert "\n" not in said
        return said


@pytest.fixture
def kernel(public: Path) -> Kernel:
    return Kernel(public)


def test_our_own_cgroup_is_divided_or_in_the_leaf_of_another_run_the_one_around(
    kernel: Kernel, public: Path
) -> None:
    assert delegated(kernel.proc) == kernel.own
    (kernel.proc / "cgroup").write_text("0::/user/mine/bot-arena-itself\n")
    (kernel.own / "bot-arena-itself").mkdir()
    kernel.controllers("memory pids")
    assert delegated(kernel.proc) == kernel.own


def test_in_a_container_a_part_of_the_hierarchy_is_shown(public: Path) -> None:
    kernel = Kernel(public, "/")
    (kernel.proc / "cgroup").write_text("0::/docker/4711\n")
    kernel.mount("cgroup2", part="/docker/4711")
    assert delegated(kernel.proc) == kernel.top


ODD = (
    b"",
    b"\n \n29 23 0:26\n29 23 0:26 / /sys rw -\n29 23 0:26 / /sys rw shared:1 cgroup2 rw\n",
    b"28 1 0:25 / /mnt/\xff\x0b\r\xe2\x80\xa8 rw - cgroup2x none rw\n",
    b"28 1 0:25 / /mnt/a\\999 rw - tmpfs none rw\n28 1 0:25 / /mnt/a\\777 rw - tmpfs none rw\n",
)


def test_odd_mounts_and_lines_that_are_none_are_passed_over(kernel: Kernel) -> None:
    table = kernel.proc / "mountinfo"
    usual = table.read_bytes()
    for odd in ODD:
        table.write_bytes(odd + usual + odd)
        assert delegated(kernel.proc) == kernel.own, odd


def test_a_mount_may_have_a_name_of_any_bytes(public: Path) -> None:
    kernel = Kernel(public)
    where = os.fsencode(public) + b"/\xff\r\x0b\xe2\x80\xa8 1\\999"
    Path(os.fsdecode(where)).symlink_to(kernel.top)
    escaped = where.replace(b"\\", b"\\134").replace(b" ", b"\\040")
    table = b"30 29 0:27 / " + escaped + b" rw - cgroup2 cgroup2 rw\n"
    (kernel.proc / "mountinfo").write_bytes(table)
    assert delegated(kernel.proc) == Path(os.fsdecode(where)) / "user/mine"


USER = "" if ROOT else "--user "
OWN = "0::/user/mine\n"
NONE_NAMED = ("", "\n\n", "\xff\xfe\0", "0::\n0:\n::\n", "0::/a\0b\n")
OUTSIDE = "/user/mine, is outside of its cgroup namespace"
GONE = "0::/user/mine/gone (deleted)\n"
V1 = "cgroup v1*cgroup_no_v1=all"
LACKS = "{own} lacks the controller memory. Start the arena in a cgroup of its own: `systemd-run "
LACKS += f"{USER}--scope -p Delegate=yes arena run*cgroup_enable=memory"


@pytest.mark.parametrize(
    ("cgroups", "controllers", "says"),
    [
        *((text, "memory pids", "there is no cgroup v2 here") for text in NONE_NAMED),
        (GONE, "memory pids", "gone (deleted) cannot be read: No such file or directory. Start"),
        ("0::/..\n", "memory pids", "/.., is outside of its cgroup namespace"),
        ("0::/../../user/mine\n", "memory pids", f"/../..{OUTSIDE}"),
        (f"4:memory:/\n3:pids:/\n{OWN}", "cpu", f"the controllers memory and pids belong to {V1}"),
        (f"4:cpu,memory:/\n{OWN}", "pids", f"the controller memory belongs to {V1}"),
        (OWN, "pids", LACKS),
    ],
)
def test_a_process_without_a_cgroup_to_divide_is_told_why(
    kernel: Kernel, cgroups: str, controllers: str, says: str
) -> None:
    kernel.process(cgroups, controllers)
    said = kernel.refusal()
    for words in says.replace("{own}", str(kernel.own)).split("*"):
        assert words in said


NONE_MOUNTED = "there is no cgroup v2 here: none is mounted. Mount it, as root: mount -t cgroup2"
OLD = "has no memory.peak in {own}. It must be Linux 5.19 or newer"
UNREAD = "cannot be read: No such file or directory. /proc must be mounted"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda kernel: (kernel.proc / "cgroup").unlink(), f"{{proc}}/cgroup {UNREAD}"),
        (lambda kernel: (kernel.proc / "mountinfo").unlink(), f"{{proc}}/mountinfo {UNREAD}"),
        (
            lambda kernel: (kernel.own / "memory.peak").unlink(),
            OLD,
        ),
        (lambda kernel: kernel.mount("tmpfs"), NONE_MOUNTED),
        (lambda kernel: kernel.mount("cgroup2", part="/elsewhere"), "/user/mine, is not shown in"),
        (
            lambda kernel: (kernel.mount("cgroup2", part="/.."), kernel.process("0::/\n")),
            "{top} shows cgroups from outside of the arena's cgroup",
        ),
    ],
)
def test_a_kernel_that_does_not_show_it_is_told_of(
    kernel: Kernel, change: Callable[[Kernel], object], says: str
) -> None:
    change(kernel)
    assert says.format(proc=kernel.proc, own=kernel.own, top=kernel.top) in kernel.refusal()


def test_one_that_may_not_be_written_is_not_delegated(kernel: Kernel) -> None:
    for path in (kernel.own, kernel.own / "cgroup.procs", kernel.own / "cgroup.subtree_control"):
        path.chmod(0o555 if path.is_dir() else 0o444)
    text = "import sys; from pathlib import Path; from referee.sandbox.cgroup import delegated\n"
    text += "delegated(Path(sys.argv[1]))"
    user = USER_ID if ROOT else os.getuid()
    path = f"{PROJECT}:{Path(msgspec.__file__).parents[1]}"
    done = as_user(user, [python_of(user), "-c", text, str(kernel.proc)], path)
    *_, last = done.stderr.splitlines()
    assert f"{kernel.own} is not delegated: you may not write to {kernel.own}. Start" in last
    assert "SandboxError: cgroup = true: " in last
    assert "in a cgroup of its own: `systemd-run --user --scope" in last


def test_as_root_one_of_systemds_must_be_delegated_too(
    kernel: Kernel, root_only: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cgroup, "_SYSTEMD", str(kernel.top))
    assert f"{kernel.own} is systemd's, and not delegated. Start" in kernel.refusal()
    os.setxattr(kernel.own, "user.delegate", b"1")
    assert delegated(kernel.proc) == kernel.own


def test_where_there_is_none_no_bot_is_started() -> None:
    """Here, or in a cgroup that is full of what is not ours, as most are."""
    try:
        delegated()
    except SandboxError as error:
        why = str(error)
    else:
        pytest.skip("there is a cgroup here: test_cgroup_real.py")
    limits = Limits(sandbox="none", cgroup=True)
    with Launcher("none") as launcher:
        with pytest.raises(SandboxError) as caught:
            prove(launcher, limits)
        assert str(caught.value) == why


def test_a_cgroup_that_cannot_be_used_is_removed(public: Path) -> None:
    """A folder of ours, where no file of a cgroup comes by itself, as without controllers."""
    with pytest.raises(SandboxError, match="lacks a controller"):
        cgroup._claimed(public)
    assert list(public.iterdir()) == []


@pytest.fixture
def bot(public: Path) -> OwnCgroup:
    """The cgroup of a bot that holds 3,000 bytes."""
    (public / "memory.peak").write_text("3000\n")
    (public / "memory.max").write_text("4096\n")
    (public / "memory.events").write_text("low 0\nmax 7\noom 0\noom_kill 1\n")
    return OwnCgroup(folder=str(public), limits={"memory.max": "4096"})


def test_another_bound_stops_the_run(bot: OwnCgroup) -> None:
    assert peak_of(bot) == 3000
    Path(bot["folder"], "memory.max").write_text("max\n")
    with pytest.raises(MachineError, match="from 4096 to max"):
        peak_of(bot)


def test_what_another_limit_has_killed_did_not_lack_memory_of_its_own(bot: OwnCgroup) -> None:
    assert bot_cgroup.measured(bot["folder"]) == (3000, False)
    Path(bot["folder"], "memory.events").write_text("low 0\nmax 7\noom 1\noom_kill 1\n")
    assert bot_cgroup.measured(bot["folder"]) == (3000, True)
    Path(bot["folder"], "memory.peak").unlink()
    assert bot_cgroup.measured(bot["folder"]) == (None, False)
    with pytest.raises(MachineError, match="was taken away during the run") as caught:
        peak_of(bot)
    assert "\n" not in str(caught.value)


def test_a_cgroup_goes_with_those_in_it(public: Path) -> None:
    (public / "one" / "inner").mkdir(parents=True)
    assert bot_cgroup.remove(str(public / "one"))
    assert not (public / "one").exists()
    assert bot_cgroup.remove(str(public / "one"))

"""The sandbox `uid`: who can have it, what its bots find, and what it leaves."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from referee.limits import Grant, Limits
from referee.sandbox import Launcher, MachineError, SandboxError, root_folder, seccomp
from referee.sandbox.root_folder import RootFolder
from referee.sandbox.uid import UidSandbox, with_mounts
from tests.faults.workshop import small_disk
from tests.referee.sandbox.filters import ALLOWED, NUMBERS, REFUSED, X86_64, run
from tests.referee.sandbox.sandboxed import as_user, make, need, need_mounts, python_of, said

ROOT = Path(__file__).parents[3]
LOOK = """
import json, os
found = {}
for top in ("/", "/tmp", "/dev", "/etc", "/proc", "/usr/lib"):
    try:
        found[top] = sorted(os.listdir(top))
    except OSError as error:
        found[top] = type(error).__name__
found["above"] = os.path.dirname(os.getcwd())
try:
    found["others"] = os.listdir(found["above"])
except OSError as error:
    found["others"] = type(error).__name__
found["ids"] = [*os.getresuid(), *os.getresgid(), *os.getgroups()]
print(json.dumps(found))
"""


def test_a_bot_finds_the_system_and_itself_alone(public: Path) -> None:
    need_mounts()
    with Launcher("uid") as launcher:
        assert launcher.sandbox.name == "uid (mount namespace)"
        found = json.loads(said(launcher, make(public, LOOK)))
        assert launcher.uid is not None
        assert {*found["ids"]} <= {*range(launcher.uid, launcher.uid + 64)}
        assert len({*found["ids"]}) == 1
    assert (
        {"usr", "dev", "etc", "tmp"}
        <= {*found["/"]}
        <= {
            *("bin", "dev", "etc", "lib", "lib32", "lib64", "libx32", "sbin", "tmp", "usr", "var"),
            *(Path(path).parts[1] for path in (sys.base_prefix, found["above"])),
        }
    )
    assert found["/dev"] == ["full", "null", "random", "urandom"]
    assert "passwd" not in found["/etc"]
    assert found["/proc"] == "FileNotFoundError"
    assert len(found["others"]) == 1
    assert found["/usr/lib"]


def test_an_ordinary_user_is_told_to_be_root() -> None:
    need("uid")
    python = python_of(61236)
    script = "from referee.sandbox import Launcher; Launcher('uid')"
    ran = as_user(61236, [python, "-c", script], f"{ROOT}:{Path(pytest.__file__).parents[1]}")
    last = ran.stderr.strip().splitlines()[-1]
    assert "uid makes a user of its own for each bot, which only root can" in last


@pytest.mark.usefixtures("root_only")
def test_users_that_cannot_be_had_are_refused() -> None:
    with pytest.raises(SandboxError, match="uid needs root's rights") as caught:
        UidSandbox(2**32 - 1)
    assert caught.value.what.count("to become uid 4294967295: ") == 1
    assert "\n" not in caught.value.what


def test_its_filter_asks_nobody_about_threads() -> None:
    code = seccomp.build(landlock_abi=0, asks=False, architecture=X86_64).code
    clone = NUMBERS["x86_64"]["clone"]
    assert [run(code, X86_64.number, clone, flags) for flags in (0x10400, 17)] == [ALLOWED, REFUSED]


def test_devices_are_let_through_by_bwrap_alone() -> None:
    with pytest.raises(ValueError, match="no device is let through uid"):
        Limits(sandbox="uid", devices=("nvidia",))
    granted = Grant(devices=("nvidia",)).of(Limits(sandbox="uid"))
    assert granted.sandbox == "bwrap"


def test_what_is_mounted_beneath_is_shown_too(tmp_path: Path) -> None:
    inner, spaced = tmp_path / "usr" / "inner", tmp_path / "usr" / "two words"
    inner.mkdir(parents=True)
    spaced.mkdir()
    table = tmp_path / "mountinfo"
    escaped = str(spaced).replace(" ", "\\040")
    table.write_text(
        f"1 0 8:1 / / rw - ext4 /dev/sda rw\n"
        f"2 1 8:2 / {inner} rw - ext4 /dev/sdb rw\n"
        f"3 1 8:2 / {escaped} rw - ext4 /dev/sdb rw\n"
        f"4 1 8:2 / {tmp_path}/usr-local rw - ext4 /dev/sdb rw\n"
    )
    usr = str(tmp_path / "usr")
    assert with_mounts([usr, f"{usr}/bin"], table) == [usr, str(inner), str(spaced)]


@pytest.fixture
def system(tmp_path: Path) -> Path:
    """A small system: programs, a link, a file that everybody may write, what is closed."""
    folder = tmp_path / "usr"
    for name, mode in (("bin/tool", 0o755), ("shared", 0o666), ("closed", 0o600)):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x")
        (folder / name).chmod(mode)
    (folder / "bin" / "link").symlink_to("tool")
    os.mkfifo(folder / "fifo")
    for name, mode in (("private", 0o700), ("passed", 0o711)):
        (folder / name).mkdir()
        (folder / name / "file").write_text("x")
        (folder / name).chmod(mode)
    (folder / "bin" / "rises").write_text("x")
    (folder / "bin" / "rises").chmod(0o4755)
    return folder


def shown(root: RootFolder, *paths: object) -> Path:
    """Make a root folder, show paths in it, and return where it is."""
    root.make()
    root.show([str(path) for path in paths])
    return Path(root.folder)


@pytest.mark.usefixtures("root_only")
def test_a_root_folder_holds_links_to_what_nobody_may_write(system: Path, tmp_path: Path) -> None:
    """Neither what nobody else may enter nor what makes root."""
    root = shown(RootFolder(str(tmp_path / "root")), system, tmp_path / "absent")
    inside = Path(f"{root}{system}")
    assert {str(path.relative_to(inside)) for path in inside.rglob("*")} == {
        *("bin", "bin/tool", "bin/link", "bin/rises", "shared", "passed", "passed/file")
    }
    assert (inside / "bin" / "tool").samefile(system / "bin" / "tool")
    assert not (inside / "shared").samefile(system / "shared")
    assert (inside / "bin" / "link").readlink() == Path("tool")
    modes = {"..": 0o711, ".": 0o755, "passed": 0o711, "shared": 0o444, "bin/rises": 0o555}
    assert {name: (inside / name).stat().st_mode & 0o7777 for name in modes} == modes


@pytest.mark.usefixtures("root_only")
def test_a_root_folder_does_not_hold_itself_nor_anything_twice(system: Path) -> None:
    root = RootFolder(str(system / "bin" / "root"))
    inside = Path(f"{shown(root, system / 'bin')}{system}")
    root.show([str(system), str(system / "bin" / "tool")])
    assert (inside / "shared").exists()
    assert {path.name for path in (inside / "bin").iterdir()} == {"link", "tool", "rises"}


@pytest.mark.usefixtures("root_only")
def test_where_no_program_may_be_executed_there_is_no_root_folder(public: Path) -> None:
    need_mounts()
    script = "from referee.sandbox import Launcher; Launcher('uid')"
    words = [sys.executable, "-m", "tests.attacks.small_system", sys.executable, "-c", script]
    with small_disk(public, 64, "noexec"):
        environment = {**os.environ, "TMPDIR": str(public)}
        ran = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, env=environment)
        assert list(public.iterdir()) == []
    last = ran.stderr.strip().splitlines()[-1]
    assert f"MachineError: {public}/arena-stage-" in last
    assert "is mounted noexec" in last
    assert "Set TMPDIR to a folder that is not" in last


@pytest.mark.usefixtures("root_only")
@pytest.mark.parametrize(("patience", "times"), [(0.0, 1), (60.0, 0)])
def test_who_waits_for_a_root_folder_is_told_once(
    system: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, patience: float, times: int
) -> None:
    heard: list[str] = []
    monkeypatch.setattr(root_folder, "told", [heard.append])
    monkeypatch.setattr(root_folder, "_PATIENCE", patience)
    shown(RootFolder(str(tmp_path / "root")), system / "bin", system)
    assert len(heard) == times
    assert all(f"Making a root folder for bots in {tmp_path}: " in text for text in heard)


@pytest.mark.usefixtures("root_only")
def test_a_full_disk_is_told_in_one_line(system: Path, tmp_path: Path) -> None:
    (small := tmp_path / "small").mkdir()
    (system / "shared").write_bytes(b"x" * 65536)
    with (
        small_disk(small, 16),
        pytest.raises(MachineError, match=r"No space left on device.*set TMPDIR to another folder"),
    ):
        shown(RootFolder(str(small / "root")), system)

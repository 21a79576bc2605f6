"""Tries the sandbox and the games on an aarch64 kernel: `make aarch64`, on x86_64.

    python -m tests.machines.aarch64 [--steps about,attacks] [--only network] [--game duel]

Debian's kernel and programs for arm64 run in a machine that QEMU emulates, QEMU too from Debian's
packages; nothing is installed. Inside, each sandbox proves itself, all attacks are tried, and a
small league of each bundled game is played, whose export must be the same bytes as here. What was
downloaded is kept in `$XDG_CACHE_HOME/bot-arena-machines`.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.machines.debian import Debian, UnavailableError, run
from tests.machines.initramfs import Archive
from tests.machines.leagues import Leagues
from tests.machines.report import Report, say
from tests.same_bytes import ROOT

PYTHON = "3.11"
INSIDE = (f"python{PYTHON}", "busybox-static", "coreutils", "util-linux", "e2fsprogs", "bubblewrap")
COMPILER = ("gcc", "libc6-dev")
DRIVERS = ("virtio_mmio", "virtio_pci", "virtio_blk", "crc32c_generic", "ext4")
"""The kernel's modules for a disk, where bots have extended attributes, locks and a page cache."""
UNUSED = re.compile(
    r"boot/|lib/modules/|usr/share/(doc|man|locale|info|lintian|bug|i18n|zoneinfo|perl)|var/cache/"
    r"|usr/lib/(udev|systemd)/|usr/lib/gcc/.*/lto1|.*__pycache__"
)
SITE = "usr/lib/python3/dist-packages"  # where Debian's Python looks for packages
MERGED = ("bin", "sbin", "lib")
DISK_MB = 2048
MEMORY_MB = 2560
PROJECT = ("protocol", "referee", "arena", "bots", "tests", "pyproject.toml")
NOT_NEEDED = ("tests/vectors", "tests/docs", "tests/playthroughs", "tests/benchmarks")
BOOT_SECONDS = 300

INIT = """\
#!/bin/busybox sh
b=/bin/busybox
$b mount -t proc proc /proc
$b mount -t devtmpfs dev /dev
for module in $($b cat /modules/order); do $b insmod /modules/$module; done
/sbin/mke2fs -q -t ext4 /dev/vda && $b mount -t ext4 /dev/vda /disk || exec $b poweroff -f
for each in bin sbin lib usr etc machine; do $b cp -a /$each /disk/; done
$b mkdir -p /disk/proc /disk/sys /disk/dev /disk/tmp /disk/var/tmp /disk/root /disk/run
$b chmod 1777 /disk/tmp /disk/var/tmp
$b chmod 700 /disk/root
$b mount -t proc proc /disk/proc
$b mount -t sysfs sys /disk/sys
$b mount --move /dev /disk/dev
$b mkdir -p /disk/dev/shm /disk/dev/pts
$b mount -t tmpfs -o mode=1777 shm /disk/dev/shm
$b mount -t devpts -o ptmxmode=0666 pts /disk/dev/pts
exec $b switch_root /disk /bin/busybox sh /machine/begin
"""
BEGIN = """\
b=/bin/busybox
$b hostname machine
$b ifconfig lo 127.0.0.1 up
export PATH=/usr/bin:/bin:/usr/sbin:/sbin HOME=/root LC_ALL=C.UTF-8
export PYTHONPATH=/machine/project ATTACKS_SLOWNESS=5
cd /machine/project
/usr/bin/python3 -m tests.machines.inside 2>&1
exec $b poweroff -f
"""
USERS = "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/bin/false\n"
GROUPS = "root:x:0:\nnogroup:x:65534:\n"


def main() -> int:
    """Try what is asked for; return 0 if all is as it should be."""
    parser = argparse.ArgumentParser(prog="python -m tests.machines.aarch64", description=__doc__)
    parser.add_argument("--steps", default="about,canaries,attacks,leagues")
    parser.add_argument("--users", default="user", help="root, user or both")
    parser.add_argument("--sandboxes", default="landlock", help="landlock, bwrap or both")
    parser.add_argument("--only", default="", help="attacks whose names this pattern finds")
    parser.add_argument("--game", default="", help="games whose names this pattern finds")
    asked = parser.parse_args()
    try:
        return tried(asked)
    except UnavailableError as error:
        sys.stderr.write(f"make aarch64: {error}.\n")
        return 1


def tried(asked: argparse.Namespace) -> int:
    """Boot the machine and return whether something was not as it should be."""
    if os.uname().machine != "x86_64":
        raise UnavailableError(
            f"it emulates a machine on x86_64, and this one is {os.uname().machine}: here `make "
            f"test soak` tries the sandbox as it is"
        )
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "bot-arena-machines"
    began = time.monotonic()
    emulator = Debian(cache / "amd64", "amd64").unpacked(["qemu-system-arm"], "emulator")
    kernel = Debian(cache / "arm64", "arm64").unpacked(["linux-image-arm64"], "kernel")
    system = Debian(cache / "arm64", "arm64").unpacked([*INSIDE, *COMPILER], "system")
    wheels = packages(cache / "wheels")
    say(f"Packages are there after {time.monotonic() - began:.0f} s.")
    with tempfile.TemporaryDirectory(prefix="aarch64-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        leagues = Leagues(folder)
        games = {game: n for game, n in leagues.games().items() if re.search(asked.game, game)}
        wanted = {
            "steps": asked.steps.split(","),
            "users": asked.users.split(","),
            "sandboxes": asked.sandboxes.split(","),
            "only": asked.only,
            "games": games,
        }
        image = next((kernel / "boot").glob("vmlinuz-*"))
        with (folder / "initramfs").open("wb") as file, Archive(file) as archive:
            fill(archive, system, modules(kernel), wheels, wanted)
        with (folder / "disk").open("wb") as file:
            file.truncate(DISK_MB << 20)
        report = Report(lambda game: leagues.export(game, games[game]), games)
        for told in booted(emulator, image, folder):
            report.take(told)
        return report.end(wanted["steps"])


def packages(folder: Path) -> list[Path]:
    """Return the wheels of what the project needs, for the machine's Python; download them."""
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    exact = [each for each in project["dependencies"] if each.startswith("trueskill")]
    why = "a package of the project cannot be had for aarch64 from the package index"
    if not list(folder.glob("trueskill-*.whl")):  # which has no wheel: it is pure Python
        run([*pip, "wheel", "--no-deps", "--wheel-dir", str(folder), *exact], why)
    words = ["download", "--dest", str(folder), "--find-links", str(folder)]
    words += ["--only-binary", ":all:", "--python-version", PYTHON]
    words += ["--platform", "manylinux_2_17_aarch64", "--platform", "manylinux2014_aarch64"]
    run([*pip, *words, *project["dependencies"]], why)
    return sorted(folder.glob("*.whl"))


def modules(kernel: Path) -> list[Path]:
    """Return the files of the drivers, each after those that it depends on."""
    files = {path.stem.replace("-", "_"): path for path in (kernel / "lib/modules").glob("**/*.ko")}
    found: dict[str, Path] = {}

    def add(name: str) -> None:
        if name in files and name not in found:  # what is no module is in the kernel
            depends = re.search(rb"\0depends=([^\0]*)\0", files[name].read_bytes())
            for other in (depends[1].decode() if depends else "").split(","):
                add(other.replace("-", "_"))
            found[name] = files[name]

    for name in DRIVERS:
        add(name)
    return list(found.values())


def fill(
    archive: Archive, system: Path, drivers: list[Path], wheels: list[Path], asked: dict[str, Any]
) -> None:
    """Write the system, the drivers, the project and what it needs into an archive."""
    for name in MERGED:
        archive.folder(f"usr/{name}")
        archive.link(name, f"usr/{name}")
    archive.tree(system, _in_system)
    archive.link("usr/bin/cc", "gcc")
    archive.link("usr/bin/python3", f"python{PYTHON}")
    for name in ("proc", "sys", "dev", "disk", "etc", "machine"):
        archive.folder(name)
    archive.device("dev/console", 5, 1)
    archive.file("etc/passwd", USERS.encode())
    archive.file("etc/group", GROUPS.encode())
    archive.file("etc/hosts", b"127.0.0.1 localhost machine\n")
    archive.file("etc/hostname", b"machine\n")
    archive.file("init", INIT.encode(), 0o755)
    archive.file("machine/begin", BEGIN.encode())
    archive.file("machine/asked.json", json.dumps(asked).encode())
    archive.file("modules/order", "\n".join(path.name for path in drivers).encode())
    for path in drivers:
        archive.file(f"modules/{path.name}", path.read_bytes())
    for name in PROJECT:
        path = ROOT / name
        if path.is_file():
            archive.file(f"machine/project/{name}", path.read_bytes())
        else:
            archive.tree(path, lambda here, name=name: _in_project(f"{name}/{here}"))  # type: ignore[misc]
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as files:
            for member in files.infolist():
                if not member.is_dir():
                    archive.file(f"{SITE}/{member.filename}", files.read(member))
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    metadata = f"Metadata-Version: 2.1\nName: bot-arena\nVersion: {version}\n"
    archive.file(f"{SITE}/bot_arena-{version}.dist-info/METADATA", metadata.encode())


def _in_system(path: str) -> str:
    """Return where a file of the system lies in the archive, all programs below /usr."""
    if UNUSED.match(path) or path in MERGED:
        return ""
    return f"usr/{path}" if path.split("/")[0] in MERGED else path


def _in_project(path: str) -> str:
    if "__pycache__" in path or path.startswith(NOT_NEEDED):
        return ""
    return f"machine/project/{path}"


def booted(emulator: Path, image: Path, folder: Path) -> Iterator[dict[str, Any]]:
    """Yield what the machine tells until it is off; raise UnavailableError if it never begins."""
    libraries = [emulator / "lib/x86_64-linux-gnu", emulator / "usr/lib/x86_64-linux-gnu"]
    words = [str(libraries[0] / "ld-linux-x86-64.so.2")]
    words += ["--library-path", ":".join(map(str, libraries))]
    words += [str(emulator / "usr/bin/qemu-system-aarch64"), "-L", str(emulator / "usr/share/qemu")]
    words += ["-M", "virt", "-cpu", "max,pauth-impdef=on", "-smp", "2", "-m", str(MEMORY_MB)]
    words += ["-nodefaults", "-display", "none", "-no-reboot", "-serial", "stdio"]
    words += ["-kernel", str(image), "-initrd", str(folder / "initramfs")]
    words += ["-append", "console=ttyAMA0 quiet panic=-1"]
    words += ["-drive", f"file={folder / 'disk'},format=raw,if=none,id=disk,cache=unsafe"]
    words += ["-device", "virtio-blk-device,drive=disk"]
    with subprocess.Popen(
        words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as machine:
        assert machine.stdout is not None
        others = []
        begun = False
        for line in machine.stdout:
            text = line.decode(errors="replace").strip()
            if text.startswith("@{"):
                begun = True
                yield json.loads(text[1:])
            elif text:
                others.append(text)
                say(f"  {text}")
    if not begun:
        raise UnavailableError(f"the machine did not begin: {' / '.join(others[-5:])}")


if __name__ == "__main__":
    raise SystemExit(main())

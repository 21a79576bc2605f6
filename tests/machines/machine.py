"""Machines that QEMU runs: Debian's kernel and programs, with this project in them.

Nothing is installed: QEMU too is of Debian's packages. What was downloaded is kept in
`$XDG_CACHE_HOME/bot-arena-machines`. Every machine is emulated, and some fifty times as slow as the
one that it runs on: so it is the same where no KVM is, as in CI.
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
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.machines.debian import Debian, UnavailableError, run
from tests.machines.initramfs import Archive
from tests.machines.report import say
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
MERGED = ("bin", "sbin", "lib", "lib64")
DISK_MB = 2048
MEMORY_MB = 2560
PROJECT = ("protocol", "referee", "arena", "bots", "tests", "pyproject.toml")
NOT_NEEDED = ("tests/vectors", "tests/docs", "tests/playthroughs", "tests/benchmarks")


@dataclass(frozen=True)
class Hardware:
    """A kind of machine, as Debian, the package index and QEMU know it."""

    name: str
    """As the kernel calls it."""
    debian: str
    kernel: str
    """The package of the kernel, whose console is `console`."""
    console: str
    emulator: str
    """The package of QEMU."""
    words: tuple[str, ...]
    """Of QEMU, for such a machine where it is emulated."""
    disk: str
    """Its kind of disk."""


AARCH64 = Hardware(
    "aarch64",
    debian="arm64",
    kernel="linux-image-arm64",
    console="ttyAMA0",
    emulator="qemu-system-arm",
    words=("-M", "virt", "-cpu", "max,pauth-impdef=on"),
    disk="virtio-blk-device",
)
X86_64 = Hardware(
    "x86_64",
    debian="amd64",
    kernel="linux-image-cloud-amd64",
    console="ttyS0",
    emulator="qemu-system-x86",
    words=("-M", "q35", "-cpu", "max"),
    disk="virtio-blk-pci",
)

INIT = """\
#!/bin/busybox sh
b=/bin/busybox
$b mount -t proc proc /proc
$b mount -t devtmpfs dev /dev
for module in $($b cat /modules/order); do $b insmod /modules/$module; done
/sbin/mke2fs -q -t ext4 /dev/vda && $b mount -t ext4 /dev/vda /disk || exec $b poweroff -f
for each in bin sbin lib lib64 usr etc machine; do $b cp -a /$each /disk/; done
$b mkdir -p /disk/proc /disk/sys /disk/dev /disk/tmp /disk/var/tmp /disk/root /disk/run
$b chmod 1777 /disk/tmp /disk/var/tmp
$b chmod 700 /disk/root
$b mount -t proc proc /disk/proc
$b mount -t sysfs sys /disk/sys
$b mount -t cgroup2 cgroup2 /disk/sys/fs/cgroup
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


def command(
    name: str,
    doc: str | None,
    what: str,
    usual: Mapping[str, str],
    tried: Callable[[dict[str, Any]], int],
) -> int:
    """Try what is asked for by options, or as usual; say so if no machine can be had."""
    program = f"python -m tests.machines.{name}"
    parser = argparse.ArgumentParser(prog=program, description=doc)
    for option, value in usual.items():
        parser.add_argument(f"--{option}", default=value, help="[%(default)s]")
    parser.add_argument("--skip", action="store_true", help="no failure if no machine can be had")
    asked = vars(parser.parse_args())
    asked |= {each: asked[each].split(",") for each in ("steps", "users", "sandboxes")}
    try:
        _need_x86_64()
        return tried(asked)
    except UnavailableError as error:
        if asked["skip"]:
            say(f"{what} NOT TESTED HERE: {error}.")
        else:
            sys.stderr.write(f"make {name}: {error}.\n")
        return int(not asked["skip"])


def _need_x86_64() -> None:
    if (machine := os.uname().machine) != "x86_64":
        raise UnavailableError(
            f"it emulates a machine on x86_64, and this one is {machine}: here `make test soak` "
            f"tries the sandbox as it is"
        )


def told(hardware: Hardware, asked: dict[str, Any], more: tuple[str, ...] = ()) -> Iterator[Any]:
    """Yield what a machine tells, line by line, that is asked to try something.

    `more` are packages of Python's that are tried with. Raises UnavailableError if something that
    the machine is made of cannot be had.
    """
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "bot-arena-machines"
    began = time.monotonic()
    here, there = Debian(cache / "amd64", "amd64"), Debian(cache / hardware.debian, hardware.debian)
    emulator = here.unpacked([hardware.emulator], f"emulator-{hardware.name}")
    kernel = there.unpacked([hardware.kernel], "kernel")
    system = there.unpacked([*INSIDE, *COMPILER], "system")
    wheels = packages(cache / "wheels", hardware.name, more)
    say(f"Packages are there after {time.monotonic() - began:.0f} s.")
    with tempfile.TemporaryDirectory(prefix="machine-") as name:
        folder = Path(name)
        with (folder / "initramfs").open("wb") as file, Archive(file) as archive:
            fill(archive, system, modules(kernel), wheels, asked)
        with (folder / "disk").open("wb") as file:
            file.truncate(DISK_MB << 20)
        image = next((kernel / "boot").glob("vmlinuz-*"))
        yield from booted(hardware, emulator, image, folder)


def packages(folder: Path, machine: str, more: tuple[str, ...]) -> list[Path]:
    """Return the wheels of what the project needs, for the machine's Python; download them."""
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    exact = [each for each in project["dependencies"] if each.startswith("trueskill")]
    why = f"a package of the project cannot be had for {machine} from the package index"
    if not list(folder.glob("trueskill-*.whl")):  # which has no wheel: it is pure Python
        run([*pip, "wheel", "--no-deps", "--wheel-dir", str(folder), *exact], why)
    words = ["download", "--dest", str(folder), "--find-links", str(folder)]
    words += ["--only-binary", ":all:", "--python-version", PYTHON]
    for platform in ("manylinux_2_17", "manylinux2014"):
        words += ["--platform", f"{platform}_{machine}"]
    run([*pip, *words, *project["dependencies"], *more], why)
    return sorted(path for path in folder.glob("*.whl") if path.stem.endswith((machine, "-any")))


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


def booted(
    hardware: Hardware, emulator: Path, image: Path, folder: Path
) -> Iterator[dict[str, Any]]:
    """Yield what the machine tells until it is off; raise UnavailableError if it never begins."""
    libraries = [emulator / "lib/x86_64-linux-gnu", emulator / "usr/lib/x86_64-linux-gnu"]
    words = [str(libraries[0] / "ld-linux-x86-64.so.2")]
    words += ["--library-path", ":".join(map(str, libraries))]
    words += [str(emulator / f"usr/bin/qemu-system-{hardware.name}")]
    for each in ("qemu", "seabios"):
        words += ["-L", str(emulator / "usr/share" / each)]
    words += [*hardware.words, "-smp", "2", "-m", str(MEMORY_MB)]
    words += ["-nodefaults", "-display", "none", "-no-reboot", "-serial", "stdio"]
    words += ["-kernel", str(image), "-initrd", str(folder / "initramfs")]
    words += ["-append", f"console={hardware.console} quiet loglevel=3 panic=-1"]
    words += ["-drive", f"file={folder / 'disk'},format=raw,if=none,id=disk,cache=unsafe"]
    words += ["-device", f"{hardware.disk},drive=disk"]
    with subprocess.Popen(
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, "QEMU_MODULE_DIR": str(libraries[1] / "qemu")},
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

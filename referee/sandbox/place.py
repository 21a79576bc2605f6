"""Where the arena runs, as far as files show it: a container, a virtual machine, or neither."""

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

_LANDLOCK = "landlock works there where the kernel has it"
_UID = "else be root there and type --sandbox uid"
_UID_BY_FLAG = "else be root there (--user 0) and type --sandbox uid"
_MOST_BYTES = 1 << 16


class Surroundings(NamedTuple):
    """A kind of container or virtual machine, and what to do about sandboxes there."""

    name: str
    remark: str = ""


def place_of(root: Path = Path("/")) -> Surroundings:
    """Return the place of which `root` is the root folder; pure but for what it reads there."""
    found = [*_places(root)]
    if not found:
        return Surroundings("none found", "for all that files show, this is no container")
    inner = found[0]
    names = ", in ".join(dict.fromkeys(place.name for place in found))
    return Surroundings(names, inner.remark)


def _text(root: Path, name: str) -> str:
    """Return the beginning of a file; empty if it cannot be read."""
    try:
        with (root / name).open("rb") as file:
            return file.read(_MOST_BYTES).decode(errors="replace")
    except OSError:
        return ""


def _places(root: Path) -> Iterator[Surroundings]:
    """Yield the places that the files show, from the innermost to the outermost."""
    version = _text(root, "proc/version")
    kernel = f"{version}{_text(root, 'proc/sys/kernel/version')}"
    release = _text(root, "proc/sys/kernel/osrelease")
    if "-gvisor" in kernel + release or "Sun Jan 10 15:06:54 PST 2016" in kernel:
        yield Surroundings(
            "gVisor", "its kernel has no Landlock: be root there and type --sandbox uid"
        )
    yield from islice(_containers(root), 1)
    if "orbstack" in version.lower():
        yield Surroundings("OrbStack", f"landlock works from OrbStack 1.7.5 on; {_UID}")
    if "microsoft" in version.lower():
        is_linux = "WSL2" in version or "microsoft-standard" in version
        yield Surroundings(*_WSL2 if is_linux else _WSL1)
    host = _text(root, "etc/hostname").strip()
    if host == "colima" or host.startswith("colima-"):
        yield Surroundings("Colima", "an ordinary Linux: landlock works with its kernel")
    elif host.startswith("lima-") or any((root / mark).exists() for mark in _OF_LIMA):
        yield Surroundings("Lima", "an ordinary Linux: landlock works with most kernels")
    yield from _virtual(root)


_WSL1 = ("WSL1", "it is no Linux: no sandbox works there. Convert it to WSL2")
_WSL2 = ("WSL2", "landlock works from its kernel 5.15.57 on: run wsl --update in Windows")
_OF_LIMA = ("run/lima-boot-done", "mnt/lima-cidata", "etc/lima-init")


def _containers(root: Path) -> Iterator[Surroundings]:
    """Yield the container, by the marks that its engine leaves: the first is the surest."""
    engine = _text(root, "run/.containerenv")
    if (root / "run/.containerenv").exists():
        rootless = ", rootless" if re.search(r"^rootless=1", engine, re.MULTILINE) else ""
        yield Surroundings(
            f"Podman{rootless}", f"{_LANDLOCK} (Podman 4.3 or newer); {_UID_BY_FLAG}"
        )
    kubernetes = (root / "run/secrets/kubernetes.io").exists()
    group = _text(root, "proc/1/cgroup")
    if kubernetes or "/kubepods" in group:
        yield Surroundings("Kubernetes", f"{_LANDLOCK}; {_UID}, with CAP_SYS_CHROOT")
    mount = _root_mount(_text(root, "proc/self/mountinfo"))
    marked = (root / ".dockerenv").exists() and not _OWN_DISK.search(mount)
    if marked or re.search(r"/docker[/-]", group):
        yield _docker(root)
    manager = _text(root, "run/systemd/container") or _text(root, "run/host/container-manager")
    manager = manager.strip() or _variable(_text(root, "proc/1/environ"), "container")
    if manager in _MANAGERS:
        yield Surroundings(_MANAGERS[manager], f"{_LANDLOCK}; {_UID}")
    elif manager:
        yield Surroundings(f"a container ({manager[:40]})", f"{_LANDLOCK}; {_UID}")
    for sign, name in (("/lxc/", "LXC"), ("/lxc.payload", "LXC"), ("/libpod-", "Podman")):
        if sign in group:
            yield Surroundings(name, f"{_LANDLOCK}; {_UID}")
    if " - overlay " in mount:
        yield Surroundings("a container", f"its engine left no name; {_LANDLOCK}; {_UID}")


_OWN_DISK = re.compile(r"^\S+ \S+ \S+ / / .* - \S+ /dev/")
"""The root folder is a whole disk: a machine's, though its files are from an image of Docker's."""
_MANAGERS = {
    "docker": "Docker",
    "podman": "Podman",
    "lxc": "LXC",
    "lxc-libvirt": "LXC",
    "systemd-nspawn": "systemd-nspawn",
    "wsl": "WSL2",
}
"""What systemd, or the first process's environment, calls what has started it."""


def _docker(root: Path) -> Surroundings:
    version = _text(root, "proc/version").lower()
    if "linuxkit" in version:
        remark = f"some of its kernels have no Landlock; {_UID_BY_FLAG}"
        return Surroundings("Docker Desktop", remark)
    remark = f"{_LANDLOCK} (Docker 20.10.18 or newer), bwrap does not; {_UID_BY_FLAG}"
    return Surroundings("Docker", remark)


def _root_mount(table: str) -> str:
    """Return the line of mountinfo that says what the root folder is."""
    return next((line for line in table.splitlines() if line.split()[4:5] == ["/"]), "")


def _variable(environment: str, name: str) -> str:
    """Return a variable of an environment as /proc shows it."""
    words = (word.partition("=") for word in environment.split("\0"))
    return next((value for key, _, value in words if key == name), "")


_FACTORIES = (
    ("QEMU", "QEMU"),
    ("KVM", "KVM"),
    ("VMware", "VMware"),
    ("VirtualBox", "VirtualBox"),
    ("innotek", "VirtualBox"),
    ("Parallels", "Parallels"),
    ("Xen", "Xen"),
    ("Amazon EC2", "Amazon EC2"),
    ("Google Compute Engine", "Google Compute Engine"),
    ("Apple Virtualization", "Apple's virtualization"),
    ("Virtual Machine", "Hyper-V"),
)
"""What the firmware of a virtual machine says that it is, in part, and how it is called."""


def _virtual(root: Path) -> Iterator[Surroundings]:
    """Yield a virtual machine, by its firmware or by what its processor says."""
    folder = "sys/class/dmi/id"
    firmware = " ".join(_text(root, f"{folder}/{name}") for name in ("sys_vendor", "product_name"))
    name = next((name for sign, name in _FACTORIES if sign in firmware), "")
    if name or re.search(r"^flags\b.*\bhypervisor\b", _text(root, "proc/cpuinfo"), re.MULTILINE):
        yield Surroundings(
            f"a virtual machine ({name})" if name else "a virtual machine",
            "as any Linux: landlock works where the kernel has it",
        )

"""Containers and virtual machines, known by the files that they really have."""

from pathlib import Path

import pytest

from referee.sandbox.place import place_of

DEBIAN = "Linux version 6.1.0-18-amd64 (debian-kernel@lists.debian.org) #1 SMP PREEMPT_DYNAMIC\n"
LINUXKIT = "Linux version 6.10.14-linuxkit (root@buildkitsandbox) #1 SMP PREEMPT_DYNAMIC\n"
ORBSTACK = "Linux version 6.12.15-orbstack-00304-gede1cf3337c4 (orbstack@builder) #60 SMP\n"
WSL = "Linux version 5.15.153.1-microsoft-standard-WSL2 (root@941d701f84f1) #1 SMP\n"
WSL1 = "Linux version 4.4.0-19041-Microsoft (Microsoft@Microsoft.com) #1237-Microsoft\n"
GVISOR = "Linux version 4.4.0 #1 SMP Sun Jan 10 15:06:54 PST 2016\n"
NEW_GVISOR = "Linux version 4.19.0-gvisor #1 SMP Sun Jan 10 15:06:54 PST 2016\n"
OVERLAY = "1532 1401 0:317 / / rw,relatime - overlay overlay rw,lowerdir=/var/lib/docker\n"
DISK = "27 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw,errors=remount-ro\n"
CONTAINERENV = 'engine="podman-4.3.1"\nname="web"\nid="0a1b"\nimage="debian"\nrootless={}\n'

PLACES = {
    "none found": {"proc/version": DEBIAN, "proc/self/mountinfo": DISK},
    "Docker": {".dockerenv": "", "proc/version": DEBIAN, "proc/self/mountinfo": OVERLAY},
    "Docker Desktop": {".dockerenv": "", "proc/version": LINUXKIT, "proc/self/mountinfo": OVERLAY},
    "Docker, in OrbStack": {".dockerenv": "", "proc/version": ORBSTACK},
    "Docker, in WSL2": {".dockerenv": "", "proc/version": WSL},
    "Podman": {"run/.containerenv": "", "proc/version": DEBIAN},
    "Podman, rootless": {"run/.containerenv": CONTAINERENV.format(1), "proc/version": DEBIAN},
    "Kubernetes": {"run/secrets/kubernetes.io/serviceaccount/namespace": "default"},
    "systemd-nspawn": {"run/systemd/container": "systemd-nspawn\n", "proc/version": DEBIAN},
    "LXC": {"proc/1/environ": "TERM=linux\0container=lxc\0", "proc/version": DEBIAN},
    "a container (oddity)": {"run/host/container-manager": "oddity\n"},
    "a container": {"proc/self/mountinfo": OVERLAY, "proc/version": DEBIAN},
    "OrbStack": {"proc/version": ORBSTACK},
    "WSL2": {"proc/version": WSL},
    "WSL1": {"proc/version": WSL1},
    "Colima": {"etc/hostname": "colima\n", "proc/version": DEBIAN},
    "Lima": {"etc/hostname": "lima-default\n", "proc/version": DEBIAN},
    "a virtual machine (QEMU)": {
        "sys/class/dmi/id/sys_vendor": "QEMU\n",
        "sys/class/dmi/id/product_name": "Standard PC (Q35 + ICH9, 2009)\n",
    },
    "a virtual machine": {
        ".dockerenv": "",
        "proc/self/mountinfo": DISK,
        "proc/cpuinfo": "processor\t: 0\nflags\t\t: fpu vme hypervisor lahf_lm\n",
    },
    "Docker, in a virtual machine (Amazon EC2)": {
        "proc/1/cgroup": "12:cpu:/docker/3601745b3bd54d9780436faa5f0e4f72\n",
        "sys/class/dmi/id/sys_vendor": "Amazon EC2\n",
    },
}


def root_with(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


@pytest.mark.parametrize("name", PLACES)
def test_a_place_is_known_by_its_files(name: str, tmp_path: Path) -> None:
    place = place_of(root_with(tmp_path, PLACES[name]))
    assert place.name == name
    assert place.remark
    assert "\n" not in place.remark


@pytest.mark.parametrize("version", [GVISOR, NEW_GVISOR])
def test_gvisor_is_named_before_the_container_that_it_runs(version: str, tmp_path: Path) -> None:
    place = place_of(root_with(tmp_path, {".dockerenv": "", "proc/version": version}))
    assert place.name == "gVisor, in Docker"
    assert "--sandbox uid" in place.remark


def test_what_is_not_there_or_cannot_be_read_says_nothing(tmp_path: Path) -> None:
    assert place_of(tmp_path).name == "none found"
    (tmp_path / "proc" / "version").mkdir(parents=True)
    (tmp_path / "proc" / "cpuinfo").write_bytes(b"\xff\xfe flags")
    assert place_of(tmp_path).name == "none found"

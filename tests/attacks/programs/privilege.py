"""Hostile programs after more rights; with the rights they do nothing that changes anything."""

import os
import stat
import struct
import time
from functools import partial

from common import Facts, attempt, call, child, linger, main, raw, say

CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWNET, CLONE_NEWPID = 0x10000000, 0x20000, 0x40000000, 0x20000000
MNT_DETACH, MS_BIND, MS_REC = 2, 0x1000, 0x4000
OPEN_TREE_CLONE, AT_RECURSIVE, MOVE_MOUNT_F_EMPTY_PATH = 1, 0x8000, 4
PR_CAP_AMBIENT = 47
DEVICES = ("kmsg", "kvm", "fuse", "mem", "port", "loop-control", "vda", "sda", "nvme0n1", "tty1")


def set_uid_program(facts: Facts) -> None:
    for path in (facts["set_uid"], "/usr/bin/su", "/usr/bin/newgrp", "/usr/bin/passwd"):
        if path:
            attempt(child, partial(os.execv, path, [path, facts["token"]]))
    time.sleep(0.15)


def become_root(facts: Facts) -> None:
    attempt(os.setuid, 0)
    attempt(os.setresuid, 0, 0, 0)
    attempt(os.setgroups, [0])


def unshare(facts: Facts) -> None:
    for flag in (CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWNET):
        attempt(call, "unshare", flag)


def clone_new_user(facts: Facts) -> None:
    for flags in (CLONE_NEWUSER, CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET):
        attempt(child, linger, flags)


def core_pattern(facts: Facts) -> None:
    """Write what stands there already."""
    with open("/proc/sys/kernel/core_pattern") as file:
        now = file.read()
    descriptor = os.open("/proc/sys/kernel/core_pattern", os.O_WRONLY)
    os.write(descriptor, now.encode())


def make_device(facts: Facts) -> None:
    for folder in (facts["loose"], "/scratch", os.getcwd()):
        attempt(os.mknod, f"{folder}/device", stat.S_IFBLK | 0o600, os.makedev(7, 0))


def open_devices(facts: Facts) -> None:
    for name in DEVICES:
        attempt(os.open, f"/dev/{name}", os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)


def set_clock(facts: Facts) -> None:
    """Set the clock to the present time."""
    now = time.clock_gettime_ns(time.CLOCK_REALTIME)
    attempt(time.clock_settime_ns, time.CLOCK_REALTIME, now)
    moment = struct.pack("qq", *divmod(time.clock_gettime_ns(time.CLOCK_REALTIME) // 1000, 10**6))
    attempt(call, "settimeofday", moment, None)


def reboot(facts: Facts) -> None:
    """Ask with a wrong magic number: who may reboot is told that it is wrong."""
    try:
        raw("reboot", 0, 0, 0, 0)
    except OSError as error:
        say(f"reboot answers {error.errno}")


def performance_counter(facts: Facts) -> None:
    attributes = struct.pack("IIQ", 1, 128, 0) + bytes(112)
    attempt(raw, "perf_event_open", attributes, 0, -1, -1, 0)
    guarded = struct.pack("IIQQQQQ", 1, 128, 0, 0, 0, 0, 0x61) + bytes(72)
    attempt(raw, "perf_event_open", guarded, 0, -1, -1, 0)


def bpf(facts: Facts) -> None:
    raw("bpf", 0, struct.pack("IIII", 2, 4, 4, 1) + bytes(112), 128)


def page_faults(facts: Facts) -> None:
    attempt(raw, "userfaultfd", 0o2000000)
    raw("userfaultfd", 0o2000001)


def watch_everything(facts: Facts) -> None:
    """Ask to be told of every file that is opened anywhere below the results' folder."""
    descriptor = attempt(call, "fanotify_init", 0x200, os.O_RDONLY)
    say(f"fanotify {descriptor}")


def see_proc(facts: Facts) -> None:
    """Where /proc is hidden: uncover it, mount another, or go where it is not."""
    places = [b"/proc", b"/scratch", facts["loose"].encode()]
    private = CLONE_NEWUSER | CLONE_NEWNS
    tree = partial(raw, "open_tree", -100, b"/", OPEN_TREE_CLONE | AT_RECURSIVE)
    ways = [
        partial(call, "umount2", b"/proc", MNT_DETACH),
        partial(call, "unshare", private),
        partial(call, "umount2", b"/proc", MNT_DETACH),
        *(partial(call, "mount", b"proc", place, b"proc", 0, None) for place in places),
        *(partial(call, "mount", b"/", place, None, MS_BIND | MS_REC, None) for place in places),
        lambda: raw("move_mount", tree(), b"", -100, b"/proc", MOVE_MOUNT_F_EMPTY_PATH),
        partial(raw, "fsopen", b"proc", 0),
        partial(raw, "pivot_root", b"/usr", b"/usr"),
        partial(os.chroot, ".."),
        *(
            partial(_join, pid)
            for pid in (os.getppid(), *(each["pid"] for each in facts["victims"]))
        ),
    ]
    while not any(os.path.exists(place + b"/self") for place in places):
        if not ways:
            return
        attempt(ways.pop(0))
    say("sees proc")


def _join(pid: int) -> None:
    call("setns", os.pidfd_open(pid), CLONE_NEWNS)


def take_rights(facts: Facts) -> None:
    """Take all capabilities, those of a namespace of its own too."""
    every = struct.pack("=6I", *(0xFFFFFFFF,) * 6)
    attempt(raw, "capset", struct.pack("=Ii", 0x20080522, 0), every)
    for capability in range(41):
        attempt(call, "prctl", PR_CAP_AMBIENT, 2, capability, 0, 0)
    attempt(os.setresuid, 0, 0, 0)


def join_namespace(facts: Facts) -> None:
    """Enter the namespaces of a process outside."""
    for victim in facts["victims"]:
        for kind in ("user", "mnt", "net", "pid"):
            descriptor = attempt(os.open, f"/proc/{victim['pid']}/ns/{kind}", os.O_RDONLY)
            if descriptor is not None:
                attempt(call, "setns", descriptor, 0)


if __name__ == "__main__":
    main(globals())

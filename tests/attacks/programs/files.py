"""Hostile programs against files: read, list, link, write, delete, and change what they are."""

import array
import contextlib
import ctypes
import fcntl
import os
import time

from common import Facts, attempt, call, checked, libc, main, places, raw, say, show

FS_IOC_GETFLAGS = 0x80086601
FS_IOC_SETFLAGS = 0x40086602
FS_IOC_SETVERSION = 0x40087602
FS_NODUMP_FL = 0x40
MS_BIND_REMOUNT = 0x1020
IN_CREATE = 0x100


def write(path: str) -> None:
    with open(path, "a") as file:
        file.write("hostile")


def read_secret(facts: Facts) -> None:
    show(facts["key"])
    show(f"/proc/self/root{facts['key']}")


def read_other_bot(facts: Facts) -> None:
    show(facts["other"])
    show(f"{os.getcwd()}/../1/notes.txt")
    for victim in facts["victims"]:
        show(f"{victim['folder']}/notes.txt")


def read_results(facts: Facts) -> None:
    show(facts["results"])


def list_home(facts: Facts) -> None:
    for folder in (facts["home"], facts["data"]):
        say(str(attempt(os.listdir, folder)))


def planted_symlink(facts: Facts) -> None:
    for name in ("planted-key", "planted-results"):
        show(f"{facts['mine']}/{name}")


def swapped_file(facts: Facts) -> None:
    show(f"{os.getcwd()}/own.txt")


def made_symlink(facts: Facts) -> None:
    for folder in places(facts):
        for target in (facts["key"], facts["results"]):
            path = f"{folder}/link-{facts['token']}"
            attempt(os.symlink, target, path)
            show(path)
            with contextlib.suppress(OSError):
                os.unlink(path)


def hard_link(facts: Facts) -> None:
    for folder in places(facts):
        attempt(os.link, facts["results"], f"{folder}/hard-{facts['token']}")


def chroot_escape(facts: Facts) -> None:
    for folder in places(facts):
        path = f"{folder}/cell"
        attempt(os.mkdir, path)
        if attempt(os.chroot, path) is None and os.path.exists(facts["mine"]):
            continue
        for _ in range(40):
            os.chdir("..")
        attempt(os.chroot, ".")
        show(facts["key"])
        show(facts["results"])


def through_proc(facts: Facts) -> None:
    for pid in (*(victim["pid"] for victim in facts["victims"]), os.getppid(), 1):
        show(f"/proc/{pid}/root{facts['key']}")
        show(f"/proc/{pid}/root{facts['results']}")
        show(f"/proc/{pid}/cwd/{os.path.relpath(facts['results'], facts['cwd'])}")


def stat_known(facts: Facts) -> None:
    for path in (facts["key"], facts["results"]):
        found = attempt(os.stat, path)
        say(f"changed {found.st_mtime_ns if found else None}")


def read_link(facts: Facts) -> None:
    say(str(attempt(os.readlink, f"{facts['data']}/pointer")))


def read_xattr(facts: Facts) -> None:
    say(str(attempt(os.getxattr, facts["results"], "user.note")))


def write_tmp(facts: Facts) -> None:
    attempt(write, f"/tmp/{facts['stray']}")


def write_var_tmp(facts: Facts) -> None:
    attempt(write, f"/var/tmp/{facts['stray']}")


def write_usr(facts: Facts) -> None:
    attempt(write, f"/usr/{facts['stray']}")


def write_loose(facts: Facts) -> None:
    attempt(write, f"{facts['loose']}/stray")
    attempt(write, facts["writable"])


def write_cwd(facts: Facts) -> None:
    attempt(write, f"{facts['cwd']}/stray")


def write_own_folder(facts: Facts) -> None:
    attempt(write, f"{facts['mine']}/stray")
    attempt(write, os.path.abspath(__file__))
    attempt(write, facts["own"])


def remount_usr(facts: Facts) -> None:
    # Only where /usr is a mount of the sandbox's own: the host's is left as it is.
    if os.stat("/proc/self/ns/mnt").st_ino != facts["mount_namespace"]:
        for path in (b"/usr", b"/"):
            attempt(call, "mount", None, path, None, MS_BIND_REMOUNT, None)
    attempt(write, f"/usr/{facts['stray']}")


def mount_over(facts: Facts) -> None:
    target = facts["loose"].encode()
    checked(libc.mount(b"decoy", target, b"tmpfs", 0, b"size=4096"))


def delete_results(facts: Facts) -> None:
    os.unlink(facts["results"])


def rename_results(facts: Facts) -> None:
    os.rename(facts["results"], f"{facts['data']}/elsewhere.db")


def truncate_results(facts: Facts) -> None:
    attempt(os.truncate, facts["results"], 0)
    attempt(os.open, facts["results"], os.O_RDONLY | os.O_TRUNC)


def truncate_own(facts: Facts) -> None:
    attempt(os.truncate, facts["own"], 0)
    attempt(os.open, facts["own"], os.O_RDONLY | os.O_TRUNC)


def targets(facts: Facts) -> tuple[str, ...]:
    """Return the files and folders whose properties a bot might change."""
    return (facts["home"], facts["results"], facts["own"], facts["writable"])


def change_mode(facts: Facts) -> None:
    for path in targets(facts):
        attempt(os.chmod, path, 0o777)


def change_mode_2(facts: Facts) -> None:
    for path in targets(facts):
        attempt(raw, "fchmodat2", -100, path.encode(), 0o777, 0)
    descriptor = os.open(facts["own"], os.O_RDONLY)
    attempt(os.fchmod, descriptor, 0o777)
    attempt(raw, "fchmodat2", descriptor, b"", 0o777, 0x1000)


def change_owner(facts: Facts) -> None:
    for path in targets(facts):
        attempt(os.chown, path, -1, 12345)
        for group in os.getgroups():
            attempt(os.chown, path, -1, group)


def set_xattr(facts: Facts) -> None:
    for path in targets(facts):
        attempt(os.setxattr, path, "user.hostile", b"1")


def set_times(facts: Facts) -> None:
    for path in targets(facts):
        attempt(os.utime, path, (1, 1))


def set_inode_flags(facts: Facts) -> None:
    for path in (facts["results"], facts["own"]):
        descriptor = attempt(os.open, path, os.O_RDONLY)
        if descriptor is not None:
            flags = array.array("L", [0])
            attempt(fcntl.ioctl, descriptor, FS_IOC_GETFLAGS, flags)
            flags[0] |= FS_NODUMP_FL
            attempt(fcntl.ioctl, descriptor, FS_IOC_SETFLAGS, flags)
            attempt(fcntl.ioctl, descriptor, FS_IOC_SETVERSION, array.array("i", [4711]))


def watch_folder(facts: Facts) -> None:
    descriptor = checked(libc.inotify_init1(os.O_NONBLOCK))
    checked(libc.inotify_add_watch(descriptor, facts["data"].encode(), IN_CREATE))
    say("watching")
    deadline = time.monotonic() + 1.0
    while time.monotonic() < deadline:
        try:
            say(os.read(descriptor, 4096).decode(errors="replace"))
            return
        except BlockingIOError:
            time.sleep(0.01)


def lock_results(facts: Facts) -> None:
    descriptor = os.open(facts["results"], os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def open_by_handle(facts: Facts) -> None:
    handle = ctypes.create_string_buffer(b"\x80\0\0\0" + bytes(140), 144)
    mount = ctypes.c_int()
    name = facts["key"].encode()
    checked(libc.name_to_handle_at(-100, name, handle, ctypes.byref(mount), 0))
    folder = os.open(facts["mine"], os.O_RDONLY)
    descriptor = checked(libc.open_by_handle_at(folder, handle, os.O_RDONLY))
    say(os.read(descriptor, 4096).decode())


def run_other_bot(facts: Facts) -> None:
    """Run what may not be read: with luck it tells by itself."""
    descriptor = attempt(os.open, facts["other_program"], os.O_PATH)
    if descriptor is not None:
        show(f"/proc/self/fd/{descriptor}")
    attempt(os.execv, facts["other_program"], [facts["other_program"], facts["token"]])
    attempt(os.execv, "/bin/sh", ["/bin/sh", facts["other_program"], facts["token"]])


if __name__ == "__main__":
    main(globals())

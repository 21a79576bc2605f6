"""Hostile builds that reach for files outside, or leave what harms whoever takes it."""

import ctypes
import os
import socket
import stat
import subprocess
import threading
import time

from hostile import Facts, attempt, checked, libc, say, show, write

AT_FDCWD = -100
if os.uname().machine == "aarch64":
    FCHMODAT, UTIMES = 53, ()
else:
    FCHMODAT, UTIMES = 268, (132, 235)  # and utime beside it


# Reading


def read_secret(facts: Facts) -> None:
    show(facts["secret"])
    show(f"{os.path.relpath(facts['secret'])}")
    show("/proc/self/root" + facts["secret"])


def include_secret(facts: Facts) -> None:
    with open("steal.c", "w") as file:
        file.write(f'#include "{facts["secret"]}"\n')
    for words in (["cc", "-E", "steal.c"], ["cc", "-c", "steal.c"], ["as", facts["secret"]]):
        said = subprocess.run(words, capture_output=True, text=True, check=False)
        say(said.stdout + said.stderr)


def make_secret(facts: Facts) -> None:
    with open("Makefile", "w") as file:
        file.write(f"$(info $(file <{facts['secret']}))\nall:\n\tcat {facts['secret']}\n")
    said = subprocess.run(["make"], capture_output=True, text=True, check=False)
    say(said.stdout + said.stderr)


def list_home(facts: Facts) -> None:
    say(attempt(os.listdir, os.path.dirname(facts["secret"])))


def own_environment(facts: Facts) -> None:
    say(dict(os.environ))
    show("/proc/self/environ")


def inherited_descriptors(facts: Facts) -> None:
    for number in range(3, 256):
        try:
            say(os.pread(number, 4096, 0))
        except OSError:
            continue
        say(f"descriptor {number}")


def read_neighbour(facts: Facts) -> None:
    """The sources of another author, whose folder lies beside this one."""
    for folder in (facts["neighbour"], os.path.dirname(os.path.dirname(os.getcwd()))):
        say(attempt(os.listdir, folder))
    for name in ("token.txt", "bot.c"):
        show(f"{facts['neighbour']}/{name}")


def link_neighbour(facts: Facts) -> None:
    attempt(os.link, f"{facts['neighbour']}/token.txt", "linked")
    attempt(os.symlink, f"{facts['neighbour']}/token.txt", "pointing")
    show("linked")


def write_neighbour(facts: Facts) -> None:
    for name in ("bot.c", "planted"):
        write(f"{facts['neighbour']}/{name}")
    attempt(os.unlink, f"{facts['neighbour']}/token.txt")
    attempt(os.rename, f"{facts['neighbour']}/token.txt", "token.txt")


# Writing


def write_outside(facts: Facts) -> None:
    for folder in (
        "/tmp",
        "/var/tmp",
        "/dev/shm",
        "/usr",
        "/",
        os.path.dirname(os.path.dirname(os.getcwd())),
    ):
        write(f"{folder}/{facts['stray']}")


def write_loose(facts: Facts) -> None:
    loose = facts["loose"]
    write(f"{loose}/{facts['stray']}")
    attempt(os.mkdir, f"{loose}/{facts['stray']}-folder")
    write("mine")
    attempt(os.rename, "mine", f"{loose}/{facts['stray']}-moved")
    attempt(os.symlink, "x", f"{loose}/{facts['stray']}-link")
    write(f"{loose}/writable")


def write_tools(facts: Facts) -> None:
    for folder in facts["tools"]:
        write(f"{folder}/bin/tool")
        write(f"{folder}/{facts['stray']}")
        attempt(os.chmod, f"{folder}/bin/tool", 0o777)


def write_input(facts: Facts) -> None:
    """Standard input is a file of the host's, open to be read."""
    attempt(os.write, 0, b"hostile")
    for path in ("/dev/stdin", "/proc/self/fd/0", facts["input"]):
        write(path)
    attempt(os.ftruncate, 0, 0)
    attempt(os.fchmod, 0, 0o666)


def change_mode(facts: Facts) -> None:
    secret = facts["writable"].encode()
    attempt(os.chmod, secret, 0o640)
    attempt(lambda: os.chmod(secret, 0o640, dir_fd=os.open(".", os.O_RDONLY)))
    os.symlink(secret, "pointing")
    attempt(os.chmod, "pointing", 0o640)
    attempt(lambda: os.fchmod(os.open(secret, os.O_RDONLY), 0o640))
    attempt(lambda: os.fchmod(os.open(secret, os.O_PATH), 0o640))
    for number, arguments in (
        (452, (AT_FDCWD, secret, 0o640, 0)),
        (FCHMODAT, (AT_FDCWD, secret, 0o640)),
    ):
        attempt(lambda: checked(libc.syscall(number, *arguments)))


def race_mode(facts: Facts) -> None:
    """Another path stands in memory when the kernel reads it than when somebody looked."""
    own, secret = b"own\0", facts["writable"].encode() + b"\0"
    write("own")
    _race(own, secret, lambda place: libc.chmod(place, 0o640))


def race_link(facts: Facts) -> None:
    """A link leads elsewhere when it is followed than when somebody looked."""
    write("own")
    os.mkdir("folder")
    over = threading.Event()

    def swap() -> None:
        while not over.is_set():
            for target in ("own", facts["writable"]):
                os.symlink(target, "next")
                os.rename("next", "pointing")

    thread = threading.Thread(target=swap)
    thread.start()
    deadline = time.monotonic() + 1.5
    while time.monotonic() < deadline:
        try:
            os.chmod("pointing", 0o640)
            os.utime("pointing", (1, 1))
        except OSError:
            continue
    over.set()
    thread.join()


def _race(first, second, act) -> None:
    place = ctypes.create_string_buffer(max(len(first), len(second)) + 1)
    over = threading.Event()

    def swap() -> None:
        while not over.is_set():
            ctypes.memmove(place, second, len(second))
            ctypes.memmove(place, first, len(first))

    thread = threading.Thread(target=swap)
    thread.start()
    deadline = time.monotonic() + 1.5
    while time.monotonic() < deadline:
        act(place)
    over.set()
    thread.join()


def set_times(facts: Facts) -> None:
    path = facts["writable"]
    attempt(os.utime, path, (1, 1))
    attempt(os.utime, path)
    os.symlink(path, "pointing")
    attempt(os.utime, "pointing", (1, 1))
    for number in UTIMES:
        attempt(lambda: checked(libc.syscall(number, path.encode(), None)))


def hard_link(facts: Facts) -> None:
    for path in (facts["secret"], facts["writable"], "/etc/hostname"):
        attempt(os.link, path, f"linked-{os.path.basename(path)}")


# Leaving behind


def plant_links(facts: Facts) -> None:
    os.symlink(facts["secret"], "pointing")
    os.symlink(os.path.dirname(facts["secret"]), "folder")
    os.symlink(os.path.relpath(facts["secret"]), "relative")


def plant_link(facts: Facts) -> None:
    os.symlink(facts["secret"], "pointing")


def plant_set_id(facts: Facts) -> None:
    def opened() -> None:
        os.umask(0)
        os.close(os.open("opened", os.O_CREAT | os.O_WRONLY, 0o6755))

    attempt(opened)
    attempt(lambda: checked(libc.creat(b"created", 0o6755)))
    attempt(os.mknod, "made", stat.S_IFREG | 0o6755)
    write("own")
    for mode in (0o4755, 0o2755, 0o6755):
        attempt(os.chmod, "own", mode)
        attempt(lambda: os.fchmod(os.open("own", os.O_RDONLY), mode))
        attempt(lambda: checked(libc.syscall(FCHMODAT, AT_FDCWD, b"own", mode)))
        attempt(lambda: checked(libc.syscall(452, AT_FDCWD, b"own", mode, 0)))
        attempt(lambda: subprocess.run(["chmod", oct(mode)[2:], "own"], check=False))


def plant_device(facts: Facts) -> None:
    for name, kind, number in (("null", stat.S_IFCHR, (1, 3)), ("disk", stat.S_IFBLK, (254, 0))):
        attempt(os.mknod, name, kind | 0o666, os.makedev(*number))


def plant_fifo(facts: Facts) -> None:
    """Whoever opens it waits for ever."""
    attempt(os.mkfifo, "bot")


def plant_socket(facts: Facts) -> None:
    def bound() -> None:
        made = socket.socket(socket.AF_UNIX)
        made.bind("socket")

    attempt(bound)
    attempt(os.mknod, "made", stat.S_IFSOCK | 0o666)


def plant_names(facts: Facts) -> None:
    for name in (b"\xff\xfe", b"a\nb", b"\x1b[2J", "\u202egnp.sh".encode()):
        write(os.fsdecode(name))


def plant_circle(facts: Facts) -> None:
    os.symlink(".", "again")
    os.mkdir("deep")
    os.symlink("..", "deep/up")


def shut_folders(facts: Facts) -> None:
    """Whoever cleans up cannot list them."""
    for place in (".", os.environ["TMPDIR"], os.environ["HOME"]):
        os.makedirs(f"{place}/a/b/c")
        write(f"{place}/a/b/c/file")
        for folder in ("a/b/c", "a/b", "a"):
            os.chmod(f"{place}/{folder}", 0)
        attempt(os.chmod, place, 0)


# The next build


def poison(facts: Facts) -> None:
    """Leave a word where the next build, or another, may look."""
    for folder in (os.environ["HOME"], os.environ["TMPDIR"], "/tmp", "/var/tmp", "/dev/shm"):
        for name in ("", "/.cache", "/go-build", "/cargo", "/.cargo", "/.config"):
            attempt(os.makedirs, folder + name, 0o777, True)
            write(f"{folder}{name}/{facts['stray']}", "poisoned")


def look(facts: Facts) -> None:
    """Be the next build: say what the one before has left."""
    for folder in (os.environ["HOME"], os.environ["TMPDIR"], "/tmp", "/var/tmp", "/dev/shm"):
        for name in ("", "/.cache", "/go-build", "/cargo", "/.cargo", "/.config"):
            if os.path.exists(f"{folder}{name}/{facts['stray']}"):
                say("poisoned")

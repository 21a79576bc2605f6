"""Hostile programs that look for what was left with them, and leave something themselves."""

import array
import ctypes
import fcntl
import os

from common import Facts, attempt, checked, libc, main, raw, say, show

TIOCSTI = 0x5412
KEY_SECONDS = 20


def inherited_descriptors(facts: Facts) -> None:
    for number in range(3, 256):
        try:
            say(f"{number}: {os.pread(number, 4096, 0)!r}")
        except OSError:
            continue


def inherited_environment(facts: Facts) -> None:
    say(str(dict(os.environ)))
    show("/proc/self/environ")
    environ = ctypes.POINTER(ctypes.c_char_p).in_dll(libc, "environ")
    say(str([environ[0]]))


def reopen_stdin(facts: Facts) -> None:
    for number in (0, 1, 2):
        attempt(os.open, f"/proc/self/fd/{number}", os.O_RDWR | os.O_NONBLOCK)


def shared_segment(facts: Facts) -> None:
    say(f"segment {checked(libc.shmget(facts['ipc_key'], 4096, 0o1600))}")


def semaphores(facts: Facts) -> None:
    say(f"semaphores {checked(libc.semget(facts['ipc_key'], 1, 0o1600))}")


def message_queue(facts: Facts) -> None:
    say(f"queue {checked(libc.msgget(facts['ipc_key'], 0o1600))}")


def posix_queue(facts: Facts) -> None:
    checked(libc.mq_open(f"/{facts['stray']}".encode(), os.O_CREAT | os.O_RDWR, 0o600, None))


def shm_file(facts: Facts) -> None:
    with open(f"/dev/shm/{facts['stray']}", "w") as file:
        file.write("hostile")


def kernel_key(facts: Facts) -> None:
    for ring in (-4, -3, -5):  # of the user, of the session, of the user's sessions
        name = f"{facts['stray']}{-ring}".encode()
        key = attempt(raw, "add_key", b"user", name, b"hostile", 7, ring)
        if key is not None:
            raw("keyctl", 15, key, KEY_SECONDS)  # it goes by itself, if nobody removes it


def write_terminal(facts: Facts) -> None:
    for path in (facts["terminal"], "/dev/tty"):
        descriptor = attempt(os.open, path, os.O_RDWR | os.O_NOCTTY)
        if descriptor is not None:
            os.write(descriptor, facts["token"].encode())


def type_into_terminal(facts: Facts) -> None:
    for path in (facts["terminal"], "/dev/tty", "/proc/self/fd/0"):
        descriptor = attempt(os.open, path, os.O_RDWR)
        if descriptor is not None:
            for letter in facts["token"].encode():
                attempt(fcntl.ioctl, descriptor, TIOCSTI, array.array("B", [letter]))


def type_with_high_bits(facts: Facts) -> None:
    """Put a bit into the half of the request that the kernel does not look at."""
    descriptor = os.open(facts["terminal"], os.O_RDWR)
    for letter in facts["token"].encode():
        raw("ioctl", descriptor, TIOCSTI | 1 << 32, bytes([letter]))


if __name__ == "__main__":
    main(globals())

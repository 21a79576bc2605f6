"""Filters of system calls, run here by an interpreter of the few instructions that they use."""

import struct

from referee.sandbox.seccomp import Filter
from referee.sandbox.syscalls import ARCHITECTURES

ALLOWED = 0x7FFF0000
KILLED = 0x80000000
REFUSED = 0x00050001
INVALID = 0x00050016
UNSUPPORTED = 0x0005005F
UNKNOWN = 0x00050026
IGNORED = 0x00050000
ASKED = 0x7FC00000

X86_64 = ARCHITECTURES["x86_64"]
AARCH64 = ARCHITECTURES["aarch64"]
I386 = 0x40000003
ARM = 0x40000028

HARMLESS = {  # x86_64, aarch64
    "read": (0, 63),
    "write": (1, 64),
    "futex": (202, 98),
    "execve": (59, 221),
    "getpgid": (121, 155),
    "seccomp": (317, 277),
    "getpriority": (140, 141),
    "sched_getattr": (315, 275),
    "timerfd_create": (283, 85),
    "setitimer": (38, 103),
    "sendto": (44, 206),
    "statx": (332, 291),
    "getdents64": (217, 61),
    "pipe2": (293, 59),
    "ppoll": (271, 73),
}
NUMBERS = {
    machine.name: machine.calls | {name: both[at] for name, both in HARMLESS.items()}
    for at, machine in enumerate((X86_64, AARCH64))
}
"""What the tests call, by machine and name: what filters speak of, and what they allow."""


def patched(filter_: Filter, pid: int) -> bytes:
    code = bytearray(filter_.code)
    for at in filter_.own_pid_at:
        code[at : at + 4] = struct.pack("<I", pid)
    return bytes(code)


def run(code: bytes, architecture: int, number: int, *arguments: int) -> int:
    """Return what the kernel would be answered."""
    padded = (*arguments, 0, 0, 0, 0, 0, 0)[:6]
    data = struct.pack("<IIQ6Q", number, architecture, 0, *padded)
    program = list(struct.iter_unpack("<HBBI", code))
    word = at = 0
    while True:
        operation, if_true, if_false, operand = program[at]
        at += 1
        match operation:
            case 0x20:
                (word,) = struct.unpack_from("<I", data, operand)
            case 0x54:
                word &= operand
            case 0xA4:
                word ^= operand
            case 0x74:
                word >>= operand
            case 0x15:
                at += if_true if word == operand else if_false
            case 0x25:
                at += if_true if word > operand else if_false
            case 0x06:
                return int(operand)
            case _:
                raise AssertionError(f"operation {operation:#x}")

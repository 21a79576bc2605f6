"""A hostile program of 32-bit ARM, for aarch64 kernels that run such programs: it opens a socket.

There a program cannot make 32-bit calls without being one, and no compiler for it is at hand.
"""

import struct

_AT = 0x10000  # where it is loaded: a page of any size begins there
_HEADERS = 52 + 32
_SVC = 0xEF000000
_R0, _R1, _R2, _R7 = 0, 1, 2, 7
_SAID = b"done\n"


def _set(register: int, value: int) -> int:
    """Return the instruction that puts up to 16 bits into a register."""
    return 0xE3000000 | value >> 12 << 16 | register << 12 | value & 0xFFF


def program() -> bytes:
    """Return the program: it opens a socket, says done, waits, and exits with 0 if it could."""
    code = [_set(_R0, 2), _set(_R1, 1), _set(_R2, 0), _set(_R7, 281), _SVC]  # socket
    code.append(0xE1A04000)  # keep the result in r4
    told = len(code)
    code += [_set(_R0, 1), 0, _set(_R2, len(_SAID)), _set(_R7, 4), _SVC]  # write
    listens = len(code)
    code += [_set(_R0, 0), 0xE1A0100D, _set(_R2, 1), _set(_R7, 3), _SVC]  # read to the stack
    code.append(0xE3500000)  # compare with 0
    code.append(0xCA000000 | (listens - len(code) - 2) & 0xFFFFFF)  # if greater, go on
    code += [0xE1A00FA4, _set(_R7, 1), _SVC]  # exit with the sign of r4
    code[told + 1] = 0xE28F1000 | 4 * (len(code) - told - 3)  # where the text lies
    body = struct.pack(f"<{len(code)}I", *code) + _SAID
    size = _HEADERS + len(body)
    # 32 bits, little-endian; an executable for ARM (40), of the fifth EABI
    head = b"\x7fELF\x01\x01\x01" + bytes(9)
    head += struct.pack(
        "<HHIIIIIHHHHHH", 2, 40, 1, _AT + _HEADERS, 52, 0, 5 << 24, 52, 32, 1, 0, 0, 0
    )
    head += struct.pack("<8I", 1, 0, _AT, _AT, size, size, 5, 0x10000)
    return head + body

"""What containers may call on x86_64, by the profiles that their engines publish.

Each says what is left of a profile under the engine's default capabilities.
"""

import errno
import struct
from typing import NamedTuple

from referee.sandbox import seccomp
from referee.sandbox.seccomp import ALLOW, ANSWER, Instruction, answer, if_any, load
from referee.sandbox.syscalls import ARCHITECTURES

_JUMP_IF_AT_LEAST = 0x35
_LANDLOCK = (444, 445, 446)
_SECCOMP, _SOCKET, _PERSONALITY, _CLONE = 317, 41, 135, 56
_NEW_LISTENER = 8


class Profile(NamedTuple):
    """A filter of system calls by their numbers on x86_64."""

    allowed: str
    """The numbers of calls that are allowed whatever their arguments."""
    otherwise: int
    """The errno of any other call."""
    answered: tuple[tuple[str, int], ...] = ()
    """Numbers of calls that are answered with another errno."""
    makes_namespaces: bool = False
    """Whether `clone` may."""
    asks: bool = True
    """Whether a filter may ask another process."""


DOCKER = Profile(
    allowed="0-40 42-55 57-102 104-133 137-138 140-152 154 157-162 186-211 213-226 228-235 "
    "240-245 247 251-255 257-271 273-278 280-297 299 301-303 305-307 309-311 314-319 322 324-334 "
    "424 434 436-437 439 441 444-449 451-458 462-466",
    otherwise=errno.EPERM,
    answered=(("435", errno.ENOSYS),),
)
"""Moby's `default.json` of June 2026, which containerd's, and so Kubernetes' RuntimeDefault, are
like."""
PODMAN = Profile(
    allowed="0-40 42-134 137-138 140-152 154-155 157-162 165-166 169 186-211 213-226 228-235 "
    "237-245 247 250-255 257-277 280-297 299-303 305-311 314-319 322 324-332 334 424 428-439 "
    "441-442 444-448 452",
    otherwise=errno.ENOSYS,
    answered=(
        (
            "134 136 139 153 163-164 167-168 170-173 175-176 178-180 212 227 246 256 278-279 298 "
            "304 308 312-313 320-321 323 333 440 443 449 451 453-456",
            errno.EPERM,
        ),
    ),
    makes_namespaces=True,
)
"""`seccomp.json` of containers/common, August 2025."""


def _without(profile: Profile, calls: tuple[int, ...], number: int) -> Profile:
    more = (" ".join(map(str, calls)), number)
    return profile._replace(answered=(*profile.answered, more))


OLD_DOCKER = _without(DOCKER, _LANDLOCK, errno.EPERM)
"""As before 2022: Landlock's calls are not on the list."""
NO_LANDLOCK = Profile("0-469", errno.ENOSYS, ((" ".join(map(str, _LANDLOCK)), errno.ENOSYS),), True)
"""No profile, and a kernel without Landlock, as Apple's containers have it."""
LIKE_GVISOR = _without(DOCKER, _LANDLOCK, errno.ENOSYS)._replace(asks=False)
"""No Landlock, and filters that ask nobody, as in gVisor; its other differences are not here."""


def program(profile: Profile) -> bytes:
    """Return a profile as the kernel takes it."""
    x86_64 = ARCHITECTURES["x86_64"]
    first = seccomp.ARGUMENTS_AT
    parts = [load(seccomp.NUMBER_AT)]
    for numbers, number in profile.answered:
        for low, high in _ranges(numbers):
            parts += _between(low, high, ANSWER | number)
    if not profile.asks:
        flags = [load(first + 8), Instruction(seccomp.AND, 0, 0, _NEW_LISTENER)]
        refused = if_any([_NEW_LISTENER], [answer(ANSWER | errno.EINVAL)])
        parts += if_any([_SECCOMP], [*flags, *refused, answer(ALLOW)])
    if not profile.makes_namespaces:
        flags = [load(first), Instruction(seccomp.AND, 0, 0, 0x7E020000)]
        allowed = if_any([0], [answer(ALLOW)])
        parts += if_any([_CLONE], [*flags, *allowed, answer(ANSWER | errno.EPERM)])
    sockets = if_any([38, 40], [answer(ANSWER | errno.EPERM)])  # AF_ALG and AF_VSOCK
    parts += if_any([_SOCKET], [load(first), *sockets, answer(ALLOW)])
    kinds = if_any([0, 8, 0x20000, 0x20008, 0xFFFFFFFF], [answer(ALLOW)])
    parts += if_any([_PERSONALITY], [load(first), *kinds, answer(ANSWER | errno.EPERM)])
    for low, high in _ranges(profile.allowed):
        parts += _between(low, high, ALLOW)
    parts.append(answer(ANSWER | profile.otherwise))
    entry = [
        load(seccomp.ARCHITECTURE_AT),
        *seccomp.unless(x86_64.number, [answer(seccomp.KILL)]),
    ]
    return b"".join(struct.pack("<HBBI", *each) for each in (*entry, *parts))


def _ranges(numbers: str) -> list[tuple[int, int]]:
    ends = (word.partition("-") for word in numbers.split())
    return [(int(low), int(high or low)) for low, _, high in ends]


def _between(low: int, high: int, value: int) -> list[Instruction]:
    """Return the instructions that answer the loaded number if it lies between two."""
    return [
        Instruction(_JUMP_IF_AT_LEAST, 0, 2, low),
        Instruction(seccomp.JUMP_IF_ABOVE, 1, 0, high),
        answer(value),
    ]

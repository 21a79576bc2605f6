"""The numbers of system calls on each machine, and that each machine's filter is the same rules."""

import re
from hashlib import sha256
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.sandbox import seccomp
from referee.sandbox.seccomp import build, of_builds, without_passing
from referee.sandbox.syscalls import ARCHITECTURES, EVERYWHERE, LAST_KNOWN, Architecture
from tests.referee.sandbox.filters import (
    AARCH64,
    ALLOWED,
    ARM,
    ASKED,
    I386,
    KILLED,
    NUMBERS,
    REFUSED,
    UNKNOWN,
    X86_64,
    patched,
    run,
)

PID = 4321


def every_filter(architecture: Architecture) -> list[seccomp.Filter]:
    names = ("own_pid", "children", "devices", "door", "landlock_abi")
    several = [
        dict(zip(names, words, strict=True)) for words in product(*[(True, False)] * 4, range(1, 8))
    ]
    found = [build(architecture=architecture, **asked) for asked in several]
    found += [
        of_builds(landlock_abi=abi, own_user=own, architecture=architecture)
        for abi in (None, *range(1, 8))
        for own in (True, False)
    ]
    return [*found, seccomp.Filter(without_passing(architecture), ())]


@pytest.mark.parametrize(
    ("architecture", "header"),
    [
        (X86_64, "/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
        (AARCH64, "/usr/include/asm-generic/unistd.h"),  # whose numbers aarch64 has
    ],
    ids=["x86_64", "aarch64"],
)
def test_the_numbers_are_those_of_the_kernels_headers(
    architecture: Architecture, header: str
) -> None:
    path = Path(header)
    if not path.exists():
        pytest.skip(f"no kernel headers for {architecture.name}")
    text = path.read_text(encoding="utf-8")
    known = dict(re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", text))
    assert len(known) > 300
    newer = {name: number for name, number in EVERYWHERE.items() if name not in known}
    assert newer == {name: n for name, n in newer.items() if n > int(known["pidfd_open"])}
    numbers = NUMBERS[architecture.name].items() - newer.items()
    assert dict(numbers) == {name: int(known.get(name, -1)) for name, _ in numbers}
    absent = X86_64.calls.keys() - architecture.calls.keys()
    assert not absent & known.keys()


def test_the_architectures_are_those_of_the_kernels_audit() -> None:
    """The number of the machine in executables, for 64 bits and little-endian."""
    assert (X86_64.number, AARCH64.number) == (0xC0000000 | 62, 0xC0000000 | 183)
    assert (I386, ARM) == (0x40000000 | 3, 0x40000000 | 40)


@pytest.mark.parametrize("architecture", ARCHITECTURES.values(), ids=ARCHITECTURES)
def test_no_two_calls_have_one_number(architecture: Architecture) -> None:
    assert max(architecture.calls.values()) <= LAST_KNOWN
    assert len(set(architecture.calls.values())) == len(architecture.calls)


def test_new_calls_have_the_same_number_everywhere() -> None:
    for name in X86_64.calls.keys() & AARCH64.calls.keys():
        numbers = {X86_64.calls[name], AARCH64.calls[name]}
        assert numbers == {EVERYWHERE[name]} if name in EVERYWHERE else max(numbers) < 424
    assert min(EVERYWHERE.values()) == 424
    assert EVERYWHERE.keys() <= AARCH64.calls.keys() <= X86_64.calls.keys()


def test_the_filters_of_x86_64_are_what_they_were_before_there_were_others() -> None:
    """All that was tried with them stays true; whoever changes a rule enters the new digest."""
    digest = sha256()
    *filters, passing = every_filter(X86_64)
    for filter_ in filters:
        digest.update(filter_.code + repr(filter_.own_pid_at).encode())
    digest.update(passing.code)
    assert digest.hexdigest() == "d6662e3e51d67778cb042423a04ca168c2ad73eb9b3586b7f879cb0f1d5c75db"


def pairs() -> list[tuple[bytes, bytes]]:
    both = zip(every_filter(X86_64), every_filter(AARCH64), strict=True)
    return list({(patched(one, PID), patched(other, PID)): None for one, other in both})


PAIRS = pairs()
WORDS = st.one_of(
    st.sampled_from((0, 1, 2, 4, 9, 18, PID, 1 << 31, 2**64 - 1, 0o101, 0o1000, 0o4755, 0o100000)),
    st.sampled_from((0x10000, 0x003D0F00)),
    st.integers(0, 64),
    st.integers(0, 2**32 - 1),
    st.integers(0, 2**64 - 1),
)


@given(
    pair=st.sampled_from(PAIRS),
    name=st.sampled_from(sorted(NUMBERS["aarch64"])),
    words=st.lists(WORDS, min_size=6, max_size=6),
)
def test_a_call_is_answered_the_same_on_both_machines(
    pair: tuple[bytes, bytes], name: str, words: list[int]
) -> None:
    one, other = pair
    answers = (
        run(one, X86_64.number, NUMBERS["x86_64"][name], *words),
        run(other, AARCH64.number, NUMBERS["aarch64"][name], *words),
    )
    assert answers[0] == answers[1]


ON_AARCH64 = {
    # number, arguments: answer; the numbers as the kernel's table for aarch64 has them
    (198, (1, 1)): REFUSED,  # socket
    (199, (1, 1)): ALLOWED,  # socketpair
    (220, (0x003D0F00,)): ASKED,  # clone: a thread
    (220, (17,)): REFUSED,  # and a child
    (129, (PID, 9)): ALLOWED,  # kill
    (129, (PID, 18)): REFUSED,
    (261, (PID,)): ALLOWED,  # prlimit64
    (222, (0, 1 << 30, 3, 0x21)): REFUSED,  # mmap
    (52, (3, 0o777)): REFUSED,  # fchmod
    (117, (0, 1)): REFUSED,  # ptrace
    (107, ()): UNKNOWN,  # timer_create
    (0, ()): UNKNOWN,  # io_setup
    (56, (-100 % 2**64, 0, 0)): ALLOWED,  # openat
    (63, (0, 0, 1)): ALLOWED,  # read
    (41, ()): REFUSED,  # pivot_root, which is socket on x86_64
    (57, (3,)): ALLOWED,  # close, which is fork on x86_64
}


def test_on_aarch64() -> None:
    code = patched(build(architecture=AARCH64), PID)
    for (number, words), expected in ON_AARCH64.items():
        assert run(code, AARCH64.number, number, *words) == expected, number


def test_calls_by_the_table_of_another_machine_kill() -> None:
    for one, other in PAIRS:
        for number in (0, 41, 198, 281, 435, LAST_KNOWN + 1):
            for architecture in (0, I386, ARM, AARCH64.number, X86_64.number + 1):
                assert run(one, architecture, number) == KILLED
            for architecture in (0, I386, ARM, X86_64.number):
                assert run(other, architecture, number) == KILLED


@pytest.mark.parametrize("architecture", ARCHITECTURES.values(), ids=ARCHITECTURES)
def test_each_filter_speaks_of_numbers_that_its_machine_has(architecture: Architecture) -> None:
    """Of the calls that a machine does not have, none is judged by another's number."""
    code = build(architecture=architecture).code
    known = set(architecture.calls.values())
    for number in range(LAST_KNOWN + 1):
        if run(code, architecture.number, number) != ALLOWED:
            assert number in known, number

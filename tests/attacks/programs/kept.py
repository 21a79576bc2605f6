"""Hostile programs against what bots share: a kept environment, and the copy of a big file."""

import mmap
import os

from common import Facts, attempt, main, places, say, show

WORD = b"hostile"


def write(path: str) -> None:
    """Write to a file, having let everybody do that if possible."""
    attempt(os.chmod, path, 0o666)
    with open(path, "r+b") as file:
        file.write(WORD)


def through_descriptor(path: str) -> None:
    with open(path, "rb") as file:
        attempt(os.fchmod, file.fileno(), 0o666)
        with open(f"/proc/self/fd/{file.fileno()}", "r+b") as again:
            again.write(WORD)


def through_map(path: str) -> None:
    attempt(os.chmod, path, 0o666)
    descriptor = attempt(os.open, path, os.O_RDWR)
    if descriptor is None:
        descriptor = os.open(path, os.O_RDONLY)
    with mmap.mmap(descriptor, 4096, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE) as memory:
        memory[: len(WORD)] = WORD


def through_link(facts: Facts, path: str) -> None:
    for folder in places(facts):
        name = f"{folder}/linked-{facts['token']}"
        attempt(os.link, path, name)
        attempt(write, name)


def write_package(facts: Facts) -> None:
    write(facts["package"])


def package_by_descriptor(facts: Facts) -> None:
    through_descriptor(facts["package"])


def package_by_map(facts: Facts) -> None:
    through_map(facts["package"])


def package_by_link(facts: Facts) -> None:
    through_link(facts, facts["package"])


def add_package(facts: Facts) -> None:
    folder = os.path.dirname(facts["package"])
    attempt(os.chmod, folder, 0o777)
    with open(f"{folder}/sitecustomize.py", "wb") as file:
        file.write(WORD)


def replace_package(facts: Facts) -> None:
    folder = os.path.dirname(facts["package"])
    attempt(os.chmod, folder, 0o777)
    os.rename(facts["package"], f"{folder}/old")


def read_other_packages(facts: Facts) -> None:
    say(str(attempt(os.listdir, os.path.dirname(facts["other_package"]))))
    show(facts["other_package"])


def write_big_file(facts: Facts) -> None:
    write("big.bin")


def big_file_by_descriptor(facts: Facts) -> None:
    through_descriptor("big.bin")


def big_file_by_map(facts: Facts) -> None:
    through_map("big.bin")


def big_file_by_link(facts: Facts) -> None:
    through_link(facts, "big.bin")


if __name__ == "__main__":
    main(globals())

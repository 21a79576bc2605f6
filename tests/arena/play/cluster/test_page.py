"""What docs/cluster.md has a reader start, started with the Dask that is installed."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.arena.play.cluster.hosts import Host, Hosts, need_hosts
from tests.docs.pages import PAGES, ROOT, Command, read
from tests.referee.process_watch import until

PAGE = "docs/cluster.md"
DASK = Path(sys.executable).with_name("dask")
LOOPBACK = "0100007F"  # as the kernel writes 127.0.0.1
LISTENS = "0A"


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    """A host with a network of its own, where every port is free; its processes end with it."""
    need_hosts()
    with Hosts() as hosts:
        host = hosts.alone()
        yield host
        pids = subprocess.check_output(["ip", "netns", "pids", host.words[-1]], text=True)
        for pid in map(int, pids.split()):
            os.kill(pid, signal.SIGKILL)


def listeners(host: Host) -> set[str]:
    """Return the addresses on which somebody listens there, as the kernel writes them."""
    words = (*host.words, "cat", "/proc/net/tcp", "/proc/net/tcp6")
    rows = [line.split() for line in subprocess.check_output(words, text=True).splitlines()]
    return {row[1].partition(":")[0] for row in rows if row[3] == LISTENS}


@pytest.mark.slow
def test_what_the_page_starts_is_heard_by_nobody_outside(host: Host, tmp_path: Path) -> None:
    """Its words are those of the page, one by one: a cluster to try, and one with certificates."""
    started = [
        step.words
        for step in read(PAGE)
        if isinstance(step, Command) and step.words.startswith(("dask ", "openssl "))
    ]
    kinds = ["scheduler", "worker"]
    assert [words.split()[1] for words in started] == [*kinds, "req", *kinds]
    env = {**os.environ, "PATH": f"{DASK.parent}:{os.environ['PATH']}"}
    for words in started:
        subprocess.run([*host.words, "bash", "-c", words], cwd=tmp_path, env=env, check=True)
    logs = [tmp_path / "worker.log", tmp_path / "sealed-worker.log"]
    until(lambda: all(log.exists() and "Registered to:" in log.read_text() for log in logs), 60)
    assert listeners(host) == {LOOPBACK}


@pytest.mark.slow
def test_dask_has_the_programs_that_pages_name() -> None:
    """As words of a shell, and as lists in YAML."""
    found = set()
    for page in PAGES:
        text = (ROOT / page).read_text(encoding="utf-8")
        for listed in re.findall(r"args: \[(.*)\]", text):
            found.add(" ".join(word.strip(' "') for word in listed.split(",")))
        found |= set(re.findall(r"^(?:srun )?(dask[- ]\w+.*?)(?: \\| &|\n|')", text, re.MULTILINE))
        found |= set(re.findall(r"srun (dask[- ]\w+.*?)'", text))
    kinds = {words.split()[1] for words in found}
    assert kinds == {"scheduler", "worker"}, found
    for words in found:
        program, *rest = words.split()
        known = subprocess.run([DASK.with_name(program), rest[0], "--help"], capture_output=True)
        assert known.returncode == 0, words
        for option in re.findall(r"--[a-z-]+", words):
            assert option in known.stdout.decode(), words

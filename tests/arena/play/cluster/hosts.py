"""Hosts that a test can cut off: network namespaces on one switch."""

import itertools
import os
import subprocess
from contextlib import suppress
from typing import Self

import pytest

_NET = "10.213.7"
_numbers = itertools.count()


class Host:
    """A machine, as far as the network knows: what is run behind `words` is on it."""

    def __init__(
        self, address: str = "127.0.0.1", words: tuple[str, ...] = (), *cable: str
    ) -> None:
        self.address = address
        self.words = words
        self._cable = cable

    def cut(self) -> None:
        """Pull the cable: packets get lost, and nobody is told."""
        _ip(*self._cable, "down")

    def heal(self) -> None:
        """Put it back."""
        _ip(*self._cable, "up")


class Hosts:
    """A switch and the hosts on it, whose networks nobody else is in.

    A context manager that removes them; end first what runs there.
    """

    def __init__(self) -> None:
        self._mark = f"arena-{os.getpid()}-{next(_numbers)}"
        self._namespaces: list[str] = []

    def __enter__(self) -> Self:
        self._switch = self._namespace("switch")
        _ip("-n", self._switch, "link", "add", "bridge", "type", "bridge")
        _ip("-n", self._switch, "link", "set", "dev", "bridge", "up")
        return self

    def __exit__(self, *error: object) -> None:
        for name in self._namespaces:
            with suppress(subprocess.CalledProcessError):
                _ip("netns", "del", name)

    def add(self, name: str) -> Host:
        """Return another host, which sees the others."""
        number = len(self._namespaces)
        own = self._namespace(name)
        port = f"port{number}"
        _ip("-n", own, *f"link add eth type veth peer {port} netns {self._switch}".split())
        _ip("-n", self._switch, *f"link set dev {port} master bridge up".split())
        address = f"{_NET}.{number}"
        _ip("-n", own, "address", "add", f"{address}/24", "dev", "eth")
        _ip("-n", own, "link", "set", "dev", "eth", "up")
        cable = ("-n", self._switch, "link", "set", "dev", port)
        return Host(address, ("ip", "netns", "exec", own), *cable)

    def alone(self) -> Host:
        """Return a host without a cable, on which everything is at 127.0.0.1."""
        return Host(words=("ip", "netns", "exec", self._namespace("alone")))

    def _namespace(self, name: str) -> str:
        full = f"{self._mark}-{name}"
        _ip("netns", "add", full)
        self._namespaces.append(full)
        _ip("-n", full, "link", "set", "dev", "lo", "up")
        return full


def why_not() -> str:
    """Return why there can be no such hosts here; empty if there can."""
    if os.getuid() != 0:
        return "only root can make network namespaces"
    try:
        with Hosts() as hosts:
            hosts.add("probe")
    except FileNotFoundError:
        return "there is no `ip` (iproute2)"
    except subprocess.CalledProcessError as error:
        return f"{' '.join(error.cmd)}: {error.stderr.strip()}"
    return ""


def need_hosts() -> None:
    """Skip the test, loudly, where there can be no hosts."""
    if why := why_not():
        pytest.skip(f"A CUT NETWORK IS NOT TESTED HERE: {why}")


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True)

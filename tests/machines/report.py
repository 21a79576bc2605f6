"""What a machine tells, compared with what should be."""

import sys
from collections.abc import Callable, Collection
from itertools import zip_longest
from typing import Any

from tests.same_bytes import around

_SHOWN = 25  # attacks from one line to the next


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


class Report:
    """What the machine tells, compared with what should be."""

    def __init__(
        self, machine: str, exported: Callable[[str], list[str]], games: Collection[str]
    ) -> None:
        """Take `exported` for what the league of one of `games` exports here.

        `machine` is what the machine should call itself.
        """
        self._machine = machine
        self._exported = exported
        self._games = games
        self._wrong = 0
        self._over: list[str] = []
        self._same = self._passed = self._tried = 0
        self._attacks = {"contained": 0, "named gaps": 0, "not possible there": 0}

    def take(self, told: dict[str, Any]) -> None:
        """Take what was told of one thing."""
        getattr(self, f"_{told['step']}")(told)

    def _broken(self, told: dict[str, Any]) -> None:
        self._fail(f"{told['what']}: {told['failed']}")

    def _took(self, told: dict[str, Any]) -> None:
        self._over.append(told["what"])
        say(f"{told['what']} took {told['seconds']} s.")

    def _fail(self, text: str) -> None:
        self._wrong += 1
        say(f"WRONG: {text}")

    def _about(self, told: dict[str, Any]) -> None:
        say(
            f"Linux {told['kernel']} on {told['machine']}, pages of {told['page']} bytes, Landlock "
            f"ABI {told['landlock']}, Python {told['python']}."
        )
        if told["machine"] != self._machine:
            self._fail(f"the machine is {told['machine']}, not {self._machine}")

    def _canary(self, told: dict[str, Any]) -> None:
        if told["failed"]:
            self._fail(f"{told['sandbox']} as {told['user']}: {told['failed']}")
        else:
            say(f"{told['sandbox']} as {told['user']}: the self test found no way out.")

    def _attack(self, told: dict[str, Any]) -> None:
        self._tried += 1
        if self._tried % _SHOWN == 0:
            say(f"{self._tried} attacks were tried.")
        where = f"{told['attack']} in {told['sandbox']} as {told['user']}"
        if "error" in told:
            self._fail(f"{where}: {told['error']}")
        elif "missing" in told:
            self._attacks["not possible there"] += 1
            say(f"{where}: not possible there: {told['missing']}")
        elif told["effect"] and not told["gap"]:
            self._fail(f"{where}: not contained: {told['detail']}")
        elif told["effect"]:
            self._attacks["named gaps"] += 1
        elif told["gap"]:  # many need a moment that a slow machine does not hit
            self._attacks["contained"] += 1
            say(f"{where}: a gap elsewhere, without effect there.")
        else:
            self._attacks["contained"] += 1

    def _test(self, told: dict[str, Any]) -> None:
        where = f"{told['test']} as {told['user']}"
        if told["failed"]:
            self._fail(f"{where}: {told['failed']}")
            return
        self._passed += 1
        say(f"{where}: passed ({told['seconds']} s).")

    def _league(self, told: dict[str, Any]) -> None:
        game = told["game"]
        if told["failed"]:
            self._fail(f"{game}: {told['failed']}")
            return
        pairs = [*zip_longest(self._exported(game), told["lines"], fillvalue="")]
        if differing := [pair for pair in pairs if pair[0] != pair[1]]:
            here, there = around(*differing[0])
            self._fail(f"{game} differs: here {here!r}, there {there!r}")
        else:
            self._same += 1
            say(f"{game}: the same {len(pairs)} lines ({told['seconds']} s there).")

    def end(self, steps: list[str]) -> int:
        """Say what was found; return 1 if something is wrong or was not done."""
        for name in steps:
            if name not in self._over:
                self._fail(f"the machine ended before the step {name} did")
        if "attacks" in steps:
            counts = ", ".join(f"{count} {what}" for what, count in self._attacks.items())
            say(f"Attacks: {counts}.")
            if not self._attacks["contained"]:
                self._fail("no attack was tried")
        if "cgroup" in steps:
            say(f"Tests of cgroups: {self._passed} passed.")
            if not self._passed:
                self._fail("no test of cgroups passed")
        if "leagues" in steps:
            say(f"Leagues: {self._same} of {len(self._games)} exported the same bytes.")
            if self._same != len(self._games):
                self._fail("not every league was compared")
        say(f"{self._wrong} things are wrong." if self._wrong else "All is as it should be.")
        return int(self._wrong > 0)

"""The lines between referee and bots, told while they pass."""

from typing import Any, cast

import click

from arena.cli.feed import wire_line
from protocol.lines import encode
from protocol.messages import VERSION, Hello, Ready
from referee.bot_process import BotProcess
from referee.clock import Clock


def tapped(process: BotProcess, seat: int, name: str) -> BotProcess:
    """Return a bot's process, just started, as its seat may use it while all lines are told."""
    tap = _Tap(process, seat)
    tap.tell("→", encode(Hello(VERSION, name)))
    tap.tell("←", encode(Ready("ready")))
    return cast("BotProcess", tap)


class _Tap:
    """Stands in for a process; each line begins with the number of its seat."""

    def __init__(self, process: BotProcess, seat: int) -> None:
        self._process = process
        self._seat = seat

    def __getattr__(self, name: str) -> Any:
        return getattr(self._process, name)

    def tell(self, arrow: str, line: bytes) -> None:
        click.echo(f"{self._seat} {wire_line(arrow, line)}")

    def send(self, line: bytes) -> None:
        self.tell("→", line)
        self._process.send(line)

    def ask(self, line: bytes, clock: Clock) -> bytes:
        self.tell("→", line)
        return self._heard(self._process.ask(line, clock))

    def read_line(self) -> bytes:
        return self._heard(self._process.read_line())

    def unread(self) -> bytes:
        held = self._process.unread()
        if held:
            self._heard(held)
        return held

    def _heard(self, line: bytes) -> bytes:
        self.tell("←", line)
        return line

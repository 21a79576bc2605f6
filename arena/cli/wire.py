"""The lines between referee and bots, shown while they pass."""

import click

from arena.cli.feed import wire_line
from protocol.lines import encode
from protocol.messages import VERSION, Hello, Ready
from referee.turn.bot_process import BotProcess


def show_wire(process: BotProcess, seat: int, name: str) -> None:
    """Show every line that passes between a bot, just started, and the referee.

    Each begins with the number of the seat; the first two have passed already.
    """

    def show(arrow: str, line: bytes) -> None:
        click.echo(f"{seat} {wire_line(arrow, line)}")

    show("→", encode(Hello(VERSION, name, process.threads)))
    show("←", encode(Ready("ready", process.samples)))
    process.tap = show

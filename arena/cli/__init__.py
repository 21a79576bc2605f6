"""The command line: parse, call, print. The one home of click."""

from typing import Any

import click

from arena.display import safe_lines
from protocol.errors import ArenaError

_ORDER = (
    *("demo", "games", "bots", "play", "init", "run", "rank", "table", "matches", "show"),
    *("verify", "export", "import", "compare", "schema", "doctor"),
)
"""How the commands are listed."""


class ArenaGroup(click.Group):
    """The commands in an order that tells a story; errors of ours are shown as one line."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in their order."""
        return sorted(self.commands, key=_ORDER.index)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; show an ArenaError, and Ctrl-C, without a traceback."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("\narena: interrupted.", err=True)
            ctx.exit(1)
        except ArenaError as error:
            click.echo(safe_lines(f"arena: {error}"), err=True)
            ctx.exit(error.exit_code)


@click.group(cls=ArenaGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="bot-arena", prog_name="arena")
def main() -> None:
    """Run tournaments of AI bots, and read their tables.

    \b
    A first table:      arena demo
    One match:          arena play guerra sensible random
    Your own league:    arena init cup --game guerra sensible random ./my_bot
                        arena run cup
                        arena rank cup
    """


from arena.cli import about, archive, compare, leagues, matches, play, tables, verify  # noqa: E402, F401 - they add their commands

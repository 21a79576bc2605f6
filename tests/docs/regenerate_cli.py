"""Writes docs/cli.md from the commands' help: `python -m tests.docs.regenerate_cli`."""

from pathlib import Path

import click

from arena.cli import GROUPS, main

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"
WIDTH = 80


def reference() -> str:
    """Return the page."""
    context = click.Context(main, info_name="arena", terminal_width=WIDTH, **main.context_settings)
    parts = ["# The command line\n\nGenerated from `arena --help` and `arena COMMAND --help`.\n"]
    parts.append(_help("arena", main, context))
    for title, names in GROUPS.items():
        parts.append(f"## {title}\n")
        for name in names:
            command = main.commands[name]
            inner = click.Context(command, info_name=name, parent=context, terminal_width=WIDTH)
            parts.append(_help(f"arena {name}", command, inner, "###"))
    return "\n".join(parts)


def _help(title: str, command: click.Command, context: click.Context, level: str = "##") -> str:
    return f"{level} {title}\n\n```\n{command.get_help(context)}\n```\n"


if __name__ == "__main__":
    PAGE.write_text(reference())

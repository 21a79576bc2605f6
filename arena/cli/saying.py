"""What a command says beside its results, and the errors that end it: sentences for people."""

import shutil
import sys

import click

from arena.text import safe_lines, wrapped


def say(text: str, *, err: bool = True) -> None:
    """Print a message, on standard error or on standard output; on a terminal, broken at spaces.

    Elsewhere each line stays as long as it is, so that programs find whole messages in it.
    """
    shown = safe_lines(text)
    if (sys.stderr if err else sys.stdout).isatty():
        shown = wrapped(shown, shutil.get_terminal_size().columns)
    click.echo(shown, err=err)

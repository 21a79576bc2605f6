"""Writes docs/arena.1 from the commands' help: `python -m tests.docs.regenerate_man`.

It is the manual page arena(1), in the macros of man(7), which the wheel installs.
"""

import inspect
import textwrap
from collections.abc import Iterator
from pathlib import Path

import click

from arena.cli import GROUPS, main

PAGE = Path(__file__).parents[2] / "docs" / "arena.1"
_VERBATIM = "\b\n"
"""In a help text, begins a paragraph that is not filled."""
WIDTH = 80
"""No line is longer, in the page's file and on a screen."""
_INDENT = 2  # of examples, beyond the 7 columns of all text
_ROOM = WIDTH - 7 - _INDENT
_CONTINUED = "    "


def manual() -> str:
    """Return the page."""
    context = click.Context(main, info_name="arena", **main.context_settings)
    lines = [
        '.TH ARENA 1 "" "Bot Arena" "User Commands"',
        ".SH NAME",
        "arena \\- run tournaments of AI bots, and read their tables",
        ".SH SYNOPSIS",
        ".B arena",
        r"[\fIOPTIONS\fR] \fICOMMAND\fR [\fIARGUMENTS\fR] ...",
        ".SH DESCRIPTION",
        *list(_paragraphs(main))[1:],
        ".SH OPTIONS",
        *_options(main, context),
    ]
    for title, names in GROUPS.items():
        lines.append(f".SH {title.upper()}")
        for name in names:
            lines += _command(main.commands[name], name, context)
    lines += [
        ".SH EXIT STATUS",
        *_entry("0", "All was done that was asked for."),
        *_entry("1", "A run failed, or a check found something wrong."),
        *_entry("2", "A mistake in what was typed, or in a file that was read."),
    ]
    return "\n".join(lines) + "\n"


def _command(command: click.Command, name: str, context: click.Context) -> Iterator[str]:
    inner = click.Context(command, info_name=name, parent=context)
    words = " ".join(inner.command_path.split()[1:])
    yield f".SS {_safe(words)}"
    usage = " ".join([inner.command_path, *command.collect_usage_pieces(inner)])
    yield from (f".B {line}" for line in _filled(usage, WIDTH - len(".B ")))
    yield from _paragraphs(command)
    yield from _options(command, inner)
    if isinstance(command, click.Group):
        for each in command.list_commands(inner):
            yield from _command(command.commands[each], each, inner)


def _paragraphs(command: click.Command) -> Iterator[str]:
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        if paragraph.startswith(_VERBATIM):
            yield from (".PP", ".nf", f".RS {_INDENT}")
            for line in paragraph.removeprefix(_VERBATIM).splitlines():
                yield from map(_safe, _continued(line))
            yield from (".RE", ".fi")
        else:
            yield ".PP"
            yield from _filled(paragraph)


def _options(command: click.Command, context: click.Context) -> Iterator[str]:
    for option in command.get_params(context):
        record = option.get_help_record(context)
        if record and record[1]:  # some versions of click have one without text for an argument
            yield from _entry(*record)


def _entry(term: str, text: str) -> Iterator[str]:
    yield from (".TP", f".B {_safe(term)}", *_filled(text))


def _filled(text: str, width: int = WIDTH) -> Iterator[str]:
    """Yield text in lines that are short enough as they are written, which roff fills anew."""
    words = map(_safe, text.split())
    yield from textwrap.wrap(" ".join(words), width, break_long_words=False, break_on_hyphens=False)


def _continued(example: str) -> Iterator[str]:
    """Yield an example as a shell takes it: on several lines where there is no room for it."""
    room = _ROOM - len(" \\")
    while len(example) > _ROOM:
        at = max(example.rfind(sign, len(_CONTINUED), room) for sign in (" --", " && "))
        at = at if at > 0 else example.rindex(" ", 0, room)
        yield f"{example[:at]} \\"
        example = _CONTINUED + example[at:].lstrip()
    yield example


def _safe(text: str) -> str:
    """Return a line that roff shows as it is, and takes for no command."""
    text = text.strip("\n").replace("\\", r"\e").replace("-", r"\-").replace("`", r"\(ga")
    text = text.replace("'", r"\(aq").replace("~", r"\(ti").replace("^", r"\(ha")
    return rf"\&{text}" if text.startswith((".", " ")) else text


if __name__ == "__main__":
    PAGE.write_text(manual())

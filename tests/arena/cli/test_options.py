"""An option has one meaning, in whatever command it stands."""

import re
from collections.abc import Iterator
from typing import NamedTuple

import click

from arena.cli import main

SENSES = {
    "--against": ("another bot that the first one met", {"matches", "why"}),
    "--anchor": ("a bot of known strength, and its points of Elo", {"init", "rank"}),
    "--bot": ("a bot by its name in a league", {"connect", "feedback", "matches", "submit"}),
    "--deals": ("how many deals a line-up plays, at most", {"compare", "init"}),
    "--for": ("the time after which a run stops", {"compare", "run"}),
    "--force": ("overwrite a file that is there", {"export", "play", "report"}),
    "--format": ("the form of what is printed or written", {"export", "show", "..."}),
    "--game": ("the game, by its name or its file", {"doctor", "..."}),
    "--keep": ("the folder in which what was played is kept", {"compare", "demo"}),
    "--lang": ("the language of what is begun", {"new", "new-game"}),
    "--limit": ("a limit of the bots, as KEY=VALUE", {"doctor", "..."}),
    "--log": ("print only the messages", {"play", "show"}),
    "--seats": ("how many bots sit in a match", {"check", "check-game", "compare", "init"}),
    "--seconds": ("begin no more matches of a check after this time", {"add", "check"}),
    "--seed": ("what all chance comes from", {"check", "check-game", "compare", "init", "play"}),
    "--workers": ("how many processes work at once", {"add", "serve", "verify", "..."}),
}
"""The sense of options whose help differs, and the commands that have it; `...` for all others
that have one help. A new command is added here if its option has this sense."""


class Use(NamedTuple):
    command: str
    kind: tuple[str, str | None]
    said: str


def commands(group: click.Group, above: str = "") -> Iterator[tuple[str, click.Command]]:
    for name in group.commands:
        command = group.commands[name]
        yield f"{above}{name}", command
        if isinstance(command, click.Group):
            yield from commands(command, f"{name} ")


def uses() -> dict[str, list[Use]]:
    """Return who has an option, for each name of one."""
    found: dict[str, list[Use]] = {}
    for name, command in commands(main):
        for option in command.params:
            if isinstance(option, click.Option):
                use = Use(name, (kind_of(option), option.metavar), sense_of(option.help or ""))
                for word in (*option.opts, *option.secondary_opts):
                    found.setdefault(word, []).append(use)
    return found


def kind_of(option: click.Option) -> str:
    """Return what an option takes; whether it may be repeated is no other sense."""
    if option.is_flag:
        return "flag"
    if isinstance(option.type, click.Choice | click.types.StringParamType):
        return "word"
    if isinstance(option.type, click.types.IntParamType):
        return "whole number"
    return option.type.name


def sense_of(said: str) -> str:
    """Return the first sentence of a help text, without what it is by default."""
    return re.split(r"[.;:]\s|\.?  \[|\.$", said)[0]


def test_an_option_is_of_one_kind_in_all_commands() -> None:
    found = {word: {use.kind for use in each} for word, each in uses().items()}
    assert {word: kinds for word, kinds in found.items() if len(kinds) > 1} == {}


def test_an_option_has_one_sense_in_all_commands() -> None:
    differing = {}
    for word, each in uses().items():
        _, listed = SENSES.get(word, ("", set[str]()))
        others = {use.said for use in each if use.command not in listed}
        if len(others) > 1 or (listed and others and "..." not in listed):
            differing[word] = [(use.command, use.said) for use in each]
    assert differing == {}
    assert uses().keys() >= SENSES.keys()

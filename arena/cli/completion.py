"""Words that a shell completes: the command that prints its script, and what it offers."""

import os
import re
import tomllib
from collections.abc import Callable, Collection, Iterable
from pathlib import Path

import click
from click.shell_completion import CompletionItem, get_completion_class

from arena.cli import main
from arena.league.finding import HUMAN, bundled
from protocol.errors import ArenaError
from referee.games import GAMES

_SHELLS = ("bash", "zsh", "fish")
_VARIABLE = "_ARENA_COMPLETE"
"""By which a shell's script asks; what it asks about is in COMP_WORDS and COMP_CWORD."""
_WITHOUT_SPACE = """
_arena_completion_of_keys() {
    _arena_completion "$@"
    if [[ ${COMPREPLY[0]} == *= ]]; then compopt -o nospace; fi
}
complete -o nosort -F _arena_completion_of_keys arena
"""
"""Keeps bash from putting a space behind a key, whose value follows. Fish does so by itself."""
_OTHERWISE = ("sandbox", "remote")
"""Limits that are not given by --limit: the first has an option of its own, the other is for single
bots, which say it themselves."""

Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


@main.command()
@click.argument("shell", type=click.Choice(_SHELLS))
def completion(shell: str) -> None:
    """Print the script by which a shell completes commands, options, games and bots.

    Bash and zsh read it when they start: add the line of yours to ~/.bashrc, or to ~/.zshrc below
    `compinit`. Fish reads a file. Then Tab completes what you type after `arena`.

    \b
    eval "$(arena completion bash)"
    eval "$(arena completion zsh)"
    arena completion fish > ~/.config/fish/completions/arena.fish
    """
    kind = get_completion_class(shell)
    assert kind, "click knows each of them"
    click.echo(kind(main, {}, "arena", _VARIABLE).source())
    if shell == "bash":
        click.echo(_WITHOUT_SPACE)


def check_asked() -> None:
    """Raise ArenaError if what a script is to ask by is set, and not as a script sets it."""
    asked = os.environ.get(_VARIABLE, "")
    shell, _, what = asked.partition("_")
    if not asked or (shell in _SHELLS and what == "source"):
        return
    pattern = r"\S.*|" if shell == "fish" else r"[0-9]{1,9}"  # a word, or the number of one
    needed = {
        _VARIABLE: rf"({'|'.join(_SHELLS)})_complete",
        "COMP_WORDS": r".*",
        "COMP_CWORD": pattern,
    }
    for name, form in needed.items():
        value = os.environ.get(name)
        if value is None or not re.fullmatch(form, value, re.DOTALL):
            how = "is not set" if value is None else f"cannot be {value!r}"
            raise ArenaError(
                f"{_VARIABLE} is set, as by the script of `arena completion`, and {name} {how}. "
                f"Unset {_VARIABLE}."
            )


def _files(incomplete: str) -> list[CompletionItem]:
    """Have the shell itself complete a word: beside others, bash would forget those."""
    return [CompletionItem(incomplete, type="file")]


def _begun(words: Iterable[str], incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(word) for word in words if word.startswith(incomplete)]


def among(words: Collection[str]) -> Complete:
    """Return what completes one of some words."""
    return lambda _ctx, _param, incomplete: _begun(words, incomplete)


def limits(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the keys of limits that begin so, as far as a command takes them among others."""
    from referee.limits import Limits  # here, as it costs every command a while

    keys = (f"{name}=" for name in Limits.__struct_fields__ if name not in _OTHERWISE)
    return _begun(keys, incomplete)


def grants(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the keys of what one bot may be allowed that begin so."""
    from referee.limits import Grant  # here, as it costs every command a while

    return _begun((f"{name}=" for name in Grant.__struct_fields__ if name != "remote"), incomplete)


def games(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the bundled games that begin so; if there are none, files complete the word."""
    return _begun(GAMES, incomplete) or _files(incomplete)


def bots(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the bundled bots, of the game if one was named, that begin so, or else files."""
    game = str(ctx.params.get("game"))
    names = {name for each in ([game] if game in GAMES else GAMES) for name in bundled(each)}
    if ctx.info_name == "play":
        names.add(HUMAN)
    return _begun(sorted(names), incomplete) or _files(incomplete)


def entered(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the bots of the league named before that begin so; none if it cannot be read."""
    words = ctx.args  # what click has not come to, as the value of an option is missing
    league = ctx.params.get("league") or (words[0] if words else "")
    try:
        told = tomllib.loads((Path(str(league)) / "league.toml").read_text(encoding="utf-8"))
        names = [each["name"] for each in told["bot"]]
    except (OSError, ValueError, KeyError, TypeError):
        return []  # while somebody types, there is no place to say why
    return _begun(names, incomplete)

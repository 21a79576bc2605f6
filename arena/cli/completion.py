"""Words that a shell completes: the command that prints its script, and what it offers."""

import tomllib
from pathlib import Path

import click
from click.shell_completion import CompletionItem, get_completion_class

from arena.cli import main
from arena.league.finding import HUMAN, bundled
from referee.games import GAMES

_SHELLS = ("bash", "zsh", "fish")
_FILES = [CompletionItem("", type="file")]
"""Has the shell itself complete a word: beside others, bash would forget those."""


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
    click.echo(kind(main, {}, "arena", "_ARENA_COMPLETE").source())


def games(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the bundled games that begin so; if there are none, files complete the word."""
    found = [CompletionItem(name) for name in GAMES if name.startswith(incomplete)]
    return found or _FILES


def bots(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the bundled bots, of the game if one was named, that begin so, or else files."""
    game = str(ctx.params.get("game"))
    names = {name for each in ([game] if game in GAMES else GAMES) for name in bundled(each)}
    if ctx.info_name == "play":
        names.add(HUMAN)
    found = [CompletionItem(name) for name in sorted(names) if name.startswith(incomplete)]
    return found or _FILES


def entered(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the bots of the league named before that begin so; none if it cannot be read."""
    words = ctx.args  # what click has not come to, as the value of an option is missing
    league = ctx.params.get("league") or (words[0] if words else "")
    try:
        told = tomllib.loads((Path(str(league)) / "league.toml").read_text(encoding="utf-8"))
        names = [each["name"] for each in told["bot"]]
    except (OSError, ValueError, KeyError, TypeError):
        return []  # while somebody types, there is no place to say why
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]

"""The command that begins a new bot."""

import shlex
from pathlib import Path

import click

from arena.author.new import find_language, languages, write_bot
from arena.cli import main
from arena.cli.common import game_option
from arena.cli.saying import say
from arena.league.games import find_game, word_in
from arena.play.building import TOOLS
from arena.text import safe


@main.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--lang", required=True, metavar="LANGUAGE", help=f"One of {', '.join(languages())}.")
@game_option
def new(folder: Path, lang: str, game: str) -> None:
    """Begin a new bot: a folder with a program that plays, a kit, and what to try next.

    \b
    arena new mine --lang python --game khan
    arena new swift --lang rust --game duel
    """
    kind, source = find_game(game)
    name, language = find_language(lang)
    files = write_bot(folder, name, kind, word_in(source, folder))
    click.echo(safe(f"{folder} is written: {', '.join(files)}."))
    if language.lacking:
        lacking = " and ".join(language.lacking)
        say(
            f"{lacking} is needed for {language.title}, but is not in /usr, where the sandbox "
            f"looks, nor in what {TOOLS} names."
        )
    word = shlex.quote(str(folder))
    click.echo(safe(f"Next: arena check {word} --game {shlex.quote(source.word)}"))
    click.echo(safe(f"{folder / 'README.md'} says what to try."))

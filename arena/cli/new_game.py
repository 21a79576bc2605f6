"""The command that begins a new game."""

import shlex
from pathlib import Path

import click

from arena.author.new_game import write_game, write_single_game
from arena.cli import main
from arena.league.games import agree
from arena.text import safe
from referee.finding import find_source


@main.command("new-game")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--single", is_flag=True, help="Write one file, DIR.py, and nothing else.")
def new_game(folder: Path, single: bool) -> None:
    """Begin a new game: one that works, to be changed, with rules page, bots and a test.

    The folder is a distribution, which others can install. Its name is the game's.

    \b
    arena new-game my_game && arena check-game ./my_game
    arena new-game my_game --single && arena play ./my_game.py human random
    """
    if single:
        file = write_single_game(folder)
        click.echo(safe(f"{file} is written."))
    else:
        file = folder
        click.echo(safe(f"{folder} is written: {', '.join(write_game(folder))}."))
    word = f"./{file}" if not file.is_absolute() and "/" not in str(file) else str(file)
    agree(find_source(word))
    word = shlex.quote(word)
    other = "random" if single else "sensible"
    click.echo("As you have made it, its code may run from now on.")
    click.echo(safe(f"Next: arena check-game {word}; arena play {word} human {other}"))

"""The command that begins a new game."""

from pathlib import Path

import click

from arena.author.new_game import (
    find_program_language,
    lacking,
    program_languages,
    write_game,
    write_program,
    write_single_game,
)
from arena.cli import completion, main
from arena.cli.saying import say
from arena.league.games import agree
from arena.text import quoted, safe
from referee.catalog.finding import find_source


@main.command("new-game")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--single", is_flag=True, help="Write one file, DIR.py, and nothing else.")
@click.option(
    "--lang",
    metavar="LANGUAGE",
    help=f"Write a game that is a program, which runs in a sandbox: one of "
    f"{', '.join(program_languages())}.  [default: a class in Python, which runs inside the arena]",
    shell_complete=completion.among(program_languages()),
)
def new_game(folder: Path, single: bool, lang: str | None) -> None:
    """Begin a new game: one that works, to be changed, with rules page, bots and a test.

    Its name is that of the folder. Without --lang the game is a class in Python, and the folder a
    distribution, which others can install. With --lang it is a program of its own in a sandbox:
    slower, and nobody has to trust it. What --lang python begins is such a program, too.

    \b
    arena new-game my_game && arena check-game ./my_game
    arena new-game my_game --single && arena play ./my_game.py human random
    arena new-game marks --lang javascript && arena check-game ./marks
    """
    if lang is not None:
        if single:
            raise click.UsageError("--single writes a class in Python: leave out --lang.")
        _program(folder, lang)
        return
    if single:
        file = write_single_game(folder)
        click.echo(safe(f"{file} is written."))
    else:
        file = folder
        click.echo(safe(f"{folder} is written: {', '.join(write_game(folder))}."))
    word = _word(file)
    agree(find_source(word))
    word = quoted(word)
    other = "random" if single else "sensible"
    click.echo("As you have made it, its code may run from now on.")
    click.echo(safe(f"Next: arena check-game {word}; arena play {word} human {other}"))


def _program(folder: Path, lang: str) -> None:
    """Write a game that is a program, and say what is to be done next."""
    name, language = find_program_language(lang)
    click.echo(safe(f"{folder} is written: {', '.join(write_program(folder, name))}."))
    if missing := lacking(language):
        where = "on the PATH" if language.build else "where the sandbox looks"
        be = "is" if len(missing) == 1 else "are"
        say(f"{language.title} needs {' and '.join(missing)}, which {be} not found {where}.")
    word = quoted(_word(folder))
    steps = [f"make -C {quoted(folder)}"] if language.build else []
    steps += [f"arena check-game {word}", f"arena play {word} human sensible"]
    click.echo(safe(f"Next: {'; '.join(steps)}"))


def _word(path: Path) -> str:
    """Return what means the game at a path, where games are named."""
    return f"./{path}" if not path.is_absolute() and "/" not in str(path) else str(path)

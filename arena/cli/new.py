"""The commands that begin a new bot or a new game: new, new-game."""

import os
import shlex
import shutil
from pathlib import Path

import click

from arena.author.new import find_language, languages, write_bot, write_bridge, write_chat
from arena.author.new_game import (
    find_program_language,
    lacking,
    program_languages,
    write_game,
    write_program,
    write_single_game,
)
from arena.cli import completion, main
from arena.cli.options import PATH, optional_game_option
from arena.cli.saying import say
from arena.league.games import agree, find_game, word_in
from arena.play.building import TOOLS
from arena.text import quoted, safe
from protocol.errors import ArenaError
from referee.catalog.finding import find_source
from referee.sandbox.executable import named_interpreter

_GAMES = "/usr/games"
"""Where Debian has chess engines; it is not on every user's path."""
_OF_BRIDGE = 3
"""Files of a bridge that are no engine's: itself, its kit and bot.toml."""


@main.command()
@click.argument("folder", metavar="DIR", type=PATH)
@click.option(
    "--lang",
    metavar="LANGUAGE",
    help=f"One of {', '.join(languages())}.",
    shell_complete=completion.among(languages()),
)
@click.option(
    "--uci",
    metavar="COMMAND",
    help="Let a chess engine play openspiel:chess, which speaks UCI, such as /usr/games/stockfish.",
)
@click.option(
    "--chat",
    metavar="URL",
    help="Let a language model play, which is asked at URL/chat/completions.",
)
@click.option("--model", metavar="NAME", help="With --chat: the model, as its provider calls it.")
@click.option(
    "--package",
    "packages",
    multiple=True,
    metavar="PACKAGE",
    help="Give a Python bot a package, such as numpy; may be repeated.",
)
@optional_game_option
def new(
    folder: Path,
    lang: str | None,
    uci: str | None,
    chat: str | None,
    model: str | None,
    packages: tuple[str, ...],
    game: str | None,
) -> None:
    """Begin a new bot: a folder with a program that plays, a kit, and what to try next.

    \b
    arena new mine --lang python --game khan
    arena new swift --lang rust --game duel
    arena new deep --lang python --package numpy --game khan
    arena new fish --uci ./stockfish
    arena new sage --game khan --chat https://api.example.org/v1 --model x
    """
    if chat is not None or model is not None:
        if uci is not None or lang is not None or packages:
            raise click.UsageError("--chat writes a bot in Python: leave out --lang and others.")
        if chat is None or model is None or game is None:
            raise click.UsageError("Name address, model and game: --chat, --model and --game.")
        _chat(folder, chat, model, game)
        return
    if packages:
        lang = lang or "python"
        if uci is not None or find_language(lang)[0] != "python":
            raise click.UsageError("--package is for bots in Python: --lang python.")
    if uci is not None:
        _bridge(folder, uci, lang, game)
        return
    asked = {
        f"--lang, which is one of {', '.join(languages())}": lang,
        "--game, which `arena games` lists": game,
    }
    if lang is None or game is None:
        missing = [words for words, given in asked.items() if given is None]
        raise click.UsageError(f"Missing {'; and '.join(missing)}.")
    kind, source = find_game(game)
    name, language = find_language(lang)
    files = write_bot(folder, name, kind, word_in(source, folder), packages)
    click.echo(safe(f"{folder} is written: {', '.join(files)}."))
    if language.lacking:
        lacking = " and ".join(language.lacking)
        say(
            f"{lacking} is needed for {language.title}, but is not in /usr, where the sandbox "
            f"looks, nor in what {TOOLS} names."
        )
    word = quoted(folder)
    if packages:
        click.echo(safe(f"First: arena env build --fetch {word}"))
    click.echo(safe(f"Next: arena check {word} --game {shlex.quote(source.word)}"))
    click.echo(safe(f"{folder / 'README.md'} says what to try."))


def _chat(folder: Path, url: str, model: str, game: str) -> None:
    """Write a bot that asks a language model."""
    kind, source = find_game(game)
    files, request = write_chat(folder, kind, url, model)
    click.echo(safe(f"{folder} is written: {', '.join(files)}."))
    word = quoted(folder)
    key = shlex.quote(f"{request.origin}=MY_KEY")
    click.echo(safe(f"Next: arena check {word} --game {shlex.quote(source.word)} --key {key}"))
    say(
        f"MY_KEY is the variable that holds the key; without one, leave out --key. In a slow "
        f"league whose [door] allows '{request}', `arena add LEAGUE {word} --grant` lets the "
        f"bot ask."
    )


def _bridge(folder: Path, uci: str, lang: str | None, game: str | None) -> None:
    """Write a bot that lets a chess engine play."""
    if lang is not None:
        raise click.UsageError("--uci writes a bridge in Python: leave out --lang.")
    if (game or "openspiel:chess").removesuffix("()") != "openspiel:chess":
        raise ArenaError(f"engines that speak UCI play openspiel:chess, and not {game}.")
    try:
        engine = shlex.split(uci)
    except ValueError as error:
        raise ArenaError(f"--uci {uci!r} is no command: {error}.") from None
    found = (
        shutil.which(engine[0], path=f"{os.environ.get('PATH', '')}:{_GAMES}") if engine else None
    )
    system = shutil.which(engine[0], path="/usr/local/bin:/usr/bin:/bin") if engine else None
    if found and system and not found.startswith("/usr/") and named_interpreter(found, ""):
        found = system  # in place of a version manager's, which no sandbox shows
    if found is None:
        if engine and Path(engine[0]).is_file():
            if os.access(engine[0], os.X_OK):
                word = shlex.quote(shlex.quote(f"./{engine[0]}"))
                raise ArenaError(f"{engine[0]} is no program on the PATH: write `--uci {word}`.")
            word = quoted(engine[0])
            raise ArenaError(f"{engine[0]} may not be run as a program: `chmod +x {word}` lets it.")
        if Path(uci).is_file():
            word = shlex.quote(shlex.quote(uci if "/" in uci else f"./{uci}"))
            raise ArenaError(
                f"{uci!r} has a blank, and is read as several words: write `--uci {word}`."
            )
        raise ArenaError(f"there is no program {uci!r}: --uci takes the command of an engine.")
    files = write_bridge(folder, Path(found).resolve(), engine[1:])
    click.echo(safe(f"{folder} is written: {', '.join(files)}."))
    word = quoted(folder)
    if len(files) > _OF_BRIDGE:
        say(f"What the engine reads besides, such as a network or a book, copy to {word}.")
    say(
        f"The engine is a process beside the bot, so that it needs the sandbox bwrap, where "
        f"the time on the wall counts: 'arena add LEAGUE {word} --grant' gives it that."
    )
    click.echo(safe(f"Next: arena check {word} --game openspiel:chess"))


@main.command("new-game")
@click.argument("folder", metavar="DIR", type=PATH)
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

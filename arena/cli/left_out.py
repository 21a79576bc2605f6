"""A league that need not be named: that of the working folder."""

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from arena.text import composed, quoted, safe
from protocol.errors import ArenaError

_HERE = "."


class _LeagueFolder(click.Path):
    """The folder of a league; without it, the error says where it may be left out."""

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None) -> str:
        """Return what follows the sentence that the argument is missing."""
        return "Only in a folder with a league.toml it may be left out."


class LeagueArgument(click.Argument):
    """The argument LEAGUE, which may be left out where the working folder is a league's.

    Other arguments follow it, so that its word may be one of theirs: it is a league's if there is
    one in that folder, or if `also` says so.
    """

    def __init__(
        self, *args: Any, also: Callable[[str], bool] = lambda _word: False, **words: Any
    ) -> None:
        super().__init__(*args, **words, type=_LeagueFolder(path_type=Path))
        self._also = also

    def is_meant_by(self, word: str) -> bool:
        """Return whether a word names a league, or what may stand in its place."""
        return is_league(Path(word)) or self._also(word)


def is_league(folder: Path) -> bool:
    """Return whether there is a league in a folder, or what is left of one."""
    return any((folder / name).is_file() for name in ("league.toml", "league.db"))


def is_file(word: str) -> bool:
    """Return whether a word names a file, or standard input."""
    return word == "-" or Path(word).is_file()


class ArenaCommand(click.Command):
    """A command whose LEAGUE may be left out, if it has one."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the words; put the working folder before them if they name no league."""
        arguments = [each for each in self.params if isinstance(each, click.Argument)]
        if arguments and isinstance(arguments[0], LeagueArgument) and is_league(Path(_HERE)):
            is_only = len(arguments) == 1 and ctx.resilient_parsing  # which is to be completed
            if not is_only and self._is_left_out(ctx, arguments[0], args):
                args = [_HERE, *args]
        return super().parse_args(ctx, args)

    def _is_left_out(self, ctx: click.Context, league: LeagueArgument, args: list[str]) -> bool:
        """Return whether no word names the league, and all have a place behind it."""
        try:
            found, _, _ = self.make_parser(ctx).parse_args([*args])
            _, left, _ = self.make_parser(ctx).parse_args([_HERE, *args])
        except click.UsageError:
            return False  # which is said when the words are read in earnest
        word = found.get(league.name)
        if not isinstance(word, str) or not (left or league.is_meant_by(word)):
            return True
        if not left and not ctx.resilient_parsing and is_league(Path(word)) and _is_bot(word):
            below = [f"./{each}" if each == word else each for each in args]
            raise click.UsageError(
                f"{word} is a bot of this league, and the folder of another one. Of this league: "
                f"`{_typed(ctx, [_HERE, *args])}`; of that one: `{_typed(ctx, below)}`.",
                ctx,
            )
        return False


def _is_bot(word: str) -> bool:
    """Return whether the league of the working folder has a bot of this name."""
    from arena.league.file import file_of  # here, as it costs other commands a while

    try:
        bots = tomllib.loads(file_of(Path(_HERE))[1]).get("bot", [])
        return composed(word) in {composed(str(bot["name"])) for bot in bots if "name" in bot}
    except (ArenaError, ValueError, TypeError, AttributeError):
        return False  # what is wrong with it is told by whoever reads it in earnest


def _typed(ctx: click.Context, args: list[str]) -> str:
    return safe(" ".join([ctx.command_path, *map(quoted, args)]))

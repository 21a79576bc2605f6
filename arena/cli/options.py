"""The options that several commands share, and what their words mean."""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from inspect import signature
from math import inf, isfinite
from pathlib import Path
from typing import Any

import click
import msgspec
from msgspec.inspect import ListType, VarTupleType, type_info

from arena.cli import completion
from arena.cli.left_out import LeagueArgument
from arena.league.games import trusting
from arena.tables.table import FORMATS
from arena.text import composed
from protocol.errors import ArenaError
from referee.games import GAMES
from referee.limits import Limits
from referee.rules.options import fields, read_settings
from referee.sandbox import SANDBOXES, own_cores

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def grouped(**makers: Callable[..., Any]) -> Decorator:
    """Let a command take several options as one argument, which a function makes of them.

    The function has parameters of their names; those that the command has not keep their defaults.
    It can also take what a function before it has made.
    """

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def taking(*args: Any, **words: Any) -> Any:
            for name, make in makers.items():
                given = [each for each in signature(make).parameters if each in words]
                words[name] = make(**{each: words.pop(each) for each in given})
            return command(*args, **words)

        return taking

    return decorate


def added(*options: Decorator) -> Decorator:
    """Return what adds several options, in this order."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


PATH = click.Path(path_type=Path)
league_argument = click.argument("league", cls=LeagueArgument, metavar="[LEAGUE]")
"""The argument LEAGUE, a folder."""


class _Several(click.Path):
    """Folders of leagues; without any, the error says how that of the working folder is named."""

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None) -> str:
        """Return what follows the sentence that the argument is missing."""
        return "It takes several; the league of the working folder is a dot: `.`"


leagues_type = _Several(path_type=Path)
output_format = click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="simple",
    metavar="NAME",
    help="json, csv, or a format of tabulate: github, html, latex, psql, tsv ...  "
    "[default: simple]",
)


class WholeNumber(click.IntRange):
    """A whole number within bounds."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number; fail for what is none, and for one that is out of bounds."""
        try:
            int(value)
        except ValueError:
            self.fail(f"{value!r} is not a whole number.{self.hint(value, ctx)}", param, ctx)
        return super().convert(value, param, ctx)

    def hint(self, value: str, ctx: click.Context | None) -> str:
        """Return what else to say of a word that is no number."""
        return ""


class _UserId(WholeNumber):
    """The number of a user of the system."""

    def hint(self, value: str, ctx: click.Context | None) -> str:
        """Return how to choose a sandbox, if the word is the name of one."""
        if value not in SANDBOXES:
            return ""
        if ctx is not None and any(option.name == "sandbox" for option in ctx.command.params):
            return f" The sandbox is chosen by --sandbox {value}."
        return " The league's file says which sandbox there is."


class _GameName(click.types.StringParamType):
    """The name of a game; without it, the error lists the games."""

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None) -> str:
        """Return what follows the sentence that the option is missing."""
        return f"The games are {', '.join(GAMES)}."


def _trust(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value:
        token = trusting.set(True)
        ctx.call_on_close(lambda: trusting.reset(token))


trust_option = click.option(
    "--trust",
    is_flag=True,
    expose_value=False,
    callback=_trust,
    help="Agree that the game's code runs with your rights, from now on.",
)
"""For every command that may execute a game which is not bundled."""


def _game_option(*, required: bool) -> Decorator:
    """Return what adds the options that name a game and agree to its code."""
    named = click.option(
        "--game",
        type=_GameName(),
        required=required,
        help="The game to play: its name (see `arena games`), or its file, such as ./nim.py.",
        shell_complete=completion.games,
    )
    return lambda command: named(trust_option(command))


game_option = _game_option(required=True)
optional_game_option = _game_option(required=False)


def limit_option(example: str = "move_time=0.5") -> Decorator:
    """Return what adds the option that gives a limit; its help shows an example."""
    return click.option(
        "--limit",
        "limits",
        multiple=True,
        metavar="KEY=VALUE",
        help=f"A limit, such as {example}.",
        shell_complete=completion.limits,
    )


sandbox_option = click.option(
    "--sandbox",
    type=click.Choice(SANDBOXES),
    default=SANDBOXES[0],
    show_default=True,
    help="The sandbox around each bot.",
)
sandbox_uid_option = click.option(
    "--sandbox-uid",
    type=_UserId(0, 2**31),
    metavar="UID",
    help="When run as root: first of 64 user ids for bots; 0 runs them as root.",
)


def most_option(default: int) -> Decorator:
    """Return what adds the option that bounds how many matches are shown."""
    return click.option(
        "--most",
        type=WholeNumber(min=0),
        default=default,
        show_default=True,
        metavar="N",
        help="Show at most so many matches; 0 for all.",
    )


def key_values(words: Iterable[str]) -> dict[str, Any]:
    """Return what `key=value` words say; a value is JSON, or else text."""
    found = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or not key:
            raise ArenaError(f"{word!r} is not of the form key=value.")
        if key in found:
            raise ArenaError(f"{key} is given twice: say it once. A list is {key}=A,B.")
        try:
            found[key] = msgspec.json.decode(value)
        except msgspec.DecodeError:
            found[key] = value
    return found


def values_option(name: str, help_: str) -> Decorator:
    """Return what adds an option of several `key=value` words, which is taken as their dict."""
    return click.option(
        f"--{name}",
        f"{name.replace('-', '_')}s",
        multiple=True,
        metavar="KEY=VALUE",
        help=help_,
        callback=lambda _context, _param, words: key_values(words),
    )


options_option = values_option("option", "An option of the game.")


opening_options = added(
    click.option(
        "--opening-plies",
        type=int,
        metavar="N",
        help="Begin with N random moves; with --opening-file, with its first N.",
    ),
    click.option(
        "--opening-file",
        metavar="FILE",
        help="Begin with the openings of a book: .pgn, .epd, or moves, a line for each.",
    ),
)
"""Those with which matches begin with openings; `opening_words` reads them."""


def opening_words(opening_plies: int | None, opening_file: str | None) -> dict[str, Any]:
    """Return the table `[opening]` of the options; it is empty if they are not given."""
    given = {"plies": opening_plies, "file": opening_file}
    return {key: value for key, value in given.items() if value is not None}


class Seconds(click.FloatRange):
    """A time of some length: a number, and neither endless nor none at all."""

    name = "seconds"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number; fail for what is none."""
        try:
            is_number = isfinite(float(value))
        except ValueError:
            is_number = False
        if not is_number:
            self.fail(f"{str(value)!r} is not a number of seconds.", param, ctx)
        return float(super().convert(value, param, ctx))


def anchor_word(word: str) -> tuple[str, float]:
    """Return the bot and the points that BOT=ELO means; raise ArenaError if it means none."""
    bot, _, points = word.rpartition("=")
    try:
        found = float(points)
    except ValueError:
        found = inf
    if not bot or not isfinite(found):
        raise ArenaError(f"--anchor takes BOT=ELO, such as stockfish=3600, not {word!r}.")
    return composed(bot), found


def seconds_of(word: str) -> float:
    """Return how many seconds a time such as 2h, 1h30m or 90s has; fail for what is none."""
    found = re.fullmatch(r"(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,6})s)?", word)
    parts = [int(number or 0) for number in found.groups()] if found else []
    if not any(parts):
        raise click.BadParameter(f"{word!r} is no time such as 90s, 30m, 2h or 1h30m.")
    hours, minutes, seconds = parts
    return float(3600 * hours + 60 * minutes + seconds)


def listed(values: Mapping[str, Any], kind: type[msgspec.Struct]) -> dict[str, Any]:
    """Return values of a structure, of which those of its lists are split: `door=a,b` names two."""
    found = dict(values)
    for name, field in fields(kind).items():
        is_list = isinstance(type_info(field.type), VarTupleType | ListType)
        if is_list and isinstance(named := found.get(name), str) and named:
            found[name] = [each.strip() for each in named.split(",")]
    return found


def limits_beside(
    sandbox: str, limits: Iterable[str], instead: str = "say it by --sandbox"
) -> dict[str, Any]:
    """Return a command's sandbox and its limits; raise ArenaError for a sandbox among them."""
    given = listed(key_values(limits), Limits)
    if "sandbox" in given:
        raise ArenaError(f"limit sandbox = {given['sandbox']}: {instead}.")
    return {"sandbox": sandbox, **given}


def limits_in(limits: Iterable[str], sandbox: str, instead: str = "say it by --sandbox") -> Limits:
    """Return the same, read and checked."""
    given = limits_beside(sandbox, limits, instead)
    found: Limits = read_settings(Limits, given, "limit {}")
    return found


def default_workers(each: int = 1) -> int:
    """Return for how many workers there are cores here, of which one needs so many for `each`."""
    return len(own_cores()) // each

"""The command line: parse, call, print. The one home of click."""

import errno
import gc
import os
import re
import sys
from itertools import takewhile
from typing import Any

import click

from arena.cli.left_out import ArenaCommand
from protocol.errors import ArenaError, RunError
from referee.lazy import Lazy

_LONG = 160  # characters of a path, beyond which its middle is left out
GROUPS: dict[str, dict[str, str]] = {
    "Start here": {
        "demo": "Run a small league of each of two games and show the tables.",
        "new": "Begin a new bot: a folder with a program that plays, a kit, and what to try next.",
        "check": "Check step by step whether a bot can play a game; exit with 1 if it cannot.",
        "play": "Play one match and draw it; the bots sit in the order given, `human` is you.",
        "init": "Make a league: a folder whose league.toml says what to play.",
        "add": "Check bots for a league, and enter those that are fit; exit with 1 if any is not.",
        "run": "Play whatever is missing, then show the table.",
        "rank": "Show how a league stands: its standings if its format has some, and its ratings.",
    },
    "Bots": {
        "bots": "List the bundled bots of all games, or of one.",
        "compare": "Play until it is clear whether bot A is better than bot B.",
        "env": "Make the environments of bots that need packages, and show which are kept.",
    },
    "Leagues": {
        "remove": "Take bots out of a league; their matches are kept, and count no more.",
        "grant": "Give a bot limits of its own; without NAME, show who has some, or needs some.",
        "verify": "Play every stored match again by the rules, and name those that differ.",
        "export": "Write all that a league has played as JSON lines.",
        "import": "Add exported matches to a league: all of them, or none.",
    },
    "Reading": {
        "table": "Show the results of every bot against every other.",
        "why": "Show where a bot lost: against whom, in which seat, by which faults and matches.",
        "matches": "List the matches that were played, by deal.",
        "show": "Show a match move by move, with times, faults and notes.",
        "report": "Write a league as one web page: tables, pictures, and matches to step through.",
        "feedback": (
            "Write a folder for each bot, for its author: its results and its own matches."
        ),
    },
    "Serving": {
        "serve": "Keep leagues open: take bots in, play what is missing, and show the live table.",
        "author": "Say who may hand in bots to a league that `arena serve` keeps open.",
        "submit": "Hand in a bot, wait for the verdict, and show it.",
        "connect": "Let a bot play in a league from this machine, for as long as this runs.",
    },
    "Games": {
        "games": "List the games, or describe one: its seats, options, decisions and rules.",
        "new-game": (
            "Begin a new game: one that works, to be changed, with rules page, bots and a test."
        ),
        "check-game": "Check step by step whether a game keeps its contract; exit with 1 if not.",
    },
    "This machine": {
        "doctor": "Show which sandboxes work on this machine, and whether a bot starts in them.",
        "completion": (
            "Print the script by which a shell completes commands, options, games and bots."
        ),
    },
}
"""The commands by what they are for, in the order of use, each with its first sentence of help."""
_COMMANDS = {name: said for group in GROUPS.values() for name, said in group.items()}
_MOVED = {
    "disqualify": "remove LEAGUE NAME --because TEXT",
    "final": "run LEAGUE --final",
    "replace": "add LEAGUE NAME=BOT --replace",
    "schema": "games [GAME] --schema",
    "standings": "rank LEAGUE",
    "watch": "rank LEAGUE --live",
}
"""Words that were commands, each with what does the same now."""
_HOMES = {
    **dict.fromkeys(("games", "bots"), "about"),
    "new-game": "new",
    "check-game": "check_game",
    **dict.fromkeys(("add", "remove", "feedback"), "organize"),
    "show": "matches",
    **dict.fromkeys(("export", "import"), "archive"),
}
"""The modules of commands that are called otherwise than theirs.

A command's module is imported when it is used: imports take most of a short command's time.
"""


class _Subgroup(click.Group):
    """Several commands of one name."""

    command_class = ArenaCommand


class ArenaGroup(click.Group):
    """Lists the commands without importing them; shows errors of ours as messages."""

    command_class = ArenaCommand
    group_class = _Subgroup

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in their order."""
        return list(self.commands)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what the commands are for, group by group, in columns that are equally wide."""
        widest = max(map(len, _COMMANDS))
        for title, commands in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(f"{name:{widest}}", said) for name, said in commands.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command of a word; name the new word of one that is gone."""
        if args[0] in _MOVED and not ctx.resilient_parsing:
            now = f"arena {_moved(*args)}"
            ctx.fail(f"There is no command {args[0]!r}: say `{now}`.")
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        """Return the commands that begin so, which are not imported, or the options."""
        from click.shell_completion import CompletionItem  # here, as click itself has it

        found = [
            CompletionItem(name, help=help_)
            for name, help_ in _COMMANDS.items()
            if name.startswith(incomplete)
        ]
        return [*found, *click.Command.shell_complete(self, ctx, incomplete)]

    def main(self, *args: Any, **extra: Any) -> Any:
        """Read the words and run a command; show an ArenaError as a message."""
        try:
            if "_ARENA_COMPLETE" in os.environ:
                from arena.cli.completion import check_asked  # here, as modules of commands are

                check_asked()
            return super().main(*args, **extra)
        except ArenaError as error:
            from arena.cli.saying import say  # here, as modules of commands are

            say(*f"arena: {error}".splitlines())
            if len(error.said) > 1:  # a single line stands in the message
                say("The end of its standard error:", *error.said)
            sys.exit(error.exit_code)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; show Ctrl-C, and what a path stands in the way of, without a traceback."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except KeyboardInterrupt:
            click.echo("\narena: interrupted.", err=True)
            ctx.exit(1)
        except click.NoSuchOption as error:
            meant = _meant(error)
            if not meant:
                raise
            said = error.message + meant
            raise click.NoSuchOption(error.option_name, said, ctx=error.ctx) from None
        except OSError as error:
            explained = _explained(error)
            if explained is None:
                raise
            raise explained from None
        return result


def _moved(word: str, *more: str) -> str:
    """Return what is typed for a word that is gone, with the words that stood behind it."""
    from arena.text import quoted  # here, as it costs every command a while

    said = _MOVED[word]
    typed = takewhile(lambda each: not each.startswith("-"), more)
    for slot, each in zip(re.findall(r"LEAGUE|NAME|BOT|\[GAME\]", said), typed, strict=False):
        said = said.replace(slot, quoted(each), 1)
    return said


def _meant(error: click.NoSuchOption) -> str:
    """Return how a thing is given that was taken for this option; empty if it is none."""
    from referee.limits import Limits, WorkLimits  # here, as it costs every command a while

    name = error.option_name.lstrip("-").replace("-", "_")
    if error.ctx is None:
        return ""
    kinds = {option.name: option.param_type_name for option in error.ctx.command.params}
    if name == "format" and "tournament" in kinds:
        return " Who plays whom is said by --tournament."
    if kinds.get("league") == "option":  # of which [build] alone counts there
        is_known = name in WorkLimits.__struct_fields__
        where = f"{name} in the [build] of the league.toml that --league names"
        return f" It is a key of a league: {where}." if is_known else ""
    if name not in Limits.__struct_fields__:
        return ""
    if "limits" in kinds:
        is_tried = name == "sandbox"  # by `arena doctor`, which has limits and tries each
        return " Each one is tried." if is_tried else f" It is a limit: --limit {name}=..."
    return f" It is a limit of a league: {name} in the [limits] of its league.toml."


def _explained(error: OSError) -> ArenaError | None:
    """Return what to say of what the system refused, where nobody has said it better."""
    if isinstance(error, ConnectionError):  # which click would take for a reader that has gone
        return RunError(f"a process of this command has ended: {error}. Run again.")
    if error.errno == errno.ENAMETOOLONG:
        return ArenaError(
            f"{_shown(error)}: the path is too long. A name in it has at most 255 bytes, and the "
            f"whole path at most 4095; choose a shorter one."
        )
    if error.filename is None:
        return None
    return RunError(f"{_shown(error)}: {error.strerror}.")


def _shown(error: OSError) -> str:
    """Return the path that an error is about, its middle left out if it is long."""
    path = os.fsdecode(error.filename)
    return path if len(path) <= _LONG else f"{path[: _LONG // 2]}…{path[-_LONG // 2 :]}"


@click.group(
    cls=ArenaGroup,
    commands=Lazy({name: f"arena.cli.{_HOMES.get(name, name)}" for name in _COMMANDS}),
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="bot-arena", prog_name="arena")
def main() -> None:
    """Run tournaments of AI bots, and read their tables.

    \b
    A first table:    arena demo
    One match:        arena play guerra sensible random
    Your own league:  arena init cup --game guerra sensible random ./my_bot
                      arena run cup
                      arena rank cup

    In the folder of a league, commands that take one LEAGUE take this one if none is named.
    """
    if not gc.isenabled():  # as `arena.__main__` has it until the command's module is imported
        gc.freeze()
        gc.enable()

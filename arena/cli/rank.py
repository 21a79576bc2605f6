"""The command that shows the leaderboard: rank."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, TypeVar

import click

from arena.cli import main
from arena.cli.common import anchor_word, output_format, show
from arena.cli.rating import rated, rated_without_forfeits
from arena.stats.likelihood import Ties
from arena.tables.by_seat import by_seat
from arena.tables.combined import combined_table
from arena.tables.facets import OPTIONS
from arena.tables.leaderboard import By, leaderboard
from arena.tables.pairs import pairs_table
from arena.tables.sources import read_field
from protocol.errors import ArenaError

_Command = TypeVar("_Command", bound=Callable[..., Any])


def _facet_options(command: _Command) -> _Command:
    """Let a command take the options that show more of a league."""
    for option in reversed(OPTIONS):
        command = click.option(f"--{option.name}", is_flag=True, help=option.help)(command)
    return command


@main.command()
@click.argument(
    "sources", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="LEAGUE..."
)
@click.option(
    "--by",
    type=click.Choice(["rating", "score", "seat"]),
    default="rating",
    show_default=True,
    help="score: sort by the mean score of a match; seat: the bots' points in each seat.",
)
@click.option("--faults", is_flag=True, help="Show a column for every kind of fault.")
@_facet_options
@click.option("--versions", is_flag=True, help="Show also old versions, and bots that left.")
@click.option(
    "--linked",
    is_flag=True,
    help="As --versions; a bot's new version starts from the rating of the one before.",
)
@click.option(
    "--without-forfeits",
    is_flag=True,
    help="Show also the rating of the deals in which nobody forfeited.",
)
@click.option(
    "--anchor",
    metavar="BOT=ELO",
    help="Show ratings on Elo's scale, from a bot of known strength.  [default: the league's]",
)
@click.option("--pairs", is_flag=True, help="Show how likely each bot is better than each other.")
@click.option(
    "--together",
    is_flag=True,
    help="Ranks that hold for the whole table at once, not pair by pair.",
)
@click.option(
    "--draw-probability",
    type=float,
    metavar="P",
    help="How often equal bots tie, for TrueSkill.  [default: fitted to the results]",
)
@click.option(
    "--ties",
    type=click.Choice(["unordered", "draws"]),
    default="unordered",
    show_default=True,
    help="What a shared place says of its bots: nothing, or that they are equal.",
)
@output_format
def rank(
    sources: tuple[Path, ...],
    by: By | Literal["seat"],
    faults: bool,
    versions: bool,
    linked: bool,
    without_forfeits: bool,
    anchor: str | None,
    pairs: bool,
    together: bool,
    draw_probability: float | None,
    ties: Ties,
    form: str,
    **asked: bool,
) -> None:
    """Show the leaderboard of a league, or of several together.

    LEAGUE is a league's folder or a file of results (JSON lines, CSV or PGN; - is standard
    input).

    \b
    arena rank cup
    arena rank cup --by score
    arena rank cup --by seat
    arena rank cup --versions
    arena rank cup --linked
    arena rank cup --without-forfeits
    arena rank cup --pairs
    arena rank cup --cost
    arena rank cup --anchor sensible=1500
    arena rank results.csv --format json
    arena rank spring summer autumn
    """
    scores = by == "score"
    fields = [
        read_field(
            source,
            [option for option in OPTIONS if asked[option.name]],
            versions=versions or linked,
            scores=scores,
            forfeits=without_forfeits,
        )
        for source in _distinct(sources)
    ]
    if by == "seat" or pairs or len(fields) > 1:
        what = "--by seat" if by == "seat" else "--pairs" if pairs else "several leagues"
        _refuse(
            what,
            faults=faults,
            **asked,
            together=together,
            without_forfeits=without_forfeits,
        )
    if by == "seat":
        _refuse("--by seat", anchor=anchor is not None)
    if by != "rating" and len(fields) > 1:
        raise ArenaError(f"--by {by} shows a single league: name only one.")
    if pairs and (by != "rating" or len(fields) > 1):
        raise ArenaError(
            "--pairs shows the ratings of a single league: leave out --by, and name only one."
        )
    known = None if anchor is None else anchor_word(anchor)
    ratings = [rated(field, draw_probability, ties, linked=linked) for field in fields]
    if len(fields) > 1:
        show(combined_table(fields, ratings, anchor=known), form)
    elif by == "seat":
        show(by_seat(fields[0], ratings[0]), form)
    elif pairs:
        show(pairs_table(fields[0], ratings[0], anchor=known), form)
    else:
        table = leaderboard(
            fields[0],
            ratings[0],
            faults=faults,
            by=by,
            together=together,
            anchor=known,
            without=rated_without_forfeits(fields[0], draw_probability, ties, linked=linked),
        )
        show(table, form)


def _distinct(sources: tuple[Path, ...]) -> tuple[Path, ...]:
    """Return the sources; raise ArenaError if one is named twice."""
    for number, source in enumerate(sources):
        if source.resolve() in [other.resolve() for other in sources[:number]]:
            raise ArenaError(f"{source} is named twice; its matches count once.")
    return sources


def _refuse(what: str, **options: bool) -> None:
    for name, given in options.items():
        if given:
            raise ArenaError(
                f"--{name.replace('_', '-')} does not go with {what}; ask for one at a time."
            )

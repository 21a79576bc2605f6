"""The command that shows the leaderboard: rank."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple

import click

from arena.cli import main
from arena.cli.options import PATH, added, anchor_word, grouped, output_format
from arena.cli.rating import Fitting, rated
from arena.cli.saying import show
from arena.tables.by_seat import by_seat
from arena.tables.combined import combined_table
from arena.tables.facets import OPTIONS
from arena.tables.leaderboard import By, leaderboard
from arena.tables.pairs import pairs_table
from arena.tables.sources import read_field
from protocol.errors import ArenaError


class _View(NamedTuple):
    """What is shown of ratings."""

    by: By | Literal["seat"]
    pairs: bool
    faults: bool
    together: bool
    without_forfeits: bool

    def check(self, leagues: int, *, anchor: bool, more: Mapping[str, bool]) -> None:
        """Raise ArenaError for what does not go together; `more` are the options of facets."""
        alone = "--by seat" if self.by == "seat" else "--pairs" if self.pairs else ""
        if alone or leagues > 1:
            _refuse(
                alone or "several leagues",
                faults=self.faults,
                **more,
                together=self.together,
                without_forfeits=self.without_forfeits,
            )
        if self.by == "seat":
            _refuse("--by seat", anchor=anchor)
        if self.by != "rating" and leagues > 1:
            raise ArenaError(f"--by {self.by} shows a single league: name only one.")
        if self.pairs and (self.by != "rating" or leagues > 1):
            raise ArenaError(
                "--pairs shows the ratings of a single league: leave out --by, and name only one."
            )


@main.command()
@click.argument("sources", nargs=-1, required=True, type=PATH, metavar="LEAGUE...")
@click.option(
    "--by",
    type=click.Choice(["rating", "score", "seat"]),
    default="rating",
    show_default=True,
    help="score: sort by the mean score of a match; seat: the bots' points in each seat.",
)
@click.option("--faults", is_flag=True, help="Show a column for every kind of fault.")
@added(*(click.option(f"--{each.name}", is_flag=True, help=each.help) for each in OPTIONS))
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
@grouped(view=_View, fitting=Fitting)
def rank(
    sources: tuple[Path, ...],
    view: _View,
    versions: bool,
    fitting: Fitting,
    anchor: str | None,
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
    fields = [
        read_field(
            source,
            [option for option in OPTIONS if asked[option.name]],
            versions=versions or fitting.linked,
            scores=view.by == "score",
            forfeits=view.without_forfeits,
        )
        for source in _distinct(sources)
    ]
    view.check(len(fields), anchor=anchor is not None, more=asked)
    known = None if anchor is None else anchor_word(anchor)
    ratings = [rated(field, fitting) for field in fields]
    if len(fields) > 1:
        table = combined_table(fields, ratings, anchor=known)
    elif view.by == "seat":
        table = by_seat(fields[0], ratings[0])
    elif view.pairs:
        table = pairs_table(fields[0], ratings[0], anchor=known)
    else:
        unforfeited = fields[0].unforfeited
        table = leaderboard(
            fields[0],
            ratings[0],
            faults=view.faults,
            by=view.by,
            together=view.together,
            anchor=known,
            without=None if unforfeited is None else rated(fields[0], fitting, unforfeited),
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

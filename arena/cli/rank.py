"""The command that shows how a league stands: rank."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import click

from arena.cli import main
from arena.cli.left_out import is_file
from arena.cli.options import Seconds, added, anchor_word, grouped, leagues_type, output_format
from arena.cli.rating import Fitting, rated
from arena.cli.saying import say, show, show_all
from arena.cli.watch import follow
from arena.handin.stale import lost_words
from arena.tables.by_seat import by_seat
from arena.tables.combined import combined_table
from arena.tables.facets import OPTIONS
from arena.tables.leaderboard import By, leaderboard
from arena.tables.pairs import pairs_table
from arena.tables.sources import read_field
from arena.tables.standings import read_ranking
from protocol.errors import ArenaError


class _View(NamedTuple):
    """What is shown of a league, or of several."""

    by: By | Literal["standings", "seat"] | None
    """None for what its format has."""
    pairs: bool
    faults: bool
    together: bool
    without_forfeits: bool
    live: bool
    every: float | None
    more_deals: bool

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
                more_deals=self.more_deals,
            )
        if self.by == "seat":
            _refuse("--by seat", anchor=anchor)
        if self.by not in (None, "rating") and leagues > 1:
            raise ArenaError(f"--by {self.by} shows a single league: name only one.")
        if self.pairs and (self.by not in (None, "rating") or leagues > 1):
            raise ArenaError(
                "--pairs shows the ratings of a single league: leave out --by, and name only one."
            )

    def is_whole(self, sources: Sequence[Path], form: str, *, more: Mapping[str, bool]) -> bool:
        """Return whether it is how a league stands, and nothing special of it.

        Raises ArenaError for what does not go with what is asked for of that; `more` are options
        about ratings.
        """
        if self.every is not None and not self.live:
            raise ArenaError("--every is for --live: without it, nothing is shown again.")
        asked = "--live" if self.live else "--by standings" if self.by == "standings" else ""
        if asked:
            _refuse(
                asked,
                pairs=self.pairs,
                faults=self.faults,
                together=self.together,
                without_forfeits=self.without_forfeits,
                more_deals=self.more_deals,
                **more,
            )
            if len(sources) > 1 or is_file(str(sources[0])):
                raise ArenaError(f"{asked} shows a league: name the folder of one.")
        if self.live and (self.by or form != "simple"):
            raise ArenaError("--live shows the whole table: leave out --by and --format.")
        special = (self.pairs, self.faults, self.together, self.without_forfeits, self.more_deals)
        is_default = self.by is None and not any(special) and not any(more.values())
        return bool(asked) or (is_default and len(sources) == 1 and sources[0].is_dir())


@main.command()
@click.argument("sources", nargs=-1, required=True, type=leagues_type, metavar="LEAGUE...")
@click.option(
    "--by",
    type=click.Choice(["standings", "rating", "score", "seat"]),
    help="standings: points, rounds, bracket; rating; score: the mean score of a match; seat: the "
    "bots' points in each seat.  [default: standings, with ratings below, in leagues that have "
    "some; else, or with any option about ratings, rating]",
)
@click.option("--live", is_flag=True, help="Follow the league while it is being played.")
@click.option(
    "--every",
    type=Seconds(0.5, 86_400),
    metavar="SECONDS",
    help="With --live: time between two looks at the league.  [default: 2]",
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
@click.option("--more-deals", is_flag=True, help="Say how many more deals would settle ranks.")
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
    """Show how a league stands: its standings if its format has some, and its ratings.

    LEAGUE is a league's folder or a file of results (JSON lines, CSV or PGN; - is standard
    input). Of several leagues, the ratings of all together are shown. Standings come from a
    format that goes by results, such as swiss or knockout: they stand first, and the ratings below
    them; CSV and JSON hold one of both, which --by names.

    With --live, a league is followed. On a terminal, the ratings are redrawn in place, as large as
    fits; ▲ and ▼ mark bots that moved since the table before. Elsewhere, a line is printed when
    something has changed, by default at most every 30 seconds. When the run ends, or nothing is
    missing, all is shown as without --live, and the command ends; Ctrl-C ends it earlier. It only
    reads, and may be started before the run. Of a slow league it says too how many matches are
    under way, or were left so.

    \b
    arena rank cup
    arena rank cup --live
    arena rank cup --by rating
    arena rank cup --by score
    arena rank cup --by seat
    arena rank cup --versions
    arena rank cup --linked
    arena rank cup --without-forfeits
    arena rank cup --pairs
    arena rank cup --more-deals
    arena rank cup --cost
    arena rank cup --anchor sensible=1500
    arena rank results.csv --format json
    arena rank spring summer autumn
    """
    for source in sources:
        if words := lost_words(source):
            say(words)
    known = None if anchor is None else anchor_word(anchor)
    special = {"versions": versions, "anchor": anchor is not None, **fitting.asked, **asked}
    if view.is_whole(sources, form, more=special):
        [league] = sources
        by_results = view.by == "standings"

        def whole() -> None:
            show_all(read_ranking(league, rated, by_results=by_results), form)

        if view.live:
            follow(league, view.every, whole)
        else:
            whole()
        return
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
            by="score" if view.by == "score" else "rating",
            together=view.together,
            anchor=known,
            without=None if unforfeited is None else rated(fields[0], fitting, unforfeited),
            more=view.more_deals,
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

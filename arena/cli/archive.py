"""Commands for a league as a file: export, import."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from arena.archive.export import exported
from arena.archive.merge import import_files
from arena.archive.notated import USUAL, notated
from arena.cli import main
from arena.cli.files import check_target, print_pieces, write_pieces
from arena.cli.left_out import LeagueArgument, is_file
from arena.cli.options import PATH, league_argument, trust_option
from arena.cli.progress import StatusLine
from arena.cli.saying import say
from arena.league.file import FILE
from arena.text import counted, league_words
from referee.rules.notation import FORMATS

_PATIENCE = 1.0  # seconds before anything is said of how it is getting on


@main.command("export")
@league_argument
@click.argument("file", required=False, type=PATH)
@click.option(
    "--format",
    "form",
    default=USUAL,
    metavar="NAME",
    show_default=True,
    help=f"A format of the game, such as {', '.join(FORMATS)}.",
)
@click.option("--force", is_flag=True, help="Overwrite FILE if it exists.")
@trust_option
def export_league(league: Path, file: Path | None, form: str, force: bool) -> None:
    """Write all that a league has played as JSON lines.

    FILE is written whole or not at all; without FILE, the lines go to standard output. Matches of
    old versions, and of bots that left, are included. docs/export.md describes the lines.

    With --format pgn, matches of chess are written as programs for chess read them: only the
    games, which cannot be imported.

    \b
    arena export cup cup.jsonl
    arena export cup | xz > cup.jsonl.xz
    arena export engines engines.pgn --format pgn
    """
    heads = 1 if form == USUAL else 0
    with StatusLine(patience=_PATIENCE) as status:
        lines = exported(league) if form == USUAL else notated(league, form)
        lines = _told(lines, status, heads)
        if file is None or str(file) == "-":
            print_pieces(lines)
            return
        check_target(league, file, force=force)
        count = write_pieces(lines, file.resolve())
    say(f"{file} is written: {counted(count - heads, 'match', 'matches')}.")


def _told(lines: Iterable[bytes], status: StatusLine, heads: int) -> Iterator[bytes]:
    """Yield lines, or whole games, and show how many they are without those of the head."""
    for number, line in enumerate(lines, 1 - heads):
        status.show(f"{number} matches exported")
        yield line


@main.command("import")
@click.argument(
    "league", cls=LeagueArgument, also=lambda word: not is_file(word), metavar="[LEAGUE]"
)
@click.argument("files", nargs=-1, required=True, type=PATH, metavar="FILE...")
@trust_option
def import_league(league: Path, files: tuple[Path, ...]) -> None:
    """Add exported matches to a league: all of them, or none.

    LEAGUE must have the same settings; it is made if it does not exist. Matches that it already
    has are skipped. FILE - is standard input.

    \b
    arena import cup half.jsonl other_half.jsonl
    xzcat cup.jsonl.xz | arena import restored -
    """
    with StatusLine(patience=_PATIENCE) as status:
        merged = import_files(
            league, files, lambda count: status.show(lambda: f"{count} matches read")
        )
    known = f"; {merged.known} were there already" if merged.known else ""
    click.echo(f"{counted(merged.added, 'match', 'matches')} imported{known}.")
    if merged.made:
        say(
            f"{league / FILE} is written: {counted(merged.deals, 'deal')} and "
            f"all bots of the matches; edit it if that is not what you want."
        )
    if merged.other_code:
        say(
            f"Not all of these matches were played by the same code of the game: the next "
            f"`arena run` first plays all matches of {league_words(league)} again."
        )
    for bot in merged.strangers:
        say(
            f"{bot.name}, version {bot.version}, is not in {league / FILE}: its matches are "
            f"kept, but only `arena rank --versions` counts them."
        )

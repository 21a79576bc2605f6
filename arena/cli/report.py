"""The command that makes a league's page: report."""

import re
from pathlib import Path
from typing import get_args

import click

from arena.cli import main
from arena.cli.files import check_target, print_pieces, write_pieces
from arena.cli.options import PATH, league_argument, trust_option
from arena.cli.progress import StatusLine
from arena.cli.saying import say
from arena.report.choice import PICKS, Pick
from arena.report.make import made
from protocol.errors import ArenaError

_UNITS = {"kb": 1000, "mb": 1000**2}
_GENERATOR = b'<meta name="generator" content="Bot Arena'
_HEAD = 4096  # bytes at the beginning of a page, in which it says who made it


@main.command()
@league_argument
@click.option(
    "-o",
    "--output",
    "file",
    required=True,
    type=PATH,
    help="The file for the page; - is standard output.",
)
@click.option(
    "--replays",
    "room",
    default="2MB",
    show_default=True,
    metavar="SIZE",
    help="Largest size of the matches to step through, such as 500kB; 0 for none.",
)
@click.option(
    "--pick",
    "words",
    default=",".join(PICKS),
    show_default=True,
    metavar="WHAT",
    help="Which matches: of the best bots, of bots closest in rating, with faults, any.",
)
@click.option("--force", is_flag=True, help="Overwrite the file even if it is not such a page.")
@trust_option
def report(league: Path, file: Path, room: str, words: str, force: bool) -> None:
    """Write a league as one web page: tables, pictures, and matches to step through.

    The page is one file that needs no network: mail it, or put it on any web server. You may make
    it while the league runs, and as often as you like.

    \b
    arena report cup -o cup.html
    arena report cup -o cup.html --replays 10MB --pick faulty
    arena report cup -o - --replays 0 > cup.html
    """
    size, picks = _size(room), _picks(words)
    if str(file) != "-":
        check_target(league, file, force=force or _is_ours(file))
    with StatusLine(patience=1.0) as line:
        page = made(league, size, picks, line.show)
    data = page.text.encode()
    if str(file) == "-":
        print_pieces([data])
        return
    write_pieces([data], file.resolve())
    say(f"{file} is written: {page.summary}, {len(data) / 1e6:.1f} MB.")


def _size(word: str) -> int:
    match = re.fullmatch(r"([0-9]{1,6}(?:\.[0-9]{1,3})?) ?([kM]B)", word, re.IGNORECASE)
    if word != "0" and not match:
        raise ArenaError(f"--replays takes a size such as 500kB or 2MB, or 0, not {word!r}.")
    return int(float(match[1]) * _UNITS[match[2].lower()]) if match else 0


def _picks(text: str) -> list[Pick]:
    words = [word.strip() for word in text.split(",")]
    for word in words:
        if word not in get_args(Pick):
            raise ArenaError(f"--pick takes words among {', '.join(PICKS)}, not {word!r}.")
    return [pick for pick in PICKS if pick in words]


def _is_ours(file: Path) -> bool:
    """Return whether a file is a page that this command has made, and may make anew."""
    try:
        if not file.is_file():  # to open a pipe would wait for its writer
            return False
        with file.open("rb") as stream:
            return _GENERATOR in stream.read(_HEAD)
    except OSError:
        return False

"""The command that shows how it all works: demo."""

import shlex
import shutil
import sys
from contextlib import ExitStack
from pathlib import Path

import click

from arena.cli import main
from arena.cli.files import spare_folder
from arena.cli.options import PATH, grouped, output_format, sandbox_option, sandbox_uid_option
from arena.cli.run import play_and_show
from arena.cli.running import run_terms, workers_option
from arena.cli.saying import say
from arena.league.file import FILE
from arena.league.finding import bundled
from arena.league.settings import Settings
from arena.league.writing import make_league
from arena.play.staffing import RunTerms
from arena.store.opening import read_league

_DEMO = {"guerra": 12, "cold_war": 8}
"""The demo's games and their deals."""
_DEMO_SEED = 1


@main.command()
@workers_option
@click.option("--keep", type=PATH, help="Keep the leagues in this folder.")
@sandbox_option
@sandbox_uid_option
@output_format
@grouped(terms=run_terms)
def demo(terms: RunTerms, keep: Path | None, sandbox: str, form: str) -> None:
    """Run a small league of each of two games and show the tables.

    The bots are bundled with the arena. `arena games` lists all games.

    \b
    arena demo
    arena demo --keep demo && arena matches demo/guerra
    """
    with ExitStack() as stack:
        folder = keep or stack.enter_context(spare_folder())
        for game, deals in _DEMO.items():
            league = folder / game
            if not (league / FILE).exists():
                settings = Settings(game=game, seed=_DEMO_SEED, deals=deals)
                bots = [{"name": name, "shipped": name} for name in bundled(game)]
                make_league(league, settings, {}, {"sandbox": sandbox}, bots)
            asked = read_league(league)
            title = f"\n{game}: {asked.game.title}"
            play_and_show(asked, terms, form, title)
    arena = _as_typed()
    say(
        "",
        f"Next: {arena} play khan human random, or {arena} new mine --lang python --game khan "
        f"for a bot of your own.",
    )


def _as_typed() -> str:
    """Return how this command is called: by its path where it is not on the PATH."""
    typed = sys.argv[0]
    is_elsewhere = Path(typed).name == "arena" and shutil.which("arena") != typed
    return shlex.quote(typed) if is_elsewhere else "arena"

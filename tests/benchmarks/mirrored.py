"""Prints how many independent deals one mirrored deal is worth, game by game.

    python -m tests.benchmarks.mirrored              # all games, four minutes on two cores
    python -m tests.benchmarks.mirrored guerra khan  # some

Each league has real processes and mirrored deals, at the fewest seats the game has. The gain is
measured from its own results (`arena.stats.seats`): the variance that a deal of as many
independent matches would have, divided by that of the mirrored deal.

*Wavering* bots are copies of one that play a move in fifty at random, each its own: equals that
do not play alike, among whom mirroring matters most. (Copies that do play alike only repeat a
match with their names exchanged.) The other rows show what is left of it between the two best
bundled bots (in Guerra the next two: the best always wins).
"""

import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tabulate import tabulate

from arena.league.finding import BUNDLED, KIT
from arena.league.settings import Settings
from arena.league.writing import make_league
from arena.stats.seats import EVERYBODY, Gain, mirror_gain, sittings
from arena.tables.field import Field
from referee.games import GAMES
from tests.benchmarks.ladder import played

MEASURES = (
    "arena/stats/seats.py bots/casino_war bots/cold_war bots/duel bots/guerra bots/khan "
    "bots/pyanitsa bots/steal_war bots/war bots/world_war referee/games"
)
HEADERS = ("game", "bots", "deals", "matches", "gain", "seat 0 scores", "s")


WAVERING = """
import kit
from {game}_{bot} import choose
from {game}_random import choose as choose_at_random
kit.run(lambda ask: (choose_at_random if ask.rng.random() < {slips} else choose)(ask))
"""
SLIPS = 0.02
"""The part of its moves that a wavering bot plays at random."""


class Mirrored(NamedTuple):
    """A league of the fewest seats to play."""

    bots: tuple[str, ...]
    """All of one name are wavering copies of it."""
    deals: int


LEAGUES: dict[str, tuple[Mirrored, ...]] = {
    "cold_war": (
        Mirrored(("sensible",) * 4, 100),
        Mirrored(("diplomat", "sensible", "echo", "random"), 100),
    ),
    "guerra": (Mirrored(("general",) * 2, 200), Mirrored(("sensible", "rusher"), 200)),
    "world_war": (
        Mirrored(("sensible",) * 3, 60),
        Mirrored(("marshal", "sensible", "cautious"), 40),
    ),
    "war": (Mirrored(("sensible",) * 2, 60), Mirrored(("sensible", "highest"), 200)),
    "steal_war": (Mirrored(("sensible",) * 2, 400), Mirrored(("sensible", "random"), 400)),
    "pyanitsa": (Mirrored(("sensible",) * 2, 400), Mirrored(("sensible", "lowest"), 400)),
    "casino_war": (Mirrored(("sensible",) * 2, 400), Mirrored(("sensible", "cautious"), 400)),
    "tod_und_leben": (Mirrored(("sensible", "random"), 400),),
    "khan": (Mirrored(("sensible",) * 2, 200), Mirrored(("warlord", "sensible"), 200)),
    "duel": (Mirrored(("maestro",) * 2, 200), Mirrored(("maestro", "sensible"), 200)),
}
"""Chosen so that a league takes about a quarter of a minute on two cores."""


def row(game: str, league: Mirrored) -> tuple[object, ...]:
    """Play one league; return its row of the table."""
    began = time.monotonic()
    field = results(game, league)
    first = sittings(field.deals)[EVERYBODY, 0].points
    assert first.error is not None
    return (
        game,
        f"{len(league.bots)} wavering {league.bots[0]}"
        if wavers(league)
        else ", ".join(league.bots),
        field.deal_count,
        field.matches,
        told(mirror_gain(field.deals)),
        f"{first.mean:.1%} ± {2 * first.error:.1%}",
        f"{time.monotonic() - began:.0f}",
    )


def wavers(league: Mirrored) -> bool:
    """Return whether the bots are copies of one."""
    return len(set(league.bots)) == 1


def results(game: str, league: Mirrored) -> Field:
    """Play one league; return what was played."""
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        if wavers(league):
            bots = [wavering(home / f"copy {at}", game, bot) for at, bot in enumerate(league.bots)]
        else:
            bots = [{"name": bot, "shipped": bot} for bot in league.bots]
        seats = GAMES[game].seat_counts[0]
        settings = Settings(
            game=game, seats=seats, seed="mirrored", deals=league.deals, mirror=True
        )
        return played(make_league(home / "league", settings, {}, {"sandbox": "none"}, bots))


def wavering(folder: Path, game: str, bot: str) -> dict[str, object]:
    """Make a wavering copy of a bundled bot; return its entry in a league's file."""
    folder.mkdir()
    for program in (KIT, *(BUNDLED / game).glob("*.py")):
        shutil.copy(program, folder)
    (folder / "bot.py").write_text(WAVERING.format(game=game, bot=bot, slips=SLIPS))
    return {
        "name": folder.name,
        "folder": f"../{folder.name}",
        "command": ["{python}", "bot.py"],
    }


def told(gain: Gain | None) -> str:
    """Return a gain in words, with two standard errors."""
    if gain is None:
        return "not measured"
    return "infinite" if gain.error is None else f"{gain.deals:.2f} ± {2 * gain.error:.2f}"


def main(names: Sequence[str]) -> int:
    """Print the table of each game."""
    if unknown := [name for name in names if name not in GAMES]:
        print(f"There is no game {', '.join(unknown)}; there are {', '.join(GAMES)}.")
        return 1
    rows = [row(game, league) for game in names or GAMES for league in LEAGUES[game]]
    print(tabulate(rows, HEADERS, disable_numparse=True, stralign="right"))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

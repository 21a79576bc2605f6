"""Plays every game of OpenSpiel, and writes the table in docs/openspiel.md.

    python -m tests.benchmarks.openspiel_table                # all games, a quarter of an hour
    python -m tests.benchmarks.openspiel_table chess hearts   # some, whose rows are printed

Each game is checked with its default options as by `arena check-game`, then played as a league of
bots that choose at random and one that takes the first legal action, which `arena verify` executes
again. What is found is kept in `openspiel-table.json`, so that a run that was stopped goes on.
"""

import json
import re
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import click
from tabulate import tabulate

from arena.league.finding import KIT
from arena.league.plan import LeaguePlan
from arena.league.settings import Settings
from arena.league.writing import make_league
from referee.catalog.finding import OPENSPIEL
from referee.catalog.loading import find_game
from referee.openspiel.kind import surveys
from referee.rules.game import Game
from referee.testing import check_game
from referee.testing.trial import Case
from tests.arena.conftest import ARENA, ROOT
from tests.benchmarks.ladder import played
from tests.docs.written import rewrite

MEASURES = "referee/openspiel referee/testing"
PAGE = ROOT / "docs" / "openspiel.md"
BEGIN, END = "<!-- Here the table begins. -->", "<!-- Here it ends. -->"
HEADERS = ("game", "seats", "hidden", "all at once", "decisions a match")
DEALS = 2
"""Deals of a line-up in the league that is verified."""
BOTS = {"random": "ask.rng.choice(ask.legal)", "first": "ask.legal[0]"}
"""How the bots of that league choose."""


def measured(name: str) -> dict[str, Any]:
    """Check and play one game; return its row."""
    word = f"{OPENSPIEL}:{name}"
    kind = find_game(word)
    cases = [Case(kind, kind.seat_counts[0])]
    results = {each.step: each for each in check_game(kind, cases=cases)}
    verify(word, kind)
    return {
        "game": name,
        "seats": _counts(kind.seat_counts),
        "hidden": _hidden(kind, results["hidden"].detail),
        "all at once": "yes" if _is_simultaneous(kind) else "",
        "decisions a match": kind.typical_decisions,
    }


def _hidden(kind: type[Game], detail: str) -> str:
    """Return whether something is hidden, and if so, whether the proof found what it changes."""
    recipe: Any = kind.recipe  # type: ignore[attr-defined]
    if recipe.kind.information != type(recipe.kind).Information.IMPERFECT_INFORMATION:
        return "no"
    found = re.search(r"(\d+) of which show", detail)
    return f"proved in {found[1]} states" if found else "not proved"


def _is_simultaneous(kind: type[Game]) -> bool:
    recipe: Any = kind.recipe  # type: ignore[attr-defined]
    return bool(recipe.kind.dynamics == type(recipe.kind).Dynamics.SIMULTANEOUS)


def verify(word: str, kind: type[Game]) -> None:
    """Play a league, and have every match executed again."""
    with tempfile.TemporaryDirectory() as name:
        plan = _league(Path(name), word, kind)
        field = played(plan)
        assert not any((field.faults or {}).values()), field.faults
        done = subprocess.run(
            [*ARENA, "verify", str(plan.folder)], capture_output=True, text=True, cwd=ROOT
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert "none differs" in done.stdout


def _league(home: Path, word: str, kind: type[Game]) -> LeaguePlan:
    bots = []
    for at, each in enumerate(["random"] * max(2, kind.seat_counts[0] - 1) + ["first"]):
        folder = home / f"bot{at}"
        folder.mkdir()
        (folder / "kit.py").write_text(KIT.read_text())
        (folder / "bot.py").write_text(f"import kit\nkit.run(lambda ask: {BOTS[each]})\n")
        bots.append(
            {"name": folder.name, "folder": f"../{folder.name}", "command": ["{python}", "bot.py"]}
        )
    settings = Settings(game=word, seats=kind.seat_counts[0], seed="openspiel", deals=DEALS)
    return make_league(home / "league", settings, {}, {"sandbox": "none"}, bots)


def _counts(seats: Sequence[int]) -> str:
    return str(seats[0]) if len(seats) == 1 else f"{seats[0]}-{seats[-1]}"


def _tried(name: str) -> tuple[str, dict[str, Any] | str]:
    try:
        return name, measured(name)
    except Exception as error:  # noqa: BLE001 - it is told, and the others go on
        return name, f"{type(error).__name__}: {error}"


def _each(names: Sequence[str], jobs: int, done: Callable[[str, Any], None]) -> None:
    with ProcessPoolExecutor(jobs, max_tasks_per_child=1) as pool:
        for future in as_completed(pool.submit(_tried, name) for name in names):
            done(*future.result())


@click.command()
@click.argument("names", nargs=-1)
@click.option("--jobs", default=2, help="So many games at once.")
def main(names: tuple[str, ...], jobs: int) -> None:
    """Measure games, and print their rows, or write the table of all into the page."""
    kept = Path("openspiel-table.json")
    known: dict[str, Any] = json.loads(kept.read_text()) if kept.exists() else {}
    wanted = names or sorted(surveys())

    def done(name: str, row: Any) -> None:
        if isinstance(row, str):
            click.echo(f"{name}: {row[:2000]}", err=True)
            return
        known[name] = row
        kept.write_text(json.dumps(known))
        click.echo(f"{name}: {row}")

    _each([name for name in wanted if name not in known], jobs, done)
    rows = [[known[name][head] for head in HEADERS] for name in wanted if name in known]
    table = tabulate(rows, HEADERS, tablefmt="github", disable_numparse=True)
    if names:
        click.echo(table)
        return
    rewrite(PAGE, BEGIN, END, table)


if __name__ == "__main__":
    main()

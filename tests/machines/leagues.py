"""Small leagues of the bundled games, whose exports are compared between machines."""

import json
from pathlib import Path
from typing import Any

from tests.same_bytes import ROOT, League, Player, bare, write

_MOST_BOTS = 2  # of each game: where it has more seats, bots are entered more than once
_SHORTER = {"world_war": "[options]\nmax_rounds = 8\n"}
"""Options of games that take long."""
_OF_THE_MACHINE = ("sandbox",)
"""Keys of an export under which stands what sandbox there was, and its version."""


class Leagues:
    """Plays leagues of bundled bots in a folder, by the code of this project."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._player = Player(ROOT, folder)

    def games(self) -> dict[str, int]:
        """Return the bundled games, and by how many seats each is played."""
        told = self._player.seat_counts()
        return {game: seats[0] for game, seats in told.items() if seats}  # a family has none

    def export(self, game: str, seats: int) -> list[str]:
        """Play a league; return the lines that it exports, but for what is measured."""
        bots = self._folder / game / "bots"
        bots.mkdir(parents=True)
        for file in [*self._bots(game), ROOT / "bots" / "kit.py"]:
            (bots / file.name).write_bytes(file.read_bytes())
        folder = self._folder / game / "leagues" / game
        write(League(game, seats), folder, bots)
        with (folder / "league.toml").open("a") as file:
            file.write(f"\n{_SHORTER.get(game, '')}")
        self._player.arena("run", folder, "--workers", "2")
        lines = self._player.arena("export", folder).splitlines()
        return [json.dumps(without_sandbox(bare(json.loads(line)))) for line in lines]

    def _bots(self, game: str) -> list[Path]:
        return sorted((ROOT / "bots").glob(f"**/{game}_*.py"))[:_MOST_BOTS]


def without_sandbox(value: Any) -> Any:
    """Return a value of JSON without the version of the sandbox."""
    if isinstance(value, dict):
        return {
            key: without_sandbox(each) for key, each in value.items() if key not in _OF_THE_MACHINE
        }
    return [without_sandbox(each) for each in value] if isinstance(value, list) else value

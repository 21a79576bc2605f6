"""Small leagues of the bundled games, whose exports are compared between machines."""

import json
import shutil
from pathlib import Path

from tests.same_bytes import ROOT, League, Player, bare, copied_bots, write

_MOST_BOTS = 2  # of each game: where it has more seats, bots are entered more than once
_SHORTER = {"world_war": "[options]\nmax_rounds = 8\n"}
"""Options of games that take long."""


class Leagues:
    """Plays leagues of bundled bots in a folder, by the code of this project."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._player = Player(ROOT, folder)

    def games(self) -> dict[str, int]:
        """Return the bundled games, and by how many seats each is played."""
        return {game: seats[0] for game, seats in self._player.seat_counts().items()}

    def export(self, game: str, seats: int) -> list[str]:
        """Play a league; return the lines that it exports, but for measures and the sandbox."""
        bots = copied_bots(ROOT, self._folder / game, f"{game}_*.py")
        for file in sorted(bots.iterdir())[_MOST_BOTS:]:
            file.unlink()
        shutil.copy(ROOT / "bots" / "templates" / "python" / "kit.py", bots)
        folder = self._folder / game / "leagues" / game
        write(League(game, seats), folder, bots)
        with (folder / "league.toml").open("a") as settings:
            settings.write(f"\n{_SHORTER.get(game, '')}")
        self._player.arena("run", folder, "--workers", "2")
        return [json.dumps(bare(each, ["sandbox"])) for each in self._player.exported(folder)]

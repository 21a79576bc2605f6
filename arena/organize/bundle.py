"""What is sent back to the author of a bot: its verdict, its results, and its own matches."""

from pathlib import Path

from arena.folders import unwritten
from arena.organize.copying import folder_name
from arena.organize.entering import Verdict

_WIDTH = 80


def write_verdict(target: Path, verdict: Verdict, game: str) -> None:
    """Write a verdict into the folder of a bot in a folder; raise ArenaError if that fails."""
    folder = target / folder_name(verdict.name or "_")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        text = "\n".join(verdict.text(game, _WIDTH))
        (folder / "verdict.txt").write_text(f"{text}\n", encoding="utf-8")
    except OSError as error:
        raise unwritten(folder, error) from None

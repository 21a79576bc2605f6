"""What a league gets of a bot that plays at home: a bot.toml with the hash of its files."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.author.submitting import Parcel, packed
from arena.home.prepared import Prepared
from arena.league.command import REMOTE
from arena.league.finding import BOT_FILE
from arena.text import toml


@contextmanager
def marker(bot: Prepared, name: str) -> Iterator[Parcel]:
    """Return the folder that is handed in for a bot, packed."""
    text = (
        f"name = {toml(name)}\n"
        f"command = {toml([REMOTE, bot.digest])}\n"
        f"files = []\n\n[needs]\nremote = true\n"
    )
    with tempfile.TemporaryDirectory(prefix="arena-marker-") as folder:
        Path(folder, BOT_FILE).write_text(text, encoding="utf-8")
        with packed(Path(folder)) as parcel:
            yield parcel

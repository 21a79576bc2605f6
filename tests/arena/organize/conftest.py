"""Leagues without bots, and folders of bots to be entered."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.league.finding import BUNDLED
from arena.store.opening import read_played

FINE = "import kit, guerra_random\nkit.run(guerra_random.choose)\n"
FILE = """\
# Keep this line.
game = "guerra"
seed = 770077
deals = 2

[options]
max_turns = 10

[limits]
sandbox = "none"
"""

MakeBot = Callable[..., Path]
"""Makes the folder of a bot, of a source in Python and perhaps a place in a folder."""


@pytest.fixture
def cup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A league without bots, whose folder's parent is the present folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cup").mkdir()
    (tmp_path / "cup" / "league.toml").write_text(FILE)
    return Path("cup")


@pytest.fixture
def make_bot(tmp_path: Path) -> MakeBot:
    """Make a bot's folder, which a path names relative to the present folder."""

    def make(where: str, source: str = FINE, *, toml: str | None = None) -> Path:
        folder = tmp_path / where
        folder.mkdir(parents=True)
        for helper in ("templates/python/kit.py", "guerra/guerra_random.py"):
            shutil.copy(BUNDLED / helper, folder)
        (folder / "bot.py").write_text(source)
        if toml is None:
            toml = 'command = ["{python}", "bot.py"]\n'
        if toml:
            (folder / "bot.toml").write_text(toml)
        return Path(where)

    return make


def text(cup: Path) -> str:
    return (cup / "league.toml").read_text()


def names(cup: Path) -> list[str]:
    return [bot.name for bot in read_played(cup).bots]

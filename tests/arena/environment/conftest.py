"""Bots with packages, and the wheels for them, made here: no package index is asked."""

import shutil
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from arena.league.finding import KIT

BOT = "import kit\nimport {module}\nkit.run(lambda ask: {module}.choose(ask))\n"
MODULE = "def choose(ask):\n    return (ask.legal or ask.samples)[{at}]\n"


@pytest.fixture(autouse=True)
def cache(public: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let what is kept lie where every user may enter."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(public / "cache"))
    return public / "cache" / "bot-arena" / "environments"


def wheel(
    folder: Path,
    name: str,
    version: str = "1.0",
    *,
    files: Mapping[str, str | bytes] | None = None,
    needs: Sequence[str] = (),
    python: str = ">=3.8",
    tags: str = "py3-none-any",
    entries: Sequence[tuple[zipfile.ZipInfo, bytes]] = (),
) -> Path:
    """Make a wheel of a few files, by default of a module of its name that chooses a move."""
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}-{version}-{tags}.whl"
    info = f"{name}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    metadata += f"Requires-Python: {python}\n"
    metadata += "".join(f"Requires-Dist: {need}\n" for need in needs)
    with zipfile.ZipFile(path, "w") as archive:
        for file, content in (files or {f"{name}.py": MODULE.format(at=0)}).items():
            archive.writestr(file, content)
        for entry, data in entries:
            archive.writestr(entry, data)
        archive.writestr(f"{info}/METADATA", metadata)
        archive.writestr(f"{info}/WHEEL", f"Wheel-Version: 1.0\nTag: {tags}\n")
        archive.writestr(f"{info}/RECORD", "")
    return path


def bot(folder: Path, requirements: str = "chooser\n", module: str = "chooser") -> Path:
    """Make the folder of a bot that plays by what a package chooses."""
    folder.mkdir()
    shutil.copy(KIT, folder)
    (folder / "bot.py").write_text(BOT.format(module=module))
    (folder / "bot.toml").write_text('command = ["{python}", "bot.py"]\npython = "venv"\n')
    (folder / "requirements.txt").write_text(requirements)
    return folder


def good(folder: Path) -> Path:
    made = bot(folder)
    wheel(made / "wheels", "chooser")
    return made

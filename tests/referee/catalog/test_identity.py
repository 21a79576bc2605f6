"""What is known of a game without its code, and the hash of that code."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from referee.catalog.finding import Source, find_source
from referee.catalog.identity import code_files, code_of, facts_of
from referee.catalog.loading import find_game
from referee.games import GAMES
from tests.outside.sources import NIM, distribution


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A game that is a folder, with all that may lie in one."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    game = tmp_path / "nim"
    files = {
        "game.py": f"from .heap import LEAST\n{NIM}",
        "heap.py": "from .parts.more import LEAST\n",
        "parts/__init__.py": "",
        "parts/more.py": "LEAST = 10\n",
        "heaps.json": "[10, 20]",
        "rules.md": "# Nim\n",
        "ideas.toml": "",
        "bots/random.py": "",
        "playthroughs/nim.txt": "",
    }
    for name, text in files.items():
        (game / name).parent.mkdir(parents=True, exist_ok=True)
        (game / name).write_text(text)
    return game


def hashed(word: Path) -> str:
    return code_of(find_game(str(word)))


def test_the_hash_changes_with_every_file_of_the_code_and_with_nothing_else(folder: Path) -> None:
    before = hashed(folder)
    for name in ("rules.md", "ideas.toml", "bots/random.py", "cases.toml"):
        with (folder / name).open("a") as file:
            file.write("\n")
        assert hashed(folder) == before, name
    folder = folder.rename(folder.parent / "elsewhere")
    assert hashed(folder) == before
    seen = {before}
    for name in ("game.py", "heap.py", "parts/more.py", "heaps.json", "new.py"):
        with (folder / name).open("a") as file:
            file.write("\n")
        assert hashed(folder) not in seen, name
        seen.add(hashed(folder))


def files_of(word: str) -> set[str]:
    home, files = code_files(find_game(word))
    return {path.relative_to(home).as_posix() for path in files}


def test_a_game_is_hashed_with_what_it_imports_from_its_folder_or_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "heaps_package"
    (package / "games").mkdir(parents=True)
    for name in ("__init__.py", "games/__init__.py", "stranger.py"):
        (package / name).write_text("")
    (package / "heap.py").write_text("from heaps_package.further import LEAST\n")
    (package / "further.py").write_text("LEAST = 10\n")
    game = package / "games" / "nim.py"
    game.write_text(f"import json\nfrom heaps_package.heap import LEAST\n{NIM}")
    distribution(tmp_path, "heaps", "1", {"nim": "heaps_package.games.nim:Nim"})
    monkeypatch.syspath_prepend(str(tmp_path))
    names = {"games/nim.py", "games/__init__.py", "heap.py", "further.py", "__init__.py"}
    assert files_of("nim") == names
    (tmp_path / "heap_there.py").write_text("from heap_further import LEAST\n")
    (tmp_path / "heap_further.py").write_text("LEAST = 10\n")
    (tmp_path / "stranger.py").write_text("")
    (tmp_path / "nim.py").write_text(f"from heap_there import LEAST\n{NIM}")
    assert files_of(str(tmp_path / "nim.py")) == {"nim.py", "heap_there.py", "heap_further.py"}


def test_a_bundled_game_is_its_folder_and_what_it_shares_and_its_facts_what_tables_need() -> None:
    for name, game in GAMES.items():
        home, files = code_files(game)
        names = {path.relative_to(home).as_posix() for path in files}
        assert f"{name}/game.py" in names
        assert not any(each.endswith((".md", ".toml", ".txt")) for each in names)
        others = {*GAMES} - {name}
        assert not any(path.partition("/")[0] in others for path in names)
        facts = facts_of(game, find_source(name))
        assert (facts.name, facts.title) == (name, game.title)
        assert facts.seat_counts == [*game.seat_counts]
        assert facts.is_pure_luck == (not game.decisions)


def test_the_hash_does_not_depend_on_the_order_of_sets() -> None:
    code = (
        "from referee.games import *; from referee.catalog.identity import *\n"
        "print(code_of(GAMES['khan']))"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1


def test_facts_that_leave_this_machine_hold_no_path_of_it(folder: Path) -> None:
    source = find_source(str(folder))
    facts = facts_of(find_game(str(folder)), source).portable()
    assert facts.source == Source(source.word, "file")

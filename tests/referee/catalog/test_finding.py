"""Which game a word means, and what is said of one that cannot be found or loaded."""

import sys
from pathlib import Path

import pytest

from protocol.errors import ArenaError
from referee.catalog.finding import find_source, installed
from referee.catalog.loading import find_game, listed, load
from referee.games import GAMES
from tests.outside.sources import NIM, distribution

FAMILY = (
    NIM
    + '''

class Heaps:
    """Nim under two names."""

    def names(self):
        return ["small", "large"]

    def game(self, name):
        return type(name.title(), (Nim,), {"name": f"heaps:{name}", "__module__": __name__})


HEAPS = Heaps()
'''
)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    return tmp_path


@pytest.fixture
def site(here: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of installed packages, of which modules are forgotten afterwards."""
    folder = here / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setattr(sys, "modules", {**sys.modules})
    return folder


def write(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def refusal(word: str, here: Path = Path()) -> str:
    with pytest.raises(ArenaError) as caught:
        find_game(word, here)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_bundled_game_is_found_by_its_name_and_a_file_by_its_path(tmp_path: Path) -> None:
    assert find_game("guerra") is GAMES["guerra"]
    assert find_source("guerra").said == "bundled with Bot Arena"
    write(tmp_path, "here/nim.py", NIM)
    for word in ("./nim.py", "nim.py", "./nim.py:Nim", "../here/nim.py"):
        assert find_game(word, tmp_path / "here").name == "nim"


@pytest.mark.parametrize("word", ["./nim", "./nim/", "./nim:Nim"])
def test_a_folder_is_a_game_with_modules_of_its_own(here: Path, word: str) -> None:
    write(here, "nim/heap.py", "LEAST = 10\n")
    write(here, "nim/game.py", f"from .heap import LEAST\n{NIM}".replace("= 10 +", "= LEAST +"))
    assert find_game(word).name == "nim"
    write(here, "nim/__init__.py", '"""Nim."""\n')
    assert find_game(word).name == "nim"


def test_a_file_imports_from_its_own_folder_and_is_read_anew_once_it_was_changed(
    here: Path,
) -> None:
    write(here, "a/heap_of_a.py", "LEAST = 10\n")
    file = write(here, "a/nim.py", text := f"from heap_of_a import LEAST\n{NIM}")
    assert find_game("./a/nim.py").title.startswith("A heap")
    file.write_text(text.replace("A heap of matches: take", "Another heap: take"))
    assert find_game("./a/nim.py").title.startswith("Another heap")


def test_an_installed_game_is_found_by_its_name(site: Path) -> None:
    write(site, "my_nim.py", NIM)
    distribution(site, "my-nim", "1.2", {"nim": "my_nim:Nim"})
    source = find_source("nim")
    assert (source.kind, source.distribution, source.version) == ("installed", "my-nim", "1.2")
    assert load(source).name == "nim"
    assert [each.word for each in installed()] == ["nim", "openspiel"]
    assert listed(source) is None


def test_a_family_names_its_games(site: Path) -> None:
    write(site, "my_heaps.py", FAMILY)
    distribution(site, "my-heaps", "1.0", {"heaps": "my_heaps:HEAPS"})
    games = listed(find_source("heaps"))
    assert games is not None
    assert [each.name for each in games] == ["heaps:small", "heaps:large"]
    assert find_game("heaps:small").name == "heaps:small"
    assert "family of 2 games: say which, as heaps:small" in refusal("heaps")
    assert "there is no game 'heaps:smal'. Did you mean 'small'?" in refusal("heaps:smal")


def test_an_unknown_name_is_told_with_what_is_like_it_or_lies_here(site: Path, here: Path) -> None:
    write(site, "my_nim.py", NIM)
    distribution(site, "my-nim", "1.2", {"nimble": "my_nim:Nim"})
    assert refusal("guera").endswith("Did you mean 'guerra'?")
    assert refusal("nimbel").endswith("Did you mean 'nimble'?")
    write(here, "nim.py", NIM)
    (here / "folder").mkdir()
    assert refusal("nim").endswith("write ./nim.py for what lies here.")
    assert refusal("folder").endswith("write ./folder for what lies here.")


MISTAKES = {
    "missing file": ("", "no file 'nim.py'"),
    "no game": ("x = 1\n", "nim.py has no game. A game is a class that is derived from"),
    "two games": (
        NIM + "\n\nclass Nam(Nim):\n    pass\n\n\nclass Num(Nim):\n    pass\n",
        "has several games: Nam, Num. Say which: ./nim.py:Nam.",
    ),
    "syntax": ("def f(:\n", "nim.py:1: SyntaxError: "),
    "import": ("\nimport nothing_of_that_name\n", "nim.py:2: ModuleNotFoundError: No mod"),
    "raises": ("\n\nraise ValueError('so\\nor so')\n", "nim.py:3: ValueError: so."),
    "exits": ("raise SystemExit(3)\n", "nim.py:1: SystemExit: 3."),
    "a method": (NIM.replace("def places", "def place"), "class Nim lacks places"),
    "a field": (
        NIM.replace("    typical_decisions = 8\n", ""),
        "class Nim lacks `typical_decisions`: a whole number",
    ),
    "a type": (NIM.replace("range(2, 3)", "2"), "`seat_counts` is 2; it has to be a r"),
    "a name": (NIM.replace('"nim"', '"Nim!"'), "`name` is 'Nim!'; it has to be a name"),
    "a bundled name": (NIM.replace('"nim"', '"war"'), "'war' is the name of a bundled game"),
}


@pytest.mark.parametrize(("text", "words"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_in_a_file_is_told_in_one_line(here: Path, text: str, words: str) -> None:
    if text:
        write(here, "nim.py", text)
    assert words in refusal("./nim.py")


def test_a_class_that_is_not_there_is_told_with_those_that_are(here: Path) -> None:
    write(here, "nim.py", NIM)
    assert refusal("./nim.py:Num").endswith("has no game 'Num'. Did you mean 'Nim'?")
    assert "is no name of a class" in refusal("./nim.py:a b")
    assert "a file that ends with .py" in refusal(f"./{write(here, 'nim.txt', '').name}")
    (here / "empty").mkdir()
    assert refusal("./empty").endswith("it has neither game.py nor __init__.py.")


def test_mistakes_of_packages_are_told_with_their_names(site: Path) -> None:
    write(site, "my_nim.py", NIM + "\nNUMBER = 3\n")
    games = {"nim": "my_nim:NUMBER", "num": "my_nim:Nim", "nom": "no_such_module:X"}
    distribution(site, "my-nim", "1.2", games)
    assert "the entry point nim = 'my_nim:NUMBER' of my-nim is no game" in refusal("nim")
    assert "its name is 'nim', and its entry point's 'num'" in refusal("num")
    assert "the game 'nom' cannot be loaded: " in refusal("nom")
    assert "one game and no family" in refusal("num:a")
    distribution(site, "other-nim", "0.1", {"nim": "my_nim:Nim"})
    assert refusal("nim") == (
        "two packages have a game 'nim': my-nim and other-nim. Uninstall one of them."
    )


def test_what_a_game_prints_when_it_is_loaded_is_no_output_of_ours(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(here, "nim.py", f"print('hello')\n{NIM}")
    find_game("./nim.py")
    assert capsys.readouterr() == ("", "hello\n")

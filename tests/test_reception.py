"""What newcomers meet first: pages, targets of make and units of CI name what is there, and all."""

import importlib
import importlib.util
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from referee.games import GAMES
from referee.sandbox import SANDBOXES
from tests.ci.records import RECORDS
from tests.docs.pages import PAGES, ROOT, prose

CONTRIBUTING, SECURITY = "CONTRIBUTING.md", "SECURITY.md"
GLOSSARY, RELEASING = "docs/glossary.md", "docs/dev/releasing.md"
TESTS = "tests/README.md"
NEW = (CONTRIBUTING, SECURITY, GLOSSARY, RELEASING, TESTS)

each_page = pytest.mark.parametrize("page", NEW)


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def spans(page: str) -> set[str]:
    """Return the pieces of `code` in the lines of a page."""
    return set(re.findall(r"`([^`\n]+)`", prose(text_of(page))))


# --- make


def targets() -> list[str]:
    return re.findall(r"^([a-z0-9]+):", text_of("Makefile"), re.MULTILINE)


def helped(*words: str, folder: Path = ROOT) -> str:
    """Return what make prints, called with these words."""
    if not shutil.which("make"):
        pytest.skip("MAKE IS NOT TESTED HERE: it is not installed")
    own = {name: value for name, value in os.environ.items() if name[:4] != "MAKE"}
    done = subprocess.run(["make", *words], cwd=folder, capture_output=True, text=True, env=own)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_help_names_every_target_in_a_line_and_needs_nothing(tmp_path: Path) -> None:
    shutil.copy(ROOT / "Makefile", tmp_path)
    shown = helped("help")
    lines = shown.splitlines()
    assert [line.split()[1] for line in lines] == targets()
    assert all(re.fullmatch(r"make \w+ +[A-Z].*\.", line) for line in lines)
    assert max(map(len, lines)) <= 80
    assert helped(folder=tmp_path) == shown  # what make alone prints
    assert [path.name for path in tmp_path.iterdir()] == ["Makefile"]
    assert {*targets()} == {*re.findall(r"`make ([a-z0-9]+)", text_of(CONTRIBUTING))}


# --- CI


@pytest.mark.parametrize("page", [CONTRIBUTING, TESTS])
def test_units_of_ci_that_a_page_names_are_there(page: str) -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("this is no clone: CI reads which units there are from its history")
    listed = subprocess.run([ROOT / ".ci" / "run", "list"], capture_output=True, text=True)
    known = {*listed.stdout.split()}
    assert {"lint", "test"} < known
    named = {span for span in spans(page) if re.match(r"(slow|soak|attacks|python):", span)}
    runs = re.findall(r"`\.ci/run ([^`]+)`", prose(text_of(page)))
    named |= {word for words in runs for word in words.split()} - {"list", "plan"}
    assert named <= known


# --- what the pages name


@each_page
def test_the_files_and_modules_that_it_names_are_there(page: str) -> None:
    assert page in PAGES  # those that are executed
    paths = {span for span in spans(page) if re.fullmatch(r"\.?[\w-]+(/[\w.-]+)*/?", span)}
    named = {path for path in paths if "/" in path}
    assert named
    for path in named:
        assert path in RECORDS or (ROOT / path).exists(), path
    known = {file.name for top in ("tests", "bots", "docs") for file in (ROOT / top).rglob("*.*")}
    for name in {span for span in spans(page) if re.fullmatch(r"\w+\.(py|md)", span)}:
        assert name in known or (ROOT / name).exists(), name
    for module in re.findall(r"python -m (tests\.[\w.]*\w)", text_of(page)):
        assert importlib.util.find_spec(module), module


def module_named(file: Path) -> str:
    return ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__main__")


def runnable() -> set[str]:
    """Return the modules of the tests that are run by a person, helpers of others left out."""
    files = [
        *(ROOT / "tests").rglob("__main__.py"),
        *(ROOT / "tests").rglob("campaign.py"),
        *(ROOT / "tests").glob("*.py"),
        *(ROOT / "tests" / "benchmarks").glob("*.py"),
    ]
    return {
        module_named(file)
        for file in files
        if file != Path(__file__) and '__name__ == "__main__"' in file.read_text(encoding="utf-8")
    }


def test_everything_that_measures_is_on_the_page_of_the_tests() -> None:
    named = set(re.findall(r"^\| `(tests\.[\w.]+)` \|", text_of(TESTS), re.MULTILINE))
    assert named == runnable()


def regenerators() -> set[str]:
    """Return the modules of the tests that write files of the repository, or print them."""
    found = {"tests.rooms"}
    for file in (ROOT / "tests").rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        writes = r"^ +((PAGE|\(FOLDER / .*\))\.write_text\(|rewrite\(PAGE,)"
        if re.search(writes, text, re.MULTILINE) or file.name.startswith("regenerate"):
            found.add(module_named(file))
    return found


def test_contributors_are_told_of_every_generated_file() -> None:
    table = text_of(CONTRIBUTING).partition("## Files that are generated")[2].partition("\n## ")[0]
    assert set(re.findall(r"python -m (tests\.[\w.]*\w)", table)) == regenerators()


def test_every_folder_of_the_tests_is_explained() -> None:
    folders = {
        f"{file.parent.relative_to(ROOT)}/"
        for file in (ROOT / "tests").rglob("*")
        if file.is_file() and not {"__pycache__", "package"} & {*file.parts}
    }
    rows = re.findall(r"^\| (`tests/.*?/`) \|", text_of(TESTS), re.MULTILINE)
    assert folders - {"tests/"} == set(re.findall(r"`([^`]+)`", " ".join(rows)))


def test_every_marker_is_explained() -> None:
    settings = tomllib.loads(text_of("pyproject.toml"))["tool"]["pytest"]["ini_options"]
    markers = {marker.partition(":")[0] for marker in settings["markers"]}
    section = text_of(TESTS).partition("\n| marker |")[2].partition("\n\n")[0]
    assert markers == set(re.findall(r"^\| `(\w+(?:\(n\))?)` ", section, re.MULTILINE))


def test_every_sandbox_has_its_row_in_the_page_on_security() -> None:
    assert tuple(re.findall(r"^\| `(\w+)`", text_of(SECURITY), re.MULTILINE)) == SANDBOXES


# --- the glossary


def terms() -> dict[str, str]:
    """Return what the glossary says of each term, in its order."""
    items = [" ".join(item.split()) for item in text_of(GLOSSARY).split("\n- ")[1:]]
    entries = [entry for item in items for entry in re.findall(r"^\*\*([^*]+)\*\*: (.*)$", item)]
    assert len(dict(entries)) == len(items)
    return dict(entries)


def test_terms_are_in_order_and_have_two_sentences_and_a_page_that_says_more() -> None:
    assert list(terms()) == sorted(terms(), key=str.casefold)
    for term, text in terms().items():
        assert re.search(r"\]\([^)]+\)", text), term
        sentences = re.findall(r"[.?!](?= [A-Z`]|$)", re.sub(r"\(.*?\)", "", text))
        assert 1 <= len(sentences) <= 2, text


def test_the_words_that_are_preferred_are_in_the_glossary() -> None:
    for word in ("sandbox", "bundled", "suspended", "deal", "rotation", "line-up", "seat"):
        assert word in terms()
        assert re.search(rf"^\| {word}\b", text_of(CONTRIBUTING), re.MULTILINE), word


# --- releases


RELEASES = text_of(RELEASING)


def test_the_versions_are_those_of_the_code() -> None:
    rows = re.findall(r"^\|[^|]+\| `(\w+)` in `([\w/]+\.py)` \| (\d+) \|", RELEASES, re.MULTILINE)
    found = {
        (str(file.relative_to(ROOT)), name): getattr(
            importlib.import_module(module_named(file)), name
        )
        for package in ("protocol", "referee", "arena")
        for file in (ROOT / package).rglob("*.py")
        for name in re.findall(
            r"^(VERSION|NEWEST)\b", file.read_text(encoding="utf-8"), re.MULTILINE
        )
    }
    assert {(file, name): int(value) for name, file, value in rows} == found


def test_where_rules_are_versioned_is_said() -> None:
    assert "`rules_version` in its module in `referee/games/`" in RELEASES
    assert all(isinstance(game.rules_version, int) for game in GAMES.values())


def test_pages_name_the_version_of_the_project() -> None:
    version = tomllib.loads(text_of("pyproject.toml"))["project"]["version"]
    for page in PAGES:
        named = re.findall(r"bot-arena\[\w+\]==([\w.]+)|/arena:([\d.]+\d)", text_of(page))
        assert {"".join(each) for each in named} <= {version}, page
    assert f"bot-arena[cluster]=={version}" in text_of("docs/cluster.md")
    assert text_of("docs/serve.md").count(f"install 'bot-arena=={version}'") == 2

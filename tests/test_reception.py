"""What newcomers meet first: pages, targets of make and steps of CI name what is there, and all."""

import importlib
import importlib.util
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from arena.store import migrations
from referee.games import GAMES
from referee.sandbox import SANDBOXES
from tests.docs.pages import PAGES, ROOT, prose
from tests.referee.process_watch import fields, until

CONTRIBUTING, SECURITY = "CONTRIBUTING.md", "SECURITY.md"
GLOSSARY, RELEASING = "docs/glossary.md", "docs/releasing.md"
TESTS = "tests/README.md"
NEW = (CONTRIBUTING, SECURITY, GLOSSARY, RELEASING, TESTS)

each_page = pytest.mark.parametrize("page", NEW)


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def spans(page: str) -> set[str]:
    """Return the pieces of `code` in the lines of a page."""
    return set(re.findall(r"`([^`\n]+)`", prose(text_of(page))))


def modules_run(page: str) -> set[str]:
    """Return the modules of the tests that a page has a reader run."""
    return set(re.findall(r"python -m (tests\.[\w.]*\w)", text_of(page)))


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


def test_help_names_every_target_in_a_line() -> None:
    lines = helped("help").splitlines()
    assert [line.split()[1] for line in lines] == targets()
    assert all(re.fullmatch(r"make \w+ +[A-Z].*\.", line) for line in lines)
    assert max(map(len, lines)) <= 80


def test_help_is_what_make_alone_prints_and_needs_nothing(tmp_path: Path) -> None:
    shutil.copy(ROOT / "Makefile", tmp_path)
    assert helped(folder=tmp_path) == helped("help")
    assert [path.name for path in tmp_path.iterdir()] == ["Makefile"]


def test_every_target_is_explained_to_contributors() -> None:
    assert set(targets()) == set(re.findall(r"`make ([a-z0-9]+)", text_of(CONTRIBUTING)))


# --- the steps of CI

STEPS = ["lint", "builds", "pythons", "slow", "aarch64", "attacks", "soak", "test"]


def ci(*words: str, path: str | None = None) -> "subprocess.CompletedProcess[str]":
    environment = None if path is None else {"PATH": path}
    return subprocess.run(
        [ROOT / ".ci" / "run", *words], capture_output=True, text=True, env=environment
    )


@pytest.mark.parametrize("word", ["list", "--list"])
def test_the_steps_are_listed(word: str) -> None:
    assert ci(word).stdout.split() == STEPS
    assert set(STEPS) <= set(targets())


def test_contributors_are_told_the_steps() -> None:
    assert f"all steps of CI: {', '.join(STEPS)}" in text_of(CONTRIBUTING)


def test_an_unknown_step_is_refused_before_anything_is_done() -> None:
    done = ci("lint", "tset")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (f".ci/run: there is no step 'tset'. The steps are: {' '.join(STEPS)}.\n")


@pytest.fixture
def programs(tmp_path: Path) -> str:
    """A PATH on which make and apt-get only say what they were asked, and the user is root."""
    says = '#!/bin/sh\necho "${0##*/} $*"\n'
    for name, text in {"make": says, "apt-get": says, "id": "#!/bin/sh\necho 0\n"}.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    for name in ("bash", "dirname", "mktemp", "cat", "rm"):
        (tmp_path / name).symlink_to(str(shutil.which(name)))
    return str(tmp_path)


def without_seconds(text: str) -> list[str]:
    return re.sub(r"took \d+ s", "took 0 s", text).splitlines()


ENDED = "== %s took 0 s"


def printed(step: str) -> list[str]:
    return [f"== {step}", f"make {step}", ENDED % step]


def test_all_steps_are_run_and_the_last_line_is_that_of_the_tests(programs: str) -> None:
    lines = without_seconds(ci(path=programs).stdout)
    assert [line for line in lines if line[:3] != "apt"] == [
        *printed("lint"),
        *("== builds", "make .venv/.dev", *printed("pythons"), *printed("builds")[1:]),
        *printed("slow"),
        *("== aarch64", "make .venv/.dev", *printed("attacks"), *printed("aarch64")[1:]),
        *printed("soak"),
        *("== test", "make test"),
    ]


def test_a_step_beside_another_is_waited_for_and_may_fail(programs: str) -> None:
    """The first waits for what the second makes: they run at the same time, or never end."""
    meet = Path(programs, "met")
    wait = f'while [ ! -e {meet} ]; do :; done; echo "{{}}" >&2; exit 3'
    script = f"case $1 in builds) {wait.format('failed beside')};; pythons) : > {meet};; esac"
    Path(programs, "make").write_text(f"#!/bin/sh\n{script}\n")
    done = ci("builds", "pythons", "test", path=programs)
    lines = [line for line in without_seconds(done.stdout) if line[:3] != "apt"]
    assert lines == ["== builds", "== pythons", ENDED % "pythons", "failed beside"]
    assert done.returncode == 3


def test_a_step_that_fails_ends_the_one_beside_it(programs: str, tmp_path: Path) -> None:
    here = tmp_path / "started"
    hang = f"echo $$ > {here}; echo begun; while :; do :; done"
    fail = f"while [ ! -s {here} ]; do :; done; exit 2"
    script = f"case $1 in builds) {hang};; pythons) {fail};; esac"
    Path(programs, "make").write_text(f"#!/bin/sh\n{script}\n")
    done = ci("builds", "pythons", path=programs)
    lines = [line for line in done.stdout.splitlines() if line[:3] != "apt"]
    assert (done.returncode, lines) == (2, ["== builds", "== pythons", "begun"])
    until(lambda: (fields(int(here.read_text())) or "X")[0] in "ZX", 10)


def test_steps_are_run_as_named_and_packages_only_for_tests(programs: str) -> None:
    lint = without_seconds(ci("lint", path=programs).stdout)
    assert lint == ["== lint", "make lint", ENDED % "lint"]
    by_place = {"stockfish": "/usr/games/stockfish", "ethereal-chess": "/usr/games/ethereal-chess"}
    by_place |= {"rustc": "/usr/bin/rustc", "golang-go": "/usr/bin/go"}
    lacking = [package for package, file in by_place.items() if not Path(file).exists()]
    wanted = " ".join(["bubblewrap", "chromium", "iproute2", *lacking])
    assert without_seconds(ci("slow", "lint", path=programs).stdout) == [
        *("== slow", "apt-get update -qq", f"apt-get install -y -qq {wanted}"),
        *("make slow", ENDED % "slow", *lint),
    ]


def test_a_step_that_fails_is_the_last(programs: str) -> None:
    Path(programs, "make").write_text("#!/bin/sh\nexit 2\n")
    done = ci("lint", "test", path=programs)
    assert (done.returncode, done.stdout) == (2, "== lint\n")


# --- what the pages name


@each_page
def test_the_files_that_it_names_are_there(page: str) -> None:
    paths = {span for span in spans(page) if re.fullmatch(r"\.?[\w-]+(/[\w.-]+)*/?", span)}
    named = {path for path in paths if "/" in path}
    for path in named:
        assert (ROOT / path).exists(), path
    known = {file.name for top in ("tests", "bots", "docs") for file in (ROOT / top).rglob("*.*")}
    for name in {span for span in spans(page) if re.fullmatch(r"\w+\.(py|md)", span)}:
        assert name in known or (ROOT / name).exists(), name
    assert named


@each_page
def test_it_is_among_the_pages_that_are_executed(page: str) -> None:
    assert page in PAGES


@each_page
def test_the_modules_that_it_has_run_are_there(page: str) -> None:
    for module in modules_run(page):
        assert importlib.util.find_spec(module), module


def runnable() -> set[str]:
    """Return the modules of the tests that are run by a person, helpers of others left out."""
    files = [
        *(ROOT / "tests").rglob("__main__.py"),
        *(ROOT / "tests").rglob("campaign.py"),
        *(ROOT / "tests").glob("*.py"),
        *(ROOT / "tests" / "benchmarks").glob("*.py"),
    ]
    return {
        ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__main__")
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
            module = ".".join(file.relative_to(ROOT).with_suffix("").parts)
            found.add(module.removesuffix(".__main__"))
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
    items = text_of(GLOSSARY).split("\n- ")[1:]
    found = [re.fullmatch(r"\*\*([^*]+)\*\*: (.*)", " ".join(item.split())) for item in items]
    assert all(found), items
    entries = [(match[1], match[2]) for match in found if match]
    assert len(dict(entries)) == len(entries)
    return dict(entries)


def test_the_glossary_is_alphabetical() -> None:
    assert list(terms()) == sorted(terms(), key=str.casefold)


@pytest.mark.parametrize("term", terms())
def test_a_term_has_two_sentences_at_most_and_a_page_that_says_more(term: str) -> None:
    text = terms()[term]
    assert re.search(r"\]\([^)]+\)", text)
    assert 1 <= len(re.findall(r"[.?!](?= [A-Z`]|$)", re.sub(r"\(.*?\)", "", text))) <= 2, text


def test_the_words_that_are_preferred_are_in_the_glossary() -> None:
    known = {"landlock", "bwrap", "none", *terms()}
    for word in ("sandbox", "bundled", "suspended", "deal", "rotation", "line-up", "seat"):
        assert word in known
        assert re.search(rf"^\| {word}\b", text_of(CONTRIBUTING), re.MULTILINE), word


# --- releases


def versions() -> dict[tuple[str, str], int]:
    """Return the versions that the page on releases gives, by file and name."""
    rows = re.findall(r"^\|[^|]+\| `(\w+)` in `([\w/]+\.py)` \| (\d+) \|", RELEASES, re.MULTILINE)
    return {(file, name): int(value) for name, file, value in rows}


RELEASES = text_of(RELEASING)


@pytest.mark.parametrize(("file", "name"), versions())
def test_a_version_is_what_the_code_says(file: str, name: str) -> None:
    module = importlib.import_module(file.removesuffix(".py").replace("/", "."))
    assert getattr(module, name) == versions()[file, name]


def test_every_version_of_the_code_is_on_the_page() -> None:
    found = {
        (str(file.relative_to(ROOT)), name)
        for package in ("protocol", "referee", "arena")
        for file in (ROOT / package).rglob("*.py")
        for name in re.findall(
            r"^(VERSION|NEWEST)\b", file.read_text(encoding="utf-8"), re.MULTILINE
        )
    }
    assert found == set(versions())


def test_the_databases_that_are_read_and_refused_are_those_of_the_code() -> None:
    older, unreleased = (
        " or ".join(map(str, numbers)) for numbers in (migrations._OLDER, migrations._UNRELEASED)
    )
    assert f"| of version {older} |" in RELEASES
    assert f"| of version {unreleased}, which no release wrote |" in RELEASES


def test_the_rules_of_games_are_versioned_where_the_page_says() -> None:
    assert "`rules_version` in its module in `referee/games/`" in RELEASES
    assert all(isinstance(game.rules_version, int) for game in GAMES.values())


def test_pages_name_the_version_of_the_project() -> None:
    version = tomllib.loads(text_of("pyproject.toml"))["project"]["version"]
    for page in PAGES:
        named = re.findall(r"bot-arena\[\w+\]==([\w.]+)|/arena:([\d.]+\d)", text_of(page))
        assert {"".join(each) for each in named} <= {version}, page
    assert f"bot-arena[cluster]=={version}" in text_of("docs/cluster.md")
    assert text_of("docs/serve.md").count(f"install 'bot-arena=={version}'") == 2

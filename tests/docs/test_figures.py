"""Measured figures: what the real pages say of theirs, and when some count as stale."""

import re
import shutil
from pathlib import Path

import pytest

from tests import release
from tests.ci.history import History, RefusedError
from tests.docs import figures
from tests.docs.figures import Aged, Ages, Mark, aged, marks, module_of, seconds
from tests.docs.pages import PAGES, ROOT, PageError, prose

MARK = "<!-- measured: {} -->\nIt takes 3 s.\n"
PACE = '"""Print it, in half a minute."""\n\nMEASURES = "engine"\n'
ENGINE = 'import os\n\n\ndef turn() -> int:\n    """Take it."""\n    return 1\n'
FIGURE = re.compile(r"\d\s(s|ms|µs|MB|GB|MiB|%|matches|bits|times)\b|\| [\d.,]+ \|")
NAMED = re.compile(r"`python\s-m\s(tests(?:\.\w+)+)")


@pytest.fixture
def clone(tmp_path: Path) -> History:
    """A clone with a module, what measures it, and a page with a figure of the first commit."""
    if not shutil.which("git"):
        pytest.skip("THE AGE OF FIGURES IS NOT TESTED HERE: git is not installed")
    made = History.begun(tmp_path)
    first = made.add({"tests/pace.py": PACE, "engine/core.py": ENGINE, "Makefile": ""})
    made.add({"docs/fast.md": MARK.format(f"python -m tests.pace; at {first[:8]}")})
    return made


def changed(clone: History) -> str | None:
    [found] = aged(clone.root)
    return found.changed


def test_every_mark_of_the_pages_can_be_read() -> None:
    found = list(marks())
    assert len(found) > 60
    assert {mark.page for mark in found} >= {"docs/dev/performance.md", "docs/ratings.md"}


def test_the_commits_of_the_pages_are_known() -> None:
    try:
        ages = Ages(ROOT)
    except RefusedError as reason:
        pytest.skip(str(reason))
    for mark in marks():
        ages.commit(mark)


def test_figures_beside_what_measures_them_have_a_mark() -> None:
    marked = {(mark.page, module_of(ROOT, mark.command)) for mark in marks()}
    for page in PAGES:
        text = prose((ROOT / page).read_text(encoding="utf-8"))
        for part in re.split(r"\n\n(?!\|)|\n(?=- )", text):  # a table belongs to what it follows
            for module in NAMED.findall(part) if FIGURE.search(part) else ():
                file = module_of(ROOT, f"python -m {module}")
                assert (page, file) in marked, f"{page}: {module} measured figures without a mark"


def test_what_changes_the_code_makes_figures_stale_and_nothing_else(clone: History) -> None:
    said = ENGINE.replace("import os", "import sys").replace('"""Take it."""', '"""Go on."""  # so')
    new = "\n\ndef other() -> int:\n    return 3\n"
    clone.add({"engine/core.py": said + new, "engine/rules.md": "# Rules\n", "pace.py": "x = 1"})
    assert changed(clone) is None
    release.check_figures(clone.root)
    clone.add({"engine/core.py": ENGINE.replace("return 1", "return 2")})
    assert changed(clone) == "engine/core.py"
    with pytest.raises(RefusedError, match=r"docs/fast\.md:1 .*tests\.docs\.figures --commands"):
        release.check_figures(clone.root)


def test_a_module_that_came_or_went_makes_figures_stale(clone: History) -> None:
    clone.add({"engine/more.py": ENGINE})
    assert changed(clone) == "engine/more.py"
    clone.git("rm", "--quiet", "engine/more.py", "engine/core.py")
    clone.add({"engine/rules.md": "# Rules\n"})
    assert changed(clone) == "engine/core.py"


def test_what_only_moved_is_as_it_was(clone: History) -> None:
    clone.git("mv", "engine/core.py", "engine/heart.py")
    clone.add({"engine/heart.py": "".join(ENGINE.split("import os\n")) + "X = 1\n"})
    assert changed(clone) is None
    clone.add({"engine/heart.py": ENGINE.replace("return 1", "return 2")})
    assert changed(clone)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("python -m tests.pace", "is none of 'COMMAND; at COMMIT'"),
        ("python -m tests.pase; at {commit}", "there is no module tests.pase"),
        ("make fast; at {commit}", "there is no command 'make fast'"),
        ("arena fly cup; at {commit}", "there is no command 'arena fly cup'"),
        ("arena rank cup; at {commit}", "either MEASURES or the comment"),
        ("python -m tests.pace; at {commit}; of engine", "either MEASURES or the comment"),
        ("arena rank cup; at {commit}; of engines", "measures engines, which does not exist"),
        ("python -m tests.pace; at 0123456789", "there is no commit 0123456789"),
    ],
)
def test_a_mark_that_is_wrong_is_named_by_page_and_line(
    text: str, words: str, clone: History
) -> None:
    said = text.format(commit=clone.git("rev-parse", "HEAD").strip())
    clone.add({"docs/fast.md": f"# Fast\n\n{MARK.format(said)}"})
    with pytest.raises(PageError) as found:
        aged(clone.root)
    assert str(found.value).startswith("docs/fast.md:3: ")
    assert words in str(found.value)


def test_a_shallow_clone_says_so(clone: History, tmp_path: Path) -> None:
    clone.git("clone", "--quiet", "--depth=1", f"file://{tmp_path}", "shallow")
    with pytest.raises(RefusedError, match="git fetch --unshallow"):
        Ages(tmp_path / "shallow")


def test_what_measures_again_begins_with_the_shortest() -> None:
    lasts = {"a": "", "b": "some hours", "c": "half a minute", "d": "a quarter of an hour"}
    stale = [Aged(Mark("", 1, name, "", (), text), 1, "x") for name, text in lasts.items()]
    lines = figures.commands([*stale, *stale, Aged(Mark("", 1, "e", "", (), ""), 1, None)])
    assert [line[0] for line in lines] == ["c", "d", "b", "a"]
    assert seconds("two minutes") == 120

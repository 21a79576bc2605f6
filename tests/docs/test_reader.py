"""That pages which are wrong or unclear fail; what is right, every page shows that is executed."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.pages import Command, NotRun, PageError, steps_of
from tests.docs.reader import Reader
from tests.referee.process_watch import until


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    made = Reader("page.md", tmp_path)
    yield made
    made.end()


def follow(reader: Reader, text: str) -> str:
    """Do what a page says; return what its last command printed."""
    reader.follow(steps_of("page.md", text))
    return reader.output


def test_what_is_left_in_the_background_ends_with_the_page(reader: Reader) -> None:
    page = (
        "```sh\nmkdir a; cd a\nsleep 1000 > log 2>&1 & echo $! > pid\n```\n\n```sh\ncat pid\n```\n"
    )
    pid = int(follow(reader, page))
    assert Path(f"/proc/{pid}").is_dir()
    reader.end()
    until(lambda: not Path(f"/proc/{pid}/exe").exists(), 10)


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("```sh\ntrue\nfalse  # no\n```\n", r"^page\.md:3: \$ false  # no\nexit code 1, not 0"),
        ("<!-- exits: 3 -->\n```sh\ntrue\nexit 4\n```\n", "exit code 4, not 3"),
        ("<!-- given:\nfalse\ntrue\n-->\n", "exit code 1"),
        ("<!-- given: echo one -->\n<!-- output -->\n```\ntwo\n```\n", "but the page shows:\ntwo"),
    ],
)
def test_what_goes_otherwise_than_the_page_says_is_named(
    reader: Reader, page: str, words: str
) -> None:
    with pytest.raises(PageError, match=words):
        follow(reader, page)


TABLE = """\
  Rank  Bot         Rating ± 2σ    W/D/L
------  ------  ---------------  -------
     1  quiet     28.81 ± 0.74   105/0/5
   2-3  mine       9.38 ± 0.57   25/0/15
   2-3  random    19.43 ± 0.89    7/0/23

480 matches of khan in 240 whole deals.
"""


def is_shown(reader: Reader, how: str, shown: str) -> bool:
    """Whether a page that shows the table so is followed."""
    (reader.home / "table").write_text(TABLE)
    try:
        follow(reader, f"<!-- {how} -->\n```console\n$ cat table\n{shown}```\n")
    except PageError as error:
        return "but the page shows" not in str(error)
    return True


def test_output_is_exact_but_for_what_is_left_out(reader: Reader) -> None:
    assert is_shown(reader, "exact", TABLE)
    assert is_shown(reader, "exact", f"{TABLE[:41]}...\n480 … deals.\n")
    for before, after in (("mine ", "mine"), ("480", "48"), (TABLE[-41:], ""), ("\n480", "480")):
        assert not is_shown(reader, "exact", TABLE.replace(before, after)), after


def test_figures_and_the_order_of_rows_may_be_others(reader: Reader) -> None:
    others = [("28.81", "8.8"), ("  2-3  mine  ", "    2  mine  "), ("480", "4,800")]
    others += [("105/0/5", " 99/1/0")]
    lines = TABLE.splitlines(keepends=True)
    for shown in [
        *(TABLE.replace(*other) for other in others),
        "".join([*lines[:2], lines[4], lines[3], lines[2], *lines[5:]]),
    ]:
        assert is_shown(reader, "like", shown), shown
        assert not is_shown(reader, "exact", shown), shown


@pytest.mark.parametrize(
    "other",
    [
        ("mine ", "yours"),
        ("105/0/5", "  105/5"),
        ("± 0.57", "      "),
        ("khan", "duel"),
        ("   2-3  mine       9.38 ± 0.57   25/0/15\n", ""),
        ("W/D/L", "Place"),
        ("\n480", "\nRank: all.\n480"),
        ("28.81", "    -"),
    ],
)
def test_words_columns_and_rows_may_not(reader: Reader, other: tuple[str, str]) -> None:
    assert not is_shown(reader, "like", TABLE.replace(*other))


def test_the_commands_of_a_table_are_those_of_its_first_column() -> None:
    page = (
        "<!-- commands -->\n| command | says |\n|---|---|\n| `arena games` | all; `arena bots`: |\n"
        "| `arena bots --kit \\| wc` and `arena doctor` | |\n"
    )
    found = [step.words for step in steps_of("page.md", page) if isinstance(step, Command)]
    assert found == ["arena games", "arena bots --kit | wc", "arena doctor"]


@pytest.mark.slow
def test_the_match_of_the_pages_is_one_with_a_fault(reader: Reader) -> None:
    page = """\
<!-- given: cp $PROJECT/bots/naughty/{illegal,polite}.py .; chmod +x illegal.py -->
```sh
arena init cup --game khan quiet random mine=./illegal.py --deals 1 --sandbox none
arena run cup --workers 1
arena show cup 3f9a-0
```
"""
    assert "illegal" in follow(reader, page)


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("```python\nprint()\n```\n", "(python) is not run"),
        ("```\n$ arena games\n```\n", "is not run"),
        ("So:\n\n    arena games\n", "commands stand in blocks"),
        ("<!-- file: a.py -->\n```python\nprint()\n```\n", "a.py is written, but nothing uses it"),
        ("```sh\ntrue\n", "this block has no end"),
        ("<!-- fiel: a.py -->\n", "'fiel' is none of the comments that are known"),
        ("<!-- not run -->\n```sh\na\n```\n", "'not run' has a value"),
        ("<!-- exact -->\n```sh\ntrue\n```\n", "shows no output"),
        ("<!-- like -->\n```sh\ntrue\n```\n", "shows no output"),
        ("<!-- exact -->\n\nNo block.\n", "no block follows the comment 'exact'"),
        ("<!-- exits: 1 -->\n", "no block follows the comment 'exits'"),
        ("<!-- exits: 1 -->\n```json\n{}\n```\n", "is not for such a block"),
        ("```json\n{,}\n```\n", "this is no json"),
        ("```toml\na = \n```\n", "this is no toml"),
    ],
)
def test_a_page_that_is_unclear_is_refused(page: str, words: str) -> None:
    with pytest.raises(PageError) as found:
        steps_of("page.md", page)
    assert words in str(found.value)


def test_what_is_no_step_is_let_alone() -> None:
    texts = ("{}", '{"a":\n 1}\n{"b": {…}}', '{"a": 1}\n{"b": []}')  # one value after the other
    for page in (*(f"```json\n{text}\n```\n" for text in texts), "<!-- By hand. -->\n\nText.\n"):
        assert not steps_of("page.md", page)
    page = "<!-- not run: it takes all night -->\n```sh\nmake moon\n```\n"
    assert steps_of("page.md", page) == [NotRun(3, "it takes all night")]

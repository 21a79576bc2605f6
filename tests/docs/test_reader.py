"""What the pages' conventions mean, shown by small pages."""

from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

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
    reader.follow(steps_of("page.md", dedent(text)))
    return reader.output


def wrong(text: str) -> str:
    """Return what is wrong with a page that is read only."""
    with pytest.raises(PageError) as found:
        steps_of("page.md", dedent(text))
    return str(found.value)


def test_commands_of_a_page_are_done_in_one_folder(reader: Reader) -> None:
    page = """
        ```sh
        mkdir a; cd a     # it lasts
        echo one \\
            two > b
        ```

        ```console
        $ cat b
        whatever
        ```
        """
    assert follow(reader, page) == "one two\n"
    assert (reader.home / "a" / "b").is_file()


def test_what_is_left_in_the_background_ends_with_the_page(reader: Reader) -> None:
    page = """
        ```sh
        sleep 1000 > log 2>&1 & echo $! > pid
        ```

        ```sh
        cat pid
        ```
        """
    pid = int(follow(reader, page))
    assert Path(f"/proc/{pid}").is_dir()
    reader.end()
    until(lambda: not Path(f"/proc/{pid}/exe").exists(), 10)


def test_a_command_that_fails_is_named_with_its_line(reader: Reader) -> None:
    page = """
        ```sh
        true
        false  # no
        ```
        """
    with pytest.raises(PageError, match=r"^page\.md:4: \$ false  # no\nexit code 1, not 0"):
        follow(reader, page)


def test_a_command_may_be_meant_to_fail(reader: Reader) -> None:
    follow(reader, "<!-- exits: 3 -->\n```sh\ntrue\nexit 3\n```\n")


def test_a_command_that_fails_early_in_a_hidden_script_is_noticed(reader: Reader) -> None:
    with pytest.raises(PageError):
        follow(reader, "<!-- given:\nfalse\ntrue\n-->\n")


def test_a_hidden_script_may_write_files(reader: Reader) -> None:
    page = """
        <!-- given:
        cat > hello.txt <<END
        hello
        END
        -->
        ```sh
        cat hello.txt
        ```
        """
    assert follow(reader, page) == "hello\n"


def test_a_program_is_written_and_can_be_run(reader: Reader) -> None:
    page = """
        <!-- file: bot/hello.py -->
        ```python
        #!/usr/bin/env python3
        print("hello")
        ```

        <!-- given: bot/hello.py -->
        <!-- output -->
        ```
        hello
        ```
        """
    assert follow(reader, page) == "hello\n"


@pytest.mark.parametrize("shown", ["a\nb\nc", "a\n…\nc", "a\n...\n", "…\nc", "a\n…b\nc"])
def test_output_is_compared(reader: Reader, shown: str) -> None:
    follow(reader, f"<!-- exact -->\n```console\n$ printf 'a\\nb\\nc\\n'\n{shown}\n```\n")


@pytest.mark.parametrize("shown", ["a\nc", "a\nb\nc\nd", "…\nb", "a…\nc", "a\nB\nc"])
def test_other_output_is_refused(reader: Reader, shown: str) -> None:
    with pytest.raises(PageError, match="but the page shows"):
        follow(reader, f"<!-- exact -->\n```console\n$ printf 'a\\nb\\nc\\n'\n{shown}\n```\n")


TABLE = """\
$ cat table
  Rank  Bot         Rating ± 2σ    W/D/L
------  ------  ---------------  -------
     1  quiet     28.81 ± 0.74   105/0/5
   2-3  mine       9.38 ± 0.57   25/0/15
   2-3  random    19.43 ± 0.89    7/0/23

480 matches of khan in 240 whole deals.
"""


@pytest.mark.parametrize(
    "other",
    [
        ("28.81", "8.8"),
        ("  2-3  mine  ", "    2  mine  "),
        ("480", "4,800"),
        ("105/0/5", " 99/1/0"),
        ("     1  quiet ", "     3  random"),
    ],
)
def test_figures_may_be_others(reader: Reader, other: tuple[str, str]) -> None:
    (reader.home / "table").write_text(TABLE.partition("\n")[2])
    page = TABLE.replace(*other)
    if "random" in other[1]:  # two rows have changed their places
        page = TABLE.replace("quiet ", "random").replace("3  random    19", "3  quiet     19")
    follow(reader, f"<!-- like -->\n```console\n{page}```\n")
    with pytest.raises(PageError, match="but the page shows"):
        follow(reader, f"<!-- exact -->\n```console\n{page}```\n")


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
    (reader.home / "table").write_text(TABLE.partition("\n")[2])
    with pytest.raises(PageError, match="but the page shows"):
        follow(reader, f"<!-- like -->\n```console\n{TABLE.replace(*other)}```\n")


def test_a_prompt_is_answered(reader: Reader) -> None:
    page = """
        <!-- types: yes -->
        ```sh
        read -p 'sure> ' answer; test -t 0; echo "it is $answer"
        ```
        """
    assert follow(reader, page).endswith("it is yes\n")


def test_another_command_may_stand_in(reader: Reader) -> None:
    assert follow(reader, "<!-- as: echo made -->\n```sh\nmake everything\n```\n") == "made\n"


def test_the_commands_of_a_table_are_those_of_its_first_column() -> None:
    page = """
        <!-- commands -->
        | command | says |
        |---|---|
        | `arena games` | all; `arena bots`: |
        | `arena bots --kit \\| wc` and `arena schema` | |
        """
    found = [step.words for step in steps_of("page.md", dedent(page)) if isinstance(step, Command)]
    assert found == ["arena games", "arena bots --kit | wc", "arena schema"]


@pytest.mark.slow
def test_the_match_of_the_pages_is_one_with_a_fault(reader: Reader) -> None:
    page = """
        <!-- given: cp $PROJECT/bots/naughty/{illegal,polite}.py .; chmod +x illegal.py -->
        ```sh
        arena init cup --game khan quiet random mine=./illegal.py --deals 1 --sandbox none
        arena run cup --workers 1
        arena show cup 3f9a-0
        ```
        """
    assert "illegal" in follow(reader, page)


def test_a_block_that_is_left_out_has_a_reason() -> None:
    page = "<!-- not run: it takes all night -->\n```sh\nmake moon\n```\n"
    assert steps_of("page.md", page) == [NotRun(3, "it takes all night")]


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
    assert words in wrong(page)


@pytest.mark.parametrize("text", ["{}", '{"a":\n 1}\n{"b": {…}}', '{"a": 1}\n{"b": []}'])
def test_json_may_be_values_one_after_the_other(text: str) -> None:
    assert not steps_of("page.md", f"```json\n{text}\n```\n")


def test_other_comments_are_let_alone() -> None:
    assert not steps_of("page.md", "<!-- Written by hand. -->\n\nText.\n")

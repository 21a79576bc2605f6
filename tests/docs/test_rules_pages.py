"""The rules pages for bot authors hold what is true: examples, views, options and headings."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator

from referee.games import GAMES
from referee.rules.game import Move, plain
from tests.referee.games.conformance import cases_of

TESTS = Path(__file__).parents[1]
PAGES = TESTS.parent / "referee" / "games"
DECIDED = [name for name, game in GAMES.items() if game.decisions]
HEADINGS = (
    *("What a bot sees", "The end", "Options", "Three hints"),
    *("Rulings", "Worked examples"),
)
WIDEST = 120

each_game = pytest.mark.parametrize("name", GAMES)
each_decided = pytest.mark.parametrize("name", DECIDED)


def page(name: str) -> str:
    """Return the page of a game."""
    return (PAGES / name / "rules.md").read_text(encoding="utf-8")


def blocks(text: str) -> list[str]:
    """Return the blocks of JSON in a text."""
    return [part.partition("```")[0] for part in text.split("```json\n")[1:]]


def sections(name: str) -> Iterator[tuple[str, str]]:
    """Yield each decision of a game with the part of the page that is headed by its name."""
    text = page(name)
    for decision in GAMES[name].decisions:
        _, found, after = text.partition(f"# The decision `{decision}`\n")
        if not found:
            _, found, after = text.partition(f"### `{decision}`\n")
        yield decision, after.partition("\n#")[0]


def replies(name: str) -> Iterator[tuple[str, Move]]:
    """Yield every example reply with its decision."""
    for decision, section in sections(name):
        for block in blocks(section):
            for reply in ("\n" + block).split('\n{"id"')[1:]:
                yield decision, msgspec.json.decode('{"id"' + reply)["move"]


def asks(name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every example question with its decision."""
    for decision, section in sections(name):
        for block in blocks(section):
            question = block.partition('\n{"id"')[0]
            if question.startswith('{"type"'):
                yield decision, msgspec.json.decode(question)


def worked_examples(name: str) -> list[str]:
    """Return the names of a page's worked examples: in bold, first in a row or after a dash."""
    section = page(name).partition("\n## Worked examples\n")[2].partition("\n## ")[0]
    return re.findall(r"^(?:- |\| )\*\*([A-Z]\d+)\*\*", section, re.MULTILINE)


def named_by_tests(name: str) -> set[str]:
    """Return the examples that the tests of a game name.

    In names of functions (`test_k5_a_ladder_of_three`) and classes (`TestG5`), whatever the letter;
    in tables, comments and docstrings those with a letter that the page uses: in Khan's, `K5` is an
    example and `E5` a card.
    """
    letters = "".join(sorted({example[0] for example in worked_examples(name)}))
    found: set[str] = set()
    for pattern in (f"test_{name}.py", f"test_{name}_*.py", f"{name}_*.py"):
        for file in TESTS.rglob(pattern):
            text = file.read_text(encoding="utf-8")
            for names in re.findall(r"\bdef test_((?:[a-z]\d+_)+)", text):
                found.update(names.upper().strip("_").split("_"))
            found.update(re.findall(r"\bclass Test([A-Z]\d+)\b", text))
            found.update(re.findall(rf"\b[{letters}]\d+\b", text))
    return found


@each_game
def test_a_page_has_the_parts_an_author_looks_for_and_fits_a_terminal(name: str) -> None:
    text = page(name)
    for heading in HEADINGS:
        assert f"\n## {heading}\n" in text
    asked = GAMES[name].decisions
    assert not asked or "\n## When a reply is missing or refused\n" in text
    assert text.split("\n## Three hints\n")[1].split("\n## ")[0].count("\n- **") == 3
    assert all(len(line) <= WIDEST for line in text.splitlines() if line[:1] != "|")


@each_decided
def test_every_decision_has_an_example_of_a_question_and_a_reply(name: str) -> None:
    for found in (asks(name), replies(name)):
        assert {decision for decision, _ in found} == {*GAMES[name].decisions}


@each_decided
def test_the_example_questions_and_replies_are_of_this_game(name: str) -> None:
    schemas = {decision: Draft202012Validator(of) for decision, of in GAMES[name].schemas().items()}
    fields = plain(cases_of(name)[0].new().view(0)).keys()
    for decision, move in replies(name):
        schemas[decision].validate(move)
    for decision, ask in asks(name):
        assert ask["decision"] == decision
        assert ask.get("view", {}).keys() <= fields
        for move in ask.get("legal", ()):
            schemas[decision].validate(move)


@each_game
def test_the_view_shown_has_every_field_in_its_order(name: str) -> None:
    shown = msgspec.json.decode(blocks(page(name).split("\n## What a bot sees\n")[1])[0])
    real = plain(cases_of(name)[0].new().view(0))
    assert list(shown) == list(real)


@each_game
def test_the_table_of_options_names_each_with_its_default(name: str) -> None:
    table = page(name).split("\n## Options\n")[1].split("\n## ")[0]
    rows = [[cell.strip(" `") for cell in line.split("|")] for line in table.splitlines()]
    defaults = {row[1]: row[3] for row in rows if len(row) > 4}
    options = msgspec.to_builtins(cases_of(name)[0].new().options)
    written = {
        option: value if isinstance(value, str) else msgspec.json.encode(value).decode()
        for option, value in options.items()
    }
    assert {option: defaults.get(option) for option in written} == written


@each_game
def test_worked_examples_have_names_of_their_own_and_tests_that_name_them(name: str) -> None:
    names = worked_examples(name)
    assert names
    assert len(names) == len(set(names))
    assert named_by_tests(name) == set(names)


def test_the_names_of_the_war_family_are_of_one_series() -> None:
    family = ("war", "pyanitsa", "tod_und_leben", "casino_war", "steal_war")
    names = Counter(example for name in family for example in worked_examples(name))
    assert {name for name, count in names.items() if count > 1} == {"H25"}  # each has its chance
    numbers = {letter: [int(n[1:]) for n in names if n[0] == letter] for letter in "TH"}
    assert all(sorted(of) == [*range(1, len(of) + 1)] for of in numbers.values())

"""Schemas of a careless or hostile game's program: refused in a line, and soon."""

import json
import re
from pathlib import Path
from shutil import copy
from typing import Any

import pytest

from protocol.errors import ArenaError
from referee.catalog.loading import find_game
from referee.program.forms import form_of, options_of
from referee.rules.pattern import MOST_TRIES, tries

NIM = Path(__file__).with_name("nim.py")


def _nested(depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "integer"}
    for _ in range(depth):
        schema = {"type": "array", "items": schema}
    return schema


PATTERNS = {
    "(": "pattern cannot be read",
    "a{99999999999}": "pattern cannot be read",
    "(" * 3000 + ")" * 3000: "cannot be read",
    "^(a|a)*$": "more than 1,000,000 ways",
    "^(a*)*b$": "more than 1,000,000 ways",
    r"^\d+\.?\d+!$": "give `maxLength`",
    "^((a{0,4096}){0,4096})$": "more than 1,000,000 ways",
    "[a-z]+!": "more than 1,000,000 ways",
    5: "must be a text",
}
FIELDS = [
    (_nested(450), "nested deeper than 64 levels"),
    ({"type": "integer", "description": 5}, "must be a text"),
    *(({"type": "string", "pattern": pattern}, said) for pattern, said in PATTERNS.items()),
]


@pytest.mark.parametrize(("schema", "said"), FIELDS)
def test_a_field_that_cannot_be_is_refused(schema: dict[str, Any], said: str) -> None:
    with pytest.raises(ArenaError, match=re.escape(said)):
        form_of("take", {"type": "object", "properties": {"x": schema}})
    if "levels" not in said:
        with pytest.raises(ArenaError, match=re.escape(said)):
            options_of("stones", {"x": {**schema, "default": "a" * 40 + "!"}})


@pytest.mark.parametrize(
    "pattern", ["^[a-h][1-8](q|r|b|n)?$", "^(NE|SW|A[0-9])+$", "[a-z]+", "^x*$", r"^\d+\.?\d+!$"]
)
def test_patterns_in_use_are_taken_and_a_longest_text_makes_one_quick(pattern: str) -> None:
    assert tries(pattern, 100) <= MOST_TRIES
    field = {"type": "string", "pattern": pattern}
    if pattern.endswith("!$"):  # refused without it, above
        field |= {"maxLength": 100}  # type: ignore[dict-item]
    form_of("take", {"type": "object", "properties": {"x": field}})


@pytest.mark.parametrize(
    ("pattern", "ways"),
    [
        *[("^a*b$", 11), ("a*b", 121), ("^a*", 1), ("a*", 11), ("^a{2,5}b$", 4), ("^ab.[c]x$", 1)],
        *[("^(ab|cd)x$", 1), ("^(a|ab)x$", 2), ("^(ab|Ac)$", 2), ("^(a|)b$", 2), ("^(a*b|c)$", 12)],
        *[("^(a|b|a*)x$", 13), ("^(a*){0,2}b$", 133), ("^(a*){1,2}b$", 132), ("^(a*)*", 10**6 + 1)],
        *[("^a*(?=b*c)$", 121), ("^(?!a*b)c$", 11), ("^(?>a*b)c$", 11), (r"(a)\1", 11)],
        *[("^(a)?(?(1)a|b)$", 10**6 + 1), ("^a{20,30}b$", 1), ("^(a{0,1}){20,30}$", 1)],
        ("(a*)*b", 10**6 + 1),
    ],
)
def test_the_ways_to_try_a_pattern_are_counted(pattern: str, ways: int) -> None:
    assert tries(pattern, 10) == ways


@pytest.mark.parametrize(
    ("name", "schema", "said"),
    [
        ("__init__", {"type": "integer", "default": 1}, "a letter first"),
        ("_x", {"type": "integer", "default": 1}, "a letter first"),
        ("x", {"type": "integer", "minimum": "a", "default": 1}, "must be an int or float"),
        ("x", {"type": {}, "default": 1}, "unhashable"),
        ("x", {"anyOf": 5, "default": 1}, "not iterable"),
    ],
)
def test_an_option_that_cannot_be_is_refused(name: str, schema: dict[str, Any], said: str) -> None:
    with pytest.raises(ArenaError, match=re.escape(said)):
        options_of("stones", {name: schema})
    with pytest.raises(ArenaError, match="`description` must be a text"):
        form_of("take", {"type": "object", "description": 5})


def test_a_program_with_such_a_schema_is_named(tmp_path: Path) -> None:
    copy(NIM, tmp_path / "game.py")
    field = {"type": "string", "pattern": "^(a|a)*$", "default": "a" * 40 + "!"}
    words = json.dumps(["{python}", "game.py", "about", json.dumps({"options": {"x": field}})])
    (tmp_path / "game.toml").write_text(f"command = {words}\n")
    with pytest.raises(ArenaError, match=r"game\.toml: what its program says: options\.x: the pat"):
        find_game(str(tmp_path))

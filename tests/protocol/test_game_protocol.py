"""The page of the game protocol against the protocol: its transcript, its fields, its limits."""

import json
import re
from typing import Any

from jsonschema import Draft202012Validator
from msgspec.json import schema as json_schema

from protocol.game_messages import (
    FROM_GAME,
    FROM_REFEREE,
    LINE_LIMIT,
    VERSION,
    AboutGame,
    GameState,
    game_message_schemas,
)
from referee.program.file import NOT_CODE, GameFile
from tests.protocol.regenerate_game_transcript import PAGE, transcript
from tests.protocol.regenerate_transcript import documented

TEXT = PAGE.read_text(encoding="utf-8")
SCHEMAS = game_message_schemas()
LINES = documented(PAGE).splitlines()
SENT = {kind.__struct_config__.tag: kind.__name__ for kind in FROM_REFEREE}
ANSWERED = {kind.__struct_config__.tag: kind.__name__ for kind in FROM_GAME}


def test_the_transcript_is_what_is_said_today() -> None:
    assert transcript().splitlines() == LINES, (
        "if the change is meant, run `python tests/protocol/regenerate_game_transcript.py`"
    )


def fits(name: str, line: str) -> bool:
    """Return whether a line is a message of a kind."""
    validator: Any = Draft202012Validator({**SCHEMAS, "$ref": f"#/$defs/{name}"})
    return bool(validator.is_valid(json.loads(line)))


def test_each_line_of_the_transcript_is_a_message_and_all_that_a_game_needs_are_there() -> None:
    told: dict[str, set[str]] = {"→": set(), "←": set()}
    for line in LINES:
        known = SENT if line.startswith("→ ") else ANSWERED
        tag = json.loads(line[2:])["type"]
        assert fits(known[tag], line[2:]), line
        told[line[0]].add(tag)
    assert told["→"] >= {"hello", "new", "apply", "view", "end"}
    assert told["←"] >= {"game", "state", "view"}


def rows(section: str) -> list[str]:
    """Return the names in the table of a section, which ends at the next heading."""
    return re.findall(r"^\| `(\w+)` \|", section.partition("\n#")[0], re.MULTILINE)


def listed(heading: str, text: str = TEXT) -> list[str]:
    return rows(text.partition(f"### `{heading}`\n")[2].partition("Each of")[0])


def test_the_page_lists_the_fields_of_what_is_sent_and_answered_and_of_an_ask() -> None:
    for tag, name in SENT.items():
        assert listed(tag) == [*SCHEMAS["$defs"][name]["properties"]], tag
    answers = TEXT.partition("## What it answers")[2]
    for kind in (AboutGame, GameState):
        tag = str(kind.__struct_config__.tag)
        assert listed(tag, answers) == ["type", *kind.__struct_fields__], tag
    assert listed("checked", answers) == ["type", "refused", "move"]
    asked = SCHEMAS["$defs"]["AskedSeat"]["properties"]
    assert rows(TEXT.partition("Each of `asks` has:")[2]) == [*asked]


def test_the_page_lists_the_keys_of_the_file_with_their_defaults() -> None:
    section = TEXT.partition("## The folder")[2].partition("\n## ")[0]
    rows = dict(re.findall(r"^\| `(\w+)` \|([^|]*)\|", section, re.MULTILINE))
    found = json_schema(GameFile)["$defs"]["GameFile"]["properties"]
    assert [*rows] == [*found]
    numbers = {key: each["default"] for key, each in found.items() if each.get("default")}
    assert {key: float(rows[key]) for key in numbers} == numbers
    for name in NOT_CODE - {"__pycache__"}:
        assert f"`{name}`" in section


def test_the_page_says_the_limits() -> None:
    assert f"{LINE_LIMIT:,} bytes" in TEXT
    assert f"# The game protocol, version {VERSION}\n" in TEXT

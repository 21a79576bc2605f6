"""The page of the game protocol against the protocol: its transcript, its fields, its limits."""

import json
import re
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from msgspec.json import schema as json_schema

from protocol.game_messages import (
    FROM_GAME,
    FROM_REFEREE,
    LINE_LIMIT,
    VERSION,
    AboutGame,
    CheckedMove,
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


def test_the_transcript_holds_what_every_game_needs() -> None:
    for arrow, names in (
        ("→ ", ("hello", "new", "apply", "view", "end")),
        ("← ", ("game", "state", "view")),
    ):
        known = SENT if arrow == "→ " else ANSWERED
        for name in names:
            told = [line[2:] for line in LINES if line.startswith(arrow)]
            assert any(fits(known[name], line) for line in told), name


def test_each_line_is_a_message() -> None:
    for line in LINES:
        known = SENT if line.startswith("→ ") else ANSWERED
        assert fits(known[json.loads(line[2:])["type"]], line[2:]), line


@pytest.mark.parametrize("tag", SENT)
def test_the_page_lists_the_fields_of_what_is_sent(tag: str) -> None:
    assert listed(tag) == [*SCHEMAS["$defs"][SENT[tag]]["properties"]]


def listed(heading: str, text: str = TEXT) -> list[str]:
    section = text.partition(f"### `{heading}`\n")[2].partition("\n#")[0].partition("Each of")[0]
    return re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)


@pytest.mark.parametrize("kind", [AboutGame, GameState, CheckedMove])
def test_the_page_lists_the_fields_of_what_is_answered(kind: Any) -> None:
    answers = TEXT.partition("## What it answers")[2]
    if kind is CheckedMove:
        section = answers.partition("### `checked`\n")[2].partition("\n#")[0]
        assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == ["type", "refused", "move"]
        return
    found = listed(str(kind.__struct_config__.tag), answers)
    assert found == ["type", *(field for field in kind.__struct_fields__)]


def test_the_page_lists_the_fields_of_an_ask() -> None:
    section = TEXT.partition("Each of `asks` has:")[2].partition("\n#")[0]
    fields = [*SCHEMAS["$defs"]["AskedSeat"]["properties"]]
    assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == fields


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

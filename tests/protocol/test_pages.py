"""The pages of the two protocols against them: their transcripts are played again, their fields."""

import json
import re
from collections.abc import Callable
from typing import Any, get_args

import pytest
from jsonschema import Draft202012Validator
from msgspec.json import schema as json_schema

from protocol import game_messages, lines, messages
from protocol.game_messages import FROM_GAME, FROM_REFEREE, AboutGame, GameState
from referee.limits import Limits
from referee.program.file import NOT_CODE, GameFile
from referee.sandbox.kinds import environment
from referee.turn.answer import Kind
from tests.protocol import regenerate_game_transcript as of_games
from tests.protocol import regenerate_transcript as of_bots
from tests.protocol.regenerate_transcript import documented

BOTS, GAMES = (each.PAGE.read_text(encoding="utf-8") for each in (of_bots, of_games))
SCHEMAS = messages.message_schemas()
GAME_SCHEMAS = game_messages.game_message_schemas()
SENT = {kind.__struct_config__.tag: kind.__name__ for kind in FROM_REFEREE}
ANSWERED = {kind.__struct_config__.tag: kind.__name__ for kind in FROM_GAME}


@pytest.mark.parametrize("module", [of_bots, of_games], ids=["bots", "games"])
def test_the_transcript_is_what_is_said_today(module: Any) -> None:
    assert module.transcript().splitlines() == documented(module.PAGE).splitlines(), (
        f"if the change is meant, run `.venv/bin/python -m {module.__name__}`"
    )


def fitting(schemas: dict[str, Any], name: str) -> Callable[[str], bool]:
    """Return what says whether a line of a transcript is a message of a kind."""
    validator: Any = Draft202012Validator({**schemas, "$ref": f"#/$defs/{name}"})
    return lambda line: bool(validator.is_valid(json.loads(line[2:])))


def rows(section: str) -> list[str]:
    """Return the names in the table of a section, which ends at the next heading."""
    return re.findall(r"^\| `(\w+)` \|", section.partition("\n#")[0], re.MULTILINE)


@pytest.mark.parametrize("name", ["Hello", "Ready", "Start", "Ask", "Reply", "End"])
def test_the_page_lists_the_fields_of_a_message_and_its_transcript_has_one(name: str) -> None:
    section = BOTS.partition(f"### `{name.lower()}`")[2]
    assert rows(section) == [*SCHEMAS["$defs"][name]["properties"]]
    assert any(map(fitting(SCHEMAS, name), documented(of_bots.PAGE).splitlines()))


def test_the_page_has_every_fault_every_variable_of_the_environment_and_the_limits() -> None:
    words = [
        *(f"| `{kind}` |" for kind in get_args(Kind)),
        *(f"`{name}" for name in environment("", Limits())),
        *(f"{lines.BOT_LINE_BYTES:,} bytes", f"{lines.DEPTH_LIMIT} levels"),
        f"{messages.NOTE_LIMIT:,} characters",
    ]
    assert [word for word in words if word not in BOTS] == []


@pytest.mark.parametrize("name", ["move_time", "bank", "increment", "startup", "faults_allowed"])
def test_the_page_gives_the_defaults_of_the_limits(name: str) -> None:
    default = getattr(Limits(sandbox="none"), name)
    assert re.search(rf"`{name}`[^|\n]* \(default {default:g}\)", " ".join(BOTS.split()))


def test_each_line_with_a_game_is_a_message_and_all_that_a_game_needs_are_there() -> None:
    told: dict[str, set[str]] = {"→": set(), "←": set()}
    for line in documented(of_games.PAGE).splitlines():
        tag = json.loads(line[2:])["type"]
        assert fitting(GAME_SCHEMAS, (SENT if line[0] == "→" else ANSWERED)[tag])(line), line
        told[line[0]].add(tag)
    assert told["→"] >= {"hello", "new", "apply", "view", "end"}
    assert told["←"] >= {"game", "state", "view"}


def listed(heading: str, text: str = GAMES) -> list[str]:
    return rows(text.partition(f"### `{heading}`\n")[2].partition("Each of")[0])


def test_the_page_of_games_lists_the_fields_of_what_is_sent_and_answered_and_of_an_ask() -> None:
    for tag, name in SENT.items():
        assert listed(tag) == [*GAME_SCHEMAS["$defs"][name]["properties"]], tag
    answers = GAMES.partition("## What it answers")[2]
    for kind in (AboutGame, GameState):
        tag = str(kind.__struct_config__.tag)
        assert listed(tag, answers) == ["type", *kind.__struct_fields__], tag
    assert listed("checked", answers) == ["type", "refused", "move"]
    asked = GAME_SCHEMAS["$defs"]["AskedSeat"]["properties"]
    assert rows(GAMES.partition("Each of `asks` has:")[2]) == [*asked]


def test_the_page_of_games_lists_the_keys_of_the_file_and_says_the_limits() -> None:
    section = GAMES.partition("## The folder")[2].partition("\n## ")[0]
    told = dict(re.findall(r"^\| `(\w+)` \|([^|]*)\|", section, re.MULTILINE))
    found = json_schema(GameFile)["$defs"]["GameFile"]["properties"]
    assert [*told] == [*found]
    numbers = {key: each["default"] for key, each in found.items() if each.get("default")}
    assert {key: float(told[key]) for key in numbers} == numbers
    for name in NOT_CODE - {"__pycache__"}:
        assert f"`{name}`" in section
    assert f"{game_messages.GAME_LINE_BYTES:,} bytes" in GAMES
    assert f"# The game protocol, version {game_messages.VERSION}\n" in GAMES

"""The page of the protocol against the protocol: its transcript is played again, line by line."""

import json
import re
from typing import Any, get_args

import pytest
from jsonschema import Draft202012Validator

from protocol.lines import DEPTH_LIMIT, LINE_LIMIT
from protocol.messages import NOTE_LIMIT, message_schemas
from referee.fault import Kind
from referee.limits import Limits
from referee.sandbox.kinds import environment
from tests.protocol.regenerate_transcript import PAGE, documented, transcript

TEXT = PAGE.read_text(encoding="utf-8")
SCHEMAS = message_schemas()
LINES = documented().splitlines()


def test_the_transcript_is_what_is_said_today() -> None:
    assert transcript().splitlines() == LINES, (
        "if the change is meant, run `.venv/bin/python tests/protocol/regenerate_transcript.py`"
    )


@pytest.mark.parametrize("name", ["Hello", "Ready", "Start", "Ask", "Reply", "End"])
def test_the_page_lists_the_fields_of_a_message_and_its_transcript_has_one(name: str) -> None:
    section = TEXT.partition(f"### `{name.lower()}`")[2].partition("\n#")[0]
    listed = re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)
    assert listed == [*SCHEMAS["$defs"][name]["properties"]]
    validator: Any = Draft202012Validator({**SCHEMAS, "$ref": f"#/$defs/{name}"})
    assert any(validator.is_valid(json.loads(line[2:])) for line in LINES)


def test_the_page_has_every_fault_every_variable_of_the_environment_and_the_limits() -> None:
    words = [
        *(f"| `{kind}` |" for kind in get_args(Kind)),
        *(f"`{name}" for name in environment("", Limits())),
        *(f"{LINE_LIMIT:,} bytes", f"{DEPTH_LIMIT} levels", f"{NOTE_LIMIT:,} characters"),
    ]
    assert [word for word in words if word not in TEXT] == []


@pytest.mark.parametrize("name", ["move_time", "bank", "increment", "startup", "faults_allowed"])
def test_the_page_gives_the_defaults_of_the_limits(name: str) -> None:
    default = getattr(Limits(sandbox="none"), name)
    assert re.search(rf"`{name}`[^|\n]* \(default {default:g}\)", " ".join(TEXT.split()))

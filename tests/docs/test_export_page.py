"""The page on exported leagues: its example does what it prints, and its tables hold every key."""

import os
import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from arena.archive import ExportedBot, FixedSettings, Header, MatchLine
from referee.fault import Fault
from referee.match import Evidence
from referee.replay import Replay

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "export.md").read_text(encoding="utf-8")
TABLES = {"header": Header, "settings": FixedSettings, "match": MatchLine, "replay": Replay}
TABLES["evidence"] = Evidence


def test_the_example_does_what_it_prints(tmp_path: Path) -> None:
    example = PAGE.split("```console\n", 1)[1].partition("```")[0]
    for part in example.split("$ arena ")[1:]:
        command, *lines = part.splitlines()
        done = subprocess.run(
            [sys.executable, "-m", "arena", *command.split()],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        )
        if lines:
            assert (done.stdout + done.stderr).splitlines() == lines
    assert "24 matches" in done.stdout


@pytest.mark.parametrize("name", TABLES)
def test_its_table_holds_every_key_in_order(name: str) -> None:
    _, found, after = PAGE.partition(f"| key of the {name} |")
    if not found:
        _, _, after = PAGE.partition(f"| key of a {name} |")
    rows = after.partition("\n\n")[0].splitlines()[2:]
    keys = [key for row in rows for key in re.findall(r"`(\w+)`", row.split("|")[1])]
    assert keys == [field.name for field in msgspec.structs.fields(TABLES[name])]


@pytest.mark.parametrize("kind", [ExportedBot, Fault])
def test_it_names_the_keys_of_small_objects(kind: type[msgspec.Struct]) -> None:
    names = [f"`{field.name}`" for field in msgspec.structs.fields(kind)]
    assert re.search("[^.|]*".join(names), PAGE)

"""The page on exported leagues: its tables hold every key."""

import re
from pathlib import Path

import msgspec
import pytest

from arena.archive.export import ExportedBot, FixedSettings, Header, MatchLine
from referee.evidence import Evidence
from referee.fault import Fault
from referee.replay import Replay

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "export.md").read_text(encoding="utf-8")
TABLES = {"header": Header, "settings": FixedSettings, "match": MatchLine, "replay": Replay}
TABLES["evidence"] = Evidence


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

"""Every setting of a league: written by hand, by `init` and by `grant`, read, stored and compared.

One case for each field of the structs, so that a new one is tried as soon as it is there.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from arena.cli import main
from arena.environment.settings import EnvironmentSettings
from arena.league.contest import HandIn
from arena.league.file import FILE, read_asked
from arena.league.plan import LeaguePlan
from arena.league.settings import Settings
from arena.store.opening import open_store, read_league
from arena.store.unchanged import check_unchanged
from arena.text import toml
from protocol.errors import ArenaError
from referee.door import DoorTerms
from referee.limits import Grant, Limits, MatchLimits, WorkLimits

URL = "http://localhost:18999"
ENTRY = f"POST {URL}/v1/chat/completions"
HEAD = 'game = "guerra"\nseed = "a seed of some length"\ndeals = 1\n'
BOTS = "".join(f'\n[[bot]]\nname = "{name}"\nshipped = "random"\n' for name in ("one", "two"))
SPECIAL: Mapping[str, Any] = {
    "door": [ENTRY],
    "devices": ["nvidia"],
    "tools": ["/opt"],
    "hook": ["true"],
    "allow": [ENTRY, f"GET {URL}/v1/models"],
    "shared": [f"GET {URL}/v1/models"],
    "keys": {URL: "SOME_KEY"},
    "bot_keys": {"one": {URL: "SOME_KEY"}},
    "headers": {URL: "x-api-key: {key}"},
    "prices": {"model-x": {"input": 2.5, "output": 10.0}},
    "grants": {"memory_mb": 700},
    "move_time": 7.5,
    "game": "khan",
    "seats": 3,
    "matches": 40,
    "matches_per_bot": 40,
    "share": 0.5,
    "seed": "another seed",
    "anchor": {"one": 1500.0},
}
"""Values of fields whose types say too little."""
BESIDE: Mapping[str, Mapping[str, Any]] = {
    "devices": {"sandbox": "bwrap"},
    "door": {"pace": "slow"},
    "headers": {"keys": {URL: "SOME_KEY"}},
    "spend": {"prices": SPECIAL["prices"]},
    "final_deals": {"closes": "2030-01-01T00:00:00Z"},
    "remote": {"pace": "slow"},
}
"""What a field needs beside it."""
TABLES = {
    "limits": Limits,
    "build": WorkLimits,
    "environments": EnvironmentSettings,
    "door": DoorTerms,
    "hand_in": HandIn,
}


def cases(kind: type[msgspec.Struct]) -> Iterator[tuple[str, Any]]:
    """Yield each field of a struct with a value that is not its usual one."""
    for field in msgspec.structs.fields(kind):
        name = field.encode_name
        value = SPECIAL.get(name)
        if value is None:
            value = other(msgspec.inspect.type_info(field.type), field.default)
        yield name, value


def other(info: Any, default: Any) -> Any:
    """Return a value of a type that is not the default."""
    if isinstance(info, msgspec.inspect.Metadata):
        info = info.type
    if isinstance(info, msgspec.inspect.UnionType):
        info = next(each for each in info.types if not isinstance(each, msgspec.inspect.NoneType))
    match info:
        case msgspec.inspect.BoolType():
            return default is not True
        case msgspec.inspect.LiteralType():
            return next(each for each in info.values if each != default)
        case msgspec.inspect.IntType():
            return max((default or 0) + 1, info.ge or 0)
        case msgspec.inspect.FloatType():
            return (default or 0.0) + 0.5
        case msgspec.inspect.DateTimeType():
            return "2030-01-01T00:00:00Z"
    raise AssertionError(f"say in SPECIAL what {info} may be")


def of_table(table: str, values: Mapping[str, Any], door: str) -> str:
    lines = "".join(f"{name} = {toml(value)}\n" for name, value in values.items())
    return f"{HEAD}\n[{table}]\n{lines}{door}{BOTS}"


OF_TABLES = [
    (table, *case)
    for table, kind in TABLES.items()
    for case in cases(kind)
    if case[0] != "remote"  # which only a bot has
]


@pytest.mark.parametrize(("table", "name", "value"), OF_TABLES, ids=lambda each: str(each)[:30])
def test_every_key_is_read_as_it_was_written_and_binds_if_it_decides_matches(
    tmp_path: Path, table: str, name: str, value: Any
) -> None:
    values = {**BESIDE.get(name, {}), name: value}
    if table == "door":
        values = {"allow": SPECIAL["allow"], **values}
    needs_door = "door" in values
    door = f"\n[door]\nallow = {toml([ENTRY])}\n" if needs_door else ""
    (tmp_path / FILE).write_text(of_table(table, values, door))
    plan = read_league(tmp_path)
    found = getattr(plan, table, None) or getattr(read_asked(tmp_path), table)
    assert as_read(name, getattr(found, name)) == as_read(name, value)
    with open_store(plan, create=True) as store:
        store.settings.keep(plan.conditions())
        check_unchanged(read_league(tmp_path), store)
        if table != "limits" or name not in MatchLimits.__struct_fields__:
            return
        (tmp_path / FILE).write_text(of_table(table, without(values, name), ""))
        with pytest.raises(ArenaError) as refused:
            check_unchanged(read_league(tmp_path), store)
        said = str(refused.value)
        assert f"[limits] had {name} = " in said or f"[limits] had {min(values)} = " in said
        before, after = said.partition(" = ")[2].split(", not ", 1)
        assert before != after.split(",")[0]


def without(values: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in values.items() if key != name and key != "pace"}


def as_read(name: str, value: Any) -> Any:
    found = json.loads(msgspec.json.encode(value))
    return found[:10] if name in HandIn.__struct_fields__ and isinstance(found, str) else found


@pytest.mark.parametrize(("name", "value"), [case for case in cases(Settings) if case[0] != "game"])
def test_every_setting_can_be_set_by_init(tmp_path: Path, name: str, value: Any) -> None:
    words = [f"--{name.replace('_', '-')}"]
    if name == "anchor":
        words += ["one=1500"]
    elif value is not True:
        words += [word(value)]
    bots = (f"{bot}=random" for bot in ("one", "two", "three"))
    made = CliRunner().invoke(
        main, ["init", str(tmp_path / "cup"), "--game", "khan", *bots, *words]
    )
    assert made.exit_code == 0, made.output
    assert getattr(read_league(tmp_path / "cup").settings, name) == value


@pytest.mark.parametrize(
    ("name", "value"),
    [case for case in cases(Limits) if case[0] != "remote"],
    ids=lambda each: str(each)[:30],
)
def test_every_limit_can_be_set_by_init(tmp_path: Path, name: str, value: Any) -> None:
    values = {**BESIDE.get(name, {}), name: value}
    words = [
        part
        for key, each in values.items()
        for part in (
            ("--sandbox", each) if key == "sandbox" else ("--limit", f"{key}={word(each)}")
        )
    ]
    made = CliRunner().invoke(
        main,
        ["init", str(tmp_path / "cup"), "--game", "guerra", "random", "rusher", *words],
    )
    assert made.exit_code == 0, made.output
    found = read_league(tmp_path / "cup").limits
    assert as_read(name, getattr(found, name)) == as_read(name, value)


@pytest.mark.parametrize(
    ("name", "value"),
    [case for case in cases(Grant) if case[0] != "remote"],
    ids=lambda each: str(each)[:30],
)
def test_every_grant_is_read_back(tmp_path: Path, name: str, value: Any) -> None:
    pace = 'limits = { pace = "slow" }\n' if name == "door" else ""
    door = f"\n[door]\nallow = {toml([ENTRY])}\n" if name == "door" else ""
    (tmp_path / FILE).write_text(f"{HEAD}{pace}{door}{BOTS}")
    words = [
        f"{key}={word(each)}"
        for key, each in {**BESIDE.get(name, {}), name: value}.items()
        if key != "pace"
    ]
    given = CliRunner().invoke(main, ["grant", str(tmp_path), "one", *words])
    assert given.exit_code == 0, given.output
    found: LeaguePlan = read_league(tmp_path)
    assert as_read(name, getattr(found.bots[0].grant, name)) == as_read(name, value)


def word(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)

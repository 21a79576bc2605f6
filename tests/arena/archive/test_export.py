"""Leagues exported and imported: the same bytes again, or refused with the line and the reason."""

import json
import os
import re
import shutil
import sqlite3
import subprocess
import tempfile
from contextlib import closing
from copy import deepcopy
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from arena.archive.export import Header, MatchLine, exported
from arena.archive.merge import import_files
from arena.store.store import Store
from protocol.errors import RunError
from tests.arena.conftest import ARENA, ROOT, Arena, files_no_larger_than, ordinary_user
from tests.arena.store.test_store import refused
from tests.golden import Golden
from tests.referee.process_watch import until

Line = dict[str, Any]
MATCH_ID = re.compile(r"[0-9a-f]{16}-\d")

pytestmark = pytest.mark.usefixtures("inline")


def bytes_of(folder: Path) -> bytes:
    return b"".join(exported(folder))


def lines_of(folder: Path) -> tuple[Line, list[Line]]:
    header, *matches = map(json.loads, exported(folder))
    return header, matches


def write(path: Path, *lines: Line) -> Path:
    path.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
    return path


def merge(folder: Path, *files: Path) -> tuple[int, int]:
    merged = import_files(folder, files, lambda _: None)
    return merged.added, merged.known


@pytest.fixture(scope="session")
def export(played: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The exported league of the fixture `played`; not to be changed."""
    file = tmp_path_factory.mktemp("export") / "played.jsonl"
    file.write_bytes(bytes_of(played))
    return file


@pytest.fixture
def empty(played: Path, tmp_path: Path) -> Path:
    """A league with the file of `played`, of which nothing was played."""
    return unplayed(played, tmp_path / "empty")


def unplayed(played: Path, folder: Path) -> Path:
    folder.mkdir()
    shutil.copy(played / "league.toml", folder)
    return folder


@given(data=st.data())
@settings(max_examples=4)
def test_any_two_parts_in_any_order_make_the_whole(
    played: Path, export: Path, data: st.DataObject
) -> None:
    first, *matches = export.read_bytes().splitlines(keepends=True)
    where = data.draw(st.lists(st.sampled_from(["one", "two", "both"]), min_size=12, max_size=12))
    parts = [
        data.draw(st.permutations([m for m, at in zip(matches, where, strict=True) if at != other]))
        for other in ("one", "two")
    ]
    with tempfile.TemporaryDirectory() as home:
        whole = unplayed(played, Path(home, "whole"))
        for number, part in enumerate(data.draw(st.permutations(parts))):
            file = Path(home, f"{number}.jsonl")
            header = first.replace(b'"matches":12', b'"matches":%d' % len(part))
            file.write_bytes(header + b"".join(part))
            merge(whole, file)
        assert bytes_of(whole) == export.read_bytes()


def test_what_left_is_exported_too_and_told_and_bots_as_they_were_called_when_they_entered(
    copy: Path, export: Path, empty: Path, arena: Arena
) -> None:
    for folder in (copy, empty):
        file = folder / "league.toml"
        text = file.read_text().partition('\n[[bot]]\nname = "illegal"')[0]
        file.write_text(text.replace('name = "one"', 'name = "new"\nkey = "one"'))
    assert bytes_of(copy) == export.read_bytes()
    file.write_text(file.read_text().replace('shipped = "rusher"', 'shipped = "sensible"'))
    result = arena("import", empty, "-", typed=export.read_text())
    assert result.stdout == "12 matches imported.\n"
    assert "illegal, version " in result.stderr
    assert "two, version " in result.stderr
    assert "one, version " not in result.stderr


def test_lines_fit_the_schema_however_written(export: Path, empty: Path, tmp_path: Path) -> None:
    header, *matches = map(json.loads, export.read_text().splitlines())
    Draft202012Validator(msgspec.json.schema(Header)).validate(header)
    fits = Draft202012Validator(msgspec.json.schema(MatchLine))
    for match in matches:
        fits.validate(match)
    spaced = tmp_path / "spaced.jsonl"
    spaced.write_text("\n\n".join(json.dumps(line, sort_keys=True) for line in (header, *matches)))
    assert merge(empty, spaced) == (12, 0)


def without_illegal(export: Path, path: Path) -> Path:
    header, *matches = map(json.loads, export.read_text().splitlines())
    header["bots"] = [bot for bot in header["bots"] if bot["name"] != "illegal"]
    known = [m for m in matches if all(bot["name"] != "illegal" for bot in m["bots"])]
    return write(path, header | {"matches": len(known)}, *known)


def test_a_league_of_bots_that_come_along_is_made(
    export: Path, tmp_path: Path, arena: Arena
) -> None:
    file = without_illegal(export, tmp_path / "part.jsonl")
    made = tmp_path / "new" / "made"
    result = arena("import", made, file)
    assert result.stdout == "4 matches imported.\n"
    assert result.stderr.startswith(f"{made / 'league.toml'} is written: 2 deals and all bots")
    assert bytes_of(made) == file.read_bytes()
    assert sorted(path.name for path in made.iterdir()) == ["league.db", "league.toml"]
    assert [path.name for path in made.parent.iterdir()] == ["made"]
    assert "missing" not in arena("rank", made).stdout
    assert "Nothing is missing" in arena("run", made).stderr


def test_no_league_is_made_of_what_does_not_make_one(export: Path, tmp_path: Path) -> None:
    message = refused(lambda: merge(tmp_path / "made", export))
    assert "illegal are not bundled with this arena, or not in that version. Put a" in message
    file = without_illegal(export, tmp_path / "part.jsonl")
    file.write_bytes(file.read_bytes()[:-5])
    assert f"{file}:5: the file was cut off" in refused(lambda: merge(tmp_path / "made", file))
    without_illegal(export, file)
    header, *matches = map(json.loads, file.read_text().splitlines())
    header["settings"]["seed"] = "2"
    other = write(tmp_path / "other.jsonl", header, *matches)
    message = refused(lambda: merge(tmp_path / "made", file, other))
    assert message.startswith(f"{other}:1: matches of another league: in {file} seed was ")
    header["bots"][0]["command"].insert(0, "nice")
    write(other, header, *matches)
    assert "of the same version" in refused(lambda: merge(tmp_path / "made", other))
    header["settings"]["options"]["max_turns"] = 0
    write(other, header, *matches)
    message = refused(lambda: merge(tmp_path / "made", other))
    assert message.startswith(f"{other}:1: option 'max_turns' of guerra cannot be 0")
    assert sorted(tmp_path.iterdir()) == [other, file]


def measured_anew(line: Line) -> None:
    """Change what another machine would have measured."""
    line["evidence"]["cpu"] = [1000 + cpu for cpu in line["evidence"]["cpu"]]
    asked = [wall > 0 for wall in line["evidence"]["wall"]]
    seats = [entry[0] for entry in line["replay"]["entries"]]
    for seat, clock in enumerate(line["clock"]):
        own = zip(asked, seats, line["evidence"]["cpu"], strict=True)
        times = [cpu for was_asked, at, cpu in own if was_asked and at == seat]
        clock[:3] = [len(times), sum(times), max(times, default=0)]
    line |= {"seconds": 9.5, "played_at": "2030-01-01T00:00:00+00:00", "machine": "other"}
    for entry in line["replay"]["entries"]:
        entry[3] = "a note"


def test_other_measurements_are_no_other_match_and_the_first_ones_stay(
    copy: Path, export: Path, empty: Path, tmp_path: Path
) -> None:
    header, *matches = map(json.loads, export.read_text().splitlines())
    for match in matches:
        measured_anew(match)
    file = write(tmp_path / "elsewhere.jsonl", header, *matches)
    assert merge(empty, file) == (12, 0)
    assert merge(copy, file) == (0, 12)
    assert bytes_of(copy) == export.read_bytes()


def test_a_match_that_differs_imports_nothing(empty: Path, export: Path, tmp_path: Path) -> None:
    header, *matches = map(json.loads, export.read_text().splitlines())
    at = next(at for at, match in enumerate(matches) if at > 2 and "scores" in match)
    merge(empty, write(tmp_path / "first.jsonl", header | {"matches": 1}, matches[at]))
    before = bytes_of(empty)
    other_places = [3 - place for place in matches[at]["places"]]
    for key, value in {"places": other_places, "scores": [1, 2]}.items():
        forged = deepcopy(matches)
        for line in (forged[at], forged[at]["replay"]):
            line[key] = value
        second = write(tmp_path / "second.jsonl", header, *forged)
        message = refused(lambda file=second: merge(empty, file))
        known = f"match {matches[at]['match']} is in the league already, and {key!r} differs."
        assert message.startswith(f"{second}:{at + 2}: {known}")
        assert bytes_of(empty) == before


def test_a_file_of_wrong_length_imports_nothing(empty: Path, export: Path, tmp_path: Path) -> None:
    file = tmp_path / "bad.jsonl"
    for kept in (1, 7, 12):
        file.write_bytes(b"".join(export.read_bytes().splitlines(keepends=True)[:kept]))
        message = refused(lambda: merge(empty, file))
        assert message.startswith(f"{file}:{kept}: the file ends after {kept - 1} of 12 matches")
    file.write_bytes(export.read_bytes() + b"nothing\n")
    assert f"{file}:14: not JSON: " in refused(lambda: merge(empty, export, file))
    assert [path.name for path in empty.iterdir()] == ["league.toml"]


OTHER: dict[str, list[tuple[str, Any]]] = {
    "": [
        *(("places", [9, 9]), ("scores", [1, 2]), ("scores", None), ("numbers", {"x": 1})),
        *(("reason", "luck"), ("decisions", 1), ("faults", [{"late": 1}, {}]), ("moves", "0" * 16)),
        *(("forfeits", [0, 1]), ("clock", [[1, 1, 1]] * 2), ("deal", 77), ("rotation", 7)),
        *(("match", "0" * 16 + "-0"), ("match", "x"), ("reason", None), ("deal", "1")),
        *(("scores", [1e300, 2]), ("deal", 10**30), ("seconds", -1), ("more", 1)),
        ("played_at", "yesterday"),
        *(("bots", lambda bots: bots[::-1]), ("bots", lambda bots: bots[:1])),
        ("bots", lambda bots: [bots[0] | {"name": "x", "version": "0" * 16}, bots[1]]),
    ],
    "replay": [
        *(("seed", "0"), ("options", {}), ("game", "war"), ("places", [2, 2]), ("scores", [1])),
        ("entries", lambda entries: [[-1, *entries[0][1:]], *entries[1:]]),
        ("entries", lambda entries: [[entries[0][0], {}, *entries[0][2:]], *entries[1:]]),
        ("more", 1),
    ],
    "evidence": [("cpu", []), ("stderr", []), ("burners", [2])],
}
"""What a line of a match has not, by part and key: None is a key less, or it is made of what is."""


def edited(line: Line, part: str, key: str, value: Any) -> Line:
    line = deepcopy(line)
    own = line[part] if part else line
    own[key] = value(own[key]) if callable(value) else value
    if value is None:
        del own[key]
    return line


def test_a_line_that_was_edited_is_refused(
    export: Path, empty: Path, tmp_path: Path, golden: Golden
) -> None:
    header, *matches = map(json.loads, export.read_text().splitlines())
    scored = next(match for match in matches if "scores" in match)
    file = tmp_path / "edited.jsonl"
    told = []
    for part, key, value in [(part, *other) for part, others in OTHER.items() for other in others]:
        write(file, header, edited(scored, part, key, value))
        said = refused(lambda: merge(empty, file))
        assert said.startswith(f"{file}:2: ")
        told.append(f"{part} {key}: {said.removeprefix(f'{file}:2: ')}")
        assert not (empty / "league.db").exists()
    golden(MATCH_ID.sub("ID", "\n".join(told)))


def test_a_file_that_is_no_exported_league_is_refused(
    export: Path, empty: Path, tmp_path: Path, golden: Golden
) -> None:
    whole = export.read_text()
    head, match, *_ = whole.splitlines(keepends=True)
    bots = json.loads(head)["bots"]
    bad = {
        "empty": "",
        "a number": "7\n",
        "packed": "\x1f\udc8b\x08\0\n",
        "marked": f"\ufeff{whole}",
        "deep": "[" * 100_000,
        "no text": "\0\udcff\n",
        "results": '{"places": {"a": 1, "b": 2}}\n',
        "CSV": "match,deal,bot,place\n",
        "no header": match,
        "newer": head.replace('"version":1', '"version":2', 1),
        "version 0": head.replace('"version":1', '"version":0', 1),
        "more settings": head.replace('"settings":{', '"settings":{"x":1,'),
        "a bot twice": json.dumps(json.loads(head) | {"bots": bots * 2}),
        "a bad name": head.replace('"name":"one"', '"name":"\\u001b[2J"'),
        "cut off": whole[:-9],
        "not JSON": f"{head}{{]\n",
        "a match twice": whole + match,
        "two headers": whole * 2,
        "another league": head.replace('"seed":"1"', '"seed":"2"'),
    }
    told = []
    file = tmp_path / "bad.jsonl"
    for kind, content in bad.items():
        file.write_text(content, errors="surrogateescape")
        said = refused(lambda: merge(empty, file))
        assert said.startswith(str(file))
        told.append(f"{kind}: {said.removeprefix(str(file))}")
        assert not (empty / "league.db").exists()
    golden(MATCH_ID.sub("ID", "\n".join(told)))


def test_settings_that_changed_since_the_league_was_played_are_told(
    copy: Path, export: Path
) -> None:
    file = copy / "league.toml"
    file.write_text(file.read_text().replace("seed = 1", "seed = 2"))
    said = refused(lambda: merge(copy, export))
    assert 'league.toml: seed was "1", not "2", when the first match was played.' in said


def test_a_folder_nothing_or_a_file_that_may_not_be_read_is_told(empty: Path, public: Path) -> None:
    assert f"{public} is a folder; `arena export " in refused(lambda: merge(empty, public))
    assert "there is no file 'nothing'" in refused(lambda: merge(empty, Path("nothing")))
    file = public / "export.jsonl"
    file.touch(0)
    with ordinary_user():
        said = refused(lambda: merge(public / "league", file))
    assert said == f"{file} cannot be read: Permission denied."


def test_an_export_is_written_whole_or_not_at_all_and_over_a_file_only_when_asked(
    played: Path, export: Path, tmp_path: Path, arena: Arena
) -> None:
    file = tmp_path / "out.jsonl"
    with files_no_larger_than(9000):
        result = arena("export", played, file)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == f"arena: {file} cannot be written: File too large.\n"
    assert list(tmp_path.iterdir()) == []
    file.write_text("mine")
    result = arena("export", played, file)
    assert (result.exit_code, file.read_text()) == (2, "mine")
    assert "--force" in result.stderr
    told = arena("export", played, file, "--force").stderr
    assert told == f"{file} is written: 12 matches.\n"
    assert file.read_bytes() == export.read_bytes()
    assert list(tmp_path.iterdir()) == [file]


def test_a_full_disk_leaves_the_league_as_it_was(empty: Path, export: Path, tmp_path: Path) -> None:
    header, *matches = map(json.loads, export.read_text().splitlines())
    merge(empty, write(tmp_path / "part.jsonl", header | {"matches": 1}, matches[0]))
    before = bytes_of(empty)
    with files_no_larger_than((empty / "league.db").stat().st_size):
        refused(lambda: merge(empty, export), RunError)
    assert bytes_of(empty) == before
    assert merge(empty, export) == (11, 1)


def test_a_reader_that_dawdles_keeps_no_writer_waiting(copy: Path) -> None:
    lines = exported(copy)
    next(lines)
    next(lines)
    with closing(sqlite3.connect(copy / "league.db", timeout=0)) as db, db:
        db.execute("DELETE FROM setting")
    assert len(list(lines)) == 11


def test_a_killed_import_leaves_all_as_it_was(empty: Path, export: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    process = subprocess.Popen([*ARENA, "import", str(empty), str(pipe)], cwd=ROOT)
    with pipe.open("wb") as stream:
        stream.write(export.read_bytes()[:-9])
        stream.flush()
        until((empty / "league.db").exists)
        process.kill()
        process.wait(10)
    with Store(empty / "league.db", create=True) as store:
        assert store.count() == 0
    assert merge(empty, export) == (12, 0)

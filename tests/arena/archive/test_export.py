"""Leagues exported and imported: the same bytes again, or refused with the line and the reason."""

import json
import os
import re
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable
from contextlib import closing
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
from protocol.errors import ArenaError, RunError
from tests.arena.conftest import (
    ARENA,
    ROOT,
    STEADY,
    TWO_BOTS,
    Arena,
    League,
    files_no_larger_than,
    ordinary_user,
)
from tests.referee.process_watch import until

Line = dict[str, Any]

FILE = """\
game = "guerra"
seed = 1
deals = 2
options.max_turns = 20
limits = { sandbox = "none" }
"""


def bytes_of(folder: Path) -> bytes:
    """Return what `arena export` writes of a league."""
    return b"".join(exported(folder))


def lines_of(folder: Path) -> tuple[Line, list[Line]]:
    """Return the header and the matches of a league as they are exported."""
    header, *matches = map(json.loads, exported(folder))
    return header, matches


def write(path: Path, *lines: Line) -> Path:
    """Write a file as an export has it."""
    path.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
    return path


def merge(folder: Path, *files: Path) -> tuple[int, int]:
    """Import files; return how many matches were new, and how many known."""
    merged = import_files(folder, files, lambda _: None)
    return merged.added, merged.known


def refused(act: Callable[[], object], kind: type[ArenaError] = ArenaError) -> str:
    """Return the message of the error, which is one line."""
    with pytest.raises(ArenaError) as caught:
        act()
    assert type(caught.value) is kind
    assert "\n" not in str(caught.value)
    return str(caught.value)


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
    """Make a league of the file of another one."""
    folder.mkdir()
    shutil.copy(played / "league.toml", folder)
    return folder


# --- the round trip

_OF_TIMING = re.compile(r"^(?:Before a run on|How quiet the machine)", re.MULTILINE)
"""How the note begins, last of all, on the machine that played: an export does not say."""


@pytest.mark.slow
def test_an_imported_league_exports_the_same_bytes_and_shows_the_same(
    played: Path, export: Path, empty: Path, arena: Arena
) -> None:
    assert merge(empty, export) == (12, 0)
    assert bytes_of(empty) == export.read_bytes()
    _, matches = lines_of(played)
    shown = [("show", match["match"]) for match in matches]
    for command, *words in (("rank", "--times", "--faults"), ("matches",), *shown):
        before, after = (arena(command, folder, *words) for folder in (played, empty))
        assert before.exit_code == after.exit_code == 0, after.output
        told = [_OF_TIMING.split(result.stdout)[0] for result in (before, after)]
        assert told[0] == told[1]


@given(data=st.data())
@settings(max_examples=25)
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


def test_parts_played_apart_make_the_league_that_was_played_whole(tmp_path: Path) -> None:
    one, two, three = (
        f'[[bot]]\nname = "{name}"\nshipped = "{name}"\n'
        for name in ("random", "rusher", "sensible")
    )
    leagues = {}
    parts = {"whole": one + two + three, "a": one + two, "b": three + one}
    for name, bots in parts.items():
        leagues[name] = League(tmp_path / name)
        leagues[name].write(FILE + bots)
        leagues[name].call("run", "--workers", "1")
    joined = League(tmp_path / "joined")
    joined.write(FILE + one + two + three)
    for name in "ba":
        file = tmp_path / f"{name}.jsonl"
        file.write_bytes(bytes_of(leagues[name].folder))
        assert merge(joined.folder, file) == (4, 0)
    joined.call("run", "--workers", "1")
    assert joined.stored() == leagues["whole"].stored()
    assert joined.rank() == leagues["whole"].rank()


def test_what_left_the_league_is_exported_too(copy: Path, export: Path) -> None:
    file = copy / "league.toml"
    file.write_text(file.read_text().partition('\n[[bot]]\nname = "illegal"')[0])
    assert bytes_of(copy) == export.read_bytes()


def test_bots_are_called_as_when_they_entered(copy: Path, export: Path, empty: Path) -> None:
    for folder in (copy, empty):
        file = folder / "league.toml"
        file.write_text(file.read_text().replace('name = "one"', 'name = "new"\nkey = "one"'))
    assert bytes_of(copy) == export.read_bytes()
    assert import_files(empty, [export], lambda _: None).strangers == ()


def test_bots_that_the_file_does_not_name_are_told(export: Path, empty: Path, arena: Arena) -> None:
    file = empty / "league.toml"
    file.write_text(file.read_text().replace('shipped = "rusher"', 'shipped = "sensible"'))
    result = arena("import", empty, export)
    assert result.stdout == "12 matches imported.\n"
    assert "two, version " in result.stderr
    assert "one, version " not in result.stderr


def test_lines_may_be_written_otherwise(export: Path, empty: Path, tmp_path: Path) -> None:
    lines = map(json.loads, export.read_text().splitlines())
    spaced = tmp_path / "spaced.jsonl"
    spaced.write_text("\n\n".join(json.dumps(line, sort_keys=True) for line in lines))
    merge(empty, spaced)
    assert len(lines_of(empty)[1]) == 12


def test_every_line_fits_the_schema(played: Path) -> None:
    header, matches = lines_of(played)
    Draft202012Validator(msgspec.json.schema(Header)).validate(header)
    fits = Draft202012Validator(msgspec.json.schema(MatchLine))
    for match in matches:
        fits.validate(match)


# --- a league that is not there


def without_illegal(export: Path, path: Path) -> Path:
    """Write the part of the export in which only bundled bots play."""
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


def test_a_league_of_other_bots_is_not_made(export: Path, tmp_path: Path) -> None:
    message = refused(lambda: merge(tmp_path / "made", export))
    assert "illegal are not bundled with this arena, or not in that version. Put a" in message
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_exports_of_two_games_make_no_league(tmp_path: Path) -> None:
    files = []
    for game in ("guerra", "cold_war"):
        league = League(tmp_path / game)
        seats = f'game = "{game}"\n' + FILE.partition("\n")[2].replace(
            "options.max_turns = 20\n", ""
        )
        league.write(
            seats.replace("deals = 2", "deals = 1")
            + "".join(f'[[bot]]\nname = "{name}"\nshipped = "random"\n' for name in "abcd")
        )
        league.call("run")
        files.append(tmp_path / f"{game}.jsonl")
        files[-1].write_bytes(bytes_of(league.folder))
    message = refused(lambda: merge(tmp_path / "new", *files))
    assert message.startswith(f"{files[1]}:1: matches of another league: in {files[0]} game was ")
    assert not (tmp_path / "new").exists()


def test_a_league_is_made_whole_or_not_at_all(export: Path, tmp_path: Path) -> None:
    file = without_illegal(export, tmp_path / "part.jsonl")
    file.write_bytes(file.read_bytes()[:-5])
    assert f"{file}:5: the file was cut off" in refused(lambda: merge(tmp_path / "made", file))
    assert list(tmp_path.iterdir()) == [file]


# --- what is known already


def test_matches_that_are_known_are_passed_over_and_counted(
    copy: Path, export: Path, arena: Arena
) -> None:
    result = arena("import", copy, export)
    assert result.stdout == "0 matches imported; 12 were there already.\n"
    assert bytes_of(copy) == export.read_bytes()


def measured_anew(line: Line) -> None:
    """Change what another machine would have measured."""
    line["evidence"]["cpu"] = [1000 + cpu for cpu in line["evidence"]["cpu"]]
    asked = [wall > 0 for wall in line["evidence"]["wall"]]
    seats = [entry[0] for entry in line["replay"]["entries"]]
    for seat, clock in enumerate(line["clock"]):
        own = zip(asked, seats, line["evidence"]["cpu"], strict=True)
        times = [cpu for was_asked, at, cpu in own if was_asked and at == seat]
        clock[:] = [len(times), sum(times), max(times, default=0)]
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


def test_a_match_that_was_played_otherwise_is_refused_and_nothing_imported(
    empty: Path, export: Path, tmp_path: Path
) -> None:
    header, *matches = map(json.loads, export.read_text().splitlines())
    first = write(tmp_path / "first.jsonl", header | {"matches": 1}, matches[5])
    merge(empty, first)
    before = bytes_of(empty)
    for lines in (matches[5], matches[5]["replay"]):
        lines["places"] = [3 - place for place in lines["places"]]
    second = write(tmp_path / "second.jsonl", header, *matches)
    message = refused(lambda: merge(empty, second))
    known = f"match {matches[5]['match']} is in the league already, and 'places' differs."
    assert message.startswith(f"{second}:7: {known}")
    assert bytes_of(empty) == before


@pytest.mark.parametrize("kept", [1, 7, 12])
def test_a_file_that_ends_too_early_is_refused_though_its_lines_are_whole(
    empty: Path, export: Path, tmp_path: Path, kept: int
) -> None:
    file = tmp_path / "cut.jsonl"
    file.write_bytes(b"".join(export.read_bytes().splitlines(keepends=True)[:kept]))
    message = refused(lambda: merge(empty, file))
    assert message.startswith(f"{file}:{kept}: the file ends after {kept - 1} of 12 matches")
    assert [path.name for path in empty.iterdir()] == ["league.toml"]


def test_of_several_files_all_are_imported_or_none(
    empty: Path, export: Path, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_bytes(export.read_bytes() + b"nothing\n")
    assert f"{bad}:14: not JSON: " in refused(lambda: merge(empty, export, bad))
    assert [path.name for path in empty.iterdir()] == ["league.toml"]


# --- lines that were edited


def first_decision(line: Line) -> list[Any]:
    """Return the entry of the first decision."""
    found: list[Any] = line["replay"]["entries"][0]
    return found


EDITS: dict[str, tuple[Callable[[Line], object], str]] = {
    "places": (lambda line: line["places"].reverse(), "'places' is not what its replay says"),
    "no places": (lambda line: line["replay"].update(places=[2, 2]), "is not that of a match"),
    "scores": (lambda line: line.update(scores=[1, 2]), "'scores' is not what its replay says"),
    "a score": (lambda line: line["replay"].update(scores=[1]), "not that of a match"),
    "a huge score": (lambda line: line.update(scores=[1e300, 2]), "not what `arena export` writes"),
    "numbers": (lambda line: line.update(numbers={"x": 1}), "'numbers' is not what its replay"),
    "reason": (lambda line: line.update(reason="luck"), "'reason' is not what its replay says"),
    "decisions": (lambda line: line.update(decisions=1), "'decisions' is not what its replay says"),
    "faults": (
        lambda line: line.update(faults=[{"late": 1}, {}]),
        "'faults' is not what its replay says",
    ),
    "forfeits": (
        lambda line: line.update(forfeits=[0, 1]),
        "'forfeits' is not what its replay says",
    ),
    "moves": (lambda line: line.update(moves="0" * 16), "'moves' is not what its replay says"),
    "a move": (
        lambda line: first_decision(line).__setitem__(1, {}),
        "'moves' is not what its replay says",
    ),
    "clock": (
        lambda line: line["clock"][0].__setitem__(1, 1),
        "'clock' is not what its replay says",
    ),
    "seed": (lambda line: line["replay"].update(seed="0"), "does not fit the seed"),
    "deal": (lambda line: line.update(deal=line["deal"] + 1), "does not fit the seed"),
    "rotation": (lambda line: line.update(rotation=7), "does not fit the seed"),
    "id": (lambda line: line.update(match="0" * 16 + "-0"), "does not fit the seed"),
    "odd id": (lambda line: line.update(match="x"), "does not fit the seed"),
    "seats": (lambda line: line["bots"].reverse(), "does not fit the seed"),
    "one bot": (lambda line: line["bots"].pop(), "2 bots play a match"),
    "a bot": (lambda line: line["bots"][0].update(name="x"), "bot 'x', version "),
    "options": (lambda line: line["replay"]["options"].update(max_turns=9), "of another league"),
    "game": (lambda line: line["replay"].update(game="war"), "of another league"),
    "a seat": (lambda line: first_decision(line).__setitem__(0, -1), "not that of a match"),
    "times": (lambda line: line["evidence"]["cpu"].pop(), "not that of a match"),
    "stderr": (lambda line: line["evidence"]["stderr"].pop(), "not that of a match"),
    "burners": (lambda line: line["evidence"]["burners"].append(2), "not that of a match"),
    "a key": (lambda line: line.update(more=1), "unknown field `more`"),
    "an inner key": (
        lambda line: line["replay"].update(more=1),
        "its keys are not those of version 1",
    ),
    "no key": (lambda line: line.pop("reason"), "missing required field `reason`"),
    "a type": (lambda line: line.update(deal="1"), "Expected `int`, got `str`"),
    "huge": (lambda line: line.update(deal=10**30), "not what `arena export` writes"),
    "negative": (lambda line: line.update(seconds=-1), "not what `arena export` writes"),
}


@pytest.mark.parametrize("edit", EDITS)
def test_a_line_that_was_edited_is_refused(
    edit: str, export: Path, empty: Path, tmp_path: Path
) -> None:
    header, *matches = map(json.loads, export.read_text().splitlines())
    change, message = EDITS[edit]
    change(matches[1])
    file = tmp_path / "edited.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in (header, *matches)))
    said = refused(lambda: merge(empty, file))
    assert said.startswith(f"{file}:3: ")
    assert message in said
    assert not (empty / "league.db").exists()


# --- files that are no exported league


def text_of(export: Path, number: int) -> str:
    return export.read_text().splitlines()[number] + "\n"


BAD: dict[str, tuple[Callable[[Path], str], str]] = {
    "empty": (lambda _: "", " is empty;"),
    "no JSON": (lambda _: "hello\n", ":1: this is no exported league, whose first line begins"),
    "a number": (lambda _: "7\n", ":1: this is no exported league"),
    "packed": (
        lambda _: "\x1f\udc8b\x08\0\n",
        ":1: this is compressed; decompress it: gzip -dc FILE | arena import LEAGUE -",
    ),
    "marked": (
        lambda export: "\ufeff" + export.read_text(),
        ":1: it begins with a byte order mark; save it as UTF-8 without one.",
    ),
    "deep": (lambda _: "[" * 100_000, ":1: this is no exported league"),
    "no text": (lambda _: "\0\udcff\n", ":1: this is no exported league"),
    "results": (lambda _: '{"places": {"a": 1, "b": 2}}\n', ":1: this is a file of results"),
    "named bots": (lambda _: '{"bots": ["a", "b"]}\n', ":1: this is a file of results"),
    "CSV": (lambda _: "match,deal,bot,place\n", "`arena rank` reads it as it is"),
    "no header": (lambda export: text_of(export, 1), ":1: the header is missing"),
    "newer": (
        lambda export: text_of(export, 0).replace('"version":1', '"version":2', 1),
        ":1: written by a newer Bot Arena (version 2 of these lines, this one reads 1). Use",
    ),
    "version 0": (
        lambda export: text_of(export, 0).replace('"version":1', '"version":0', 1),
        ":1: not what `arena export` writes: ",
    ),
    "more settings": (
        lambda export: text_of(export, 0).replace('"settings":{', '"settings":{"x":1,'),
        ":1: not what `arena export` writes: Object contains unknown field `x`",
    ),
    "a bot twice": (
        lambda export: json.dumps(
            (header := json.loads(text_of(export, 0))) | {"bots": header["bots"] * 2}
        ),
        ":1: one version of a bot is listed twice.",
    ),
    "a bad name": (
        lambda export: text_of(export, 0).replace('"name":"one"', '"name":"\\u001b[2J"'),
        ":1: a bot's name is 1 to 40 printable characters",
    ),
    "cut off": (lambda export: export.read_text()[:-9], ":13: the file was cut off in the middle"),
    "cut in the header": (lambda export: text_of(export, 0)[:99], ":1: this is no exported league"),
    "not JSON": (lambda export: text_of(export, 0) + "{]\n", ":2: not JSON: "),
    "twice": (
        lambda export: export.read_text() + text_of(export, 3),
        "is here for the second time",
    ),
    "two headers": (
        lambda export: export.read_text() * 2,
        ":14: not what `arena export` writes: ",
    ),
    "another league": (
        lambda export: text_of(export, 0).replace('"seed":"1"', '"seed":"2"'),
        ":1: matches of another league: in ",
    ),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_file_that_is_no_exported_league_is_refused(
    kind: str, export: Path, empty: Path, tmp_path: Path
) -> None:
    content, message = BAD[kind]
    file = tmp_path / "bad.jsonl"
    file.write_text(content(export), errors="surrogateescape")
    said = refused(lambda: merge(empty, file))
    assert said.startswith(str(file))
    assert message in said
    assert not (empty / "league.db").exists()


def test_the_first_difference_of_the_settings_is_named(
    empty: Path, export: Path, arena: Arena
) -> None:
    file = empty / "league.toml"
    file.write_text(file.read_text().replace("max_turns = 20", "max_turns = 21"))
    result = arena("import", empty, export)
    assert result.exit_code == 2
    assert f"in {empty} [options] had max_turns = 21, not 20. Only leagues" in result.stderr


def test_a_league_that_was_changed_since_it_was_played_takes_nothing(
    copy: Path, export: Path
) -> None:
    file = copy / "league.toml"
    file.write_text(file.read_text().replace("seed = 1", "seed = 2"))
    said = refused(lambda: merge(copy, export))
    assert 'league.toml: seed was "1", not "2", when the first match was played.' in said


def test_a_folder_or_nothing_in_place_of_a_file_is_told(empty: Path, copy: Path) -> None:
    assert f"{copy} is a folder; export it first" in refused(lambda: merge(empty, copy))
    assert "there is no file 'nothing'" in refused(lambda: merge(empty, Path("nothing")))


def test_a_file_that_may_not_be_read_is_told(public: Path) -> None:
    file = public / "export.jsonl"
    file.touch(0)
    with ordinary_user():
        said = refused(lambda: merge(public / "league", file))
    assert said == f"{file} cannot be read: Permission denied."


# --- disks and files


def test_an_export_is_written_whole_or_not_at_all(
    played: Path, export: Path, tmp_path: Path, arena: Arena
) -> None:
    file = tmp_path / "out.jsonl"
    with files_no_larger_than(9000):
        result = arena("export", played, file)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == f"arena: {file} cannot be written: File too large.\n"
    assert list(tmp_path.iterdir()) == []
    assert arena("export", played, file).stderr == f"{file} is written: 12 matches.\n"
    assert file.read_bytes() == export.read_bytes()
    assert list(tmp_path.iterdir()) == [file]


def test_a_file_is_written_over_only_when_asked(
    played: Path, export: Path, tmp_path: Path, arena: Arena
) -> None:
    file = tmp_path / "out.jsonl"
    file.write_text("mine")
    result = arena("export", played, file)
    assert (result.exit_code, file.read_text()) == (2, "mine")
    assert "--force" in result.stderr
    assert arena("export", played, file, "--force").exit_code == 0
    assert file.read_bytes() == export.read_bytes()


@pytest.mark.parametrize("name", ["league.db", "league.toml"])
def test_a_league_is_never_written_over_by_its_export(copy: Path, name: str, arena: Arena) -> None:
    before = (copy / name).read_bytes()
    assert arena("export", copy, copy / name, "--force").exit_code == 2
    assert (copy / name).read_bytes() == before


def test_a_device_is_not_replaced_by_a_file(played: Path, arena: Arena) -> None:
    result = arena("export", played, "/dev/null", "--force")
    assert "is not a regular file" in result.stderr
    assert not Path("/dev/null").is_file()


def test_standard_output_that_takes_no_more_is_told(played: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*ARENA, "export", str(played)], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert (done.returncode, done.stderr) == (
        1,
        b"arena: standard output cannot be written: No space left on device.\n",
    )


def test_a_league_goes_through_a_pipe(played: Path, export: Path, empty: Path) -> None:
    with subprocess.Popen([*ARENA, "export", str(played)], stdout=subprocess.PIPE, cwd=ROOT) as out:
        done = subprocess.run(
            [*ARENA, "import", str(empty), "-"],
            stdin=out.stdout,
            capture_output=True,
            check=True,
            cwd=ROOT,
        )
    assert done.stdout == b"12 matches imported.\n"
    assert bytes_of(empty) == export.read_bytes()


def test_a_full_disk_leaves_the_league_as_it_was(empty: Path, export: Path, tmp_path: Path) -> None:
    header, *matches = map(json.loads, export.read_text().splitlines())
    merge(empty, write(tmp_path / "part.jsonl", header | {"matches": 1}, matches[0]))
    before = bytes_of(empty)
    with files_no_larger_than((empty / "league.db").stat().st_size):
        refused(lambda: merge(empty, export), RunError)
    assert bytes_of(empty) == before
    assert merge(empty, export) == (11, 1)


def test_a_damaged_record_is_told(copy: Path, arena: Arena) -> None:
    with closing(sqlite3.connect(copy / "league.db")) as db, db:
        db.execute("UPDATE record SET replay = x'00' WHERE id = 3")
    result = arena("export", copy, copy / "out.jsonl")
    assert result.exit_code == 1
    assert "league.db is damaged: match " in result.stderr
    assert not (copy / "out.jsonl").exists()


@pytest.mark.parametrize("word", ["nothing", "league.toml"])
def test_what_is_no_league_is_not_exported(word: str, played: Path, arena: Arena) -> None:
    assert arena("export", played / word).stderr.startswith("arena: ")


def test_a_league_that_was_not_played_has_nothing_to_export(empty: Path, arena: Arena) -> None:
    assert "has no results yet" in arena("export", empty).stderr


# --- while a run is going on


@pytest.mark.slow
def test_a_league_that_is_played_is_exported_but_takes_nothing(league: League) -> None:
    league.write(FILE.replace("2", "50", 1) + TWO_BOTS + league.bot("slow", STEADY.format(pause=1)))
    run = league.start("run", "--workers", "1")
    until(league.count)
    header = json.loads(next(exported(league.folder)))
    assert [bot["name"] for bot in header["bots"]] == ["one", "slow", "two"]
    file = league.home / "part.jsonl"
    league.call("export", str(file))
    refusal = league.call("import", str(file), code=2)
    assert f"({'process'} {run.pid})" in refusal.stderr
    run.terminate()
    run.communicate(timeout=30)
    assert "0 matches imported" in league.call("import", str(file)).stdout


def test_a_reader_that_dawdles_keeps_no_writer_waiting(copy: Path) -> None:
    lines = exported(copy)
    next(lines)
    next(lines)
    with closing(sqlite3.connect(copy / "league.db", timeout=0)) as db, db:
        db.execute("DELETE FROM setting")
    assert len(list(lines)) == 11


def test_an_import_that_is_killed_leaves_the_league_as_it_was(
    empty: Path, export: Path, tmp_path: Path
) -> None:
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

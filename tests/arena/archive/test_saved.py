"""A match as a file: saved by `arena play`, told by `arena show`."""

import contextlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.archive.saved import SavedMatch, SavedSeat, read_match
from arena.archive.show import open_match, told
from arena.cli import main
from arena.store.opening import open_store, read_league
from protocol.errors import ArenaError
from tests.arena.archive.test_show import TALKATIVE
from tests.arena.conftest import Arena, League, files_no_larger_than
from tests.golden import Golden

UNSANDBOXED = ("--sandbox", "none")
DEAL = "9924cfe6a75091f5"
RETREATS = """\
    if ask.decision == "orders" and ask.view["turn"] > 4:
        return {"action": "retreat"}
    return"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a bot that talks, and makes faults from its third turn on."""
    folder = tmp_path_factory.mktemp("home")
    League(folder).bot("talkative", TALKATIVE.replace("    return", RETREATS))
    text = 'name = "talkative"\ncommand = ["{python}", "bot.py"]\n'
    (folder / "talkative" / "bot.toml").write_text(text)
    return folder


@pytest.fixture(scope="module")
def file(home: Path) -> Path:
    """A match of the talkative bot against a random one, saved; not to be changed."""
    path = home / "match.json"
    words = ("guerra", str(home / "talkative"), "random", "--seed", DEAL, *UNSANDBOXED)
    options = ("--option", "transfers=2", "--limit", "move_time=2.5", "--save", str(path))
    with pytest.raises(SystemExit) as ended:
        main(["play", *words, *options, "--quiet"], standalone_mode=True)
    assert ended.value.code == 0
    return path


def test_a_file_holds_how_the_match_was_set_up_and_what_came_of_it(file: Path) -> None:
    text = file.read_bytes()
    assert text.startswith(b'{"arena":"match","version":1,')
    assert text.index(b"\n") == len(text) - 1
    found = json.loads(text)
    replay, evidence = found["replay"], found["evidence"]
    assert [seat["name"] for seat in found["seats"]] == ["talkative", "random"]
    assert all(len(seat["version"]) == 16 for seat in found["seats"])
    assert found["seats"][0]["command"] == ["{python}", "bot.py"]
    assert (found["limits"]["move_time"], found["limits"]["sandbox"]) == (2.5, "none")
    assert (replay["game"], replay["rules"], replay["seed"]) == ("guerra", 1, DEAL)
    assert replay["options"]["transfers"] == 2
    assert len(evidence["cpu"]) == len(evidence["lag"]) == len(replay["entries"])
    assert evidence["stderr"][0].startswith("thinking\n")
    assert any((entry[3] or "").startswith("a long thought") for entry in replay["entries"])


@pytest.mark.slow
def test_a_match_with_a_person_is_saved(arena: Arena, tmp_path: Path) -> None:
    file = tmp_path / "match.json"
    words = ("play", "guerra", "human", "random", *UNSANDBOXED, "--save", file)
    assert arena(*words, typed="random\n" * 900).exit_code == 0
    assert read_match(file).seats[0].version is None
    assert "[human] " in arena("show", file).stdout
    assert json.loads(arena("show", file, "--format", "json").stdout)["seats"][0]["version"] is None
    for words in (("--messages",), ("--feed", "random")):
        result = arena("show", file, *words, "--seat", 0)
        assert result.exit_code == 2
        assert "seat 0 was played by a person, who was sent no messages." in result.stderr


def test_a_file_is_told_like_a_match_of_a_league(arena: Arena, played: Path, file: Path) -> None:
    head = f"Match of guerra, seed {DEAL}"
    shown = arena("show", file).stdout
    assert shown.splitlines()[0] == head
    assert "\n  Limits: move_time 2.5\n" in shown
    with open_store(read_league(played)) as store:
        whole = open_match(store, next(store.matches()).id)
    limits = read_league(played).limits.of_matches
    saved = SavedMatch(
        seats=[SavedSeat(name=bot.name, version=bot.version, seed=1) for bot in whole.match.bots],
        limits=limits,
        replay=whole.replay,
        evidence=whole.evidence,
        seconds=whole.circumstances.seconds,
        played_at=whole.circumstances.played_at,
        machine=whole.circumstances.machine,
        sandbox=whole.circumstances.sandbox,
    )
    for seat in (None, 1):
        one = list(told(whole, saved.game, seat=seat, tables=True))
        other = list(told(saved.opened(), saved.game, seat=seat, tables=True))
        assert one[1:] == other[1:]


def test_a_bot_is_fed_from_a_file(arena: Arena, home: Path, file: Path) -> None:
    bot = home / "talkative"
    again = arena("show", file, "--feed", bot)
    assert again.exit_code == 1  # for its faults
    assert "answered as recorded, 3 illegal" in " ".join(again.stdout.split())
    sent = arena("show", file, "--messages", "--seat", "1").stdout_bytes
    program = [sys.executable, bot / "guerra_random.py"]
    answers = subprocess.run(program, input=sent, capture_output=True, check=True).stdout
    heard = [json.loads(line) for line in answers.splitlines()]
    assert len(heard) == 1 + sum(entry.seat == 1 for entry in read_match(file).replay.entries)


PLAY = ("play", "guerra", "random", "random", "--seed", "1", *UNSANDBOXED, "--save")


def test_no_file_is_lost_unless_it_may_be(arena: Arena, tmp_path: Path) -> None:
    file = tmp_path / "match.json"
    file.write_text("mine")
    for place, said in ((file, "exists; choose another file, or write over"), (tmp_path, "")):
        refused = arena(*PLAY, place)
        assert (refused.exit_code, refused.stdout) == (2, "")  # before the match
        assert refused.stderr.startswith(f"arena: {place} {said}")
    assert arena(*PLAY, tmp_path / "no" / "folder" / "match.json").exit_code == 2
    with files_no_larger_than(12_000):
        result = arena(*PLAY, file, "--force")
    assert result.exit_code == 1
    assert f"{file} cannot be written: File too large." in result.stderr
    assert "Ended: " in result.stdout
    assert file.read_text() == "mine"
    assert list(tmp_path.iterdir()) == [file]
    assert arena(*PLAY, file, "--force").exit_code == 0
    assert read_match(file)


def changed(text: bytes, old: bytes, new: bytes) -> bytes:
    assert old in text
    return text.replace(old, new, 1)


def test_what_is_wrong_with_a_file_is_told_in_a_line(
    arena: Arena, tmp_path: Path, file: Path, golden: Golden
) -> None:
    text = file.read_bytes()
    wrong = tmp_path / "file"
    for change in (
        lambda text: b"",
        lambda text: text[:900],
        lambda text: b"\x7fELF" + text,
        lambda text: b"[" * 100_000,
        lambda text: b'{"arena":"league","version":1}\n',
        lambda text: changed(text, b'"version":1', b'"version":2'),
        lambda text: changed(text, b'"lag":[', b'"lag":["x",'),
        lambda text: changed(text, b'"lag":[', b'"lag":[5,'),
        lambda text: changed(text, b'"places":[2,1]', b'"places":[2,2]'),
        lambda text: changed(text, b'"seconds"', b'"secs"'),
        lambda text: changed(text, b'"seats":2', b'"seats":3'),
    ):
        wrong.write_bytes(change(text))
        result = arena("show", wrong)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.count("\n") == 1
        golden(result.stderr)


@settings(max_examples=60)
@given(data=st.data())
def test_damage_is_told_or_shown_but_never_a_traceback(
    data: st.DataObject, file: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    text = bytearray(file.read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text) - 1))
        text[at : at + data.draw(st.integers(0, 4))] = data.draw(st.binary(max_size=4))
    damaged = tmp_path_factory.getbasetemp() / "damaged.json"
    damaged.write_bytes(bytes(text))
    with contextlib.suppress(ArenaError):
        saved = read_match(damaged)
        list(told(saved.opened(), saved.game, tables=True))
        list(saved.feed(1).lines())


def test_a_file_stands_alone_and_a_league_has_many(
    arena: Arena, copy: Path, file: Path, tmp_path: Path, golden: Golden
) -> None:
    alone = shutil.copy(file, tmp_path / "match.json")
    for words in (
        (alone, "3f9a-0"),
        (copy,),
        (tmp_path / "none",),
        (tmp_path / "none", "3f9a-0"),
        (tmp_path,),
        (alone, "--seat", "2"),
        (alone, "--messages"),
    ):
        result = arena("show", *words)
        assert result.exit_code == 2
        golden(result.stderr)

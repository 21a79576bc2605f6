"""A match told: move by move for people, as one document for programs."""

import json
import re
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from arena.archive.saved import read_match
from arena.archive.show import open_match, seat_rows, told
from arena.store.opening import open_store, read_league
from arena.store.result import Record
from arena.store.rows import WholeMatch
from arena.text import width
from referee.games.guerra.game import Guerra
from referee.match.evidence import Evidence, Played
from referee.match.replay import Replay, steps
from referee.turn.answer import Fault
from tests.arena.conftest import TWO_BOTS, Arena, League, naughty
from tests.arena.inline import inline_runs
from tests.golden import Golden

FILE = """\
game = "guerra"
seed = 1
deals = 1
options.max_turns = 20
limits = { sandbox = "none", startup = 5.0 }
"""
HIDDEN = re.compile(r"Hand +\(\d+ unseen\)|^A: reserve +\(\d+ unseen\)", re.MULTILINE)
"""A hand of Guerra that is not seen."""
MOVE = re.compile(r"^ *(\d+)(?: +(?:[\d.]+|-)){3}  \[(\w+)\] ", re.MULTILINE)
TALKATIVE = """
import sys
import kit, guerra_random
def choose(ask):
    ask.note = "a long thought " * 12
    print("thinking", file=sys.stderr)
    return guerra_random.choose(ask)
kit.run(choose)
"""


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> League:
    """A played league with a bot that talks much and one that makes faults."""
    league = League(tmp_path_factory.mktemp("cup"))
    league.is_inline = True
    league.write(FILE + TWO_BOTS + league.bot("talkative", TALKATIVE) + naughty("illegal"))
    with inline_runs():
        league.call("run")
    return league


@pytest.fixture
def plain(cup: League) -> WholeMatch:
    return opened(cup, "one", "two")


@pytest.fixture
def match(cup: League) -> WholeMatch:
    """A match of the bot that talks and the one that makes faults."""
    return opened(cup, "talkative", "illegal")


def opened(league: League, *bots: str) -> WholeMatch:
    with open_store(read_league(league.folder)) as store:
        for match in store.matches():
            if {bot.name for bot in match.bots} == set(bots):
                return open_match(store, match.id)
    raise AssertionError(bots)


def changed(
    match: WholeMatch, *, replay: Replay | None = None, evidence: Evidence | None = None
) -> WholeMatch:
    played = Played(replay or match.replay, evidence or match.evidence)
    return replace(match, record=Record.of(played, match.record.seconds))


def lines(match: WholeMatch, seat: int | None = None, columns: int = 80) -> list[str]:
    return list(told(match, lambda: Guerra, seat=seat, width=columns))


def test_every_line_but_those_of_the_wire_fits_the_screen(match: WholeMatch) -> None:
    *_, (game, _) = steps(match.replay, Guerra)
    for columns in (80, 60):
        table = {line.strip() for line in game.text().splitlines()} if columns < 80 else set()
        long = [line.strip() for line in lines(match, columns=columns) if width(line) > columns]
        wire = ("→ {", "← {", "its line: {")
        assert all(line.startswith(wire) or line in table for line in long)


def test_times_stand_before_the_moves_and_notes_below(plain: WholeMatch, match: WholeMatch) -> None:
    found = lines(plain)
    names = [plain.names[entry.seat] for entry in plain.replay.entries]
    assert MOVE.findall("\n".join(found)) == [(str(n), name) for n, name in enumerate(names, 1)]
    assert len({line.index("  [") for line in found if MOVE.match(line)}) == 1
    found = lines(match)
    notes = [number for number, line in enumerate(found) if line.startswith("      note: a long")]
    assert len(notes) == sum(bool(entry.note) for entry in match.replay.entries) > 0
    assert all("[talkative]" in found[number - 1] or "  " in found[number - 1] for number in notes)
    assert found[notes[0] + 1].startswith("        ")


def test_a_summary_tells_what_each_seat_used(cup: League) -> None:
    match = opened(cup, "one", "illegal")
    text = "\n".join(lines(match))
    ended = text.partition("\nEnded: forfeit\n")[2].splitlines()
    assert " ".join(ended[0].split()) == "Place Bot Seat Asked CPU ms Max wall At Faults"
    assert ended[2].split()[:2] == ["1", "one"]
    assert ended[3].split()[:2] == ["2", "illegal"]
    assert " ".join(ended[3:5]).split()[-3:] == ["3", "illegal,", "forfeits"]
    seat = match.names.index("illegal")
    asked = [n for n, entry in enumerate(match.replay.entries) if entry.seat == seat]
    assert ended[3].split()[2:4] == [str(seat), str(len(asked))]
    longest = max(asked, key=match.evidence.wall.__getitem__)
    assert ended[3].split()[6] == str(longest + 1)


def test_a_seat_alone_is_told_with_the_numbers_of_the_whole_match(match: WholeMatch) -> None:
    for seat, name in enumerate(match.names):
        text = "\n".join(lines(match, seat))
        own = [n for n, entry in enumerate(match.replay.entries, 1) if entry.seat == seat]
        assert [int(number) for number, _ in MOVE.findall(text)] == own
        assert ("FAULT" in text) == (name == "illegal")
        assert ("Standard error of talkative" in text) == (name == "talkative")


def test_a_seat_alone_sees_the_table_as_it_did_then(
    arena: Arena, cup: League, plain: WholeMatch
) -> None:
    words = ("show", cup.folder, plain.match.id, "--tables")
    seen = arena(*words, "--seat", 1).stdout
    assert HIDDEN.search(seen)
    assert "B (you)" in seen
    assert "A (you)" not in seen
    assert not HIDDEN.search(arena(*words).stdout)


def test_a_busy_machine_bots_that_burnt_and_memory_are_told(plain: WholeMatch) -> None:
    first, *others = plain.replay.entries
    late = msgspec.structs.replace(first, fault=Fault("late", "no answer"))
    replay = msgspec.structs.replace(plain.replay, entries=[late, *others])
    for lag, is_told in ((900_000, True), (90, False)):
        evidence = msgspec.structs.replace(
            plain.evidence, lag=[lag, *plain.evidence.lag[1:]], burners=[]
        )
        found = lines(changed(plain, replay=replay, evidence=evidence))
        assert ("      the machine was busy: lag 900 ms before this ask" in found) == is_told
    assert "Peak MiB" not in "\n".join(lines(plain))
    assert all(row["memory_peak"] is None for row in seat_rows(plain))
    more = msgspec.structs.replace(plain.evidence, burners=[1], memory_peak={1: 34 << 20})
    match = changed(plain, evidence=more)
    burnt = f"{match.names[1]} (seat 1) used the CPU off turn and was frozen between its turns."
    assert burnt in lines(match)
    assert burnt not in lines(match, 0)
    (header,) = (line for line in lines(match) if "Peak MiB" in line)
    end = header.index("Peak MiB") + len("Peak MiB")
    assert any(line[:end].endswith(" 34") for line in lines(match))
    assert [row["memory_peak"] for row in seat_rows(match)] == [None, 34 << 20]


def test_json_holds_all_that_is_kept(arena: Arena, cup: League, match: WholeMatch) -> None:
    words = ("show", cup.folder, match.match.id, "--format")
    found = json.loads(arena(*words, "json").stdout)
    replay, evidence = match.replay, match.evidence
    assert [found[key] for key in ("match", "game", "seed", "options", "rules", "problem")] == [
        *(match.match.id, "guerra", replay.seed, replay.options, 1, None)
    ]
    decisions, seats = found["decisions"], found["seats"]
    for key, values in {
        "move": [entry.move for entry in replay.entries],
        "note": [entry.note for entry in replay.entries],
        "cpu_us": evidence.cpu,
        "wall_us": evidence.wall,
        "lag_us": evidence.lag,
    }.items():
        assert [row[key] for row in decisions] == values
    faults = [row["fault"] for row in decisions if row["fault"]]
    assert [fault["forfeit"] for fault in faults] == [False, False, True]
    assert all(fault["line"].startswith("{") for fault in faults)
    for key, kept in {
        "bot": match.names,
        "place": replay.places,
        "stderr": evidence.stderr,
        "last_lines": evidence.conversations,
    }.items():
        assert [seat[key] for seat in seats] == kept
    one = json.loads(arena(*words, "json", "--seat", 1).stdout)
    assert {row["seat"] for row in one["decisions"]} == {1}
    assert [seat["seat"] for seat in one["seats"]] == [1]
    header, *rows = arena(*words, "csv").stdout.splitlines()
    assert header == "decision,seat,bot,move,words,fault,note,cpu_us,wall_us,lag_us"
    assert len(rows) == len(replay.entries)


def test_a_crash_is_told_with_its_last_word(arena: Arena, cup: League, tmp_path: Path) -> None:
    bot, file = cup.home / "clumsy", tmp_path / "match.json"
    cup.bot("clumsy", "import kit\nkit.run(lambda ask: {}['stamnia'])\n")
    (bot / "bot.toml").write_text('command = ["{python}", "bot.py"]\n')
    words = ["play", "guerra", bot, "random", "--sandbox", "none", "--save", file]
    assert arena(*words).exit_code == 0
    crashed = read_match(file).opened()
    text = " ".join(" ".join(lines(crashed)).split())
    assert re.search(
        r"FAULT of clumsy: crash: \w+: it exited with code 1 \(KeyError: 'stamnia'\); "
        r"it forfeits the match",
        text,
    )
    assert " crash, forfeits" in text  # in the table
    first, *others = crashed.replay.entries
    assert first.fault is not None
    assert "stamnia" not in first.fault.reason  # nothing of it is kept
    flood = msgspec.structs.replace(first, fault=Fault("flood", "it said too much"))
    replay = msgspec.structs.replace(crashed.replay, entries=[flood, *others])
    text = " ".join(" ".join(lines(changed(crashed, replay=replay))).split())
    assert "FAULT of clumsy: flood: it said too much" in text
    assert "too much (" not in text


def test_mistakes_are_told_in_a_line(
    arena: Arena, cup: League, plain: WholeMatch, golden: Golden
) -> None:
    for words in (
        ("--seat", "2"),
        ("--seat", "-1"),
        ("--messages",),
        ("--log",),
        ("--tables", "--format", "json"),
        ("--messages", "--feed", "one"),
    ):
        result = arena("show", cup.folder, plain.match.id, *words)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.count("\n") == 1
        golden(result.stderr.replace(plain.match.id, "ID"))

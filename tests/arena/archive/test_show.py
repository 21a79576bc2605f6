"""A match told: move by move for people, as one document for programs."""

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from arena.archive.saved import read_match
from arena.archive.show import open_match, seat_rows, told
from arena.cli import main
from arena.store.opening import open_store, read_league
from arena.store.result import Record
from arena.store.rows import WholeMatch
from arena.text import width
from referee.evidence import Evidence, Played
from referee.fault import Fault
from referee.games.guerra.game import Guerra
from referee.replay import Replay, steps
from tests.arena.conftest import TWO_BOTS, Arena, League, lazy_bot, naughty

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
def cup(tmp_path_factory: pytest.TempPathFactory) -> Iterator[League]:
    """A played league with a bot that talks much and one that makes faults."""
    league = League(tmp_path_factory.mktemp("cup"))
    talkative = league.bot("talkative", TALKATIVE)
    league.write(FILE + TWO_BOTS + talkative + naughty("illegal"))
    league.call("run")
    yield league
    league.close()


def opened(league: League, *bots: str) -> WholeMatch:
    """Return the first match between these bots."""
    with open_store(read_league(league.folder)) as store:
        for match in store.matches():
            if {bot.name for bot in match.bots} == set(bots):
                return open_match(store, match.id)
    raise AssertionError(bots)


def changed(
    match: WholeMatch, *, replay: Replay | None = None, evidence: Evidence | None = None
) -> WholeMatch:
    """Return a match with another replay or other evidence."""
    played = Played(replay or match.replay, evidence or match.evidence)
    return replace(match, record=Record.of(played, match.record.seconds))


def lines(match: WholeMatch, seat: int | None = None, columns: int = 80) -> list[str]:
    return list(told(match, lambda: Guerra, seat=seat, width=columns))


# --- for people


@pytest.mark.slow
def test_every_line_fits_the_screen_but_those_of_the_wire_and_of_standard_error(
    cup: League,
) -> None:
    match = opened(cup, "talkative", "illegal")
    *_, (game, _) = steps(match.replay, Guerra)
    for columns in (80, 60):
        table = {line.strip() for line in game.text().splitlines()} if columns < 80 else set()
        found = lines(match, columns=columns)
        long = [line.strip() for line in found if width(line) > columns]
        wire = ("→ {", "← {", "its line: {")
        assert all(line.startswith(wire) or line in table for line in long)


def test_times_stand_in_columns_before_the_moves(cup: League) -> None:
    match = opened(cup, "one", "two")
    text = "\n".join(lines(match))
    names = [match.names[entry.seat] for entry in match.replay.entries]
    assert MOVE.findall(text) == [(str(number), name) for number, name in enumerate(names, 1)]
    assert len({line.index("  [") for line in lines(match) if MOVE.match(line)}) == 1


def test_a_note_stands_below_its_move_and_is_folded(cup: League) -> None:
    match = opened(cup, "talkative", "one")
    found = lines(match)
    notes = [number for number, line in enumerate(found) if line.startswith("      note: a long")]
    asked = [entry for entry in match.replay.entries if entry.note]
    assert len(notes) == len(asked) > 0
    assert all("[talkative]" in found[number - 1] or "  " in found[number - 1] for number in notes)
    assert found[notes[0] + 1].startswith("        ")


def test_a_summary_tells_what_each_seat_used(cup: League) -> None:
    match = opened(cup, "one", "illegal")
    text = "\n".join(lines(match))
    ended = text.partition("\nEnded: forfeit\n")[2].splitlines()
    assert ended[0].split() == [
        *("Place", "Bot", "Seat", "Asked", "CPU", "ms", "Max", "wall", "At", "Faults"),
    ]
    assert ended[2].split()[:2] == ["1", "one"]
    assert ended[3].split()[:2] == ["2", "illegal"]
    assert " ".join(ended[3:5]).split()[-3:] == ["3", "illegal,", "forfeits"]
    seat = match.names.index("illegal")
    asked = [n for n, entry in enumerate(match.replay.entries) if entry.seat == seat]
    assert ended[3].split()[2:4] == [str(seat), str(len(asked))]
    longest = max(asked, key=match.evidence.wall.__getitem__)
    assert ended[3].split()[6] == str(longest + 1)


def test_a_seat_alone_is_told_with_the_numbers_of_the_whole_match(cup: League) -> None:
    match = opened(cup, "talkative", "illegal")
    for seat, name in enumerate(match.names):
        text = "\n".join(lines(match, seat))
        own = [n for n, entry in enumerate(match.replay.entries, 1) if entry.seat == seat]
        assert [int(number) for number, _ in MOVE.findall(text)] == own
        assert ("FAULT" in text) == (name == "illegal")
        assert ("Standard error of talkative" in text) == (name == "talkative")


def test_a_seat_alone_sees_the_table_as_it_did_then(arena: Arena, cup: League) -> None:
    match = opened(cup, "one", "two")
    seen = arena("show", cup.folder, match.match.id, "--tables", "--seat", 1).stdout
    assert HIDDEN.search(seen)
    assert "B (you)" in seen
    assert "A (you)" not in seen
    assert not HIDDEN.search(arena("show", cup.folder, match.match.id, "--tables").stdout)


def test_a_late_answer_on_a_busy_machine_says_so(cup: League) -> None:
    match = opened(cup, "one", "two")
    late = msgspec.structs.replace(match.replay.entries[0], fault=Fault("late", "no answer"))
    for lag, is_told in ((900_000, True), (90, False)):
        evidence = msgspec.structs.replace(
            match.evidence, lag=[lag, *match.evidence.lag[1:]], burners=[]
        )
        replay = msgspec.structs.replace(match.replay, entries=[late, *match.replay.entries[1:]])
        found = lines(changed(match, replay=replay, evidence=evidence))
        said = "      the machine was busy: lag 900 ms before this ask"
        assert (said in found) == is_told


def test_a_bot_that_burnt_is_named(cup: League) -> None:
    match = opened(cup, "one", "two")
    evidence = msgspec.structs.replace(match.evidence, burners=[1])
    burnt = f"{match.names[1]} (seat 1) used the CPU off turn and was frozen between its turns."
    match = changed(match, evidence=evidence)
    assert burnt in lines(match)
    assert burnt not in lines(match, 0)


def test_memory_that_a_cgroup_measured_is_shown(cup: League) -> None:
    match = opened(cup, "one", "two")
    assert "Peak MiB" not in "\n".join(lines(match))
    assert all(row["memory_peak"] is None for row in seat_rows(match))
    evidence = msgspec.structs.replace(match.evidence, memory_peak={1: 34 << 20})
    match = changed(match, evidence=evidence)
    (header,) = (line for line in lines(match) if "Peak MiB" in line)
    end = header.index("Peak MiB") + len("Peak MiB")
    (row,) = (line for line in lines(match) if line.strip().startswith(("1", "2")) and "34" in line)
    assert row[:end].endswith(" 34")
    assert [row["memory_peak"] for row in seat_rows(match)] == [None, 34 << 20]


@pytest.mark.slow
def test_a_match_that_was_forfeited_before_the_first_decision_is_told(league: League) -> None:
    league.write(FILE.replace("startup = 5.0", "fresh = true") + lazy_bot(league) + TWO_BOTS)
    league.call("run", "--workers", "1")
    with open_store(read_league(league.folder)) as store:
        ids = [match.id for match in store.matches(bot="lazy") if match.forfeits]
        match = open_match(store, ids[0])
    seat = match.names.index("lazy")
    text = "\n".join(lines(match))
    assert "FAULT of lazy: startup: it did not say ready: it exited with code 1" in text
    assert f"Standard error of lazy (seat {seat}):\n  no book" in text
    assert "startup, forfeits" in text


def test_rules_of_another_version_leave_moves_as_they_were_recorded(cup: League) -> None:
    match = opened(cup, "talkative", "illegal")
    old = changed(match, replay=msgspec.structs.replace(match.replay, rules=99))
    text = "\n".join(lines(old))
    assert text.count("Moves as they were recorded: this replay was played by version 99") == 1
    assert len(MOVE.findall(text)) == len(match.replay.entries)
    assert '] {"' in text
    assert "FAULT of illegal: illegal: " in text
    assert "Standard error of talkative" in text


def test_a_match_of_a_bot_that_left_is_told(arena: Arena, league: League) -> None:
    mine = league.bot("mine", TALKATIVE)
    league.write(FILE + TWO_BOTS + mine)
    league.call("run")
    match = opened(league, "mine", "one")
    league.write(FILE + TWO_BOTS)
    assert "[mine] " in arena("show", league.folder, match.match.id).stdout


# --- for programs


def test_json_holds_all_that_is_kept(arena: Arena, cup: League) -> None:
    match = opened(cup, "talkative", "illegal")
    shown = arena("show", cup.folder, match.match.id, "--format", "json")
    found = json.loads(shown.stdout)
    replay, evidence = match.replay, match.evidence
    assert (found["match"], found["game"], found["seed"]) == (
        match.match.id,
        "guerra",
        replay.seed,
    )
    assert (found["options"], found["rules"], found["problem"]) == (replay.options, 1, None)
    decisions = found["decisions"]
    assert [row["move"] for row in decisions] == [entry.move for entry in replay.entries]
    assert [row["note"] for row in decisions] == [entry.note for entry in replay.entries]
    assert [row["cpu_us"] for row in decisions] == evidence.cpu
    assert [row["wall_us"] for row in decisions] == evidence.wall
    assert [row["lag_us"] for row in decisions] == evidence.lag
    faults = [row["fault"] for row in decisions if row["fault"]]
    assert [fault["forfeit"] for fault in faults] == [False, False, True]
    assert all(fault["line"].startswith("{") for fault in faults)
    assert [seat["bot"] for seat in found["seats"]] == match.names
    assert [seat["place"] for seat in found["seats"]] == replay.places
    assert [seat["stderr"] for seat in found["seats"]] == evidence.stderr
    assert [seat["last_lines"] for seat in found["seats"]] == evidence.conversations


def test_json_of_a_seat_holds_that_seat(arena: Arena, cup: League) -> None:
    match = opened(cup, "talkative", "illegal")
    words = ("show", cup.folder, match.match.id, "--seat", 1, "--format", "json")
    found = json.loads(arena(*words).stdout)
    assert {row["seat"] for row in found["decisions"]} == {1}
    assert [seat["seat"] for seat in found["seats"]] == [1]


def test_csv_holds_the_decisions(arena: Arena, cup: League) -> None:
    match = opened(cup, "one", "two")
    header, *rows = arena("show", cup.folder, match.match.id, "--format", "csv").stdout.splitlines()
    assert header == "decision,seat,bot,move,words,fault,note,cpu_us,wall_us,lag_us"
    assert len(rows) == len(match.replay.entries)


# --- why a process ended


@pytest.fixture(scope="module")
def crashed(cup: League, tmp_path_factory: pytest.TempPathFactory) -> WholeMatch:
    """A match of a bot that ended with an exception."""
    file = tmp_path_factory.mktemp("crashed") / "match.json"
    bot = cup.home / "clumsy"
    cup.bot("clumsy", "import kit\nkit.run(lambda ask: {}['stamnia'])\n")
    (bot / "bot.toml").write_text('command = ["{python}", "bot.py"]\n')
    words = ["play", "guerra", str(bot), "random", "--sandbox", "none", "--save", str(file)]
    assert CliRunner().invoke(main, words).exit_code == 0
    return read_match(file).opened()


def test_a_crash_is_told_with_the_last_word_of_the_standard_error(crashed: WholeMatch) -> None:
    text = " ".join(" ".join(lines(crashed)).split())
    assert re.search(
        r"FAULT of clumsy: crash: \w+: it exited with code 1 \(KeyError: 'stamnia'\); "
        r"it forfeits the match",
        text,
    )
    assert " crash, forfeits" in text  # in the table
    fault = crashed.replay.entries[0].fault
    assert fault is not None
    assert "stamnia" not in fault.reason  # nothing of it is kept


def test_other_faults_have_no_such_word(crashed: WholeMatch) -> None:
    entries = list(crashed.replay.entries)
    entries[0] = msgspec.structs.replace(entries[0], fault=Fault("flood", "it said too much"))
    replay = msgspec.structs.replace(crashed.replay, entries=entries)
    text = " ".join(" ".join(lines(changed(crashed, replay=replay))).split())
    assert "FAULT of clumsy: flood: it said too much" in text
    assert "too much (" not in text


# --- mistakes


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--seat", "2"], "has no seat 2; its seats: 0 "),
        (["--seat", "-1"], "has no seat -1; its seats: 0 "),
        (["--messages"], "--messages needs a --seat: each seat was sent lines of its own."),
        (["--log"], "--log is for --feed: without a bot there is nothing to log."),
        (["--tables", "--format", "json"], "--tables and --format do not go together; choose one."),
        (["--messages", "--feed", "one"], "--messages and --feed do not go together; choose one."),
    ],
)
def test_mistakes_are_told_in_a_line(
    arena: Arena, cup: League, words: list[str], said: str
) -> None:
    match = opened(cup, "one", "two").match.id
    result = arena("show", cup.folder, match, *words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_damaged_record_is_told_in_a_line(arena: Arena, copy: Path) -> None:
    with closing(sqlite3.connect(copy / "league.db")) as db, db:
        db.execute("UPDATE record SET replay = substr(replay, 1, 20)")
    with open_store(read_league(copy)) as store:
        match = next(store.matches()).id
    result = arena("show", copy, match)
    assert result.exit_code == 1
    damage = f"arena: {copy / 'league.db'} is damaged: match {match}: its replay cannot be read"
    assert result.stderr.startswith(damage)

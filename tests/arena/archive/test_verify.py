"""Stored matches played again: what is sound verifies, and whatever was changed is found."""

import gc
import hashlib
import json
import shutil
import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import multiprocess
import pytest

from arena.archive import verify
from arena.store.result import PlayedMatch, Record, result_of
from arena.store.schema import Writer
from arena.store.store import Store
from protocol.errors import RunError
from referee.games import GAMES
from referee.match.evidence import Played
from referee.match.replay import Entry, Replay, game_of
from referee.turn.answer import Fault
from tests.arena.conftest import Arena, League, lazy_bot, naughty

HEAD = """\
game = "{game}"
seed = 1
deals = {deals}
limits = {{ sandbox = "none", startup = 30.0{more} }}
"""


def shipped(count: int) -> str:
    return "".join(
        f'\n[[bot]]\nname = "r{number}"\nshipped = "random"\n' for number in range(count)
    )


def found(folder: Path, workers: int = 1) -> list[tuple[str | None, str]]:
    verification = verify.Verification(folder, workers)
    for _ in verification.run():
        pass
    return [(row["match"], row["problem"]) for row in verification.table().rows]


def change(folder: Path, statement: str, *values: object) -> None:
    gc.collect()  # the frames of a command that failed: CliRunner keeps them, and they its cursors
    with closing(sqlite3.connect(folder / "league.db")) as db, db:
        db.execute(statement, values)


@pytest.mark.usefixtures("inline")
@pytest.mark.quick(2)
@pytest.mark.parametrize("game", sorted(GAMES, key=lambda game: game not in ("guerra", "war")))
def test_every_game_verifies_with_its_faults_and_forfeits(league: League, game: str) -> None:
    seats = GAMES[game].seat_counts[0]
    bots = shipped(seats - 1) + naughty("crash_mid_match") + naughty("illegal")
    head = HEAD.format(game=game, deals=1, more="")
    league.write(f'rotations = "one"\nseats = {seats}\n{head}{bots}')
    league.call("run")
    assert found(league.folder) == []
    forfeits = [match.forfeits for match, _ in league.stored()]
    assert len(forfeits) == seats + 1
    assert any(forfeits) or not GAMES[game].decisions


@pytest.mark.usefixtures("inline")
def test_a_match_whose_bot_does_not_start_verifies(league: League) -> None:
    league.write(HEAD.format(game="guerra", deals=2, more=", fresh = true") + lazy_bot(league))
    with (league.folder / "league.toml").open("a") as file:
        file.write(shipped(1))
    league.call("run")
    assert any(replay.entries[0].move is None for _, replay in league.stored())
    assert found(league.folder) == []


def test_bots_may_be_gone_and_matches_too(arena: Arena, copy: Path, tmp_path: Path) -> None:
    with (copy / "league.toml").open("a") as file:
        file.write('\n[[bot]]\nname = "gone"\nfolder = "no such folder"\n')
    assert arena("verify", copy).stdout == "12 matches verified; none differs.\n"
    (copy / "league.db").unlink()
    assert "has no results yet" in arena("verify", copy).stderr
    with Store(copy / "league.db", create=True):
        pass
    assert arena("verify", copy).stdout == "0 matches verified; none differs.\n"


def test_matches_of_other_rules_are_counted_apart_and_stay_readable(
    arena: Arena, copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = arena("rank", copy).stdout
    monkeypatch.setattr(GAMES["guerra"], "rules_version", 2)
    result = arena("verify", copy, "--workers", "1")
    assert result.exit_code == 0
    assert " ".join(result.stdout.split()) == (
        "0 matches verified; none differs. 12 matches cannot be verified here: played by version "
        "1 of the rules of guerra. Use the release that played them."
    )
    facts = json.loads(arena("verify", copy, "--workers", "1", "--format", "json").stdout)
    assert facts["other_rules"] == {"version 1 of the rules of guerra": 12}
    assert arena("rank", copy).stdout == before
    change(copy, "UPDATE match SET decisions = decisions + 1 WHERE rotation = 0")
    assert len(found(copy)) == 6


def test_records_that_changed_places_are_found(copy: Path) -> None:
    change(copy, "UPDATE match SET record = 15 - record WHERE record IN (3, 12)")
    assert len(found(copy)) == 2


def test_a_sealed_seed_is_compared(arena: Arena, copy: Path) -> None:
    sealed = arena("verify", copy, "--sealed", hashlib.sha256(b"1").hexdigest().upper())
    assert sealed.exit_code == 0
    assert "Its seed is the one whose SHA-256 was published." in " ".join(sealed.stdout.split())
    other = arena("verify", copy, "--sealed", "0" * 64)
    assert other.exit_code == 1
    assert "the SHA-256 of its seed is 6b86b273ff34fce1" in " ".join(other.stdout.split())
    assert "ask whoever published it" in other.stderr
    none = arena("verify", copy, "--sealed", "5b1f")
    assert none.exit_code == 2
    assert "--sealed takes 64 hexadecimal digits, not '5b1f'." in none.stderr


def test_another_limit_is_found_and_the_remedy_is_to_put_it_back(copy: Path) -> None:
    text = (copy / "league.toml").read_text()
    (copy / "league.toml").write_text(text.replace("[limits]", "[limits]\nmove_time = 2.0"))
    assert found(copy) == [(None, "move_time is 1.0 in the database, and 2.0 in league.toml.")]
    file = "put back into league.toml the limits that its matches were played with"
    assert verify.Verification(copy, 1).remedy == f"{file}."
    change(copy, "UPDATE bot SET command = 'x' WHERE id = 1")
    assert verify.Verification(copy, 1).remedy == (
        f"put back a copy of its database from before, and {file}."
    )


@pytest.mark.slow
def test_rows_that_belong_to_nothing_are_found_but_no_bot_that_has_not_played(copy: Path) -> None:
    change(copy, "INSERT INTO bot VALUES (9, 'new', '0123456789abcdef', '[\"true\"]', 0)")
    change(copy, "INSERT INTO lineup (bots) VALUES ('77 78')")
    change(copy, "DELETE FROM deal WHERE number = 1")
    change(copy, "UPDATE record SET seconds = -1 WHERE id = 2")
    change(copy, "UPDATE record SET played_at = 'x' WHERE id = 3")
    problems = found(copy)
    assert (None, "rows of record have no moment, or a time below 0: 2.") in problems
    assert (None, "rows of match name a row of deal that is not there: 6.") in problems
    assert (None, "rows of lineup belong to no match: 1.") in problems
    assert problems.count(("?-0", "its row of the table deal is missing.")) == 3
    assert len(problems) == 9


Forged = Callable[[Replay], Replay]


def forging(**new: Any) -> Forged:
    """Return a forger of fields of a replay; some new ones are made of the entries."""

    def forge(replay: Replay) -> Replay:
        made = {key: new[key](replay.entries) if callable(new[key]) else new[key] for key in new}
        return msgspec.structs.replace(replay, **made)

    return forge


def first(**new: Any) -> Forged:
    return forging(entries=lambda own: [msgspec.structs.replace(own[0], **new), *own[1:]])


def going_on(replay: Replay) -> Replay:
    """Let a seat forfeit before the first move, and the other one play on alone."""
    game = game_of(replay, GAMES[replay.game])
    game.withdraw(1)
    entries = [Entry(1, None, Fault("startup", "?", forfeit=True))]
    entries += [Entry(seat, game.default(seat)) for seat in game.deciders()]
    return msgspec.structs.replace(replay, entries=entries)


FORGED = {
    "other places": (forging(places=[1, 1]), "its replay's places: [1, 1] is stored"),
    "other scores": (forging(scores=[9, 9.5]), "its replay's scores: [9, 9.5] is stored"),
    "other numbers": (forging(numbers={"x": 1}), "its replay's numbers: {'x': 1} is stored"),
    "a score too many": (forging(scores=[1, 2, 3]), "its record has 3 scores for 2 seats"),
    "other reason": (forging(reason="luck"), "its replay's reason: luck is stored"),
    "other seed": (forging(seed="0" * 32), "its seed: 000"),
    "other options": (forging(options={}), "the options of its replay: {}, and the league's"),
    "other game": (forging(game="duel"), "the game of its replay: duel, and the league's"),
    "cut off": (forging(entries=lambda entries: entries[:-2]), "its replay ends before"),
    "other move": (first(move={}), "decision 1 of the replay is not what the rules ask"),
    "no move": (first(move=None), "seat 0 was withdrawn without a fault."),
    "a forfeit without reason": (
        forging(entries=lambda own: [Entry(0, None, Fault("late", "?", forfeit=True)), *own]),
        "the forfeit of seat 0 by late: True is stored, and it should be False.",
    ),
    "a mercy": (
        forging(entries=lambda own: [Entry(0, None, Fault("crash", "?")), *own]),
        "the forfeit of seat 0 by crash: False is stored, and it should be True.",
    ),
    "a move after the end": (going_on, "its replay goes on when all but one have forfeited."),
}


def test_a_forged_replay_is_found_even_if_its_row_says_the_same(played: Path, copy: Path) -> None:
    forged(copy, lambda replay: replay)
    assert found(copy) == []
    for name, (forge, problem) in FORGED.items():
        shutil.copy(played / "league.db", copy)
        match = forged(copy, forge)
        ((where, told),) = found(copy)
        assert where == match, name
        assert problem in told, name


def forged(folder: Path, forge: Forged) -> str:
    """Store a match without faults again as it was forged; return its id."""
    with Store(folder / "league.db") as store:
        match = next(match for match in store.matches() if not any(match.faults))
        whole = store.whole(match)
        replay, evidence = forge(whole.replay), whole.evidence
        how = whole.circumstances
    count = len(replay.entries)
    times = {name: [*getattr(evidence, name), 0][:count] for name in ("cpu", "wall", "lag")}
    with closing(sqlite3.connect(folder / "league.db")) as db, db:
        key = (match.deal_row, match.rotation)
        (number,) = db.execute(
            "DELETE FROM match WHERE (deal, rotation) = (?, ?) RETURNING record", key
        ).fetchone()
        db.execute("DELETE FROM record WHERE id = ?", (number,))
        bots = {bot[:2]: bot[2] for bot in db.execute("SELECT name, version, id FROM bot")}
        played = Played(replay, msgspec.structs.replace(evidence, **times))
        result = result_of(
            played,
            deal=match.deal,
            number=match.number,
            order=match.order,
            rotation=match.rotation,
            bots=tuple(bots[bot.name, bot.version] for bot in match.bots),
        )
        record = Record.of(played, how.seconds)
        new = PlayedMatch(result, record, how.machine, how.sandbox)
        Writer(db).add([(new, result.bots, how.played_at)])
    return match.id


def test_a_seat_that_is_not_there_is_told(copy: Path) -> None:
    with Store(copy / "league.db") as store:
        replay = store.whole(next(store.matches())).replay
    text = zlib.compress(msgspec.json.encode(first(seat=9)(replay)))
    change(copy, "UPDATE record SET replay = ?", text)
    problems = [problem for _, problem in found(copy)]
    assert "its record has a seat 9, and there are 2 seats." in problems
    assert len(problems) == 12


@pytest.fixture
def damaged(copy: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A league of which every rotation 1 is damaged, and which is verified in several pages."""
    change(copy, "UPDATE match SET decisions = decisions + 1 WHERE rotation = 1")
    monkeypatch.setattr(verify, "_PAGE", 1)
    return copy


def test_what_differs_is_listed_and_the_exit_code_is_1(arena: Arena, damaged: Path) -> None:
    result = arena("verify", damaged, "--workers", "1")
    assert result.exit_code == 1
    assert result.stdout.endswith("12 matches verified; 6 differ.\n")
    assert result.stderr == (
        f"arena: 6 problems in {damaged}, above; put back a copy of its database from before.\n"
    )
    report = json.loads(arena("verify", damaged, "--workers", "1", "--format", "json").stdout)
    assert (report["matches"], report["differ"], report["other_rules"]) == (12, 6, {})
    assert [row["match"][-2:] for row in report["problems"]] == ["-1"] * 6
    assert all("its decisions" in row["problem"] for row in report["problems"])


@pytest.mark.slow  # processes are its subject
def test_any_number_of_workers_finds_the_same(arena: Arena, damaged: Path) -> None:
    words = ("verify", damaged, "--format", "simple", "--workers")
    assert len({arena(*words, workers).output for workers in (1, 2, 3)}) == 1
    assert not multiprocess.active_children()
    run = verify.Verification(damaged, 2).run()
    next(run)
    multiprocess.active_children()[0].kill()
    with pytest.raises(RunError, match="a process that verified matches was killed"):
        list(run)
    assert not multiprocess.active_children()
    run = verify.Verification(damaged, 2).run()
    next(run)
    run.close()
    assert not multiprocess.active_children()

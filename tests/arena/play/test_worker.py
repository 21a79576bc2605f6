"""A worker's table: which process plays what, and what happens to a deal that cannot be played."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from arena.play import memory, worker
from arena.play.worker import Batch, Report, Setup, Table, Task
from arena.store.opening import read_league
from arena.store.result import PlayedMatch
from referee.game import Move
from referee.games import GAMES
from referee.games.guerra.game import Guerra
from referee.limits import Limits
from referee.sandbox import Launcher
from tests.arena.conftest import League

TALKATIVE = """
import os, kit, guerra_random
def tell(match):
    print(f"process {os.getpid()}")
kit.run(guerra_random.choose, on_start=tell)
"""
"""A bot that plays at random and tells its process in every match."""

DEALS = [Task((0, 1), number, [0, 1]) for number in range(4)]

SetTable = Callable[..., Table]


@pytest.fixture
def set_table(league: League) -> Iterator[SetTable]:
    """Return tables for two talkative bots."""
    entries = league.bot("ada", TALKATIVE) + league.bot("bob", TALKATIVE)
    league.write(
        'game = "guerra"\nseed = 1\noptions.max_turns = 20\nlimits.sandbox = "none"\n' + entries
    )
    with Launcher("none") as launcher:
        made: list[Table] = []

        def make(game: str = "guerra", **limits: Any) -> Table:
            asked = read_league(league.folder)
            setup = Setup(
                game=game,
                options={"max_turns": 20},
                limits=Limits(sandbox="none", move_time=5.0, **limits),
                schedule=asked.schedule,
                names=[bot.name for bot in asked.bots],
                programs=[bot.program for bot in asked.bots],
            )
            made.append(Table(setup, launcher))
            return made[-1]

        yield make
        for table in made:
            table.close()


def answer(table: Table, *tasks: Task) -> Report:
    """Return all that a table reports of a batch, as one report."""
    whole = Report()
    for report in table.answer(Batch(tasks=list(tasks))):
        assert not whole.done
        whole.played += report.played
        whole.failed += report.failed
        whole.done = report.done
    assert whole.done
    return whole


def processes(played: PlayedMatch) -> Mapping[int, str]:
    """Return the process that played for each bot."""
    texts = played.record.open_evidence().stderr
    found = [re.findall(r"process \d+", text) for text in texts]
    assert all(len(each) == 1 for each in found), texts
    return {bot: each[0] for bot, each in zip(played.result.bots, found, strict=True)}


def test_a_batch_is_played_in_all_its_rotations(set_table: SetTable) -> None:
    report = answer(set_table(), *DEALS)
    assert [(each.result.number, each.result.rotation) for each in report.played] == [
        (task.number, rotation) for task in DEALS for rotation in task.rotations
    ]
    seated = [each.result.bots for each in report.played[:2]]
    assert seated[0] == seated[1][::-1]


def test_only_the_rotations_asked_for_are_played(set_table: SetTable) -> None:
    (played,) = answer(set_table(), Task((0, 1), 0, [1])).played
    assert played.result.rotation == 1


def test_the_first_match_is_reported_before_the_second_is_played(set_table: SetTable) -> None:
    """Whoever waits for it is not to wait for the bots of another rotation."""
    table = set_table()
    for bot in (0, 1):
        (checked,) = table.answer(Batch(check=[bot]))
        assert not checked.unfit
    first = next(table.answer(Batch(tasks=DEALS)))
    assert [each.result.match[-2:] for each in first.played] == ["-0"]


def test_a_process_plays_one_rotation_and_so_no_deal_twice(set_table: SetTable) -> None:
    rotations = defaultdict(set)
    for played in answer(set_table(), *DEALS).played:
        for process in processes(played).values():
            rotations[process].add(played.result.rotation)
    assert sorted(map(sorted, rotations.values())) == [[0], [0], [1], [1]]


def test_fresh_gives_every_match_new_processes(set_table: SetTable) -> None:
    report = answer(set_table(fresh=True), *DEALS)
    used = [process for played in report.played for process in processes(played).values()]
    assert len(set(used)) == len(used) == 16


def test_no_more_processes_live_than_the_cap(
    set_table: SetTable, league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "LIVE_PROCESSES", 2)
    report = answer(set_table(), *DEALS[:2])
    assert len(league.processes()) == 2
    used = {process for played in report.played for process in processes(played).values()}
    assert len(used) == 8


def test_fewer_processes_live_where_memory_is_short(
    set_table: SetTable, league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = set_table()
    (checked,) = table.answer(Batch(check=[0]))
    ((bot, size),) = checked.sizes
    assert bot == 0
    assert 1 << 20 < size < 100 << 20  # what Python needs for a small program
    monkeypatch.setattr(memory, "available", lambda: size)
    reports = list(table.answer(Batch(tasks=DEALS[:2])))
    assert sum(len(report.played) for report in reports) == 4
    assert len(league.processes()) == 2
    (told,) = [sentence for report in reports for sentence in report.news]
    assert " keeps only 2 processes of bots at once, as memory is short. " in told
    (again,) = list(table.answer(Batch(tasks=DEALS[2:3])))[-1:]
    assert again.news == []


def test_closing_the_table_ends_the_processes(set_table: SetTable, league: League) -> None:
    table = set_table()
    answer(table, DEALS[0])
    assert len(league.processes()) == 4
    table.close()
    assert not league.processes()


def test_who_leaves_the_table_plays_no_more(set_table: SetTable) -> None:
    table = set_table()
    table.leave()
    report = answer(table, *DEALS)
    assert report.played == []


def test_bots_are_checked_on_request(set_table: SetTable, league: League) -> None:
    (league.home / "bob" / "bot.py").write_text("raise SystemExit(3)")
    (report,) = set_table().answer(Batch(check=[0, 1]))
    ((bot, reason),) = report.unfit
    assert bot == 1
    assert "exited with code 3" in reason


def test_a_bot_that_does_not_start_again_forfeits(set_table: SetTable, league: League) -> None:
    (league.home / "bob" / "bot.py").write_text("raise SystemExit(3)")
    (first, second) = answer(set_table(), DEALS[0]).played
    for played in (first, second):
        seat = played.result.bots.index(1)
        assert played.result.forfeits == [seat]
        assert played.result.faults[seat] == {"startup": 1}
        assert played.result.places[seat] == 2


class Broken(Guerra):
    """A game with a fault in its rules, which only one deal meets."""

    name = "broken"
    bad_seed = ""

    def apply(self, moves: Mapping[int, Move]) -> None:
        if self.chance.seed == self.bad_seed:
            raise ZeroDivisionError("a fault of the referee's own")
        super().apply(moves)


def test_a_deal_the_referee_cannot_play_is_named_and_the_others_are_played(
    set_table: SetTable, league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    schedule = read_league(league.folder).schedule
    monkeypatch.setattr(Broken, "bad_seed", schedule.deal_seed(DEALS[1].deal))
    monkeypatch.setitem(GAMES, "broken", Broken)
    report = answer(set_table("broken"), *DEALS)
    ((task, error),) = report.failed
    assert task == DEALS[1]
    assert "ZeroDivisionError: a fault of the referee's own" in error
    assert Counter(each.result.number for each in report.played) == {0: 2, 2: 2, 3: 2}
    assert not any(kinds for each in report.played for kinds in each.result.faults)


def test_bots_whose_match_broke_off_play_the_next_with_new_processes(
    set_table: SetTable, league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They were told of a start and never of an end."""
    schedule = read_league(league.folder).schedule
    monkeypatch.setattr(Broken, "bad_seed", schedule.deal_seed(DEALS[1].deal))
    monkeypatch.setitem(GAMES, "broken", Broken)
    report = answer(set_table("broken"), *DEALS[:3])
    before, after = (
        processes(next(each for each in report.played if each.result.number == number))
        for number in (0, 2)
    )
    assert set(before.values()).isdisjoint(after.values())


def test_playing_leaves_no_files_behind(set_table: SetTable, league: League) -> None:
    answer(set_table(), DEALS[0])
    assert league.files() == ["league.toml"]
    assert sorted(path.name for path in (league.home / "ada").iterdir()) == [
        "bot.py",
        "guerra_random.py",
        "kit.py",
    ]

"""Orders carried out: which process plays what, and what comes of a deal that cannot be played."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import pytest

from arena.play import executor, memory, messages
from arena.play.executor import Executor
from arena.play.messages import Check, Done, Fit, Left, Play, Results, Setup, Task, Word
from arena.store.opening import read_league
from arena.store.result import PlayedMatch
from referee.catalog.finding import Source
from referee.games import GAMES
from referee.games.guerra.game import Guerra
from referee.limits import Limits
from referee.rules.game import Move
from referee.sandbox import Launcher
from tests.arena.conftest import League

TALKATIVE = """
import os, kit, guerra_random
def tell(match):
    print(f"process {os.getpid()}")
kit.run(guerra_random.choose, on_start=tell)
"""
"""A bot that plays at random and tells its process in every match."""

DEALS = [Task((0, 1), number, (0, 1)) for number in range(4)]

SetUp = Callable[..., Executor]


@pytest.fixture
def set_up(league: League) -> Iterator[SetUp]:
    entries = league.bot("ada", TALKATIVE) + league.bot("bob", TALKATIVE)
    league.write(
        'game = "guerra"\nseed = 1\noptions.max_turns = 20\nlimits.sandbox = "none"\n' + entries
    )
    with Launcher("none") as launcher:
        made: list[Executor] = []

        def make(game: str = "guerra", **limits: Any) -> Executor:
            asked = read_league(league.folder)
            setup = Setup(
                game=Source(game, "bundled"),
                options={"max_turns": 20},
                limits=Limits(sandbox="none", move_time=5.0, **limits),
                schedule=asked.schedule,
                names=[bot.name for bot in asked.bots],
                programs=[bot.program for bot in asked.bots],
            )
            made.append(Executor(setup, GAMES[game], {"none": launcher}))
            return made[-1]

        yield make
        for executor in made:
            executor.close()


def told(executor: Executor, *tasks: Task) -> list[Word]:
    *words, end = executor.carry_out(Play(list(tasks)))
    assert [isinstance(word, Done | Left) for word in (*words, end)] == [False] * len(words) + [
        True
    ]
    return words


def matches(words: Iterable[Word]) -> list[PlayedMatch]:
    return [each for word in words if isinstance(word, Results) for each in word.matches]


def answer(executor: Executor, *tasks: Task) -> list[PlayedMatch]:
    return matches(told(executor, *tasks))


def processes(played: PlayedMatch) -> Mapping[int, str]:
    texts = played.record.open_evidence().stderr
    found = [re.findall(r"process \d+", text) for text in texts]
    assert all(len(each) == 1 for each in found), texts
    return {bot: each[0] for bot, each in zip(played.result.bots, found, strict=True)}


def test_the_first_match_is_reported_before_the_second_is_played(set_up: SetUp) -> None:
    """Whoever waits for it is not to wait for the bots of another rotation."""
    executor = set_up()
    for bot in (0, 1):
        checked, end = executor.carry_out(Check(bot))
        assert isinstance(checked, Fit)
        assert end == Done()
    first = next(executor.carry_out(Play(DEALS)))
    assert [each.result.match[-2:] for each in matches([first])] == ["-0"]


def test_no_more_processes_live_than_the_cap(
    set_up: SetUp, league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executor, "LIVE_PROCESSES", 2)
    found = answer(set_up(), *DEALS[:2])
    assert len(league.processes()) == 2
    used = {process for played in found for process in processes(played).values()}
    assert len(used) == 8


def test_fewer_processes_live_where_memory_is_short(
    set_up: SetUp, league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    executor = set_up()
    checked, _ = executor.carry_out(Check(0))
    assert isinstance(checked, Fit)
    assert 1 << 20 < checked.memory < 100 << 20  # what Python needs for a small program
    monkeypatch.setattr(memory, "available", lambda: checked.memory)
    words = told(executor, *DEALS[:2])
    assert len(matches(words)) == 4
    assert len(league.processes()) == 2
    (news,) = [word.text for word in words if isinstance(word, messages.News)]
    assert " keeps only 2 processes of bots. The other bots are started anew " in news
    assert not any(isinstance(word, messages.News) for word in told(executor, *DEALS[2:3]))


class BrokenGame(Guerra):
    """A game with a fault in its rules, which only one deal meets."""

    name = "broken"
    bad_seed = ""

    def apply(self, moves: Mapping[int, Move]) -> None:
        if self.chance.seed == self.bad_seed:
            raise ZeroDivisionError("a fault of the referee's own")
        super().apply(moves)


def test_a_deal_that_the_referee_cannot_play_is_named_and_the_others_are_played(
    set_up: SetUp, league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    schedule = read_league(league.folder).schedule
    monkeypatch.setattr(BrokenGame, "bad_seed", schedule.seed(DEALS[1].deal, 0))
    monkeypatch.setitem(GAMES, "broken", BrokenGame)
    words = told(set_up("broken"), *DEALS)
    (failed,) = [word for word in words if isinstance(word, messages.Failed)]
    assert failed.task == DEALS[1]
    assert "ZeroDivisionError: a fault of the referee's own" in failed.error
    played = matches(words)
    assert Counter(each.result.number for each in played) == {0: 2, 2: 2, 3: 2}
    assert not any(kinds for each in played for kinds in each.result.faults)
    before, after = (  # who was told of a start and never of an end plays no more
        processes(next(each for each in played if each.result.number == number))
        for number in (0, 2)
    )
    assert set(before.values()).isdisjoint(after.values())


def test_a_match_during_which_all_were_told_to_end_is_not_reported(set_up: SetUp) -> None:
    """Neither if a bot ended by the signal nor if it did not: that is its choice."""
    executor = set_up()
    assert len(answer(executor, DEALS[0])) == 2
    executor.interrupt()
    assert [*executor.carry_out(Play([DEALS[1]]))] == [Left()]

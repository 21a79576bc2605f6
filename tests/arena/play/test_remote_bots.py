"""Runs in which some bots are there at times: what waits for them, and what does not.

To the runner a remote bot is one of which the setup has a digest.
"""

import random
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import chain
from time import process_time
from typing import TypeAlias

import msgspec
import pytest

from arena.play.events import Notice, Problem, Suspended
from arena.play.executor import Executor
from arena.play.messages import Away, Done, Failed, Order, Play, Results, Task, Unfit, Word
from arena.play.remotes import ConnectedBots
from arena.play.runner import Runner
from arena.play.workforce import Event, Heard, Worker
from arena.schedule.deal import BotIndex
from arena.store.opening import read_league
from arena.store.result import PlayedMatch
from referee.games import GAMES
from referee.limits import Limits
from referee.sandbox import Launcher
from tests.arena.conftest import STEADY, League
from tests.arena.play.test_workforce import Still, played, setup

DIGEST = "1" * 64
ADA, BOB, SAGE, TOM = map(BotIndex, range(4))
NAMES = ("ada", "bob", "sage", "tom")
More: TypeAlias = Callable[[Collection[BotIndex]], Iterable[Task] | None] | None


class Slots(Still):
    ahead = 1
    shares_deals = True
    batch_seconds = 0.0

    def __init__(self, count: int, script: Callable[["Slots"], Sequence[Event]]) -> None:
        self.workers = [Slot() for _ in range(count)]
        self.is_over = False
        self.handed: list[Task] = []
        self._script = script

    def events(self, patience: float) -> Sequence[Event]:
        if self.is_over:
            self.workers = []
            return []
        return self._script(self)

    def leave(self) -> None:
        self.is_over = True

    release_idle = leave

    @property
    def playing(self) -> list[Task]:
        return [task for each in self.workers for given in each.given for task in given.tasks()]

    def all_end(self, word: Callable[[Task], Word] | None = None) -> list[Event]:
        """Let all that is being played end."""
        self.handed += self.playing
        return [*chain.from_iterable(self.after(word or won, task) for task in self.playing)]

    def after(self, word: Callable[[Task], Word], task: Task) -> list[Event]:
        """Return what is heard of a slot whose match is over."""
        each = next(each for each in self.workers if each.given and _of(each) == task)
        return [Heard(each, word(task)), Heard(each, Done())]


class Slot(Worker):
    """A slot to which nothing is really sent."""

    def _send(self, order: Order) -> None:
        assert isinstance(order, Play)
        assert len(order.tasks) == 1


def _of(slot: Slot) -> Task:
    (task,) = slot.given[0].tasks()
    return task


def won(task: Task) -> Results:
    return Results([played(task.number, task.rotations[0], task.lineup)], 0.0)


def gone(task: Task) -> Away:
    return Away(task, "it is not connected", has_begun=False)


def scripted(
    tasks: Iterable[Task], connected: ConnectedBots, slots: Slots, more: More = None
) -> tuple[Runner, list[Results | Notice]]:
    told = setup(*NAMES, remotes={SAGE: DIGEST, TOM: DIGEST})
    runner = Runner(told, tasks, slots, more, connected)
    return runner, [*chain.from_iterable(runner.run())]


def pairs(lineup: tuple[BotIndex, ...], count: int) -> list[Task]:
    return [Task(lineup, number, (0, 1), is_mirrored=False) for number in range(count)]


def results(events: Sequence[Results | Notice]) -> int:
    return sum(len(event.matches) for event in events if isinstance(event, Results))


@pytest.mark.slow
def test_as_many_as_like_can_wait_and_all_others_are_played() -> None:
    """More than are kept for a worker that can play them, and at little cost."""
    began = process_time()
    tasks = [*pairs((ADA, SAGE), 50_000), *pairs((ADA, BOB), 50)]
    slots = Slots(10, Slots.all_end)
    runner, events = scripted(tasks, ConnectedBots(), slots)
    assert process_time() - began < 10
    assert results(events) == len(slots.handed) == 100
    assert runner.absent == [SAGE]
    assert not any(isinstance(event, Problem | Suspended) for event in events)


def test_nobody_is_waited_for_with_a_bot_that_was_suspended_meanwhile() -> None:
    bar = Unfit(ADA, "it said nothing")
    tasks = [*pairs((ADA, SAGE), 10), *pairs((ADA, BOB), 1)]
    slots = Slots(2, lambda slots: slots.all_end(lambda _: bar))
    runner, events = scripted(tasks, ConnectedBots(), slots)
    assert events == [Suspended("ada", "failed its start-up check: it said nothing")]
    assert runner.absent == []


@pytest.mark.parametrize("seed", range(4))
def test_nobody_plays_more_at_once_than_it_can_and_nothing_is_lost(seed: int) -> None:
    """Whoever comes and goes, and is not there when its match is to begin."""
    rng = random.Random(seed)
    connected = ConnectedBots()
    rooms = {("sage", DIGEST): 0, ("tom", DIGEST): 0}
    looks = 0

    def play(slots: Slots) -> list[Event]:
        nonlocal looks
        looks += 1
        before = Counter(bot for task in known for bot in task.lineup)
        now = slots.playing
        counts = Counter(bot for task in now for bot in task.lineup)
        for bot, (key, room) in zip((SAGE, TOM), rooms.items(), strict=True):
            assert counts[bot] <= max(before[bot], room), key
        ending = [task for task in now if rng.random() < 0.5]
        found: list[Event] = []
        for task in ending:
            is_remote = {SAGE, TOM}.intersection(task.lineup)
            found += slots.after(gone if is_remote and rng.random() < 0.2 else won, task)
        known[:] = [task for task in now if task not in ending]
        rooms.update({key: rng.choice([0, 1, 2]) for key in rooms if rng.random() < 0.2})
        if looks > 500:
            rooms.update(dict.fromkeys(rooms, 2))
        connected.tell(rooms)
        return found

    known: list[Task] = []
    tasks = [*pairs((ADA, SAGE), 20), *pairs((SAGE, TOM), 20), *pairs((ADA, BOB), 1000)]
    runner, events = scripted(tasks, connected, Slots(6, play))
    assert (results(events), runner.absent) == (2080, [])
    assert not any(isinstance(event, Problem | Suspended) for event in events)
    matches = [each for event in events if isinstance(event, Results) for each in event.matches]
    keys = {(*sorted(m.result.bots), m.result.number, m.result.rotation) for m in matches}
    assert len(keys) == len(matches)


@pytest.mark.parametrize("room", [0, 2])
def test_no_more_is_asked_for_while_matches_wait(room: int) -> None:
    connected = ConnectedBots()
    connected.tell({("sage", DIGEST): room})
    asked: list[int] = []
    slots = Slots(4, Slots.all_end)
    tasks = [*pairs((ADA, SAGE), 2), *pairs((ADA, BOB), 2)]
    scripted(tasks, connected, slots, lambda _: asked.append(len(slots.handed)))
    assert (len(slots.handed), asked) == ((8, [8]) if room else (4, []))


class Distracted(Executor):
    """An executor that does not find a remote bot when the second rotation is to begin."""

    def _match(self, task: Task, rotation: int) -> PlayedMatch | Failed | Away | None:
        if rotation:
            return Away(task.of((rotation,)), "it is not connected", has_begun=False)
        return super()._match(task, rotation)


def test_what_is_left_of_a_deal_is_handed_back_after_what_was_played(league: League) -> None:
    bots = [league.bot(name, STEADY.format(pause=0)) for name in ("ada", "sage")]
    league.write('game = "guerra"\nseed = 1\nlimits.sandbox = "none"\n' + "".join(bots))
    plan = read_league(league.folder)
    told = msgspec.structs.replace(
        setup("ada", "sage", remotes={BOB: DIGEST}),
        options={"max_turns": 20},
        limits=Limits(sandbox="none", move_time=30, startup=30),
        schedule=plan.schedule,
        programs=[bot.program for bot in plan.bots],
    )
    with Launcher("none") as launcher:
        executor = Distracted(told, GAMES["guerra"], {"none": launcher})
        words = [*executor.carry_out(Play(pairs((ADA, BOB), 2)))]
        executor.close()
    kinds = [type(word) for word in words]
    assert kinds == [Results, Away, Results, Away, Done]
    assert words[1] == Away(pairs((ADA, BOB), 1)[0].of((1,)), "it is not connected", False)

"""Which remote bots are connected; the tasks that wait for them, and in which order they go on."""

import threading
from collections import Counter
from collections.abc import Iterable

import pytest

from arena.play import remotes as module
from arena.play.messages import Task
from arena.play.remotes import ConnectedBots, RemoteQueue
from arena.schedule.deal import BotIndex
from tests.arena.play.test_workforce import played

ADA, BOB, SAGE, TOM, UMA = map(BotIndex, range(5))
REMOTES = {SAGE: ("sage", "1" * 64), TOM: ("tom", "2" * 64), UMA: ("uma", "3" * 64)}


def task(*bots: BotIndex, number: int = 0) -> Task:
    return Task(bots, number, (0,))


class Waiting:
    """A queue, the connected that it looks at, and what is being played."""

    def __init__(self) -> None:
        self.connected = ConnectedBots()
        self.queue = RemoteQueue(REMOTES, self.connected, lambda _: False)
        self.playing: list[Task] = []

    def come(self, **rooms: int) -> None:
        known = dict(REMOTES.values())
        self.connected.tell({(name, known[name]): room for name, room in rooms.items()})
        self.look()

    def look(self) -> None:
        self.queue.look(each.lineup for each in self.playing)

    def offer(self, tasks: Iterable[Task]) -> None:
        self.playing += [each for each in tasks if self.queue.admits(each)]

    def called(self) -> list[Task]:
        self.look()
        found = [*iter(self.queue.call, None)]
        self.playing += found
        return found

    def over(self, *tasks: Task) -> None:
        for each in tasks:
            self.playing.remove(each)
        self.look()


@pytest.fixture
def waiting() -> Waiting:
    return Waiting()


def test_tasks_wait_for_who_is_not_there_and_are_called_in_their_order(waiting: Waiting) -> None:
    assert waiting.queue.admits(task(ADA, BOB))  # who are here
    assert not waiting.queue
    tasks = [task(ADA, SAGE, number=number) for number in range(3)]
    waiting.offer(tasks)
    assert waiting.playing == []
    assert waiting.called() == []
    waiting.come(sage=2)
    assert waiting.called() == tasks[:2]
    waiting.over(tasks[0])
    assert waiting.called() == tasks[2:]
    assert not waiting.queue


def test_a_new_task_waits_behind_others_and_one_that_was_handed_out_before_comes_first(
    waiting: Waiting,
) -> None:
    new = [task(ADA, SAGE, number=number) for number in range(3)]
    waiting.offer(new[:2])
    old = task(BOB, SAGE)
    assert not waiting.queue.readmits(old)
    waiting.come(sage=2)
    waiting.offer(new[2:])
    assert waiting.called() == [old, new[0]]
    waiting.over(old)
    assert waiting.queue.readmits(old)  # as there is room
    assert waiting.queue.call() is None  # as there is none now


def test_bots_and_lines_have_their_turns(waiting: Waiting) -> None:
    """Long lines of one bot do not hold up another's."""
    waiting.offer(task(ADA, SAGE, number=number) for number in range(100))
    waiting.offer(task(SAGE, UMA, number=number) for number in range(2))
    waiting.offer(task(ADA, TOM, number=number) for number in range(2))
    waiting.come(sage=50, tom=50, uma=50)
    first = [waiting.queue.call() for _ in range(6)]
    lineups = Counter(each.lineup for each in first if each is not None)
    assert lineups[ADA, TOM] == 2
    assert lineups[SAGE, UMA] == 2


def test_who_was_not_there_after_all_is_asked_again_after_a_pause(
    waiting: Waiting, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    monkeypatch.setattr(module, "monotonic", lambda: now)
    waiting.come(sage=1, tom=1)
    gone = task(ADA, SAGE)
    assert waiting.queue.note_absence(gone) == []
    waiting.look()
    assert not waiting.queue.readmits(gone)
    waiting.offer([task(ADA, TOM)])  # who has nothing to do with it
    assert waiting.playing == [task(ADA, TOM)]
    assert waiting.queue.absent == []  # it is said to be there
    waiting.over(task(ADA, TOM))
    pauses = []
    while len(pauses) < 8:  # they grow, up to some seconds
        began = now
        while not waiting.called():
            now += 0.25
        pauses.append(now - began)
        waiting.over(gone)
        waiting.queue.note_absence(gone)
        waiting.look()
        assert not waiting.queue.readmits(gone)
    assert pauses == [0.25, 0.5, 1, 2, 4, 8, 8, 8]
    waiting.come(sage=1, tom=2)  # a change ends the pause
    assert waiting.called() == [gone]


def test_who_is_not_there_again_and_again_is_named_once(
    waiting: Waiting, monkeypatch: pytest.MonkeyPatch
) -> None:
    def named(times: int) -> list[list[BotIndex]]:
        return [waiting.queue.note_absence(task(ADA, SAGE)) for _ in range(times)]

    waiting.come(sage=9)
    assert named(30) == [[]] * 30  # all in one pause
    monkeypatch.setattr(module, "_PAUSE", 0.0)
    waiting.come(sage=1)
    for _ in range(5):
        assert [SAGE] not in named(5)
        waiting.queue.note_played([played(0, 0, (ADA, SAGE))])  # it was there between
    assert sorted(named(30)) == [[]] * 29 + [[SAGE]]
    waiting.come(sage=2)
    assert [SAGE] in named(30)


def test_tasks_of_a_suspended_bot_leave(waiting: Waiting) -> None:
    waiting.offer([task(ADA, SAGE), task(BOB, SAGE), task(SAGE, TOM), task(ADA, UMA)])
    waiting.queue.remove(ADA)
    waiting.queue.remove(TOM)
    assert waiting.queue.absent == [SAGE]
    waiting.come(sage=9, tom=9, uma=9)
    assert waiting.called() == [task(BOB, SAGE)]
    assert not waiting.queue
    waiting.offer([task(BOB, UMA)])  # a line that was there before
    assert waiting.playing[-1] == task(BOB, UMA)


def test_the_absent_are_those_without_whom_nothing_goes_on(waiting: Waiting) -> None:
    assert waiting.queue.absent == []
    waiting.offer([task(ADA, TOM), task(SAGE, UMA)])
    assert waiting.queue.absent == [SAGE, TOM, UMA]
    waiting.come(sage=1)
    assert waiting.queue.absent == [TOM, UMA]
    waiting.come(tom=1)  # whom a task can be played with now
    assert waiting.queue.absent == []
    assert waiting.called() == [task(ADA, TOM)]
    assert waiting.queue.absent == [SAGE, UMA]


def test_who_is_not_named_has_no_room_and_only_changes_are_counted() -> None:
    connected = ConnectedBots()
    assert connected.room(*REMOTES[SAGE]) == 0
    connected.tell({REMOTES[SAGE]: 0})  # as good as not there
    assert connected.changes == 0
    rooms = {REMOTES[SAGE]: 3}
    connected.tell(rooms)
    rooms[REMOTES[SAGE]] = 5  # what is told is taken as it is then
    assert connected.room(*REMOTES[SAGE]) == 3
    assert connected.room("sage", REMOTES[TOM][1]) == 0  # another version of it
    connected.tell({REMOTES[TOM]: 0, REMOTES[SAGE]: 3})
    assert connected.changes == 1
    connected.tell({REMOTES[TOM]: 1})
    assert (connected.room(*REMOTES[SAGE]), connected.room(*REMOTES[TOM])) == (0, 1)
    connected.tell({})
    assert connected.changes == 3


def test_who_has_read_the_last_change_has_read_the_last_state() -> None:
    """Told by another thread at any moment."""
    connected = ConnectedBots()
    last = 20_000
    teller = threading.Thread(
        target=lambda: [connected.tell({REMOTES[SAGE]: room}) for room in range(1, last + 1)]
    )
    teller.start()
    changes = room = 0
    while changes < last:
        changes = connected.changes
        assert changes <= (room := connected.room(*REMOTES[SAGE]))
    teller.join()
    assert room == last

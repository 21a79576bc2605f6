"""What a run has to play: all that the schedule asks for and nothing that is stored."""

from collections import Counter
from itertools import islice
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from arena.league.bot import Bot
from arena.play.missing import FIRST_DEALS, Missing, Part, count_missing
from arena.schedule.deal import Deal, first_bots
from arena.store.store import Store
from tests.arena.schedule.cases import Case, calm, case, cases
from tests.benchmarks.ready_worker import ready

Match = tuple[Deal, int]


def asked(found: Case) -> list[Match]:
    return [
        (deal, rotation)
        for deal in found.asked.plan()
        for rotation in found.schedule.order(deal) or ()
    ]


def stored(found: Case, matches: list[Match]) -> Store:
    store = Store(Path(":memory:"), create=True)
    bots = [
        Bot(each.key, Path("/"), ("true",), (), plays_as=each.version) for each in found.entrants
    ]
    played = [ready(found.schedule, deal, rotation) for deal, rotation in matches]
    store.add(played, store.bots.rows(bots), played_at="")
    return store


def missing(found: Case, store: Store, part: Part) -> list[Match]:
    """Return what is missing, of which as much is counted."""
    tasks = Missing(found.asked, found.schedule, store.known.matches(found.rotation_count), part)
    matches = [(task.deal, rotation) for task in tasks for rotation in task.rotations]
    deals = {deal for deal, _ in matches}
    assert count_missing(found, store, part) == (len(deals), len(matches))
    return matches


@settings(calm, max_examples=20)
@given(found=cases(most_seats=3), data=st.data())
def test_what_is_missing_is_asked_for_and_not_stored_and_the_first_deals_of_new_bots_come_first(
    found: Case, data: st.DataObject
) -> None:
    matches = asked(found)
    kept = [match for match in matches if data.draw(st.booleans())]
    new = {bot for bot in first_bots(len(found.entrants)) if data.draw(st.booleans())}
    parts = data.draw(st.integers(1, 3))
    with stored(found, kept) as store:
        absent = [missing(found, store, Part(number + 1, parts)) for number in range(parts)]
        known = store.known.matches(found.rotation_count)
        tasks = [*Missing(found.asked, found.schedule, known, Part(1, 1), new)]
    expected = [match for match in matches if match not in kept]
    assert Counter(match for part in absent for match in part) == Counter(expected)
    assert all(sorted(part, key=matches.index) == part for part in absent)
    played = [(task.deal, rotation) for task in tasks for rotation in task.rotations]
    assert Counter(played) == Counter(expected)
    first = [task.number < FIRST_DEALS and not new.isdisjoint(task.lineup) for task in tasks]
    if len(new) < len(found.entrants):
        assert first == sorted(first, reverse=True)
    else:  # a league that begins
        assert played == expected


def test_a_bot_is_placed_by_a_whole_deal_of_its_version() -> None:
    found = case("a", "b", "c", deals=2)
    ab, ac, *_ = [deal for deal in found.asked.plan() if deal.number == 1]
    with stored(found, [(ab, 0), (ab, 1), (ac, 0)]) as store:
        placed = {key for key, _ in store.known.placed(found.rotation_count, first=2)}
        assert placed == {"a", "b"}
        assert store.known.placed(found.rotation_count, first=1) == set()


def test_nothing_is_missing_when_all_is_stored_and_more() -> None:
    more, fewer = case("a", "b", "c", deals=5), case("a", "b", "c", deals=4)
    with stored(more, asked(more)) as store:
        assert missing(fewer, store, Part(1, 1)) == []
    one = case("a", "b", deals=1)
    (deal,) = one.asked.plan()
    with stored(one, [(deal, 0), (deal, 2)]) as store:  # a rotation that no deal has
        assert missing(one, store, Part(1, 1)) == [(deal, 1)]


def test_what_is_missing_is_found_as_it_is_played() -> None:
    """A league of very many matches takes no more memory than a small one."""
    found = case("a", "b", deals=2_000_000)
    with stored(found, []) as store:
        absent = Missing(found.asked, found.schedule, store.known.matches(found.rotation_count))
        assert count_missing(found, store) == (2_000_000, 4_000_000)
        assert [task.number for task in islice(absent, 3)] == [0, 1, 2]

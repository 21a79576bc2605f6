"""Which matches are wanted: who lost, how closely, and which ones are examples of it."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
import pytest

from arena.league.bot import Bot
from arena.store.choosing import Ending, MatchChoice, encountered, pairings
from arena.store.rows import BotVersion, SeatedResult
from arena.store.store import Store
from tests.arena.store.test_store import SETTINGS, match, short

BOTS = [Bot(name, Path("/"), ("true", name), ()) for name in ("one", "two", "six")]
NAMES = [BotVersion(bot.name, bot.version) for bot in BOTS]


def result(**places: int) -> SeatedResult:
    return SeatedResult(tuple(BotVersion(name, "") for name in places), tuple(places.values()))


TABLES = {
    1: result(a=1, b=2, c=3, d=4),
    2: result(b=1, a=1, c=1, d=1),
    3: result(c=2, d=1, a=2, b=4),
    4: result(a=1, b=1, c=3, d=4),
    5: result(b=1, c=2),
}


@pytest.mark.parametrize(
    ("choice", "leads"),
    [
        (MatchChoice("a"), {1: 1, 2: 0, 3: -1, 4: 0}),  # held against the best other one
        (MatchChoice("a", ending="lost"), {3: -1}),
        (MatchChoice("a", ending="won"), {1: 1, 4: 0}),  # nobody was better, and somebody worse
        (MatchChoice("a", ending="drawn"), {2: 0}),
        (MatchChoice("a", "b", "drawn"), {2: 0, 4: 0}),  # held against that one alone
        (MatchChoice("d", "b"), {1: -2, 2: 0, 3: 3, 4: -3}),
        (MatchChoice("c", "b", "lost"), {1: -1, 4: -2, 5: -1}),
        (MatchChoice("z"), {}),
        (MatchChoice(closest=True), {1: 1, 2: 0, 3: 1, 4: 0, 5: 1}),  # the best two
    ],
)
def test_a_bot_is_held_against_the_best_other_one(
    choice: MatchChoice, leads: Mapping[int, int]
) -> None:
    assert {pair.result: pair.lead for pair in pairings(TABLES, choice)} == leads


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Matches of `one`, which sits second, against two rivals; with scores but for the last."""
    played: list[tuple[str, str, tuple[int, int], tuple[int, int] | None, int, int]] = [
        ("a", "two", (1, 2), (9, 2), 7, 0),
        ("b", "two", (1, 2), (9, 8), 7, 0),
        ("c", "two", (1, 2), (9, 8), 30, 2),  # as close, and longer
        ("d", "two", (2, 1), (1, 9), 7, 1),
        ("e", "six", (1, 2), (4, 1), 7, 0),
        ("f", "two", (1, 2), None, 3, 3),  # a forfeit
    ]
    with Store(tmp_path / "league.db", create=True) as made:
        made.settings.keep(SETTINGS)
        for deal, rival, places, scores, decisions, late in played:
            rows = made.bots.rows([BOTS[0], next(bot for bot in BOTS if bot.name == rival)])
            one = match(
                deal,
                number=ord(deal),
                places=places,
                faults=({}, {"late": late} if late else {}),
                forfeits=(1,) if scores is None else (),
                scores=scores,
            )
            lasting = msgspec.structs.replace(one.result, decisions=decisions)
            one = msgspec.structs.replace(one, result=lasting)
            made.add([one], rows, played_at="2026-01-01T00:00:00")
        yield made


def listed(store: Store, choice: MatchChoice, limit: int | None = None) -> str:
    return "".join(short(found.id)[0] for found in store.matches(choice, limit=limit))


@pytest.mark.parametrize(
    ("choice", "deals"),
    [
        (MatchChoice("one"), "abcdef"),
        (MatchChoice("one", closest=True), "cbeadf"),  # no scores: last
        (MatchChoice("one", "two", "lost", closest=True), "cbaf"),
        (MatchChoice("one", ending="won"), "d"),
        (MatchChoice("two", ending="won", closest=True), "cbaf"),
        (MatchChoice("one", ending="lost", faulty=True), "cf"),
        (MatchChoice("two", faulty=True), ""),  # the faults are those of the other
        (MatchChoice(faulty=True), "cdf"),
        (MatchChoice(closest=True), "cbeadf"),
        (MatchChoice("six", "two"), ""),
    ],
)
def test_matches_are_chosen_and_counted(store: Store, choice: MatchChoice, deals: str) -> None:
    assert (listed(store, choice), store.count(choice)) == (deals, len(deals))
    assert listed(store, choice, limit=2) == deals[:2]
    unordered = {short(found.id)[0] for found in store.matches(choice, ordered=False)}
    assert unordered == {*deals}


def test_places_and_length_say_how_close_a_match_without_scores_was(store: Store) -> None:
    store.db.execute("UPDATE match SET scores = NULL")
    assert listed(store, MatchChoice("one", closest=True)) == "cabdef"


def test_each_rival_has_its_examples(store: Store) -> None:
    rivals = {BotVersion("two", BOTS[1].version): 1, BotVersion("six", BOTS[2].version): 2}
    pairs = encountered(store.tallies.results(), NAMES[0], rivals)
    found = {(rival, what): short(one.id)[0] for rival, what, one in store.examples(pairs)}
    assert found == {
        (1, "closest"): "c",
        (1, "clearest"): "a",
        (1, "faulty"): "c",  # lost, as the one of d was not
        (2, "closest"): "e",
        (2, "clearest"): "e",
    }


def test_an_ending_is_one_of_three() -> None:
    endings: tuple[Ending, ...] = ("won", "drawn", "lost")
    for name in "abcd":
        chosen = [[*pairings(TABLES, MatchChoice(name, ending=each))] for each in endings]
        sat = [each for each in TABLES.values() if BotVersion(name, "") in each.bots]
        assert sum(map(len, chosen)) == len(sat)

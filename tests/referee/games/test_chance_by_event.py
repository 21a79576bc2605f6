"""Chance goes by event: whatever is chosen, what the rules still hold in common falls the same.

The same deal is played again and again: by other choosers, with one seat choosing otherwise once,
and by the same choosers one seat on. What must be the same then stands in `chances`.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from random import Random
from typing import Any, NamedTuple

import pytest

from referee.games import GAMES
from referee.rules.game import Game, Move
from referee.testing.schema import snapshot
from referee.testing.trial import MOST_DECISIONS, Case
from tests.referee.games.chances import RULES
from tests.referee.games.conformance import cases_of
from tests.referee.games.events import Draw, Name, Rule, WatchedChance

DEALS = 4
MOMENTS = (0.0, 0.2, 0.5)
"""How far a play has come, as a part of its decisions, when one seat chooses otherwise."""

Chooser = Callable[[Game, int, int], Move]
"""How a seat chooses; decisions are numbered from 0."""

every_game = pytest.mark.parametrize("name", GAMES)


class Play(NamedTuple):
    """One play of a deal."""

    draws: Mapping[Name, Draw]
    piles: Mapping[tuple[str, Name | None], list[tuple[int, list[Any]]]]
    """What was left of each pile, by the event that last renewed it; each time with the step."""
    steps: list[int]
    """The step in which each decision was made."""


class Pair(NamedTuple):
    """Two plays of a deal that are the same until a step."""

    one: Play
    other: Play
    parted: int


def played(case: Case, deal: str, choose: Chooser) -> Play:
    """Play a deal to its end."""
    game: Game = case.new(deal, WatchedChance)
    rule = RULES[game.name]
    chance = game.chance
    assert isinstance(chance, WatchedChance)
    rule.prepare(game)
    chance.place = lambda what: rule.events[what].place(game) if what in rule.events else ()
    piles: dict[tuple[str, Name | None], list[tuple[int, list[Any]]]] = {}
    steps: list[int] = []
    while True:
        chance.step += 1
        last = {rule.renews(event): event for event in chance.draws}
        for pile, cards in rule.piles(game).items():
            piles.setdefault((pile, last.get(pile)), []).append((chance.step, [*cards]))
        seats = game.deciders()
        if not seats:
            return Play(chance.draws, piles, steps)
        first = len(steps)
        steps += [chance.step] * len(seats)
        assert len(steps) <= MOST_DECISIONS
        game.apply({seat: choose(game, seat, first + at) for at, seat in enumerate(seats)})


def steady(rule: Rule, seed: object = 0) -> Chooser:
    """Return a chooser that decides by the number of the decision and the table alone."""
    return lambda game, seat, number: rule.choose(game, seat, Random(f"{seed} {number}"))


def otherwise(rule: Rule, at: int) -> Chooser:
    """Return the steady chooser that chooses otherwise once: at a decision, or soon after it."""
    usual, done = steady(rule), False

    def choose(game: Game, seat: int, number: int) -> Move:
        nonlocal done
        move = usual(game, seat, number)
        if done or number < at:
            return move
        for attempt in range(20):
            other = rule.choose(game, seat, Random(f"other {attempt}"))
            if snapshot(other) != snapshot(move):
                done = True
                return other
        return move

    return choose


def cases(name: str) -> list[Case]:
    """Return what to play of a game."""
    rule = RULES[name]
    seats = rule.seats or GAMES[name].seat_counts[0]
    return [Case(GAMES[name], seats, changed) for changed in rule.options]


@cache
def pairs(name: str) -> list[Pair]:
    """Return plays of the same deals that part at the first decision, or later, for one move."""
    rule, found = RULES[name], []
    for case, number in product(cases(name), range(DEALS)):
        deal = f"deal {number}"
        one = played(case, deal, steady(rule))
        found.append(Pair(one, played(case, deal, steady(rule, "another")), 0))
        bots = [steady(rule, f"bot {seat}") for seat in range(case.seats)]
        first, second = (played(case, deal, seated(bots, rotation)) for rotation in (0, 1))
        found.append(Pair(first, second, 0))
        for moment in MOMENTS if one.steps else ():
            at = int(moment * len(one.steps))
            other = played(case, deal, otherwise(rule, at))
            found.append(Pair(one, other, one.steps[at]))
    return found


def in_both(pair: Pair) -> Iterator[tuple[Name, Draw, Draw]]:
    """Yield what comes up in both plays once they have parted."""
    for event, draw in pair.one.draws.items():
        if draw.step >= pair.parted and event in pair.other.draws:
            yield event, draw, pair.other.draws[event]


@pytest.mark.quick(1)
@every_game
def test_all_that_the_table_says_comes_up(name: str) -> None:
    plays = [play for pair in pairs(name) for play in (pair.one, pair.other)]
    plays += [played(case, "deal", steady(RULES[name])) for case in cases_of(name)]
    found = {(event[0], draw.step < 0) for play in plays for event, draw in play.draws.items()}
    assert {what for what, _ in found} == RULES[name].deal | set(RULES[name].events)
    assert {what for what, dealt in found if not dealt} <= set(RULES[name].events)


@pytest.mark.quick(3)
@every_game
def test_an_event_is_named_by_its_place_in_the_rules(name: str) -> None:
    """Not by what was drawn before it."""
    for pair in pairs(name):
        for play in (pair.one, pair.other):
            for event, draw in play.draws.items():
                if draw.step >= 0:
                    assert event[1 : 1 + len(draw.place)] == draw.place, event


@every_game
def test_a_choice_leaves_what_is_to_come(name: str) -> None:
    """As far as the table promises: no test of what is in common would mean anything without."""
    both: Counter[str] = Counter()
    fewer: Counter[str] = Counter()
    for pair in pairs(name):
        both.update(str(event[0]) for event, *_ in in_both(pair))
        one, other = (
            Counter(str(event[0]) for event, draw in play.draws.items() if draw.step >= pair.parted)
            for play in (pair.one, pair.other)
        )
        fewer += one & other
    for what, event in RULES[name].events.items():
        assert fewer[what], what
        assert both[what] >= event.shared * fewer[what], what


def assert_one_pile(piles: list[list[Any]]) -> None:
    """Assert that all are what is left of one pile, which is drawn from at one end."""
    longest = max(piles, key=len)
    beginnings = (longest[: len(cards)] == cards for cards in piles)
    ends = (longest[len(longest) - len(cards) :] == cards for cards in piles)
    assert all(beginnings) or all(ends)


@every_game
def test_the_cards_to_come_are_the_same(name: str) -> None:
    """A pile is only drawn from, at one end, and is the same in both plays until it is renewed."""
    drawn = set()
    for pair in pairs(name):
        for (pile, renewal), one in pair.one.piles.items():
            other = pair.other.piles.get((pile, renewal), [])
            assert_one_pile([cards for _, cards in one])
            if renewal is None:
                assert_one_pile([cards for _, cards in [*one, *other]])
            if all(sizes_after(seen, pair.parted) > 1 for seen in (one, other)):
                drawn.add(pile)
    assert drawn == {pile for pair in pairs(name) for pile, _ in pair.one.piles}


def sizes_after(seen: list[tuple[int, list[Any]]], step: int) -> int:
    """Return how many sizes a pile had after a step."""
    return len({len(cards) for at, cards in seen if at >= step})


def seated(bots: Sequence[Chooser], rotation: int) -> Chooser:
    """Return what bots choose who sit so many seats on."""
    return lambda game, seat, number: bots[(seat + rotation) % len(bots)](game, seat, number)

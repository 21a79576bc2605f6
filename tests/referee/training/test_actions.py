"""Moves as numbers: every legal one has its own, or a row, and none is there for nothing."""

import json
import re
from itertools import islice, permutations, product
from pathlib import Path
from random import Random
from string import printable
from typing import Annotated, Any, Literal

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET, Meta, UnsetType

from protocol.errors import ArenaError
from referee.catalog.loading import find_game
from referee.games import GAMES
from referee.rules.chance import Chance
from referee.rules.field import UNIQUE
from referee.rules.form import AnyForm, Form, kind_of
from referee.rules.game import Game
from referee.rules.options import new_game, read_options
from referee.rules.pattern import texts_of
from referee.testing.trial import sampling
from referee.training.actions import MOST_MOVES, AllMoves, Rows, actions_of
from tests.referee.games.conformance import CASES, moments
from tests.referee.games_for_tests import Countdown, RoundsOptions

OUTSIDE = Path(__file__).parents[2] / "outside" / "package" / "outside_games"
LISTED = ("steal_war", "khan", "duel")
ROWS = ("guerra", "war", "pyanitsa")


@pytest.mark.parametrize("name", [*LISTED, *ROWS])
def test_every_legal_move_has_a_row_and_every_row_is_of_the_right_form(name: str) -> None:
    case = next(case for case in CASES if case.kind.name == name)
    rows, rng = Rows(case.new()), Random(1)
    game = case.new("a deal")
    for seat, move in islice(moments(game, sampling()), 60):
        decision = game.decision(seat)
        for each in [move, *(decision.legal or ())]:
            row = rows.row(decision.name, each)
            assert len(row) == len(rows.sizes)
            assert all(0 <= at < size for at, size in zip(row, rows.sizes, strict=True))
            made = rows.move(decision.name, row)
            assert game.read(seat, made) == game.read(seat, each)
    for name, form in case.kind.decisions.items():
        for _ in range(100):
            move = rows.move(name, [rng.randrange(size) for size in rows.sizes])
            assert kind_of(form).read(move) == move


def numbered(game: Game) -> AllMoves:
    """Return the numbers of a game's moves."""
    every = actions_of(game)
    assert isinstance(every, AllMoves)
    return every


COUNTS = {"steal_war": 57, "khan": 1108, "duel": 139, "auction": 1001}
"""The last one lists no moves, and is numbered by its form."""


@pytest.mark.parametrize(("name", "count"), COUNTS.items())
def test_every_legal_move_has_a_number_of_its_own_whatever_was_dealt(name: str, count: int) -> None:
    """They are few; that they are all that is listed is a step of check-game."""
    kind = GAMES.get(name) or find_game(str(OUTSIDE / name))
    game, other = (new_game(kind, 2, read_options(kind, {}), seed) for seed in ("1", "2"))
    every = numbered(game)
    assert {*every.decisions} == {*kind.decisions} == every.by_decision.keys()
    assert numbered(other).moves == every.moves
    told = zip(every.decisions, every.moves, strict=True)
    assert [every.number(decision, move) for decision, move in told] == [*range(count)]
    for seat, move in moments(other, sampling()):
        assert every.moves[every.number(other.decision(seat).name, move)] == move


def with_form(form: AnyForm) -> Game:
    """Return a game whose decision is of a form."""
    kind = type("Other", (Countdown,), {"decisions": {"step": form}})
    return kind(seats=2, options=RoundsOptions(), chance=Chance("1"))


def test_a_move_that_leaves_out_a_default_has_the_number_of_the_whole_one() -> None:
    every = numbered(with_form(Plainer))
    number = every.number("step", {"flag": True, "unknown": 1})
    assert number == every.number("step", {"bonus": 3, "flag": True})
    assert every.moves[number] == {"flag": True, "bonus": 3}


class Plainer(Form):
    """A field with a default."""

    flag: bool
    bonus: Annotated[int, Meta(ge=0, le=3)] = 3


class Deep(Form):
    """A form in another one."""

    low: Annotated[int, Meta(ge=-1, le=1)]


class Plain(Form):
    """Every kind of field."""

    kind: Literal["plain"]
    flag: bool
    even: Annotated[int, Meta(ge=1, le=7, multiple_of=3)]
    text: Annotated[str, Meta(pattern="^[ab]{1,2}$", max_length=1)]
    card: Annotated[Literal["X", 1, None], Meta(description="One.")]
    heir: Annotated[str, Meta(pattern="^(K|Q)$")] | None = None
    maybe: Annotated[int, Meta(ge=0, le=1)] | UnsetType = UNSET


class Lists(Form):
    """Everything that holds others."""

    kind: Literal["lists"]
    once: Annotated[list[Annotated[str, Meta(pattern="^[xyz]$")]], UNIQUE, Meta(min_length=1)]
    dice: Annotated[list[Annotated[int, Meta(ge=1, le=2)]], Meta(min_length=1, max_length=2)]
    deep: Annotated[list[Deep], Meta(max_length=1)]
    armies: dict[Annotated[str, Meta(pattern="^[pq]$")], Annotated[int, Meta(ge=0, le=1)]]


def every_move(form: AnyForm) -> list[Any]:
    """Return what the rows of a form give, each once."""
    kind = kind_of(form)
    made = (kind.made(iter(numbers)) for numbers in product(*map(range, kind.sizes())))
    return [json.loads(text) for text in {json.dumps(move, sort_keys=True) for move in made}]


def test_the_rows_of_a_form_are_all_its_values() -> None:
    found = every_move(Plain)
    assert len(found) == 2 * 2 * 2 * 3 * 3 * 3
    assert {move["even"] for move in found} == {3, 6}
    assert {move["text"] for move in found} == {"a", "b"}
    assert {move["heir"] for move in found} == {"K", "Q", None}
    assert {move.get("maybe", "absent") for move in found} == {0, 1, "absent"}
    found = every_move(Lists)
    once = [row for count in (1, 2, 3) for row in permutations("xyz", count)]
    dice = [row for count in (1, 2) for row in product((1, 2), repeat=count)]
    assert sorted({tuple(move["once"]) for move in found}) == sorted(once)
    assert {tuple(move["dice"]) for move in found} == {*dice}
    armies = 9  # each of two may be absent, 0 or 1
    assert len(found) == len(once) * len(dice) * (1 + 3) * armies


@settings(max_examples=60)
@given(st.data())
def test_a_row_of_any_move_gives_the_move(data: st.DataObject) -> None:
    kind = kind_of(Plain | Lists)
    numbers = [data.draw(st.integers(0, size - 1)) for size in kind.sizes()]
    move = kind.made(iter(numbers))
    assert kind.read(move) == move
    again = kind.numbers(move)
    assert len(again) == len(numbers)
    assert kind.made(iter(again)) == move


def form_of(hint: Any) -> type[Form]:
    """Return a form with one field of a type."""
    form: type[Form] = msgspec.defstruct("One", [("field", hint)], bases=(Form,))
    return form


@pytest.mark.parametrize(
    ("hint", "told"),
    [
        (str, '"field" may be any text.'),
        (Annotated[str, Meta(pattern="^a+$")], '"field" may be any text like ^a+$.'),
        (int, '"field" may be any number.'),
        (Annotated[int, Meta(le=5)], '"field" may be any number up to 5.'),
        (Annotated[int, Meta(ge=5)], '"field" may be any number from 5 on.'),
        (list[bool], '"field" may be of any length.'),
        (Annotated[list[int], Meta(max_length=2)], 'an entry of "field" may be any number.'),
        (int | None, '"field" may be any number.'),
        (
            Annotated[list[bool], Meta(max_length=10**9)],
            '"field" may hold 1000000000 entries, more than 4096.',
        ),
        (
            Annotated[list[Annotated[int, Meta(ge=1, le=10**9)]], UNIQUE, Meta(max_length=2)],
            '"field" may hold more than 4096 different entries.',
        ),
    ],
)
def test_a_field_without_an_end_is_named(hint: Any, told: str) -> None:
    with pytest.raises(ArenaError) as caught:
        actions_of(with_form(form_of(hint)))
    assert str(caught.value).endswith(f"in the decision step, {told}")


@pytest.mark.parametrize(("most", "kind"), [(MOST_MOVES, AllMoves), (MOST_MOVES + 1, Rows)])
def test_rows_stand_for_moves_that_are_too_many(most: int, kind: type) -> None:
    assert type(actions_of(with_form(form_of(Annotated[int, Meta(ge=1, le=most)])))) is kind


@pytest.mark.parametrize(
    "pattern",
    [
        *("^$", "^a$", r"\Aa\Z", "^[a-c]$", "^[a-c1]?$", "^(a|bc|)$", "^(a|ab)(c|bc)$", "^a{2,3}$"),
        *("^(?:a|b){0,2}$", "^[.]$", r"^\.$", "^a??$", "^(?P<x>a)b$"),
    ],
)
def test_the_texts_of_a_pattern_are_those_that_fit_it(pattern: str) -> None:
    found = texts_of(pattern)
    letters = [each for each in printable if each in "abc1.|"]
    brute = ["".join(row) for length in range(5) for row in product(letters, repeat=length)]
    assert len({*found}) == len(found)
    assert {*found} == {text for text in brute if re.search(pattern, text)}


@pytest.mark.parametrize(
    "pattern",
    [
        *("", "a", "^a", "a$", "^a*$", "^a+$", "^.$", r"^\d$", "^[^a]$", "^(a)\\1$", "^(?=a)a$"),
        *("^[a-z]{3}$", "^(a$)|b$", "^(^a)$", "^[a-\U0010ffff]$", "^a{0,5000}$", "^(?i:a)$"),
    ],
)
def test_other_patterns_have_too_many_texts_or_are_not_followed(pattern: str) -> None:
    with pytest.raises(OverflowError):
        texts_of(pattern)

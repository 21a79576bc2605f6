"""Guerra's schemas against its checks, for any reply that might come in."""

from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from referee.games.guerra.battle import DECK, ZONES
from referee.games.guerra.game import Guerra
from tests.referee.games.guerra_positions import (
    at_orders,
    in_battle,
    opening,
    too_many,
    wander,
)

VALIDATORS = {name: Draft202012Validator(schema) for name, schema in Guerra.schemas().items()}


def fits_schema(game, move):
    return VALIDATORS[game.asked].is_valid(move)


@pytest.mark.parametrize("name", Guerra.decisions)
def test_schemas_are_schemas(name):
    Draft202012Validator.check_schema(Guerra.schemas()[name])


def described_fields(schema):
    for field, shape in schema.get("properties", {}).items():
        if shape is not False:
            yield field, shape
            yield from described_fields(shape.get("items", {}))
    for form in schema.get("oneOf", ()):
        yield from described_fields(form)


@pytest.mark.parametrize("name", Guerra.decisions)
def test_every_field_of_a_schema_is_described(name):
    fields = list(described_fields(Guerra.schemas()[name]))
    assert fields
    assert all(shape["description"] for _, shape in fields)


ATOMS = st.one_of(
    st.sampled_from(DECK),
    st.sampled_from(ZONES),
    st.sampled_from(["attack", "incorporate", "mass_transfer", "", "7O ", "8O", "7o", "\ud800"]),
    st.none(),
    st.booleans(),
    st.integers(-1, 12),
    st.sampled_from([1.0, 1e300]),
)
FIELDS = st.sampled_from(
    sorted({field for schema in Guerra.schemas().values() for field, _ in described_fields(schema)})
)
JSON = st.recursive(
    ATOMS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(FIELDS, inner, max_size=4),
    max_leaves=12,
)
OBJECTS = st.dictionaries(FIELDS, JSON, max_size=5)
PLAYS = st.tuples(st.integers(0, 10**6), st.integers(0, 120))


def bent(move, data):
    """Return `move` with one value, at any depth, put in place of another or left out."""
    move = msgspec.json.decode(msgspec.json.encode(move))
    at = move
    while True:
        keys = list(at) if isinstance(at, dict) else list(range(len(at)))
        if not keys:
            return move
        key = data.draw(st.sampled_from(keys))
        if not isinstance(at[key], dict | list) or data.draw(st.booleans()):
            break
        at = at[key]
    if data.draw(st.booleans()):
        at[key] = data.draw(JSON)
    else:
        del at[key]
    return move


@settings(max_examples=150)
@given(st.sampled_from([opening, at_orders, in_battle, too_many]), OBJECTS)
def test_any_object_is_checked_and_what_fails_the_schema_is_refused(asked, move):
    game = asked()
    assert game.refusal(game.to_move, move) is not None or fits_schema(game, move)


@pytest.mark.parametrize("asked", [opening, at_orders, in_battle, too_many])
def test_a_reply_nested_out_of_all_bounds_is_refused(asked):
    deep = []
    for _ in range(100_000):
        deep = [deep]
    fields = {"rearguard", "centre", "action", "transfers", "attackers", "target", "cards"}
    assert asked().refusal(asked().to_move, dict.fromkeys(fields, deep))


@settings(max_examples=250)
@given(PLAYS, st.data())
def test_a_bent_reply_is_checked_and_what_fails_the_schema_is_refused(where, data):
    game = wander(*where, archers=data.draw(st.sampled_from(["volley", "aimed"])))
    for seat in game.deciders():
        move = bent(game.sample(seat, Random(where[0])), data)
        assert game.refusal(seat, move) is not None or fits_schema(game, move)


@settings(max_examples=80)
@given(PLAYS)
def test_the_default_is_legal_and_so_are_samples(where):
    game = wander(*where, transfers=2, knight_duel="any_suit", archers="aimed")
    for seat in game.deciders():
        for move in (game.default(seat), *(game.sample(seat, Random(n)) for n in range(5))):
            assert game.refusal(seat, move) is None
            assert fits_schema(game, move)

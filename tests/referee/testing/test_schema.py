"""The small check of JSON Schemas says what jsonschema says, and names what it does not know."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from referee.testing.schema import JUNK, malformed, misfit

SCHEMAS: list[dict[str, Any]] = [
    {"type": ["integer", "null"], "minimum": 1, "exclusiveMaximum": 4},
    {"type": "number", "multipleOf": 2, "maximum": 10, "exclusiveMinimum": -3},
    {"enum": [1, "a", None, [0], True]},
    {"const": {"a": [1]}},
    {"type": "string", "minLength": 1, "maxLength": 2, "pattern": "^[a0]"},
    {"type": "array", "items": {"type": "integer"}, "minItems": 1, "uniqueItems": True},
    {"type": "array", "prefixItems": [{"type": "integer"}], "items": {"type": "string"}},
    {"type": "array", "contains": {"const": 0}, "maxItems": 2},
    {"type": "object", "properties": {"a": {"type": "integer"}}, "additionalProperties": False},
    {"type": "object", "required": ["a"], "minProperties": 1, "maxProperties": 1},
    {"type": "object", "propertyNames": {"pattern": "^a"}},
    {"type": "object", "patternProperties": {"^a": {"type": "integer"}}},
    {"anyOf": [{"type": "integer"}, {"minimum": 0}]},
    {"oneOf": [{"type": "integer"}, {"minimum": 0}]},
    {"allOf": [{"type": "integer"}, {"not": {"const": 4}}]},
    {"$ref": "#/$defs/one", "$defs": {"one": {"type": "boolean"}}},
]
words = st.sampled_from(["", "a", "0", "ab", "b"])
leaves = st.sampled_from(JUNK) | st.integers(-5, 12) | st.sampled_from([2.0, 1.5, -0.5]) | words
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=5,
)


@pytest.mark.quick(2)
@pytest.mark.parametrize("schema", SCHEMAS, ids=json.dumps)
def test_a_value_fits_as_jsonschema_has_it(schema: dict[str, Any]) -> None:
    assert malformed(schema) is None
    validator = Draft202012Validator(schema)

    @given(values)
    @settings(max_examples=200, derandomize=True)
    def compare(value: Any) -> None:
        assert (misfit(schema, value) is None) == validator.is_valid(value)

    compare()


@pytest.mark.parametrize(
    ("schema", "named"),
    [
        ({"requires": ["a"]}, "'requires'"),
        ({"properties": {"a": {"if": {}}}}, "'if' in a"),
        ({"type": "int"}, "'int'"),
        ({"items": 3}, "a schema in items is a int"),
    ],
)
def test_what_is_not_known_is_named(schema: dict[str, Any], named: str) -> None:
    found = malformed(schema)
    assert found is not None
    assert named in found

"""Forms of replies: what is said once gives the schema, the refusals and the recorded move."""

import json
from typing import Annotated, Any, Literal

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from msgspec import UNSET, Meta, UnsetType

from referee.rules.chance import Chance
from referee.rules.field import UNIQUE, Wrong, written
from referee.rules.form import AnyForm, Form, reading_of, schema_of
from referee.rules.game import Move
from tests.referee.games_for_tests import Countdown, RoundsOptions

Card = Annotated[str, Meta(title="a card", pattern="^[A-C][1-9]$", examples=["A1", "C9"])]


class Step(Form):
    """One step."""

    card: Annotated[Card, Meta(description="Who steps.")]
    to: Literal["left", "right"] = "left"


class Everything(Form):
    """A field of each kind,

    and what is said of it.
    """

    whole: Annotated[int, Meta(ge=1, le=6, description="A die.")]
    even: Annotated[int, Meta(ge=2, multiple_of=2)]
    flag: bool
    text: Annotated[str, Meta(min_length=1, max_length=5)]
    card: Card
    suit: Literal["red", "black"]
    cards: Annotated[list[Card], UNIQUE, Meta(max_length=3)]
    four: Annotated[list[Annotated[int, Meta(ge=0)]], Meta(min_length=4, max_length=4)]
    steps: list[Step]
    armies: dict[Card, Annotated[int, Meta(ge=0)]]
    heir: Annotated[Card | None, Meta(description="Null for none.")]
    nothing: None = None
    bonus: Annotated[int, Meta(le=9)] = 3
    maybe: int | UnsetType = UNSET
    least: Annotated[int | None, Meta(ge=1, le=12)] = None


RIGHT: Move = {
    "whole": 6,
    "even": 4,
    "flag": False,
    "text": "hello",
    "card": "A1",
    "suit": "red",
    "cards": ["A1", "B2"],
    "four": [0, 1, 2, 3],
    "steps": [{"card": "C3", "to": "right"}],
    "armies": {"A1": 0, "B1": 7},
    "heir": None,
    "nothing": None,
    "bonus": 3,
    "maybe": 5,
    "least": 12,
}


class Strict(Form, forbid_unknown_fields=True):
    """No other field."""

    bet: int
    tie: int = 0


class Turn(Form):
    """What to do."""


class Draw(Turn):
    """Draw a card."""

    action: Annotated[Literal["draw"], Meta(description="Peace.")]


class Attack(Turn):
    """Attack a seat."""

    action: Literal["attack"]
    target: int


class Keep(Form):
    """Keep it."""

    place: Card
    use: Literal[False]


class Use(Form):
    """Use it."""

    place: Card
    use: Literal[True]
    number: int = 1


class Stop(Form):
    """Stop."""

    attackers: Annotated[list[Card], Meta(max_length=0)]


class Sweep(Form):
    """A sweep."""

    attackers: Annotated[list[Card], Meta(min_length=1)]
    target: Card


class Assault(Form):
    """An attack or the end."""

    shapes = (Stop, Sweep)

    attackers: list[Card]
    target: Card | UnsetType = UNSET


class Spoken(Form):
    """Words."""

    from_: Literal["me", "you"] = msgspec.field(name="from")
    say: str


class Mixed(Form, forbid_unknown_fields=True):
    """Values of several types, and a field that may be absent."""

    which: Literal[1, "one", None]
    more: bool | UnsetType = UNSET


FORMS: dict[str, AnyForm] = {
    "everything": Everything,
    "strict": Strict,
    "turn": Draw | Attack,
    "use": Keep | Use,
    "assault": Assault,
    "spoken": Spoken,
    "mixed": Mixed,
}


def read(form: AnyForm, move: Move) -> Move | str:
    """Return what is recorded of a reply, or why it is refused."""
    reading = reading_of(form)
    try:
        slowly = reading.read(move)
    except Wrong as wrong:
        assert not reading.is_right(move)
        return str(wrong)
    if reading.is_right(move):
        assert json.dumps(slowly) == json.dumps(move)
    return slowly


def test_of_values_of_several_types_each_is_right_and_what_equals_it_is_not() -> None:
    is_right = reading_of(Mixed).is_right
    for which in (1, "one", None):
        assert is_right({"which": which})
        assert is_right({"more": False, "which": which})
    wrong: list[Move] = [{"which": each} for each in (True, 1.0, 2, False, "1", [1], {"one": 1})]
    wrong += [{"which": 1, "more": each} for each in (None, 0, 1, "true", [])]
    wrong += [{"which": 1, "other": True}, {"which": 1, "more": True, "other": 1}]
    wrong += [{"more": True}, {"other": 1}, {}]
    for sent in wrong:
        assert isinstance(read(Mixed, sent), str), sent


def test_a_field_may_be_one_of_two_forms() -> None:
    holder = msgspec.defstruct("Holder", [("turn", Draw | Attack)], bases=(Form,))
    assert read(holder, {"turn": {"action": "draw"}}) == {"turn": {"action": "draw"}}
    assert isinstance(read(holder, {"turn": {"action": "flee"}}), str)


def test_no_text_of_a_form_is_compiled() -> None:
    name, text = """x'] or True or value['x""", """' or True or '"""
    field = ("text", Literal[text], msgspec.field(name=name))  # type: ignore[valid-type]
    spoken = msgspec.defstruct("Spoken", [field], bases=(Form,))
    assert read(spoken, {name: text}) == {name: text}
    assert isinstance(read(spoken, {name: "a"}), str)


def test_a_reply_that_is_right_is_recorded_as_it_is() -> None:
    assert reading_of(Everything).is_right({**RIGHT})
    assert json.dumps(read(Everything, {**RIGHT})) == json.dumps(RIGHT)


def test_fields_left_out_get_their_defaults_and_others_are_dropped() -> None:
    sent = {name: RIGHT[name] for name in [*RIGHT][:11]} | {"unknown": {}}
    sent["steps"] = [{"to": "left", "card": "C3", "why": 1}, {"card": "C4"}]
    found = read(Everything, dict(reversed(sent.items())))
    assert json.dumps(found) == json.dumps(
        {name: RIGHT[name] for name in [*RIGHT][:13]}
        | {"steps": [{"card": "C3", "to": "left"}, {"card": "C4", "to": "left"}], "least": None}
    )


def test_a_default_is_made_anew_each_time() -> None:
    class Listed(Form):
        cards: list[Card] = msgspec.field(default_factory=list)

    first = read(Listed, {})
    assert isinstance(first, dict)
    first["cards"].append("A1")
    assert read(Listed, {}) == {"cards": []}


def test_a_form_without_other_fields_keeps_the_order_they_were_sent_in_and_has_no_others() -> None:
    for sent in ({"tie": 4, "bet": 2}, {"bet": 2, "tie": 4}):
        assert json.dumps(read(Strict, sent)) == json.dumps(sent)
    assert json.dumps(read(Strict, {"bet": 2})) == '{"bet": 2, "tie": 0}'
    told = '\'x\' is no field of this reply, which has only "bet", "tie"'
    assert read(Strict, {"bet": 1, "x": 2}) == told
    assert read(Strict, {"x": 2}) == '"bet" is missing'
    long = read(Strict, {"bet": 1, "y" * 1000: 2})
    assert isinstance(long, str)
    assert len(long) < 100


HUGE = 10**400
SCHEMA = Draft202012Validator(schema_of(Everything))

REFUSED: list[tuple[str, Any, str]] = [
    ("whole", 0, '"whole" must be from 1 to 6, not 0'),
    ("whole", HUGE, '"whole" must be from 1 to 6, not far out of range'),
    ("whole", True, '"whole" must be a whole number, not a boolean'),
    ("whole", 1.0, '"whole" must be a whole number, not a number with a point'),
    ("whole", None, '"whole" must be a whole number, not null'),
    ("even", 3, '"even" must be even, not 3'),
    ("even", 0, '"even" must be at least 2, not 0'),
    ("bonus", 10, '"bonus" must be at most 9, not 10'),
    ("flag", 0, '"flag" must be true or false, not a number'),
    ("text", "", '"text" must have 1 to 5 characters, not 0'),
    ("text", "x" * 6, '"text" must have 1 to 5 characters, not 6'),
    ("card", "A0", "'A0' is not a card; a card is written like 'A1' or 'C9'"),
    ("card", "A1\n", "'A1\\n' is not a card; a card is written like 'A1' or 'C9'"),
    ("card", "A" * 500, f"'{'A' * 30}' is not a card; a card is written like 'A1' or 'C9'"),
    ("card", ["A1"], "a card is written like 'A1' or 'C9', not as a list"),
    ("suit", "green", '"suit" must be "red" or "black"'),
    ("cards", "A1", '"cards" must be a list of cards, not a string'),
    ("cards", ["A1"] * 4, '"cards" must have at most 3 entries, not 4'),
    ("cards", ["A1", "B1", "A1"], "'A1' is named twice"),
    ("cards", ["A1", {}], "a card is written like 'A1' or 'C9', not as an object"),
    ("four", {}, '"four" must be a list of whole numbers, not an object'),
    ("four", [1, 2, 3], '"four" must have exactly 4 entries, not 3'),
    ("four", [1, 2, 3, False], 'entry 3 of "four" must be a whole number, not a boolean'),
    ("four", [1, -2, 3, 4], 'entry 1 of "four" must be at least 0, not -2'),
    ("steps", None, '"steps" must be a list, not null'),
    ("steps", ["A1"], 'entry 0 of "steps" must be an object, not a string'),
    ("steps", [{}], '"card" of entry 0 of "steps" is missing'),
    (
        "steps",
        [RIGHT["steps"][0], {"card": "A1", "to": 1}],
        '"to" of entry 1 of "steps" must be "left" or "right"',
    ),
    ("armies", [], '"armies" must be an object, not a list'),
    ("armies", {"Z1": 1}, "'Z1' is not a card; a card is written like 'A1' or 'C9'"),
    ("armies", {"A1": 1.0}, '"A1" of "armies" must be a whole number, not a number with a point'),
    ("armies", {"A1": -1}, '"A1" of "armies" must be at least 0, not -1'),
    ("nothing", 0, '"nothing" must be null'),
    ("maybe", None, '"maybe" must be a whole number, not null'),
    ("least", 0, '"least" must be from 1 to 12, not 0'),
    ("least", 13, '"least" must be from 1 to 12, not 13'),
]


@pytest.mark.parametrize(("field", "value", "reason"), REFUSED)
def test_a_field_is_refused_in_words_and_by_the_schema(field: str, value: Any, reason: str) -> None:
    sent = {**RIGHT, field: value}
    assert read(Everything, sent) == reason
    # jsonschema takes 1.0 for a whole number, and a newline for the end of a text
    assert SCHEMA.is_valid(sent) == any(odd in json.dumps(value) for odd in ("1.0", "\\n"))


def test_a_number_that_python_does_not_write_out_is_refused() -> None:
    told = read(Everything, {**RIGHT, "whole": 10**5000})
    assert told == '"whole" must be from 1 to 6, not far out of range'


def test_a_field_without_a_default_may_not_be_missing() -> None:
    for field in [*RIGHT][:11]:
        sent = {name: value for name, value in RIGHT.items() if name != field}
        assert read(Everything, sent) == f'"{field}" is missing'
        assert not SCHEMA.is_valid(sent)
    assert SCHEMA.is_valid({field: RIGHT[field] for field in [*RIGHT][:11]} | {"other": 1})


UNIONS: list[tuple[str, Move, Move | str]] = [
    ("turn", {"action": "draw", "target": "x"}, {"action": "draw"}),
    ("turn", {"target": 1, "action": "attack"}, {"action": "attack", "target": 1}),
    ("turn", {"action": "attack"}, '"target" is missing'),
    ("turn", {"action": "wait"}, '"action" must be "draw" or "attack"'),
    ("turn", {"action": ["draw"]}, '"action" must be "draw" or "attack"'),
    ("turn", {}, '"action" must be "draw" or "attack", and is missing'),
    ("use", {"place": "A1", "use": False}, {"place": "A1", "use": False}),
    ("use", {"use": True, "place": "A1"}, {"place": "A1", "use": True, "number": 1}),
    ("use", {"place": "A1", "use": 1, "number": 1}, '"use" must be true or false'),
    ("use", {"place": "A1"}, '"use" must be true or false, and is missing'),
    ("assault", {"attackers": []}, {"attackers": []}),
    ("assault", {"attackers": [], "target": "A1"}, {"attackers": [], "target": "A1"}),
    ("spoken", {"say": "x", "from": "me"}, {"from": "me", "say": "x"}),
    ("spoken", {"say": "x", "from_": "me"}, '"from" is missing'),
    ("spoken", {"say": "\ud800", "from": "me"}, {"from": "me", "say": "\ud800"}),
]


@pytest.mark.parametrize(("name", "sent", "found"), UNIONS)
def test_a_reply_is_read_by_the_form_that_it_tells(
    name: str, sent: Move, found: Move | str
) -> None:
    again = read(FORMS[name], sent)
    assert again == found
    assert json.dumps(again) == json.dumps(found)


def test_the_schema_says_what_the_form_says_of_its_fields() -> None:
    schema = schema_of(Everything)
    assert schema["description"] == "A field of each kind, and what is said of it."
    card = {"type": "string", "pattern": "^[A-C][1-9]$"}
    for field, says in {
        "whole": {"description": "A die.", "type": "integer", "minimum": 1, "maximum": 6},
        "even": {"type": "integer", "minimum": 2, "multipleOf": 2},
        "cards": {"type": "array", "items": card, "maxItems": 3, "uniqueItems": True},
        "heir": {"description": "Null for none.", **card, "type": ["string", "null"]},
    }.items():
        assert schema["properties"][field] == says
    step = schema["properties"]["steps"]["items"]
    assert step["description"] == "One step."
    assert step["properties"]["card"] == {"description": "Who steps.", **card}


def test_the_schema_of_a_union_has_its_forms_and_what_is_said_of_all() -> None:
    schema = schema_of(FORMS["turn"])
    assert schema["description"] == "What to do."
    assert [form["description"] for form in schema["oneOf"]] == ["Draw a card.", "Attack a seat."]
    assert schema["oneOf"][0]["properties"]["action"] == {"description": "Peace.", "const": "draw"}
    assert "description" not in schema_of(FORMS["use"])
    assert schema_of(Strict)["additionalProperties"] is False


def test_the_shapes_of_a_form_stand_in_its_schema_and_are_told_apart_there() -> None:
    class Told(Assault, forbid_unknown_fields=True):
        """An attack or the end, and no word more."""

    for form, may_have_more in ((Assault, True), (Told, False)):
        validator = Draft202012Validator(schema_of(form))
        assert [each["description"] for each in validator.schema["oneOf"]] == ["Stop.", "A sweep."]
        assert validator.is_valid({"attackers": []})
        assert validator.is_valid({"attackers": ["A1"], "target": "B1"})
        assert not validator.is_valid({"attackers": [], "target": "B1"})
        assert not validator.is_valid({"attackers": ["A1"]})
        assert validator.is_valid({"attackers": [], "note": "so"}) == may_have_more


def test_what_is_no_object_is_refused_whatever_the_forms() -> None:
    for form in FORMS.values():
        assert read(form, []) == "this reply must be an object, not a list"  # type: ignore[arg-type]


def test_values_are_listed_in_order_and_true_before_false() -> None:
    assert written([False, True]) == "true or false"
    assert written([1, 2, True]) == "1, 2 or true"


@pytest.mark.parametrize("name", FORMS)
def test_a_schema_is_valid_and_plain(name: str) -> None:
    schema = schema_of(FORMS[name])
    Draft202012Validator.check_schema(schema)
    assert json.loads(json.dumps(schema)) == schema
    assert "$ref" not in json.dumps(schema)


WORDS = sorted({*RIGHT, "A1", "B2", "action", "draw", "attack", "use", "bet", "from", "say", "me"})
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-2, 7)
    | st.sampled_from([1.0, HUGE, -HUGE])
    | st.sampled_from(WORDS)
    | st.characters(categories=["Cs", "L"])
)
JSON = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=4)
    ),
    max_leaves=10,
)


@pytest.mark.quick(1)
@pytest.mark.parametrize("name", FORMS)
@settings(max_examples=40)
@given(data=st.data())
def test_any_json_object_is_read_or_refused_as_the_schema_says(
    name: str, data: st.DataObject
) -> None:
    sent = data.draw(st.dictionaries(st.sampled_from(WORDS) | st.text(max_size=2), JSON))
    if name == "everything":
        kept = data.draw(st.sets(st.sampled_from([*RIGHT]), min_size=12))
        sent = {field: RIGHT[field] if field in kept else value for field, value in sent.items()}
        sent |= {field: RIGHT[field] for field in kept}
    before = json.dumps(sent)
    found = read(FORMS[name], sent)
    assert json.dumps(sent) == before
    if isinstance(found, str):
        assert len(found) < 300
        assert "$" not in found
    else:
        assert json.dumps(read(FORMS[name], found)) == json.dumps(found)
        if name != "assault":  # whose shapes are narrower
            assert Draft202012Validator(schema_of(FORMS[name])).is_valid(sent)


class Odd(Form):
    point: complex


class Again(Form):
    action: Literal["draw", "wait"]


class Marked(Form):
    steps: Annotated[list[Step], UNIQUE]


@pytest.mark.parametrize(
    ("form", "told"),
    [
        (Odd, "Odd.point is of the type <class 'complex'>, which no form reads"),
        (Attack | Strict, "the forms Attack, Strict are told apart by no field"),
        (Draw | Again, "the forms Draw, Again are told apart by no field"),
        ({"type": "object"}, "a decision takes a form, or a union of forms, not {'type'"),
        (Draw | int, "a decision takes a form, or a union of forms, not <class 'int'>"),
        (Marked, "only a list of texts or of numbers can be UNIQUE"),
    ],
)
def test_a_form_that_cannot_be_read_is_an_error_of_its_author(form: Any, told: str) -> None:
    with pytest.raises(TypeError, match=told):
        reading_of(form)


def test_a_game_with_such_a_form_cannot_be_defined() -> None:
    with pytest.raises(TypeError, match=r"Odd\.point"):
        type("Oddity", (Countdown,), {"decisions": {"take": Odd}})


def test_a_game_reads_by_its_form_before_its_own_rules() -> None:
    class Fussy(Countdown):
        def check(self, seat: int, move: Move) -> str | None:
            return "two is too many" if move["take"] + 1 > 2 else None

        def canonical(self, seat: int, move: Move) -> Move:
            return {**move, "seen": True}

    game = Fussy(seats=2, options=RoundsOptions(), chance=Chance("1"))
    assert game.read(0, {"take": 1, "why": None}) == {"take": 1, "seen": True}
    assert game.read(0, {"take": 2}) == game.refusal(0, {"take": 2}) == "two is too many"
    assert game.read(0, {"take": [2]}) == '"take" must be 1, 2 or 3'
    assert game.refusal(0, {"take": 1}) is None
    assert game.read(1, {"take": 1}) == "nothing is asked of you now"

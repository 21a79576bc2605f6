"""Options as a person writes them: a game's own, or an error that names what is allowed."""

import math
import re
from typing import Annotated, Any, Literal

import msgspec
import pytest
from msgspec import Meta

from protocol.errors import ArenaError
from referee.limits import Limits
from referee.rules.options import allowed, read_settings


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One field of every kind."""

    size: Annotated[int, Meta(ge=1, le=9)] = 3
    pace: Annotated[float, Meta(gt=0, lt=2.5)] = 1.0
    loud: bool = False
    colour: Literal["red", "blue"] = "red"
    words: list[str] = []
    title: str | None = None
    label: str


def read(**raw: Any) -> Any:
    return read_settings(Settings, {"label": "here", **raw}, "setting {} of this test")


def test_what_is_written_is_read_and_what_is_not_has_its_default() -> None:
    assert read() == Settings(label="here")
    raw = {"size": 9, "pace": 2, "loud": True, "colour": "blue", "words": ["a"], "title": "T"}
    assert read(**raw) == Settings(label="here", **raw)


REFUSED: list[tuple[str, list[object], str]] = [
    ("size", [0, 10], "it takes a whole number at least 1 and at most 9."),
    ("size", [1.5, "3", True, None], "it takes a whole number"),
    ("pace", [0, 2.5, math.inf, math.nan], "it takes a number more than 0 and less than 2.5."),
    ("loud", [1, "yes"], "it takes true or false."),
    ("colour", ["green", ["red"]], 'it takes "blue" or "red".'),
    ("words", ["a b", [1]], "it takes a list of text."),
    ("title", [5], "it takes text."),
    ("label", [{}], "it takes text."),
]


@pytest.mark.parametrize(("name", "values", "takes"), REFUSED)
def test_a_wrong_value_is_refused_with_what_is_allowed(
    name: str, values: list[object], takes: str
) -> None:
    for value in values:
        with pytest.raises(ArenaError) as caught:
            read(**{name: value})
        assert str(caught.value).startswith(f"setting '{name}' of this test ")
        assert takes in str(caught.value)


def test_a_wrong_value_is_quoted_as_it_was_written() -> None:
    for value, written in (("3", '"3"'), (True, "true"), (None, "null"), ([1], "[1]"), ({}, "{}")):
        with pytest.raises(ArenaError, match=f"cannot be {re.escape(written)}: it takes"):
            read(size=value)


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (
            {"label": "here", "colur": "red"},
            "there is no setting 'colur' of this test. Did you mean 'colour'?",
        ),
        (
            {"label": "here", "zzz": 1},
            "there is no setting 'zzz' of this test. "
            "Known: colour, label, loud, pace, size, title, words.",
        ),
        ({}, "setting 'label' of this test is missing: it takes text."),
    ],
)
def test_an_unknown_or_missing_name_is_refused_with_what_was_perhaps_meant(
    raw: dict[str, object], says: str
) -> None:
    with pytest.raises(ArenaError) as caught:
        read_settings(Settings, raw, "setting {} of this test")
    assert str(caught.value) == says


def test_nobody_goes_without_a_sandbox_unknowingly() -> None:
    assert read_settings(Limits, {}, "limit {}").sandbox == "landlock"


def test_times_are_positive_and_have_an_end() -> None:
    """A bot that may take for ever stops a tournament, and `poll` takes no such number."""
    for name in ("startup", "move_time", "bank", "increment"):
        for value in (math.inf, -1, *([0] if name == "startup" else [])):
            with pytest.raises(ArenaError, match="it takes a number"):
                read_settings(Limits, {"sandbox": "none", name: value}, "limit {}")
    assert read_settings(Limits, {"move_time": 0, "bank": 60}, "limit {}").decision_seconds == 60
    with pytest.raises(ArenaError, match="have bank = 60"):
        read_settings(Limits, {"move_time": 0, "increment": 1}, "limit {}")


class Stakes(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Two values that may contradict each other."""

    least: Annotated[int, Meta(ge=2, multiple_of=2)] = 10
    most: int = 100

    def __post_init__(self) -> None:
        if self.least > self.most:
            raise ValueError(f"least ({self.least}) is more than most ({self.most}).")


def test_values_that_contradict_each_other_are_refused_in_the_words_of_the_structure() -> None:
    with pytest.raises(ArenaError, match=r"^least \(10\) is more than most \(6\)\.$"):
        read_settings(Stakes, {"most": 6}, "stake {}")
    with pytest.raises(ArenaError, match="it takes a multiple of 2 at least 2"):
        read_settings(Stakes, {"least": 7}, "stake {}")


def test_an_option_of_a_type_unknown_here_is_at_least_named() -> None:
    assert allowed(tuple[int, str]) == "tuple[int, str]"

"""Options as a person writes them: a game's own, or an error that names what is allowed."""

from typing import Annotated, Any, Literal

import msgspec
import pytest
from msgspec import Meta

from protocol.errors import ArenaError
from referee.game import Options
from referee.games import GAMES
from referee.games.guerra.game import Guerra, GuerraOptions
from referee.limits import Limits
from referee.options import allowed, check_seats, new_game, read_options, read_settings, suggestion
from referee.testing.cases import option_sets
from tests.referee.games_for_tests import Countdown, dealt


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


def test_what_is_not_written_has_its_default() -> None:
    assert read() == Settings(label="here")


def test_what_is_written_is_read() -> None:
    raw = {"size": 9, "pace": 2, "loud": True, "colour": "blue", "words": ["a"], "title": "T"}
    assert read(**raw) == Settings(label="here", **raw)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("size", 0, "'size' of this test cannot be 0: it takes a whole number at least 1 and at"),
        ("size", 10, "cannot be 10: it takes a whole number at least 1 and at most 9."),
        ("size", 1.5, "cannot be 1.5: it takes a whole number"),
        ("size", "3", 'cannot be "3": it takes a whole number'),
        ("size", True, "cannot be true: it takes a whole number"),
        ("size", None, "cannot be null: it takes a whole number"),
        ("pace", 0, "cannot be 0: it takes a number more than 0 and less than 2.5."),
        ("pace", 2.5, "cannot be 2.5: it takes a number more than 0 and less than 2.5."),
        ("pace", float("inf"), "it takes a number more than 0 and less than 2.5."),
        ("loud", 1, "cannot be 1: it takes true or false."),
        ("loud", "yes", 'cannot be "yes": it takes true or false.'),
        ("colour", "green", 'cannot be "green": it takes "blue" or "red".'),
        ("colour", ["red"], 'cannot be \\["red"\\]: it takes "blue" or "red".'),
        ("words", "a b", 'cannot be "a b": it takes a list of text.'),
        ("words", [1], "cannot be \\[1\\]: it takes a list of text."),
        ("title", 5, "cannot be 5: it takes text."),
        ("label", {}, "cannot be {}: it takes text."),
    ],
)
def test_a_wrong_value_is_refused_with_what_is_allowed(
    name: str, value: object, message: str
) -> None:
    with pytest.raises(ArenaError, match=message):
        read(**{name: value})


def test_not_a_number_is_refused() -> None:
    with pytest.raises(ArenaError, match="it takes a number more than 0"):
        read(pace=float("nan"))


def test_an_unknown_name_is_refused_with_what_was_perhaps_meant() -> None:
    with pytest.raises(
        ArenaError, match=r"^there is no setting 'colur' of this test. Did you mean 'colour'\?$"
    ):
        read(colur="red")


def test_an_unknown_name_like_none_is_refused_with_all_that_are_known() -> None:
    with pytest.raises(ArenaError, match=r"Known: colour, label, loud, pace, size, title, words.$"):
        read(zzz=1)


def test_what_has_no_default_must_be_written() -> None:
    with pytest.raises(
        ArenaError, match=r"^setting 'label' of this test is missing: it takes text.$"
    ):
        read_settings(Settings, {}, "setting {} of this test")


def test_nobody_goes_without_a_sandbox_unknowingly() -> None:
    assert read_settings(Limits, {}, "limit {}").sandbox == "landlock"


@pytest.mark.parametrize("name", ["startup", "move_time"])
@pytest.mark.parametrize("value", [0, -1])
def test_times_are_positive(name: str, value: float) -> None:
    with pytest.raises(ArenaError, match="it takes a number more than 0"):
        read_settings(Limits, {"sandbox": "none", name: value}, "limit {}")


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


def test_a_number_may_have_to_be_a_multiple() -> None:
    with pytest.raises(ArenaError, match="it takes a multiple of 2 at least 2"):
        read_settings(Stakes, {"least": 7}, "stake {}")


@pytest.mark.parametrize("name", ["startup", "move_time", "bank", "increment"])
def test_times_have_an_end(name: str) -> None:
    """A bot that may take for ever stops a tournament, and `poll` takes no such number."""
    with pytest.raises(ArenaError, match="it takes a number"):
        read_settings(Limits, {"sandbox": "none", name: float("inf")}, "limit {}")


def test_memory_is_in_mebibytes() -> None:
    assert Limits(sandbox="none", memory_mb=512).memory == 512 * 2**20


def test_the_time_control_is_the_part_of_the_limits_that_bots_are_told() -> None:
    limits = Limits(sandbox="none", clock="wall", move_time=0.5, bank=3.0, increment=0.25)
    control = limits.time_control
    assert (control.judge, control.move_time) == ("wall", 0.5)
    assert (control.bank, control.increment) == (3.0, 0.25)


def test_the_options_of_a_game_are_read() -> None:
    options = read_options(Guerra, {"transfers": 2})
    assert options == GuerraOptions(transfers=2)


def test_an_error_in_an_option_names_the_game() -> None:
    with pytest.raises(ArenaError, match=r"^option 'transfers' of guerra cannot be 3: it takes 1"):
        read_options(Guerra, {"transfers": 3})


class Dealt(Options, frozen=True, kw_only=True):
    """Options of which one came after matches had been stored."""

    added = frozenset({"jokers"})

    cards: int = 40
    jokers: int = 0


def test_an_option_added_later_is_not_stored_at_its_default() -> None:
    assert Dealt().stored() == {"cards": 40}
    assert Dealt(cards=48, jokers=2).stored() == {"cards": 48, "jokers": 2}


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_what_is_stored_of_options_says_all_of_them(game: Any) -> None:
    assert game.options_type.added <= {*game.options_type().__struct_fields__}
    for changed in ({}, *option_sets(game)):
        options = read_options(game, changed)
        assert read_options(game, options.stored()) == options


class Big(Guerra):
    """A game that says for how many seats its options are."""

    @classmethod
    def check_seats(cls, options: Options, seats: int) -> None:
        if options != cls.options_type() and seats > 2:
            raise ValueError(f"with {seats} seats, all is as usual.")


def test_options_that_are_not_for_so_many_seats_are_refused() -> None:
    assert read_options(Big, {"transfers": 2}, 2) == GuerraOptions(transfers=2)
    assert read_options(Big, {"transfers": 2}) == GuerraOptions(transfers=2)
    assert read_options(Big, {}, 3) == GuerraOptions()
    with pytest.raises(ArenaError, match=r"^guerra: with 3 seats, all is as usual\.$"):
        read_options(Big, {"transfers": 2}, 3)


def test_an_option_of_a_type_unknown_here_is_at_least_named() -> None:
    assert allowed(tuple[int, str]) == "tuple[int, str]"


def test_a_suggestion_is_the_nearest_word_or_all_of_them() -> None:
    assert suggestion("guera", ["guerra", "war"]) == "Did you mean 'guerra'?"
    assert suggestion("chess", ["guerra", "war"]) == "Known: guerra, war."


def test_a_game_is_played_by_its_own_number_of_seats() -> None:
    check_seats(Guerra, 2)
    with pytest.raises(ArenaError, match=r"^guerra is played by 2 seats, not by 3.$"):
        check_seats(Guerra, 3)


def test_a_new_game_is_dealt_from_the_seed() -> None:
    game = new_game(Countdown, 3, Countdown.options_type(), "a seed")
    assert (game.seats, game.chance.seed) == (3, "a seed")
    again = dealt(Countdown, 3, "a seed")
    assert game.chance.die(6, "any") == again.chance.die(6, "any")

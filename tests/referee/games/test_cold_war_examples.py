"""The worked examples of Cold War's rules page, under their own names."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from referee.game import plain
from referee.games.cold_war.game import ColdWar
from tests.referee.games.cold_war_notation import (
    NULL,
    POSITION_X,
    ZERO,
    counters,
    new,
    play_round,
    reply,
)

NOTHING: Mapping[Any, Any] = MappingProxyType({})


def forces(game: ColdWar) -> list[str]:
    return [
        f"{one}+{two}: {attack['force']} v {attack['against']}"
        for attack in game.attacks
        for one, two in (attack["pair"],)
    ]


class Example(NamedTuple):
    """A row of the rules page's worked examples; `after` holds the seats whose counters change."""

    name: str
    start: tuple[str, ...]
    replies: str
    after: Mapping[int, str] = NOTHING
    attacks: tuple[str, ...] = ()
    null: tuple[int, ...] = ()
    places: tuple[int, ...] = ()
    options: Mapping[str, Any] = NOTHING


ZERO_AND_ONE_WIN = (1, 1, 3, 3)
DRAW = (1, 1, 1, 1)
EXAMPLES = [
    Example("C1", POSITION_X, "attack 1 | arm 2 0 1 1 | arm 2 2 0 0 | arm 2 2 0 0",
            {1: "9 - 10 9 / 0", 2: "8 8 - 12 / 0", 3: "8 8 12 - / 0"}),
    Example("C2", POSITION_X, "attack 1 | attack 0 | arm 2 2 0 0 | arm 2 2 0 0",
            {2: "8 8 - 12 / 0", 3: "8 8 12 - / 0"}, ("0+1: 34 v 32",), places=ZERO_AND_ONE_WIN),
    Example("C3", POSITION_X, "attack 1 | attack 0 | shift 6 6 0 -12 | attack 2",
            {2: "12 12 - 0 / 0"}, ("0+1: 34 v 36",)),
    Example("C4", (*POSITION_X[:3], "6 6 12 - / 2"),
            "attack 1 | attack 0 | arm 2 2 0 0 | arm 3 3 0 0",
            {2: "8 8 - 12 / 0", 3: "9 9 12 - / 0"}, ("0+1: 34 v 34",)),
    Example("C5", ZERO, "attack 1 | attack 0 | pass | pass", {}, ("0+1: 0 v 0",)),
    Example("C6", ZERO, "arm 0 2 1 1 | arm 0 0 0 0 | arm 5 0 0 0 | arm 0 0 1 0",
            {0: "- 2 1 1 / 0", 1: "0 - 0 0 / 4", 3: "0 0 1 - / 3"}, null=(2,)),
    Example("C7", ("- 0 0 0 / 8", "0 - 0 0 / 7", "0 0 - 0 / 20", "0 0 0 - / 20"),
            "arm 0 12 0 0 | arm 12 0 0 0 | arm 13 0 0 0 | arm 4 4 4 0",
            {0: "- 12 0 0 / 0", 3: "4 4 4 - / 12"}, null=(1, 2)),
    Example("C8", ("- 5 9 0 / 3", "12 - 1 1 / 0", *ZERO[2:]),
            "shift 0 -5 -7 12 | shift -12 0 5 7 | pass | pass",
            {0: "- 0 2 12 / 3", 1: "0 - 6 8 / 0"}),
    Example("C9", ("- 5 9 0 / 9", "20 - 0 0 / 9", "5 5 - 5 / 9", ZERO[3]),
            "shift 0 -6 0 6 | shift -13 0 13 0 | shift -3 0 0 2 | shift 1 0 -1 0",
            null=(0, 1, 2, 3)),
    Example("C10", POSITION_X, 'shift 0 0 0 0 | {"play": "arm", "add": [1, 1, 1, 1]}'
            ' | {"play": "arm", "add": [2, -1, 0, 3]} | {"play": "arm", "add": [2.0, 1, 1, 0]}',
            null=(1, 2, 3)),
    Example("C11", POSITION_X, 'attack 1 | {"play": "attack", "with": true}'
            ' | {"play": "attack", "with": 2} | {"play": "attack", "with": 4}',
            null=(1, 2, 3)),
    Example("C12", POSITION_X, "attack 1 | attack 2 | attack 3 | attack 0"),
    Example("C13", POSITION_X, "attack 1 | attack 0 | attack 3 | attack 2",
            attacks=("0+1: 34 v 24", "2+3: 24 v 34"), places=ZERO_AND_ONE_WIN),
    Example("C14", ("- 0 9 9 / 0", "9 - 9 9 / 0", "9 9 - 0 / 0", "9 9 0 - / 0"),
            "attack 1 | attack 0 | attack 3 | attack 2",
            attacks=("0+1: 36 v 36", "2+3: 36 v 36")),
    Example("C15", ("- 50 1 0 / 30", "50 - 0 1 / 0", "1 0 - 40 / 99", "0 0 40 - / 99"),
            "attack 1 | attack 0 | pass | pass",
            attacks=("0+1: 2 v 1",), places=ZERO_AND_ONE_WIN),
    Example("C16", ("- 0 9 1 / 0", "0 - 5 5 / 0", "5 0 - 0 / 8", "0 5 0 - / 0"),
            "attack 1 | attack 0 | arm 0 12 0 0 | nonsense",
            {2: "5 12 - 0 / 0"}, ("0+1: 20 v 22",), null=(3,)),
    Example("C17", POSITION_X, "attack 1 | attack 0 | pass | shift 0 -6 6 0",
            {3: "6 0 18 - / 0"}, ("0+1: 34 v 18",), places=ZERO_AND_ONE_WIN),
    Example("C18", ("- 98 99 0 / 8", *ZERO[1:]), "arm 0 12 0 0 | pass | pass | pass",
            {0: "- 110 99 0 / 0"}),
    Example("C19", POSITION_X, "arm 0 0 2 2 | pass | pass | pass",
            {0: "- 7 11 10 / 0"}, places=DRAW, options={"max_rounds": 1}),
    Example("C20", POSITION_X, "attack 1 | attack 0 | pass | pass",
            attacks=("0+1: 34 v 24",), places=ZERO_AND_ONE_WIN, options={"max_rounds": 1}),
    Example("C21", POSITION_X, "pass | pass | pass | pass",
            places=ZERO_AND_ONE_WIN, options={"max_rounds": 1, "cap_result": "lead"}),
    Example("C22", ZERO, "pass | pass | pass | pass",
            places=DRAW, options={"max_rounds": 1, "cap_result": "lead"}),
    Example("C23", POSITION_X, "attack 1 | attack 0 | attack 0 | attack 1",
            attacks=("0+1: 34 v 24",), places=ZERO_AND_ONE_WIN),
]  # fmt: skip


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_worked_example(example: Example) -> None:
    game = new(example.start, **example.options)
    refused = play_round(game, [reply(text) for text in example.replies.split(" | ")])
    assert tuple(refused) == example.null
    assert game.last is not None
    assert [game.last[seat] for seat in refused] == [NULL] * len(refused)
    expected = {seat: example.after.get(seat, row) for seat, row in enumerate(example.start)}
    assert {seat: counters(game, seat) for seat in range(4)} == expected
    assert tuple(forces(game)) == example.attacks
    assert tuple(game.places()) == example.places
    assert (not game.deciders()) == bool(example.places)


def test_c24_messages_are_cut_and_cleaned_and_exchanges_come_before_plays() -> None:
    game = new(talk=True, talk_exchanges=2, talk_chars=10)
    refused = play_round(game, [{"say": "ally with 2, please"}, {"say": 7}, {"say": "a\nb"}, {}])
    assert refused == [1, 3]
    assert game.messages == [["ally with ", "", "ab", ""]]
    assert game.decision(0).name == "talk"
    play_round(game, [{"say": "yes"}] * 4)
    assert game.decision(0).name == "play"
    assert game.round == 1


def test_c25_what_was_laid_in_a_null_play_is_shown() -> None:
    game = new(POSITION_X, null_plays="shown")
    laid = [reply("arm 0 2 2 1"), reply("shift -8 0 8 0")]
    assert play_round(game, [*laid, reply("pass"), reply("attack 3")]) == [3]
    shown = [{"play": "null", "laid": play} for play in laid]
    assert plain(game.view(2))["last"] == [*shown, reply("pass"), NULL]
    assert tuple(counters(game, seat) for seat in range(4)) == POSITION_X


def test_c26_only_what_the_cards_can_show_may_be_laid() -> None:
    game = new(POSITION_X, null_plays="shown")
    for text in ("arm 0 12 12 0", "shift 0 -12 -12 1", "shift 0 4 4 -1"):
        assert game.refusal(0, reply(text)) is None
        assert new(POSITION_X).refusal(0, reply(text)) is not None
    for text in ("arm 0 12 12 12", "arm 0 13 0 0", "arm 1 1 1 1"):
        assert game.refusal(0, reply(text)) is not None
    for text in ("shift 0 5 -5 5", "shift 0 4 4 4", "shift 0 -1 -1 -1"):
        assert game.refusal(0, reply(text)) is not None

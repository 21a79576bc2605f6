"""Options of games that are out of range; what a page says of them is held in tests/docs."""

from typing import Any

import msgspec
import pytest

from referee.games import GAMES

WRONG: dict[str, list[dict[str, Any]]] = {
    "casino_war": [{"rounds": 0}, {"min_bet": 0}, {"min_bet": 11}, {"max_bet": 101}, {"decks": 9}],
    "cold_war": [{"max_rounds": 0}, {"talk_exchanges": 0}, {"talk_chars": 0}],
    "duel": [{"deck": 52}, {"max_turns": 0}, {"extra_action_cost": "none"}],
    "guerra": [{"transfers": 3}, {"max_turns": 1}, {"attack_line": "any"}],
    "khan": [{"deck": 52}, {"tokens_per_kind": 11}, {"max_turns_per_player": 0}],
    "pyanitsa": [{"deck": 40}, {"max_battles": 0}, {"tie": "war"}],
    "steal_war": [{"max_tricks": 0}, {"protection": 1}, {"steal_back": True}, {"jokers": 2}],
    "tod_und_leben": [{"rounds": 0}, {"rounds": 10_001}, {"rounds": 1.0}, {"rounds": True}],
    "war": [{"war_length": 2}, {"razboi_ace": 2}, {"max_battles": 0}, {"wars": 3}],
    "world_war": [
        *({"objective": "risk"}, {"setup_step": 0}, {"min_reinforcement": 1}),
        *({"safe_rounds": -1}, {"max_rounds": 0}, {"max_attacks": 0}),
    ],
}


@pytest.mark.parametrize("name", GAMES)
def test_an_option_out_of_range_is_refused(name: str) -> None:
    for wrong in [*WRONG.get(name, ()), {"an unknown option": 1}]:
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(wrong, GAMES[name].options_type)

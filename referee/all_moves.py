"""Every move that a game's decisions may list, each with a number that stays.

It is for those who want a number in place of a move, as a learner with one output for each does.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from protocol.errors import ArenaError
from referee.game import Game, Move

Group = tuple[str, list[Move]]
"""A decision's name and its moves."""


class AllMoves:
    """The moves of one game with its number of seats and its options, in a fixed order.

    Raises ArenaError for a game whose moves have no numbers here.
    """

    def __init__(self, game: Game) -> None:
        if game.name not in _GROUPS:
            raise ArenaError(
                f"the moves of {game.name} have no numbers; those of {', '.join(_GROUPS)} have."
            )
        self.decisions: list[str] = []
        """By number, the decision that the move answers."""
        self.moves: list[Move] = []
        """By number, the move."""
        self._numbers: dict[tuple[str, bytes], int] = {}
        for decision, moves in _GROUPS[game.name](game):
            for move in moves:
                key = decision, _encode(move)
                if self._numbers.setdefault(key, len(self.moves)) == len(self.moves):
                    self.decisions.append(decision)
                    self.moves.append(move)

    def __len__(self) -> int:
        return len(self.moves)

    def number(self, decision: str, move: Move) -> int:
        """Return the number of a move that is listed; a KeyError is an error of this module."""
        return self._numbers[decision, _encode(move)]


_encode = msgspec.json.Encoder(order="sorted").encode


def _khan(game: Game) -> Iterator[Group]:
    from referee.games.khan import cards, moves

    deck: list[str] = game.table()["cards"]
    fronts = [cards.formations(deck, stage, champion=True) for stage in range(len(cards.ROUNDS))]
    whether: list[Move] = [{"use": False}, {"use": True}]
    yield "turn", moves.turn_moves(-1, game.seats)
    yield "discard", moves.discard_moves(deck, deck)
    yield "reveal", [{"cards": front} for stage in fronts for front in stage]
    for vanguard in fronts[cards.VANGUARD]:
        yield "gunpowder", moves.gunpowder_moves(vanguard)
    yield "poison", whether
    yield "replace_leader", moves.leader_moves(deck)
    yield "retreat", whether
    yield "place_front", moves.place_moves([card for card in deck for _ in range(2)])


def _duel(game: Game) -> Iterator[Group]:
    from referee.games.duel import actions, cards, fencer

    deck: list[str] = game.table()["cards"]
    numbers = cards.numbers(deck)
    choices: list[actions.Choice] = ["end_turn", *actions.RESTS, "feint"]
    choices += [card for card in deck if card in cards.POTENTIATORS]
    choices += [ladder for suit in cards.ATTACKS for ladder in cards.ladders(suit, numbers)]
    defences = [ladder for suit in cards.DEFENCES for ladder in cards.ladders(suit, numbers)]
    yield "choose_trait", [{"trait": trait} for trait in fencer.TRAITS]
    yield "action", [actions.as_move(choice) for choice in choices]
    yield "defend", [{"cards": [*ladder]} for ladder in [(), *defences]]
    yield "emergency_parry", [{"use": False}, {"use": True}]


def _steal_war(game: Game) -> Iterator[Group]:
    from referee.games.steal_war import trick

    thefts = [{"action": "steal", "target": seat} for seat in range(game.seats)]
    yield "steal", [{"action": "play"}, *thefts]
    yield "top", [{"top": card} for card in trick.DECK]


_GROUPS: Mapping[str, Callable[[Any], Iterator[Group]]] = {
    "steal_war": _steal_war,
    "khan": _khan,
    "duel": _duel,
}

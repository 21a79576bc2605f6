"""The events of chance of each bundled game: what is drawn, and what a choice leaves as it was."""

from random import Random
from typing import Any

from referee.rules.chance import Key
from referee.rules.game import Game, Move
from tests.referee.games.events import (
    Event,
    Rule,
    reshuffled,
    sampled_or_default,
)
from tests.referee.games.war_positions import PICKUP, as_dealt


def _round(game: Any) -> tuple[Key, ...]:
    return (game.now.number,)


def _drawing(game: Game, seat: int, rng: Random) -> Move:
    """Feint every other time, and so draw cards."""
    legal = game.decision(seat).legal or []
    feints = [move for move in legal if move.get("action") == "feint"]
    return rng.choice(feints if feints and rng.random() < 0.5 else legal)


def _with_a_short_deck(game: Any) -> None:
    game.deck.discards += game.deck.cards[20:]
    del game.deck.cards[20:]


def _stolen(game: Game, seat: int, rng: Random) -> Move:
    """Steal where that is possible, or wait where that is."""
    legal = game.decision(seat).legal or [game.sample(seat, rng)]
    return rng.choice([move for move in legal if move.get("action") in ("steal", "wait")] or legal)


def _trick(game: Any) -> tuple[Key, ...]:
    return (game.trick.number, game.trick.war, game.trick.turn)


def _with_a_short_draw_pile(game: Any) -> None:
    game.war.used_pile += game.war.draw_pile[10:]
    del game.war.draw_pile[10:]


RULES = {
    "casino_war": Rule(
        events={
            "player": Event(_round, shared=1.0),
            "house": Event(_round, shared=1.0),
            "burned": Event(_round, shared=0.7),
            "war player": Event(_round, shared=0.7),
            "war house": Event(_round, shared=0.7),
        },
        options=({"rounds": 120}, {"rounds": 120, "reshuffle": "shoe", "decks": 1}),
    ),
    "cold_war": Rule(),
    "duel": Rule(
        deal=frozenset({"deck", "trait"}),
        events={
            "rest": Event(lambda game: (game.turn, game.number), shared=0.4),
            "reshuffle": Event(lambda game: (game.deck.reshuffles,), shared=1.0),
        },
        piles=lambda game: {"deck": game.deck.cards},
        renews=reshuffled("deck"),
        prepare=_with_a_short_deck,
        choose=_drawing,
    ),
    "guerra": Rule(
        deal=frozenset({"deck"}),
        piles=lambda game: {f"pack {seat}": army.pack for seat, army in enumerate(game.armies)},
    ),
    "khan": Rule(
        deal=frozenset({"deck", "scarce", "bag", "first"}),
        events={"reshuffle": Event(lambda game: (game.reshuffles,), shared=1.0)},
        piles=lambda game: {"deck": game.deck, "bag": game.bag},
        renews=reshuffled("deck"),
        options=({}, {"first_player": "random"}),
        seats=5,
    ),
    "pyanitsa": Rule(
        deal=frozenset({"deck"}),
        events={"pickup": PICKUP},
        piles=as_dealt,
        options=({"max_battles": 120}, {"max_battles": 200, "pickup": "shuffled"}),
        choose=sampled_or_default,
    ),
    "steal_war": Rule(
        deal=frozenset({"deck"}),
        events={
            "pack": Event(_trick, shared=0.4),
            "lot": Event(_trick, shared=0.0),
            "hurried": Event(_trick, shared=0.0),
        },
        piles=lambda game: {f"pack {seat}": pack for seat, pack in enumerate(game.held.packs)},
        renews=lambda event: f"pack {event[-1]}" if event[0] == "pack" else None,
        options=({}, {"steal_back": "at_once"}),
        seats=3,
        choose=_stolen,
    ),
    "tod_und_leben": Rule(deal=frozenset({"deck"}), options=({"rounds": 5},)),
    "war": Rule(
        deal=frozenset({"deck", "jokers", "joker"}),
        events={"pickup": PICKUP},
        piles=as_dealt,
        options=(
            {"max_battles": 120},
            {"max_battles": 120, "jokers": "buried"},
            {"max_battles": 120, "jokers": "two_buried"},
            {"max_battles": 120, "pickup": "shuffled"},
        ),
        choose=sampled_or_default,
    ),
    "world_war": Rule(
        deal=frozenset({"deal", "objectives", "draw pile"}),
        events={
            "roll": Event(
                lambda game: (game.war.round, game.war.in_turn, game.war.attacks),
                shared=0.4,
            ),
            "reshuffle": Event(
                lambda game: (game.war.round, game.war.in_turn),
                shared=0.0,
            ),
        },
        piles=lambda game: {"draw pile": game.war.draw_pile},
        renews=reshuffled("draw pile"),
        prepare=_with_a_short_draw_pile,
        options=({"max_rounds": 40, "max_attacks": 6, "objective": "secret"},),
    ),
}

"""For each game, how to replace what a seat may not know by another possibility.

The conformance suite holds what a seat is shown before and after against each other. A new game
needs one entry here.
"""

from collections.abc import Callable
from itertools import chain
from random import Random
from typing import Any

from referee.game import Game
from referee.games.duel.game import Duel
from referee.games.guerra.game import Guerra
from referee.games.khan.cards import in_order, without
from referee.games.khan.game import Khan
from referee.games.steal_war.game import StealWar
from referee.games.war_family.packs import PackGame
from referee.games.world_war.game import WorldWar
from referee.games.world_war.goals import objectives
from tests.referee.games.khan_positions import own_tokens

Scramble = Callable[[Any, int, Random], None]
"""Deals anew, in place, whatever a seat may not know."""


def nothing_is_hidden(_game: Game, _seat: int, _rng: Random) -> None:
    """Stand in where every seat sees all, sealed choices apart, or where nobody decides."""


def scramble_guerra(game: Guerra, seat: int, rng: Random) -> None:
    """Deal anew the other seat's hand and both packs."""
    own, other = game.armies[seat], game.armies[1 - seat]
    rng.shuffle(own.pack)
    unseen = [*other.hand, *other.pack]
    rng.shuffle(unseen)
    other.hand[:], other.pack[:] = unseen[: len(other.hand)], unseen[len(other.hand) :]


def scramble_duel(game: Duel, seat: int, rng: Random) -> None:
    """Deal anew the rival's hand and the deck."""
    rival, deck = game.fencers[1 - seat], game.deck
    unseen = [*rival.hand, *deck.cards]
    rng.shuffle(unseen)
    rival.hand[:], deck.cards[:] = unseen[: len(rival.hand)], unseen[len(rival.hand) :]


def scramble_packs(game: PackGame, seat: int, rng: Random) -> None:
    """Deal anew what lies as it was dealt, and turn about the orders that only others know."""
    tops = [max(0, count) for count in game.unseen]
    dealt = [card for pack, top in zip(game.packs, tops, strict=True) for card in [*pack][:top]]
    dealt += game.aside
    rng.shuffle(dealt)
    hidden = game.options.pickup == "winner_chooses" and game.options.order_seen == "winner"
    for owner, (pack, top) in enumerate(zip(game.packs, tops, strict=True)):
        rest = [*pack][top:]
        if hidden and owner != seat:
            rng.shuffle(rest)
        pack.clear()
        pack.extend([*(dealt.pop() for _ in range(top)), *rest])
    game.aside[:] = dealt
    for battle in game.battles:
        if hidden and battle.winner != seat and battle.order:
            rng.shuffle(battle.order)


def scramble_khan(game: Khan, seat: int, rng: Random) -> None:
    """Deal anew what the other seats hold unseen, in hand and behind the screen, deck and bag."""
    others = [camp for camp in game.camps if camp is not game.camps[seat]]
    hidden = [without(camp.hand, camp.seen) for camp in others]
    cards, tokens = [*game.deck, *chain.from_iterable(hidden)], [*game.bag]
    for camp in others:
        for kind, count in camp.behind.items():
            tokens += [kind] * (count - camp.looted[kind])
    rng.shuffle(cards)
    rng.shuffle(tokens)
    for camp, unseen in zip(others, hidden, strict=True):
        camp.hand = in_order([*camp.seen, *(cards.pop() for _ in unseen)])
        drawn = sum(camp.behind.values()) - sum(camp.looted.values())
        known = [kind for kind, count in camp.looted.items() for _ in range(count)]
        own_tokens(camp, camp.front, [tokens.pop() for _ in range(drawn)], known)
    game.deck, game.bag = cards, tokens
    if game.to_move != seat and game.drawn:
        game.drawn = rng.choice(game.camps[game.to_move].hand)


def scramble_world_war(game: WorldWar, seat: int, rng: Random) -> None:
    """Deal anew the other hands, the draw pile and the other objectives."""
    war = game.war
    others = [other for other in range(war.seats) if other != seat]
    unseen = [*war.draw_pile, *(card for other in others for card in war.hands[other])]
    rng.shuffle(unseen)
    for other in others:
        war.hands[other] = sorted(unseen.pop() for _ in war.hands[other])
    war.draw_pile[:] = unseen
    if game.options.objective == "secret":
        left = [goal for goal in objectives(war.seats) if goal != war.missions[seat]]
        rng.shuffle(left)
        for other in others:
            war.missions[other] = left.pop()


def scramble_steal_war(game: StealWar, seat: int, rng: Random) -> None:
    """Deal anew all packs, the others' drawn cards and what lies face down in the trick."""
    held, trick = game.held, game.trick
    places: list[tuple[Any, int]] = [
        *((pack, at) for pack in held.packs for at in range(len(pack))),
        *((held.aside, at) for at in range(len(held.aside))),
        *((held.drawn, s) for s, card in enumerate(held.drawn) if card and s != seat),
    ]
    if game.asked == "steal":
        laid = trick.laid.values()
        places += [(cards, at) for cards in laid for at in range(len(cards)) if at % 4]
    unseen = [cards[at] for cards, at in places]
    rng.shuffle(unseen)
    for (cards, at), card in zip(places, unseen, strict=True):
        cards[at] = card


SCRAMBLES: dict[str, Scramble] = {
    "casino_war": nothing_is_hidden,
    "cold_war": nothing_is_hidden,
    "duel": scramble_duel,
    "guerra": scramble_guerra,
    "khan": scramble_khan,
    "pyanitsa": scramble_packs,
    "steal_war": scramble_steal_war,
    "tod_und_leben": nothing_is_hidden,
    "war": scramble_packs,
    "world_war": scramble_world_war,
}
"""For each game, how to replace what a seat may not know by another possibility."""

"""Set up positions of Duel, and play it, in the notation of the rules page."""

from collections import Counter
from random import Random

from referee.games.duel.fencer import COPIES, LETHAL, kinds
from referee.games.duel.game import Duel, DuelOptions
from referee.rules.chance import Chance
from referee.rules.game import Move, plain
from tests.referee.games.tables import play

END_TURN = {"action": "end_turn"}
FEINT = {"action": "feint"}
BREATHE = {"action": "breathe"}
FOOTWORK = {"action": "footwork"}
NO_DEFENCE = {"cards": []}
PARRY = {"use": True}
RETREAT = {"use": False}


class LoadedChance(Chance):
    """Chance whose dice show `rolls`, one after another, as long as there are any."""

    def __init__(self, seed: str, rolls=()):
        super().__init__(seed)
        self.rolls = [*rolls]

    def dice(self, count, sides, *event):
        if not self.rolls:
            return super().dice(count, sides, *event)
        loaded, self.rolls = self.rolls[:count], self.rolls[count:]
        return loaded


def new_game(seed="a deal", rolls=(), **options) -> Duel:
    return Duel(seats=2, options=DuelOptions(**options), chance=LoadedChance(str(seed), rolls))


def attack(cards: str) -> Move:
    return {"action": "attack", "cards": cards.split()}


def observe(card: str) -> Move:
    return {"action": "observe", "card": card}


def defence(cards: str) -> Move:
    return {"cards": cards.split()}


def position(
    a="",
    b="",
    *,
    on_turn=0,
    number=1,
    pawn=0,
    trait=(None, None),
    stamina=(None, None),
    dexterity=(None, None),
    fencing=(None, None),
    in_play=("", ""),
    stock=None,
    discards="",
    rolls=(),
    **options,
) -> Duel:
    """Return a game in which `on_turn` is asked for its action, the `number`-th.

    `a` and `b` are the hands. An attribute that is not given is what the trait makes it. The deck
    holds all other cards, or, the top one first, the `stock` given.
    """
    game = new_game(rolls=(1, 2, 1, 2), **options)
    for seat in range(2):
        game.apply({seat: {"trait": 1}})
    game.chance.rolls = [*rolls]
    game.on_turn = game.decider = on_turn
    game.turn, game.number, game.pawn = on_turn + 1, number, pawn
    for seat, hand in enumerate((a, b)):
        game.fencers[seat] = fencer = type(game.fencers[seat])()
        fencer.trait = trait[seat]
        fencer.apply_trait()
        fencer.hand = [*hand.split(), *in_play[seat].split()]
        for card in in_play[seat].split():
            fencer.observe(card)
        for name, given in (("stamina", stamina), ("dexterity", dexterity), ("fencing", fencing)):
            if given[seat] is not None:
                setattr(fencer, name, given[seat])
    game.deck.discards = discards.split()
    game.deck.cards = [] if stock is None else stock.split()[::-1]
    if stock is None:
        rest = Counter(kinds(game.options.deck) * COPIES) - Counter(held(game))
        game.deck.cards = [*rest.elements()]
    return game


def held(game: Duel) -> list[str]:
    """Return all cards wherever they are."""
    cards = [*game.deck.cards, *game.deck.discards]
    for fencer in game.fencers:
        cards += [*fencer.hand, *fencer.in_play]
    return cards


def asked(game: Duel) -> tuple[int, str]:
    """Return who is asked what."""
    (seat,) = game.deciders()
    return seat, game.decision(seat).name


def legal(game: Duel, move: Move) -> bool:
    """Return whether the decider may make `move`, which must agree with the list."""
    (seat,) = game.deciders()
    allowed = game.refusal(seat, move) is None
    assert allowed == (allowed and game.read(seat, move) in game.decision(seat).legal)
    assert allowed or move not in game.decision(seat).legal
    return allowed


def both(game: Duel, name: str) -> list[int]:
    """Return an attribute of both seats."""
    return plain(game.view(0))[name]


def careful(game: Duel, seat: int, rng: Random) -> Move:
    """Return a random move that does not pay the last point away, if there is one."""
    moves = game.decision(seat).legal
    safe = [move for move in moves if not deadly(game, seat, move)]
    return rng.choice(safe or moves)


def deadly(game: Duel, seat: int, move: Move) -> bool:
    """Return whether `move` is paid with the last point of stamina or of dexterity."""
    view, cards = plain(game.view(seat)), move.get("cards") or ["B"]
    stamina = 2 if move.get("use") else view["price"].get(move.get("action"), 0)
    dexterity = {"B": 1, "O": 1, "E": 2, "C": 2}[cards[0][0]] if move.get("cards") else 0
    return view["stamina"][seat] <= stamina or view["dexterity"][seat] <= dexterity


def at_choice(**options):
    """Seat 0 has rolled 1 and 7."""
    return new_game(rolls=(1, 7, 8, 2), **options)


def at_action(**options):
    """Seat 0 takes the first action of its turn."""
    return position("B3 B4 B5 B5 E4 E5 O3 O12 B10", "O1 O2 O2 C1 C2", **options)


def at_second_action(**options):
    return position("B3 B4 B5 B5 E4 E5 O3 O12 B10", "O1 O2 O2 C1 C2", number=2, **options)


def at_defence(**options):
    """Seat 1 is to answer a thrust of three."""
    return play(position("B3 B4 B5", "O1 O2 O2 C1 C2 E3 C12", **options), attack("B3 B4 B5"))


def at_emergency(**options):
    """Seat 1 has parried one point of three; the challenger is Lethal."""
    game = position("B3 B4 B5", "O1 O2 O2 C1 C2 E3 C12", trait=(LETHAL, None), **options)
    return play(game, attack("B3 B4 B5"), defence("O1"))

"""Set up positions of Khan, and play it, in the notation of the rules page."""

from collections import Counter
from collections.abc import Iterable, Sequence

from referee.games.khan.camp import KINDS, Camp, Hoard, in_order, tally
from referee.games.khan.game import Khan, KhanOptions
from referee.rules.chance import Chance
from referee.rules.game import Move
from tests.referee.games.tables import play

DRAW = {"action": "draw"}
KEEP = {"use": False}
USE = {"use": True}
SCARCE = ["gold", "water"]
FILLER = "E2 " * 20


def new_game(seed="a deal", seats=2, **options) -> Khan:
    return Khan(seats=seats, options=KhanOptions(**options), chance=Chance(seed))


def tokens(text: str) -> list[str]:
    """Read `3 gold, wood` as four tokens."""
    found: list[str] = []
    for part in filter(None, text.split(",")):
        *count, kind = part.split()
        assert kind in KINDS
        found += [kind] * int(count[0] if count else 1)
    return found


def own_tokens(
    camp: Camp, front: Iterable[str], behind: Iterable[str] = (), looted: Iterable[str] = ()
) -> None:
    """Give `camp` exactly these tokens; those `looted` are known to lie behind, with `behind`."""
    camp.front, looted = list(front), Counter(looted)
    hidden = Counter(behind) + looted
    camp.behind = {kind: hidden[kind] for kind in KINDS}
    camp.looted = {kind: looted[kind] for kind in KINDS}
    camp.owned = Hoard(camp.owned.worth, [*camp.front, *hidden.elements()])
    camp.known = Hoard(camp.known.worth, [*camp.front, *looted.elements()])


def own_cards(camp: Camp, cards: str) -> None:
    """Give `camp` exactly these cards, the first two face up."""
    held = cards.split()
    camp.face_up, camp.hand, camp.seen = in_order(held[:2]), in_order(held[2:]), []


def position(
    *cards: str,
    front: Sequence[str] = (),
    behind: Sequence[str] = (),
    deck: str = FILLER,
    bag: str | None = None,
    discards: str = "",
    scarce: Sequence[str] = SCARCE,
    **options,
) -> Khan:
    """Return a game in which seat 0 has the turn.

    `cards`, `front` and `behind` hold one text for each seat; `deck` and `bag` what is drawn, in
    order. The defaults have something for every draw.
    """
    game = new_game(seats=len(cards), **options)
    game.scarce = list(scarce)
    game.camps = [Camp(scarce) for _ in cards]
    for seat, camp in enumerate(game.camps):
        own_cards(camp, cards[seat])
        own_tokens(
            camp, *(tokens(text[seat]) if seat < len(text) else () for text in (front, behind))
        )
    game.deck = deck.split()[::-1]
    game.bag = tokens("20 captives" if bag is None else bag)[::-1]
    game.discards = discards.split()
    return game


def show(text: str) -> Move:
    """Read `E3 E4`; `-` is nothing."""
    return {"cards": [] if text == "-" else text.split()}


def attack(target: int = 1) -> Move:
    return {"action": "attack", "target": target}


def blow_up(text: str) -> Move:
    return {"use": True, "discard": text.split()}


def fight(*shown: str, cards: Sequence[str], **given) -> Khan:
    """Return a position after the attack of seat 0, and what was shown when it was asked."""
    game = position(*cards, **given)
    play(game, attack(), *(show(text) for text in shown))
    return game


def asked(game: Khan) -> tuple[str | None, list[int]]:
    """Return what is asked of whom."""
    return game.asked, list(game.deciders())


def face_up(game: Khan) -> list[str]:
    return [" ".join(camp.face_up) for camp in game.camps]


def hands(game: Khan) -> list[str]:
    return [" ".join(camp.hand) for camp in game.camps]


def pile(game: Khan) -> str:
    """Return the discards in canonical order."""
    return " ".join(in_order(game.discards))


def behind(game: Khan, seat: int) -> dict[str, int]:
    return {kind: count for kind, count in game.camps[seat].behind.items() if count}


def counted(text: str) -> dict[str, int]:
    return tally(tokens(text))


def all_cards(game: Khan) -> Counter[str]:
    """Return every card of the game, wherever it is."""
    cards = Counter([*game.deck, *game.discards])
    for camp in game.camps:
        cards.update([*camp.hand, *camp.face_up])
    if game.combat and game.asked != "place_front":
        for fighter in game.combat.fighters:
            cards.update(fighter.on_table())
    return cards

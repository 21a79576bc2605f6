"""Set up positions of War and P'yanitsa in the notation of the rules page: ranks, top first."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from referee.games.pyanitsa.game import Pyanitsa
from referee.games.war.game import War
from referee.games.war_family.cards import SUITS
from referee.games.war_family.packs import PackGame
from referee.rules.chance import Chance, Key
from referee.rules.game import Move
from tests.referee.games.events import Event

SEATS = "ABCDEFGHIJKL"


def packs_of(text: str) -> list[list[str]]:
    """Read `X 7 2 / 7 K` as cards; the first seven is 7C, the second 7D."""
    seen: Counter[str] = Counter()
    packs = []
    for row in text.split("/"):
        pack = []
        for rank in row.split():
            pack.append(f"X{seen[rank] + 1}" if rank == "X" else rank + SUITS[seen[rank]])
            seen[rank] += 1
        packs.append(pack)
    return packs


def new_game(kind: type[PackGame] = War, seats=2, seed="a deal", **options) -> PackGame:
    return kind(seats=seats, options=kind.options_type(**options), chance=Chance(seed))


def position(text: str, kind: type[PackGame] = War, seed="a deal", **options) -> PackGame:
    """Return the game in which these packs were dealt, their first battle fought."""
    packs = packs_of(text)
    dealt = type(kind.__name__, (kind,), {"_deal": lambda _: packs, "__slots__": ()})
    return new_game(dealt, len(packs), seed, **options)


def pyanitsa(text: str, **options) -> PackGame:
    return position(text, Pyanitsa, **options)


def ranks(cards) -> str:
    return " ".join("?" if card is None else card[0] for card in cards)


def held(game: PackGame) -> list[str]:
    """Return the ranks of each pack."""
    return [ranks(pack) for pack in game.packs]


def before(game: PackGame) -> list[str]:
    """Return the ranks of each pack as it was before the last battle."""
    laid = game.battles[-1].laid
    return [ranks([*laid.get(seat, ()), *pack]) for seat, pack in enumerate(game.packs)]


def dealt(game: PackGame) -> list[int]:
    """Return how many cards each seat was dealt; one battle has been fought."""
    assert game.battle == 1
    return [left + len(game.battles[0].laid[seat]) for seat, left in enumerate(game.unseen)]


def outcome(game: PackGame) -> str:
    """Return who won the last battle, how many cards, and the places or that the game goes on."""
    battle = game.battles[-1]
    end = " ".join(map(str, game.places())) if game.reason else "goes on"
    won = "draw" if battle.winner is None else f"{SEATS[battle.winner]} wins"
    return f"{won} {sum(map(len, battle.laid.values()))}: {end}"


def order(game: PackGame, text: str) -> Move:
    """Return the move that picks up cards of these ranks in this order."""
    left = [*game.won]
    cards = []
    for rank in text.split():
        cards.append(next(card for card in left if card[0] == rank))
        left.remove(cards[-1])
    return {"order": cards}


def as_dealt(game: Any) -> dict[str, Sequence[Any]]:
    """Return what still lies in the packs as it was dealt."""
    tops = enumerate(zip(game.packs, game.unseen, strict=True))
    return {f"pack {seat}": [*pack][: max(0, top)] for seat, (pack, top) in tops}


def _battle(game: Any) -> tuple[Key, ...]:
    return (game.battle,)


PICKUP = Event(_battle, shared=0.6)
"""What chance does where nobody chooses how the cards won are picked up."""

"""What a seat of Khan cannot know, dealt anew."""

from collections import Counter
from collections.abc import Sequence
from random import Random

from referee.games.khan.camp import Camp, Hoard
from referee.games.khan.cards import KINDS, in_order, without


def deal_anew(
    camps: Sequence[Camp], seat: int, deck: list[str], bag: list[str], rng: Random
) -> None:
    """Exchange what the camps but that of `seat` hold unseen, the deck and the bag."""
    others = [camp for each, camp in enumerate(camps) if each != seat]
    hands = [without(camp.hand, camp.seen) for camp in others]
    treasures = [[*(Counter(camp.behind) - Counter(camp.looted)).elements()] for camp in others]
    _exchange([deck, *hands], rng)
    _exchange([bag, *treasures], rng)
    for camp, hand, treasure in zip(others, hands, treasures, strict=True):
        camp.hand = in_order([*camp.seen, *hand])
        behind = Counter(camp.looted) + Counter(treasure)
        camp.behind = {kind: behind[kind] for kind in KINDS}
        if camp.owned is not camp.known:  # as they are once the screen has been lifted
            camp.owned = Hoard(camp.owned.worth, [*camp.front, *behind.elements()])


def _exchange(piles: Sequence[list[str]], rng: Random) -> None:
    """Shuffle several piles together, in place; each keeps its size."""
    things = [thing for pile in piles for thing in pile]
    rng.shuffle(things)
    for pile in piles:
        pile[:] = [things.pop() for _ in pile]

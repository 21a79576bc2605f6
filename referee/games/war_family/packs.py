"""What War and P'yanitsa share: the packs, what is known of them, the pickup, running out."""

from abc import abstractmethod
from collections import Counter, deque
from collections.abc import Collection, Mapping, Sequence
from itertools import chain, islice, repeat
from random import Random
from typing import Annotated, Any, ClassVar, Literal, Self

from msgspec import Meta

from referee.games.war_family.battle import Battle, Pack, war_or_out, war_to_last_card
from referee.games.war_family.cards import deal, lasting
from referee.games.war_family.table import NAMES, fought, pack_row, told_battle
from referee.rules.chance import Chance
from referee.rules.game import Decision, Game, Move, Observation, Options, ranked, redealt
from referee.rules.scene import Area, Group, Row, Text
from referee.rules.words import counted

RANDOM = "random"
"""The order of the default reply, which only the referee may give."""
MOST_KEPT = 60
"""Battles remembered: a seat cannot lose more in a row and still have cards."""
FEWEST_TOLD, MOST_TOLD = 4, 12
"""Of the last battles, in a text."""


ORDER = "All cards of `won`; the first goes under the pack first and comes up first."
"""What a winner answers."""


class PackOptions(Options, frozen=True, kw_only=True):
    """The options that War and P'yanitsa have in common."""

    pickup: Annotated[
        Literal["winner_chooses", "won_first", "shuffled"],
        Meta(
            description="How the cards won go under the pack: in the order the winner chooses, the"
            " others' cards before the winner's own, or shuffled."
        ),
    ] = "winner_chooses"
    order_seen: Annotated[
        Literal["all", "winner"], Meta(description="Who sees the order that a winner chose.")
    ] = "all"
    out_of_cards: Annotated[
        Literal["out", "last_card"],
        Meta(
            description="A seat with too few cards for a war is out of the game, or its last card"
            " fights on."
        ),
    ] = "out"
    max_battles: Annotated[
        int, Meta(ge=1, description="Battles before the game is stopped and cards are counted.")
    ] = 3000


class PackGame(Game):
    """Packs whose top cards fight, battle after battle, until one seat holds them all."""

    options: PackOptions
    measures: ClassVar[Mapping[str, str]] = {"battles": "the battles fought"}

    @property
    @abstractmethod
    def aim(self) -> str:
        """Who wins or loses, in one line for people."""

    def __init__(self, *, seats: int, options: Options, chance: Chance) -> None:
        super().__init__(seats=seats, options=options, chance=chance)
        self.cards = self._cards()
        """All cards there are, in order."""
        dealt = self._deal()
        self.packs: list[Pack] = [deque(pack) for pack in dealt]
        self.aside = [card for card in self.cards if not any(card in pack for pack in dealt)]
        """The cards left out, since all seats are dealt the same number."""
        self.battle = 0
        """The number of the last battle fought."""
        self.battles: deque[Battle] = deque(maxlen=MOST_KEPT)
        """The last battles, the newest at the end."""
        self.asked: int | None = None
        """The seat that is asked in which order it picks up; None if nobody is."""
        self.won: list[str] = []
        """What that seat has won."""
        self.ran_out: dict[int, tuple[int, int]] = {}
        """By each seat that is out, its last battle, and how many cards it laid there."""
        self.unseen = [len(pack) for pack in dealt]
        """How many cards on the top of each pack still lie there as they were dealt."""
        self._decided = [0] * seats
        """The battle after which each seat last picked up by choice."""
        self._places: list[int] = []
        self._fight_on()

    @abstractmethod
    def _cards(self) -> list[str]:
        """Return all cards there are, in order."""

    def _deal(self) -> list[list[str]]:
        """Return the packs, top first."""
        return deal(self.chance.shuffled(self.cards, "deck"), self.seats)

    @abstractmethod
    def _heights(self, cards: Collection[str]) -> list[int]:
        """Return how high each of the cards compared counts."""

    @abstractmethod
    def _war(self, battle: Battle, tied: list[int]) -> None:
        """Carry out one step of a war between the seats `tied` and all others in the battle."""

    @abstractmethod
    def _ending(self) -> str:
        """Return the reason if the battle just won has ended the game."""

    def _scores(self) -> Sequence[Any]:
        """Return by what the seats are ranked now that the game is over, the least best.

        Seats still in come by cards held, then the others, the last to run out first. Those level
        in a drawn battle are still in, without a card.
        """
        return lasting(self.ran_out, [*map(len, self.packs)])

    def deciders(self) -> Sequence[int]:
        """Return the winner of the last battle, if it has its pot to pick up."""
        return () if self.asked is None else (self.asked,)

    def decision(self, seat: int) -> Decision:
        """Return the question in which order the cards won go under the pack."""
        return Decision("pickup", limits={"won": self.won.copy()})

    def asks(self, seat: int) -> str:
        """Return the one question there is."""
        return "pickup"

    def view(self, seat: int) -> Observation:
        """Return the packs as far as `seat` knows them, and the battles since it last decided."""
        return {
            "game": self.name,
            "seat": seat,
            "decision": None if self.asked is None else "pickup",
            "battle": self.battle,
            "winner": self.battles[-1].winner,
            "won": self.won,
            "packs": [self.known(owner, seat) for owner in range(self.seats)],
            "since": [
                self._shown(battle, seat)
                for battle in self.battles
                if battle.number > self._decided[seat]
            ],
        }

    def check(self, seat: int, move: Move) -> str | None:
        """Return why `move` is not the cards won."""
        for card in move["order"]:
            if card not in self.won:
                return f"'{card}' is not among the cards you have won"
        for card in self.won:
            if card not in move["order"]:
                return f"'{card}' is missing; \"order\" holds all {len(self.won)} cards won"
        return None

    def apply(self, moves: Mapping[int, Move]) -> None:
        """Put the pot under the winner's pack and fight on."""
        assert self.asked is not None
        order = moves[self.asked]["order"]
        self._decided[self.asked] = self.battle
        self._pick_up(self._shuffled(self.won) if order == RANDOM else [*order])
        self.asked = None
        self.won = []
        self._fight_on()

    def default(self, seat: int) -> Move:
        """Return the order that the referee draws when it is applied."""
        return {"order": RANDOM}

    def sample(self, seat: int, rng: Random) -> Move:
        """Return any order, each as likely as the others."""
        return {"order": sorted(self.won, key=lambda _: rng.random())}

    def places(self) -> list[int]:
        """Return each seat's place, by the rules of the game's aim."""
        return self._places.copy()

    def numbers(self) -> dict[str, int | float]:
        """Return how many battles were fought."""
        return {"battles": self.battle}

    def table(self) -> dict[str, Any]:
        """Return the cards there are, with those that the deal left out."""
        return {"cards": self.cards.copy()}

    def resample(self, seat: int, rng: Random) -> Self:
        """Return a copy with cards still as dealt, and orders only others know, dealt anew."""
        return redealt(self, seat, rng, lambda other, dice: other._deal_anew(seat, dice))

    def describe(self, seat: int, move: Move) -> str:
        """Return what is picked up, in the order chosen if all may see it."""
        if move["order"] == RANDOM:
            return f"{NAMES[seat]} picks up {len(self.won)} cards in random order"
        if self.options.order_seen == "winner":
            return f"{NAMES[seat]} picks up {len(self.won)} cards in an order of its own"
        return f"{NAMES[seat]} picks up {' '.join(move['order'])}"

    def called(self, seat: int) -> str:
        """Return the letter of `seat`."""
        return NAMES[seat]

    def scene(self, seat: int | None = None) -> Sequence[Area]:
        """Return the battle, the packs, top first, and the last battles."""
        seats = range(self.seats)
        areas: list[Area] = [fought(self.battles[-1], self.options.max_battles)]
        areas += [Group("", [self._pack(each, seat)], each) for each in seats]
        if seat is None:  # whatever of them nobody at the table knows
            packs = [" ".join(self.packs[each]) or "-" for each in seats]
            areas.append(Text("Packs as they lie, top first", packs, [*seats], most=0))
        told = [told_battle(battle, self.order_of(battle, seat)) for battle in self.lately(seat)]
        label = "Last battles (face-down cards in brackets; > how they were picked up)"
        return [*areas, Text("", [self.aim]), Text(label, told, most=0)]

    def _pack(self, owner: int, viewer: int | None) -> Row:
        """Return a pack as far as `viewer` knows it, or any of the seats."""
        eyes = range(self.seats) if viewer is None else (viewer,)
        known = zip(*(self.known(owner, each) for each in eyes), strict=True)
        cards = [next((card for card in seen if card is not None), None) for seen in known]
        note = counted(len(cards), "card")
        if owner in self.ran_out:
            note = f"out of cards since battle {self.ran_out[owner][0]}"
        elif owner == self.asked:
            note += f", and {len(self.won)} to pick up"
        return pack_row(cards, note)

    def known(self, owner: int, seat: int) -> list[str | None]:
        """Return the pack of `owner`, top first, with None for each card `seat` cannot know."""
        pack = self.packs[owner]
        unseen = max(0, self.unseen[owner]) if self._sees_order(seat, owner) else len(pack)
        return [*repeat(None, unseen), *islice(pack, unseen, None)]

    def order_of(self, battle: Battle, seat: int | None) -> list[str] | None:
        """Return how the cards of a battle were picked up, if `seat` knows it."""
        if battle.order is None or not self._sees_order(seat, battle.winner):
            return None
        return battle.order

    def lately(self, seat: int | None) -> list[Battle]:
        """Return the battles since `seat` last decided, or a few more."""
        last = self.battle if seat is None else self._decided[seat]
        count = min(max(self.battle - last, FEWEST_TOLD), MOST_TOLD, len(self.battles))
        return [*self.battles][-count:]

    def still_in(self) -> list[int]:
        """Return the seats that have not run out of cards."""
        return [seat for seat in range(self.seats) if seat not in self.ran_out]

    def _deal_anew(self, seat: int, rng: Random) -> None:
        """Replace what `seat` cannot know: cards still as dealt, and the order of some pots."""
        tops = [[*islice(pack, max(0, count))] for pack, count in self._tops()]
        kept = self._kept(tops, rng)
        dealt = [*(Counter([*chain(*tops), *self.aside]) - Counter(chain(*kept))).elements()]
        rng.shuffle(dealt)
        for (pack, _), top, stay in zip(self._tops(), tops, kept, strict=True):
            new = [*stay, *(dealt.pop() for _ in range(len(top) - len(stay)))]
            rng.shuffle(new)
            rest = [*islice(pack, len(top), None)]
            pack.clear()
            pack.extend([*new, *rest])
        self.aside[:] = dealt
        for owner in range(self.seats):
            if not self._sees_order(seat, owner):
                self._reorder(owner, rng)

    def _tops(self) -> list[tuple[Pack, int]]:
        """Return each pack, with how many of its cards lie as they were dealt."""
        return [*zip(self.packs, self.unseen, strict=True)]

    def _kept(self, tops: Sequence[Sequence[str]], rng: Random) -> list[list[str]]:
        """Return, by pack, those of its cards still as dealt that belong to it by the rules."""
        return [[] for _ in tops]

    def _reorder(self, owner: int, rng: Random) -> None:
        """Turn about the pots that `owner` picked up, as far as their cards have not come up."""
        pack = self.packs[owner]
        rest = [*islice(pack, max(0, self.unseen[owner]), None)]
        for battle in reversed(self.battles):
            order = battle.order
            if rest and order and battle.winner == owner:
                left = rest[-len(order) :]
                del rest[-len(order) :]
                rng.shuffle(left)
                order[-len(left) :] = left
                for at, card in enumerate(left, len(rest)):
                    pack[max(0, self.unseen[owner]) + at] = card

    def _fight_on(self) -> None:
        """Fight until a choice is to be made or the game is over."""
        while self.asked is None and not self.reason:
            if self.battle == self.options.max_battles:
                self._end("max_battles")
            else:
                self._fight()

    def _fight(self) -> None:
        """Compare, and go to war again, until one seat stands alone or the battle is drawn."""
        self.battle += 1
        battle = Battle(self.battle, self.packs, self.still_in())
        while battle.winner is None and not battle.level:
            heights = self._heights(battle.up.values())
            highest = max(heights)
            both = zip(battle.up, heights, strict=True)
            tied = [seat for seat, height in both if height == highest]
            if len(tied) == 1:
                battle.winner = tied[0]
            else:
                self._war(battle, tied)
        self.battles.append(battle)
        staying = battle.level if battle.winner is None else (battle.winner,)
        for seat, cards in battle.laid.items():
            self.unseen[seat] -= len(cards)
            if not self.packs[seat] and seat not in staying:
                self.ran_out[seat] = (self.battle, len(cards))
        if battle.winner is None:
            self._end("drawn")
        else:
            self._settle(battle)

    def _settle(self, battle: Battle) -> None:
        """Give the pot to the winner, or ask it how."""
        pot, pickup = battle.pot(), self.options.pickup
        if reason := self._ending():
            self._pick_up(pot)
            self._end(reason)
        elif pickup == "shuffled":
            self._pick_up(self._shuffled(pot))
        elif pickup == "winner_chooses" and self.battle < self.options.max_battles:
            self.asked, self.won = battle.winner, pot
        else:
            self._pick_up(pot)

    def _shuffled(self, pot: list[str]) -> list[str]:
        return self.chance.arranged(pot, self.cards, "pickup", self.battle)

    def _pick_up(self, order: list[str]) -> None:
        battle = self.battles[-1]
        assert battle.winner is not None
        battle.order = order
        self.packs[battle.winner].extend(order)

    def _end(self, reason: str) -> None:
        self.reason = reason
        self._places = ranked(self._scores())

    def _war_of(self, battle: Battle, tied: list[int], depth: int) -> None:
        """Lay `depth` cards face down and one face up, as the option `out_of_cards` has it."""
        if self.options.out_of_cards == "out":
            war_or_out(battle, depth)
        else:
            war_to_last_card(battle, depth, tied)

    def _sees_order(self, seat: int | None, winner: int | None) -> bool:
        """Return whether `seat`, or one who sees all, knows how `winner` picks up."""
        if seat is None:
            return True
        if self.options.pickup == "winner_chooses" and self.options.order_seen == "winner":
            return seat == winner
        return self.options.pickup != "shuffled"

    def _shown(self, battle: Battle, seat: int) -> dict[str, Any]:
        return {
            "battle": battle.number,
            "laid": [battle.laid.get(other, []) for other in range(self.seats)],
            "down": battle.down,
            "winner": battle.winner,
            "order": self.order_of(battle, seat),
        }

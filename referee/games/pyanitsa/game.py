"""P'yanitsa: War in which a six beats an ace and the drunkard ends up with all the cards."""

from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta

from referee.games.war_family.battle import Battle
from referee.games.war_family.cards import STRENGTH, FrenchCard, deck, strength
from referee.games.war_family.packs import ORDER, PackGame, PackOptions
from referee.rules.field import UNIQUE
from referee.rules.form import AnyForm, Form

LOWEST = {36: "6", 52: "2"}
"""The lowest rank of each deck."""
ACE = STRENGTH["A"]
ABOVE_ACE = ACE + 1
DEPTH = {"face_up": 0, "face_down": 1}
"""Cards laid face down when cards tie."""


class PyanitsaOptions(PackOptions, frozen=True, kw_only=True):
    """The options of P'yanitsa."""

    deck: Annotated[
        Literal[36, 52], Meta(description="The cards: from six to ace, or from two to ace.")
    ] = 36
    tie: Annotated[
        Literal["face_up", "face_down"],
        Meta(description="After a tie each lays a card face up, or one face down before it."),
    ] = "face_up"
    aim: Annotated[
        Literal["avoid_all", "avoid_empty"],
        Meta(description="The drunkard: who ends up with all cards, or who first runs out."),
    ] = "avoid_all"
    placing: Annotated[
        Literal["loser_only", "order"],
        Meta(description="All but the drunkard share place 1, or all seats are ranked."),
    ] = "loser_only"


class PickUp(Form, forbid_unknown_fields=True):
    """The order in which the cards won go under one's pack."""

    order: Annotated[
        list[FrenchCard],
        UNIQUE,
        Meta(description=ORDER, extra_json_schema={"minItems": 2, "maxItems": max(LOWEST)}),
    ]


class Pyanitsa(PackGame):
    """One play of P'yanitsa."""

    name = "pyanitsa"
    title = "A Russian War: a six beats an ace, and to end up with all the cards is to lose."
    seat_counts = range(2, 13)
    options_type = PyanitsaOptions
    decisions: ClassVar[Mapping[str, AnyForm]] = {"pickup": PickUp}
    typical_decisions = 230
    mirroring = 5.9

    options: PyanitsaOptions

    @property
    def aim(self) -> str:
        """Who is the drunkard, and what beats an ace, in one line for people."""
        ends = {"avoid_all": "ends up with all the cards", "avoid_empty": "is first to run out"}
        lowest = {36: "six", 52: "two"}[self.options.deck]
        return f"Whoever {ends[self.options.aim]} loses. A {lowest} beats an ace."

    def _cards(self) -> list[str]:
        return deck(lowest=LOWEST[self.options.deck])

    def _heights(self, cards: Collection[str]) -> list[int]:
        heights = [strength(card) for card in cards]
        if ACE in heights:
            lowest = STRENGTH[LOWEST[self.options.deck]]
            return [ABOVE_ACE if height == lowest else height for height in heights]
        return heights

    def _war(self, battle: Battle, tied: list[int]) -> None:
        self._war_of(battle, tied, DEPTH[self.options.tie])

    def _ending(self) -> str:
        if self.options.aim == "avoid_empty":
            return "ran_out" if self.ran_out else ""
        return "all_cards" if len(self.still_in()) == 1 else ""

    def _scores(self) -> Sequence[Any]:
        if self.options.placing == "loser_only":
            drunkards = self._drunkards()
            return [seat in drunkards for seat in range(self.seats)]
        by_lasting = super()._scores()
        if self.options.aim == "avoid_empty":
            return by_lasting
        return [tuple(-number for number in score) for score in by_lasting]

    def _drunkards(self) -> list[int]:
        """Return who loses; level seats of a drawn battle hold the cards together."""
        holding = {seat: len(self.packs[seat]) for seat in self.still_in()}
        if self.options.aim == "avoid_all":
            most = max(holding.values())
            return [seat for seat, count in holding.items() if count == most]
        laid = {seat: count for seat, (_, count) in self.ran_out.items()} or holding
        return [seat for seat, count in laid.items() if count == min(laid.values())]

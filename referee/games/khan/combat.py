"""A combat of Khan: three rounds, the specials in between, and what it costs.

(Rules page, "A turn" and "The specials".)
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from referee.games.khan.camp import (
    CHAMPION,
    FACE_UP,
    GUNPOWDER,
    LEADER,
    LEADERS,
    POISON,
    RETREAT,
    ROUNDS,
    VANGUARD,
    Camp,
    formations,
    in_order,
    prevails,
    tally,
    without,
)

ATTACKER, DEFENDER = range(2)
SIDES = (ATTACKER, DEFENDER)

Question = tuple[str, tuple[int, ...]]
"""A decision and the seats that are asked for it."""


class CombatStep(NamedTuple):
    """A point of the combat at which something may be asked or is judged."""

    name: str
    side: int = ATTACKER
    special: str = ""
    """What is offered for use here."""
    again: bool = False
    """Offered only because the enemy has just used the same special."""


def _steps() -> Iterator[CombatStep]:
    for name, special in (("gunpowder", GUNPOWDER), ("", ""), ("poison", POISON)):
        yield from (CombatStep("reveal", side) for side in SIDES)
        if name:
            yield from (CombatStep(name, side, special) for side in SIDES)
            yield CombatStep(name, ATTACKER, special, again=True)
        yield CombatStep("judge")


STEPS = tuple(_steps())
"""The three rounds, point by point."""


class Fighter:
    """One side of a combat: what it has shown, lost to a special and declared."""

    __slots__ = ("camp", "declared", "destroyed", "discarded", "face_up", "seat", "shown")

    def __init__(self, seat: int, camp: Camp) -> None:
        self.seat = seat
        self.camp = camp
        self.face_up = camp.take_up()
        """The cards that lay face up before the combat."""
        self.shown: list[list[str] | None] = [None, None, None]
        """By round; None while it is not this side's turn to show."""
        self.destroyed: list[list[str]] = [[], [], []]
        """By round, the shown cards that a special discarded."""
        self.declared: str | None = None
        self.discarded: list[str] = []
        """What the end of the combat has cost."""

    def may_show(self, stage: int) -> list[list[str]]:
        """Return what this side may show in round `stage`, nothing first."""
        return formations(self.camp.hand, stage, champion=self.declared is None)

    def may_declare(self, special: str) -> bool:
        """Return whether this side holds `special` and has declared none."""
        return self.declared is None and special in self.camp.hand

    def formation(self, stage: int) -> list[str]:
        """Return what this side has for the judgement of round `stage`."""
        shown, destroyed = self.shown[stage] or [], self.destroyed[stage]
        if stage == VANGUARD and destroyed:
            return []
        return shown[len(destroyed) :]  # a poisoned leader lies before its heir

    def on_table(self) -> list[str]:
        """Return the cards that lie on the table, the special declared among them."""
        cards = []
        for shown, destroyed in zip(self.shown, self.destroyed, strict=True):
            cards += without(shown or (), destroyed)
        if self.declared and self.declared != CHAMPION:
            cards.append(self.declared)
        return cards

    def show(self, stage: int, cards: Sequence[str]) -> None:
        """Lay a formation, or nothing, on the table."""
        self.camp.play(cards)
        self.shown[stage] = in_order(cards)
        if CHAMPION in cards:
            self.declared = CHAMPION

    def declare(self, special: str) -> None:
        """Lay a special on the table."""
        self.camp.play((special,))
        self.declared = special

    def has_heir(self) -> bool:
        """Return whether there is a leader in the hand."""
        return any(leader in self.camp.hand for leader in LEADERS)

    def may_choose_front(self) -> bool:
        """Return whether there are several pairs of cards to turn face up."""
        hand = self.camp.hand
        return len(hand) > FACE_UP and hand[0] != hand[-1]

    def retire(self, *, defeated: bool) -> list[str]:
        """Discard what the combat has cost, take the rest back, and return the discards."""
        on_table = self.on_table()
        if defeated and self.declared != RETREAT:
            self.discarded = in_order(self.camp.lose_hand() + on_table)
        else:
            self.discarded = [card for card in on_table if card == self.declared]
            self.camp.take_back(without(on_table, self.discarded))
        return self.discarded


class Combat:
    """One attack, from the cards taken up to the cards turned face up again.

    What a special destroys and what the end costs goes to `pile`, the discards of the game.
    """

    __slots__ = ("fighters", "loot", "next_step", "pile", "results", "stage", "turn", "winner")

    def __init__(
        self, turn: int, seats: tuple[int, int], camps: Sequence[Camp], pile: list[str]
    ) -> None:
        self.turn = turn
        self.pile = pile
        attacker, defender = (Fighter(seat, camps[seat]) for seat in seats)
        self.fighters = (attacker, defender)
        self.next_step = 0
        self.stage = VANGUARD
        """The round that is being fought; 3 once all are judged."""
        self.results: list[int] = []
        """The side that won each round judged so far."""
        self.winner: int | None = None
        """The side that won the combat."""
        self.loot: list[str] = []

    def fighter(self, seat: int) -> Fighter:
        """Return the side that `seat` is."""
        return self.fighters[self._side(seat)]

    def enemy(self, seat: int) -> Fighter:
        """Return the side that faces `seat`."""
        return self.fighters[1 - self._side(seat)]

    def facing(self, seat: int) -> list[str]:
        """Return the formation that faces `seat` in this round."""
        return self.enemy(seat).formation(self.stage)

    def fight_on(self) -> Question | None:
        """Go on to the next question; None when the three rounds are judged."""
        while self.next_step < len(STEPS):
            step = STEPS[self.next_step]
            self.next_step += 1
            if step.name == "judge":
                self._judge()
            elif self._has_choice(step):
                return step.name, (self.fighters[step.side].seat,)
            elif step.name == "reveal":
                self.fighters[step.side].show(self.stage, ())
        return None

    def show(self, seat: int, cards: Sequence[str]) -> Question | None:
        """Show the formation of `seat`."""
        self.fighter(seat).show(self.stage, cards)
        return self.fight_on()

    def explode(self, seat: int, cards: Sequence[str]) -> Question | None:
        """Use the gunpowder of `seat` on two cards of the enemy's vanguard."""
        self.fighter(seat).declare(GUNPOWDER)
        self._destroy(self.enemy(seat), cards)
        return self.fight_on()

    def poison(self, seat: int) -> Question | None:
        """Use the poison of `seat` on the enemy's leader."""
        enemy = self.enemy(seat)
        self.fighter(seat).declare(POISON)
        self._destroy(enemy, self.facing(seat))
        return ("replace_leader", (enemy.seat,)) if enemy.has_heir() else self.fight_on()

    def replace_leader(self, seat: int, leader: str | None) -> Question | None:
        """Lay an heir beside the poisoned leader of `seat`, or none."""
        own = self.fighter(seat)
        if leader is not None:
            own.camp.play((leader,))
            shown = own.shown[LEADER]
            assert shown is not None
            shown.append(leader)
        return self.fight_on()

    def plunder(self) -> None:
        """Hand over what the attacker has won, if he has won."""
        attacker, defender = self.fighters
        if self.winner == ATTACKER:
            self.loot = defender.camp.lose_front()
            attacker.camp.loot(self.loot)

    def offer_retreat(self) -> Question | None:
        """Offer the loser his retreat, or go on without."""
        loser = self._loser()
        if loser.may_declare(RETREAT):
            return "retreat", (loser.seat,)
        return self.disband(retreat=False)

    def disband(self, *, retreat: bool) -> Question | None:
        """Discard what the combat has cost; None if nobody can choose what to turn face up."""
        loser = self._loser()
        if retreat:
            loser.declare(RETREAT)
        self.pile += loser.retire(defeated=True)
        self.pile += self.enemy(loser.seat).retire(defeated=False)
        asked = sorted(fighter.seat for fighter in self.fighters if fighter.may_choose_front())
        return ("place_front", tuple(asked)) if asked else None

    def record(self) -> dict[str, Any]:
        """Return all that everybody has seen of this combat, as plain JSON."""
        attacker, defender = self.fighters
        begun = range(min(self.stage + 1, len(ROUNDS)))
        return {
            "turn": self.turn,
            "seat": attacker.seat,
            "action": "attack",
            "target": defender.seat,
            "face_up": [fighter.face_up.copy() for fighter in self.fighters],
            "rounds": [self._round(stage) for stage in begun],
            "declared": [fighter.declared for fighter in self.fighters],
            "winner": None if self.winner is None else self.fighters[self.winner].seat,
            "loot": tally(self.loot),
            "discarded": [fighter.discarded.copy() for fighter in self.fighters],
        }

    def _side(self, seat: int) -> int:
        return ATTACKER if self.fighters[ATTACKER].seat == seat else DEFENDER

    def _loser(self) -> Fighter:
        assert self.winner is not None
        return self.fighters[1 - self.winner]

    def _has_choice(self, step: CombatStep) -> bool:
        own, enemy = self.fighters[step.side], self.fighters[1 - step.side]
        if step.name == "reveal":
            return len(own.may_show(self.stage)) > 1
        return (
            own.may_declare(step.special)
            and bool(enemy.formation(self.stage))
            and (not step.again or enemy.declared == step.special)
        )

    def _destroy(self, victim: Fighter, cards: Sequence[str]) -> None:
        gone = in_order(cards)
        victim.destroyed[self.stage] = gone
        self.pile += gone

    def _judge(self) -> None:
        attack, defence = (fighter.formation(self.stage) for fighter in self.fighters)
        self.results.append(ATTACKER if prevails(attack, defence, self.stage) else DEFENDER)
        self.stage += 1
        if self.stage == len(ROUNDS):
            self.winner = ATTACKER if self.results.count(ATTACKER) >= 2 else DEFENDER

    def _round(self, stage: int) -> dict[str, Any]:
        shown = [fighter.shown[stage] for fighter in self.fighters]
        judged = stage < self.stage
        return {
            "shown": [cards if cards is None else cards.copy() for cards in shown],
            "destroyed": [fighter.destroyed[stage].copy() for fighter in self.fighters],
            "standing": [fighter.formation(stage).copy() for fighter in self.fighters],
            "winner": self.fighters[self.results[stage]].seat if judged else None,
        }

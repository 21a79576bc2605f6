"""Cold War: four rivals, one winning pair, and four plays revealed at once."""

import unicodedata
from collections.abc import Mapping, Sequence
from random import Random
from typing import Annotated, Any, ClassVar, Literal, Self

from msgspec import Meta

from referee.games.cold_war.forms import (
    DECISIONS,
    GAIN,
    NAMES,
    PAIRS,
    REACH,
    RIVALS,
    SEATS,
    can_be_laid,
    forces,
    play_refusal,
    sample_arm,
    sample_cards,
    sample_shift,
)
from referee.games.cold_war.table import areas, deed, told
from referee.rules.chance import Chance, any_below, any_of
from referee.rules.form import AnyForm
from referee.rules.game import Decision, Game, Move, Observation, Options, twin
from referee.rules.scene import Area

REMOVED = frozenset({"Cc", "Cf", "Cs", "Co", "Zs", "Zl", "Zp"})
"""The Unicode categories a message loses, the plain space apart."""


class ColdWarOptions(Options, frozen=True, kw_only=True):
    """The options of Cold War."""

    talk: Annotated[bool, Meta(description="Whether public messages open each round.")] = False
    talk_exchanges: Annotated[int, Meta(ge=1, description="Exchanges of messages a round.")] = 1
    talk_chars: Annotated[int, Meta(ge=1, description="The longest message, in code points.")] = 200
    max_rounds: Annotated[int, Meta(ge=1, description="Rounds before the game is stopped.")] = 200
    cap_result: Annotated[
        Literal["draw", "lead"],
        Meta(description="A stopped game: all tie, or the one pair with the greatest lead wins."),
    ] = "draw"
    null_plays: Annotated[
        Literal["hidden", "shown"],
        Meta(description="Of a null play, only the word is seen, or the cards that were laid too."),
    ] = "hidden"


class ColdWar(Game):
    """One play of Cold War."""

    name = "cold_war"
    title = "Four rivals aim missiles at one another; a pair that attacks as one and stronger wins."
    seat_counts = range(4, 5)
    options_type = ColdWarOptions
    decisions: ClassVar[Mapping[str, AnyForm]] = DECISIONS
    typical_decisions = 220
    has_chance = False
    illegal_is_sanctioned = True

    options: ColdWarOptions

    def __init__(self, *, seats: int, options: Options, chance: Chance) -> None:
        super().__init__(seats=seats, options=options, chance=chance)
        self.round = 1
        self.markers = [[0] * 4 for _ in SEATS]
        self.reserve = [0] * 4
        self.last: list[Move] | None = None
        self.attacks: list[dict[str, Any]] = []
        self.messages: list[list[str]] = []
        self.withdrawn: set[int] = set()
        self._exchanges = self.options.talk_exchanges if self.options.talk else 0
        self._places: list[int] = []

    def deciders(self) -> Sequence[int]:
        """Return all four seats, until the game is over."""
        return () if self._places else SEATS

    def decision(self, seat: int) -> Decision:
        """Return the talk or the play that is asked of all four."""
        if self._talking():
            return Decision("talk", limits={"chars": self.options.talk_chars})
        most, rivals = self._deployable(seat), [*RIVALS[seat]]
        return Decision("play", limits={"add_max": most, "move_max": REACH, "partners": rivals})

    def asks(self, seat: int) -> str:
        """Return the name of the decision."""
        return "talk" if self._talking() else "play"

    def view(self, seat: int) -> Observation:
        """Return the table, which is the same for all seats."""
        return {
            "game": self.name,
            "seat": seat,
            "decision": None if self._places else self.asks(seat),
            "round": self.round,
            "max_rounds": self.options.max_rounds,
            "markers": self.markers,
            "reserve": self.reserve,
            "last": self.last,
            "attacks": self.attacks,
            "messages": self.messages,
        }

    def check(self, seat: int, move: Move) -> str | None:
        """Return which condition `move` breaks, or None."""
        reason = None if self._talking() else self._refusal(seat, move)
        if reason and self.options.null_plays == "shown" and can_be_laid(seat, move):
            return None
        return reason

    def canonical(self, seat: int, move: Move) -> Move:
        """Return the message as it is passed on, or the play."""
        return {"say": self._cleaned(move)} if self._talking() else move

    def apply(self, moves: Mapping[int, Move]) -> None:
        """Take in the four messages, or play the round out."""
        if self._talking():
            self.messages.append([self._cleaned(moves[seat]) for seat in SEATS])
        else:
            self._play([self._turned_up(seat, _copied(moves[seat])) for seat in SEATS])

    def default(self, seat: int) -> Move:
        """Return silence, or the null play that no bot may state."""
        return {"say": ""} if self._talking() else {"play": "null"}

    def sample(self, seat: int, rng: Random) -> Move:
        """Return an arm, a shift or an attack, in the odds 2 : 1 : 1, or a few words.

        Where null plays are shown, a quarter are any cards, which are mostly null.
        """
        if self._talking():
            return {"say": rng.choice(("", "I arm", *(f"{NAMES[s]}, now!" for s in RIVALS[seat])))}
        if self.options.null_plays == "shown" and rng.random() < 0.25:
            laid = sample_cards(seat, rng)
            if self.check(seat, laid) is None:
                return laid
        kind = any_below(4, rng)
        if kind == 0:
            return {"play": "attack", "with": any_of(RIVALS[seat], rng)}
        if kind == 1:
            return sample_shift(seat, self.markers[seat], rng)
        return sample_arm(seat, self._deployable(seat), rng)

    def places(self) -> list[int]:
        """Return 1 for the winning pair and 3 for the others, or 1 for all."""
        return self._places.copy()

    def resample(self, seat: int, rng: Random) -> Self:
        """Return a copy with other chance to come: nothing else is hidden."""
        return twin(self, rng)

    def withdraw(self, seat: int) -> None:
        """Keep `seat` from leading at the guard; its markers still count."""
        self.withdrawn.add(seat)

    def called(self, seat: int) -> str:
        """Return the point of the compass where `seat` sits."""
        return NAMES[seat]

    def scene(self, seat: int | None = None) -> Sequence[Area]:
        """Return the markers, the last plays and what became of the attacks."""
        plays = [deed(owner, play) for owner, play in enumerate(self.last or ())]
        return [*areas(self.view(0), plays)]

    def describe(self, seat: int, move: Move) -> str:
        """Return `move` as a sentence without a full stop, such as "West attacks with North"."""
        if self._talking():
            words = self._cleaned(move)
            return f'{NAMES[seat]} says "{words}"' if words else f"{NAMES[seat]} is silent"
        return told(seat, self._turned_up(seat, move))

    def _talking(self) -> bool:
        return len(self.messages) < self._exchanges

    def _deployable(self, seat: int) -> int:
        return min(REACH, self.reserve[seat] + GAIN)

    def _refusal(self, seat: int, play: Move) -> str | None:
        """Return which condition a play breaks, or None."""
        return play_refusal(seat, play, self.markers[seat], self._deployable(seat))

    def _turned_up(self, seat: int, play: Move) -> Move:
        """Return a play as all see it: a null one that is shown, with what was laid."""
        if self.options.null_plays == "hidden" or play["play"] == "null":
            return play
        return {"play": "null", "laid": play} if self._refusal(seat, play) else play

    def _cleaned(self, move: Move) -> str:
        said = move["say"]
        kept = [c for c in said if c == " " or unicodedata.category(c) not in REMOVED]
        return "".join(kept[: self.options.talk_chars])

    def _play(self, plays: list[Move]) -> None:
        self.last = plays
        for seat, play in enumerate(plays):
            self._deploy(seat, play)
        self.attacks = [self._attack(pair) for pair in PAIRS if _mutual(plays, pair)]
        for attack in self.attacks:
            if attack["won"]:
                return self._end("attack", attack["pair"])
        if self.round == self.options.max_rounds:
            return self._stop()
        self.round += 1
        self.messages = []
        return None

    def _deploy(self, seat: int, play: Move) -> None:
        if play["play"] == "arm":
            changes = play["add"]
            self.reserve[seat] += GAIN - sum(changes)
        elif play["play"] == "shift":
            changes = play["move"]
        else:
            return
        self.markers[seat] = [held + n for held, n in zip(self.markers[seat], changes, strict=True)]

    def _attack(self, pair: tuple[int, int]) -> dict[str, Any]:
        force, against = forces(self.markers, pair)
        return {"pair": [*pair], "force": force, "against": against, "won": force > against}

    def _end(self, reason: str, winners: Sequence[int]) -> None:
        self.reason = reason
        self._places = [1 if seat in winners else 3 for seat in SEATS]

    def _stop(self) -> None:
        leaders = self._leaders() if self.options.cap_result == "lead" else []
        if len(leaders) == 1:
            self._end("lead", leaders[0])
        else:
            self._end("max_rounds", SEATS)

    def _leaders(self) -> list[tuple[int, int]]:
        able = [pair for pair in PAIRS if self.withdrawn.isdisjoint(pair)]
        leads = [force - against for force, against in (forces(self.markers, p) for p in able)]
        best = max(leads, default=0)
        return [pair for pair, lead in zip(able, leads, strict=True) if lead == best > 0]


def _copied(play: Move) -> Move:
    return {field: [*value] if type(value) is list else value for field, value in play.items()}


def _mutual(plays: Sequence[Move], pair: tuple[int, int]) -> bool:
    one, two = pair
    return plays[one].get("with") == two and plays[two].get("with") == one

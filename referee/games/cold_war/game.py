"""Cold War: four rivals, one winning pair, and four plays revealed at once."""

import textwrap
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from random import Random
from typing import Annotated, Any, ClassVar, Literal, Self

from msgspec import Meta

from referee.chance import Chance
from referee.game import Decision, Game, Move, Observation, Options, twin

SEATS = range(4)
NAMES = ("South", "West", "North", "East")
RIVALS = tuple(tuple(other for other in SEATS if other != seat) for seat in SEATS)
PAIRS = tuple(combinations(SEATS, 2))

GAIN = 4
"""Missiles gained by an arm."""
REACH = 12
"""The most missiles one play deploys or re-aims."""

REMOVED = frozenset({"Cc", "Cf", "Cs", "Co", "Zs", "Zl", "Zp"})
"""The Unicode categories a message loses, the plain space apart."""


def _object(description: str, properties: Mapping[str, Any]) -> dict[str, Any]:
    shape = {"type": "object", "required": [*properties], "properties": properties}
    return {"description": description, **shape}


def _entries(description: str, lowest: int) -> dict[str, Any]:
    entry = {"type": "integer", "minimum": lowest, "maximum": REACH}
    shape = {"items": entry, "minItems": 4, "maxItems": 4, "contains": {"const": 0}}
    return {"description": description, "type": "array", **shape}


def _kind(name: str) -> dict[str, Any]:
    return {"description": "The kind of play.", "const": name}


ADD = _entries(
    "Missiles added to the marker aimed at each seat, 0 at one's own; they add up to at most 12"
    " and at most one's reserve + 4.",
    lowest=0,
)
MOVE = _entries(
    "Change of the marker aimed at each seat, 0 at one's own; the sum is 0, the positive entries"
    " add up to at most 12, and no marker goes below 0.",
    lowest=-REACH,
)
WITH = {
    "description": "The ally sought, not the victim: a seat other than one's own.",
    "type": "integer",
    "minimum": 0,
    "maximum": 3,
}
SAY = {
    "description": 'The message; "" is silence. Of the characters that print and plain spaces,'
    " the first `talk_chars` are kept.",
    "type": "string",
}
PLAY = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "description": "The play of this round. Fields the stated play does not use are ignored.",
    "oneOf": [
        _object("Gain four missiles and deploy.", {"play": _kind("arm"), "add": ADD}),
        _object("Re-aim missiles; all 0 is a pass.", {"play": _kind("shift"), "move": MOVE}),
        _object("Offer an alliance.", {"play": _kind("attack"), "with": WITH}),
    ],
}
TALK = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    **_object("A public message, shown to all when the four are in.", {"say": SAY}),
}


class ColdWarOptions(Options, frozen=True, kw_only=True):
    """The options of Cold War."""

    added = frozenset({"null_plays"})

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
    decisions: ClassVar[Mapping[str, Mapping[str, Any]]] = {"talk": TALK, "play": PLAY}
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

    def view(self, seat: int) -> Observation:
        """Return the table, which is the same for all seats."""
        return {
            "game": self.name,
            "seat": seat,
            "decision": None if self._places else "talk" if self._talking() else "play",
            "round": self.round,
            "max_rounds": self.options.max_rounds,
            "markers": self.markers,
            "reserve": self.reserve,
            "last": None if self.last is None else [_canonical(play) for play in self.last],
            "attacks": self.attacks,
            "messages": self.messages,
        }

    def check(self, seat: int, move: Move) -> str | None:
        """Return which condition `move` breaks, or None."""
        if self._talking():
            return None if type(move.get("say")) is str else '"say" must be a string'
        reason = self._refusal(seat, move)
        if reason and self.options.null_plays == "shown" and _can_be_laid(seat, move):
            return None
        return reason

    def canonical(self, seat: int, move: Move) -> Move:
        """Return the message as it is passed on, or the play without what it does not use."""
        return {"say": self._cleaned(move)} if self._talking() else _canonical(move)

    def apply(self, moves: Mapping[int, Move]) -> None:
        """Take in the four messages, or play the round out."""
        if self._talking():
            self.messages.append([self._cleaned(moves[seat]) for seat in SEATS])
        else:
            self._play([self._turned_up(seat, _canonical(moves[seat])) for seat in SEATS])

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
            laid = _sample_cards(seat, rng)
            if self.check(seat, laid) is None:
                return laid
        kind = int(rng.random() * 4)
        if kind == 0:
            return {"play": "attack", "with": RIVALS[seat][int(rng.random() * 3)]}
        if kind == 1:
            return self._sample_shift(seat, rng)
        return self._sample_arm(seat, rng)

    def places(self) -> list[int]:
        """Return 1 for the winning pair and 3 for the others, or 1 for all."""
        return self._places.copy()

    def resample(self, seat: int, rng: Random) -> Self:
        """Return a copy with other chance to come: nothing else is hidden."""
        return twin(self, rng)

    def withdraw(self, seat: int) -> None:
        """Keep `seat` from leading at the guard; its markers still count."""
        self.withdrawn.add(seat)

    def text(self, seat: int | None = None) -> str:
        """Return the markers, the last plays and what became of the attacks."""
        you = "" if seat is None else f"; you are {NAMES[seat]}"
        lines = [f"Cold War, round {self.round} of {self.options.max_rounds}{you}", ""]
        heads = [*(f"{seat} {name}" for seat, name in enumerate(NAMES)), "reserve"]
        lines.append("aimed at " + "".join(f"{head:>9}" for head in heads))
        lines += [self._row(owner) for owner in SEATS]
        if self.last is not None:
            lines += ["", "Last plays:"]
            lines += [f"  {_told(owner, play)}" for owner, play in enumerate(self.last)]
        lines += [f"  {_outcome(attack)}" for attack in self.attacks]
        lines += self._spoken()
        if self._places:
            lines += ["", self._verdict()]
        return "\n".join(lines)

    def describe(self, seat: int, move: Move) -> str:
        """Return `move` as a sentence without a full stop, such as "West attacks with North"."""
        if self._talking():
            words = self._cleaned(move)
            return f'{NAMES[seat]} says "{words}"' if words else f"{NAMES[seat]} is silent"
        return _told(seat, self._turned_up(seat, move))

    def _talking(self) -> bool:
        return len(self.messages) < self._exchanges

    def _deployable(self, seat: int) -> int:
        return min(REACH, self.reserve[seat] + GAIN)

    def _refusal(self, seat: int, move: Move) -> str | None:
        """Return which condition a play breaks, or None."""
        play = move.get("play")
        if play == "arm":
            return self._check_arm(seat, move.get("add"))
        if play == "shift":
            return self._check_shift(seat, move.get("move"))
        if play == "attack":
            return _check_attack(seat, move.get("with"))
        return '"play" must be "arm", "shift" or "attack"'

    def _turned_up(self, seat: int, play: Move) -> Move:
        """Return a play as all see it: a null one that is shown, with what was laid."""
        if self.options.null_plays == "hidden" or play["play"] == "null":
            return play
        return {"play": "null", "laid": play} if self._refusal(seat, play) else play

    def _check_arm(self, seat: int, add: object) -> str | None:
        if reason := _check_entries(seat, "add", add, lowest=0):
            return reason
        assert isinstance(add, list)
        placed, most = sum(add), self._deployable(seat)
        if placed > most:
            return f'"add" places {placed} missiles; now, at most {most} can be placed'
        return None

    def _check_shift(self, seat: int, move: object) -> str | None:
        if reason := _check_entries(seat, "move", move, lowest=-REACH):
            return reason
        assert isinstance(move, list)
        if sum(move):
            return f'the entries of "move" add up to {sum(move)}, not to 0'
        # Three entries that add up to 0, none beyond 12, never re-aim more than 12 in all.
        for other in RIVALS[seat]:
            held = self.markers[seat][other]
            if held + move[other] < 0:
                return f'"move" takes {-move[other]} off entry {other}, which has only {held}'
        return None

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
        force, against = self._forces(pair)
        return {"pair": [*pair], "force": force, "against": against, "won": force > against}

    def _forces(self, pair: tuple[int, int]) -> tuple[int, int]:
        a, b = pair
        c, d = (seat for seat in SEATS if seat not in pair)
        aim = self.markers
        force = aim[a][c] + aim[a][d] + aim[b][c] + aim[b][d]
        return force, aim[c][a] + aim[c][b] + aim[d][a] + aim[d][b]

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
        leads = [force - against for force, against in map(self._forces, able)]
        best = max(leads, default=0)
        return [pair for pair, lead in zip(able, leads, strict=True) if lead == best > 0]

    def _sample_arm(self, seat: int, rng: Random) -> Move:
        total = int(rng.random() * (self._deployable(seat) + 1))
        low, high = sorted((int(rng.random() * (total + 1)), int(rng.random() * (total + 1))))
        add = [low, high - low, total - high]
        add.insert(seat, 0)
        return {"play": "arm", "add": add}

    def _sample_shift(self, seat: int, rng: Random) -> Move:
        own = self.markers[seat]
        first = int(rng.random() * 3)
        hub, one, two = (RIVALS[seat][(first + turn) % 3] for turn in range(3))
        move = [0, 0, 0, 0]
        if rng.random() < 0.5:  # one marker feeds the two others
            moved = int(rng.random() * (min(REACH, own[hub]) + 1))
            move[one] = int(rng.random() * (moved + 1))
            move[two] = moved - move[one]
        else:
            move[one] = -int(rng.random() * (min(REACH, own[one]) + 1))
            move[two] = -int(rng.random() * (min(REACH + move[one], own[two]) + 1))
        move[hub] = -move[one] - move[two]
        return {"play": "shift", "move": move}

    def _row(self, owner: int) -> str:
        cells = ["-" if seat == owner else str(self.markers[owner][seat]) for seat in SEATS]
        cells.append(str(self.reserve[owner]))
        return f"{owner} {NAMES[owner]:7}" + "".join(f"{cell:>9}" for cell in cells)

    def _spoken(self) -> list[str]:
        lines: list[str] = []
        for number, exchange in enumerate(self.messages, start=1):
            lines += ["", f"Exchange {number}:"]
            for name, words in zip(NAMES, exchange, strict=True):
                said = f"{name}: {words or '(silent)'}"
                lines += textwrap.wrap(said, 80, initial_indent="  ", subsequent_indent="    ")
        return lines

    def _verdict(self) -> str:
        winners = [NAMES[seat] for seat in SEATS if self._places[seat] == 1]
        return "All four tie." if len(winners) == 4 else f"{' and '.join(winners)} win."


def _check_entries(seat: int, field: str, entries: object, lowest: int) -> str | None:
    if type(entries) is not list or len(entries) != 4 or any(type(n) is not int for n in entries):
        return f'"{field}" must be a list of four whole numbers, one for each seat'
    if min(entries) < lowest or max(entries) > REACH:
        return f'the entries of "{field}" must be from {lowest} to {REACH}'
    if entries[seat] != 0:
        return f'"{field}" must have 0 at entry {seat}, one\'s own'
    return None


def _check_attack(seat: int, ally: object) -> str | None:
    if type(ally) is not int or ally not in SEATS:
        return '"with" must be a seat number, 0 to 3'
    return '"with" may not be one\'s own seat' if ally == seat else None


def _can_be_laid(seat: int, play: Move) -> bool:
    """Return whether the cards can show an arm or a shift, whatever conditions it breaks."""
    kind = play.get("play")
    if kind == "arm":
        entries, lowest = play.get("add"), 0
    elif kind == "shift":
        entries, lowest = play.get("move"), -REACH
    else:
        return False
    if _check_entries(seat, "", entries, lowest):
        return False
    assert isinstance(entries, list)
    if kind == "shift" and 3 in (sum(n > 0 for n in entries), sum(n < 0 for n in entries)):
        return False  # three ENTRADA are an arm, and there are only two SALIDA
    copies = Counter(abs(n) for n in entries if n)
    return all(count <= (3 if number <= 4 else 2) for number, count in copies.items())


def _sample_cards(seat: int, rng: Random) -> Move:
    """Return an arm or a shift of any numbers."""
    kind, field, lowest = ("arm", "add", 0) if rng.random() < 0.5 else ("shift", "move", -REACH)
    entries = [lowest + int(rng.random() * (REACH + 1 - lowest)) for _ in RIVALS[seat]]
    entries.insert(seat, 0)
    return {"play": kind, field: entries}


def _canonical(play: Move) -> Move:
    """Return a new object with only what was understood of `play`."""
    match play["play"]:
        case "arm":
            return {"play": "arm", "add": [*play["add"]]}
        case "shift":
            return {"play": "shift", "move": [*play["move"]]}
        case "attack":
            return {"play": "attack", "with": play["with"]}
        case _:
            return {**play}


def _mutual(plays: Sequence[Move], pair: tuple[int, int]) -> bool:
    one, two = pair
    return plays[one].get("with") == two and plays[two].get("with") == one


def _told(seat: int, play: Move) -> str:
    """Return `play` as a sentence without its full stop."""
    name = NAMES[seat]
    match play["play"]:
        case "arm":
            return f"{name} arms: {_changes(seat, play['add'], GAIN - sum(play['add']))}"
        case "shift":
            changes = _changes(seat, play["move"], 0)
            return f"{name} shifts: {changes}" if changes else f"{name} passes"
        case "attack":
            return f"{name} attacks with {NAMES[play['with']]}"
        case _:
            return f"{name} loses the play{laid(seat, play)}"


def laid(seat: int, play: Move) -> str:
    """Return after a colon what was laid in a null play, if it is shown."""
    if "laid" not in play:
        return ""
    cards = play["laid"]
    return f": {cards['play']} {_changes(seat, cards.get('add') or cards['move'], 0)}"


def _changes(seat: int, entries: Sequence[int], reserve: int) -> str:
    named = [(NAMES[other], entries[other]) for other in RIVALS[seat]]
    return ", ".join(f"{name} {n:+d}" for name, n in (*named, ("reserve", reserve)) if n)


def _outcome(attack: Mapping[str, Any]) -> str:
    one, two = (NAMES[seat] for seat in attack["pair"])
    end = "won" if attack["won"] else "repelled"
    return f"Attack of {one} and {two}: {attack['force']} against {attack['against']}, {end}"

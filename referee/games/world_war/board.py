"""World War's board and cards, the armies on it, their combats, and what everybody sees happen.

Inside the game a territory is its number in the board's order, a continent its number in the same
order, and a card the number of its territory; the two jokers follow.
"""

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from operator import gt
from typing import Any, NamedTuple

import msgspec

from referee.rules.chance import Chance, Key

_BOARD = """
north_america +5
  alaska infantry: alberta kamchatka northwest_territory
  northwest_territory cannon: alaska alberta greenland ontario
  greenland cavalry: iceland northwest_territory ontario quebec
  alberta cavalry: alaska northwest_territory ontario western_united_states
  ontario cavalry: alberta eastern_united_states greenland northwest_territory quebec \
    western_united_states
  quebec cavalry: eastern_united_states greenland ontario
  western_united_states cannon: alberta central_america eastern_united_states ontario
  eastern_united_states cannon: central_america ontario quebec western_united_states
  central_america cannon: eastern_united_states venezuela western_united_states
south_america +2
  venezuela infantry: brazil central_america peru
  peru infantry: argentina brazil venezuela
  brazil cannon: argentina north_africa peru venezuela
  argentina infantry: brazil peru
europe +5
  iceland infantry: great_britain greenland scandinavia
  great_britain cannon: iceland northern_europe scandinavia western_europe
  scandinavia cavalry: eastern_europe great_britain iceland northern_europe
  northern_europe cannon: eastern_europe great_britain scandinavia southern_europe western_europe
  western_europe cannon: great_britain north_africa northern_europe southern_europe
  southern_europe cannon: eastern_europe egypt middle_east north_africa northern_europe \
    western_europe
  eastern_europe cavalry: afghanistan middle_east northern_europe scandinavia southern_europe ural
africa +3
  north_africa cavalry: brazil congo east_africa egypt southern_europe western_europe
  egypt infantry: east_africa middle_east north_africa southern_europe
  east_africa infantry: congo egypt madagascar middle_east north_africa south_africa
  congo infantry: east_africa north_africa south_africa
  south_africa cannon: congo east_africa madagascar
  madagascar cavalry: east_africa south_africa
asia +7
  ural cavalry: afghanistan china eastern_europe siberia
  siberia cavalry: china irkutsk mongolia ural yakutsk
  yakutsk cavalry: irkutsk kamchatka siberia
  kamchatka infantry: alaska irkutsk japan mongolia yakutsk
  irkutsk cavalry: kamchatka mongolia siberia yakutsk
  mongolia infantry: china irkutsk japan kamchatka siberia
  japan cannon: kamchatka mongolia
  afghanistan cavalry: china eastern_europe india middle_east ural
  china infantry: afghanistan india mongolia siberia southeast_asia ural
  middle_east infantry: afghanistan east_africa eastern_europe egypt india southern_europe
  india cavalry: afghanistan china middle_east southeast_asia
  southeast_asia infantry: china india indonesia
oceania +2
  indonesia cannon: new_guinea southeast_asia western_australia
  new_guinea infantry: eastern_australia indonesia western_australia
  western_australia cannon: eastern_australia indonesia new_guinea
  eastern_australia cannon: new_guinea western_australia
"""
"""By continent with its bonus: each territory, the weapon on its card, its neighbours.

(Rules page, "The board, in order".)
"""

JOKER = "joker"


def _read(board: str) -> tuple[dict[str, int], list[tuple[str, str, str, list[str]]]]:
    """Return the continents with their bonuses, and every territory's row."""
    bonuses: dict[str, int] = {}
    rows = []
    for line in board.strip().splitlines():
        name, word, *neighbours = line.split()
        if word.startswith("+"):
            bonuses[name] = int(word)
        else:
            rows.append((name, word.rstrip(":"), [*bonuses][-1], neighbours))
    return bonuses, rows


_BONUSES, _ROWS = _read(_BOARD)

TERRITORIES = tuple(name for name, *_ in _ROWS)
NUMBER = {name: number for number, name in enumerate(TERRITORIES)}
BORDERS = tuple(tuple(NUMBER[other] for other in neighbours) for *_, neighbours in _ROWS)

CONTINENTS = tuple(_BONUSES)
BONUS = tuple(_BONUSES.values())
CONTINENT = tuple(CONTINENTS.index(continent) for _, _, continent, _ in _ROWS)
"""By territory, the number of its continent."""
MEMBERS = tuple(
    tuple(territory for territory, of in enumerate(CONTINENT) if of == continent)
    for continent in range(len(CONTINENTS))
)
"""By continent, its territories."""
SIZE = tuple(map(len, MEMBERS))

CARDS = (*TERRITORIES, "joker_1", "joker_2")
CARD_NUMBER = {name: number for number, name in enumerate(CARDS)}
WEAPON = (*(weapon for _, weapon, _, _ in _ROWS), JOKER, JOKER)
"""By card, what it shows."""


def table() -> dict[str, Any]:
    """Return the board and the cards as they are sent at the start of a match."""
    return {
        "territories": {
            name: {
                "number": number,
                "continent": CONTINENTS[CONTINENT[number]],
                "borders": [TERRITORIES[other] for other in BORDERS[number]],
            }
            for number, name in enumerate(TERRITORIES)
        },
        "continents": {
            name: {
                "bonus": BONUS[number],
                "territories": [TERRITORIES[member] for member in MEMBERS[number]],
            }
            for number, name in enumerate(CONTINENTS)
        },
        "cards": dict(zip(CARDS, WEAPON, strict=True)),
    }


SET = 3
MOST_IN_HAND = 5
ALIKE = {"cannon": 4, "infantry": 6, "cavalry": 8}
DIFFERENT = 10
"""One of each weapon, or a joker in place of one."""
WITH_JOKER = 12
"""A joker with two alike, or two jokers."""
BY_EXCHANGE = (4, 6, 8, 10, 12, 15, 20, 25)
"""In the form `world`, the armies of the first exchanges of the whole table."""
LATER = 5
"""How much more each later exchange brings than the one before."""
ON_OWN = 2
"""The armies that appear at once on an own territory whose card is shown."""


def worth(cards: Sequence[int]) -> int:
    """Return what the secret form pays for three cards; 0 if they are no set."""
    weapons = [WEAPON[card] for card in cards if WEAPON[card] != JOKER]
    kinds = len(set(weapons))
    jokers = SET - len(weapons)
    if jokers == 0:
        return DIFFERENT if kinds == SET else ALIKE[weapons[0]] if kinds == 1 else 0
    return DIFFERENT if kinds == len(weapons) == SET - 1 else WITH_JOKER


def exchange_armies(exchange: int) -> int:
    """Return what the form `world` pays for the exchange of this number, from 0, at the table."""
    beyond = exchange - len(BY_EXCHANGE)
    return BY_EXCHANGE[exchange] if beyond < 0 else BY_EXCHANGE[-1] + LATER * (beyond + 1)


def sets(hand: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the sets in a hand that is in order, the first by the board's order first."""
    return [cards for cards in combinations(hand, SET) if worth(cards)]


Reach = list[tuple[int, list[int]]]
"""Territories to start from, each with those that can be reached from it."""

ONE_EACH = (1,) * len(TERRITORIES)
"""The armies at first."""


class Forces:
    """Owners and armies of all territories, in the board's order."""

    def __init__(self, owner: Sequence[int], seats: int, armies: Sequence[int] = ONE_EACH) -> None:
        self.owner = list(owner)
        self.armies = list(armies)
        self.count = [self.owner.count(seat) for seat in range(seats)]
        """By seat, how many territories it holds."""
        self._in_continent = [[0] * len(CONTINENTS) for _ in range(seats)]
        for territory, holder in enumerate(self.owner):
            self._in_continent[holder][CONTINENT[territory]] += 1
        self.holder: list[int | None] = [
            next((seat for seat in range(seats) if self._in_continent[seat][at] == size), None)
            for at, size in enumerate(SIZE)
        ]
        """By continent, the seat that holds it whole."""

    def own(self, seat: int) -> list[int]:
        """Return the territories of `seat`, in the board's order."""
        return [territory for territory, holder in enumerate(self.owner) if holder == seat]

    def total(self, seat: int) -> int:
        """Return the armies of `seat`."""
        return sum(n for n, holder in zip(self.armies, self.owner, strict=True) if holder == seat)

    def totals(self) -> list[int]:
        """Return the armies of every seat."""
        totals = [0] * len(self.count)
        for holder, n in zip(self.owner, self.armies, strict=True):
            totals[holder] += n
        return totals

    def strong(self, seat: int, least: int) -> int:
        """Return how many territories of `seat` have at least so many armies."""
        pairs = zip(self.armies, self.owner, strict=True)
        return sum(holder == seat and n >= least for n, holder in pairs)

    def continents(self, seat: int) -> list[str]:
        """Return the continents that `seat` holds whole."""
        pairs = zip(CONTINENTS, self.holder, strict=True)
        return [continent for continent, holder in pairs if holder == seat]

    def reinforcements(self, seat: int, minimum: int) -> int:
        """Return what territories, at least the `minimum`, and continents bring in a turn."""
        armies = max(minimum, self.count[seat] // 3)
        for bonus, holder in zip(BONUS, self.holder, strict=True):
            if holder == seat:
                armies += bonus
        return armies

    def take(self, territory: int, seat: int) -> None:
        """Make `seat` the owner of a territory of another."""
        loser, continent = self.owner[territory], CONTINENT[territory]
        self.owner[territory] = seat
        self.count[loser] -= 1
        self.count[seat] += 1
        self._in_continent[loser][continent] -= 1
        self._in_continent[seat][continent] += 1
        whole = self._in_continent[seat][continent] == SIZE[continent]
        self.holder[continent] = seat if whole else None

    def attacks(self, seat: int, shielded: Collection[int]) -> Reach:
        """Return where `seat` may attack from and whom, the `shielded` seats excepted."""
        owner, armies = self.owner, self.armies
        spared = {seat, *shielded}
        reach = []
        for territory, holder in enumerate(owner):
            if holder == seat and armies[territory] > 1:
                targets = [to for to in BORDERS[territory] if owner[to] not in spared]
                if targets:
                    reach.append((territory, targets))
        return reach

    def moves(self, seat: int) -> Reach:
        """Return where `seat` may move armies from and to."""
        owner, armies = self.owner, self.armies
        reach = []
        for territory, holder in enumerate(owner):
            if holder == seat and armies[territory] > 1:
                goals = [to for to in BORDERS[territory] if owner[to] == seat]
                if goals:
                    reach.append((territory, goals))
        return reach

    def move(self, source: int, goal: int, armies: int) -> None:
        """Take armies from one territory to another."""
        self.armies[source] -= armies
        self.armies[goal] += armies


MOST_DICE = 3
MOST_ROLLS = 1000

Roll = list[list[int]]
"""The attacker's dice and the defender's, each from high to low."""


class Attack(NamedTuple):
    """An attack that was ordered, its territories by number."""

    source: int
    target: int
    dice: int
    rolls: int = 1
    stop_at: int = 1


def most_dice(armies: int) -> int:
    """Return the most dice that so many armies can throw."""
    return min(MOST_DICE, armies)


def losses(attack: Sequence[int], defence: Sequence[int]) -> tuple[int, int]:
    """Return what attacker and defender lose by dice that are sorted from high to low."""
    pairs = min(len(attack), len(defence))
    beaten = sum(map(gt, attack, defence))
    return pairs - beaten, beaten


def fight(
    forces: Forces, attack: Attack, defence: int, chance: Chance, place: Sequence[Key]
) -> tuple[list[Roll], int, int]:
    """Roll an attack out and take off the losses; return the rolls, and what both sides lost.

    A roll is one event, named by the attack's `place` in the rules and its number: three dice
    for each side, whatever is thrown of them, so that the numbers chosen change no die.
    """
    source, target = attack.source, attack.target
    ours, theirs = before = forces.armies[source], forces.armies[target]
    rolls = []
    for number in range(1, attack.rolls + 1):
        faces = chance.dice(2 * MOST_DICE, 6, "roll", *place, number)
        thrown = sorted(faces[: min(attack.dice, ours - 1)], reverse=True)
        against = sorted(faces[MOST_DICE:][: min(defence, theirs)], reverse=True)
        rolls.append([thrown, against])
        lost, killed = losses(thrown, against)
        ours -= lost
        theirs -= killed
        if theirs == 0 or ours <= attack.stop_at:
            break
    forces.armies[source], forces.armies[target] = ours, theirs
    return rolls, before[0] - ours, before[1] - theirs


class Event(
    msgspec.Struct,
    frozen=True,
    eq=False,
    gc=False,
    tag_field="event",
    rename={"source": "from", "target": "to"},
):
    """What one seat did, or what befell it, in the form in which it is shown.

    Nothing of it changes any more, and no event equals another: words are kept by event.
    """

    seat: int


class SetUp(Event, frozen=True, tag="setup"):
    """Armies of the set-up were placed."""

    armies: Mapping[str, int]


class TurnBegun(Event, frozen=True, tag="turn"):
    """A turn began."""

    round: int


class Traded(Event, frozen=True, tag="trade"):
    """A set of cards was exchanged, for armies and for more on own territories."""

    cards: list[str]
    armies: int
    extra: Mapping[str, int]


class Deployed(Event, frozen=True, tag="deploy"):
    """Reinforcements were placed."""

    armies: Mapping[str, int]


class Attacked(Event, frozen=True, tag="attack"):
    """An attack was rolled out."""

    source: str
    target: str
    dice: int
    defender: int
    defender_dice: int
    rolls: list[Roll]
    attacker_lost: int
    defender_lost: int


class Marched(Event, frozen=True):
    """Armies went from one territory to another."""

    source: str
    target: str
    armies: int


class Conquered(Marched, frozen=True, tag="conquest"):
    """The survivors of the last roll took the territory."""


class Followed(Marched, frozen=True, tag="occupy"):
    """More armies followed them."""


class Fortified(Marched, frozen=True, tag="fortify"):
    """Armies moved at the end of the turn."""


class Eliminated(Event, frozen=True, tag="eliminated"):
    """The seat lost its last territory, and its cards with it."""

    by: int
    cards: list[str]


class CardDrawn(Event, frozen=True, tag="card"):
    """The seat drew a card, for which the used ones may have been shuffled."""

    reshuffled: bool


class Log:
    """All seats' events in one list, and how far each seat has been told.

    What everybody has been told is cut off, but for the last turn of every seat.
    """

    def __init__(self, seats: int) -> None:
        self._events: list[Event] = []
        self._cut = 0
        self._told = [0] * seats
        self._turns: deque[int] = deque(maxlen=seats + 1)
        """Where the last turns begin."""

    def add(self, event: Event) -> None:
        """Take an event in."""
        self._events.append(event)

    def answered(self, seat: int) -> None:
        """Note that `seat` has been told all that there is."""
        self._told[seat] = self._cut + len(self._events)

    def begin_turn(self, seat: int, number: int, living: list[int]) -> None:
        """Note that a turn begins in the round of this number; nobody else needs to be told."""
        self._turns.append(self._cut + len(self._events))
        self.add(TurnBegun(seat, number))
        needed = min(self._turns[0], *(self._told[other] for other in living))
        del self._events[: needed - self._cut]
        self._cut = max(self._cut, needed)

    def since(self, seat: int) -> list[Event]:
        """Return what has happened since `seat` was last asked."""
        return self._events[max(0, self._told[seat] - self._cut) :]

    def latest(self) -> list[Event]:
        """Return the events of the last turn of every seat, and of the one that goes on."""
        first = self._turns[0] if self._turns else 0
        return self._events[first - self._cut :]
